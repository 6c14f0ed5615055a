"""What uniform and random attention give, in closed form."""

from __future__ import annotations

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.constructions.implied_settings import implied
from paper_checks.ledger.finding import Finding, compared
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting
from theory.baselines import harmonic, mean_diagonal


@decides("random-diagonal-baseline")
def random_diagonal_baseline(claim: Claim, setting: Setting) -> Finding:
    """Evaluate H_T/T as a fraction."""
    T = int(claim.given["T"])
    return compared(
        claim,
        {"mean_diagonal": mean_diagonal(T)},
        derivation=f"Row t of uniform attention is 1/t; the mean over t is H_T/T = {mean_diagonal(T)}. "
        + implied("diagonal", claim.numbers["mean_diagonal"]),
    )


@decides("harmonic-128")
def harmonic_128(claim: Claim, setting: Setting) -> Finding:
    """Add up the fractions."""
    T = int(claim.given["T"])
    return compared(claim, {"H": harmonic(T)}, derivation=f"The sum of 1/t over t = 1 to {T}, in fractions.")

"""The windows of the paper's theorems, evaluated, and what their bounds can tell."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import fmpq, fmpq_mat

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, compared, judged
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import TINY, Setting
from theory.bound_facts import LIMITS, positive_definite
from theory.bounds import THEOREMS, impostor_error_squared, last_step_inside, zero_always_passes
from theory.bounds import Setting as Run
from theory.laws.gaussian_norms import frobenius_rate
from theory.statistics import exact_statistics, leading_directions

INFORMAL, FORMAL, GAUSSIAN = THEOREMS["Theorem 4.1"], THEOREMS["Theorem D.10"], THEOREMS["Theorem D.13"]
# Below this a weight is not aligned by any reading of the word.
ALIGNED = 0.9
# The lengths among which a difference between the two windows is looked for, and the most unmasked entries.
LENGTHS = range(60, 401)
MOST_ENTRIES = 50


def published(claim: Claim) -> tuple[dict[str, int], fmpq]:
    """Return the sizes and the rate of the run that the claim is about."""
    sizes = {
        "vocab_size": int(claim.given["V"]),
        "length": int(claim.given["T"]),
        "layers": int(claim.given["layers"]),
    }
    rate = claim.given_number("rate")
    return sizes, fmpq(rate.numerator, rate.denominator)


@decides("paper-thm41-window", tried="runs at lengths from 60 on")
def informal_and_formal(claim: Claim, setting: Setting) -> Finding:
    """Look for a run inside one window and outside the other, at rate 1/T with one layer."""
    for T in LENGTHS:
        last = [last_step_inside(one, 500, T, 1, fmpq(1, T)) for one in (INFORMAL, FORMAL)]
        if last[0] != last[1]:
            return judged(
                False,
                f"{last[0]} steps by the informal theorem and {last[1]} by the formal one, at T = {T}, L = 1 "
                "and eta = 1/T",
                derivation=f"There 1/(12L) is {1 / 12:.4f} and 5/(8 sqrt(T)) is {5 / 8 / T**0.5:.4f}; "
                f"8 sqrt(T) = {8 * T**0.5:.0f} never binds, 5/(8 sqrt(T)) does for sqrt(T) > 7.5 L.",
            )
    return judged(True, f"the same last step for T = {LENGTHS[0]} to {LENGTHS[-1]}")


@decides("paper-thm-window-steps")
def window_steps(claim: Claim, setting: Setting) -> Finding:
    """Find the last step inside."""
    sizes, rate = published(claim)
    last = last_step_inside(FORMAL, **sizes, rate=rate)
    return compared(
        claim,
        {"steps_inside": last},
        derivation=f"s eta <= 1/(12L) = {1 / (12 * sizes['layers']):.4f} ends the window at step {last}.",
    )


@decides("paper-window-large-rate")
def window_large_rate(claim: Claim, setting: Setting) -> Finding:
    """Ask whether one step is inside."""
    sizes, rate = published(claim)
    failed = FORMAL.failed(Run(**sizes, rate=rate, steps=1))
    return judged(
        not failed,
        "its first step is inside" if not failed else "no step is inside",
        derivation=f"After one step s eta is {Fraction(int(rate.p), int(rate.q))}; not met: "
        f"{', '.join(failed) or 'nothing'}.",
    )


@decides("paper-thm-bounds-informative")
def bounds_informative(claim: Claim, setting: Setting) -> Finding:
    """At the last step inside, ask whether the zero matrix satisfies the bounds on every corpus."""
    sizes, rate = published(claim)
    last = last_step_inside(FORMAL, **sizes, rate=rate)
    run = Run(**sizes, rate=rate, steps=last)
    passes = [group for group, zero in zero_always_passes(FORMAL, run).items() if zero]
    ratio = 104 * run.progress * run.length
    return judged(
        not passes,
        f"zero satisfies the bound of {' and '.join(passes) or 'none'} at step {last}, on every corpus",
        derivation="As |Q_bar|, |Delta_bar| <= 1 and c_s <= s^4/8, bound / leading term of W and P is at "
        f"least 104 s eta T = {Fraction(int(ratio.p), int(ratio.q))} there.",
    )


@decides("paper-zero-passes-bounds", tried=TINY)
def zero_passes(claim: Claim, setting: Setting) -> Finding:
    """Hold wrong weights to the bound: zero, negated, doubled and transposed leading terms, on a corpus."""
    tokens, V = setting.tiny
    T = len(tokens[0]) - 1
    run = Run(V, T, 1, fmpq(1, T), 3)
    directions = leading_directions(exact_statistics(tokens, V))
    accepted = []
    for wrong in ("zero", "negated", "doubled", "transposed"):
        ratios = [impostor_error_squared(INFORMAL, wrong, group, directions[group], run) for group in "WP"]
        if all(ratio is not None and ratio <= 1 for ratio in ratios):
            accepted.append(wrong)
    return judged(
        not accepted,
        f"accepted as W and P in place of the leading term: {', '.join(accepted) or 'nothing'}",
        derivation="The bound 13 s^5 eta^5 T exceeds twice the leading term, at most s^4 eta^4/8, wherever "
        "s eta T >= 1/52; so it admits any direction, and zero, which has none.",
    )


@decides("paper-v1-lemma-d2", tried="constructed distributions")
def first_version_jacobian(claim: Claim, setting: Setting) -> Finding:
    """Look for a distribution with a Jacobian of norm above 1/sqrt(i): most weight on two entries."""
    for entries in range(3, MOST_ENTRIES):
        heavy = fmpq(2 * entries - 3, 4 * entries - 4)
        light = (1 - 2 * heavy) / (entries - 2)
        p = [heavy, heavy] + [light] * (entries - 2)
        if _norm_exceeds(p, fmpq(1, entries)):
            return judged(
                False,
                f"a norm above 1/sqrt({entries}) at p = ({heavy}, {heavy}, {light}, ...)",
                derivation="Along (1, -1, 0, ...) the Jacobian multiplies by p_1 = p_2 = "
                f"{heavy} = {float(heavy.p) / float(heavy.q):.3f}, above 1/sqrt({entries}) = "
                f"{entries**-0.5:.3f}.",
            )
    return judged(True, f"no counterexample up to {MOST_ENTRIES} entries", evidence="property")


def _norm_exceeds(p: list[fmpq], squared: fmpq) -> bool:
    """Return whether the Jacobian diag(p) - p p^T has a norm whose square is above `squared`, exactly."""
    n = len(p)
    J = fmpq_mat(n, n, [(p[i] if i == j else fmpq(0)) - p[i] * p[j] for i in range(n) for j in range(n)])
    gap = (J * J) * fmpq(-1)
    for i in range(n):
        gap[i, i] += squared
    return not positive_definite(gap)


@decides("paper-gaussian-alignment", tried="drawn starts")
def gaussian_alignment(claim: Claim, setting: Setting) -> Finding:
    """Take what no cosine of W exceeds at the largest start of Theorem D.13."""
    bounds = setting.result("bounds.start_alignment").measurements["cosine of W, at most"]
    largest = max(bounds) if isinstance(bounds, list) else bounds
    return judged(
        largest >= ALIGNED,
        f"a cosine of W of at most {largest:.3f}",
        derivation="Over c_s eta^4 Q_bar the start of W is 1/(c_s (eta T)^2 |Q_bar|). That is far above 1 in "
        "the runs drawn, of 60 and 73 positions: W is what it was drawn as. In sequences of hundreds of "
        "positions it can fall below 1 inside the window, and W is aligned then. W alone refutes what is "
        "said of W and P; P is not looked at.",
    )


@decides("paper-gaussian-norms")
def rates_of_the_norms(claim: Claim, setting: Setting) -> Finding:
    """Compare the rates of the two chances with the lemmas'; derived in `theory.laws.gaussian_norms`."""
    operator, frobenius = (
        LIMITS[f"{norm} of a Gaussian start, {unit}"]
        for norm, unit in (("operator norm", "times sqrt(V) / v"), ("Frobenius norm", "over v"))
    )
    stated = claim.given_number("rate")
    lemma = fmpq(stated.numerator, stated.denominator)
    shown = frobenius_rate(frobenius**2)
    rate = math.floor(1000 * float(shown.lower())) / 1000  # rounded up, the chance might be larger
    # Davidson and Szarek: above (2 + t) deviations sqrt(V) with the probability exp(-t^2 V / 2) at most.
    quoted = max(operator - 2, fmpq(0)) ** 2 / 2
    return judged(
        bool(shown >= lemma) and quoted >= lemma,
        f"rates of {rate:.3f} for the Frobenius and {quoted} for the operator norm, where {stated} is needed",
        evidence="quoted",
        derivation=f"|G|_F > {frobenius} v: (c^2 - 1 - log c^2)/2 at c = {frobenius}, by Markov. "
        f"|G| > {operator} v/sqrt(V): t^2/2 at t = {operator - 2}, by the theorem.",
    )

"""Claims name their checks and checks their claims: this says where the two disagree."""

from __future__ import annotations

from collections.abc import Iterable

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.registry import Computation
from properties.check import Check


def broken_links(
    claims: Iterable[Claim], checks: Iterable[Check], computations: Iterable[Computation]
) -> list[str]:
    """Return a sentence for each link that is not there both ways, and each claim that nothing decides."""
    claims = list(claims)
    known = {claim.id: set(claim.checks) for claim in claims}
    answers = {check.id: set(check.claims) for check in checks}
    own = {one.id: set(one.claims) for one in computations}
    clash = sorted(set(answers) & set(own))
    found = [f"{name} is both a check and a computation." for name in clash]
    answers |= own
    for claim in claims:
        if not claim.checks:
            found.append(f"Nothing decides {claim.id}.")
        if len(set(claim.checks) & set(own)) > 1:
            found.append(f"{claim.id} has two computations; one decides.")
        for name in claim.checks:
            if name not in answers:
                found.append(f"{claim.id} names {name}, which does not exist.")
            elif claim.id not in answers[name]:
                found.append(f"{claim.id} names {name}, which does not name it.")
    for name, ids in answers.items():
        for claim_id in sorted(ids):
            if claim_id not in known:
                found.append(f"{name} names the claim {claim_id}, which does not exist.")
            elif name not in known[claim_id]:
                found.append(f"{name} names {claim_id}, which does not name it.")
    return found

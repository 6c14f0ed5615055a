"""How alike two heads are: angles, gaps, interactions, and what attention and profiles say of each other."""

from __future__ import annotations

import math
from itertools import combinations, pairwise, permutations

import numpy as np
from mpmath import acos, degrees, mp

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.decisions.ablation_pairs import RELATIONS, SMALLEST, interaction
from paper_checks.ledger.finding import Finding, compared, judged
from paper_checks.ledger.printed import exact, numbers, shown
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting
from reference.attention_metrics import head_profile

POSITIONS = 6
HALVINGS = 6


@decides("cosine-to-angle")
def angle(claim: Claim, setting: Setting) -> Finding:
    """Take the arc cosine, to 50 digits."""
    (cosine,) = numbers([claim.given["cosine"]])
    with mp.workdps(50):
        value = degrees(acos(cosine))
    return compared(
        claim, {"degrees": value}, derivation=f"arccos {claim.given['cosine']} = {shown(value, 2)} degrees."
    )


@decides("similarity-cliff")
def largest_gap(claim: Claim, setting: Setting) -> Finding:
    """Look for the largest step of the sorted cosines, if all are printed; else say what could stand between.

    A list in descending order with m values left out between a and b has a largest step of anything from
    (a - b)/(m + 1), when they are spread evenly, to a - b, when all are at the ends.
    """
    cosines = [exact(one) for one in claim.given["cosines"]]
    above, below = (exact(one) for one in claim.given["gap"])
    apart, heads = claim.given["apart"], claim.given["heads"]
    missing = len(list(combinations(heads, 2))) - len(cosines)
    own = sum(apart in pair for pair in claim.given["pairs"])
    if missing:
        return Finding(
            "inconclusive",
            "exact",
            f"{missing} of the {missing + len(cosines)} pairs lie between and are not printed, "
            f"{len(heads) - 1 - own} of them of {apart}",
            f"The largest step from {shown(above)} to {shown(below)} is anything from "
            f"{shown((above - below) / (missing + 1))} to {shown(above - below)}, depending on those.",
        )
    ranked = sorted(zip(cosines, claim.given["pairs"], strict=True), reverse=True)
    steps = [(a - b, b) for (a, _), (b, _) in pairwise(ranked)]
    size, lower = max(steps)
    separated = all((apart in pair) == (value <= lower) for value, pair in ranked)
    return judged(
        lower == below and separated,
        f"the largest step, {shown(size)}, ends at {shown(lower)}",
        derivation=f"Below it are {'only' if separated else 'not only'} the pairs of {apart}.",
    )


@decides("redundancy-additivity", tried=SMALLEST)
def interaction_of_redundant_heads(claim: Claim, setting: Setting) -> Finding:
    """Compute the interaction of two heads of which either suffices, and of other pairs."""
    found = {name: interaction(loss) for name, loss in RELATIONS.items()}
    return compared(
        claim,
        {"interaction": found["redundant"]},
        derivation=(
            "Where either head suffices, removing one costs nothing, so all of the cost is interaction. "
            f"Redundant heads have {found['redundant']}, independent ones {found['independent']}, and those "
            f"that are both needed {found['complementary']}."
        ),
    )


def _causal(rng: np.random.Generator) -> np.ndarray:
    weights = np.tril(rng.exponential(size=(POSITIONS, POSITIONS)))
    rows: np.ndarray = weights / weights.sum(axis=1, keepdims=True)
    return rows


def _most_apart(moved: float) -> dict[str, float]:
    """Return how far profiles can be apart if `moved` <= 1/2 of each row's weight is elsewhere.

    Diagonal and previous weight move by at most that, the distance by that times T - 1, and the entropy of a
    row with n keys by at most moved log(n - 1) + h(moved), with the entropy h of a coin (Audenaert 2007).
    """
    coin = -moved * math.log(moved) - (1 - moved) * math.log(1 - moved)
    keys = range(2, POSITIONS + 1)
    entropy = sum((moved * math.log(n - 1) + coin) / math.log(n) for n in keys) / POSITIONS
    return {"diagonal": moved, "previous": moved, "distance": moved * (POSITIONS - 1), "entropy": entropy}


def rearranged() -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return two orders of the same far weights (distances 2, 3, ...) with the same mean distance, if any."""
    seen: dict[int, tuple[int, ...]] = {}
    for order in permutations(range(1, POSITIONS - 1)):
        mean = sum(distance * weight for distance, weight in enumerate(order, start=2))
        if mean in seen:
            return seen[mean], order
        seen[mean] = order
    return None


@decides("behaviour-implies-profile", tried="mixtures of two drawn maps")
def maps_and_profiles(claim: Claim, setting: Setting) -> Finding:
    """Move generated maps by less and less, and look for two maps of one profile."""
    rng = np.random.default_rng(setting.seed)
    first, second = _causal(rng), _causal(rng)
    profile, within = head_profile(first), []
    for halving in range(1, HALVINGS + 1):
        moved = 2.0**-halving
        other = head_profile((1 - moved) * first + moved * second)
        within += [
            bool(np.abs(other[name] - profile[name]) <= most) for name, most in _most_apart(moved).items()
        ]
    pair = rearranged()
    return judged(
        all(within) and pair is not None,
        f"{sum(within)} of {len(within)} differences of profiles within their bounds; "
        + (f"far weights {pair[0]} and {pair[1]} have one profile" if pair else "no two maps of one profile"),
        evidence="property",
        derivation=(
            "Where a share e of each row moves, diagonal and previous move by at most e, the distance by "
            "e(T - 1), the entropy by e log(n - 1) + h(e). Reordered far weights keep all four."
        ),
    )

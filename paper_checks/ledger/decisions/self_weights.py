"""The weight that L0H0 gives to the own position: its mean, its outlier, and what a diagonal carries."""

from __future__ import annotations

from fractions import Fraction

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, by_readings, compared, judged
from paper_checks.ledger.printed import exact, fractions, shown
from paper_checks.ledger.printed_map import own, previous, rows_of
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting


def _mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


@decides("l0h0-diagonal-mean")
def mean_of_the_list(claim: Claim, setting: Setting) -> Finding:
    """Add the list up."""
    weights = fractions(claim.given["weights"])
    return compared(
        claim,
        {"mean": _mean(weights)},
        derivation=f"They add up to {shown(sum(weights))}, over {len(weights)} positions.",
    )


@decides("l0h0-outlier-pull")
def pull_of_the_outlier(claim: Claim, setting: Setting) -> Finding:
    """Take the least weight out of the mean."""
    weights = fractions(claim.given["weights"])
    others = _mean(sorted(weights)[1:])
    stated_mean = exact(claim.given["mean"])
    return by_readings(
        claim,
        {
            "the mean with it against that without it": {"pull": others - _mean(weights)},
            f"the mean of {shown(stated_mean)} that the text gives": {"pull": others - stated_mean},
            "a weight of 1 in its place": {"pull": (1 - min(weights)) / len(weights)},
        },
        derivation=(
            f"The other {len(weights) - 1} have the mean {shown(others)}, and all {shown(_mean(weights))}."
        ),
    )


@decides("l0h0-eleven-identity")
def identity_positions(claim: Claim, setting: Setting) -> Finding:
    """Count the weights as large as in the rows that are called normal, and those that earn the label."""
    weights = fractions(claim.given["weights"])
    normal = min(weights[int(i)] for i in claim.given["normal"])
    label = exact(claim.given["label"])
    between = [one for one in weights if label < one < normal]
    return by_readings(
        claim,
        {
            f"an identity as in the rows the text calls normal, which have at least {shown(normal)}": {
                "positions": sum(one >= normal for one in weights)
            },
            f"the label's threshold of {shown(label, 1)}": {"positions": sum(one > label for one in weights)},
            "a weight of 1, which an identity has": {"positions": sum(one == 1 for one in weights)},
        },
        derivation=f"Between the first two lie {', '.join(map(shown, between))}: there up to "
        f"{shown(1 - min(between, default=normal))} of the weight is on other positions.",
    )


@decides("l0h0-row5-self")
def own_in_row(claim: Claim, setting: Setting) -> Finding:
    """Look up the last entry of the row, and where the stated one stands."""
    i = int(claim.given["row"])
    row = rows_of(claim.given["map"])[i]
    stated = exact(claim.numbers["own"])
    place = f"at position {row.index(stated)}" if stated in row else "nowhere in the row"
    return compared(
        claim,
        {"own": own(row)},
        derivation=f"Row {i} ends with its own position: {shown(own(row))}; {shown(stated)} stands {place}.",
    )


@decides("diagonal-means-self")
def what_a_diagonal_carries(claim: Claim, setting: Setting) -> Finding:
    """Compare, in the rows named, the weights of the own and of the previous position."""
    rows = rows_of(claim.given["map"])
    named = [rows[int(i)] for i in claim.given["rows"]]
    return judged(
        all(previous(row) > own(row) for row in named),
        f"a weight of {shown(min(map(own, named)))} to {shown(max(map(own, named)))} on the own position, of "
        f"at most {shown(max(map(previous, named)))} on the previous one",
        derivation="A_ii multiplies the position's own value v_i, and A_i,i-1 that of the previous one.",
    )


def reached(position: int, layers: int) -> set[int]:
    """Return the positions that `position` has read after some layers of causal attention."""
    read = {position}
    for _ in range(layers):
        read = {key for query in read for key in range(query + 1)}
    return read


@decides("sentence-summary-at-position0")
def reach_of_a_position(claim: Claim, setting: Setting) -> Finding:
    """Follow what the position can read, layer by layer, until nothing new comes."""
    position = int(claim.given["summary_at"])
    wanted = {int(one) for one in claim.given["of"]}
    layers = 1
    while reached(position, layers) != reached(position, layers + 1):
        layers += 1
    read = reached(position, layers)
    return judged(
        wanted <= read,
        f"position {position} reads {_positions(read)}, and none after it, in any number of layers",
        evidence="proved",
        derivation=(
            f"Position i reads positions up to i, and what these have read: from layer {layers} on nothing "
            "is added. A diagonal moves nothing between positions."
        ),
    )


def _positions(read: set[int]) -> str:
    return ", ".join(str(one) for one in sorted(read))


@decides("diag-std-code")
def summary_by_position(claim: Claim, setting: Setting) -> Finding:
    """Do what the code does on the listed weights."""
    weights = fractions(claim.given["weights"])[1:]
    return compared(
        claim,
        {"mean": _mean(weights), "min": min(weights), "max": max(weights)},
        derivation=f"{shown(sum(weights))} over the {len(weights)} positions after the first.",
    )


@decides("l0h2-diagonal-second")
def rank_of_a_diagonal(claim: Claim, setting: Setting) -> Finding:
    """Rank the eight diagonals."""
    diagonal = dict(zip(claim.given["heads"], map(exact, claim.given["diagonal"]), strict=True))
    ranked = sorted(diagonal, key=lambda head: diagonal[head], reverse=True)
    return compared(
        claim,
        {"rank": ranked.index(claim.given["head"]) + 1},
        derivation="In descending order: "
        + ", ".join(f"{one} {shown(diagonal[one])}" for one in ranked)
        + ".",
    )

"""What the chapter reads off the attention maps that it prints, against the printed weights."""

from __future__ import annotations

import unicodedata
from fractions import Fraction

import sympy

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, by_readings, compared, judged
from paper_checks.ledger.printed import as_printed, exact, shown
from paper_checks.ledger.printed_map import own, previous, rows_of
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting


@decides("text-length-12")
def sentence_length(claim: Claim, setting: Setting) -> Finding:
    """Count the characters, as the sentence stands there and with the full stop that a later section adds."""
    sentence, full = claim.given["sentence"], claim.given["printed_in_full"]
    letters = sum(unicodedata.category(one).startswith("L") for one in sentence)
    return by_readings(
        claim,
        {
            "the sentence as that section has it": {"characters": len(sentence)},
            "its full stop, as 4.1.5 prints it": {"characters": len(full)},
        },
        derivation=f"{letters} characters of Chinese and {len(sentence) - letters} of punctuation.",
    )


def _contradictions(shades: list[int], weights: list[Fraction]) -> int:
    """Return how many pairs of keys are drawn in the opposite order of their weights."""
    pairs = list(zip(shades, weights, strict=True))
    return sum(a > b and x < y for a, x in pairs for b, y in pairs)


@decides("opening-map-vs-matrix")
def opening_map(claim: Claim, setting: Setting) -> Finding:
    """Hold the order of the shades against the order of the weights, row by row."""
    darkness = {shade: order for order, shade in enumerate(claim.given["shades"])}
    drawn = [[darkness[shade] for shade in row] for row in claim.given["drawing"]]
    both = {i: (drawn[i], row) for i, row in rows_of(claim.given["map"]).items() if i < len(drawn)}
    wrong = {i: _contradictions(*pair) for i, pair in both.items()}
    strongest = [i for i, (shades, row) in both.items() if row[shades.index(max(shades))] == max(row)]
    marked = [(i, j) for i, (shades, _) in both.items() for j in range(i - 1) if shades[j] > 0]
    told = [f"row {i} marks position {j}, of weight {shown(both[i][1][j])}" for i, j in marked]
    return judged(
        not any(wrong.values()),
        "; ".join(
            [f"the darkest cell has the largest weight in {len(strongest)} of {len(both)} rows", *told]
        ),
        derivation=(
            f"In {sum(map(bool, wrong.values()))} of the {len(both)} rows that are both drawn and printed, "
            f"darker cells have smaller weights than lighter ones ({sum(wrong.values())} pairs of cells)."
        ),
    )


@decides("attention-rows-sum-to-one")
def row_sums(claim: Claim, setting: Setting) -> Finding:
    """Add up each printed row, and compare with 1 within what rounding its entries can move the sum."""
    sums, met = [], []
    for printed in claim.given["maps"].values():
        for i, row in rows_of(printed).items():
            sums.append(sum(row))
            ranges = [as_printed(one) for one in printed[str(i)]]
            met.append(sum(one.low for one in ranges) <= 1 <= sum(one.high for one in ranges))
    return judged(
        all(met),
        f"{sum(met)} of {len(met)} rows sum to 1 within rounding, from {shown(min(sums))} to "
        f"{shown(max(sums))}",
        derivation="A softmax row sums to 1; what is off is within the rounding of its entries.",
    )


@decides("row7-previous-token")
def previous_in_row(claim: Claim, setting: Setting) -> Finding:
    """Look up the weight of the position before, and where the stated one stands."""
    i = int(claim.given["row"])
    row = rows_of(claim.given["map"])[i]
    stated = exact(claim.numbers["previous"])
    place = (
        f"{shown(stated)} stands at position {row.index(stated)}, {i - row.index(stated)} back"
        if stated in row
        else f"{shown(stated)} stands nowhere in the row"
    )
    return compared(
        claim,
        {"previous": previous(row)},
        derivation=f"Before position {i} comes {i - 1}, which has {shown(previous(row))}; {place}.",
    )


@decides("row9-misquotes")
def quoted_entry(claim: Claim, setting: Setting) -> Finding:
    """Look up the quoted entry, and where in the map the stated weight stands."""
    i, j, seen = int(claim.given["row"]), int(claim.given["position"]), claim.given["looked_at"]
    rows = rows_of(claim.given["map"])
    stated = exact(claim.numbers["weight"])
    places = [f"row {r} at position {row.index(stated)}" for r, row in rows.items() if stated in row]
    return compared(
        claim,
        {"weight": rows[i][j]},
        derivation=(
            f"{shown(stated)} stands in {' and '.join(places) or 'no row'}. Row {i} sees positions 0 to {i}, "
            f"so {seen} is {'' if int(seen) <= i else 'not '}among them."
        ),
    )


@decides("previous-token-list")
def previous_weights(claim: Claim, setting: Setting) -> Finding:
    """Read the weights just below the diagonal off the map."""
    weights = [previous(row) for row in rows_of(claim.given["map"]).values()]
    stated = [exact(one) for one in claim.numbers["weights"]]
    return compared(
        claim,
        {"weights": weights},
        derivation=(
            f"Entry i - 1 of each row i. The largest is {shown(max(weights) / min(weights), 1)} times the "
            f"smallest; in the stated list {shown(max(stated) / min(stated), 1)} times."
        ),
    )


@decides("l1h3-ratios")
def spread_of_rows(claim: Claim, setting: Setting) -> Finding:
    """Divide the largest weight of a row by its smallest."""
    rows = rows_of(claim.given["map"])
    chosen = [rows[int(i)] for i in claim.given["rows"]]
    return compared(
        claim,
        {"ratios": [max(row) / min(row) for row in chosen]},
        derivation="; ".join(f"{shown(max(row))} / {shown(min(row))}" for row in chosen) + ".",
    )


@decides("l1h3-monotone-decay")
def decay_with_distance(claim: Claim, setting: Setting) -> Finding:
    """Look for steps at which a more distant position has the larger weight."""
    rows = {i: row for i, row in rows_of(claim.given["map"]).items() if i > 0}
    rises = {i: [j for j in range(i) if row[j] > row[j + 1]] for i, row in rows.items()}
    monotone = [i for i, found in rises.items() if not found]
    last = max((i for i in rows if rises[i]), default=None)
    derivation = "Each row rises towards the own position."
    if last is not None:
        j = rises[last][-1]
        derivation = (
            f"In row {last}, position {j} has {shown(rows[last][j])} and the nearer {j + 1} only "
            f"{shown(rows[last][j + 1])}; {len(rises[last])} of its {last} steps are against the order."
        )
    return judged(
        len(monotone) == len(rows), f"{len(monotone)} of {len(rows)} rows are monotone", derivation=derivation
    )


@decides("first-row-is-one")
def first_row(claim: Claim, setting: Setting) -> Finding:
    """Take the softmax of one score, as a symbol."""
    score = sympy.Symbol("s", real=True)
    visible = [sympy.exp(score)]
    weight = sympy.simplify(visible[0] / sum(visible))
    return compared(
        claim,
        {"weight": Fraction(str(weight))},
        evidence="proved",
        derivation=f"exp(s)/exp(s) = {weight} for every score s: the softmax of one number.",
    )


@decides("equal-weights-equal-logits")
def score_differences(claim: Claim, setting: Setting) -> Finding:
    """Recover the differences of scores: the logarithms of the weights' ratios."""
    ratios = {name: exact(a) / exact(b) for name, (a, b) in claim.given.items()}
    differences = {name: sympy.log(sympy.Rational(str(ratio))) for name, ratio in ratios.items()}
    told = [f"log({' / '.join(claim.given[name])}) = {value}" for name, value in differences.items()]
    return judged(
        differences["far_apart"] != 0 and differences["nearly_equal"] == 0,
        "differences of scores: " + "; ".join(told),
        evidence="proved",
        derivation="A row has one denominator Z: A_ij = exp(s_ij)/Z, so log(A_ij/A_ik) = s_ij - s_ik.",
    )


@decides("position10-three-heads")
def three_heads(claim: Claim, setting: Setting) -> Finding:
    """Look the four weights up."""
    i, other = int(claim.given["row"]), int(claim.given["other"])
    row = {head: rows_of(printed)[i] for head, printed in claim.given["maps"].items()}
    return compared(
        claim,
        {
            "L0H0_own": own(row["L0H0"]),
            "L0H1_previous": previous(row["L0H1"]),
            "L1H3_own": own(row["L1H3"]),
            "L1H3_other": row["L1H3"][other],
        },
        derivation=f"Row {i} of the three printed maps.",
    )

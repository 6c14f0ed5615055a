"""Self weights and effects of removal, at punctuation and elsewhere: ratios, mixtures and sums of tables."""

from __future__ import annotations

from fractions import Fraction

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, by_readings, compared, judged
from paper_checks.ledger.printed import exact, fractions, shown
from paper_checks.ledger.printed_map import rows_of
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting

ALMOST_ALL = Fraction(9, 10)


def _percent(value: Fraction) -> str:
    return f"{shown(100 * value, 1)}%"


@decides("punctuation-ratio-column")
def ratios(claim: Claim, setting: Setting) -> Finding:
    """Divide the two columns."""
    at, elsewhere = fractions(claim.given["diagonal"]), fractions(claim.given["elsewhere"])
    return compared(
        claim,
        {"ratios": [a / b for a, b in zip(at, elsewhere, strict=True)]},
        derivation="The two columns of the same table, divided.",
    )


@decides("punctuation-share")
def share_of_positions(claim: Claim, setting: Setting) -> Finding:
    """Add the two counts, and divide."""
    at, elsewhere = fractions(claim.given["positions"])
    return compared(
        claim,
        {"positions": at + elsewhere, "share": at / (at + elsewhere)},
        derivation=f"{int(at):,} + {int(elsewhere):,}.",
    )


@decides("l0h1-diagonal-0090")
def quoted_diagonal(claim: Claim, setting: Setting) -> Finding:
    """Look the diagonal up, and whose the quoted one is."""
    diagonal = dict(zip(claim.given["heads"], fractions(claim.given["diagonal"]), strict=True))
    quoted = exact(claim.numbers["diagonal"])
    owners = [head for head, value in diagonal.items() if value == quoted]
    return compared(
        claim,
        {"diagonal": diagonal[claim.given["head"]]},
        derivation=f"In the profile {shown(quoted)} is the diagonal of {' and '.join(owners) or 'no head'}.",
    )


def _mix(claim: Claim) -> Fraction:
    weights, shares = fractions(claim.given["weights"]), fractions(claim.given["shares"])
    return sum((w * s for w, s in zip(weights, shares, strict=True)), Fraction(0))


@decides("punctuation-l0h0-mix")
def mix_with_the_first_row(claim: Claim, setting: Setting) -> Finding:
    """Mix the two weights, and add a row of weight 1 to the others of a text."""
    mix = _mix(claim)
    T, sentence = int(claim.given["length"]), int(claim.given["sentence"])
    stated = exact(claim.numbers["with_first_row"])

    def with_first(length: int) -> Fraction:
        return ((length - 1) * mix + 1) / length

    needed = (1 - mix) / (stated - mix)
    return by_readings(
        claim,
        {
            f"the profile's texts of {T} characters": {"mix": mix, "with_first_row": with_first(T)},
            f"the printed sentence of {sentence}": {"mix": mix, "with_first_row": with_first(sentence)},
        },
        derivation=(
            f"A first row of weight 1 makes it ((T - 1) {shown(mix)} + 1)/T; {shown(stated)} would need "
            f"T = {shown(needed, 1)}."
        ),
    )


@decides("punctuation-l0h1-mix")
def mix(claim: Claim, setting: Setting) -> Finding:
    """Mix the two weights."""
    value = _mix(claim)
    return compared(claim, {"mix": value}, derivation=f"The two products add up to {shown(value, 4)}.")


@decides("punctuation-l0h1-nearly-all")
def share_of_the_diagonal(claim: Claim, setting: Setting) -> Finding:
    """Weigh the head's two mean weights by their positions."""
    table, k = claim.given["table"], claim.given["heads"].index(claim.given["head"])
    counts = fractions(table["positions"])
    parts = [exact(table[name][k]) * n for name, n in zip(("diagonal", "elsewhere"), counts, strict=True)]
    share = parts[0] / sum(parts)
    return judged(
        share >= ALMOST_ALL,
        f"{_percent(share)} of the diagonal",
        derivation=(
            f"Punctuation gives {shown(parts[0], 0)} of a sum of {shown(sum(parts), 0)} over all positions: "
            f"its weight is high, but it is only {_percent(counts[0] / sum(counts))} of them."
        ),
    )


@decides("punctuation-ablation-sums")
def sums_of_parts(claim: Claim, setting: Setting) -> Finding:
    """Add the two parts, and compare with removal everywhere."""
    at, elsewhere = fractions(claim.given["punctuation"]), fractions(claim.given["elsewhere"])
    everywhere = fractions(claim.given["everywhere"])
    sums = [a + b for a, b in zip(at, elsewhere, strict=True)]
    return compared(
        claim,
        {"sums": sums, "gaps": [whole - one for whole, one in zip(everywhere, sums, strict=True)]},
        derivation="Sums and differences of the printed table.",
    )


@decides("punctuation-ablation-18x")
def ratio_of_parts(claim: Claim, setting: Setting) -> Finding:
    """Divide the two parts, as totals and as what a removed position costs."""
    parts, k = claim.given["parts"], claim.given["parts"]["heads"].index(claim.given["head"])
    at, elsewhere = exact(parts["punctuation"][k]), exact(parts["elsewhere"][k])
    n_at, n_elsewhere = fractions(claim.given["positions"])
    a_position = (elsewhere / n_elsewhere) / (at / n_at)
    return by_readings(
        claim,
        {
            "the two totals": {"ratio": elsewhere / at},
            "what one removed position costs": {"ratio": a_position},
        },
        derivation=(
            f"{shown(elsewhere, 4)} / {shown(at, 4)}; but there are {shown(n_elsewhere / n_at, 1)} times as "
            f"many positions elsewhere, and each costs only {shown(a_position, 1)} times as much."
        ),
    )


@decides("comma-row-vs-validation")
def one_row_or_all(claim: Claim, setting: Setting) -> Finding:
    """Divide the printed entry by the mean."""
    row = rows_of(claim.given["map"])[int(claim.given["row"])]
    weight, everywhere = row[int(claim.given["position"])], exact(claim.given["everywhere"])
    return compared(
        claim, {"ratio": weight / everywhere}, derivation=f"{shown(weight)} / {shown(everywhere, 4)}."
    )

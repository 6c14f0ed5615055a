"""The four numbers that sum up a head: their definitions, their baselines, and the table of eight heads."""

from __future__ import annotations

from fractions import Fraction

import sympy

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.constructions.implied_settings import implied
from paper_checks.ledger.finding import Finding, by_readings, compared, judged
from paper_checks.ledger.printed import exact, shown
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting
from theory import baselines


def by_head(claim: Claim, column: list[str]) -> dict[str, Fraction]:
    """Return a printed column by the names of the heads."""
    return dict(zip(claim.given["heads"], map(exact, column), strict=True))


@decides("normalised-entropy")
def normalised_entropy(claim: Claim, setting: Setting) -> Finding:
    """Evaluate the formula for n equal weights and for a single one, n as a symbol."""
    n, w = sympy.Symbol("n", positive=True), sympy.Symbol("w", positive=True)
    uniform = sympy.simplify(-n * (1 / n) * sympy.log(1 / n) / sympy.log(n))
    # 1 log 1, and n - 1 times the limit of w log w at 0.
    one_hot = -(sympy.log(1) + (n - 1) * sympy.limit(w * sympy.log(w), w, 0)) / sympy.log(n)
    first = "0" if sympy.log(1) == 0 else "not 0"
    return compared(
        claim,
        {"uniform": Fraction(str(uniform)), "one_hot": Fraction(str(sympy.simplify(one_hot)))},
        evidence="proved",
        derivation=f"-n (1/n) log(1/n) / log n = {uniform}; w log w is 0 at both w = 1 and w = 0.",
        convention=f"Row 0 has no normalised entropy: log(0 + 1) is {first}.",
    )


@decides("uniform-mean-distance")
def uniform_distance(claim: Claim, setting: Setting) -> Finding:
    """Sum (i - j)/(i + 1) over j, with i as a symbol; and average that over the rows."""
    i, j = sympy.symbols("i j", integer=True, nonnegative=True)
    law = sympy.simplify(sympy.summation((i - j) / (i + 1), (j, 0, i)))
    row, length = int(claim.given["row"]), int(claim.given["length"])
    return by_readings(
        claim,
        {
            f"row {row}, the middle of {length}": {"poems": Fraction(str(law.subs(i, row)))},
            f"the mean over {length} rows, (T - 1)/4": {"poems": baselines.mean_distance(length)},
        },
        evidence="proved",
        derivation=f"The sum over j <= i of (i - j)/(i + 1) is {law}. "
        + implied("distance", claim.numbers["poems"]),
    )


def _uniform(length: int) -> dict[str, Fraction]:
    """Return what uniform attention over `length` positions has in a profile."""
    values = {
        "entropy": baselines.normalised_entropy(length),
        "diagonal": baselines.mean_diagonal(length),
        "previous": baselines.mean_previous(length),
        "distance": baselines.mean_distance(length),
    }
    return {name: Fraction(int(value.p), int(value.q)) for name, value in values.items()}


@decides("profile-is-third-drawing")
def third_drawing(claim: Claim, setting: Setting) -> Finding:
    """Evaluate the four quantities, as they are said to be corrected, at uniform attention."""
    T = int(claim.given["length"])
    uniform = _uniform(T)
    subtracted = {name for name, how in claim.given["corrected"].items() if how == "subtracted"}
    left = {name: uniform[name] * (name not in subtracted) for name in claim.given["corrected"]}
    return judged(
        not any(left.values()),
        "at uniform attention " + ", ".join(f"{name} {shown(value)}" for name, value in left.items()),
        derivation=(
            f"With 1/(i + 1) subtracted, uniform attention would give 0; {sum(map(bool, left.values()))} of "
            f"{len(left)} do not (T = {T}). The entropy is divided by its largest value, not reduced by it."
        ),
    )


@decides("label-thresholds")
def labels(claim: Claim, setting: Setting) -> Finding:
    """Apply the rules in order; a head that meets none must have none of their labels."""
    names = {label for _, _, label in claim.given["rules"]}
    columns = {name: by_head(claim, claim.given["profile"][name]) for name, _, _ in claim.given["rules"]}
    wrong, ruled = [], []
    for head, printed in zip(claim.given["heads"], claim.given["labels"], strict=True):
        met = [label for name, line, label in claim.given["rules"] if columns[name][head] > exact(line)]
        ruled += [f"{head} {met[0]}"] if met else []
        if (met and met[0] != printed) or (not met and printed in names):
            wrong.append(head)
    return judged(
        not wrong,
        "labels: " + ", ".join(ruled) if not wrong else f"not for {', '.join(wrong)}",
        derivation=f"The first rule that is met gives the label; {len(ruled)} heads meet one.",
    )


@decides("profile-gap-12-percent")
def relative_gap(claim: Claim, setting: Setting) -> Finding:
    """Divide the difference by either value."""
    large, small = sorted((exact(one) for one in claim.given["values"]), reverse=True)
    return by_readings(
        claim,
        {
            "the smaller value as the whole": {"gap": (large - small) / small},
            "the larger value as the whole": {"gap": (large - small) / large},
        },
        derivation=f"{shown(large)} - {shown(small)} = {shown(large - small)}.",
    )


@decides("l0h2-below-baseline")
def below_baselines(claim: Claim, setting: Setting) -> Finding:
    """Compare the head with uniform attention."""
    uniform = _uniform(int(claim.given["length"]))
    own = {
        name: by_head(claim, claim.given["profile"][name])[claim.given["head"]]
        for name in ("diagonal", "previous")
    }
    sign = {name: "<" if own[name] < uniform[name] else ">=" for name in own}
    return judged(
        set(sign.values()) == {"<"},
        ", ".join(f"{name} {shown(own[name])} {sign[name]} {shown(uniform[name], 4)}" for name in own),
        derivation="Uniform attention has the diagonal H_T/T and the previous weight (H_T - 1)/T.",
    )


@decides("l1h0-l1h1-gaps")
def two_heads(claim: Claim, setting: Setting) -> Finding:
    """Subtract the profiles and divide what removing the heads costs."""
    first, second = claim.given["pair"]
    gaps = {}
    for name in ("diagonal", "previous"):
        column = by_head(claim, claim.given["profile"][name])
        gaps[name] = abs(column[first] - column[second])
    effect = by_head(claim, claim.given["effect"])
    large, small = max(effect[first], effect[second]), min(effect[first], effect[second])
    return by_readings(
        claim,
        {
            "the smaller effect as the whole": {**gaps, "removal": large / small - 1},
            "the larger effect as the whole": {**gaps, "removal": 1 - small / large},
        },
        derivation=f"Removing them costs {shown(large, 4)} and {shown(small, 4)}.",
    )


@decides("clarity-vs-delta")
def spread_by_layer(claim: Claim, setting: Setting) -> Finding:
    """Divide the largest effect of a layer by its smallest, and the means of the layers."""
    effect = by_head(claim, claim.given["effect"])
    layers = [[value for head, value in effect.items() if head.startswith(layer)] for layer in ("L0", "L1")]
    ratio = (sum(layers[0]) / len(layers[0])) / (sum(layers[1]) / len(layers[1]))
    quoted = [effect[a] / effect[b] - 1 for a, b in claim.given["quoted"]]
    spreads = [max(layer) / min(layer) - 1 for layer in layers]
    return by_readings(
        claim,
        {
            words: {"layer_0": zero, "layer_1": one, "between": ratio}
            for words, (zero, one) in (
                ("the largest and the smallest of each layer", spreads),
                ("the two values that the text quotes for each layer", quoted),
            )
        },
        derivation=(
            "; ".join(f"{shown(max(layer), 4)} / {shown(min(layer), 4)}" for layer in layers)
            + f"; the means are {shown(ratio, 2)} to 1."
        ),
    )


@decides("least-clear-head")
def least_clear(claim: Claim, setting: Setting) -> Finding:
    """Rank the layer's heads by each measure of a pattern that the profile offers."""
    columns = {
        name: by_head(claim, claim.given["profile"][name]) for name in ("entropy", "diagonal", "previous")
    }
    heads = [head for head in claim.given["heads"] if head.startswith(claim.given["layer"])]
    by_entropy = max(heads, key=lambda head: columns["entropy"][head])
    by_weight = min(heads, key=lambda head: max(columns["diagonal"][head], columns["previous"][head]))
    chosen = {"the largest entropy": by_entropy, "the smallest weight on itself or the previous": by_weight}
    named = set(claim.given["named"])
    return judged(
        any({head} == named for head in chosen.values()),
        "; ".join(f"{head} by {words}" for words, head in chosen.items()),
        derivation=(
            "Two heads are named where each measure chooses one: "
            + "; ".join(
                f"{head} has entropy {shown(columns['entropy'][head])} and a weight of "
                f"{shown(max(columns['diagonal'][head], columns['previous'][head]))}"
                for head in claim.given["named"]
            )
            + "."
        ),
    )

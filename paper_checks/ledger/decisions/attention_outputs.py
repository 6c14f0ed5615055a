"""What one head puts out: the definition, the chapter's worked example, and what weights alone do not say."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq, fmpq_mat
from mpmath import exp, mp, mpf, nint, sqrt

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, by_readings, compared, judged
from paper_checks.ledger.printed import exact, numbers, rounds_to, shown
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting

Row = list[mpf]


def attend(
    query: Row, keys: list[Row], digits: int = 40, *, scale: mpf | None = None
) -> tuple[Row, Row, Row]:
    """Return exponentials, weights and output of one query; keys are values.

    Scores are divided by `scale`, the root of the keys' size by default; they and their exponentials are
    rounded to `digits` decimals.
    """
    with mp.workdps(50):
        divisor = sqrt(mpf(len(query))) if scale is None else scale
        products = [sum(q * k for q, k in zip(query, key, strict=True)) for key in keys]
        scores = [_rounded(one / divisor, digits) for one in products]
        exponentials = [_rounded(exp(score), digits) for score in scores]
        weights = [one / sum(exponentials) for one in exponentials]
        columns = zip(*keys, strict=True)
        output = [sum(w * v for w, v in zip(weights, column, strict=True)) for column in columns]
        return exponentials, weights, output


def _rounded(value: mpf, digits: int) -> mpf:
    return nint(value * 10**digits) / mpf(10) ** digits


def _example(claim: Claim) -> tuple[Row, list[Row]]:
    """Return the query and the keys that the source gives."""
    return numbers(claim.given["query"]), [numbers(key) for key in claim.given["keys"]]


def _listed(values: Row) -> str:
    return ", ".join(shown(value) for value in values)


@decides("attention-definition", tried="the chapter's example")
def attention_definition(claim: Claim, setting: Setting) -> Finding:
    """Evaluate the formula on the chapter's example, with the root of d_k and without."""
    query, keys = _example(claim)
    _, weights, output = attend(query, keys)
    unscaled = attend(query, keys, scale=mpf(1))[1]
    printed = [*claim.given["weights"], *claim.given["output"]]
    met = all(rounds_to(one, value) for one, value in zip(printed, [*weights, *output], strict=True))
    between = all(
        min(column) <= one <= max(column) for one, column in zip(output, zip(*keys, strict=True), strict=True)
    )
    return judged(
        met and between and min(weights) > 0,
        f"weights {_listed(weights)} and output ({_listed(output)}) on the chapter's example",
        derivation=(
            "The weights are positive and their sum divides them, so the output lies between the values. "
            f"Without the root they would be {_listed(unscaled)}."
        ),
    )


@decides("extreme-example-sum")
def extreme_example_sum(claim: Claim, setting: Setting) -> Finding:
    """Count the positions that a row summing to 1 leaves for weights of this size."""
    heavy, other = exact(claim.given["heavy"]), exact(claim.given["each_other"])
    left = 1 - heavy
    return judged(
        left / other > 1,
        f"the others share a weight of {shown(left, 2)}, enough for {shown(left / other, 0)} with "
        f"{shown(other, 2)}",
        derivation=(
            f"A row sums to 1: sum over j > 1 of A_ij = 1 - {shown(heavy, 2)} = {shown(left, 2)}. "
            "The rest of the output is the sum of A_ij v_j with these smaller weights."
        ),
    )


@decides("entropy-not-importance", tried="constructed rows of two positions")
def entropy_not_importance(claim: Claim, setting: Setting) -> Finding:
    """Cross both kinds of weights with values that make the head contribute, or not."""
    seen: dict[str, dict[bool, str]] = {}
    for name, printed in claim.given["weights"].items():
        weights = [exact(one) for one in printed]
        for where, rows in claim.given["values"].items():
            output = [
                sum(w * exact(v) for w, v in zip(weights, c, strict=True)) for c in zip(*rows, strict=True)
            ]
            seen.setdefault(name, {}).setdefault(any(output), where)
    free = all(len(outcomes) == 2 for outcomes in seen.values())
    told = [
        f"{name} weights contribute {'something' if does else 'nothing'} with values at {where}"
        for name, outcomes in seen.items()
        for does, where in sorted(outcomes.items())
    ]
    return judged(
        free,
        "; ".join(told),
        derivation="The contribution is sum_j A_ij v_j: both extremes of entropy occur with and without one.",
    )


@decides("softmax-example")
def softmax_example(claim: Claim, setting: Setting) -> Finding:
    """Evaluate the example, from what is printed at each step and without rounding in between."""
    readings = {}
    for words, digits in (
        ("scores and exponentials rounded to three digits, as they are printed", 3),
        ("nothing rounded in between", 40),
    ):
        exponentials, weights, output = attend(*_example(claim), digits)
        readings[words] = {
            "exponentials": exponentials,
            "denominator": sum(exponentials),
            "weights": weights,
            "output": output,
        }
    return by_readings(
        claim, readings, derivation="The exponentials of q.k / sqrt 2, and each over their sum."
    )


@decides("softmax-example-gap")
def softmax_example_gap(claim: Claim, setting: Setting) -> Finding:
    """Compare the example's output with that of equal weights."""
    query, keys = _example(claim)
    output = attend(query, keys)[2][0]
    uniform = sum(key[0] for key in keys) / len(keys)
    gap = output - uniform
    return compared(
        claim,
        {"uniform": uniform, "difference": gap, "relative": gap / uniform},
        derivation="Equal weights average the keys; the relative gap is the difference over that average.",
    )


def _rational(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


@decides("rank-one-wv-constant-output")
def rank_one_values(claim: Claim, setting: Setting) -> Finding:
    """Ask whether a linear map can send every input to one vector, and what happens when it does not.

    A map to one direction sends x to (x . u) times it, so all values are equal only if x . u = 1 for each
    input: the ranks of the inputs with and without a column of ones say whether such a u exists.
    """
    rows = [[exact(one) for one in key] for key in claim.given["keys"]]
    inputs = fmpq_mat([[_rational(one) for one in row] for row in rows])
    extended = fmpq_mat([[*(_rational(one) for one in row), fmpq(1)] for row in rows])
    possible = inputs.rank() == extended.rank()
    lengths = [sum(row) for row in rows]  # u = (1, 1), the shortest example
    weights = attend(*_example(claim))[1]
    attended = sum(w * mpf(c.numerator) / c.denominator for w, c in zip(weights, lengths, strict=True))
    uniform = sum(lengths) / Fraction(len(lengths))
    return judged(
        possible,
        f"outputs ({shown(attended)}, 0) with the example's weights, ({shown(uniform)}, 0) with equal ones",
        derivation=(
            "One direction is not one vector: the output is (sum_j A_ij c_j)(1, 0) with c_j = x_j . u. "
            + ("All c_j can be 1 here." if possible else "No u makes all c_j equal to 1 for these inputs.")
        ),
        convention="Here u = (1, 1). The direction is the same for all weights; the length is not.",
    )

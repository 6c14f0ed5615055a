"""Worked examples of the attention chapter, done again from their own inputs."""

from __future__ import annotations

from mpmath import exp, mp, mpf, nint, sqrt

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, by_readings, compared
from paper_checks.ledger.printed import numbers
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting

Row = list[mpf]


def attend(query: Row, keys: list[Row], digits: int = 40) -> tuple[Row, Row, Row]:
    """Return exponentials, weights and output of one query, scores rounded to `digits`; keys are values."""
    with mp.workdps(50):
        products = [sum(q * k for q, k in zip(query, key, strict=True)) for key in keys]
        scores = [nint(one / sqrt(mpf(len(query))) * 10**digits) / mpf(10) ** digits for one in products]
        exponentials = [exp(score) for score in scores]
        weights = [one / sum(exponentials) for one in exponentials]
        columns = zip(*keys, strict=True)
        output = [sum(w * v for w, v in zip(weights, column, strict=True)) for column in columns]
        return exponentials, weights, output


def _example(claim: Claim) -> tuple[Row, list[Row]]:
    """Return the query and the keys that the source gives."""
    return numbers(claim.given["query"]), [numbers(key) for key in claim.given["keys"]]


@decides("softmax-example")
def softmax_example(claim: Claim, setting: Setting) -> Finding:
    """Evaluate the example, with the scores as printed and without rounding in between."""
    readings = {}
    for words, digits in (("the scores rounded to the three digits printed", 3), ("exact scores", 40)):
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

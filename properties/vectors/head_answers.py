"""What the vectors expect of a layer of heads, and of a split of rows for a probe.

* multi_head_output: softmax(q k^T / sqrt(k)) v W_O, summed over the heads that are kept. Scores are fractions
  but for the root; a row of equal scores has the softmax 1/(t+1), and where all rows are such the output is a
  fraction. Any other is evaluated at 150 digits.
* probe_split: many splits are right, so the answer is what they have in common. Which rows belong together
  and how many sequences may be tested follow from the call; a right
  implementation makes the same split from all seeds with a probability of 2^-60 at most.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from properties.heads_cases import HeadsCase
from properties.laws.head_ablation import bounded_output
from properties.laws.probe_split import fewest_and_most
from properties.tolerances import draws_to_differ
from properties.vectors.number_text import Answer, Params, decimal, floats, fractions, rational


def multi_head_output(params: Params) -> dict[str, Answer]:
    """Return the answer to a call of multi_head_output."""
    weights = {name: fractions(value) for name, value in params["weights"].items()}
    stream, ablated = fractions(params["stream"]), params["ablated"]
    kept = [
        {name: array[head] for name, array in weights.items()}
        for head in range(len(weights["W_Q"]))
        if head not in ablated
    ]
    maps = [[_attention(h, head) for head in kept] for h in stream]
    as_fractions = all(isinstance(a, Fraction) for of_row in maps for A in of_row for a in A.flat)
    number = _identity if as_fractions else _real
    nothing = number(np.full(stream[0].shape, Fraction(0)))
    value = [
        sum(
            (_moved(number(h), head, number(A), number) for head, A in zip(kept, of_row, strict=True)),
            nothing,
        )
        for h, of_row in zip(stream, maps, strict=True)
    ]
    case = HeadsCase(
        **{name: floats(array) for name, array in params["weights"].items()}, stream=floats(params["stream"])
    )
    made = rational if as_fractions else decimal
    return {"multi_head_output": made(value, lambda dtype: bounded_output(case, ablated, dtype)[1])}


def _attention(h: np.ndarray, head: dict[str, np.ndarray]) -> np.ndarray:
    """Return a head's map [T, T] on a stream [T, d]: fractions in rows of equal scores, else real numbers."""
    T, width = len(h), head["W_Q"].shape[1]
    scores = h.dot(head["W_Q"]).dot(h.dot(head["W_K"]).T)
    A = np.full((T, T), Fraction(0), dtype=object)
    for t in range(T):
        seen = scores[t, : t + 1]
        if len(set(seen)) == 1:
            A[t, : t + 1] = Fraction(1, t + 1)
        else:
            weights = [mpmath.exp(_real(score - max(seen)) / mpmath.sqrt(width)) for score in seen]
            A[t, : t + 1] = [weight / sum(weights) for weight in weights]
    return A


def _moved(h: np.ndarray, head: dict[str, np.ndarray], A: np.ndarray, number: Any) -> np.ndarray:
    moved: np.ndarray = A.dot(h.dot(number(head["W_V"]))).dot(number(head["W_O"]))
    return moved


def _identity(value: Any) -> Any:
    return value


def _real(value: Any) -> Any:
    """Return fractions, in an array or alone, as real numbers of 150 digits; real numbers stay."""
    if isinstance(value, np.ndarray):
        return np.array([[_real(entry) for entry in row] for row in value], dtype=object)
    return mpmath.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def probe_split(params: Params) -> dict[str, Answer]:
    """Return what every right answer to a call of probe_split has in common."""
    sequences = params["sequences"]
    numbers = sorted(set(sequences))
    least, most = fewest_and_most(len(numbers), Fraction(params["share"]))
    answer: Answer = {
        "kind": "split",
        "together": [[row for row, other in enumerate(sequences) if other == number] for number in numbers],
        "least": least,
        "most": most,
    }
    choices = min(math.comb(len(numbers), tested) for tested in range(least, most + 1))
    seeds = range(params["seed"], params["seed"] + draws_to_differ(choices))
    return {"probe_split": {**answer, "seeds": list(seeds)}}

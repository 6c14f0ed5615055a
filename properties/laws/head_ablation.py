"""Removing a head where it is still one: at the input of the output projection.

The output of an attention layer is a sum of one term a head. Without head i it is the whole less that term,
which does not depend on the head's weights any more. Zeroing a slice of the output instead removes a part of
what every head wrote. Only W_Q W_K^T and W_V W_O matter to a head: a change of the basis in which queries and
keys meet, or values and output, changes nothing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection
from typing import Any

import numpy as np

from properties.check import Check, Comparison, Law, NotAdmitted, Outcome
from properties.heads_cases import HEADS, HeadsCase
from properties.laws.given import given_check
from properties.rounded import Rounded, exact, softmax, total
from properties.target import Target


def _bounded_terms(case: HeadsCase, dtype: str) -> list[list[Rounded]]:
    """Return [sequence][head] what each head adds to the stream, with its error bound."""
    return [[_bounded_term(case, head, h, dtype) for head in range(case.heads)] for h in case.stream]


def _bounded_term(case: HeadsCase, head: int, h: np.ndarray, dtype: str) -> Rounded:
    stream = exact(h, dtype)
    W_Q, W_K, W_V, W_O = (exact(case.weights[name][head], dtype) for name in ("W_Q", "W_K", "W_V", "W_O"))
    scores = (stream @ W_Q) @ (stream @ W_K).T
    scores = scores.times(1 / math.sqrt(W_Q.value.shape[-1]))
    A = softmax(scores, np.tril(np.ones(scores.value.shape, dtype=bool)))
    return A @ (stream @ W_V) @ W_O


def bounded_output(case: HeadsCase, ablated: Collection[int], dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Return [N, T, d] what the heads that are not `ablated` add to the stream, and its rounding bound.

    The heads may be summed in one product of H k terms, removed ones as zeros: gamma(H k) for gamma(k), so H
    times the error of a term; and twice, as the values may be projected before they are gathered or after.
    """
    nothing = exact(np.zeros(case.stream.shape[1:]), dtype)
    kept = [
        total([nothing, *(term for head, term in enumerate(terms) if head not in ablated)])
        for terms in _bounded_terms(case, dtype)
    ]
    bound = 2 * case.heads * np.array([one.error for one in kept])
    return np.array([one.value for one in kept]), bound


def _compared(target: Target, case: HeadsCase, ablated: tuple[int, ...], name: str) -> Comparison:
    got = target.multi_head_output(case.weights, case.stream, ablated)
    return Comparison(name, got, *bounded_output(case, ablated, target.dtype))


def _whole(target: Target, case: HeadsCase) -> Outcome:
    yield _compared(target, case, (), "output of all heads")


def _one(target: Target, case: HeadsCase) -> Outcome:
    for head in range(case.heads):
        yield _compared(target, case, (head,), f"output without head {head}")


def _two(target: Target, case: HeadsCase) -> Outcome:
    """Every pair, the later one named first: a range from one to the other holds a third head."""
    if case.heads < 2:
        raise NotAdmitted("one head is no pair")
    for first, second in itertools.combinations(range(case.heads), 2):
        yield _compared(target, case, (second, first), f"output without heads {second} and {first}")


def _arguments(case: HeadsCase) -> dict[str, Any]:
    """Return what is handed over, the last head before the first, so that a list that is sorted shows.

    A head that is removed in the weights themselves would be missing from whatever is asked next.
    """
    removed = sorted({case.heads - 1, 0}, reverse=True)
    return {"the weights": dict(case.weights), "the stream": case.stream.copy(), "the heads": removed}


def _all(target: Target, case: HeadsCase) -> Outcome:
    got = target.multi_head_output(case.weights, case.stream, tuple(range(case.heads)))
    yield Comparison("output without any head", got, np.zeros_like(case.stream), 0.0)


def _forgotten(target: Target, case: HeadsCase) -> Outcome:
    """What is removed does not depend on the weights of the removed head."""
    other = {name: value.copy() for name, value in case.weights.items()}
    for value in other.values():
        value[0] = value[0][::-1] + 1
    plain = target.multi_head_output(case.weights, case.stream, (0,))
    changed = target.multi_head_output(other, case.stream, (0,))
    yield Comparison("output without head 0, whatever its weights", changed, plain, 0.0)


def _basis(target: Target, case: HeadsCase) -> Outcome:
    """W_Q M with W_K M^-T, and W_V M with M^-1 W_O, for M a permutation with signed powers of two."""
    k = case.weights["W_Q"].shape[-1]
    rng = np.random.default_rng(k)
    scale = rng.choice([-2.0, -0.5, 0.5, 2.0], k)
    order = np.eye(k)[rng.permutation(k)]
    M, inverse = order * scale, order.T / scale[:, None]
    changed = {
        "W_Q": case.weights["W_Q"] @ M,
        "W_K": case.weights["W_K"] @ inverse.T,
        "W_V": case.weights["W_V"] @ M,
        "W_O": inverse @ case.weights["W_O"],
    }
    plain = _compared(target, case, (), "")
    got = target.multi_head_output(changed, case.stream, ())
    yield Comparison("output in another basis", got, plain.expected, plain.bound)


def _check(name: str, statement: str, law: Law) -> Check:
    return Check(
        id=f"ablation.{name}",
        statement=statement,
        source="attention-chapter, sec. 4.5.2 and 4.1.7; circuits-notes; derived here",
        cases=HEADS,
        law=law,
        needs=("multi_head_output",),
        cost=2,
    )


CHECKS = (
    _check(
        "all_heads",
        "A layer of attention adds softmax(q k^T / sqrt(k)) v W_O, summed over its heads.",
        _whole,
    ),
    _check(
        "one_head",
        "Without a head the output is the sum of the other heads' terms.",
        _one,
    ),
    _check("two_heads", "Without two heads the output is the sum of the other heads' terms.", _two),
    _check("no_head", "Without any head the output is zero.", _all),
    _check(
        "forgotten", "What is left of a layer does not depend on the weights of a removed head.", _forgotten
    ),
    given_check(
        "ablation.given",
        "multi_head_output",
        "Removing a head leaves the weights, the stream and the list of heads as they were given.",
        HEADS,
        _arguments,
        cost=2,
    ),
    _check(
        "basis_free",
        "A change of the basis in which queries meet keys, or values the output, changes nothing.",
        _basis,
    ),
)

"""What the vectors expect: exact rationals where there are, else decimals by another route than any room's.

* statistics: `theory.exact_statistics`, rational arithmetic on the literal one-hot definitions.
* remove_projection, the induction scores, the profile but for its entropy: fractions, by the formula.
* logits, attention, loss: the model at 150 digits (`properties.arbitrary_precision`).
* gradients and train: the derivative of that loss by the complex step, right to more than 100 digits. Before
  a parameter starts to move (W_O after no step, V after one, W and P after two) it is exactly zero, and after
  one step W_O is rate * B_bar (paper, Lemma D.4), so these are rationals.
* entropy and composition_score: logarithms and square roots of fractions at 150 digits.
* multi_head_output and probe_split: `properties.vectors.head_answers`.

Decimals have `number_text.SHOWN` significant digits. Each answer carries how far a float64 or float32
implementation may be off, entry by entry, by the rounding analysis that the checks use, rounded up to three
digits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath
import numpy as np

from properties.arbitrary_precision import DIGITS, Key, forward, loss, numeric_descent, parameter_keys, slopes
from properties.cases import MatrixCase
from properties.laws.composition import composition_bound
from properties.laws.interventions import projection_bound
from properties.rounded_model import given, passes, stacked
from properties.rounded_model import loss as rounded_loss
from properties.rounded_model import slopes as rounded_slopes
from properties.rounded_model import train as rounded_train
from properties.statistics_bounds import statistics_magnitudes
from properties.tolerances import ELEMENTARY_ULPS, rounding
from properties.vectors.head_answers import multi_head_output, probe_split
from properties.vectors.number_text import Answer, Params, decimal, floats, fractions, rational
from theory.orders import first_steps
from theory.statistics import exact_statistics

GROUPS = ("W_O", "V", "W", "P")


def _statistics(params: Params) -> dict[str, Answer]:
    tokens, V = params["tokens"], params["vocab_size"]
    magnitudes = statistics_magnitudes(np.array(tokens, dtype=np.int64), V)
    found = {}
    for name, matrix in exact_statistics(tokens, V).items():
        value = matrix.entries() if name == "Delta_bar" else matrix.tolist()
        found[name] = rational(value, magnitudes[name].bound)
    return found


def _at(params: Params) -> tuple[list[list[int]], int, int, dict[Key, Any]]:
    """Return tokens, V, L and the parameters as the arbitrary-precision model takes them."""
    tokens, groups = (
        params["tokens"],
        {name: fractions(value) for name, value in params["parameters"].items()},
    )
    V, L, T = len(groups["W_O"]), len(groups["V"]), len(tokens[0]) - 1
    at = {}
    for group, layer, i, j in parameter_keys(V, T, L):
        part = groups[group] if group == "W_O" else groups[group][layer]
        value = part[i] if group == "P" else part[i, j]
        at[group, layer, i, j] = mpmath.mpf(value.numerator) / value.denominator
    return tokens, V, L, at


def _grouped(at: Mapping[Key, Any], V: int, T: int, L: int) -> dict[str, Any]:
    square = [(i, j) for i in range(V) for j in range(V)]

    def matrix(group: str, layer: int) -> list[list[Any]]:
        entries = iter([at[group, layer, i, j] for i, j in square])
        return [[next(entries) for _ in range(V)] for _ in range(V)]

    return {
        "W_O": matrix("W_O", 0),
        "V": [matrix("V", layer) for layer in range(L)],
        "W": [matrix("W", layer) for layer in range(L)],
        "P": [[at["P", layer, d, 0] for d in range(T)] for layer in range(L)],
    }


def _model_floats(params: Params) -> tuple[dict[str, np.ndarray], np.ndarray]:
    parameters = {name: floats(value) for name, value in params["parameters"].items()}
    return parameters, np.array(params["tokens"], dtype=np.int64)


def _logits(params: Params) -> dict[str, Answer]:
    tokens, V, L, at = _at(params)
    value = [forward(row, V, L, at)[1] for row in tokens]
    known = _model_floats(params)
    return {"logits": decimal(value, lambda dtype: [one.F.error for one in passes(*known, dtype)])}


def _attention(params: Params) -> dict[str, Answer]:
    tokens, V, L, at = _at(params)
    maps = [forward(row, V, L, at)[0] for row in tokens]
    value = [[of_row[layer] for of_row in maps] for layer in range(L)]
    known = _model_floats(params)

    def bound(dtype: str) -> Any:
        passed = passes(*known, dtype)
        return [[one.A[layer].error for one in passed] for layer in range(L)]

    return {"attention": decimal(value, bound)}


def _loss(params: Params) -> dict[str, Answer]:
    parameters, tokens = _model_floats(params)
    return {
        "loss": decimal(loss(*_at(params)), lambda dtype: rounded_loss(given(parameters, dtype), tokens)[1])
    }


def _gradients(params: Params) -> dict[str, Answer]:
    tokens, V, L, at = _at(params)
    found = _grouped(slopes(tokens, V, L, at), V, len(tokens[0]) - 1, L)
    known = _model_floats(params)

    def bound(group: str) -> Callable[[str], Any]:
        return lambda dtype: stacked(rounded_slopes(*known, dtype), group)[1]

    return {group: decimal(found[group], bound(group)) for group in GROUPS}


def _train(params: Params) -> dict[str, Answer]:
    tokens, V, L, steps = (params[name] for name in ("tokens", "vocab_size", "layers", "steps"))
    rate, T = Fraction(params["rate"]), len(tokens[0]) - 1
    array = np.array(tokens, dtype=np.int64)
    shapes = {"W_O": (V, V), "V": (L, V, V), "W": (L, V, V), "P": (L, T)}
    starts = first_steps(L)
    found = {}
    moved: dict[str, Any] = {}
    if rate and steps > 1:
        exact_rate = mpmath.mpf(rate.numerator) / rate.denominator
        moved = _grouped(numeric_descent(tokens, V, L, steps, exact_rate), V, T, L)
    for group in GROUPS:

        def bound(dtype: str, group: str = group) -> Any:
            return stacked(rounded_train(array, V, L, float(rate), steps, dtype), group)[1]

        if not rate or steps < starts[group]:
            found[group] = rational(np.full(shapes[group], Fraction(0)), bound)
        elif group == "W_O" and steps == 1:
            B_bar = exact_statistics(tokens, V)["B_bar"].tolist()
            value = [[Fraction(int(b.p), int(b.q)) * rate for b in row] for row in B_bar]
            found[group] = rational(value, bound)
        else:
            found[group] = decimal(moved[group], bound)
    return found


def _remove_projection(params: Params) -> dict[str, Answer]:
    W, D = fractions(params["weight"]), fractions(params["direction"])
    square = (D * D).sum()
    rest = W - (W * D).sum() / square * D if square else W
    case = MatrixCase(W.astype(np.float64), D.astype(np.float64), scale=1.0)
    return {"remove_projection": rational(rest, lambda dtype: projection_bound(case, dtype))}


def _head_profile(params: Params) -> dict[str, Answer]:
    A = fractions(params["attention"])
    T = len(A)
    rows = range(T)
    entropy = mpmath.mpf(0)
    for t in rows[1:]:
        row = [mpmath.mpf(a.numerator) / a.denominator for a in A[t] if a]
        entropy -= sum(a * mpmath.log(a) for a in row) / mpmath.log(t + 1)
    exact = {
        "diagonal": sum(A[t, t] for t in rows) / Fraction(T),
        "previous": sum((A[t, t - 1] for t in rows[1:]), Fraction(0)) / T,
        "distance": sum((A[t, k] * (t - k) for t in rows for k in rows), Fraction(0)) / T,
    }
    shares = {name: rational(value, partial(_metric_bound, value, T)) for name, value in exact.items()}
    return {"entropy": decimal(entropy / T, partial(_metric_bound, entropy / T, T)), **shares}


def _induction_score(params: Params) -> dict[str, Answer]:
    A, period = fractions(params["attention"]), params["period"]
    T = len(A)
    score = sum(A[t, t - period + 1] for t in range(period, T)) / Fraction(T - period)
    return {"induction_score": rational(score, lambda dtype: _metric_bound(score, T, dtype))}


def _sequence_induction_score(params: Params) -> dict[str, Answer]:
    A, tokens = fractions(params["attention"]), params["tokens"]
    T = len(tokens)
    targets = [[k for k in range(1, t + 1) if tokens[k - 1] == tokens[t]] for t in range(T)]
    weights = [sum(A[t, k] for k in keys) for t, keys in enumerate(targets) if keys]
    score = sum(weights) / Fraction(len(weights))
    return {"sequence_induction_score": rational(score, lambda dtype: _metric_bound(score, T, dtype))}


def _metric_bound(value: Any, T: int, dtype: str) -> np.ndarray:
    """A sum of products of at most T^2 entries, each rounded as it is given, and taken through log twice."""
    return rounding(float(value), T * T + 5 + 2 * ELEMENTARY_ULPS, dtype)


def _composition_score(params: Params) -> dict[str, Answer]:
    first, second = fractions(params["first"]), fractions(params["second"])
    product = first.dot(second)
    size = (first * first).sum() * (second * second).sum()
    squared = Fraction((product * product).sum()) / size if size else Fraction(0)
    score = mpmath.sqrt(mpmath.mpf(squared.numerator) / squared.denominator)
    larger = max((first, second), key=np.size).astype(np.float64)
    case = MatrixCase(larger, larger, scale=1.0)
    value, made = (squared, rational) if squared in (0, 1) else (score, decimal)
    return {
        "composition_score": made(value, lambda dtype: max(larger.shape) * composition_bound(case, dtype))
    }


METHODS: dict[str, Callable[[Params], dict[str, Answer]]] = {
    "statistics": _statistics,
    "logits": _logits,
    "attention": _attention,
    "loss": _loss,
    "gradients": _gradients,
    "train": _train,
    "remove_projection": _remove_projection,
    "head_profile": _head_profile,
    "induction_score": _induction_score,
    "sequence_induction_score": _sequence_induction_score,
    "composition_score": _composition_score,
    "multi_head_output": multi_head_output,
    "probe_split": probe_split,
}


def expected(method: str, params: Params) -> dict[str, Answer]:
    """Return each answer of a method by name; one that is no mapping has the name of the method."""
    with mpmath.workdps(DIGITS):
        return METHODS[method](params)

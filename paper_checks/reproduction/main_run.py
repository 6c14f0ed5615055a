"""The main run: full-batch descent from zero in float64 and float32, every prediction beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import repeat

import numpy as np

from paper_checks.fastest import pair_sums_of, statistics_of
from paper_checks.reproduction import descent
from paper_checks.reproduction.descent import Parameters
from paper_checks.reproduction.plan import Plan
from paper_checks.reproduction.rows import Row, over
from properties.checkpoint_bands import by_layer
from properties.predictions.ablation import factors
from properties.predictions.alignment import deviation, layer_spread
from properties.predictions.attention import score_scale
from properties.predictions.expansion import GROUPS, Directions, amounts, expansion
from properties.predictions.loss import loss_numbers, loss_terms
from properties.predictions.random_groups import deal
from properties.predictions.sampling import leading_directions
from reference.alignment import cosine
from reference.effects import along, loss_change
from reference.statistics import uniform_attention

PART = "main run"


class Laboratory:
    """A corpus, its statistics and directions: what all runs share."""

    def __init__(self, tokens: np.ndarray, vocab_size: int) -> None:
        self.tokens, self.V, self.T = tokens, vocab_size, tokens.shape[1] - 1
        self.statistics = statistics_of(tokens, vocab_size)
        self.leading = leading_directions(tokens, self.statistics)
        self.directions: dict[str, Directions] = expansion(tokens, vocab_size, pair_sums_of())

    def weights(self, layers: int) -> list[tuple[str, int, str]]:
        """Return (group, layer, name) of every weight."""
        return [
            (g, n, g if g == "W_O" else f"{g} {n}")
            for g in GROUPS
            for n in range(1 if g == "W_O" else layers)
        ]


def final(lab: Laboratory, layers: int, rate: float, steps: int, dtype: str) -> Parameters:
    """Return the parameters after full-batch descent from zero."""
    start = descent.zeros(lab.V, lab.T, layers)
    by = descent.implementation(dtype)
    return descent.last(descent.descend(by, repeat(lab.tokens, steps), start, rate, dtype))


def rows(lab: Laboratory, plan: Plan, both: dict[str, Parameters]) -> Iterator[Row]:
    """Yield the rows of the main run, given its parameters in each number type."""
    yield from _weights(lab, plan, both)
    yield from _sample(lab, plan, both)
    yield _loss(lab, plan, both)
    yield from _effects(lab, plan, both)
    yield from _attention(lab, plan, both)


def turned(one: np.ndarray, other: np.ndarray) -> float:
    """Return 1 - cos of two of one shape as half the squared distance of the units; nan of zeros."""
    a, b = one.astype(np.float64), other.astype(np.float64)
    if not (a.any() and b.any()):
        return math.nan
    a, b = a / np.abs(a).max(), b / np.abs(b).max()
    return float(np.linalg.norm(a / np.linalg.norm(a) - b / np.linalg.norm(b)) ** 2 / 2)


def _weights(lab: Laboratory, plan: Plan, both: dict[str, Parameters]) -> Iterator[Row]:
    for group, layer, name in lab.weights(plan.layers):
        found = deviation(group, lab.directions[group], plan.rate, plan.steps, layer, plan.layers)
        measured = [by_layer(group, p[group])[layer].astype(np.float64) for p in both.values()]
        leading = amounts(group, plan.rate, plan.steps, layer, plan.layers)[0] * lab.leading[group]
        size = float(np.linalg.norm(leading))
        norms = [float(np.linalg.norm(one)) for one in measured]
        yield Row(PART, "norm", name, found.leading_norm, found.norm, *norms)
        apart = [over(float(np.linalg.norm(one - leading)), size) for one in measured]
        beyond = lab.directions[group].combined(
            _without_leading(amounts(group, plan.rate, plan.steps, layer, plan.layers))
        )
        yield Row(
            PART, "error of the leading term", name, 0.0, over(float(np.linalg.norm(beyond)), size), *apart
        )
        yield Row(PART, "1 - cos", name, 0.0, found.cosine_loss, *(turned(one, leading) for one in measured))
    for group in GROUPS[1:]:
        predicted = layer_spread(group, lab.directions[group], plan.rate, plan.steps, plan.layers)
        yield Row(
            PART, "spread of the layers", group, 0.0, predicted, *(spread(p[group]) for p in both.values())
        )


def _without_leading(c: np.ndarray) -> np.ndarray:
    return np.concatenate([[0.0], c[1:]])


def spread(layers: np.ndarray) -> float:
    """Return the largest distance of a layer [L, ...] from the mean, over its length; 0 for one layer.

    nan where the mean has no length.
    """
    value = layers.astype(np.float64)
    mean = value.mean(axis=0)
    far = max(float(np.linalg.norm(one - mean)) for one in value)
    return over(far, float(np.linalg.norm(mean)))


def chosen_sample(lab: Laboratory, plan: Plan) -> np.ndarray:
    """Return the sequences [n, T+1] whose statistics stand beside the trained weights."""
    chance = np.random.default_rng([plan.seed, 1])
    return np.asarray(lab.tokens[chance.permutation(len(lab.tokens))[: plan.sample]])


def _sample(lab: Laboratory, plan: Plan, both: dict[str, Parameters]) -> Iterator[Row]:
    """1 - cos with the statistics of a sample: predicted from other samples, by random groups."""
    chosen = chosen_sample(lab, plan)
    of_sample = leading_directions(chosen, statistics_of(chosen, lab.V))
    dealt = deal(
        lab.tokens,
        lab.V,
        lab.leading,
        sample=plan.sample,
        groups=len(lab.tokens) // plan.sample,
        seed=plan.seed,
        statistics=statistics_of,
    )
    for group, _, name in lab.weights(1):
        predicted, low, high = (
            dealt.scatter[group].noise(plan.sample).cosine(plan.sample, len(lab.tokens), nested=True)
        )
        measured = {
            dtype: turned(by_layer(group, p[group])[0], of_sample[group]) for dtype, p in both.items()
        }
        yield Row(
            PART,
            f"1 - cos, statistics of {plan.sample}",
            name,
            None,
            predicted,
            measured["float64"],
            measured.get("float32"),
            low,
            high,
        )


def _loss(lab: Laboratory, plan: Plan, both: dict[str, Parameters]) -> Row:
    frequency = np.bincount(lab.tokens[:, :-1].ravel(), minlength=lab.V) / lab.tokens[:, 1:].size
    numbers = loss_numbers(lab.statistics["B_bar"], frequency, lab.leading["V"])
    terms = loss_terms(numbers, plan.rate, plan.steps, plan.layers)
    measured = [
        descent.implementation(dtype).loss(p, lab.tokens) - math.log(lab.V) for dtype, p in both.items()
    ]
    return Row(PART, "fall of the loss", "", -terms[1], -sum(terms[1:]), *(-one for one in measured))


def _effects(lab: Laboratory, plan: Plan, both: dict[str, Parameters]) -> Iterator[Row]:
    """Without one leading term: in float64 to the last digit, in float32 the difference of two losses."""
    amount = factors(plan.rate, plan.steps)
    for group, layer, name in lab.weights(plan.layers):
        predicted = amount[group] * float((lab.leading[group] ** 2).sum())
        measured = []
        for dtype, p in both.items():
            wide = {g: value.astype(np.float64) for g, value in p.items()}
            change = {group: np.zeros_like(wide[group])}
            at = ... if group == "W_O" else layer
            change[group][at] = -along(wide[group][at], lab.leading[group])
            if dtype == "float64":
                measured.append(loss_change(wide, change, lab.tokens))
            else:
                by = descent.implementation(dtype)
                without = {**p, group: (wide[group] + change[group]).astype(dtype)}
                measured.append(by.loss(without, lab.tokens) - by.loss(p, lab.tokens))
        yield Row(PART, "rise without it", name, predicted, predicted, *measured)


def _attention(lab: Laboratory, plan: Plan, both: dict[str, Parameters]) -> Iterator[Row]:
    """Of the first layer, A 0; what is predicted is the same in all."""
    scale = score_scale(lab.statistics, lab.tokens, plan.rate, plan.steps)
    visible = np.tril(np.ones((lab.T, lab.T), dtype=bool))
    moved = []
    for dtype, p in both.items():
        by = descent.implementation(dtype)
        even = by.attention({g: np.zeros_like(value) for g, value in p.items()}, lab.tokens[:1])[0, 0]
        A = by.attention(p, lab.tokens)[0].astype(np.float64)
        moved.append(A - (uniform_attention(lab.T) if dtype == "float64" else even.astype(np.float64)))
    largest = [float(np.abs(one).max()) for one in moved]
    rms = [float(np.sqrt((one[:, visible] ** 2).mean())) for one in moved]
    yield Row(PART, "largest |A - A0|", "A 0", scale.departure_largest, scale.departure_largest, *largest)
    yield Row(PART, "rms of A - A0", "A 0", scale.departure_rms, scale.departure_rms, *rms)


def cosines(lab: Laboratory, parameters: Parameters, layers: int) -> dict[str, float]:
    """Return the cosine of every weight with its leading term."""
    return {
        name: cosine(by_layer(group, parameters[group])[layer].astype(np.float64), lab.leading[group])
        for group, layer, name in lab.weights(layers)
    }

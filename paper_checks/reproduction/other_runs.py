"""Beyond the main run: until the theory fails, other starts, batches that change, and other depths."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import repeat

import numpy as np

from paper_checks.fastest import pair_sums_of
from paper_checks.reproduction import descent
from paper_checks.reproduction.main_run import Laboratory, cosines, final, spread, turned
from paper_checks.reproduction.plan import Plan
from paper_checks.reproduction.rows import LAST_STEP, Row, over
from properties.checkpoint_bands import by_layer
from properties.predictions.alignment import deviation, horizon_is_known, last_step_aligned, layer_spread
from properties.predictions.expansion import GROUPS, amounts
from properties.predictions.general_descent import leading_terms_of_batches

LEVELS = (0.99, 0.9, 0.7)
STARTS = (1e-4, 1e-6, 1e-8)
DEPTHS = (2, 4)
ORDERS = 2

Told = Callable[[str, int, int], None]
Watch = Callable[[int, descent.Parameters], None]


def until_failure(
    lab: Laboratory, plan: Plan, told: Told, watch: Watch = lambda step, at: None
) -> Iterator[Row]:
    """Descend at the large rate until every matrix has lost the lowest level, or the steps end.

    A level that is not lost in time is told as infinity. `watch` is given the parameters after each step.
    """
    start = descent.zeros(lab.V, lab.T, plan.layers)
    run = descent.descend(
        descent.implementation("float64"),
        repeat(lab.tokens, plan.most_steps),
        start,
        plan.large_rate,
        "float64",
    )
    lost: dict[tuple[str, float], int] = {}
    for step, at in enumerate(run):
        told("until the theory fails", step, plan.most_steps)
        watch(step, at)
        if step < 4:  # scores start to move at the third step
            continue
        for name, found in cosines(lab, at, plan.layers).items():
            for level in LEVELS:
                if not found >= level:
                    lost.setdefault((name, level), step - 1)
        matrices = [name for group, _, name in lab.weights(plan.layers) if group != "P"]
        if all((name, LEVELS[-1]) in lost for name in matrices):
            break
    for group, layer, name in lab.weights(plan.layers):
        for level in LEVELS:
            predicted = last_step_aligned(
                group, lab.directions[group], plan.large_rate, layer, plan.layers, level
            )
            yield Row(
                f"rate {plan.large_rate:g}",
                f"{LAST_STEP}{level:g}",
                name,
                None,
                math.inf if predicted is None else predicted,
                lost.get((name, level), math.inf),
                reliable=horizon_is_known(
                    group, lab.directions[group], plan.large_rate, predicted, layer, plan.layers
                ),
            )


def small_starts(lab: Laboratory, plan: Plan, told: Told) -> Iterator[Row]:
    """From Gaussian starts: whether the leading term leads is a matter of sizes alone.

    A weight is predicted as its start and the terms that it gathers, which is `theory.laws.small_start`
    without what V's and W_O's starts teach the others.
    """
    for n, size in enumerate(STARTS):
        told("Gaussian starts", n, len(STARTS))
        start = descent.gaussian(lab.V, lab.T, plan.layers, size, plan.seed)
        batches = repeat(lab.tokens, plan.short_steps)
        by = descent.implementation("float64")
        last = descent.last(descent.descend(by, batches, start, plan.large_rate, "float64"))
        for group, layer, name in lab.weights(1):
            c = amounts(group, plan.large_rate, plan.short_steps, layer, plan.layers)
            both = by_layer(group, start[group])[layer] + lab.directions[group].combined(c)
            predicted = turned(both, lab.leading[group])
            measured = turned(by_layer(group, last[group])[layer], lab.leading[group])
            yield Row(f"start {size:g}", "1 - cos", name, 0.0, predicted, measured)


def changing_batches(lab: Laboratory, plan: Plan, told: Told) -> Iterator[Row]:
    """Batches of a quarter of the sequences, in orders of their own: relative distance from each law.

    `leading` is the distance of the general law from the full-batch one; what is measured is the distance of
    the run from the general law, which predicts what the terms beyond the leading ones add.
    """
    quarter = len(lab.tokens) // 4
    for order in range(ORDERS):
        told("changing batches", order, ORDERS)
        batches = [
            lab.tokens[chosen]
            for epoch in range(max(1, plan.short_steps // 4))
            for chosen in np.split(
                np.random.default_rng([plan.seed, order, epoch]).permutation(len(lab.tokens))[: 4 * quarter],
                4,
            )
        ]
        law = leading_terms_of_batches(batches, lab.V, lab.T, plan.large_rate, pair_sums_of())
        start, by = descent.zeros(lab.V, lab.T, plan.layers), descent.implementation("float64")
        last = descent.last(descent.descend(by, iter(batches), start, plan.large_rate, "float64"))
        for group, layer, name in lab.weights(1):
            c = amounts(group, plan.large_rate, len(batches), layer, plan.layers)
            full, size = c[0] * lab.leading[group], float(np.linalg.norm(law[group]))
            beyond = lab.directions[group].combined(np.concatenate([[0.0], c[1:]]))
            measured = by_layer(group, last[group])[layer] - law[group]
            part = f"batches, order {order}"
            yield Row(
                part,
                "distance from the law of batches",
                name,
                None,
                over(float(np.linalg.norm(beyond)), size),
                over(float(np.linalg.norm(measured)), size),
            )
            yield Row(
                part,
                "distance from the full-batch law",
                name,
                None,
                over(float(np.linalg.norm(law[group] + beyond - full)), size),
                over(float(np.linalg.norm(by_layer(group, last[group])[layer] - full)), size),
            )


def other_depths(lab: Laboratory, plan: Plan, told: Told) -> Iterator[Row]:
    """Two and four layers: how far each weight turns, and how far the layers part."""
    for n, layers in enumerate(DEPTHS):
        told("other depths", n, len(DEPTHS))
        last = final(lab, layers, plan.large_rate, plan.short_steps, "float64")
        for group, layer, name in lab.weights(layers):
            found = deviation(group, lab.directions[group], plan.large_rate, plan.short_steps, layer, layers)
            measured = turned(by_layer(group, last[group])[layer], lab.leading[group])
            yield Row(f"{layers} layers", "1 - cos", name, 0.0, found.cosine_loss, measured)
        for group in GROUPS[1:]:
            predicted = layer_spread(group, lab.directions[group], plan.large_rate, plan.short_steps, layers)
            yield Row(f"{layers} layers", "spread of the layers", group, 0.0, predicted, spread(last[group]))

"""Which of the orders that a prediction leaves out make it late, found by descents at small rates.

A weight is a power series in the rate. `properties.predictions` sums its leading order eta^q, the next one
and of eta^(q+2) what a large vocabulary leaves. With r(eta) the weight at the rate eta less that sum,

    r(eta) / eta^(q+2) = m_2 + m_3 eta + m_4 eta^2 + m_5 eta^3 + ...,

in which m_2 is what order q+2 lacks and m_k, beyond, the whole of order q+k. A polynomial of degree 3 through
four small rates gives the first of them; those from m_6 on, which it has not, are small at small rates. The
rates come in pairs of both signs, which tell m_2 and m_4 apart from m_3 and m_5. The sum through order q+k at
the large rate is the prediction with all that it left out up to there: how long that keeps its direction says
which order the prediction lacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

import numpy as np

from paper_checks.reproduction import descent
from paper_checks.reproduction.curves import shown
from paper_checks.reproduction.descent import Parameters
from paper_checks.reproduction.main_run import Laboratory, turned
from paper_checks.reproduction.plan import Plan
from properties.checkpoint_bands import by_layer
from properties.predictions.expansion import amounts

# The small rates over the large one.
SHARES = (-0.2, -0.1, 0.1, 0.2)
BEYOND = (2, 3, 4)  # the orders beyond the leading one through which sums are taken
# The descents go side by side, and of thousands of words they would need gigabytes and hours.
MOST_WORDS = 128


def last_steps_through(lab: Laboratory, plan: Plan, level: float) -> dict[str, dict[str, int | None]]:
    """Return for each weight of `shown`, by k, the last step with a cosine of `level` of its sum through q+k.

    None is a step that does not come in the plan's steps. Nothing is found where a plan does not ask for it,
    or the vocabulary is too large.
    """
    if not plan.left_out or lab.V > MOST_WORDS:
        return {}
    weights = shown(plan.layers)
    found: dict[str, dict[str, int | None]] = {name: {str(k): None for k in BEYOND} for _, _, name in weights}
    for step, at in enumerate(_side_by_side(lab, plan)):
        if step < 4:  # scores start to move at the third step
            continue
        for group, layer, name in weights:
            open_ones = [k for k in BEYOND if found[name][str(k)] is None]
            if not open_ones or not lab.leading[group].any():
                continue
            sums = dict(zip(BEYOND, _sums(lab, plan, at, group, layer, step), strict=True))
            for k in open_ones:
                if not turned(sums[k], lab.leading[group]) <= 1 - level:
                    found[name][str(k)] = step - 1
        if all(last is not None for of in found.values() for last in of.values()):
            break
    return found


def _side_by_side(lab: Laboratory, plan: Plan) -> Iterator[tuple[Parameters, ...]]:
    """Yield the parameters at all small rates after 0, 1, 2, ... steps."""
    runs = [
        descent.descend(
            descent.implementation("float64"),
            repeat(lab.tokens, plan.most_steps),
            descent.zeros(lab.V, lab.T, plan.layers),
            share * plan.large_rate,
            "float64",
        )
        for share in SHARES
    ]
    return zip(*runs, strict=True)


def _sums(
    lab: Laboratory, plan: Plan, at: tuple[Parameters, ...], group: str, layer: int, step: int
) -> list[np.ndarray]:
    """Return the weight at the large rate, summed through each order of `BEYOND`: [V, V] each, or [T]."""
    from theory.next_order import ORDER

    directions, q = lab.directions[group], ORDER[group] - 1
    remainders = []
    for share, parameters in zip(SHARES, at, strict=True):
        known = directions.combined(amounts(group, share * plan.large_rate, step, layer, plan.layers))
        remainders.append((by_layer(group, parameters[group])[layer] - known) / share ** (q + 2))
    # In units of the large rate the terms at that rate are the coefficients themselves.
    powers = np.vander(SHARES, increasing=True)
    terms = np.tensordot(np.linalg.inv(powers), np.array(remainders), 1)
    total = directions.combined(amounts(group, plan.large_rate, step, layer, plan.layers))
    found = []
    for k in range(len(BEYOND)):
        total = total + terms[k]
        found.append(total)
    return found

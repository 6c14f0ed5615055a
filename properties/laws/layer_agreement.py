"""Where the layers of a trained model part: at eta^4 in V, at eta^6 in W and P (derived here).

Below those orders all layers are equal, and there neighbours differ by the amounts of
`theory.laws.layer_separation`, which derives both for every corpus and holds them of the series of one at a
time. An implementation is held to them by fitted orders: that of what layers differ by, and one more for what
is left once the law's amount is taken away. A layer that is trained at another rate, or sees another residual
stream, parts too early.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from properties.cases import SMALL_DESCENTS, Cases, DescentCase
from properties.check import Check, Law, Outcome
from properties.fitting import Sized, fit, orders_of
from properties.laws.descent import order_of, trained
from properties.laws.statistics_exact import as_array
from properties.target import Target
from theory.laws.layer_separation import ORDER, separation

# More steps lift what the law's amount leaves of P, of order 7, above rounding.
DEEPER = Cases(SMALL_DESCENTS.strategy, replace(SMALL_DESCENTS.ordinary, steps=8))


def _parting(group: str) -> Law:
    def law(target: Target, case: DescentCase) -> Outcome:
        deep = replace(case, layers=max(case.layers, 2))
        V, T = case.vocab_size, case.tokens.shape[1] - 1
        shape = (T,) if group == "P" else (V, V)
        exact = separation(case.tokens.tolist(), V, case.steps)[group]
        amount = as_array(exact, shape).ravel()
        train_at = cache(lambda rate: trained(target, deep, group, rate))

        def apart(rate: float, claimed: float) -> Sized:
            got, bound = train_at(rate)
            left = np.diff(got, axis=0) - claimed * rate ** ORDER[group] * amount
            return Sized(np.linalg.norm(left, axis=1), np.linalg.norm(bound[1:] + bound[:-1], axis=1))

        found = fit(lambda rate: apart(rate, 1.0))
        parted = orders_of([apart(rate, 0.0) for rate in found.rates])
        for lower, (whole, rest) in enumerate(zip(parted, found.orders, strict=True)):
            what = f"{group}, layer {lower + 1} less layer {lower},"
            yield order_of(what, whole, ORDER[group])
            yield order_of(f"what the law's amount leaves of {what}", rest, ORDER[group] + 1)

    return law


CHECKS = tuple(
    Check(
        id=f"layers.{group}",
        statement=f"The layers of {group} agree below eta^{order} and part there by the law's amount.",
        source="derived here; theory.laws.layer_separation",
        cases=DEEPER,
        law=_parting(group),
        needs=("train",),
        cost=40,
    )
    for group, order in ORDER.items()
)

"""Fit the order in eta of something measured at a ladder of rates, where it shows its order.

Derived here; the interval of the fitted order is that of `properties.tolerances.exponent`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from properties.check import NotAdmitted
from properties.tolerances import EXPONENT_RESOLUTION, Exponent, exponent

# The first rate tried; each refusal halves it, down to where rounding hides what is measured.
COARSEST, REFINEMENTS, RATES = 2.0**-3, 7, 4


@dataclass(frozen=True)
class Sized:
    """Sizes [L] at one rate, one a layer, and the largest error that rounding may have made in each."""

    size: np.ndarray
    noise: np.ndarray


@dataclass(frozen=True)
class Fit:
    """The rates used, the sizes there [rate][layer], and the fitted order of each layer."""

    rates: list[float]
    sizes: list[np.ndarray]
    orders: list[Exponent]


def fit(measure: Callable[[float], Sized]) -> Fit:
    """Return the fitted orders of what `measure` returns at a rate, at the coarsest rates that show them.

    Raises:
        NotAdmitted: at every rate tried it vanishes, rounds away or is not yet in its regime.
    """
    measured_at = cache(measure)  # a refined ladder shares all but one rate
    for refinement in range(REFINEMENTS):
        rates = [COARSEST / 2 ** (refinement + i) for i in range(RATES)]
        measured = [measured_at(rate) for rate in rates]
        if not all(np.isfinite(one.size).all() for one in measured):
            continue
        if any((one.size <= one.noise).any() for one in measured):
            break  # a finer rate would only drown it deeper
        orders = orders_of(measured)
        if all(order.half_width <= EXPONENT_RESOLUTION for order in orders):
            return Fit(rates, [one.size for one in measured], orders)
    raise NotAdmitted("no rate shows a remainder in its asymptotic regime and above rounding")


def orders_of(measured: list[Sized]) -> list[Exponent]:
    """Return the order of each layer at a ladder of rates; infinite for what vanishes."""
    sizes = np.array([one.size for one in measured]).T
    noises = np.array([one.noise for one in measured]).T
    return [
        exponent(size, float((noise / np.where(size > 0, size, np.inf)).max()))
        for size, noise in zip(sizes, noises, strict=True)
    ]

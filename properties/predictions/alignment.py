"""How long a weight stays along its leading term: `theory.alignment`, with the terms of a large vocabulary.

A weight is c_0 x + sum of c_i d_i (`properties.predictions.expansion`). With Gram matrix g of x and the d_i,
what is not along x has the squared length

    |perp|^2 = c^T S c,    S_ij = g_ij - g_i0 g_0j / g_00,

and the part along x the length (c_0 g_00 + sum c_i g_i0) / sqrt(g_00). The cosine is 1 / sqrt(1 + tan^2) with
tan = |perp| / along; 1 - cos is taken from tan^2 itself, so that it does not cancel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from properties.predictions.expansion import Directions, amounts
from properties.tolerances import WIDEST_BAND

# A run of more steps than this is not early training.
MOST_STEPS = 10**7


@dataclass(frozen=True)
class Deviation:
    """How a weight differs from its leading term, predicted.

    Attributes:
        norm: Frobenius norm of the weight, all terms together.
        leading_norm: of its leading term.
        following: norm of the next order's terms over that of the leading one.
        second: the same of the terms two orders further.
        cosine_loss: 1 - cos between the weight and its leading direction.
    """

    norm: float
    leading_norm: float
    following: float
    second: float
    cosine_loss: float

    @property
    def shrinking(self) -> bool:
        """Whether the terms beyond the leading one are together below half of it; false where they are nan.

        What is left out is then small as well.
        """
        return self.following + self.second < WIDEST_BAND

    @property
    def said(self) -> bool:
        """Whether the terms say what the weight is: they shrink, or each of them is zero, and so is it."""
        return self.shrinking or self.norm == 0


def deviation(
    group: str, directions: Directions, rate: float, steps: int, layer: int, layers: int
) -> Deviation:
    """Return how the weight of a layer differs from its leading term after `steps` steps.

    Where it has no leading term yet, or the corpus gives it none, the ratios are nan.
    """
    c, g = amounts(group, rate, steps, layer, layers), directions.gram
    first = 1 + len(directions.following)
    leading_norm = _length(c[:1], g[:1, :1])
    following, second = _length(c[1:first], g[1:first, 1:first]), _length(c[first:], g[first:, first:])
    return Deviation(
        norm=_length(c, g),
        leading_norm=leading_norm,
        following=_over(following, leading_norm),
        second=_over(second, leading_norm),
        cosine_loss=cosine_loss(c, g),
    )


def cosine_loss(c: Float64[np.ndarray, " n"], g: Float64[np.ndarray, "n n"]) -> float:
    """Return 1 - cos of sum c_i d_i with d_0, from the Gram matrix of the d_i; nan where there is no d_0."""
    if g[0, 0] <= 0 or not c.any():
        return math.nan
    rest = g[1:, 1:] - np.outer(g[1:, 0], g[0, 1:]) / g[0, 0]
    across = max(0.0, float(c[1:] @ rest @ c[1:]))
    along = float(c @ g[:, 0]) / math.sqrt(g[0, 0])
    if along <= 0:
        return 1 + abs(along) / math.hypot(along, math.sqrt(across))
    return -math.expm1(-math.log1p(across / along**2) / 2)


def both_turns(first: float, second: float) -> float:
    """Return 1 - cos of two turns at right angles: their tan^2 add. Noise is at right angles on average."""
    if not (0 <= first < 1 and 0 <= second < 1):
        return max(first, second)
    tan = sum((2 - loss) * loss / (1 - loss) ** 2 for loss in (first, second))
    return -math.expm1(-math.log1p(tan) / 2)


def last_step_aligned(
    group: str, directions: Directions, rate: float, layer: int, layers: int, least_cosine: float
) -> int | None:
    """Return the last step before the predicted cosine first falls below `least_cosine`.

    Found by doubling and bisection: the loss of cosine is taken to grow once the weight has moved. None when
    it is not lost within `MOST_STEPS`, or when the corpus has no such direction.
    """
    if directions.vanish:
        return None

    def kept(steps: int) -> bool:
        c = amounts(group, rate, steps, layer, layers)
        return cosine_loss(c, directions.gram) <= 1 - least_cosine

    steps = next(s for s in range(1, 5) if amounts(group, rate, s, layer, layers)[0] > 0)
    if not kept(steps):
        return 0
    lost = 2 * steps
    while kept(lost):
        steps, lost = lost, 2 * lost
        if lost > MOST_STEPS:
            return None
    while lost - steps > 1:
        middle = (steps + lost) // 2
        steps, lost = (middle, lost) if kept(middle) else (steps, middle)
    return steps


def horizon_is_known(
    group: str, directions: Directions, rate: float, last: int | None, layer: int, layers: int
) -> bool:
    """Return whether the terms still shrink at the step that `last_step_aligned` returned.

    A weight can keep its direction while the terms beyond outgrow the leading one along it; the terms that
    are left out then count as much. A step that does not come within the series is not known either.
    """
    return last is not None and deviation(group, directions, rate, last, layer, layers).shrinking


def layer_spread(group: str, directions: Directions, rate: float, steps: int, layers: int) -> float:
    """Return the largest distance of a layer from the mean of all layers, over the length of that mean.

    To lowest order `theory.laws.layer_separation` says it; `gpu.alignment.spreads` measures it.
    """
    each = np.array([amounts(group, rate, steps, layer, layers) for layer in range(layers)])
    mean = each.mean(axis=0)
    far = max(_length(c - mean, directions.gram) for c in each)
    return _over(far, _length(mean, directions.gram))


def _length(c: np.ndarray, g: np.ndarray) -> float:
    """|sum c_i d_i|; scaled first, so that squares of small amounts do not vanish."""
    scale = np.sqrt(np.maximum(np.diagonal(g), 0)) * np.abs(c)
    largest = float(scale.max(initial=0.0))
    if largest == 0:
        return 0.0
    unit = np.divide(g, np.outer(_roots(g), _roots(g)), out=np.zeros_like(g), where=g != 0)
    signed = np.sign(c) * scale / largest
    return largest * math.sqrt(max(0.0, float(signed @ unit @ signed)))


def _roots(g: np.ndarray) -> np.ndarray:
    diagonal = np.sqrt(np.maximum(np.diagonal(g), 0))
    return np.where(diagonal > 0, diagonal, 1.0)


def _over(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan

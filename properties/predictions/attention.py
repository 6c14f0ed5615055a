"""How far attention is from uniform: `theory.laws.attention_departure` in float64, to its lowest order.

Scores are c_s eta^4 (X Q_bar X^T + D(Delta_bar)), the same in every layer, and A - A0 is J0 of them, J0 the
softmax's Jacobian at uniform attention.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64

from reference.model import by_distance
from reference.statistics import uniform_jacobian

# exp(-r) rounds to 1 in float32 for r up to 2^-25, half the distance of 1 to the number below it; the row
# maximum is subtracted first, so r is the range of a row's scores.
FLOAT32_BLIND = 2.0**-25


@dataclass(frozen=True)
class ScoreScale:
    """Sizes over the visible pairs (t, k) of some sequences.

    Attributes:
        token_score_rms: of X W X^T, each row less its mean.
        token_score_largest: the largest absolute value of the same.
        score_range: the largest difference of two scores in a row, D(P) included.
        departure_rms: of A - A0.
        departure_largest: the largest absolute value of the same.
    """

    token_score_rms: float
    token_score_largest: float
    score_range: float
    departure_rms: float
    departure_largest: float

    @property
    def float32_sees(self) -> bool:
        """Whether a float32 softmax can differ from that of zero scores."""
        return self.score_range > FLOAT32_BLIND


def scores(
    statistics: Mapping[str, np.ndarray], sequence: Int64[np.ndarray, " T_plus_1"], rate: float, steps: int
) -> tuple[Float64[np.ndarray, "T T"], Float64[np.ndarray, "T T"]]:
    """Return the leading term of a sequence's scores, from the statistics: by tokens, and by distance."""
    from theory.step_coefficients import step_coefficients

    x = sequence[:-1]
    amount = float(step_coefficients(steps)["W"]) * rate**4
    by_tokens = amount * statistics["Q_bar"][x[:, None], x[None, :]]
    return by_tokens, amount * by_distance(statistics["Delta_bar"])


def departure(
    statistics: Mapping[str, np.ndarray], sequence: Int64[np.ndarray, " T_plus_1"], rate: float, steps: int
) -> Float64[np.ndarray, "T T"]:
    """Return the leading term of A - A0 for a sequence, from the statistics, in any layer."""
    by_tokens, distances = scores(statistics, sequence, rate, steps)
    return uniform_jacobian(by_tokens + distances)


def score_scale(
    statistics: Mapping[str, np.ndarray], tokens: Int64[np.ndarray, "n T_plus_1"], rate: float, steps: int
) -> ScoreScale:
    """Return the sizes over all of some sequences, from the statistics."""
    T = tokens.shape[1] - 1
    visible = np.tril(np.ones((T, T), dtype=bool))
    seen = np.arange(1, T + 1)[:, None]
    square, squared_departure, pairs = 0.0, 0.0, 0
    largest = score_range = largest_departure = 0.0
    for sequence in tokens:
        by_tokens, distances = scores(statistics, sequence, rate, steps)
        centred = np.where(visible, by_tokens - (by_tokens * visible).sum(axis=1, keepdims=True) / seen, 0.0)
        moved = uniform_jacobian(by_tokens + distances)
        both = by_tokens + distances
        ranges = np.where(visible, both, -np.inf).max(axis=1) - np.where(visible, both, np.inf).min(axis=1)
        square += float((centred**2).sum())
        squared_departure += float((moved**2).sum())
        pairs += int(visible.sum())
        largest = max(largest, float(np.abs(centred).max()))
        largest_departure = max(largest_departure, float(np.abs(moved).max()))
        score_range = max(score_range, float(ranges.max()))
    return ScoreScale(
        (square / pairs) ** 0.5, largest, score_range, (squared_departure / pairs) ** 0.5, largest_departure
    )


def first_step_seen(scale: ScoreScale, steps: int) -> int | None:
    """Return the first step after which float32 attention can differ from uniform, by the leading term.

    `scale` is that after `steps` steps at some rate; the scores grow in proportion to c_s. None where they
    have not moved.
    """
    from theory.step_coefficients import step_coefficients

    now = step_coefficients(steps)["W"]
    if scale.score_range == 0 or now == 0:
        return None
    needed = FLOAT32_BLIND / scale.score_range * float(now)
    output = value = attention = s = 0
    while attention <= needed:
        output, value, attention, s = output + 1, value + output, attention + output * value, s + 1
    return s

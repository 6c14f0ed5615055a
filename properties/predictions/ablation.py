"""By how much the loss rises without a weight's leading-term projection: `theory.laws.ablation` in float64.

At its lowest order the rise is the gradient at the corpus average times what is removed:

    W_O   s eta |B_bar|^2,    V   s C(s,2) eta^3 |Phi_bar^T B_bar^T|^2,
    W     s C(s,2) c_s eta^7 |Q_bar|^2,    P   s C(s,2) c_s eta^7 |Delta_bar|^2,

V, W and P of one layer. Each square is the mean over sequences of what the sequence itself would lose, which
says how far the mean of a few evaluated sequences strays:

    <B_bar of the sequence, B_bar>;  the mean over k <= t of G_bar[y_t, x_k];  and <Q_i, Q_bar at its tokens>.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64

from reference.statistics import uniform_attention, uniform_jacobian


@dataclass(frozen=True)
class Effect:
    """The rise of the loss in nats a token, and the standard deviation of one sequence's own rise."""

    rise: float
    deviation: float


def factors(rate: float, steps: int) -> dict[str, float]:
    """Return what multiplies the square of each group's leading direction."""
    from theory.laws.ablation import ORDER
    from theory.step_coefficients import step_coefficients

    c = step_coefficients(steps)
    through = {"W_O": 1, "V": c["W_O"], "W": c["W_O"] * c["V"], "P": c["W_O"] * c["V"]}
    return {group: float(through[group] * c[group]) * rate ** ORDER[group] for group in ORDER}


def ablation_effects(
    squares: Mapping[str, float], own: Float64[np.ndarray, "n groups"], rate: float, steps: int
) -> dict[str, Effect]:
    """Return the effect for each group, of one layer where it has layers.

    `squares` holds |x|^2 of each leading direction of the corpus; `own` are parts of them for some sequences
    (`of_sequence`), to read the deviation from.
    """
    spread = own.std(axis=0, ddof=1) if len(own) > 1 else np.zeros(len(squares))
    amount = factors(rate, steps)
    return {
        group: Effect(amount[group] * square, amount[group] * float(deviation))
        for (group, square), deviation in zip(squares.items(), spread, strict=True)
    }


def of_sequence(
    statistics: Mapping[str, np.ndarray], sequence: Int64[np.ndarray, " T_plus_1"]
) -> Float64[np.ndarray, " groups"]:
    """Return a sequence's part of |B_bar|^2, |Phi_bar^T B_bar^T|^2, |Q_bar|^2 and |Delta_bar|^2, [4].

    Their means over the corpus are those squares.
    """
    x, y = sequence[:-1], sequence[1:]
    T = len(x)
    supply = statistics["G_bar"][y[:, None], x[None, :]]
    Q = uniform_jacobian(supply)
    distance = np.subtract.outer(np.arange(T), np.arange(T))
    by_distance = statistics["Delta_bar"][np.maximum(distance, 0)]
    return (
        np.array(
            [
                statistics["B_bar"][x, y].sum(),
                (uniform_attention(T) * supply).sum(),
                (Q * statistics["Q_bar"][x[:, None], x[None, :]]).sum(),
                (Q * by_distance).sum(),
            ]
        )
        / T
    )

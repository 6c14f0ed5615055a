"""The theorem's error bounds as exact objects: conditions, sizes, and what they cannot tell apart.

All norms are Frobenius norms and all comparisons are made between squares, so that conditions
with roots, like s eta <= 3 / (8 T^(3/8)), are decided over the rationals. See `theory.bound_facts` for the
inequalities used inside the proofs.

A bound says something about direction only when it is smaller than the leading term it surrounds. Derived
here, for any corpus: |B_bar| < 1 and |Phi_bar| < 1 (an average of outer products of a centred one-hot, of
norm below 1, with a distribution), so every entry of G_bar is below 1 in size, |Q_bar| <= 1 (row t of Q_i
adds up, in absolute value, to the mean absolute deviation of t entries of G_bar), and |Delta_bar| <= 1 alike.
As c_s <= s^4 / 8, the leading terms of W and P are at most s^4 eta^4 / 8, while their bound is
13 s^5 eta^5 T: *the zero matrix satisfies the bounds for W and P whenever s eta T >= 1/104*, hence everywhere
in a window with eta >= 1/T.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from theory.next_order import inner
from theory.orders import GROUPS, leading_orders
from theory.step_coefficients import step_coefficients


@dataclass(frozen=True)
class Setting:
    """A run that a theorem may speak of: sizes, rate eta, and the number of steps s."""

    vocab_size: int
    length: int
    layers: int
    rate: fmpq
    steps: int

    @property
    def progress(self) -> fmpq:
        """s eta."""
        return self.rate * self.steps


Condition = Callable[[Setting], bool]


@dataclass(frozen=True)
class Theorem:
    """A bound on |parameter - leading term| for each group, squared, with the conditions it is stated
    under.
    """

    name: str
    conditions: Mapping[str, Condition]
    bounds_squared: Callable[[Setting], dict[str, fmpq]]

    def failed(self, setting: Setting) -> list[str]:
        """The conditions that a setting does not meet; empty when the theorem speaks of it."""
        return [name for name, holds in self.conditions.items() if not holds(setting)]


def _powers(W_O: int, V: int, scores: int) -> Callable[[Setting], dict[str, fmpq]]:
    """Bounds a s^2 eta^2, b s^3 eta^3, c s^5 eta^5 T, c s^5 eta^5 T, squared."""

    def squared(at: Setting) -> dict[str, fmpq]:
        x = at.progress
        score = (scores * x**5 * at.length) ** 2
        return {"W_O": (W_O * x**2) ** 2, "V": (V * x**3) ** 2, "W": score, "P": score}

    return squared


def _after_two(at: Setting) -> dict[str, fmpq]:
    eta, V = at.rate, at.vocab_size
    return {"W_O": eta**4 / V, "V": 4 * eta**6 / V, "W": fmpq(0), "P": fmpq(0)}


def _after_three(at: Setting) -> dict[str, fmpq]:
    eta, T = at.rate, at.length
    score = (2 * eta**5 * T) ** 2
    return {"W_O": 9 * eta**4, "V": 4 * eta**6, "W": score, "P": score}


def _at_least(name: str, least: int) -> Condition:
    return lambda at: getattr(at, name) >= least


_SHALLOW: dict[str, Condition] = {"L <= sqrt(T)/4": lambda at: 16 * at.layers**2 <= at.length}
_BY_DEPTH: dict[str, Condition] = {"s eta <= 1/(12 L)": lambda at: 12 * at.layers * at.progress <= 1}
_BY_LENGTH: dict[str, Condition] = {
    "s eta <= 5/(8 sqrt(T))": lambda at: 64 * at.progress**2 * at.length <= 25
}
_RATE_NOT_TINY: dict[str, Condition] = {"eta >= 1/T": lambda at: at.rate * at.length >= 1}

THEOREMS: dict[str, Theorem] = {
    theorem.name: theorem
    for theorem in (
        Theorem(
            "Lemma D.5",
            {
                "s = 2": lambda at: at.steps == 2,
                "eta <= 1": lambda at: at.rate <= 1,
                "V >= 8": _at_least("vocab_size", 8),
            },
            _after_two,
        ),
        Theorem(
            "Lemma D.6",
            {
                "L = 1": lambda at: at.layers == 1,
                "s = 3": lambda at: at.steps == 3,
                "eta <= 1/8": lambda at: 8 * at.rate <= 1,
                "V >= 500": _at_least("vocab_size", 500),
            },
            _after_three,
        ),
        Theorem(
            "Theorem D.7",
            {
                "L = 1": lambda at: at.layers == 1,
                "s eta <= 3/(8 T^(3/8))": lambda at: (8 * at.progress) ** 8 * at.length**3 <= 3**8,
                "T >= 3": _at_least("length", 3),
                "V >= 500": _at_least("vocab_size", 500),
            },
            _powers(3, 4, 6),
        ),
        Theorem(
            "Theorem 4.1",
            {
                **_SHALLOW,
                **_RATE_NOT_TINY,
                **_BY_DEPTH,
                "s eta <= 8 sqrt(T)": lambda at: at.progress**2 <= 64 * at.length,
            },
            _powers(3, 12, 13),
        ),
        Theorem(
            "Theorem D.10",
            {
                **_SHALLOW,
                **_BY_DEPTH,
                **_BY_LENGTH,
                "T >= 60": _at_least("length", 60),
                "V >= 500": _at_least("vocab_size", 500),
            },
            _powers(3, 12, 13),
        ),
        Theorem(
            "Theorem D.13",
            {
                **_SHALLOW,
                **_BY_DEPTH,
                **_BY_LENGTH,
                **_RATE_NOT_TINY,
                "T >= 60": _at_least("length", 60),
                "V >= 500": _at_least("vocab_size", 500),
                "T <= V": lambda at: at.length <= at.vocab_size,
            },
            _powers(3, 12, 13),
        ),
    )
}
"""By name. Lemma D.6 names no number of layers; it is part of the proof for one, and `theory.laws.one_word`
shows what breaks it with more. D.13 speaks of a Gaussian start up to `largest_start`, with a probability:
`failure_exponents`.
"""


def largest_start(setting: Setting) -> fmpq:
    """The largest scale v = eta^2 / T^2 of a Gaussian start that Theorem D.13 allows."""
    return (setting.rate / setting.length) ** 2


def failure_exponents(vocab_size: int, layers: int, twice_xi: int = 0) -> tuple[int, fmpq, fmpq]:
    """Theorem D.13 fails with a probability of at most n (exp(-a) + exp(-b)): (n, a, b).

    n = 3 L + 1 counts the matrices that are drawn, a = V^(1 + 2 xi) / 4 is the exponent for their operator
    norms (Lemma D.11) and b = V^(2 + 2 xi) / 4 for their Frobenius norms (Lemma D.12). `twice_xi` = 2 xi >= 0
    is a whole number, so that both are rational.
    """
    return 3 * layers + 1, fmpq(vocab_size ** (1 + twice_xi), 4), fmpq(vocab_size ** (2 + twice_xi), 4)


def last_step_inside(
    theorem: Theorem, vocab_size: int, length: int, layers: int, rate: fmpq, limit: int = 10**6
) -> int:
    """The edge of a theorem's window: the largest s up to `limit` that it speaks of, 0 when there is none.

    Windows are intervals of s, so a binary search from the first step inside decides.
    """

    def inside(s: int) -> bool:
        return not theorem.failed(Setting(vocab_size, length, layers, rate, s))

    first = next((s for s in range(1, 4) if inside(s)), None)
    if first is None:
        return 0
    low, high = first, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if inside(middle) else (low, middle - 1)
    return low


def leading_norm_squared(group: str, direction_squared: fmpq, setting: Setting) -> fmpq:
    """|leading term|^2 from |direction|^2: (c_s eta^order)^2 |direction|^2."""
    amount = step_coefficients(setting.steps)[group] * setting.rate ** leading_orders(1)[group]
    return amount**2 * direction_squared


def bound_over_leading_squared(
    theorem: Theorem, group: str, direction_squared: fmpq, setting: Setting
) -> fmpq | None:
    """(bound / |leading term|)^2: from 1 on, the zero matrix satisfies the bound. None for no leading term.

    Uses only |direction|^2, so a corpus too large for exact matrices can be judged by its norms.
    """
    size = leading_norm_squared(group, direction_squared, setting)
    return theorem.bounds_squared(setting)[group] / size if size else None


IMPOSTORS: dict[str, Callable[[fmpq_mat], fmpq_mat]] = {
    "zero": lambda x: x * fmpq(0),
    "doubled": lambda x: x * fmpq(2),
    "negated": lambda x: x * fmpq(-1),
    "transposed": lambda x: x.transpose(),
}
"""What a weight might be instead of its leading term. A transposed P [T, 1] is P reversed in distance."""


def impostor_error_squared(
    theorem: Theorem, impostor: str, group: str, direction: fmpq_mat, setting: Setting
) -> fmpq | None:
    """(error / bound)^2 of a wrong weight made from the leading term: up to 1, the bound accepts it.

    The direction is [V, V], of P [T, 1]. None where the bound is zero (W and P after two steps).

    Raises:
        KeyError: there is no such impostor.
    """
    wrong = (
        _reversed(direction) if impostor == "transposed" and group == "P" else IMPOSTORS[impostor](direction)
    )
    difference = wrong + direction * fmpq(-1)
    bound = theorem.bounds_squared(setting)[group]
    return leading_norm_squared(group, inner(difference, difference), setting) / bound if bound else None


def zero_always_passes(theorem: Theorem, setting: Setting) -> dict[str, bool]:
    """By group: does the zero matrix satisfy the bound on *every* corpus, by |direction| <= 1 (see above)?"""
    return {
        g: leading_norm_squared(g, fmpq(1), setting) <= theorem.bounds_squared(setting)[g] for g in GROUPS
    }


def start_over_leading_squared(group: str, direction_squared: fmpq, setting: Setting, v: fmpq) -> fmpq | None:
    """E|start|^2 / |leading term|^2 for a Gaussian start of scale v with xi = 0: what is still noise.

    Entries have variance v^2 / V^2, so E|start|^2 is v^2 for a [V, V] matrix and v^2 T / V^2 for P [T]
    (paper, Gaussian start). The squared cosine with the direction is about 1 / (1 + this). The theorem allows
    v up to `largest_start`. None for no leading term.
    """
    size = leading_norm_squared(group, direction_squared, setting)
    entries = fmpq(setting.length, setting.vocab_size**2) if group == "P" else fmpq(1)
    return v**2 * entries / size if size else None


def _reversed(P: fmpq_mat) -> fmpq_mat:
    return fmpq_mat(P.nrows(), P.ncols(), P.entries()[::-1])

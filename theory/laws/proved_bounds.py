"""The theorem's error bounds, proved for every corpus at once by what dominates a descent. Derived here.

What `theory.majorants` adds in a step has no negative coefficient, so the sizes of a descent lie below those
of a continuous flow: if the coefficient of eta^j after r steps is at most phi_j r^j for all j < k, then that
of eta^k is at most the sum over r < s of [gains(phi)]_(k-1) r^(k-1) <= s^k [gains(phi)]_(k-1) / k,
that is phi_k s^k.

    phi' = gains(phi),   |the coefficient of eta^k after s steps| <= phi_k s^k   for every s.

Below the leading orders phi has no coefficient, and there weights are their leading terms (Theorem 4.1's
coefficients; `docs/theory/leading-terms.md` derives them for every size). With x = s eta,

    |weight - leading term| <= sum over k > leading order of phi_k x^k,                                    (*)

for every corpus, V (phi falls with V: what holds for the least covers the rest), T and s. The coefficients up
to `TERMS` are exact. For the rest take c with c >= X gains(c): Picard's iterates from zero never pass c on
[0, X], so phi(X) <= c, and the sum over k > K of phi_k x^k is at most (x/X)^(K+1) c.

Over a bound, which is a multiple of x^(order + 1) and grows with T or not at all, (*) grows with x and does
not grow with T. So a theorem is proved, for a number of layers, at one corner of its window: the least V and
T and the largest x. Lemma D.6 speaks of s = 3 alone and of a longer x; there the sizes are followed step by
step, which also leaves nothing but larger powers of eta than the bound's.

A start with norms of at most 2v (Theorem D.13; Lemmas D.11 and D.12) is a descent of sizes from 2v. As
(phi_k(2v) - phi_k(0)) / 2v grows with v, let d_k be its value at the largest start of the window: the start
then adds at most 2v d_k x^k, with 2v = 2 eta^2 / T^2 <= 2 x^2 / T^2. Over a power of x each of these terms is
largest at an end of the window, 1/T <= x because of eta >= 1/T, and does not grow with T there either.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import isqrt

from flint import fmpq, fmpq_poly

from theory.bounds import THEOREMS, Setting, largest_start
from theory.majorants import Sizes, combined, equal_sizes, gains, in_numbers, in_series, rounded_up
from theory.orders import GROUPS, leading_orders
from theory.truncation import tail_bounds

TERMS = 16
"""The last order in x that is kept exactly."""

WIDER = (fmpq(3), fmpq(2), fmpq(3, 2), fmpq(5, 4))
"""X / x: how far beyond the window sizes are bounded; the first that can be, as farther is sharper."""

ZERO = fmpq(0)
"""A start from zero weights."""

GRAIN = 2**20
"""The end of a window is rounded up to a multiple of 1 / GRAIN, so that nothing inside is left out."""


@dataclass(frozen=True)
class Window:
    """What a theorem speaks of: its least V and, with one layer, its least T; s where it is one alone; and
    whether it allows a start that is not zero.
    """

    vocab_size: int
    length: int
    steps: int | None = None
    started: bool = False


WINDOWS = {
    "Lemma D.6": Window(500, 1, steps=3),
    "Theorem D.7": Window(500, 3),
    "Theorem 4.1": Window(1, 16),
    "Theorem D.10": Window(500, 60),
    "Theorem D.13": Window(500, 60, started=True),
}
"""By theorem; the corners that follow are held to its conditions by the checks."""

Shares = dict[str, list[fmpq]]
"""By group and layer: an upper bound on error / bound, for every corpus and everywhere in a window."""


def corner(theorem: str, layers: int) -> Setting:
    """Where a theorem is hardest to keep: its least V and T, and s eta just past the largest it allows.

    Raises:
        ValueError: the theorem speaks of no run with so many layers.
    """
    window = WINDOWS[theorem]
    T = max(window.length, 16 * layers**2) if layers > 1 else window.length
    V = max(window.vocab_size, T) if "T <= V" in THEOREMS[theorem].conditions else window.vocab_size
    steps = window.steps or 1

    def inside(n: int) -> bool:
        return not THEOREMS[theorem].failed(Setting(V, T, layers, fmpq(n, GRAIN), steps))

    # Windows are intervals of s eta that end below 1 and, where they begin above 0, hold a power of 1/2.
    low, high = next((n for n in _HALVES if inside(n)), 0), GRAIN
    if not low:
        raise ValueError(f"{theorem} speaks of no run with {layers} layers")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if inside(middle) else (low, middle)
    return Setting(V, T, layers, fmpq(high, GRAIN), steps)


_HALVES = [GRAIN >> n for n in range(1, GRAIN.bit_length())]


@cache
def flow(layers: int, vocab_size: int, start: fmpq) -> Sizes:
    """phi as polynomials in x up to `TERMS`, from weights of norm `start`; no coefficient is too small."""
    using = in_series(TERMS, vocab_size, short=bool(start))
    at = equal_sizes(layers, fmpq_poly([start]))
    # Each iterate of Picard's has one exact coefficient more.
    for _ in range(TERMS + 1):
        at = combined(lambda gain: using.tidy(gain.integral() + start), gains(at, using))
    return at


def ceiling(layers: int, vocab_size: int, x: fmpq, start: fmpq) -> Sizes:
    """Numbers c >= start + x gains(c), so that phi(x) <= c.

    Raises:
        ValueError: x is too large for such numbers to be found.
    """
    using = in_numbers(vocab_size)

    def moved(at: Sizes) -> Sizes:
        return combined(lambda gain: rounded_up(start + x * gain), gains(at, using))

    at = equal_sizes(layers, start)
    for _ in range(_PATIENCE):
        # A little more than the next iterate: near a fixed point that is enough.
        candidate = combined(lambda size: rounded_up(size * _MORE), moved(at))
        beyond = combined(lambda new, old: new > old, moved(candidate), candidate)
        if not any(any(beyond.group(group)) for group in GROUPS):
            return candidate
        at = candidate
    raise ValueError(f"the sizes are not bounded up to s eta = {x}")


_PATIENCE = 200
_MORE = 1 + fmpq(1, 2**8)


@cache
def shares(theorem: str, layers: int) -> Shares:
    """How much of each bound a weight can need, at most: a theorem is proved where all are at most 1.

    Raises:
        ValueError: no layers, a theorem that is not in `WINDOWS`, a number of layers that it does not
            speak of, or one for which sizes are not bounded.
    """
    at, window = corner(theorem, layers), WINDOWS[theorem]
    if window.steps:
        return _over_bounds(theorem, at, _after_steps(at))
    start = _start_at(at) if window.started else ZERO
    needed = _over_bounds(theorem, at, beyond_leading(at, start))
    if start:
        added = _start_shares(theorem, at, start)
        needed = {g: [a + b for a, b in zip(needed[g], added[g], strict=True)] for g in GROUPS}
    return needed


def _after_steps(at: Setting) -> Shares:
    return {
        group: tail_bounds(at.layers, at.steps, at.rate, order, at.vocab_size)[group]
        for group, order in leading_orders(at.layers).items()
    }


def beyond_leading(at: Setting, start: fmpq) -> Shares:
    """By group and layer what (*) comes to at x = s eta, with the rest of the series from that start."""
    phi = flow(at.layers, at.vocab_size, ZERO)
    wider, c = widest_ceiling(at, start)
    rest = 1 / wider ** (TERMS + 1)

    def total(order: int, kept: fmpq_poly, most: fmpq) -> fmpq:
        return sum((kept[k] * at.progress**k for k in range(order + 1, TERMS + 1)), most * rest)

    return {
        g: [total(order, *each) for each in zip(phi.group(g), c.group(g), strict=True)]
        for g, order in leading_orders(at.layers).items()
    }


def widest_ceiling(at: Setting, start: fmpq) -> tuple[fmpq, Sizes]:
    """X / x and `ceiling` at X, for the first of `WIDER` that has one.

    Raises:
        ValueError: none of them has one.
    """
    for wider in WIDER:
        try:
            return wider, ceiling(at.layers, at.vocab_size, at.progress * wider, start)
        except ValueError:
            continue
    raise ValueError(f"the sizes are not bounded beyond s eta = {at.progress}")


def _start_at(at: Setting) -> fmpq:
    """2v, the norm of the largest start of the window: from the largest rate, which has s = 1."""
    return 2 * largest_start(at)


def _start_shares(theorem: str, at: Setting, start: fmpq) -> Shares:
    """What the start adds over each bound, each power of x at the end of the window where it is largest."""
    without, with_start = flow(at.layers, at.vocab_size, ZERO), flow(at.layers, at.vocab_size, start)
    shortest = Setting(at.vocab_size, at.length, at.layers, fmpq(1, at.length), 1)
    ends = [(end.progress, _start_at(end), _bounds(theorem, end)) for end in (shortest, at)]

    def added(group: str, phi: fmpq_poly, moved: fmpq_poly) -> fmpq:
        d = [(moved[k] - phi[k]) / start for k in range(TERMS + 1)]
        return sum(
            (max(d[k] * norm * x**k / bound[group] for x, norm, bound in ends) for k in range(TERMS + 1)),
            fmpq(0),
        )

    return {
        g: [added(g, *each) for each in zip(without.group(g), with_start.group(g), strict=True)]
        for g in GROUPS
    }


def _over_bounds(theorem: str, at: Setting, errors: Shares) -> Shares:
    bounds = _bounds(theorem, at)
    return {g: [error / bounds[g] for error in errors[g]] for g in GROUPS}


def _bounds(theorem: str, at: Setting) -> dict[str, fmpq]:
    """The bounds themselves; their squares are squares of rationals."""
    squared = THEOREMS[theorem].bounds_squared(at)
    return {g: fmpq(isqrt(int(square.p)), isqrt(int(square.q))) for g, square in squared.items()}


def proved_to(at: Setting) -> bool:
    """Whether the bounds of Theorem D.10 are proved up to the progress of a run, whatever its steps.

    Errors over bounds grow with s eta and not with V and T, so runs of less progress and of larger sizes are
    covered. False where sizes are not bounded.
    """
    try:
        needed = _over_bounds("Theorem D.10", at, beyond_leading(at, ZERO))
    except ValueError:
        return False
    return all(share <= 1 for group in GROUPS for share in needed[group])

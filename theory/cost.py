"""What a series, a proof and the check of one cost, from their sizes alone: to refuse them before they begin.

Operation counts are those of the slowest part of each algorithm. Its time for one operation was measured on
one core, over sizes from milliseconds to minutes; it holds to a factor of about four either way, which is
enough to tell minutes from days. Everything here is in whole numbers and takes no time, whatever the sizes.
"""

from __future__ import annotations

import math

MOST_SECONDS = 4 * 3600
"""The longest work that is begun."""

MOST_BYTES = 4 << 30
"""The most memory that coefficients may take."""

MOST_CORPORA = 2_000_000
"""The largest number of corpora that a check runs: their values make a table of gigabytes."""

MOST_MONOMIALS = 1_000_000
"""The largest polynomial that a proof is attempted with: memory grows by gigabytes beyond it."""

MOST_LAYERS = 100
"""The most layers: coefficients ask for those of the layer before, and calls go a thousand deep in Python."""

_LONGEST_BITS = 64
_BYTES_OF_A_COEFFICIENT = 64


def refuse_the_series(N: int, T: int, V: int, L: int, steps: int, order: int) -> None:
    """Refuses a series to eta^`order` that is beyond reach, with an estimate.

    A gradient multiplies [T, V], [V, V] and [T, T] matrices of series in every layer: T V (T + V) products a
    pair of orders, of numbers whose digits grow with the order as well.

    Raises:
        ValueError: it is beyond reach.
    """
    _refuse_deep(L)
    nanoseconds = 2 * N * L * max(steps, 1) * max(order, 1) ** 4 * T * V * (T + V)
    kept = (steps + 1) * (order + 1) * (V * V * (1 + 2 * L) + L * T)
    what = f"{N} sequences of {T} positions, {V} words, {L} layers, {steps} steps, order {order}"
    _refuse_long(what, nanoseconds // 10**9)
    _refuse_large(what, kept)


def refuse_the_proof(V: int, T: int, L: int, degree: int) -> None:
    """Refuses a proof to eta^`degree` that is beyond reach, with an estimate.

    The largest polynomials have a term a monomial of that degree in the weights; each layer multiplies some.

    Raises:
        ValueError: it is beyond reach or sizes are below 1.
    """
    symbols = _sequences(V, T, L)
    _refuse_deep(L)
    monomials = math.comb(symbols + degree - 1, degree)
    if monomials > MOST_MONOMIALS:
        raise ValueError(
            f"a vocabulary of {V} and sequences of {T + 1} tokens need {symbols} symbols and "
            f"polynomials of up to {monomials} terms; a proof is possible up to {MOST_MONOMIALS}"
        )
    microseconds = 14 * (6 + L) * (monomials + symbols * T * T)
    what = f"a proof for {V} words, {T} positions and {L} layers"
    _refuse_long(what, microseconds // 10**6)
    _refuse_large(what, symbols * T * T)


def refuse_the_check(V: int, T: int, L: int, degree: int) -> None:
    """Refuses the check of a certificate that is beyond reach, with an estimate.

    Every corpus of up to `degree` sequences is run for `degree` steps, but for renamed tokens; a step of one
    sequence takes T^2 V^2 products in each layer.

    Raises:
        ValueError: it is beyond reach.
    """
    sequences = _sequences(V, T, L)
    _refuse_deep(L)
    corpora = math.comb(sequences + degree, degree)
    if corpora > MOST_CORPORA:
        raise ValueError(f"{corpora} corpora would have to be run; up to {MOST_CORPORA} are")
    run = corpora // math.factorial(V) + 1
    microseconds = 6 * run * degree * degree * L * T * T * V * V
    _refuse_long(f"the check for {V} words, {T} positions and {L} layers", microseconds // 10**6)


def _sequences(V: int, T: int, L: int) -> int:
    """V^(T+1). ValueError for sizes below 1, and when it has more bits than can be of use."""
    for what, value in (("a vocabulary", V), ("a length", T), ("a number of layers", L)):
        if value < 1:
            raise ValueError(f"{what} of 1 or more is needed, not {value}")
    if (T + 1) * (V.bit_length() - 1) > _LONGEST_BITS:
        raise ValueError(f"there are {V}^{T + 1} sequences of {T + 1} of {V} tokens, too many by far")
    return int(V ** (T + 1))


def _refuse_deep(L: int) -> None:
    if L > MOST_LAYERS:
        raise ValueError(f"{L} layers are more than can be; up to {MOST_LAYERS} are")


def _refuse_long(what: str, seconds: int) -> None:
    if seconds > MOST_SECONDS:
        raise ValueError(f"{what} would take about {_told(seconds)}; up to {_told(MOST_SECONDS)} is begun")


def _refuse_large(what: str, coefficients: int) -> None:
    if coefficients * _BYTES_OF_A_COEFFICIENT > MOST_BYTES:
        raise ValueError(
            f"{what} would keep {coefficients} numbers, about "
            f"{coefficients * _BYTES_OF_A_COEFFICIENT >> 30} GiB; up to {MOST_BYTES >> 30} GiB are"
        )


def _told(seconds: int) -> str:
    hours = -(-seconds // 3600)  # rounded up, so that what is refused is told to be more than what is not
    if hours < 48:
        return f"{hours} hours"
    days = hours // 24
    return f"{days} days" if days < 1000 else f"{days // 365} years" if days < 10**9 else "for ever"

"""Which lengths, periods and conventions give a published random-head value: a search over closed forms.

The chapter on reading attention (attention-chapter) measures untrained heads and prints entropy .958,
diagonal .157, previous .115, distance "about 6" and induction .0284, each without its setting in full. Here
each number is compared, as it is rounded, with the exact value of uniform attention for every length in
reach, with row 0 counted or left out, and every period and number of repeats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flint import fmpq

from theory import baselines

LONGEST, MOST_REPEATS = 256, 8

# What each metric is at uniform attention over T rows, and what it is in row 0.
_PROFILE: dict[str, tuple[Callable[[int], fmpq], fmpq]] = {
    "entropy": (baselines.normalised_entropy, fmpq(0)),
    "diagonal": (baselines.mean_diagonal, fmpq(1)),
    "previous": (baselines.mean_previous, fmpq(0)),
    "distance": (baselines.mean_distance, fmpq(0)),
}


@dataclass(frozen=True)
class Setting:
    """T positions; `row_0`, whether the first row counts; for an induction score its period, else 0."""

    length: int
    row_0: bool
    period: int = 0


def settings_of(metric: str, published: str) -> list[Setting]:
    """Return every setting in which uniform attention scores the printed number, to its last digit.

    Raises:
        ValueError: the metric is another than entropy, diagonal, previous, distance and induction.
    """
    if metric == "induction":
        return [
            Setting(period * repeats, True, period)
            for repeats in range(2, MOST_REPEATS + 1)
            for period in range(1, LONGEST // repeats + 1)
            if rounds_to(baselines.induction_score(period, repeats), published)
        ]
    if metric not in _PROFILE:
        raise ValueError(f"there is no closed form for '{metric}'")
    form, first = _PROFILE[metric]
    values = [(T, form(T)) for T in range(2, LONGEST + 1)]
    return [
        Setting(T, row_0)
        for row_0 in (True, False)
        for T, value in values
        if rounds_to(value if row_0 else baselines.without_first_row(value, first, T), published)
    ]


def pooled_entropy(lengths: tuple[int, ...]) -> fmpq:
    """The mean normalised entropy of uniform attention over all rows of several sequences, rows 0 as 0."""
    return 1 - fmpq(len(lengths), sum(lengths))


def rounds_to(value: fmpq, published: str) -> bool:
    """Whether a value lies within half a unit of the last digit of a printed decimal number."""
    digits = len(published.partition(".")[2])
    printed = fmpq(int(published.replace(".", "")), 10**digits)
    distance = value - printed
    return bool(abs(distance) * 2 * 10**digits <= 1)

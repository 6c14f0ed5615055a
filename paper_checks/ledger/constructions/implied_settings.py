"""Which lengths, periods and ways to count row 0 a printed value of an untrained head can come from."""

from __future__ import annotations

from itertools import groupby

from theory.published_baselines import LONGEST, Setting, settings_of


def implied(metric: str, printed: str) -> str:
    """Return a sentence on every setting in which uniform attention rounds to what is printed.

    All lengths up to `theory.published_baselines.LONGEST` are tried, each with row 0 counted and left out; of
    an induction score all its periods and numbers of repeats.
    """
    found = settings_of(metric, printed)
    if not found:
        return f"No length to {LONGEST} gives uniform attention {printed}, with row 0 or without."
    told = [
        f"{_lengths(list(alike))}{f', period {period}' if period else ''}{'' if row_0 else ' without row 0'}"
        for (row_0, period), alike in groupby(found, key=lambda one: (one.row_0, one.period))
    ]
    return f"Of all lengths to {LONGEST}, {printed} is uniform attention's at {' or '.join(told)} only."


def _lengths(settings: list[Setting]) -> str:
    """Return the lengths of settings, a run of them by its ends."""
    lengths = [one.length for one in settings]
    if len(lengths) > 1 and lengths == [*range(lengths[0], lengths[-1] + 1)]:
        return f"T = {lengths[0]} to {lengths[-1]}"
    return "T = " + ", ".join(map(str, lengths))

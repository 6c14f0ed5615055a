"""The theory beside one training run, step by step: what the first figure of the page draws and tells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from paper_checks.report.panels import Plot, PlotGroup, Points, Series, pairs
from paper_checks.reproduction.curve_lists import curves
from paper_checks.reproduction.rows import horizons

NAME, TITLE = "descent", "The theory beside a training run"
LEVEL = 0.99
FACTS = ("corpus", "vocab_size", "length", "sequences", "plan")  # what the page says of the run
CLOSED_FORMS = "s eta |B_bar|, C(s, 2) eta^2 |Phi_bar^T B_bar^T|, c_s eta^4 |Q_bar| and c_s eta^4 |Delta_bar|"


class Lateness(NamedTuple):
    """Until which step a weight is along its leading term: predicted, measured, and with more orders."""

    weight: str
    predicted: int | None
    measured: int | None
    known: bool
    through: Mapping[str, int | None]

    @property
    def late(self) -> float | None:
        """By how much the prediction is later than what was measured, as a share of that."""
        if not self.predicted or not self.measured:
            return None
        return self.predicted / self.measured - 1


def descent_group(header: Mapping[str, Any]) -> Iterator[PlotGroup]:
    """Yield the two panels, norm and direction against the step, where a run of the header has them."""
    run = header.get("reproduced") or {}
    found = curves(run)
    if any(fact not in run for fact in FACTS):
        return
    panels = (
        Plot(
            "descent-norm",
            "Size",
            "step s",
            "Frobenius norm",
            tuple(series for one in found for series in _norms(one)),
            named_at="left",
            law="leading term, closed form",
        ),
        Plot(
            "descent-cosine",
            "Direction",
            "step s",
            "1 \N{MINUS SIGN} cos with the leading term",
            tuple(series for one in found for series in _turns(one)),
            named_at="right",
            law="predicted from the statistics",
            level=(1 - LEVEL, f"a cosine of {LEVEL:g}"),
        ),
    )
    if all(plot.series for plot in panels):
        yield PlotGroup(NAME, TITLE, "", panels)


def _norms(one: Mapping[str, Any]) -> Iterator[Series]:
    measured, leading = (_positive(pairs(one["steps"], one[which])) for which in ("norm", "leading"))
    if measured and leading:
        yield Series(one["weight"], leading, is_law=True)
        yield Series(one["weight"], measured)


def _turns(one: Mapping[str, Any]) -> Iterator[Series]:
    predicted = dict(_positive(pairs(one["steps"], one["predicted"])))
    # Where nothing is predicted to turn yet there is rounding alone to measure.
    measured = [point for point in _positive(pairs(one["steps"], one["turned"])) if point[0] in predicted]
    doubted = [step for step, known in zip(one["steps"], one["known"], strict=True) if not known]
    end = min((step for step in doubted if step in predicted), default=math.inf)
    known = tuple(point for point in predicted.items() if point[0] < end)
    beyond = tuple(point for point in predicted.items() if point[0] >= end)
    if measured:
        if known:
            yield Series(one["weight"], known, is_law=True)
        if beyond:
            yield Series(one["weight"], known[-1:] + beyond, is_law=True, doubtful=True)
        yield Series(one["weight"], tuple(measured))


def _positive(points: Points) -> Points:
    """Return what has a place on two logarithmic axes."""
    return tuple(point for point in points if point[0] > 0 and point[1] > 0)


def lateness(header: Mapping[str, Any]) -> list[Lateness]:
    """Return for every weight of the run until when it is along its leading term."""
    found = header.get("reproduced") or {}
    more = {one["weight"]: one.get("through") or {} for one in curves(found)}
    return [
        Lateness(one.weight, *one.levels[level], level in one.known, more.get(one.weight, {}))
        for one in horizons(found.get("rows") or ())
        if (level := f"{LEVEL:g}") in one.levels
    ]


def drawn(of: Sequence[Lateness], header: Mapping[str, Any]) -> list[Lateness]:
    """Return those of the weights that are drawn."""
    names = {one["weight"] for one in curves(header.get("reproduced") or {})}
    return [one for one in of if one.weight in names]


def how_late(of: Sequence[Lateness]) -> str:
    """Return in one sentence by how much the predictions of all weights are late."""
    shares = [one.late for one in of if one.late is not None]
    if not shares:
        return ""
    late, early = sum(share > 0 for share in shares), sum(share < 0 for share in shares)
    for many, turn, off in ((late, "earlier", "late"), (early, "later", "early")):
        if many == len(shares):
            return (
                f"All {many} weights of the run turn {turn} than predicted: the steps are {off} by "
                f"{_range([abs(share) for share in shares])} of those measured."
            )
    return (
        f"Of the predicted steps of {len(shares)} weights {late} are late; they are off by "
        f"{_range([abs(share) for share in shares])} of those measured."
    )


def _range(shares: Sequence[float]) -> str:
    return f"{min(shares):.0%} to {max(shares):.0%}"


def orders(of: Sequence[Lateness]) -> list[str]:
    """Return through how many orders beyond the leading one there are steps, in order."""
    return sorted({k for one in of for k in one.through}, key=int)


def farthest_off(of: Sequence[Lateness], through: str) -> int | None:
    """Return by how many steps the sums through an order are off at most; None where a step is not known."""
    off = []
    for one in of:
        step = one.through.get(through)
        if step is None or one.measured is None:
            return None
        off.append(abs(step - one.measured))
    return max(off, default=None)


def lacks_most(of: Sequence[Lateness]) -> str | None:
    """Return the order with which the steps come nearest to those measured, if it halves what they are off.

    None where that is so of no order, or where steps are not known.
    """
    off = {k: far for k in orders(of) if (far := farthest_off(of, k)) is not None}
    if not off or any(one.predicted is None or one.measured is None for one in of):
        return None
    nearest = min(off, key=lambda k: (off[k], int(k)))
    predicted = max(abs(one.predicted - one.measured) for one in of if one.predicted and one.measured)
    return nearest if 2 * off[nearest] <= predicted else None

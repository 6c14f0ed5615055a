"""What a figure is made of: series of points, axes, and axes that are read together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Series:
    """Points under one name; `is_law` is a closed form, drawn as a line and not as marks.

    A law that is `doubtful` is drawn beyond where it says something.
    """

    label: str
    points: Points
    is_law: bool = False
    doubtful: bool = False


@dataclass(frozen=True)
class Plot:
    """One pair of axes. `stem` names its files; `what` tells it from its neighbours.

    Where `named_at` is "left" or "right", series of one label have one colour and the label at that end, and
    `law` says what their lines are; `level` is a height to mark, with its words.
    """

    stem: str
    what: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    log_x: bool = True
    log_y: bool = True
    named_at: str = ""
    law: str = ""
    level: tuple[float, str] | None = None


@dataclass(frozen=True)
class PlotGroup:
    """Plots that are read together, with a heading and what to look for."""

    name: str
    title: str
    caption: str
    plots: tuple[Plot, ...]


def pairs(xs: Any, ys: Any) -> Points:
    """Return the points with two finite coordinates; none if these are not two lists of one length."""
    if not isinstance(xs, (list, tuple)) or not isinstance(ys, (list, tuple)) or len(xs) != len(ys):
        return ()
    return tuple((x, y) for x, y in zip(xs, ys, strict=True) if is_number(x) and is_number(y))


def is_number(value: Any) -> bool:
    """Return whether this is a finite number, and no truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)

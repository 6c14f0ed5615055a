"""What a run offers to draw: series of numbers taken from its measurements, checked for shape."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from paper_checks.report.descent import descent_group
from paper_checks.report.panels import Plot, PlotGroup, Series, is_number, pairs
from properties.results import Result, Run

KINDS = ("descent", "scaling", "baselines", "layers")  # what the names of figures begin with


def plot_groups(run: Run) -> list[PlotGroup]:
    """Return what can be drawn of this run; a group without plots is left out."""
    groups = [
        *descent_group(run.header),
        PlotGroup(
            "scaling",
            "What the leading terms leave out",
            "The Frobenius norm of what is left of each trained matrix when its leading term is taken away, "
            "against the learning rate. If the theorem holds, the points lie on straight lines, whose slopes "
            "are one order above the leading term: 2 for W_O, 3 for V, 5 for W and P. "
            "The legend gives the fitted slope and its interval.",
            _distinct(_scaling(run.results)),
        ),
        PlotGroup(
            "baselines",
            "What uniform attention scores",
            "Each attention metric of uniform causal attention, as an implementation measures it (marks) and "
            "in closed form (line), against the number of positions. A trained head is read against these.",
            _distinct(_baselines(run.results)),
        ),
        PlotGroup(
            "layers",
            "Alignment by layer",
            "The cosine between each trained matrix and its leading term, by layer; 1 is the same direction.",
            _distinct(_layers(run.results)),
        ),
    ]
    return [group for group in groups if group.plots]


def _scaling(results: Iterable[Result]) -> Iterable[Plot]:
    by_target: dict[str, list[Series]] = {}
    for result in results:
        if result.family == "scaling":
            by_target.setdefault(result.target, []).extend(_remainders(result.measurements))
    for target, series in by_target.items():
        if series:
            stem = _stem("scaling", target)
            yield Plot(stem, target, "learning rate η", "size of the remainder", tuple(series))


def _remainders(measurements: dict[str, Any]) -> Iterable[Series]:
    exponents = _mapping(measurements, "exponents")
    for name, sizes in _mapping(measurements, "remainders").items():
        points = pairs(measurements.get("rates"), sizes)
        positive = tuple((x, y) for x, y in points if x > 0 and y > 0)
        if positive:
            yield Series(name + _interval(exponents.get(name)), positive)


def _interval(fit: Any) -> str:
    if not isinstance(fit, (list, tuple)) or len(fit) != 3 or not all(is_number(value) for value in fit):
        return ""
    value, low, high = fit
    return f": {value:.2f} [{low:.2f}, {high:.2f}]"


def _baselines(results: Iterable[Result]) -> Iterable[Plot]:
    by_metric: dict[tuple[str, str], list[Series]] = {}
    for result in results:
        positions = result.measurements.get("T")
        for name, values in _mapping(result.measurements, "closed_form").items():
            points = pairs(positions, values)
            drawn = by_metric.setdefault((result.check, name), [])
            if points and not any(series.is_law for series in drawn):
                drawn.append(Series("closed form", points, is_law=True))
        for name, values in _mapping(result.measurements, "measured").items():
            if points := pairs(positions, values):
                by_metric.setdefault((result.check, name), []).append(Series(result.target, points))
    for (check, name), series in by_metric.items():
        if series:
            stem = _stem("baselines", f"{check}-{name}")
            log_x = all(x > 0 for one in series for x, _ in one.points)
            yield Plot(stem, name, "positions T", "score", tuple(series), log_x=log_x, log_y=False)


def _layers(results: Iterable[Result]) -> Iterable[Plot]:
    for result in results:
        layers = result.measurements.get("layers")
        cosines = _mapping(result.measurements, "cosine")
        series = [Series(name, pairs(layers, values)) for name, values in cosines.items()]
        drawn = tuple(one for one in series if one.points)
        if drawn:
            what = f"{result.check} on {result.target}"
            yield Plot(_stem("layers", what), what, "layer", "cosine", drawn, log_x=False, log_y=False)


def _mapping(measurements: dict[str, Any], name: str) -> dict[str, Any]:
    value = measurements.get(name)
    return value if isinstance(value, dict) else {}


def _stem(kind: str, what: str) -> str:
    """Return a file name made of small letters, digits and dashes."""
    slug = "".join(char if char.isascii() and char.isalnum() else "-" for char in what.lower())
    return f"{kind}-{'-'.join(filter(None, slug.split('-')))[:60] or 'unnamed'}"


def _distinct(plots: Iterable[Plot]) -> tuple[Plot, ...]:
    """Return the plots; those whose names came out alike are numbered."""
    taken: dict[str, Plot] = {}
    for plot in plots:
        stem, number = plot.stem, 2
        while stem in taken:
            stem, number = f"{plot.stem}-{number}", number + 1
        taken[stem] = replace(plot, stem=stem)
    return tuple(taken.values())

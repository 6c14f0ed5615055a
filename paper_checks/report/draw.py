"""Plots drawn with Matplotlib: files to keep (SVG and PNG) and SVG text that fits into the page.

Matplotlib is imported by the functions that need it, and its output is made to depend on the plot alone: no
dates, no version, ids from a fixed salt, no settings of the user's.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from pathlib import Path
from typing import Any

from paper_checks.report.panels import Plot, PlotGroup, Series

INK, GRID, PAPER = "#1b1f24", "#d8dce1", "#ffffff"
# Okabe and Ito's colours, told apart by most colour-blind readers; the marks differ as well.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0578d", "#8a6d00", "#3b8fc4")
MARKS = ("o", "s", "^", "D", "v", "P")
STYLE = {
    "svg.hashsalt": "leadterms",
    "svg.fonttype": "path",
    "font.size": 9.0,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "legend.frameon": False,
}
RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
LONGEST = 48  # characters of a label
NOT_DRAWN = re.compile(r"<!--.*?-->|<metadata>.*?</metadata>|<style[^>]*>.*?</style>", re.DOTALL)
# Between two names beside curves, as a share of the axis; and for them, as a factor of the steps.
LINE, ROOM = 0.065, 1.9
HOLLOW: dict[str, Any] = {
    "markersize": 4.0,
    "markeredgewidth": 0.8,
    "markerfacecolor": "none",
}  # a line shows through
SIZE = (4.4, 3.3)  # inches; a phone shows it at full width with letters still readable


def write_figures(groups: list[PlotGroup], folder: Path) -> dict[str, str]:
    """Write each plot as STEM.svg and STEM.png into `folder`; return by stem the SVG to put into the page."""
    inline = {}
    for plot in (plot for group in groups for plot in group.plots):
        folder.mkdir(exist_ok=True)
        svg, png = drawn(plot)
        (folder / f"{plot.stem}.svg").write_text(svg, encoding="utf-8")
        (folder / f"{plot.stem}.png").write_bytes(png)
        inline[plot.stem] = fit_for_page(svg, plot)
    return inline


def drawn(plot: Plot) -> tuple[str, bytes]:
    """Return the plot as SVG text and as PNG bytes."""
    import matplotlib.style

    svg, png = io.StringIO(), io.BytesIO()
    with matplotlib.style.context(["default", STYLE]), warnings.catch_warnings():
        # A name in a script that the font lacks shows as boxes; that is no reason to warn.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = _figure(plot)
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None, "Title": plot.stem})
        figure.savefig(png, format="png", dpi=200, metadata={"Software": None})
    return svg.getvalue(), png.getvalue()


def fit_for_page(svg: str, plot: Plot) -> str:
    """Return the SVG as an element of a page: its own ids, the page's colours, a name for screen readers.

    The colours become CSS variables so that they follow the page from light to dark; the background goes.
    """
    element = svg[svg.index("<svg") :]
    element = NOT_DRAWN.sub("", element)
    element = re.sub(r'\bid="([^"]*)"', rf'id="{plot.stem}-\1"', element)
    element = re.sub(r'(?:xlink:)?href="#([^"]*)"', rf'href="#{plot.stem}-\1"', element)
    element = element.replace("url(#", f"url(#{plot.stem}-")
    element = element.replace(PAPER, "none").replace(INK, "currentColor").replace(GRID, "var(--rule)")
    for i, colour in enumerate(COLOURS, start=1):
        element = element.replace(colour, f"var(--series-{i})")
    element = re.sub(r"\n\s*", "\n", element).replace("\n\n", "\n")
    box = re.search(r'viewBox="[^"]*"', element)
    head = f'<svg class="plot" role="img" aria-labelledby="{plot.stem}-name" {box[0] if box else ""}>'
    return head + element[element.index(">") + 1 :]


def _figure(plot: Plot) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    if plot.named_at:
        _named(axes, plot)
        return figure
    laws = [series for series in plot.series if series.is_law]
    for series in laws:
        _line(axes, series)
    for number, series in enumerate(series for series in plot.series if not series.is_law):
        # Where a law is drawn the marks are read against its line, and need none of their own.
        _marks(axes, series, number, joined=not laws)
    axes.set_xscale("log" if plot.log_x else "linear")
    axes.set_yscale("log" if plot.log_y else "linear")
    axes.set_xlabel(plot.x_label)
    axes.set_ylabel(_clipped(plot.y_label), parse_math=False)
    _ticks(axes, plot)
    axes.set_title(_clipped(plot.what), loc="left", fontsize=9, parse_math=False)
    for text in axes.legend(fontsize=8).get_texts():
        text.set_parse_math(False)
    return figure


def _line(axes: Any, series: Series) -> None:
    xs, ys = zip(*sorted(series.points), strict=True)
    axes.plot(xs, ys, color=INK, linewidth=1.0, label=_clipped(series.label))


def _marks(axes: Any, series: Series, number: int, *, joined: bool) -> None:
    xs, ys = zip(*sorted(series.points), strict=True)
    colour, mark = COLOURS[number % len(COLOURS)], MARKS[number % len(MARKS)]
    axes.plot(
        xs,
        ys,
        color=colour,
        marker=mark,
        markersize=4.5,
        linewidth=1.2,
        linestyle="-" if joined else "none",
        label=_clipped(series.label),
    )


def _clipped(text: str) -> str:
    """Return `text` short enough to leave room for the axes; the page shows it whole beside the figure."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _power_of_ten(value: float) -> str:
    """Return a decade as plain text; Matplotlib's own formulas take most of the time of a drawing."""
    exponent = math.log10(value)
    return f"10{str(round(exponent)).translate(RAISED)}" if exponent.is_integer() else f"{value:g}"


def _named(axes: Any, plot: Plot) -> None:
    """Draw series that have their names beside them: marks for what was measured, lines for laws."""
    labels = list(dict.fromkeys(series.label for series in plot.series))
    ends = {}
    for series in plot.series:
        number = labels.index(series.label)
        colour, mark = COLOURS[number % len(COLOURS)], MARKS[number % len(MARKS)]
        line = {"linestyle": (0, (1, 2)) if series.doubtful else (0, (5, 2)), "linewidth": 1.3}
        marks = {"linestyle": "none", "marker": mark, **HOLLOW}
        xs, ys = zip(*series.points, strict=True)
        axes.plot(xs, ys, color=colour, **(line if series.is_law else marks))
        if not series.is_law:
            ends[series.label] = series.points[0 if plot.named_at == "left" else -1], colour
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(plot.x_label)
    axes.set_ylabel(_clipped(plot.y_label), parse_math=False)
    axes.set_title(_clipped(plot.what), loc="left", fontsize=9, parse_math=False)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_major_formatter(lambda value, _: _power_of_ten(value))
    if plot.level:
        height, words = plot.level
        axes.axhline(height, color=INK, linewidth=0.7)
        axes.text(0.01, height, words, transform=axes.get_yaxis_transform(), fontsize=8, va="bottom")
    _names(axes, plot, ends)
    _key(axes, plot)


def _names(axes: Any, plot: Plot, ends: dict[str, tuple[tuple[float, float], str]]) -> None:
    """Write each name beside its end, as near as the others leave room."""
    low, high = axes.get_xlim()
    left = plot.named_at == "left"
    axes.set_xlim(low / ROOM if left else low, high if left else high * ROOM)
    bottom, top = map(math.log, axes.get_ylim())
    in_order = sorted(ends.items(), key=lambda one: one[1][0][1])
    wanted = [(math.log(y) - bottom) / (top - bottom) for _, ((_, y), _) in in_order]
    for height, (label, ((x, _), colour)) in zip(_apart(wanted), in_order, strict=True):
        axes.annotate(
            label,
            (x, height),
            ((-6 if left else 6), 0),
            xycoords=axes.get_xaxis_transform(),
            textcoords="offset points",
            color=colour,
            fontsize=9,
            ha="right" if left else "left",
            va="center",
            parse_math=False,
        )


def _apart(wanted: list[float]) -> list[float]:
    """Return increasing heights at least a line apart, none above 1, each as near as that lets it be."""
    heights: list[float] = []
    for height in wanted:
        heights.append(max(height, heights[-1] + LINE) if heights else height)
    most = 1.0
    for i in reversed(range(len(heights))):
        heights[i] = min(heights[i], most)
        most = heights[i] - LINE
    return heights


def _key(axes: Any, plot: Plot) -> None:
    from matplotlib.lines import Line2D

    shown = [
        Line2D([], [], color=INK, marker="o", linestyle="none", label="measured", **HOLLOW),
        Line2D([], [], color=INK, linewidth=1.3, linestyle=(0, (5, 2)), label=plot.law),
    ]
    if any(series.doubtful for series in plot.series):
        beyond = "beyond where it says something"
        shown.append(Line2D([], [], color=INK, linewidth=1.3, linestyle=(0, (1, 2)), label=beyond))
    axes.legend(handles=shown, loc="lower right", fontsize=8)


def _ticks(axes: Any, plot: Plot) -> None:
    """Mark the points' own places on a short axis; on a log axis the decades would miss most of them."""
    from matplotlib.ticker import NullFormatter, NullLocator

    if plot.log_y:
        axes.yaxis.set_major_formatter(lambda value, _: _power_of_ten(value))
        axes.yaxis.set_minor_formatter(NullFormatter())
    places = sorted({x for series in plot.series for x, _ in series.points})
    if len(places) <= 6:
        axes.set_xticks(places, [f"{x:.3g}" for x in places])
        axes.xaxis.set_minor_locator(NullLocator())
    axes.grid(visible=False, axis="x")

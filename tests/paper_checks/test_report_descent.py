"""The first figure of the page: its curves are the numbers of the run and of the theory, and no others."""

import math
from dataclasses import replace
from itertools import pairwise

import matplotlib.pyplot
import numpy as np
import pytest
from test_report_page import Page, page_of
from test_report_sample import run_of, sample_run

from paper_checks.report import descent as figure
from paper_checks.report import notebook
from paper_checks.report.draw import LINE, _apart, _figure
from paper_checks.report.plots import plot_groups
from paper_checks.reproduction import curves, descent, orders
from paper_checks.reproduction.main_run import Laboratory, turned
from paper_checks.reproduction.plan import Plan
from paper_checks.reproduction.whole import reproduced
from paper_checks.reproduction.write import as_mapping
from properties.checkpoint_bands import by_layer
from properties.predictions import alignment
from properties.tolerances import gamma, unit_roundoff
from reference.corpus import Corpus
from reference.descent import train
from reference.statistics import statistics

EN_DASH = "\N{EN DASH}"
LAYERS, RATE, STEPS = 3, 0.5, 40
TOKENS = np.random.default_rng(7).integers(0, 6, size=(40, 6))
PLAN = Plan(
    sequences=40,
    sample=8,
    layers=LAYERS,
    rate=0.05,
    steps=4,
    large_rate=RATE,
    most_steps=STEPS,
    short_steps=4,
    left_out=True,
)


@pytest.fixture(scope="module")
def header():
    corpus = Corpus(TOKENS, tuple(f"w{i}" for i in range(6)), "made up")
    head, rows = reproduced(corpus, PLAN)
    return {"reproduced": as_mapping(head, rows)}


def closed_forms(step):
    """The norm of each leading term by its formula, of statistics counted by the definition."""
    found = statistics(TOKENS, 6)
    c_s = 3 * math.comb(step, 4) + 2 * math.comb(step, 3)
    return {
        "W_O": step * RATE * np.linalg.norm(found["B_bar"]),
        "V 1": math.comb(step, 2) * RATE**2 * np.linalg.norm(found["Phi_bar"].T @ found["B_bar"].T),
        "W 1": c_s * RATE**4 * np.linalg.norm(found["Q_bar"]),
        "P 1": c_s * RATE**4 * np.linalg.norm(found["Delta_bar"]),
    }


# No sum on the way from the tokens to a norm has more terms than there are pairs of words at each position.
WITHIN = gamma(TOKENS.size * 6**2, unit_roundoff("float64"))


def is_closed_form(found):
    return all(
        math.isclose(drawn, closed_forms(step)[one["weight"]], rel_tol=WITHIN)
        for one in found["weights"]
        for step, drawn in zip(one["steps"], one["leading"], strict=True)
    )


def recorded(steps):
    """The curves of a short run, made again."""
    lab = Laboratory(TOKENS, 6)
    recorder = curves.Recorder(lab, PLAN)
    start = descent.zeros(6, lab.T, LAYERS)
    by = descent.implementation("float64")
    for step, at in enumerate(descent.descend(by, iter([TOKENS] * steps), start, RATE, "float64")):
        recorder.watch(step, at)
    return recorder.as_mapping({})


def test_the_lines_of_the_norms_are_the_closed_forms(header):
    found = header["reproduced"]["curves"]
    assert [one["weight"] for one in found["weights"]] == ["W_O", "V 1", "W 1", "P 1"]
    assert all(one["steps"] == curves.drawn_steps(STEPS) for one in found["weights"])
    assert is_closed_form(found)


SLIPS = {
    "s^2 / 2 for C(s, 2)": ("V", lambda s: s**2 / (s * (s - 1))),
    "C(s, 3) for C(s, 2)": ("V", lambda s: (s - 2) / 3),
    "s - 1 for s": ("W_O", lambda s: (s - 1) / s),
    "C(s, 4) for c_s": ("W", lambda s: math.comb(s, 4) / (3 * math.comb(s, 4) + 2 * math.comb(s, 3))),
    "a factor 1/2": ("P", lambda s: 0.5),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_in_a_closed_form_is_noticed(monkeypatch, slip):
    of, factor = SLIPS[slip]

    def slipped(group, rate, steps, layer, layers):
        found = right(group, rate, steps, layer, layers)
        if group == of and found[0]:
            found[0] *= factor(steps)
        return found

    right = alignment.amounts
    assert is_closed_form(recorded(8))
    monkeypatch.setattr(alignment, "amounts", slipped)
    assert not is_closed_form(recorded(8))


def test_what_is_measured_is_the_descent_of_the_reference(header):
    for one in header["reproduced"]["curves"]["weights"]:
        group, *layer = one["weight"].split()
        for step, norm, turn in zip(one["steps"], one["norm"], one["turned"], strict=True):
            if step not in (4, 8):
                continue
            weight = by_layer(group, train(TOKENS, 6, LAYERS, RATE, step)[group])[int(*layer)]
            # Each step adds a gradient, a sum over all positions and words, to what was there.
            within = WITHIN * step * LAYERS
            assert norm == pytest.approx(np.linalg.norm(weight), rel=within, abs=0)
            leading = Laboratory(TOKENS, 6).leading[group]
            # 1 - cos is half a squared distance of two units, each known to so much.
            distance, both = math.sqrt(2 * turned(weight, leading)), within + within
            assert math.sqrt(2 * turn) == pytest.approx(distance, rel=0, abs=both)


def test_the_curves_plotted_are_the_numbers_computed(header):
    (group,) = figure.descent_group(header)
    norms, turns = group.plots
    of_run = {one["weight"]: one for one in header["reproduced"]["curves"]["weights"]}
    for plot, measured, law in ((norms, "norm", "leading"), (turns, "turned", "predicted")):
        lines = [line.get_xydata() for line in _figure(plot).axes[0].lines]
        assert len(lines) == len(plot.series) + bool(plot.level)
        for series, line in zip(plot.series, lines, strict=False):
            assert line.tolist() == [list(point) for point in series.points]
            one = of_run[series.label]
            computed = zip(one["steps"], one[law if series.is_law else measured], strict=True)
            assert set(series.points) <= set(computed)
        for weight, one in of_run.items():
            shown = {p for s in plot.series if s.label == weight and s.is_law for p in s.points}
            wanted = {p for p in zip(one["steps"], one[law], strict=True) if p[1] and p[1] > 0}
            assert shown == wanted
            shown = {p for s in plot.series if s.label == weight and not s.is_law for p in s.points}
            assert {step for step, _ in shown} == {step for step, _ in wanted}


def test_a_prediction_is_dotted_where_its_terms_do_not_shrink(header):
    (group,) = figure.descent_group(header)
    for one in header["reproduced"]["curves"]["weights"]:
        mine = [s for s in group.plots[1].series if s.label == one["weight"] and s.is_law]
        known = dict(zip(one["steps"], one["known"], strict=True))
        for series in mine:
            if not series.doubtful:
                assert all(known[step] for step, _ in series.points)
            else:
                assert not known[series.points[-1][0]] or not known[series.points[1][0]]


def test_more_orders_bring_a_sum_nearer_to_the_run():
    """Where a series converges quickly each further order leaves less out."""
    lab, plan, steps = Laboratory(TOKENS, 6), replace(PLAN, large_rate=0.25), 8
    *_, at = zip(range(steps + 1), orders._side_by_side(lab, plan), strict=False)
    start, by = descent.zeros(6, lab.T, LAYERS), descent.implementation("float64")
    run = descent.last(descent.descend(by, iter([TOKENS] * steps), start, plan.large_rate, "float64"))
    for group, layer, name in curves.shown(LAYERS):
        weight = by_layer(group, run[group])[layer]
        predicted = lab.directions[group].combined(
            alignment.amounts(group, plan.large_rate, steps, layer, LAYERS)
        )
        sums = [predicted, *orders._sums(lab, plan, at[1], group, layer, steps)]
        off = [float(np.linalg.norm(weight - one)) for one in sums]
        assert off == sorted(off, reverse=True), (name, off)


def test_orders_are_left_where_they_were_not_asked_for_or_cost_too_much(monkeypatch):
    lab = Laboratory(TOKENS, 6)
    assert orders.last_steps_through(lab, replace(PLAN, left_out=False), 0.99) == {}
    monkeypatch.setattr(orders, "MOST_WORDS", 5)
    assert orders.last_steps_through(lab, PLAN, 0.99) == {}


def late(weight, predicted, measured, **through):
    return figure.Lateness(weight, predicted, measured, True, {k[1:]: step for k, step in through.items()})


def test_how_late_a_prediction_is_and_by_which_order_is_read_off_the_steps():
    found = [late("W_O", 48, 40, k2=48, k3=50, k4=41), late("V 1", 34, 29, k2=34, k3=35, k4=30)]
    assert found[0].late == 48 / 40 - 1
    assert figure.how_late(found).endswith("late by 17% to 20% of those measured.")
    early = [*found, late("P 1", 30, 40)]
    assert figure.how_late(early[2:] * 2).endswith(
        "later than predicted: the steps are early by 25% to 25% of those measured."
    )
    assert "Of the predicted steps of 3 weights 2 are late" in figure.how_late(early)
    assert figure.how_late([late("W 1", None, None)]) == ""
    assert figure.orders(found) == ["2", "3", "4"]
    assert [figure.farthest_off(found, k) for k in "234"] == [8, 10, 1]
    assert figure.lacks_most(found) == "4"
    assert figure.lacks_most([late("V 1", 34, 29, k2=34, k3=35, k4=32)]) is None  # not by half
    assert figure.lacks_most([late("V 1", 34, 29, k2=None)]) is None
    assert figure.lacks_most([late("V 1", None, 29, k2=29)]) is None
    assert figure.lacks_most([]) is None


def test_the_page_shows_it_first_and_tells_of_its_run(header):
    page = page_of(replace(sample_run(), header={**sample_run().header, **header}))
    ids = Page(page).ids
    places = [ids.index(name) for name in ("failures", "descent", "theory", "claims", "errata", "results")]
    assert places == sorted(places)
    section = page.split('id="descent"')[1].split("</section>")[0]
    assert section.count("<svg") == 2
    told = " ".join("".join(Page(f"<section>{section.partition('>')[2]}</section>").text).split())
    assert "V = 6 words, T = 5 positions, N = 40 sequences" in told
    assert f"3 layers, numbered from 0, rate η = {RATE}, seed 0" in told
    (group,) = figure.descent_group(header)
    for x, y in (point for plot in group.plots for series in plot.series for point in series.points):
        assert f'<td class="number">{x:.6g}</td><td class="number">{y:.6g}</td>' in section
    rows = figure.drawn(figure.lateness(header), header)
    assert [one.weight for one in rows] == ["W_O", "V 1", "W 1", "P 1"]
    for one in rows:
        row = section.split(f'<th scope="row">{one.weight}</th>')[1].split("</tr>")[0]
        for step in (one.predicted, one.measured, *one.through.values()):
            assert f'<td class="number">{step if step is not None else EN_DASH}' in row


def test_a_run_of_one_layer_is_told_as_that(header):
    of_one = {**header["reproduced"], "curves": {**header["reproduced"]["curves"], "layers": 1}}
    page = page_of(replace(sample_run(), header={**sample_run().header, "reproduced": of_one}))
    section = page.split('id="descent"')[1].split("</section>")[0]
    assert "1 layer, numbered from 0" in section
    assert "second" not in section


@pytest.mark.parametrize(
    "broken",
    [
        None,
        {},
        {"weights": 3},
        {"layers": 1, "rate": 0.5, "weights": [3]},
        {"layers": 1, "rate": 0.5, "weights": [{"weight": "V", "steps": [1], "norm": []}]},
    ],
)
def test_curves_of_another_form_are_not_drawn(header, broken):
    run = run_of(reproduced={**header["reproduced"], "curves": broken})
    assert plot_groups(run) == []
    assert 'id="descent"' not in page_of(run)
    assert figure.drawn(figure.lateness(run.header), run.header) == []
    assert "descent" not in {cell.id for cell in notebook.cells(run)}


def test_the_notebook_draws_it_too(header):
    (source,) = [cell.source for cell in notebook.cells(run_of(**header)) if cell.id == "descent"]
    matplotlib.use("agg")
    drawn = {"run": run_of(**header), "plt": matplotlib.pyplot, "np": np}
    exec(source, drawn)
    for ax, measured, law in zip(drawn["axes"], ("norm", "turned"), ("leading", "predicted"), strict=True):
        for number, one in enumerate(header["reproduced"]["curves"]["weights"]):
            for line, name in zip(ax.lines[2 * number : 2 * number + 2], (law, measured), strict=True):
                moved = [i for i, value in enumerate(one[law]) if value and value > 0]
                assert line.get_ydata().tolist() == [one[name][i] for i in moved]
                assert line.get_xdata().tolist() == [one["steps"][i] for i in moved]
    matplotlib.pyplot.close("all")


def test_names_beside_curves_leave_each_other_room():
    for wanted in ([0.1, 0.11, 0.9], [0.97, 0.98, 0.99, 1.0], [0.5], []):
        heights = _apart(wanted)
        assert len(heights) == len(wanted)
        assert all(b - a > LINE - 2.0**-40 for a, b in pairwise(heights))
        assert all(height <= 1 for height in heights)
    assert _apart([0.1, 0.5]) == [0.1, 0.5]


def test_steps_are_spread_evenly_over_doublings():
    steps = curves.drawn_steps(200)
    assert steps[:4] == [1, 2, 3, 4]
    assert steps[-1] <= 200 < 2 * steps[-1]
    assert curves.drawn_steps(1) == [1]

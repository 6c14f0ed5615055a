"""`leadterms reproduce`: what is measured lies where it was predicted."""

import json
import math
import re

import numpy as np
import pytest
from calling import leadterms
from typer.testing import CliRunner

from paper_checks.command_line import app
from paper_checks.prediction.published import published_numbers
from paper_checks.reproduction import by_direction, descent, plan
from paper_checks.reproduction.main_run import turned
from paper_checks.reproduction.plan import FULL_SIZE, Plan
from paper_checks.reproduction.rows import Row, horizons
from properties.tolerances import likely_rounding, rounding
from reference.alignment import Singular
from reference.errors import InputError

SMALL = ("--sequences", "48", "--sample", "8", "--length", "6", "--steps", "24", "--rate", ".05")
SHORT = ("--most-steps", "24", "--short-steps", "12", "--layers", "2")


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduce")
    done = leadterms("reproduce", *SMALL, *SHORT, "--json", "r.jsonl", cwd=folder, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout, [json.loads(line) for line in (folder / "r.jsonl").read_text().splitlines()]


def test_the_lines_are_a_header_rows_and_a_footer(told):
    shown, lines = told
    head, *rows, foot = lines
    assert [head["kind"], foot["kind"]] == ["header", "footer"]
    assert foot["rows"] == len(rows) == sum(line["kind"] == "row" for line in lines)
    assert head["scaled_down"]["sequences"] == [65_536, 48]
    assert max(map(len, shown.splitlines())) <= 80
    parts = {row["part"] for row in rows}
    assert parts >= {"main run", "rate 0.05", "start 1e-08", "batches, order 1", "2 layers", "4 layers"}


def test_what_is_drawn_is_told_with_the_interval_of_one_draw(told):
    shown, lines = told
    rows = [line for line in lines if str(line.get("quantity", "")).endswith("statistics of 8")]
    assert [row["weight"] for row in rows] == ["W_O", "V 0", "W 0", "P 0"]
    for row in rows:
        assert row["low"] < row["predicted"] < row["high"]
        assert row["apart"] is None
        cell = "inside" if row["low"] <= row["float64"] <= row["high"] else "outside"
        shown_row = next(
            line for line in shown.splitlines() if "statistics of 8" in line and row["weight"] in line
        )
        assert shown_row.rstrip().endswith(cell)


@pytest.mark.parametrize(
    ("low", "high", "inside"), [(1.0, 3.0, True), (2.0, 2.0, True), (2.1, 3.0, False), (None, None, None)]
)
def test_a_draw_is_inside_its_interval_or_not(low, high, inside):
    row = Row("part", "1 - cos", "V", None, 1.0, 2.0, None, low, high)
    assert row.inside is inside
    assert math.isnan(row.apart) == (low is not None)
    assert Row("part", "1 - cos", "V", None, 1.0, 2.0, None, math.nan, math.nan).inside is None


def test_last_steps_are_told_a_line_a_weight(told):
    shown, lines = told
    table = shown.split("the last step along its leading term")[1].split("predicted: by")[0]
    for one in horizons(line for line in lines if line["kind"] == "row"):
        row = next(line for line in table.splitlines() if line.startswith(one.weight))
        for level, both in one.levels.items():
            predicted, measured = ("no" if step is None else f"{step:,}" for step in both)
            mark = "" if level in one.known else " ?"
            assert f"{predicted}{mark} / {measured}" in row
    assert [*one.levels] == ["0.99", "0.9", "0.7"]
    assert "no" in table


def test_one_position_moves_no_score_and_fails_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sizes = {"sequences": 32, "sample": 8, "steps": 3, "most-steps": 4, "short-steps": 3, "layers": 1}
    few = [f"--{name}={value}" for name, value in sizes.items()]
    done = CliRunner().invoke(app, ["reproduce", "--length", "1", *few, "--json", "r.jsonl"])
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()][1:-1]
    of_scores = [row for row in rows if row["quantity"] == "1 - cos" and row["weight"] == "W 0"]
    assert of_scores
    assert all(row["float64"] is None for row in of_scores if row["part"] == "main run")


def test_the_run_of_a_report_trains_as_long_as_the_published_one():
    assert plan.QUICK.rate * plan.QUICK.steps == pytest.approx(Plan().rate * Plan().steps)
    run = published_numbers()[0].setting
    assert run.rate * run.steps == pytest.approx(plan.QUICK.rate * plan.QUICK.steps)


def test_what_is_measured_is_what_was_predicted(told):
    """Within a few per cent: what the order after the last one that is known may add at s eta = 1.2."""
    rows = [line for line in told[1] if line["kind"] == "row"]
    exact = ("norm", "error of the leading term", "1 - cos", "spread of the layers", "fall of the loss")
    compared = [
        row
        for row in rows
        if row["quantity"] in exact
        or row["quantity"].startswith(("rise", "rms", "largest", "distance", "1 - cos without"))
    ]
    assert len(compared) > 60
    for row in compared:
        assert abs(row["apart"]) < 0.1, row


def test_training_aligns_in_every_direction_and_a_sample_stops(told):
    """A sample is off by half in the directions in which training on all is off by a part in a thousand."""
    rows = [line for line in told[1] if line.get("part") == by_direction.PART]
    trained, sampled = rows[::2], rows[1::2]
    assert {row["weight"] for row in rows} == {"W_O", "V 0", "W 0"}
    assert {int(row["quantity"].split()[-1]) for row in trained} >= {1, 2, 5, 10}
    for one, other in zip(trained, sampled, strict=True):
        assert one["weight"] == other["weight"]
        assert other["quantity"] == "  of 8 sequences"
        assert one["float64"] < 2.0**-10
        assert other["float64"] > 2.0**-4


def test_what_is_left_is_without_the_first_directions_on_both_sides():
    rng = np.random.default_rng(0)
    X, M = rng.normal(size=(6, 6)), rng.normal(size=(6, 6))
    U, sigma, Vt = np.linalg.svd(X)
    singular = Singular(U, sigma, Vt, float((sigma**2).sum()))
    np.testing.assert_allclose(by_direction.left_of(X, singular, 2), (U[:, 2:] * sigma[2:]) @ Vt[2:])
    left = by_direction.left_of(M, singular, 2)
    expected = U[:, 2:] @ (U[:, 2:].T @ M @ Vt[2:].T) @ Vt[2:]
    np.testing.assert_allclose(left, expected, rtol=0, atol=rounding(np.abs(M).sum(), 24, "float64"))
    assert np.abs(U[:, :2].T @ left).max() < np.abs(U[:, :2].T @ M).max() / 1000
    assert np.abs(left @ Vt[:2].T).max() < np.abs(M @ Vt[:2].T).max() / 1000


def test_float32_sees_values_and_no_scores(told):
    rows = {(r["quantity"], r["weight"]): r for r in told[1] if r.get("part") == "main run"}
    # A rise is a difference of two losses, each of the size of log V and a sum over the words of each token.
    V, T = told[1][0]["vocab_size"], told[1][0]["length"]
    rounded = 2 * likely_rounding(V + T, "float32") * math.log(V)
    rise = rows["rise without it", "W_O"]
    assert rise["float32"] == pytest.approx(rise["float64"], rel=0, abs=rounded)
    assert rows["rise without it", "W 0"]["float32"] == 0
    assert rows["rise without it", "W 0"]["float64"] > 0


def test_a_level_that_is_not_lost_in_time_is_null(told):
    rows = [line for line in told[1] if str(line.get("quantity", "")).startswith("last step")]
    assert rows
    assert all(row["float64"] is None for row in rows if row["quantity"].endswith("0.7"))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_descent_is_that_of_the_reference(dtype):
    from reference.descent import train

    if not descent.available(dtype):
        pytest.skip("torch is not installed")
    tokens = np.array([[0, 1, 2, 1], [2, 0, 1, 1]])
    start, by = descent.zeros(3, 3, 2), descent.implementation(dtype)
    found = descent.last(descent.descend(by, iter([tokens] * 4), start, 0.25, dtype))
    expected = train(tokens, 3, 2, 0.25, 4)
    for group, value in found.items():
        assert value.dtype == dtype
        # Four steps, each through two layers of sums over words and positions, and over all of the corpus.
        operations = 4 * (2 * (3 + 3) + 3 + tokens[:, 1:].size)
        within = rounding(np.abs(expected[group]).max(), operations, dtype)
        np.testing.assert_allclose(value, expected[group], rtol=0, atol=within)


def test_a_turn_does_not_cancel():
    x = np.array([1.0, 0.0])
    assert turned(np.array([1.0, 1e-9]), x) == pytest.approx(5e-19)
    assert turned(-x, x) == pytest.approx(2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--steps", "0"], "--steps is 0"),
        (["--rate", "0"], "--rate is 0"),
        (["--large-rate", "2"], "--large-rate is 2"),
        (["--sample", "100", "--sequences", "256"], "A sample of 100 of 256"),
        (["--sequences", "100000"], "give --sequences"),
        (["--most-steps", "0"], "--most-steps is 0"),
        (["none.txt"], "no corpus file none.txt"),
    ],
)
def test_a_bad_call_is_told_in_a_sentence(arguments, said):
    with pytest.raises(InputError, match=re.escape(said)):
        app(["reproduce", *arguments], standalone_mode=False)


def test_a_plan_says_what_is_wrong():
    assert Plan().sample * 4 <= Plan().sequences
    with pytest.raises(InputError, match="give 0 to 1"):
        Plan(rate=math.nan)


def test_the_command_of_the_full_size_is_one_that_trains_as_published(told):
    """Its options are those of the command, its sizes the published ones, and called again it goes on."""
    from typer.main import get_command

    assert "|A-A0|" in told[0]
    assert FULL_SIZE in " ".join(told[0].replace("\\\n", "").split())
    assert told[1][0]["full_size"] == FULL_SIZE
    name, command, *arguments = FULL_SIZE.split()
    assert (name, command) == ("leadterms", "train")
    train = get_command(app).get_command(None, "train")
    given = train.make_context("train", arguments).params
    run = published_numbers()[0].setting
    sizes = {"vocab_size": given["vocab"], "length": given["length"]}
    assert sizes == {name: plan.PUBLISHED[name] for name in sizes}
    assert given["batch"] * given["accumulate"] == plan.PUBLISHED["batch"]
    assert given["epochs"] * plan.PUBLISHED["sequences"] / plan.PUBLISHED["batch"] == run.steps
    assert (given["rate"], given["layers"], given["resume"]) == (run.rate, run.layers, True)

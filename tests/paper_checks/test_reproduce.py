"""`leadterms reproduce`: what is measured lies where it was predicted."""

import json
import math
import re

import numpy as np
import pytest
from calling import leadterms

from paper_checks.command_line import app
from paper_checks.reproduction import descent
from paper_checks.reproduction.main_run import turned
from paper_checks.reproduction.plan import Plan
from properties.tolerances import likely_rounding
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


def test_what_is_measured_is_what_was_predicted(told):
    """Within a few per cent: what the order after the last one that is known may add at s eta = 1.2."""
    rows = [line for line in told[1] if line["kind"] == "row"]
    exact = ("norm", "error of the leading term", "1 - cos", "spread of the layers", "fall of the loss")
    compared = [
        row
        for row in rows
        if row["quantity"] in exact or row["quantity"].startswith(("rise", "rms", "largest", "distance"))
    ]
    assert len(compared) > 60
    for row in compared:
        assert abs(row["apart"]) < 0.1, row


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
        size = np.abs(expected[group]).max()
        np.testing.assert_allclose(value, expected[group], atol=float(np.finfo(dtype).eps) * 64 * size)


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
        (["--sample", "100"], "A sample of 100 of 256"),
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

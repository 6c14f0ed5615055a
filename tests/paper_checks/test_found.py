"""What `verify` tells of a few checks: the law, how it is held, and the numbers that show the finding."""

import io
from fractions import Fraction

import pytest
from calling import called
from rich.console import Console

from paper_checks.commands.verify import Suite
from paper_checks.found import FEW, in_full, readable
from properties.catalogue import select
from properties.results import Result
from properties.runner import run_mathematics


def result(check="a.b", target="mine", state="passed", **more):
    return Result(check, target, state, "A law.", "derived here", "exact", cases=2, **more)


def printed(results):
    file = io.StringIO()
    console = Console(file=file, width=80)
    for block in in_full(results):
        console.print(block)
    assert max(map(len, file.getvalue().splitlines()), default=0) <= 80
    return file.getvalue()


def measured(check):
    (found,) = run_mathematics(select([check]), profile="quick", seed=0)
    assert found.result == "passed"
    return found.measurements


def test_the_orders_of_the_loss_are_measured():
    assert measured("series.ablation")["orders of the loss"] == {"W_O": 1, "V": 3, "W": 7, "P": 7}


def test_the_rate_from_which_zero_passes_is_measured():
    """c_s eta^4 <= 13 s^5 eta^5 T, from 1/T on with room to spare."""
    ((sizes, rates),) = measured("bounds.zero_passes")[
        "zero passes on every corpus, from this eta on"
    ].items()
    at = dict(part.split(" = ") for part in sizes.split(", "))
    T, s = int(at["T"]), int(at["s"])
    assert s == 5
    assert Fraction(rates["W"]) == Fraction(rates["P"]) == Fraction(15 + 20, 13 * s**5 * T)
    assert Fraction(rates["W"]) < Fraction(1, T)


def test_how_far_the_bounds_are_proved_is_measured():
    (reached,) = measured("bounds.wider_window").values()
    assert [one["times"] for one in reached.values()] == [3, 4, 6, 7]


def test_a_check_that_is_asked_for_shows_its_finding(tmp_path):
    done = called("verify", "reference", "--check", "series.ablation", cwd=tmp_path)
    assert done.returncode == 0
    told = " ".join(done.stdout.split())
    assert "at the orders 1, 3, 7, 7, by the law's amounts. (exact, on " in told
    assert "; derived here)" in told
    assert "orders of the loss: W_O 1, V 3, W 7, P 7" in told
    assert "Left out: reference: these are checks of the mathematics (theory)" in told


def test_a_target_that_is_tried_is_not_said_to_be_left_out():
    both = ["series.ablation", "projection.given"]
    assert Suite.chosen(["reference"], both).left_out == ()
    assert Suite.chosen(["weights:w.npz"], []).left_out == ()
    (told,) = Suite.chosen(["reference", "py:m:A"], ["series.ablation"]).left_out
    assert told.startswith("reference and py:m:A: ")


def test_many_checks_are_a_table_alone():
    few = [result(f"a.{n}", measurements={"size": 1}) for n in range(FEW)]
    assert printed(few).count("A law.") == FEW
    assert printed([*few, result("checkpoint.W_O", "weights:w.npz")]).count("A law.") == FEW
    assert printed([*few, result("b.c")]) == ""


def test_of_several_targets_each_has_its_measurements_and_a_failure_has_none():
    lacks = result(target="third", state="not_applicable")
    told = printed(
        [result(measurements={"size": 1}), result(target="other", measurements={"size": 2}), lacks]
    )
    assert told == "a.b\n  A law. (exact, on 2 cases; derived here)\n  mine, size: 1\n  other, size: 2\n"
    assert printed([result(state="failed", measurements={"size": 1})]) == ""


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"W_O": 1, "V": 3}, "W_O 1, V 3"),
        ([0.5, 1e-9], "0.5 1e-09"),
        (22674816, "22,674,816"),
        (list(range(9)), "0 1 2 3 4 5 6 7 and 1 more"),
        ([], "none"),
        (None, "none"),
        (True, "yes"),
        ([{"a": 1}, {"a": 2}], "a 1; a 2"),
        ("7/1625000", "7/1625000"),
    ],
)
def test_a_measurement_is_readable(value, told):
    assert readable(value) == told


def test_a_mapping_of_mappings_has_a_line_each_and_a_long_list_is_cut():
    told = printed([result(measurements={"share": {"L = 1": {"W": 0.25}, "L = 2": {"W": 0.5}}})])
    assert "  share:\n    L = 1: W 0.25\n    L = 2: W 0.5\n" in told
    assert "(--json FILE has all)" in printed([result(measurements={"all": {str(n): n for n in range(200)}})])

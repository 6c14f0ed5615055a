"""What a person reads in the table of a run: no row twice, no number that says another thing."""

import io
from dataclasses import replace

import pytest
from rich.console import Console
from test_report_sample import sample_run

from paper_checks.table import checkpoint_tables, ratio, show, tables
from properties import check_implementation
from properties.catalogue import CHECKS, select
from properties.results import Result, summarise


def result(check, target="mine", state="passed", **more):
    return Result(check, target, state, "A law.", "derived here", "property", **more)


def printed(*results, columns=80, **header):
    """What `verify` prints of these results, in 80 columns."""
    file = io.StringIO()
    sample = sample_run()
    run = replace(
        sample,
        header={**sample.header, "left_out": [], **header},
        results=results,
        footer=summarise(results, 1.0),
    )
    show(run, Console(file=file, width=columns))
    assert max(map(len, file.getvalue().splitlines())) <= columns
    return file.getvalue()


def rows_of(text):
    rows = [line.split() for line in text.splitlines() if line.startswith("statistics.")]
    return [row[0] for row in rows if len(row) > 1]


class OneMethod:
    def statistics(self, tokens, vocab_size):
        from reference.statistics import statistics

        return {"B_bar": statistics(tokens, vocab_size)["B_bar"]}


def test_a_check_that_lacks_a_method_is_told_once_and_has_no_row():
    results = check_implementation(OneMethod(), checks=select(["statistics", "first_step", "projection"]))
    told = printed(*results)
    tried = [one.check for one in results if one.result == "passed"]
    assert rows_of(told) == tried
    assert "first_step" not in told
    assert told.count("Phi_bar") == 1
    lacking = len(results) - len(tried)
    assert f"{lacking} checks need methods or statistics that OneMethod has not: " in " ".join(told.split())
    assert f"{len(tried)} passed, {lacking} not applicable" in told


def test_a_row_is_left_out_only_where_no_target_has_the_method():
    lacks = {"state": "not_applicable", "note": "the implementation has no train"}
    small = {"state": "not_applicable", "note": "no case was admitted: all is rounding"}
    one, both = result("statistics.a"), result("statistics.a", "theirs", **lacks)
    told = printed(one, both, result("statistics.b", **lacks), result("statistics.c", **small))
    assert rows_of(told) == ["statistics.a", "statistics.c"]
    assert tables([result("statistics.b", **lacks)]) == []


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0.0, "0"),
        (1e-9, "<.01"),
        (0.0099, "<.01"),
        (0.01, ".01"),
        (0.0899, ".09"),
        (0.5, ".50"),
        (0.994, ".99"),
        (1.0, "1"),
        (1.25, "1.2"),
        (34.4, "34"),
        (214.1, "214"),
        (9999.0, "9999"),
        (5.6e11, "6e+11"),
    ],
)
def test_a_ratio_has_few_digits(value, told):
    assert ratio(value) == told


def test_without_a_bound_what_passed_is_exact_and_what_failed_is_not():
    told = printed(
        result("statistics.a", cases=3),
        result("statistics.b", cases=3, error_over_bound=0.25),
        result(
            "statistics.c", state="failed", counterexample={"comparison": "a", "got": 1.0, "ratio": "inf"}
        ),
    )
    rows = [line.split() for line in told.splitlines() if line.startswith("statistics.")]
    assert rows[:2] == [["statistics.a", "3", "ok", "exact"], ["statistics.b", "3", "ok", ".25"]]
    assert "equality" not in told


@pytest.mark.parametrize("state", ["failed", "errored", "xfailed"])
def test_what_did_not_hold_has_no_number_of_cases(state):
    """Of how many cases held before the one that did not, in the order of a search, nobody has anything."""
    assert (
        printed(result("statistics.a", state=state)).splitlines()[1].split()[1]
        == {
            "failed": "FAILED",
            "errored": "ERROR",
            "xfailed": "xfailed",
        }[state]
    )


def test_the_corpus_is_named_where_a_check_that_was_tried_looks_at_it():
    on = next(check.id for check in CHECKS if check.needs and check.cases.of_corpus is not None)
    off = next(check.id for check in CHECKS if check.needs and check.cases.of_corpus is None)
    abstract = next(check.id for check in CHECKS if not check.needs)
    corpus = sample_run().header["corpus"]["name"]
    assert corpus in printed(result(on), result(off))
    assert corpus in printed(result("checkpoint.W_O", "weights:w.npz"))
    assert corpus in printed(result("checkpoint.W_O", "weights:w.npz", state="not_applicable", note="late"))
    lacks = {"state": "not_applicable", "note": "the implementation has no train"}
    for used in ([result(off)], [result(abstract, "theory")], [result(on, **lacks), result(off)]):
        told = printed(*used)
        assert corpus not in told
        assert "Seed 0; none of these checks looks at a corpus." in " ".join(told.split())


def test_a_checkpoint_far_off_fits_the_terminal():
    band = {"truncation": 1e-12, "sampling": 0.0, "rounding": 0.0}
    numbers = dict.fromkeys(["error", "predicted", "cosine", "cosine predicted", "rank one"], 0.25)
    far = result(
        "checkpoint.W_10",
        state="failed",
        error_over_bound=5.6e11,
        measurements={"W": numbers | {"band": band}},
    )
    (table,) = checkpoint_tables([far])
    console = Console(file=io.StringIO(), width=80)
    console.print(table)
    lines = console.file.getvalue().splitlines()
    assert "…" not in "".join(lines)
    assert lines[-1].split() == ["W_10", "FAILED", "6e+11", *["2.50e-01"] * 2, *["7.5e-01"] * 3, "1.0e-12"]


def test_a_checkpoint_without_a_band_leaves_its_place_empty():
    numbers = dict.fromkeys(["error", "predicted", "cosine", "cosine predicted", "rank one"], 0.25)
    late = result("checkpoint.W_0", state="not_applicable", measurements={"W": numbers | {"band": None}})
    (table,) = checkpoint_tables([late])
    assert list(table.columns[-1].cells) == [""]


def test_in_few_columns_ids_and_commands_are_still_there_to_be_copied():
    checks = ["statistics.B_bar", "softmax.large_logits_gradients"]
    command = "leadterms verify py:numpy_descent:Adapter --check {} --seed 0 --profile deep"
    told = printed(
        *(
            result(
                check,
                "py:numpy_descent:Adapter",
                "failed",
                error_over_bound=8e14,
                command=command.format(check),
            )
            for check in checks
        ),
        columns=60,
    )
    lines = told.splitlines()
    assert [line.split()[0] for line in lines if "FAILED" in line] == checks
    joined = " ".join(told.replace("\\\n", "").split())
    for check in checks:
        assert command.format(check) in joined
        assert told.count(f" \\\n{' ' * 12}") >= len(checks)


def test_what_broke_off_has_no_number_beside_it():
    told = printed(result("statistics.a", state="errored", error_over_bound=0.0))
    assert told.splitlines()[1].split() == ["statistics.a", "ERROR"]

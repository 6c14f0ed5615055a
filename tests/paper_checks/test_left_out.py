"""What a run left out is told in one line a target, and counts agree with their nouns."""

import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from paper_checks.command_line import app
from paper_checks.commands.verify import TrainingOptions, training_options
from paper_checks.left_out import left_out
from paper_checks.table import tables
from properties import check_implementation
from properties.catalogue import CHECKS, select
from properties.mutants.mutant import plain
from properties.results import Result, read_run
from properties.runner import PROFILES
from properties.target import AXES, METHODS
from reference.errors import counted
from reference.sequences import read_corpus
from reference.stories import stories


class Partial:
    def statistics(self, tokens, vocab_size):
        return {}

    loss = staticmethod(plain().loss)


def test_a_partial_target_has_one_line_with_what_it_lacks():
    # As few cases as there may be: what is lacking shows in any.
    results = check_implementation(Partial(), checks=[replace(one, cost=PROFILES["quick"]) for one in CHECKS])
    (line,) = left_out(results)
    lacking = sum(result.result == "not_applicable" for result in results)
    assert line.startswith(f"{lacking} checks need methods or statistics that Partial has not: ")
    wanted = line.split(" has not: ")[1].split(", ")
    assert len(wanted) == len(set(wanted)) == len(METHODS) - 2 + len(AXES) + 1  # Delta_bar has one
    assert {"train", "gradients", "Q_bar", "head_profile"} <= set(wanted)
    assert not {"statistics", "loss"} & set(wanted)


def test_a_law_was_tried_on_as_many_cases_as_the_least_of_those_that_it_applies_to():
    def result(target, state, cases):
        return Result("a.b", target, state, "A law.", "here", "exact", cases=cases)

    (table,) = tables([result("x", "passed", 9), result("y", "passed", 7), result("z", "not_applicable", 0)])
    assert list(table.columns[1].cells) == ["7"]


def test_another_reason_is_told_with_how_many_checks_it_kept_out():
    def result(note, target="mine"):
        return Result("a.b", target, "not_applicable", "A law.", "here", "exact", note=note)

    lacking = "the implementation has no train and no loss"
    lines = left_out([result("too small"), result(lacking), result("too small"), result(None, "other")])
    assert lines == [
        "1 check needs methods or statistics that mine has not: train, loss",
        "mine: 2 checks, too small",
        "other: 1 check, not_applicable",
    ]


@pytest.mark.parametrize(
    ("number", "told"), [(0, "0 words"), (1, "1 word"), (2, "2 words"), (1200, "1,200 words")]
)
def test_one_is_singular(number, told):
    assert counted(number, "word") == told


def test_the_command_that_judges_a_checkpoint_again_has_all_its_options():
    training = TrainingOptions(0.1, 3, Path("my names.toml"), ("a=W_O", "b=V"), 5000)
    options = shlex.split(training_options(training, 7))
    assert options == [
        "--names", "my names.toml", "--rename", "a=W_O", "--rename", "b=V",
        "--statistics-sample", "5000", "--seed", "7",
    ]  # fmt: skip
    assert training_options(TrainingOptions(0.1, 3), 0) == ""


def test_the_printed_command_judges_the_checkpoint_again(tmp_path):
    """On the same corpus, under the same names: the results are the same."""
    (tmp_path / "text.txt").write_text("\n<|endoftext|>\n".join(stories(6, seed=1)), encoding="utf-8")
    V, T = read_corpus(tmp_path / "text.txt", length=8).vocab_size, 8
    shapes = {"unembed": (V, V), "V": (1, V, V), "W": (1, V, V), "P": (1, T)}
    np.savez(tmp_path / "zero.npz", **{name: np.zeros(shape) for name, shape in shapes.items()})
    call = ["verify", f"weights:{tmp_path / 'zero.npz'}", "--rate", "0.1", "--steps", "3"]
    call += [
        "--rename",
        "unembed=W_O",
        "--corpus",
        str(tmp_path / "text.txt"),
        "--length",
        "8",
        "--seed",
        "2",
    ]

    def judged(arguments):
        done = CliRunner().invoke(app, [*arguments, "--json", str(tmp_path / "out.jsonl")])
        assert done.exit_code == 1, done.output
        return [replace(result, seconds=0) for result in read_run(tmp_path / "out.jsonl").results]

    first = judged(call)
    (command,) = {result.command for result in first}
    assert command.startswith("leadterms verify weights:")
    assert judged(shlex.split(command)[1:]) == first


def test_a_statistic_under_another_name_is_told_with_the_one_that_it_may_be():
    class Misnamed:
        def statistics(self, tokens, vocab_size):
            return {"B_Bar": np.zeros((vocab_size, vocab_size)), "counts": np.zeros(1)}

    (line,) = left_out(check_implementation(Misnamed(), checks=select(["statistics.B_bar"])))
    assert line == (
        "1 check needs methods or statistics that Misnamed has not: B_bar. "
        "It answers 'B_Bar', which is no statistic. Did you mean B_bar? "
        "It answers 'counts', which is no statistic."
    )

"""What a person sees of a known slip in a terminal of 80 columns, and that the printed command repeats it."""

import io
import re
import shlex
import subprocess
import sys
from dataclasses import replace

import pytest
from rich.console import Console
from typer.testing import CliRunner

from paper_checks.failures import IN_FULL, failures
from properties.catalogue import BY_ID
from properties.failure import failure_lines, wrapped
from properties.results import Result, read_run
from properties.runner import NAN, THE_LAW
from properties.slips import KINDS

# The slips that others make, each written by hand into an implementation of one or two statistics.
SLIPS = '''
import numpy as np


class Right:
    uniform, own, shift, count, dtype_of_sums, weight = True, 1, 1, None, float, True

    def statistics(self, tokens, vocab_size):
        N, T, V = len(tokens), tokens.shape[1] - 1, vocab_size
        B_bar = np.zeros((V, V), self.dtype_of_sums)
        Phi_bar = np.zeros((V, V), self.dtype_of_sums)
        for row in tokens:
            for t in range(T):
                residual = np.eye(V)[row[t + self.shift]] - (1 / V if self.uniform else 0)
                B_bar[row[t]] += residual
                for k in range(t + self.own):
                    Phi_bar[:, row[k]] += residual / ((t + 1) if self.weight else 1)
        size = self.count(N, T) if self.count else N * T
        return self.answer(B_bar / size, Phi_bar / size)

    def answer(self, B_bar, Phi_bar):
        return {"B_bar": B_bar, "Phi_bar": Phi_bar}


class Transposed(Right):
    def answer(self, B_bar, Phi_bar):
        return {"B_bar": B_bar.T, "Phi_bar": Phi_bar}


class NotDivided(Right):
    count = staticmethod(lambda N, T: 1)


class Uniform(Right):
    uniform = False


class Weight(Right):
    weight = False


class Own(Right):
    own = 0


class Shift(Right):
    shift = 0


class Padding(Right):
    count = staticmethod(lambda N, T: N * (T + 1))


class Single(Right):
    dtype_of_sums = np.float32


class Larger(Right):
    def answer(self, B_bar, Phi_bar):
        return {"B_bar": B_bar, "Phi_bar": Phi_bar * 1.001}


class OnManyWords(Right):
    """Right on every small corpus, wrong on the one that is given."""

    def answer(self, B_bar, Phi_bar):
        return {"B_bar": -B_bar if len(B_bar) > 9 else B_bar, "Phi_bar": Phi_bar}
'''
EXPECTED = {
    "Transposed": ("B_bar", "transposed"),
    "NotDivided": ("B_bar", "not divided by NT"),
    "Uniform": ("B_bar", "uniform part not subtracted"),
    "Weight": ("Phi_bar", "1/t missing"),
    "Own": ("Phi_bar", "position t excluded"),
    "Shift": ("Phi_bar", "target off by one"),
    "Padding": ("B_bar", "padding counted"),
    "Single": ("B_bar", "float32"),
    "OnManyWords": ("B_bar", None),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("my slips")
    (path / "slips.py").write_text(SLIPS)
    return path


@pytest.fixture
def leadterms(folder, monkeypatch):
    """Run the command in the folder of the slips, in 80 columns; return its exit code and its text."""
    from paper_checks.command_line import app

    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.syspath_prepend(str(folder))

    def run(*arguments):
        done = CliRunner().invoke(app, list(arguments))
        return done.exit_code, done.stdout

    yield run
    sys.modules.pop("slips", None)


def as_words(script):
    """What a shell makes of a command, without its first word."""
    done = subprocess.run(
        ["bash", "-c", f'leadterms() {{ printf "%s\\n" "$@"; }}; {script}'], capture_output=True, text=True
    )
    return done.stdout.splitlines()


def rerun_of(told):
    """The command that a failure prints, as it would be copied from the terminal."""
    lines = told.splitlines()
    (start,) = (i for i, line in enumerate(lines) if line.startswith("  rerun "))
    end = start
    while lines[end].endswith("\\"):
        end += 1
    return "\n".join([lines[start].removeprefix("  rerun"), *lines[start + 1 : end + 1]])


@pytest.mark.parametrize("name", EXPECTED)
def test_a_known_slip_is_shown_and_its_command_shows_it_again(leadterms, folder, name):
    statistic, slip = EXPECTED[name]
    how = ["--seed", "7", "--profile", "ci", "--length", "12", "--json"]
    check = f"statistics.{statistic}"
    code, told = leadterms("verify", f"py:slips:{name}", "--check", check, *how, "first.jsonl")
    assert code == 1, told
    assert max(map(len, told.splitlines())) <= 80
    (result,) = read_run(folder / "first.jsonl").results
    assert result.counterexample.get("looks_like") == slip
    said = " ".join(told.split())
    assert slip is None or KINDS[slip] in said
    for label in ("law", "tokens", "vocab_size", "entry", "got", "expected", "exact", "bound", "ratio"):
        assert f" {label} " in said, label
    assert f"({result.source})" in said
    code, _ = leadterms(*as_words(rerun_of(told)), "--json", "again.jsonl")
    assert code == 1
    (repeated,) = read_run(folder / "again.jsonl").results
    assert replace(repeated, seconds=0.0) == replace(result, seconds=0.0)


def test_of_the_failures_of_one_slip_the_smallest_is_told_in_full(leadterms, folder):
    """The others are a command each, which runs that one alone; what no slip explains stays in full."""
    code, told = leadterms("verify", "py:slips:Larger", "--check", "statistics", "--json", "larger.jsonl")
    assert code == 1
    assert max(map(len, told.splitlines())) <= 80
    failed = [result for result in read_run(folder / "larger.jsonl").results if result.result == "failed"]
    same = [one.check for one in failed if one.counterexample.get("looks_like") == "multiplied by 1.001"]
    unnamed = [one.check for one in failed if not one.counterexample.get("looks_like")]
    assert len(same) + len(unnamed) == len(failed)
    assert len(same) > 2
    blocks = [line.partition(" ")[0] for line in told.splitlines() if line.endswith(": failed")]
    assert sorted(blocks) == sorted([same[0], *unnamed])
    assert told.count("It is multiplied by 1.001") == 1
    assert f"By the same slip {len(same) - 1} more checks fail:" in told
    joined = " ".join(told.replace("\\" + "\n", "").split())
    for check in same[1:]:
        assert f" leadterms verify py:slips:Larger --check {check} --seed 0" in joined


def printed(results, columns=80):
    """What a terminal of so many columns shows of these failures."""
    file = io.StringIO()
    console = Console(file=file, width=columns)
    for block in failures(results, columns):
        console.print(block, soft_wrap=True)
    return file.getvalue()


def failed(check, target="x", command=None, **shown):
    """A failed check, with these besides in its counterexample."""
    counterexample = {"case": {"steps": 4}, "comparison": "V", **shown}
    command = f"leadterms verify {target} --check {check}" if command is None else command
    told = {"counterexample": counterexample, "command": command}
    return Result(check, target, "failed", "A law.", "x", "exact", **told)


def test_a_slip_of_another_target_or_another_slip_is_told_in_full_too():
    def slipped(target, slip, tokens, check="a.b", command="run it"):
        return failed(check, target, command, case={"tokens": tokens}, looks_like=slip)

    cases = [("x", "transposed", [[0, 1, 2]]), ("x", "negated", [[0]]), ("y", "transposed", [[0]])]
    results = [
        *(slipped(*case) for case in cases),
        slipped("x", "transposed", [[0, 1]]),
        slipped("x", "transposed", [[0, 1, 2]], "a.c", "run another"),
    ]
    told = printed(results)
    assert told.count("a.b on x: failed") == 2
    assert told.count("a.b on y: failed") == 1
    assert "[[0, 1]]" in told
    assert "[[0, 1, 2]]" not in told
    assert "By the same slip 2 more checks fail:\n  a.b (by the same command)\n  run another\n" in told


def test_many_failures_of_one_slip_are_listed_with_one_command_for_all():
    commands = {f"a.{name}": f"verify x --check a.{name} --seed 1" for name in "bcdef"}
    commands |= {"a.g": "verify weights", "a.h": ""}
    results = [failed(check, command=how, looks_like="negated") for check, how in commands.items()]
    listed = printed(results).partition("By the same slip 6 more checks fail:\n")[2]
    assert listed.splitlines() == [
        "  a.c, a.d, a.e, a.f; each by",
        "  verify x --check ID --seed 1",
        "  verify weights",
        "  a.h",
        "",
    ]


def test_laws_of_many_runs_stand_behind_the_slip_in_what_they_run():
    """On these no slip is tried; one that breaks off, or of another method or target, is news of its own."""
    slip = {"looks_like": "the rate is applied twice", "diagnosis": "It is right but for one slip."}
    results = [
        failed("scaling.W"),
        failed("descent.parameters", **slip),
        failed("scaling.V", error="train raised ValueError"),
        failed("scaling.V", target="y"),
        failed("gradients.series"),
        failed("conserved.W_O_rows"),
        failed("layers.V"),
    ]
    told = printed(results)
    blocks = [line for line in told.splitlines() if line.endswith(": failed")]
    names = ["descent.parameters on x", "conserved.W_O_rows on x", "scaling.V on x", "gradients.series on x"]
    assert blocks == [f"{name}: failed" for name in [*names, "scaling.V on y"]]
    behind = told.partition("Mend this first: 2 more checks that run it fail, by this or another slip:")[2]
    assert [line.split()[-1] for line in behind.splitlines() if line.startswith("  leadterms verify")] == [
        "scaling.W",
        "layers.V",
    ]
    assert "By the same slip" not in told


def test_of_many_failures_those_to_begin_with_are_told_in_full():
    """A named one, then what is cheapest; the others of that target by their ids."""
    results = [
        failed("scaling.W"),
        failed("layers.V"),
        *(failed(f"model.{name}") for name in ("attention", "attention_rows", "causal", "logits", "loss")),
        failed("zero.loss"),
        failed("gradients.W", looks_like="transposed", diagnosis="It is transposed."),
        failed("scaling.W", target="y"),
    ]
    told = printed(results)
    blocks = [line.partition(" ")[0] for line in told.splitlines() if line.endswith(": failed")]
    assert blocks[0] == "gradients.W"
    assert len(blocks) == IN_FULL + 1
    assert blocks[-1] == "scaling.W"
    costs = [BY_ID[one].cost for one in blocks[1:-1]]
    assert costs == sorted(costs)
    assert "scaling.W on x" not in told
    (left,) = re.findall(r"x: (\d) more checks failed; mend those above first.\n  (.*?)\n  --check ID", told)
    assert int(left[0]) == len(left[1].split(", ")) == 9 - IN_FULL
    assert {"scaling.W", "layers.V"} < {*left[1].split(", ")}


def test_of_many_slips_those_in_the_cheapest_laws_are_told_in_full():
    """A slip is as cheap as the cheapest law that shows it; what stands behind one goes where that goes."""
    model = ("attention", "attention_rows", "causal", "logits", "loss")
    results = [
        failed("scaling.W"),
        failed("descent.parameters", looks_like="the dearest"),
        *(failed(f"model.{name}", looks_like=name) for name in model),
        failed("conserved.W_O_rows", looks_like="the cheapest"),
        failed("zero.loss", looks_like="the cheapest"),
    ]
    told = printed(results)
    blocks = [line.partition(" ")[0] for line in told.splitlines() if line.endswith(": failed")]
    assert blocks == ["conserved.W_O_rows", *(f"model.{name}" for name in model)]
    assert "  descent.parameters, scaling.W\n" in told.partition("x: 2 more checks failed")[2]


def test_a_command_is_broken_between_its_words_and_never_in_one():
    program = "cmd:'my python' " + " ".join(f"--option{i} 'a  b {i}'" for i in range(9))
    command = shlex.join(["leadterms", "verify", program, "--check", "statistics.B_bar", "--seed", "0"])
    failed = Result("statistics.B_bar", program, "failed", "A law.", "x", "exact", command=command)
    told = wrapped(failure_lines(failed)[-1])
    assert told.count("\\\n") == 2  # the target alone is longer than a line
    assert as_words(rerun_of(told)) == shlex.split(command)[1:]


def test_a_zero_has_no_sign_and_a_single_number_no_place():
    shown = {"comparison": "loss", "index": [], "got": 0.5, "expected": -0.0, "bound": 0.0}
    failed = Result("a.b", "mine", "failed", "A law.", "here", "exact", counterexample=shown)
    lines = [line.split() for line in failure_lines(failed)]
    assert ["entry", "loss"] in lines
    assert ["expected", "0.0"] in lines


def test_one_error_is_told_once_whatever_sizes_it_names():
    results = [
        failed("statistics.B_bar", error="statistics['Delta_bar']: its shape is [0], not [1]"),
        failed("statistics.Phi_bar", error="statistics['Delta_bar']: its shape is [5], not [6]"),
        failed("statistics.G_bar", error="statistics raised KeyError: 'G'"),
        replace(failed("statistics.Q_bar"), result="errored", counterexample=None, note="it broke"),
        replace(failed("statistics.Sigma_B"), result="errored", counterexample=None, note="it broke"),
        failed("statistics.B_bar", target="y", error="statistics['Delta_bar']: its shape is [0], not [1]"),
    ]
    told = printed(results)
    blocks = [line for line in told.splitlines() if line.endswith((": failed", ": errored"))]
    names = ["B_bar on x: failed", "G_bar on x: failed", "Q_bar on x: errored", "B_bar on y: failed"]
    assert blocks == [f"statistics.{name}" for name in names]
    assert told.count("By the same error 1 more check fails:") == 2
    assert "leadterms verify x --check statistics.Phi_bar" in told


def test_nan_is_told_once_of_what_runs_the_model_and_once_of_another_method():
    checks = ["model.loss", "descent.parameters", "gradients.W", "statistics.B_bar", "statistics.Q_bar"]
    results = [replace(failed(check), note=NAN) for check in checks]
    told = printed(results)
    assert sum(line.endswith(": failed") for line in told.splitlines()) == 2
    assert "With NaN 2 more checks fail:" in told
    assert "With NaN 1 more check fails:" in told


def test_a_law_that_finds_nothing_to_compare_stands_behind_the_slip_in_what_it_runs():
    results = [
        failed("first_step.W_O", looks_like="the last step is not made"),
        failed("next_order.lost_step", comparison=THE_LAW, error="W_O has not moved"),
        failed("next_order.cosine", comparison="the call", error="train raised ValueError"),
    ]
    told = printed(results)
    blocks = [line.partition(" ")[0] for line in told.splitlines() if line.endswith(": failed")]
    assert blocks == ["first_step.W_O", "next_order.cosine"]


@pytest.mark.parametrize("columns", [50, 80])
def test_a_command_of_which_a_word_is_longer_than_a_line_is_copied_whole(columns):
    command = shlex.join(["leadterms", "verify", f"cmd:{'/a folder' * 20}", "--check", "a.b", "--seed", "0"])
    told = printed([failed("a.b", command=command)], columns)
    assert as_words(rerun_of(told)) == shlex.split(command)[1:]

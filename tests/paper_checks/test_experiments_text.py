"""Experiments on models of text, shortened, and the command that runs them."""

import json
import math
import re
import sys
from importlib import import_module
from inspect import signature

import numpy as np
import pytest

pytest.importorskip("torch", reason="experiments train models")

from paper_checks.command_line import main
from paper_checks.experiments.experiment import Experiment
from paper_checks.experiments.heads import _matched_difference
from paper_checks.experiments.registry import EXPERIMENTS, run_experiments, select
from paper_checks.experiments.result import Observation, Outcome, Quantity, read_outcomes, write_outcomes
from paper_checks.experiments.setting import SCALES, Setting
from paper_checks.ledger.experiments import read_experiments
from properties.evidence_ladder import Step
from reference.errors import InputError


def test_heads_of_text():
    """Trained heads differ and untrained ones do not; each outcome says what was asked and what was seen."""
    names = ["heads", "ablation", "induction.in_text", "probes"]
    outcomes = run_experiments("quick", 0, names)
    found = {outcome.experiment: outcome for outcome in outcomes}
    for name in ("heads.structure", "ablation.layers", "probes.used_or_not"):
        assert found[name].met, f"{name}: {found[name].verdict}"
    for outcome in outcomes:
        assert outcome.question.endswith("?")
        assert outcome.criterion.endswith(".")
        assert outcome.verdict.endswith(".")
        assert outcome.settings["profile"] == "quick"

    heads = found["heads.structure"].tables["heads"]
    assert len(heads) == 2 * 2 * 4
    quantities = {one.name: one for outcome in outcomes for one in outcome.quantities}
    predicted = quantities["their entropy as predicted from the variance of the logits"].value
    # Keys with equal tokens share their logit, which the prediction leaves out: a tenth of what it predicts.
    uniform = 23 / 24
    assert abs(quantities["mean entropy of untrained heads"].value - predicted) < (uniform - predicted) / 4
    for one in quantities.values():
        assert one.low is None or one.low <= one.value <= one.high, one.name
    pairs = found["ablation.pairs"].tables["pairs"]
    assert len(pairs) == 2 * 28
    assert found["ablation.pairs"].met == all(pair["interaction"] < 0 for pair in pairs)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_a_function_that_says_what_it_asks(name):
    experiment = EXPERIMENTS[name]
    module = import_module(f"paper_checks.experiments.{experiment.module}")
    function = getattr(module, experiment.function)
    assert list(signature(function).parameters) == ["setting"]
    assert experiment.asks == (function.__doc__ or "").partition("\n")[0]
    assert re.fullmatch(r"[A-Z].*\.", experiment.asks)


def test_an_experiment_that_is_not_there_is_told():
    with pytest.raises(LookupError, match=r"experiments\.heads has no function nothing"):
        _ = Experiment("heads", "nothing").asks


def test_matching_by_position_takes_geometry_out():
    """Values grow with the position alone, marks come late: unmatched they differ, matched they do not."""
    values = np.broadcast_to(np.arange(6.0), (1, 1, 1, 4, 6))
    marked = np.zeros((4, 6), dtype=bool)
    marked[0, 5] = marked[1, 4] = True
    matched = _matched_difference(values, marked)
    assert matched.shape == (2, 1, 1, 1)
    assert np.abs(matched).max() == 0
    plain = values[..., marked].mean() - values[..., ~marked].mean()
    assert plain > 2
    shifted = values + marked * 0.5
    assert np.abs(_matched_difference(shifted, marked) - 0.5).max() == 0


def test_experiments_are_chosen_by_id_or_group():
    quick, full = (Setting(SCALES[name]) for name in ("quick", "full"))
    assert "depth.first_layer" not in select([], quick)
    assert select([], full) == [name for name in EXPERIMENTS if not name.startswith("poems.")]
    assert select(["probes.removal", "circuits"], quick)[-1] == "probes.removal"
    with pytest.raises(InputError, match=r"no experiment 'probe'.*Did you mean probes\?"):
        select(["probe"], quick)
    with pytest.raises(InputError, match="no sizes"):
        select(["depth"], quick)
    with pytest.raises(InputError, match="no profile 'deep'"):
        run_experiments("deep", 0)


def test_an_outcome_file_that_is_none_is_told(tmp_path):
    path = tmp_path / "outcomes.jsonl"
    for other in ("{}\n", "[]\n", "", '{"kind": "header"}\n{"kind": "result", "check": "a.b"}\n'):
        path.write_text(other)
        with pytest.raises(InputError, match="not what `leadterms experiments --json` writes"):
            read_outcomes(path)
    numbers = (Quantity("x", np.float64(1)), Quantity("y", math.nan))
    write_outcomes(path, {}, [Outcome("a.b", "Q?", "C.", True, "V.", quantities=numbers)])
    assert [one.value for one in read_outcomes(path)[1][0].quantities] == [1, None]
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    for reader in (read_outcomes, read_experiments):
        with pytest.raises(InputError, match="no footer"):
            reader(path)
    path.write_text('{"kind": "header"}\n{"kind": "result", "check": "a.b"}\n{"kind": "footer"}\n')
    with pytest.raises(InputError, match="holds no experiment; give what"):
        read_experiments(path)


def test_an_outcome_is_read_as_it_was_written(tmp_path):
    """Its observations with their claims too: the strength of a claim climbs by those that name it."""
    path, names = tmp_path / "outcomes.jsonl", ("profile-table", "probe-table")
    whole = Outcome(
        "a.b",
        "Q?",
        "C.",
        False,
        "V.",
        quantities=(Quantity("x", 1.0, 0.5, 1.5), Quantity("y", 2.0)),
        tables={"rows": [{"model": 0, "low": 0.25}]},
        observations=(Observation("x", Step.ablation, False, names), Observation("y", Step.targeted, True)),
        claims=names,
        runs=({"loss": 1.0}, {"loss": 2.0}),
        settings={"profile": "quick"},
        seconds=3.0,
    )
    write_outcomes(path, {"seed": 7}, [whole])
    assert read_outcomes(path) == ({"seed": 7}, [whole])


@pytest.fixture
def command(monkeypatch, capsys):
    """Call the command in this process, which has imported torch already; return exit, output and errors."""

    def called(*arguments):
        monkeypatch.setattr(sys, "argv", ["leadterms", "experiments", *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            main()
        return (done.value.code or 0, *capsys.readouterr())

    return called


def test_the_command_writes_what_it_shows(command, tmp_path):
    path = tmp_path / "e.jsonl"
    code, shown, _ = command("probes.used_or_not", "--json", path)
    assert code == 0
    assert "probes.used_or_not (met" in shown
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["kind"] for line in lines] == ["header", "experiment", "footer"]
    assert "heads.structure" in command("--list")[1]


def test_earlier_outcomes_of_the_same_setting_are_gone_on_from(command, tmp_path):
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    assert command("probes.used_or_not", "--json", first)[0] == 0
    ((done,),) = (read_outcomes(first)[1],)
    marked = Outcome(**vars(done) | {"verdict": "As it was found."})
    write_outcomes(first, {}, [marked])
    code, shown, _ = command("probes.used_or_not", "--have", first, "--json", second)
    assert code == 0
    assert "As it was found." in shown  # it was not run again
    assert read_outcomes(second)[1] == [marked]
    text = tmp_path / "another.txt"
    text.write_text("\n<|endoftext|>\n".join([60 * "a b "] * 2))
    for other, told in (
        (["--seed", "1"], "of the seed 0, and this run is of 1; run with the same"),
        (["--profile", "full"], "of the profile quick, and this run is of full;"),
        (["--corpus", text], "of the text generated stories, and this run is of another.txt;"),
    ):
        code, _, errors = command("probes.used_or_not", "--have", first, "--json", second, *other)
        assert code == 2
        assert f"probes.used_or_not {told}" in " ".join(errors.split())
    assert read_outcomes(second)[1] == [marked]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing"], "There is no experiment 'nothing'"),
        (["heads.sizes", "--corpus", "missing.txt"], "There is no corpus file missing.txt"),
        (["probes.used_or_not", "--json", "missing/e.jsonl"], "missing"),
        (["heads.sizes", "--corpus", "short.txt"], "one window of 25, and intervals need two or more"),
        (["depth"], "give full"),
    ],
)
def test_a_wrong_call_is_told_in_a_sentence(command, arguments, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short.txt").write_text("\n<|endoftext|>\n".join([20 * "a b "] * 2))
    code, _, errors = command(*arguments)
    assert code == 2
    assert told in errors
    assert "Traceback" not in errors

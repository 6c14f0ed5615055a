"""What a claim that was not decided says would decide it: commands, options and experiments that exist."""

import re
import shlex
from io import StringIO

import pytest
import typer
from rich.console import Console

pytest.importorskip("torch", reason="experiments train models")

from paper_checks.command_line import app
from paper_checks.experiments.registry import EXPERIMENTS
from paper_checks.ledger.book import claims, obtained, tables, to_obtain
from paper_checks.ledger.decide import decide, found
from paper_checks.ledger.finding import NotGiven
from paper_checks.ledger.setting import Setting
from paper_checks.ledger.show import show_one
from paper_checks.pretrained.told import DECISIONS

COMMANDS = typer.main.get_command(app).commands
WITH = [claim for claim in claims() if claim.run_with]
# What `leadterms train` and `leadterms pretrained` write, by name.
OTHER = {*tables()["published-runs"], *DECISIONS, "embedding_spectrum"}


def calls(claim):
    """Return the commands of a claim's `run_with`: (name, arguments, its parsed parameters)."""
    parsed = []
    for call in re.split(r" && |; ", claim.run_with):
        program, name, *arguments = shlex.split(call)
        assert program == "leadterms", call
        context = COMMANDS[name].make_context(name, list(arguments))
        assert not context.args
        parsed.append((name, context.params))
    return parsed


@pytest.mark.parametrize("claim", WITH, ids=lambda claim: claim.id)
def test_what_would_run_a_claim_exists(claim):
    found_calls = calls(claim)
    # The last command decides this very claim, from what the one before it writes.
    name, last = found_calls[-1]
    assert name == "claims"
    assert list(last["ids"]) == [claim.id]
    for name, given in found_calls[:-1]:
        if name == "experiments":
            assert set(given["names"]) <= set(EXPERIMENTS)
        if name in ("experiments", "pretrained"):
            assert given["json"] == last["experiments"]


@pytest.mark.parametrize("claim", WITH, ids=lambda claim: claim.id)
def test_what_a_command_reads_was_written_before_or_is_said_to_be_what(claim):
    """No name in a command is a blank to fill in: it is a file of an earlier one, or told what it is."""
    known = to_obtain(claim.run_with)
    assert not [what for what in known.values() if what.endswith(".")]  # they follow "is" in a sentence
    assert not [word for word in shlex.split(claim.run_with) if re.fullmatch(r"[A-Z_]{2,}", word.strip(";"))]
    written = set()
    for _, given in calls(claim):
        read = [given.get("model"), given.get("corpus"), given.get("tokenizer"), given.get("experiments")]
        read = {str(one) for one in read if one is not None} - {"words", "chars"}
        assert read <= written | set(known), read - written
        written |= {str(given[option]) for option in ("json", "out") if given.get(option) is not None}
    (one,) = decide([claim], Setting())
    assert one.as_row()["obtain"] == known


def test_a_command_makes_what_its_claim_is_about():
    """A run of the published sizes that the decision asks for, or a text cut as it was counted."""
    of_runs = of_texts = 0
    for claim in WITH:
        first, last = (params for _, params in (calls(claim)[0], calls(claim)[-1]))
        if claim.run_with.startswith("leadterms train"):
            sizes = {name: first[name] for name in ("length", "layers", "rate", "steps")}
            sizes |= {"vocab_size": first["vocab"], "batch": first["batch"] * first["accumulate"]}
            setting = Recording()
            with pytest.raises(NotGiven):
                found(claim, setting)
            published = tables()["published-runs"][setting.asked]
            assert {name: float(published[name]) for name in sizes} == sizes, claim.id
            of_runs += 1
        elif claim.text.get("words"):
            # Where positions do not count in what is claimed, any will do.
            positions = claim.text.get("positions", last["length"])
            assert (last["vocab"], last["length"]) == (claim.text["words"], positions), claim.id
            of_texts += 1
    assert of_runs
    assert of_texts


def test_a_claim_that_waits_is_shown_with_all_that_it_waits_for():
    (claim,) = [claim for claim in WITH if claim.id == "cos-qk"]
    (one,) = decide([claim], Setting())
    console = Console(file=StringIO(), width=400)
    show_one(one, console)
    shown = console.file.getvalue()
    rows = dict(re.findall(r"^  (\w+(?: \w+)?) +(.*?) *$", shown, re.MULTILINE))
    assert rows["missing"] == one.strength.missing == "a training run of the published sizes"
    assert rows["to decide"] == claim.run_with
    assert rows["where"] == f"tinystories is {obtained()['tinystories']}"
    assert {"stated", "source", "strength", "checks"} <= set(rows)


def test_everything_that_is_told_is_needed_by_a_command():
    assert set(obtained()) == {name for claim in WITH for name in to_obtain(claim.run_with)}


class Recording(Setting):
    """A setting that notes which experiment it is asked for."""

    def experiment(self, name):
        self.asked = name
        return super().experiment(name)


def test_every_experiment_that_a_decision_reads_is_written():
    asked = {}
    for claim in WITH:
        setting = Recording()
        with pytest.raises(NotGiven):
            found(claim, setting)
        if hasattr(setting, "asked"):
            asked[claim.id] = setting.asked
    assert set(asked.values()) <= set(EXPERIMENTS) | OTHER
    own = {claim.id: calls(claim)[0] for claim in WITH if "leadterms experiments" in claim.run_with}
    assert own
    for claim_id, (_, given) in own.items():
        assert given["names"] == [asked[claim_id]]

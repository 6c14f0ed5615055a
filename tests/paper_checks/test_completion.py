"""What the shell completes, asked for as a shell does."""

from __future__ import annotations

import re

import pytest

from paper_checks.command_line import app
from properties.catalogue import CHECKS
from properties.connectors import FORMS
from properties.mutants.catalogue import MUTANTS
from reference.tokenizers import BY_NAME


@pytest.fixture
def completed(monkeypatch, capfd):
    """Return what bash would offer for the last of these words."""

    def offered(*words):
        monkeypatch.setenv("_LEADTERMS_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", " ".join(("leadterms", *words)))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        with pytest.raises(SystemExit):
            app(prog_name="leadterms")
        return capfd.readouterr().out.split()

    return offered


def test_commands_and_choices(completed):
    assert completed("ver") == ["verify"]
    assert completed("stats", "--layout", "d") == ["document"]


def test_ids_of_claims_and_keys_of_sources(completed):
    assert completed("claims", "random-diagonal-b") == ["random-diagonal-baseline"]
    assert completed("claims", "--source", "pa") == ["paper"]
    assert completed("claims", "no-such") == []


def test_families_come_before_their_checks(completed):
    found = completed("verify", "--check", "stati")
    assert found == ["statistics", *(one.id for one in CHECKS if one.id.startswith("statistics."))]
    assert completed("verify", "--check", "no-such") == []


def test_mutants_and_methods_where_mutants_are_tried(completed):
    one = MUTANTS[0]
    assert one.id in completed("verify", "--mutants", "--check", one.id[:-1])
    assert one.id not in completed("verify", "--check", one.id[:-1])
    assert one.method in completed("verify", "--mutants", "--check", one.method)
    assert one.caught_by[0] in completed("verify", "--mutants", "--check", one.caught_by[0])


def test_groups_come_before_their_experiments(completed):
    assert completed("experiments", "induction.r") == ["induction.random_period"]
    assert completed("experiments", "ind")[:2] == ["induction", "induction.fixed_period"]


def test_targets_are_what_an_unknown_one_is_told_of(completed):
    assert completed("verify", "gpu") == ["gpu", "gpu32"]
    assert [one.strip(":") for one in completed("verify", "")] == [
        re.split("[: ]", one)[0] for one in re.split(", | or ", FORMS)
    ]


def test_tokenizers_and_devices(completed):
    assert completed("stats", "--tokenizer", "") == list(BY_NAME)
    assert completed("stats", "--tokenizer", "w") == ["words", "whitespace"]
    assert completed("stats", "--device", "cu") == ["cuda", "cuda:0"]
    assert completed("train", "--device", "c") == ["cpu", "cuda", "cuda:0"]

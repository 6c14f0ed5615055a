"""`leadterms verify --mutants` as a person runs it."""

import json

import pytest
from calling import called, leadterms

from properties.mutants.catalogue import MUTANTS
from properties.mutants.equivalent import EQUIVALENTS
from properties.results import read_run


def test_mutants_are_tried_shown_and_written(tmp_path):
    done = leadterms("verify", "--mutants", "--check", "projection", "--json", "out.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    told = " ".join(done.stdout.split())
    of_projections = [one for one in MUTANTS if one.method == "remove_projection"]
    assert f"{len(of_projections)} of {len(of_projections)} wrong implementations caught (100.0%)" in told
    assert "projection_kept projection.formula (" in told
    assert "what is left has no part along the direction" in told
    run = read_run(tmp_path / "out.jsonl")
    assert run.ok
    assert run.header["profile"] == "ci"
    assert run.footer["mutants"] == {
        "wrong": len(of_projections),
        "caught": len(of_projections),
        "share": 1.0,
        "equivalent": len([one for one in EQUIVALENTS if one.mutant.method == "remove_projection"]),
    }
    kept = next(result for result in run.results if result.check == "mutants.projection_kept")
    assert kept.statement == "The projection is answered, not what is left without it."
    assert kept.source == "remove_projection: along * direction for weight - along * direction"
    assert set(kept.measurements["caught by, at which case"]) == {
        "projection.formula",
        "projection.orthogonal",
    }
    assert kept.command == "leadterms verify --mutants --check mutants.projection_kept --seed 0"
    assert json.loads((tmp_path / "out.jsonl").read_text().splitlines()[-1])["ok"] is True


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["reference"], "leave out TARGET"),
        (["--rate", "0.1"], "leave out --rate"),
        (["--check", "projektion"], "Did you mean projection?"),
        (["--json", "no/where.jsonl"], "There is no folder"),
    ],
)
def test_what_mutants_have_no_use_for_is_told_in_a_sentence(tmp_path, arguments, told):
    done = called("verify", "--mutants", *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stdout
    assert told in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []

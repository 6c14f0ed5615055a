"""A run of `leadterms train` decides claims when it has the sizes of a published one."""

import json

import pytest

from paper_checks.ledger.book import claims, tables
from paper_checks.ledger.decide import found
from paper_checks.ledger.experiments import read_experiments
from paper_checks.ledger.finding import NotGiven
from paper_checks.ledger.setting import Setting
from reference.errors import InputError

CLAIMS = {claim.id: claim for claim in claims()}


def run_in(folder, name, cosines, **settings):
    """Write a run with the sizes of a published one, and two entries in its log."""
    sizes = tables()["published-runs"][name]
    about = {
        "vocab_size": int(sizes["vocab_size"]),
        "length": int(sizes["length"]),
        "settings": {
            "layers": int(sizes["layers"]),
            "rate": float(sizes["rate"]),
            "batch": 256,
            "accumulate": int(sizes["batch"]) // 256,
            "steps": int(sizes["steps"]),
            **settings,
        },
    }
    first = {"W_O": [1.0], "V": [None] * 3, "W": [None] * 3}
    log = [
        {"step": 1, "loss": 8.004, "alignments": first},
        {"step": int(sizes["steps"]), "loss": 5.352, "alignments": cosines},
    ]
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps(about))
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in log))
    return folder


COSINES = {"W_O": [0.9982231], "V": [0.9993368, 0.9993366, 0.9993371], "W": [0.999631] * 3}


@pytest.mark.parametrize("claim_id", ["cos-output", "cos-value", "cos-qk", "three-layers-coincide"])
def test_a_run_of_the_published_sizes_decides(tmp_path, claim_id):
    experiments = read_experiments(run_in(tmp_path / "run", "tinystories", COSINES))
    assert found(CLAIMS[claim_id], Setting(experiments=experiments)).verdict == "holds"
    moved = {**COSINES, "W_O": [0.99], "V": [0.9, 0.99, 0.999], "W": [0.9, 0.99, 0.999]}
    other = read_experiments(run_in(tmp_path / "other", "tinystories", moved))
    assert found(CLAIMS[claim_id], Setting(experiments=other)).verdict == "refuted"


def test_the_smallest_cosines_and_the_losses_are_taken(tmp_path):
    experiments = read_experiments(run_in(tmp_path / "run", "tinystories_100", COSINES))
    assert experiments["tinystories_100"]["smallest"] == {"W_O": 0.9982231, "V": 0.9993366, "W": 0.999631}
    assert found(CLAIMS["paper-table1"], Setting(experiments=experiments)).verdict == "refuted"
    assert found(CLAIMS["cos-after-100-epochs"], Setting(experiments=experiments)).verdict == "holds"
    large = read_experiments(run_in(tmp_path / "large", "tinystories_large_rate", COSINES))
    finding = found(CLAIMS["paper-large-lr"], Setting(experiments=large))
    told = "smallest cosines 1.000 after 30 epochs and 0.998 after 100, a loss from 8.00 to 5.35"
    assert (finding.verdict, finding.computed) == ("holds", told)


def test_another_run_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(InputError, match="no folder of a run"):
        read_experiments(tmp_path)
    with pytest.raises(InputError, match="sizes of no published one"):
        read_experiments(run_in(tmp_path / "small", "tinystories", COSINES, layers=2))
    unfinished = run_in(tmp_path / "unfinished", "tinystories", COSINES)
    lines = (unfinished / "log.jsonl").read_text().splitlines(keepends=True)
    (unfinished / "log.jsonl").write_text(lines[0])
    with pytest.raises(InputError, match="did not end"):
        read_experiments(unfinished)


def test_what_is_missing_is_told_as_what_a_person_can_provide():
    told = {
        "paper-large-lr": "a training run of the published sizes",
        "trained-cyclic-score": "the experiment 'induction.random_period'",
        "embedding-pca": "a pretrained model",
    }
    for claim_id, wanted in told.items():
        with pytest.raises(NotGiven, match=wanted):
            found(CLAIMS[claim_id], Setting())


def test_an_empty_file_is_refused(tmp_path):
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(InputError, match="is empty"):
        read_experiments(tmp_path / "empty.jsonl")


def test_lines_for_people_are_passed_over(tmp_path):
    path = tmp_path / "experiments.jsonl"
    path.write_text('{"kind": "header"}\n{"experiment": "heads.sizes"}\n{"name": "pythia-drift"}\n')
    assert list(read_experiments(path)) == ["heads.sizes", "pythia-drift"]
    path.write_text('{"runs": []}\n')
    with pytest.raises(InputError, match="line 1 is not an experiment"):
        read_experiments(path)

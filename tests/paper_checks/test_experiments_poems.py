"""Experiments on models of poems, shortened: their runs are in the form that the ledger decides from."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="experiments train models")

from gpu.small_gpt.ablation import losses, removing
from paper_checks.experiments.poems import beginnings, poem_models, poem_windows, poems, punctuation
from paper_checks.experiments.registry import EXPERIMENTS, run_experiments, select
from paper_checks.experiments.result import read_outcomes, write_outcomes
from paper_checks.experiments.setting import SCALES, Setting
from paper_checks.ledger.book import claims
from paper_checks.ledger.decide import decide
from paper_checks.ledger.experiments import read_experiments
from paper_checks.ledger.setting import Setting as Ledger
from properties.tolerances import gamma, unit_roundoff
from reference.errors import InputError
from reference.stories import stories

# The sizes of the claims' model, so that the runs decide, with next to no training.
SMALL = replace(
    SCALES["full"],
    name="small",
    models=2,
    vocab_size=40,
    windows=3,
    probe_windows=6,
    batch=1,
    steps=2,
    poem_steps=2,
    poem_contexts=(8, 16, 128),
    poem_characters=24,
)
IDS = [name for name in EXPERIMENTS if name.startswith("poems.")]
DECIDED = {
    "profile-table",
    "punctuation-ablation-table",
    "similarity-table",
    "l0h0-copy-hypothesis",
    "layer0-six-times-real-heads",
    "pairwise-all-negative",
    "per-position-list",
    "probe-table",
    "context-8-to-128",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("poems") / "lines.txt"
    documents = [story.replace(" .", ".\n") for story in stories(60, 0)]
    path.write_text("\n<|endoftext|>\n".join(documents), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def outcomes(corpus):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SCALES, "small", SMALL)
        return run_experiments("small", 0, ["poems"], corpus=corpus, tokenizer="chars")


def test_runs_decide_the_claims_that_wait_for_them(outcomes, tmp_path):
    assert [one.experiment for one in outcomes] == IDS
    assert {claim for one in outcomes for claim in one.claims} == DECIDED
    path = tmp_path / "poems.jsonl"
    write_outcomes(path, {}, outcomes)
    assert [one.runs for one in read_outcomes(path)[1]] == [one.runs for one in outcomes]
    setting = Ledger(experiments=read_experiments(path))
    for one in decide([claim for claim in claims() if claim.id in DECIDED], setting):
        assert one.finding.verdict != "not_run", one.claim.id
        assert one.finding.evidence == "measured"
        assert one.finding.computed


def test_a_run_holds_what_the_model_measures(outcomes, corpus):
    setting = Setting(SMALL, 0, corpus, "chars")
    model, windows = poem_models(setting), poem_windows(setting)
    run, close = outcomes[0].runs[1], gamma(10_000, unit_roundoff("float32"))
    base = losses(model, windows)[1]
    assert run["loss"] == pytest.approx(base.mean(), rel=close)
    without = losses(model, windows, removing([(1, 2)]))[1] - base
    assert run["effects"][1][2] == pytest.approx(without.mean(), abs=close)
    assert np.allclose(run["effects_by_position"][1][2], without.mean(axis=0), atol=close)
    assert run["effects_by_punctuation"][1][2][2] == run["effects"][1][2]
    both = losses(model, windows, removing([(0, 0), (0, 1)]))[1] - base
    assert run["pair_effects"][0] == pytest.approx(both.mean(), abs=close)
    assert (len(run["pair_effects"]), len(run["map_cosines"])) == (28, 28)
    assert all(0 < cosine <= 1 for cosine in run["map_cosines"])
    assert len(run["untrained_cosines"]) == 8


def test_text_of_poems_has_no_line_breaks_and_ends_are_no_marks(corpus):
    text = poems(Setting(SMALL, 0, corpus, "chars"))
    assert not any(token.isspace() for token in text.vocabulary)
    assert [text.vocabulary[i] for i in np.flatnonzero(punctuation(text))].count(".") == 1
    assert not punctuation(text)[text.vocabulary.index("<end>")]


def test_profiles_are_of_poems_from_their_first_character(corpus):
    setting = Setting(SMALL, 0, corpus, "chars")
    text, begun = poems(setting), beginnings(setting, 0)
    assert begun.shape == (SMALL.poems, SMALL.poem_characters)
    whole = "".join(text.text(text.test.tolist()))
    for row in begun:
        assert "<end>" + "".join(text.text(row.tolist())) in "<end>" + whole
    assert (begun != beginnings(setting, 1)).any()


def test_poems_are_asked_for(corpus, tmp_path):
    stories_alone = Setting(SCALES["quick"])
    assert not {*select([], stories_alone)} & {*IDS}
    with pytest.raises(InputError, match="give --corpus FILE --tokenizer chars"):
        select(["poems"], Setting(SCALES["quick"], 0, corpus, "words"))
    assert {*select([], Setting(SCALES["quick"], 0, corpus, "chars"))} >= {*IDS}
    plain = tmp_path / "plain.txt"
    plain.write_text("\n<|endoftext|>\n".join(["abc abc"] * 4))
    with pytest.raises(InputError, match="no punctuation"):
        poems(Setting(SMALL, 0, plain, "chars"))

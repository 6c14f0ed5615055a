"""Experiments on models of poems, shortened: their runs are in the form that the ledger decides from."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="experiments train models")

import torch

from gpu.small_gpt.ablation import losses, removing
from gpu.small_gpt.model import SmallGPT
from paper_checks.experiments.poems import beginnings, poem_models, poem_windows, poems, punctuation
from paper_checks.experiments.probes import probe_rows
from paper_checks.experiments.registry import EXPERIMENTS, run_experiments, select
from paper_checks.experiments.result import read_outcomes, write_outcomes
from paper_checks.experiments.setting import SCALES, Setting
from paper_checks.ledger.book import claims
from paper_checks.ledger.decide import decide
from paper_checks.ledger.experiments import read_experiments
from paper_checks.ledger.setting import Setting as Ledger
from properties.tolerances import gamma, unit_roundoff
from reference.attention_metrics import head_profile
from reference.errors import InputError
from reference.output_size import copying_cosine
from reference.stories import stories

# The sizes of the claims' model, so that the runs decide, with next to no training; weights that start
# larger, so that what heads do is far above rounding.
SMALL = replace(
    SCALES["full"],
    name="small",
    models=2,
    vocab_size=40,
    deviation=0.1,
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
    parts = run["effects_by_punctuation"][1][2]
    marked = punctuation(poems(setting))[windows[:, :-1]]  # where the character read is punctuation
    for part, where in zip(parts, (marked, ~marked), strict=False):
        there = losses(model, windows, removing([(1, 2)], torch.from_numpy(where)))[1] - base
        assert part == pytest.approx(there.mean(), abs=close)
    assert parts[2] == run["effects"][1][2]
    assert len({round(part / close) for part in parts}) == 3  # farther apart than rounding
    both = losses(model, windows, removing([(0, 0), (0, 1)]))[1] - base
    assert run["pair_effects"][0] == pytest.approx(both.mean(), abs=close)
    assert (len(run["pair_effects"]), len(run["map_cosines"])) == (28, 28)
    assert all(0 < cosine <= 1 for cosine in run["map_cosines"])
    assert len(run["untrained_cosines"]) == 8


def test_a_run_holds_what_the_heads_of_its_model_attend_to_and_write(outcomes, corpus):
    """The profile and the likeness are of beginnings drawn for the model, the cosines of the test windows."""
    setting = Setting(SMALL, 0, corpus, "chars")
    run, close = outcomes[0].runs[1], gamma(10_000, unit_roundoff("float32"))
    model, x = poem_models(setting).only(1), poem_windows(setting)[:, :-1]
    with torch.no_grad():
        attention = model.run(torch.from_numpy(beginnings(setting, 1))).attention
        started, trained = (one.run(torch.from_numpy(x)) for one in (SmallGPT(model.config, (1,)), model))
    maps = [A[0, head].double().numpy() for A in attention for head in range(4)]
    for k, A in enumerate(maps):
        told = run["profiles"][k // 4][k % 4]
        profile = head_profile(A)
        assert told == {
            name: pytest.approx(profile[name].mean(), abs=SMALL.poem_characters * close) for name in told
        }
    assert told.keys() == {"entropy", "diagonal", "previous", "distance"}
    for cosine, (A, B) in zip(run["map_cosines"], itertools.combinations(maps, 2), strict=True):
        assert cosine == pytest.approx((A * B).sum() / math.sqrt((A**2).sum() * (B**2).sum()), abs=close)

    def copying(weights, trace):
        for layer, mixed in enumerate(trace.mixed):
            stream = trace.streams[layer][0].double().numpy()
            for written in weights.head_outputs(layer, mixed)[0].detach().double().numpy():
                yield copying_cosine(written, stream).mean()

    assert np.ravel(run["output_cosines"]) == pytest.approx([*copying(model, trained)], abs=close)
    start = SmallGPT(model.config, (1,))
    assert run["untrained_cosines"] == pytest.approx([*copying(start, started)], abs=close)


def test_a_run_of_probes_is_of_the_token_alone_and_of_the_stream_after_each_layer(outcomes, corpus):
    setting = Setting(SMALL, 0, corpus, "chars")
    (run,) = [one.runs[1] for one in outcomes if one.experiment == "poems.probe"]
    model, windows = poem_models(setting).only(1), poem_windows(setting, SMALL.probe_windows)
    rows = probe_rows(punctuation(poems(setting)), windows, seed=1)  # split anew for each model
    with torch.no_grad():
        streams = model.run(torch.from_numpy(windows[:, :-1])).streams
    flat = [stream[0].double().numpy().reshape(-1, SMALL.width) for stream in streams]
    W_E = model.weights["W_E"][0].detach().double().numpy()
    expected = {"embedding": W_E[rows.tokens], "layer1": flat[1], "layer2": flat[2]}
    assert run.keys() == {"majority", "loss", *expected}
    for name, features in expected.items():
        assert run[name] == pytest.approx(rows.score(features).mean()), name
    assert run["majority"] == pytest.approx(rows.majority().mean())
    assert run["loss"] == pytest.approx(losses(model, windows).mean())


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

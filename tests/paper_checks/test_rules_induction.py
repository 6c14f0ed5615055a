"""What experiments make of losses and induction scores that are planted: each criterion, clause by clause."""

import itertools
import math
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from planted_models import HEADS, MODELS, SETTING, numbers_of, plant, returns, steps_of

pytest.importorskip("torch", reason="experiments are of models in torch")

from paper_checks.experiments import emergence, induction, induction_text, one_layer
from paper_checks.experiments.models import Blocks, random_periods, spaced_periods, unseen_blocks
from reference.cyclic import cyclic_sequences

LOG_V = math.log(SETTING.scale.blocks_vocab)
TRAINED = returns(SimpleNamespace(model="trained"))


@pytest.mark.parametrize(
    ("losses", "scores", "chance", "met", "absent"),
    [
        ([0.05, 0.05, 0.05], [0.9, 0.9, 0.9], 0.1, True, True),
        ([0.05, 0.05, 0.2], [0.9, 0.9, 0.9], 0.1, False, True),  # one model has not learned it
        ([0.05, 0.05, 0.05], [0.9, 0.9, 0.4], 0.1, False, True),  # one model has no head that scores
        ([0.05, 0.05, 0.05], [0.9, 0.9, 0.9], 0.3, True, False),  # and so do heads that were not trained
    ],
)
@pytest.mark.parametrize("repeats", [True, False])
def test_every_model_has_to_solve_blocks_with_a_head_of_the_second_layer(
    monkeypatch, losses, scores, chance, met, absent, repeats
):
    """Losses are in parts of log V, of which a tenth may be left."""
    tokens = np.tile([0, 1, 2, 0, 1, 2, 0, 1, 2] if repeats else [0, 1, 0, 2, 0, 1, 0, 3, 1], (2, 1))
    known = np.ones((2, 8), dtype=bool)
    second = np.array([[[1.0, 1.0], [score, 0.0]] for score in scores])  # layer 0 does not count
    untrained = np.full((MODELS, 2, HEADS), 0.1)
    untrained[2, 1, 1] = chance  # one head of one model is enough against it
    told = {"trained": second, "untrained": untrained}
    asked = []
    plant(
        monkeypatch,
        induction,
        block_models=TRAINED,
        untrained_like=returns("untrained"),
        unseen_blocks=lambda setting, periods: asked.append(periods) or (tokens, None, known),
        losses=returns(np.stack([np.full((2, 8), one * LOG_V) for one in losses])),
        head_scores=lambda model, tokens: {"induction": told[model]},
    )
    found = induction.random_period(SETTING)
    steps, numbers = steps_of(found), numbers_of(found)
    assert (found.met, steps["many_inputs"], steps["absent_in_random"]) == (met, met, absent)
    assert (steps["one_input"], steps["in_the_data"]) == (True, repeats)
    assert found.verdict.startswith("Yes" if met else "Not in every model")
    for m in range(MODELS):
        assert numbers[f"loss of model {m}, nats"] == pytest.approx(losses[m] * LOG_V)
        assert numbers[f"best score of model {m}"] == scores[m]
    assert numbers["untrained score"] == pytest.approx(untrained.mean())
    trained_on, longer = asked
    assert trained_on == random_periods(SETTING)
    assert min(longer) > max(trained_on)
    assert [run["scores"] for run in found.runs] == [[1.0, 1.0, score, 0.0] for score in scores]


@pytest.mark.parametrize(
    ("same", "elsewhere", "scores", "met"),
    [
        ([0.05, 0.05, 0.05], [1.2, 1.2, 1.2], [0.9, 0.9, 0.9], True),
        ([0.05, 0.05, 0.11], [1.2, 1.2, 1.2], [0.9, 0.9, 0.9], False),  # a model has not solved the period
        ([0.05, 0.05, 0.05], [1.2, 1.2, 0.4], [0.9, 0.9, 0.9], False),  # it does well at the others too
        ([0.05, 0.05, 0.05], [1.2, 1.2, 1.2], [0.9, 0.9, 0.4], False),  # it has no head that scores
    ],
)
def test_one_layer_has_to_solve_its_period_with_a_score_and_fail_at_others(
    monkeypatch, same, elsewhere, scores, met
):
    """Losses are in parts of log V."""
    *before, period, last = random_periods(SETTING)

    def known_loss(setting, model, periods):
        assert periods in ((period,), (*before, last))  # the others are without the one that is trained on
        return LOG_V * np.tile(same if periods == (period,) else elsewhere, (4, 1)).T

    plant(
        monkeypatch,
        induction,
        block_models=TRAINED,
        unseen_blocks=returns((None, None, None)),
        head_scores=returns({"induction": np.array([[[0.0, one]] for one in scores])}),
        _known_loss=known_loss,
    )
    found = induction.fixed_period(SETTING)
    assert found.met == met
    full = induction.fixed_period(replace(SETTING, scale=replace(SETTING.scale, name="full")))
    assert full.met == met
    assert numbers_of(full)["loss at other periods, two layers, nats"] == pytest.approx(
        np.mean(elsewhere) * LOG_V
    )
    assert full.verdict.endswith("at others.")
    assert found.verdict.startswith("No: one layer" if met else "Not shown")
    numbers = numbers_of(found)
    assert numbers["loss at the period, nats"] == pytest.approx(np.mean(same) * LOG_V)
    assert numbers["loss at other periods, nats"] == pytest.approx(np.mean(elsewhere) * LOG_V)
    assert numbers["induction score at the period"] == pytest.approx(np.mean(scores))


@pytest.mark.parametrize(
    ("first", "second", "met"),
    [
        ([2.0, 2.0, 2.0], [1.0, 1.0, 1.0], True),
        ([1.4, 1.4, 1.4], [1.0, 1.0, 1.0], False),  # below its floor of 1.5
        ([2.0, 2.0, 2.0], [0.6, 0.6, 0.6], False),  # below the other's of .7
        ([3.5, 3.5, 3.5], [1.0, 1.0, 1.0], False),  # log 31 is 3.43
        ([2.0, 2.0, 2.0], [3.5, 3.5, 3.5], False),
        ([2.0, 2.0, 2.0], [0.75, 1.0, 1.25], False),  # models differ: Student's interval reaches to .38
    ],
)
@pytest.mark.parametrize("third", [None, 0.1, 9.0])
def test_single_layers_have_to_stay_above_their_floors_and_below_log_v(
    monkeypatch, first, second, met, third
):
    """A layer without a floor is told and decides nothing."""
    planted = {"no positions": (first, 1.5), "one head": (second, 0.7)}
    if third is not None:
        planted["two heads a period"] = ([third] * 3, None)
    rows = np.array([1, 3])
    kinds = {name: (SimpleNamespace(periods=name), rows, floor) for name, (_, floor) in planted.items()}
    told = {name: np.reshape(values, (MODELS, 1, 1)) for name, (values, _) in planted.items()}

    def losses(model, tokens):
        found = np.full((MODELS, 4, 5), 99.0)  # on rows that do not count
        found[:, :, rows] = told[model]
        return found

    plant(
        monkeypatch,
        one_layer,
        _one_layer_kinds=returns(kinds),
        block_models=lambda setting, blocks, steps: SimpleNamespace(model=blocks.periods),
        unseen_blocks=returns((None,)),
        losses=losses,
    )
    found = one_layer.one_layer(SETTING)
    assert found.met == met
    assert found.verdict.startswith("Above its floors" if met else "Not as predicted")
    numbers = numbers_of(found)
    for name, (values, floor) in planted.items():
        assert numbers[f"loss, {name}"] == pytest.approx(np.mean(values))
        assert numbers.get(f"floor, {name}") == floor
    assert ("two heads a period 0.10 (no floor)" in found.verdict) == (third == 0.1)


def curves(*models):
    """Return records every 10 steps of models that have a loss and a score each."""
    records = [
        (
            10 * r,
            {
                "loss": [loss[r] for loss, _ in models],
                "induction": [[0.0, score[r]] for _, score in models],
                "previous": [[score[r] / 2, 0.0] for _, score in models],
            },
        )
        for r in range(len(models[0][0]))
    ]
    return SimpleNamespace(records=records)


FALL = [4.0, 4.0, 2.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("loss", "score", "met", "begins"),
    [
        (FALL, [0.0, 0.0, 0.4, 0.8, 0.8], True, "Together: the score is half way up at step 20, the loss"),
        (FALL, [0.0, 0.0, 0.0, 0.8, 0.8], True, "Together: the score is half way up at step 25"),
        (FALL, [0.0, 0.0, 0.0, 0.0, 0.8], False, "Not together: the score is half way up at step 35"),
        (FALL, [0.0, 0.0, 0.2, 0.4, 0.4], False, "Not learned in every model"),  # no head that counts
        (FALL, [0.6, 0.6, 0.7, 0.8, 0.8], False, "Not learned in every model"),  # it was there before
        ([4.0, 4.0, 3.5, 3.0, 3.0], [0.0, 0.0, 0.4, 0.8, 0.8], False, "Not learned in every model"),
        ([4.0, 4.0, 4.0, 4.0, 4.0], [0.1, 0.1, 0.1, 0.1, 0.1], False, "Not learned in every model"),
    ],
)
def test_induction_has_to_appear_and_the_loss_to_fall_with_it(monkeypatch, loss, score, met, begins):
    plant(monkeypatch, emergence, block_models=returns(curves((loss, score))))
    found = emergence.emergence(SETTING)
    assert found.met == met
    assert found.verdict.startswith(begins)
    if loss is FALL:
        assert numbers_of(found)["step of half the loss, model 0"] == 20
    assert found.tables["training"][-1] == {
        "step": 40,
        "model": 0,
        "loss": loss[-1],
        "induction, layer 1": score[-1],
        "previous, layer 0": score[-1] / 2,
    }


def test_what_followed_the_last_time_counts_and_not_the_first():
    # 1 then 2, 1 then 3, 1 then 3 again, with 2, 3 and 3 new, then followed by 1 as before.
    assert induction.recurring(np.array([[1, 2, 1, 3, 1, 3, 1]])) == 2 / 3


def test_periods_are_too_many_for_one_layer_or_keep_out_of_each_others_way():
    many, few = random_periods(SETTING), spaced_periods(SETTING)
    assert many == tuple(range(many[0], 2 * many[0]))
    assert 5 * many[0] <= SETTING.scale.blocks_context  # so that blocks come back twice at the least
    assert len(few) == 4
    assert set(np.diff(few)) == {2}  # no other's candidate is the token itself
    assert max(few) <= 2 * min(few) - 2
    short = replace(SETTING, scale=replace(SETTING.scale, blocks_context=8))
    assert random_periods(short) == (3, 4, 5)


RISE = [0.0, 0.0, 0.4, 0.8, 0.8]


@pytest.mark.parametrize(
    ("loss", "score", "begins"),
    [
        (FALL, [0.0, 0.0, 0.0, 0.8, 0.8], "Together: the score is half way up at step 20, 25, the loss"),
        (FALL, [0.0, 0.0, 0.0, 0.0, 0.8], "Not together: the score is half way up at step 20, 35, the loss"),
        (FALL, [0.0, 0.0, 0.2, 0.4, 0.4], "Not learned in every model"),
        (FALL, [0.6, 0.6, 0.7, 0.8, 0.8], "Not learned in every model"),
        ([4.0, 4.0, 3.5, 3.0, 3.0], RISE, "Not learned in every model"),
    ],
)
def test_induction_has_to_appear_in_every_model(monkeypatch, loss, score, begins):
    plant(monkeypatch, emergence, block_models=returns(curves((FALL, RISE), (loss, score))))
    found = emergence.emergence(SETTING)
    assert found.met == begins.startswith("Together")
    assert found.verdict.startswith(begins)
    steepest = [max(np.diff(one)) for one in (RISE, score)]
    assert found.verdict.endswith(f"in the steepest 10 steps the score rises by {np.mean(steepest):.2f}.")
    of_second = [row for row in found.tables["training"] if row["model"] == 1]
    assert [row["step"] for row in of_second] == [0, 10, 20, 30, 40]
    assert [row["loss"] for row in of_second] == loss
    assert [row["induction, layer 1"] for row in of_second] == score


@pytest.mark.parametrize(
    ("by_period", "met"),
    [
        ([[0.9, 0.1], [0.8, 0.1], [0.7, 0.1]], True),
        ([[0.9, 0.1], [0.8, 0.1], [0.4, 0.1]], False),  # not at one of the periods
        ([[0.1, 0.9], [0.9, 0.1], [0.1, 0.9]], False),  # a head each, that looks so far back
    ],
)
def test_a_head_has_to_follow_every_period(monkeypatch, by_period, met):
    config = SimpleNamespace(vocab_size=50)
    periods = {}

    def scores(model, tokens):
        repeated = [p for p in range(2, 9) if (tokens[:, p:] == tokens[:, :-p]).all()]
        assert (tokens.min(), tokens.max()) == (2, 49)  # of 50, without the unknown and the end
        found = np.full((MODELS, 1, HEADS), 0.05 if model.trained else 0.2)
        if model.trained:
            periods.setdefault(repeated[0], len(periods))
            found[1, 0] = by_period[periods[repeated[0]]]
        return {"induction": found}

    plant(
        monkeypatch,
        induction_text,
        text_models=returns(SimpleNamespace(config=config, trained=True)),
        untrained_like=returns(SimpleNamespace(config=config, trained=False)),
        unseen_windows=returns(np.array([[1, 2, 1, 2, 1, 3, 1]])),
        head_scores=scores,
    )
    found = induction_text.in_text(SETTING)
    assert found.met == met
    assert found.verdict.startswith("Yes" if met else "None was found")
    assert [*periods] == [5, 6, 7]  # of a context of 24
    numbers = numbers_of(found)
    assert numbers["best score"] == np.min(by_period, axis=0).max()
    assert numbers["best score at one period alone"] == np.max(by_period)
    assert numbers["untrained, mean"] == pytest.approx(0.2)
    # 1 2 1 2 1 3 1: of four that recur, 1 2 and 2 1 are as before, 1 3 is not; 3 is new.
    assert numbers["share of recurring tokens followed as before"] == 2 / 3


def test_single_layers_are_held_to_the_floors_of_what_they_are_tried_on():
    """What is due by the bag of a row, counted; one head tells the most frequent period first."""
    kinds = one_layer._one_layer_kinds(SETTING)
    many, few = random_periods(SETTING), spaced_periods(SETTING)
    (blocks, late, floor), (alone, early, log_rank) = kinds["no positions"], kinds["one head"]
    assert blocks == Blocks(1, 2, False, many)
    assert alone == Blocks(1, 1, True, few)
    tokens, period, _ = unseen_blocks(SETTING, many)
    assert late.tolist() == list(range(max(many), tokens.shape[1] - 1))
    open_still = []
    for row, t in itertools.product(tokens, late):
        seen = Counter(row[: t + 1].tolist())
        due = [token for token, times in seen.items() if times == min(seen.values())]
        open_still.append(math.log(len(due) - (len(due) == len(seen))))
    assert floor == pytest.approx(np.mean(open_still))
    period = unseen_blocks(SETTING, few)[1]
    assert early.tolist() == list(range(max(few), 2 * min(few) - 1))
    counts = sorted(Counter(period.tolist()).values(), reverse=True)
    ranked = sum(count * math.log(rank) for rank, count in enumerate(counts, start=1)) / len(period)
    assert log_rank == pytest.approx(ranked)


def test_uniform_attention_scores_what_its_closed_form_says():
    """At a period P over r copies of distinct tokens: row t of the copies has (number of copies) / (t+1)."""
    tokens, _ = cyclic_sequences(np.random.default_rng(0), 3, 12, 40, (4,))
    rows = [(t // 4) / (t + 1) for t in range(4, 12)]
    assert induction_text._at_uniform(tokens) == pytest.approx(np.mean(rows))

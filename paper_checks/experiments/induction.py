"""Induction in training: on blocks of one period and of many, with one layer and with two."""

from __future__ import annotations

import math

import numpy as np

from gpu.small_gpt.ablation import losses
from gpu.small_gpt.heads import head_scores
from gpu.small_gpt.model import SmallGPT
from paper_checks.experiments.models import (
    Blocks,
    block_models,
    random_periods,
    spaced_periods,
    text_models,
    unseen_blocks,
    unseen_windows,
    untrained_like,
)
from paper_checks.experiments.result import Observation, Outcome, Quantity, quantity
from paper_checks.experiments.setting import Setting
from properties.evidence_ladder import Step
from reference.induction import copy_targets
from reference.one_layer_floor import bag_entropy, one_head_floor, one_head_rows
from reference.resampling import over_models

# A head is called an induction head from this score on: most of its weight where it has something to copy.
FOUND = 0.5
# A task is solved when this share of log V is left.
SOLVED = 0.1
ABOUT = "a two-layer model has an induction head"
CLAIM = ("trained-cyclic-score",)


def fixed_period(setting: Setting) -> Outcome:
    """Train one layer on blocks of one period: it solves them by position, and scores as induction would."""
    period = random_periods(setting)[-2]
    others = tuple(p for p in random_periods(setting) if p != period)
    model = block_models(setting, Blocks(1, 2, True, (period,)), setting.scale.blocks_steps // 2).model
    same, elsewhere = (_known_loss(setting, model, periods) for periods in ((period,), others))
    score = head_scores(model, unseen_blocks(setting, (period,))[0])["induction"].max(axis=(1, 2))
    log_v = math.log(setting.scale.blocks_vocab)
    solved, looks_like = bool(same.max() < SOLVED * log_v), bool(score.min() > FOUND)
    carried = bool(elsewhere.min() > log_v / 2)
    met = solved and looks_like and carried
    return Outcome(
        experiment="induction.fixed_period",
        question="Is a high induction score on blocks of one period evidence of induction?",
        criterion=(
            f"A one-layer model leaves less than {SOLVED:g} log V on that period with a head that scores "
            f"above {FOUND:g}, and more than half of log V on other periods."
        ),
        met=met,
        verdict=(
            f"{'No' if met else 'Not shown'}: one layer scores {score.mean():.2f} and leaves "
            f"{same.mean():.2f} nats at period {period}, where position is enough, and "
            f"{elsewhere.mean():.2f} of log V = {log_v:.2f} at others, where only matching would do."
        ),
        quantities=(
            Quantity("loss at the period, nats", float(same.mean())),
            Quantity("loss at other periods, nats", float(elsewhere.mean())),
            Quantity("induction score at the period", float(score.mean())),
        ),
        claims=("cyclic-forces-induction", "trained-cyclic-score", "ideal-induction-score"),
    )


def random_period(setting: Setting) -> Outcome:
    """Train two layers on blocks of random period: only matching tokens tells what comes next."""
    periods = random_periods(setting)
    model = block_models(setting, Blocks(2, 2, True, periods), setting.scale.blocks_steps).model
    tokens, _, known = unseen_blocks(setting, periods)
    loss = np.array([one[known].mean() for one in losses(model, tokens)])
    untrained = untrained_like(model)
    scores, chance = (head_scores(one, tokens)["induction"] for one in (model, untrained))
    best = scores[:, 1].max(axis=1)  # of the second layer's heads
    solved = SOLVED * math.log(setting.scale.blocks_vocab)
    met = bool(loss.max() < solved and best.min() > FOUND)
    longer = (periods[-1] + 1, periods[-1] + 2)
    new = _known_loss(setting, model, longer)
    repeats = _recurring(tokens)
    return Outcome(
        experiment="induction.random_period",
        question="Do two layers learn induction on blocks of random period?",
        criterion=(
            f"In every model less than {SOLVED:g} log V is left after the first repetition, and a head of "
            f"the second layer scores above {FOUND:g}."
        ),
        met=met,
        verdict=(
            f"{'Yes' if met else 'Not in every model'}: {loss.mean():.3f} nats, best score {best.mean():.2f} "
            f"against {chance.mean():.2f} untrained; at unseen periods {', '.join(map(str, longer))} "
            f"{new.mean():.2f} nats."
        ),
        quantities=(
            *(Quantity(f"loss of model {m}, nats", float(value)) for m, value in enumerate(loss)),
            *(Quantity(f"best score of model {m}", float(value)) for m, value in enumerate(best)),
            Quantity("untrained score", float(chance.mean())),
            Quantity("loss at longer, unseen periods, nats", float(new.mean())),
        ),
        observations=(
            Observation(ABOUT, Step.one_input, bool(best.max() > FOUND), CLAIM),
            Observation(ABOUT, Step.many_inputs, met, CLAIM),
            Observation(ABOUT, Step.absent_in_random, bool(chance.max() < FOUND / 2), CLAIM),
            Observation(ABOUT, Step.in_the_data, repeats == 1, CLAIM),
        ),
        claims=("induction-two-layers", "trained-cyclic-score", "induction-needs-large-model"),
        # Of models of two layers; the periods vary, so that position alone does not suffice.
        runs=tuple({"layers": 2, "scores": one.ravel().tolist()} for one in scores),
    )


def one_layer(setting: Setting) -> Outcome:
    """Train single layers on blocks of random period and hold them to the floors that were derived."""
    found, floors = {}, {}
    for name, (blocks, rows, floor) in _one_layer_kinds(setting).items():
        model = block_models(setting, blocks, setting.scale.blocks_steps).model
        tokens = unseen_blocks(setting, blocks.periods)[0]
        found[name] = over_models(losses(model, tokens)[:, :, rows].mean(axis=2))
        floors[name] = floor
    log_v = math.log(setting.scale.blocks_vocab - 1)
    above = all(float(one.low) >= floors[name] for name, one in found.items())
    below_log_v = all(float(one.high) < log_v for one in found.values())
    met = above and below_log_v
    told = "; ".join(
        f"{name} {float(one.value):.2f} (floor {floors[name]:.2f})" for name, one in found.items()
    )
    return Outcome(
        experiment="induction.one_layer",
        question="How far does one layer get on blocks of random period, and is it stuck at log V?",
        criterion=(
            "The interval of the loss lies above the derived floor and below log V, for a layer without "
            "positions and for one with one head."
        ),
        met=met,
        verdict=(
            f"{'Above its floors and below log V' if met else 'Not as predicted'}: {told} nats, log(V-1) = "
            f"{log_v:.2f}. Two heads a period have no floor: weights set by hand predict every row."
        ),
        quantities=(
            *(quantity(f"loss, {name}", one) for name, one in found.items()),
            *(Quantity(f"floor, {name}", floor) for name, floor in floors.items()),
        ),
        claims=("one-layer-stuck-at-logV", "induction-two-layers"),
    )


def _one_layer_kinds(setting: Setting) -> dict[str, tuple[Blocks, np.ndarray, float]]:
    """Return the layers to train, by name, with the rows on which each has its floor, and the floor."""
    many, few = random_periods(setting), spaced_periods(setting)
    tokens, period, _ = unseen_blocks(setting, many)
    late = np.arange(max(many), tokens.shape[1] - 1)  # rows on which every period has repeated
    placed = np.broadcast_to(late, (len(tokens), len(late)))
    bag = float(bag_entropy(placed, np.broadcast_to(period[:, None], placed.shape)).mean())
    spaced = unseen_blocks(setting, few)[1]
    kinds = {
        "no positions": (Blocks(1, 2, False, many), late, bag),
        "one head": (Blocks(1, 1, True, few), np.array(one_head_rows(spaced)), one_head_floor(spaced)),
    }
    if setting.scale.name == "full":
        kinds["two heads a period"] = (
            Blocks(1, 2 * len(few), True, few),
            np.array(one_head_rows(spaced)),
            0.0,
        )
    return kinds


def emergence(setting: Setting) -> Outcome:
    """Follow loss and scores of the two-layer models along their training."""
    run = block_models(setting, Blocks(2, 2, True, random_periods(setting)), setting.scale.blocks_steps)
    steps = np.array([step for step, _ in run.records])
    loss = np.array([record["loss"] for _, record in run.records])  # [R, M]
    score = np.array([record["induction"] for _, record in run.records])[:, :, 1]
    previous = np.array([record["previous"] for _, record in run.records])[:, :, 0]
    falls = [_crossing(steps, -loss[:, m]) for m in range(loss.shape[1])]
    rises = [_crossing(steps, score[:, m]) for m in range(loss.shape[1])]
    every = int(steps[1] - steps[0])
    together = max(abs(fall - rise) for fall, rise in zip(falls, rises, strict=True)) <= every
    share = np.diff(score, axis=0).max(axis=0) / (score[-1] - score[0])
    return Outcome(
        experiment="induction.emergence",
        question="When in training does induction appear, and does the loss fall with it?",
        criterion=(
            f"In every model the score and the loss cross the middle of their way within {every} steps, one "
            "record, of each other."
        ),
        met=together,
        verdict=(
            f"{'Together' if together else 'Not together'}: the score is half way up at step "
            f"{', '.join(f'{rise:.0f}' for rise in rises)}, the loss half way down at "
            f"{', '.join(f'{fall:.0f}' for fall in falls)}; the steepest {every} steps hold "
            f"{share.mean():.0%} of the rise."
        ),
        quantities=(
            *(Quantity(f"step of half the score, model {m}", float(rise)) for m, rise in enumerate(rises)),
            *(Quantity(f"step of half the loss, model {m}", float(fall)) for m, fall in enumerate(falls)),
        ),
        tables={
            "training": [
                {
                    "step": int(step),
                    "model": m,
                    "loss": float(loss[r, m]),
                    "induction, layer 1": float(score[r, m]),
                    "previous, layer 0": float(previous[r, m]),
                }
                for r, step in enumerate(steps)
                for m in range(loss.shape[1])
            ]
        },
    )


def in_text(setting: Setting) -> Outcome:
    """Score the models of text on repeated random tokens, against untrained ones and the exact zero point."""
    model = text_models(setting)
    config = model.config
    block = np.random.default_rng(setting.seed).integers(2, config.vocab_size, (64, config.context // 4))
    tokens = np.concatenate([np.tile(block, (1, 4)), block[:, :1]], axis=1)[:, : config.context + 1]
    scores = head_scores(model, tokens)["induction"]
    untrained = untrained_like(model)
    chance = head_scores(untrained, tokens)["induction"]
    uniform = np.tril(np.ones((tokens.shape[1] - 1,) * 2)) / np.arange(1, tokens.shape[1])[:, None]
    targets = copy_targets(tokens[:, :-1])
    zero = float((uniform * targets).sum(axis=-1).sum() / targets.any(axis=-1).sum())
    there = bool((scores.max(axis=(1, 2)) > FOUND).any())
    recurring = _recurring(unseen_windows(setting))
    return Outcome(
        experiment="induction.in_text",
        question="Do the models of text have an induction head?",
        criterion=f"In some model a head scores above {FOUND:g} on random tokens repeated four times.",
        met=there,
        verdict=(
            f"{'Yes' if there else 'None was found'}: the best head scores {scores.max():.3f}; untrained "
            f"heads score {chance.min():.3f} to {chance.max():.3f}, uniform attention {zero:.3f} exactly. In "
            f"the text a token that recurs is followed as before {recurring:.0%} of the time."
        ),
        quantities=(
            Quantity("best score", float(scores.max())),
            Quantity("mean score", float(scores.mean())),
            Quantity("untrained, mean", float(chance.mean())),
            Quantity("uniform attention", zero),
            Quantity("share of recurring tokens followed as before", recurring),
        ),
        claims=("no-induction-head", "induction-table"),
    )


def _known_loss(setting: Setting, model: SmallGPT, periods: tuple[int, ...]) -> np.ndarray:
    """Return each model's mean loss on the rows of unseen blocks that have seen a repetition."""
    tokens, _, known = unseen_blocks(setting, periods)
    return np.array([one[known].mean() for one in losses(model, tokens)])


def _crossing(steps: np.ndarray, rising: np.ndarray) -> float:
    """Return where a curve first passes the middle between its first and last value, interpolated."""
    middle = (rising[0] + rising[-1]) / 2
    after = int(np.argmax(rising >= middle))
    before = max(after - 1, 0)
    if rising[after] == rising[before]:
        return float(steps[after])
    share = (middle - rising[before]) / (rising[after] - rising[before])
    return float(steps[before] + share * (steps[after] - steps[before]))


def _recurring(windows: np.ndarray) -> float:
    """How often a token that recurs in a window is followed by what followed it the last time."""
    kept = total = 0
    for row in windows:
        last: dict[int, int] = {}
        for token, following in zip(row[:-1].tolist(), row[1:].tolist(), strict=True):
            total += token in last
            kept += last.get(token) == following
            last[token] = following
    return kept / max(total, 1)

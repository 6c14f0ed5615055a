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
    unseen_blocks,
    untrained_like,
)
from paper_checks.experiments.result import Observation, Outcome, Quantity, quantity
from paper_checks.experiments.setting import Setting
from properties.evidence_ladder import Step
from reference.resampling import over_models, over_sequences

# A head is called an induction head from this score on: most of its weight where it has something to copy.
FOUND = 0.5
# A task is solved when this share of log V is left.
SOLVED = 0.1
ABOUT = "a two-layer model has an induction head"
CLAIM = ("trained-cyclic-score",)


def fixed_period(setting: Setting) -> Outcome:
    """Train one layer on blocks of one period: it solves them by position, and scores as induction would.

    In the profile full two layers too, which need not do otherwise: what they do is told and decides nothing.
    """
    period = random_periods(setting)[-2]
    same, elsewhere, score = _at_one_period(setting, 1, period)
    two = _at_one_period(setting, 2, period) if setting.scale.name == "full" else None
    log_v = math.log(setting.scale.blocks_vocab)
    solved, looks_like = bool(same.mean(axis=1).max() < SOLVED * log_v), bool(score.min() > FOUND)
    carried = bool(elsewhere.mean(axis=1).min() > log_v / 2)
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
            + (
                f" Two layers score {two[2].mean():.2f} and leave {two[1].mean():.2f} at others."
                if two
                else ""
            )
        ),
        quantities=(
            quantity("loss at the period, nats", over_models(same)),
            quantity("loss at other periods, nats", over_models(elsewhere)),
            Quantity("induction score at the period", float(score.mean())),
            *(_of_two_layers(*two) if two else ()),
        ),
        claims=("cyclic-forces-induction", "trained-cyclic-score", "ideal-induction-score"),
    )


def _at_one_period(setting: Setting, layers: int, period: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return of models trained at one period the losses [M, N] at it and at others, and best scores [M]."""
    others = tuple(p for p in random_periods(setting) if p != period)
    blocks = Blocks(layers, 2, True, (period,))
    model = block_models(setting, blocks, setting.scale.blocks_steps // 2).model
    same, elsewhere = (_known_loss(setting, model, periods) for periods in ((period,), others))
    score = head_scores(model, unseen_blocks(setting, (period,))[0])["induction"].max(axis=(1, 2))
    return same, elsewhere, score


def _of_two_layers(same: np.ndarray, elsewhere: np.ndarray, score: np.ndarray) -> tuple[Quantity, ...]:
    return (
        quantity("loss at the period, two layers, nats", over_models(same)),
        quantity("loss at other periods, two layers, nats", over_models(elsewhere)),
        Quantity("induction score at the period, two layers", float(score.mean())),
    )


def random_period(setting: Setting) -> Outcome:
    """Train two layers on blocks of random period: only matching tokens tells what comes next."""
    periods = random_periods(setting)
    model = block_models(setting, Blocks(2, 2, True, periods), setting.scale.blocks_steps).model
    tokens, _, known = unseen_blocks(setting, periods)
    of_sequences = sequence_losses(losses(model, tokens), known)
    loss = of_sequences.mean(axis=1)
    untrained = untrained_like(model)
    scores, chance = (head_scores(one, tokens)["induction"] for one in (model, untrained))
    best = scores[:, 1].max(axis=1)  # of the second layer's heads
    solved = SOLVED * math.log(setting.scale.blocks_vocab)
    met = bool(loss.max() < solved and best.min() > FOUND)
    longer = (periods[-1] + 1, periods[-1] + 2)
    new = _known_loss(setting, model, longer)
    repeats = recurring(tokens)
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
            *(
                quantity(f"loss of model {m}, nats", over_sequences(one, setting.seed))
                for m, one in enumerate(of_sequences)
            ),
            *(Quantity(f"best score of model {m}", float(value)) for m, value in enumerate(best)),
            Quantity("untrained score", float(chance.mean())),
            quantity("loss at longer, unseen periods, nats", over_models(new)),
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


def _known_loss(setting: Setting, model: SmallGPT, periods: tuple[int, ...]) -> np.ndarray:
    """Return each model's loss [M, N] in each unseen sequence, on the rows that have seen a repetition."""
    tokens, _, known = unseen_blocks(setting, periods)
    return sequence_losses(losses(model, tokens), known)


def sequence_losses(each: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return the mean loss [..., N] of each sequence, from [..., N, T], over its rows that are `known`."""
    found: np.ndarray = (each * known).sum(axis=-1) / known.sum(axis=-1)
    return found


def recurring(windows: np.ndarray) -> float:
    """How often a token that recurs in a window [n, length] is followed by what followed it the last time."""
    kept = total = 0
    for row in windows:
        last: dict[int, int] = {}
        for token, following in zip(row[:-1].tolist(), row[1:].tolist(), strict=True):
            total += token in last
            kept += last.get(token) == following
            last[token] = following
    return kept / max(total, 1)

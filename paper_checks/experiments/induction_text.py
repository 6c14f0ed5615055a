"""Whether models of text have an induction head, on random tokens repeated at several periods."""

from __future__ import annotations

import numpy as np

from gpu.small_gpt.heads import head_scores
from gpu.small_gpt.model import SmallGPT
from paper_checks.experiments.induction import FOUND, recurring
from paper_checks.experiments.models import text_models, unseen_windows, untrained_like
from paper_checks.experiments.result import Outcome, Quantity
from paper_checks.experiments.setting import Setting
from reference.induction import copy_targets, weight_on

REPEATED = 64


def in_text(setting: Setting) -> Outcome:
    """Score the models of text on repeated random tokens, against untrained ones and the exact zero point.

    At one period a head that always looks as far back would score as an induction head does, so a head's
    score is its least one over several periods.
    """
    model = text_models(setting)
    blocks = {period: _repeated(setting, period) for period in _periods(setting)}
    scores, chance = (_scores(one, blocks) for one in (model, untrained_like(model)))  # [P, M, L, H]
    least = scores.min(axis=0)
    zero = min(_at_uniform(tokens) for tokens in blocks.values())
    there = bool((least > FOUND).any())
    followed = recurring(unseen_windows(setting))
    return Outcome(
        experiment="induction.in_text",
        question="Do the models of text have an induction head?",
        criterion=(
            f"In some model a head scores above {FOUND:g} on random tokens repeated at each of the periods "
            f"{', '.join(map(str, blocks))}."
        ),
        met=there,
        verdict=(
            f"{'Yes' if there else 'None was found'}: the best head scores {least.max():.3f} at the period "
            f"where it scores least; untrained heads score {chance.min():.3f} to {chance.max():.3f}, uniform "
            f"attention {zero:.3f} exactly at the least. In the text a token that recurs is followed as "
            f"before {followed:.0%} of the time."
        ),
        quantities=(
            Quantity("best score", float(least.max())),
            Quantity("best score at one period alone", float(scores.max())),
            Quantity("mean score", float(scores.mean())),
            Quantity("untrained, mean", float(chance.mean())),
            Quantity("uniform attention, least over periods", zero),
            Quantity("share of recurring tokens followed as before", followed),
        ),
        claims=("no-induction-head", "induction-table"),
    )


def _periods(setting: Setting) -> tuple[int, ...]:
    """Return three periods that fit into a context about four times; 2 at the least."""
    middle = max(3, setting.scale.context // 4)
    return (middle - 1, middle, middle + 1)


def _repeated(setting: Setting, period: int) -> np.ndarray:
    """Return sequences [N, T+1] of random words, not the two special tokens, repeated with a period."""
    vocab_size, T = text_models(setting).config.vocab_size, setting.scale.context
    block = np.random.default_rng([setting.seed, period]).integers(2, vocab_size, (REPEATED, period))
    return block[:, np.arange(T + 1) % period]


def _scores(model: SmallGPT, blocks: dict[int, np.ndarray]) -> np.ndarray:
    return np.stack([head_scores(model, tokens)["induction"] for tokens in blocks.values()])


def _at_uniform(tokens: np.ndarray) -> float:
    """Return the score of uniform attention on these very sequences [N, T+1]."""
    targets = copy_targets(tokens[:, :-1])
    uniform = np.tril(np.ones(targets.shape[1:])) / np.arange(1, targets.shape[1] + 1)[:, None]
    return float(weight_on(np.broadcast_to(uniform, targets.shape), targets).mean())

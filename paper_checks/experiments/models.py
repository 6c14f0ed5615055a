"""The models that experiments share, trained once for equal settings, and what they are tried on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gpu.small_gpt.config import Config
from gpu.small_gpt.model import SmallGPT
from gpu.small_gpt.training import Run, Settings, train
from paper_checks.experiments.setting import Setting
from reference.cyclic import cyclic_sequences
from reference.encoded_text import EncodedText, consecutive_windows, encode, random_windows
from reference.errors import InputError
from reference.sources import find_source
from reference.stories import stories
from reference.tokenizers import tokenizer

# Seeds of untrained models and of sequences that nothing was trained on.
UNTRAINED, UNSEEN = 10_000, 20_000
TEST_SHARE = 0.2
EVALUATED = 128


@lru_cache(maxsize=4)
def text(setting: Setting) -> EncodedText:
    """Return the text of a setting, a fifth of its documents for testing."""
    if setting.corpus is None:
        documents = stories(setting.scale.stories, setting.seed)
    else:
        stripped = (document.strip() for document in find_source(str(setting.corpus)).documents())
        documents = [document for document in stripped if document]
    return encode(
        documents,
        tokenizer(setting.tokenizer),
        vocab_size=setting.scale.vocab_size,
        test_share=TEST_SHARE,
        seed=setting.seed,
    )


def text_config(setting: Setting, layers: int | None = None) -> Config:
    """Return the sizes of the models of text."""
    scale = setting.scale
    return Config(
        vocab_size=len(text(setting).vocabulary),
        context=scale.context,
        layers=scale.layers if layers is None else layers,
        heads=scale.heads,
        width=scale.width,
        deviation=scale.deviation,
    )


def text_models(setting: Setting, layers: int | None = None) -> SmallGPT:
    """Return models of the setting's text, one a seed, each with batches of its own."""
    return _text_models(setting, setting.scale.layers if layers is None else layers)


@lru_cache(maxsize=8)
def _text_models(setting: Setting, layers: int) -> SmallGPT:
    scale, stream = setting.scale, text(setting).train

    def batches(step: int, seed: int) -> np.ndarray:
        return random_windows(np.random.default_rng([seed, step]), stream, scale.batch, scale.context)

    settings = Settings(scale.steps, rate=scale.rate)
    return train(text_config(setting, layers), setting.seeds, batches, settings).model


def untrained_models(setting: Setting) -> SmallGPT:
    """Return models of the same sizes as they are initialised."""
    first = UNTRAINED + setting.seed
    return SmallGPT(text_config(setting), tuple(range(first, first + setting.scale.random_models)))


def untrained_like(model: SmallGPT) -> SmallGPT:
    """Return as many models of the same sizes as they are initialised."""
    return SmallGPT(model.config, tuple(UNTRAINED + seed for seed in model.seeds))


def unseen_windows(setting: Setting, count: int | None = None) -> np.ndarray:
    """Return windows [N, T+1] of the test text that do not overlap.

    Raises:
        InputError: there are fewer than two, of which there is no interval.
    """
    scale, stream = setting.scale, text(setting).test
    windows = consecutive_windows(stream, count or scale.windows, scale.context)
    if len(windows) < 2:
        raise InputError(
            f"The part of the text for testing has {len(stream)} tokens, one window of {scale.context + 1}, "
            "and intervals need two or more; give more text or a shorter context."
        )
    return windows


@dataclass(frozen=True)
class Blocks:
    """A model of repeated blocks: how many layers and heads, with positions or not, and which periods."""

    layers: int
    heads: int
    positions: bool
    periods: tuple[int, ...]


def random_periods(setting: Setting) -> tuple[int, ...]:
    """Return the periods of a random-period task: all from some P to 2P - 1, too many for one layer."""
    least = max(3, setting.scale.blocks_context // 5)
    return tuple(range(least, 2 * least))


def spaced_periods(setting: Setting) -> tuple[int, ...]:
    """Return four even periods: after one of them no other's candidate holds the current token."""
    least = 2 * (setting.scale.blocks_context // 6)
    return tuple(range(least, least + 8, 2))


@lru_cache(maxsize=16)
def block_models(setting: Setting, blocks: Blocks, steps: int) -> Run:
    """Return models of repeated blocks, one a seed, with a record of loss and heads every 16th of the way.

    They have neither perceptrons nor normalisation: attention is all that they have.
    """
    scale = setting.scale
    config = Config(
        vocab_size=scale.blocks_vocab,
        context=scale.blocks_context,
        layers=blocks.layers,
        heads=blocks.heads,
        width=scale.blocks_width,
        mlp=False,
        normalised=False,
        positions=blocks.positions,
        deviation=0.12,
    )

    def batches(step: int, seed: int) -> np.ndarray:
        return repeated(setting, blocks.periods, np.random.default_rng([seed, step]), 2 * scale.batch)[0]

    settings = Settings(steps, rate=scale.blocks_rate, warmup=20, record_every=max(1, steps // 16))
    return train(config, setting.seeds, batches, settings, record=_recorder(setting, blocks.periods))


def repeated(
    setting: Setting, periods: tuple[int, ...], rng: np.random.Generator, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return sequences [N, T+1] of repeated blocks and their periods [N]."""
    scale = setting.scale
    return cyclic_sequences(rng, count, scale.blocks_context, scale.blocks_vocab, periods)


def unseen_blocks(setting: Setting, periods: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return sequences [N, T+1] to evaluate on, their periods [N], and which rows have seen a repetition."""
    rng = np.random.default_rng(UNSEEN + setting.seed)
    tokens, period = repeated(setting, periods, rng, EVALUATED)
    return tokens, period, np.arange(tokens.shape[1] - 1) >= period[:, None]


def _recorder(setting: Setting, periods: tuple[int, ...]) -> Callable[[SmallGPT], dict[str, Any]]:
    from gpu.small_gpt.ablation import losses
    from gpu.small_gpt.heads import head_scores

    tokens, _, known = unseen_blocks(setting, periods)

    def record(model: SmallGPT) -> dict[str, Any]:
        found = losses(model, tokens)
        scores = head_scores(model, tokens)
        return {
            "loss": [float(one[known].mean()) for one in found],
            "induction": scores["induction"].max(axis=2).tolist(),  # [M][L], the best head of each layer
            "previous": scores["previous"].max(axis=2).tolist(),
        }

    return record

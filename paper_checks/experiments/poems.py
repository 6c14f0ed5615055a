"""Models like the published one of poems: by character, of its sizes, several seeds, a given text.

That model and its text are not published, so what was printed of it is held to models like it: each one's
numbers are a run, and a printed number is met if it could be that of one more run.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gpu.small_gpt.config import Config
from gpu.small_gpt.model import SmallGPT
from gpu.small_gpt.training import Settings, train
from paper_checks.experiments.models import TEST_SHARE
from paper_checks.experiments.setting import Setting
from reference.encoded_text import END, EncodedText, consecutive_windows, encode, random_windows
from reference.errors import InputError
from reference.text import read_documents
from reference.tokenizers import characters


@lru_cache(maxsize=2)
def poems(setting: Setting) -> EncodedText:
    """Return the given text by character, a fifth of its documents for testing.

    Line breaks are dropped: one follows every full stop of a poem, as layout.

    Raises:
        InputError: no text is given, or it has no punctuation.
    """
    if setting.corpus is None:
        raise InputError("Models of poems need a text; give --corpus FILE --tokenizer chars.")
    joined = ("".join(document.split()) for document in read_documents(setting.corpus))
    text = encode(
        [document for document in joined if document],
        characters,
        vocab_size=setting.scale.vocab_size,
        test_share=TEST_SHARE,
        seed=setting.seed,
    )
    if not punctuation(text).any():
        raise InputError(f"{setting.corpus} has no punctuation, which the experiments on poems ask about.")
    return text


def punctuation(text: EncodedText) -> np.ndarray:
    """Return which tokens are punctuation [V]; the end of a document is none."""
    marks = text.is_mark.copy()
    marks[text.vocabulary.index(END)] = False
    return marks


@lru_cache(maxsize=4)
def poem_models(setting: Setting, context: int | None = None) -> SmallGPT:
    """Return models of the poems, one a seed; of a given context, on as many characters a step.

    Those of the published model's own sizes train for longer: they are to come near its loss.
    """
    scale, stream = setting.scale, poems(setting).train
    seen = context or scale.context
    config = Config(
        vocab_size=len(poems(setting).vocabulary),
        context=seen,
        layers=scale.layers,
        heads=scale.heads,
        width=scale.width,
        deviation=scale.deviation,
    )
    count = max(1, scale.batch * scale.context // seen)

    def batches(step: int, seed: int) -> np.ndarray:
        return random_windows(np.random.default_rng([seed, step]), stream, count, seen)

    steps = scale.poem_steps if context is None else scale.steps
    return train(config, setting.seeds, batches, Settings(steps, rate=scale.rate)).model


def poem_windows(setting: Setting, count: int | None = None) -> np.ndarray:
    """Return windows [N, T+1] of the test poems that do not overlap."""
    return consecutive_windows(poems(setting).test, count or setting.scale.windows, setting.scale.context)


def beginnings(setting: Setting, number: int) -> np.ndarray:
    """Return the first characters of test poems [poems, characters], drawn for each model anew.

    Raises:
        InputError: the text has too few poems that are so long.
    """
    text, scale = poems(setting), setting.scale
    ends = np.flatnonzero(text.test == text.vocabulary.index(END))
    starts = np.concatenate([[0], ends[:-1] + 1])
    long = starts[ends - starts >= scale.poem_characters]
    if len(long) < scale.poems:
        raise InputError(
            f"{setting.corpus} has {len(long)} test documents of {scale.poem_characters} characters, fewer "
            f"than the {scale.poems} that profiles are of; give more text."
        )
    drawn = np.random.default_rng([setting.seed, number]).choice(long, scale.poems, replace=False)
    return np.asarray(text.test[drawn[:, None] + np.arange(scale.poem_characters)])

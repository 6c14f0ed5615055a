"""Models of poems that see more or less of what came before, and how much that lowers their loss."""

from __future__ import annotations

import numpy as np

from gpu.small_gpt.ablation import losses
from gpu.small_gpt.model import SmallGPT
from paper_checks.experiments.models import untrained_like
from paper_checks.experiments.poems import poem_models, poems
from paper_checks.experiments.result import Observation, Outcome, Quantity, quantity
from paper_checks.experiments.setting import Setting
from properties.evidence_ladder import Step
from reference.encoded_text import consecutive_windows
from reference.resampling import Interval, over_sequences

CONTEXT_CLAIM = "context-8-to-128"
LONGER = "a longer context lowers the loss of a model of poems"


def context(setting: Setting) -> Outcome:
    """Train models of several context lengths and compare their losses on the same poems.

    What a longer context is worth grows with training: a model that has learned nothing leaves log V nats
    whatever it sees, one that has learned all leaves what the characters before do not tell. So a run has
    `loss` by context length, from which the ledger sees how far models have learned before it holds a
    published difference to theirs.
    """
    lengths = setting.scale.poem_contexts
    models = {length: poem_models(setting, length) for length in lengths}
    found = {length: _on_poems(setting, model, length) for length, model in models.items()}  # [M, C]
    short, second, *_, far = lengths
    lower = [over_sequences(one, setting.seed) for one in found[short] - found[far]]
    worse = [over_sequences(one, setting.seed) for one in found[second] - found[short]]
    untrained = {n: _on_poems(setting, untrained_like(models[n]), n).mean(axis=1) for n in (short, far)}
    by_chance = float((untrained[short] - untrained[far]).max())
    return _judged(setting, found, lower, worse, by_chance)


def _judged(
    setting: Setting,
    found: dict[int, np.ndarray],
    lower: list[Interval],
    worse: list[Interval],
    by_chance: float,
) -> Outcome:
    short, second, *_, far = found
    gains, rises = [one.low > 0 for one in lower], [one.low > 0 for one in worse]
    falls = [one.high < 0 for one in worse]
    met = bool(all(gains) and all(falls))
    answer = "Yes" if met else "No" if any(rises) or any(one.high < 0 for one in lower) else "Not shown"
    known = (CONTEXT_CLAIM,)
    means = [float(one.value) for one in lower]
    return Outcome(
        experiment="poems.context",
        question="Does a longer context lower the loss of a model of poems at every step?",
        criterion=(
            f"In every model {far} characters leave less loss than {short}, and so do {second}, by intervals "
            "over pieces of the poems."
        ),
        met=met,
        verdict=(
            f"{answer}: {far} characters leave {np.mean(means):.3f} nats less than {short} ({min(means):.3f} "
            f"to {max(means):.3f}), beyond its interval in {sum(gains)} of {len(gains)} models; {second} "
            f"leave less than {short} in {sum(falls)} and more in {sum(rises)}."
        ),
        quantities=(
            *(Quantity(f"loss with {n} characters, nats", float(one.mean())) for n, one in found.items()),
            *(quantity(f"{short} less {far}, model {m}, nats", one) for m, one in enumerate(lower)),
            *(quantity(f"{second} less {short}, model {m}, nats", one) for m, one in enumerate(worse)),
            Quantity(f"{short} less {far}, untrained, nats, at most", by_chance),
        ),
        observations=(
            Observation(LONGER, Step.one_input, any(gains), known),
            Observation(LONGER, Step.many_inputs, all(gains), known),
            Observation(
                LONGER, Step.absent_in_random, by_chance < min(float(one.low) for one in lower), known
            ),
        ),
        claims=known,
        runs=tuple(
            {"loss": {str(n): float(one[m].mean()) for n, one in found.items()}}
            for m in range(len(setting.seeds))
        ),
    )


def _on_poems(setting: Setting, model: SmallGPT, length: int) -> np.ndarray:
    """Return each model's mean loss [M, C] on pieces of the test poems, the same whatever the context.

    A piece is as many characters as windows of the longest context and of this one both fill, so that the
    characters predicted are the same but for the ends of windows.
    """
    longest = max(setting.scale.poem_contexts)
    stream, piece = poems(setting).test, longest + 1
    count = min(setting.scale.windows * setting.scale.context // longest, (len(stream)) // piece)
    each = []
    for number in range(max(count, 2)):
        characters = stream[number * piece : (number + 1) * piece]
        each.append(consecutive_windows(characters, piece // (length + 1), length))
    windows = np.concatenate(each)
    of_windows = losses(model, windows).mean(axis=2)  # [M, C w]
    return np.asarray(of_windows.reshape(len(of_windows), len(each), -1).mean(axis=2))

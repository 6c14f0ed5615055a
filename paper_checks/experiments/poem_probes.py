"""Probes of models of poems for whether the next character is punctuation, in every model."""

from __future__ import annotations

import numpy as np

from gpu.small_gpt.ablation import losses
from gpu.small_gpt.export import embeddings
from gpu.small_gpt.model import SmallGPT
from paper_checks.experiments.models import untrained_like
from paper_checks.experiments.poems import poem_models, poem_windows, poems, punctuation
from paper_checks.experiments.probes import Rows, probe_rows, streams_as_rows
from paper_checks.experiments.result import Observation, Outcome, Quantity
from paper_checks.experiments.setting import Setting
from properties.evidence_ladder import Step
from reference.resampling import over_sequences

ABOUT = "the stream of a model of poems says that punctuation comes next"
CLAIM = "probe-table"


def probe(setting: Setting) -> Outcome:
    """Probe every model before and after each layer, on test sequences drawn for it anew.

    A run has `majority`, `embedding` (of the token alone, without its position) and `layer1`, `layer2`, ...:
    shares of test positions, in sequences that the probe was not trained on; and the model's `loss`.
    """
    model, windows = poem_models(setting), poem_windows(setting, setting.scale.probe_windows)
    marks = punctuation(poems(setting))
    untrained = untrained_like(model)
    found, chance = [], []
    for m, seed in enumerate(model.seeds):
        rows = probe_rows(marks, windows, seed)
        found.append(_accuracies(rows, model.only(m), windows))
        chance.append(_accuracies(rows, untrained.only(m), windows)["layer1"])
    runs = [{name: float(one.mean()) for name, one in each.items()} for each in found]
    more = [
        all(_above(one["layer1"], one[control], setting.seed) for control in ("embedding", "majority"))
        for one in found
    ]
    learned = [_above(one["layer1"], of, setting.seed) for one, of in zip(found, chance, strict=True)]
    falls = sum(run["layer2"] < run["layer1"] for run in runs)
    by_chance = float(np.mean([one.mean() for one in chance]))
    met = all(more)
    means = {name: sum(run[name] for run in runs) / len(runs) for name in runs[0]}
    loss = losses(model, windows).mean(axis=(1, 2))
    return Outcome(
        experiment="poems.probe",
        question="Does the stream after layer 0 say more of the next mark than embedding and majority?",
        criterion=(
            "In every model the interval over test sequences of a probe's accuracy after layer 0 less that "
            "of each control lies above zero."
        ),
        met=met,
        verdict=(
            f"{'Yes' if met else 'Not shown in every model'}, in {sum(more)} of {len(more)}: "
            f"{', '.join(f'{name} {value:.3f}' for name, value in means.items())}; layer 2 is below layer 1 "
            f"in {falls} of {len(runs)} models, an untrained layer 1 has {by_chance:.3f}."
        ),
        quantities=tuple(Quantity(f"accuracy, {name}", value) for name, value in means.items()),
        observations=(
            Observation(ABOUT, Step.one_input, any(more), (CLAIM,)),
            Observation(ABOUT, Step.many_inputs, met, (CLAIM,)),
            Observation(ABOUT, Step.absent_in_random, all(learned), (CLAIM,)),
            Observation(ABOUT, Step.in_the_data, 0 < means["majority"] < 1, (CLAIM,)),
        ),
        claims=(CLAIM,),
        runs=tuple({**run, "loss": float(one)} for run, one in zip(runs, loss, strict=True)),
    )


def _accuracies(rows: Rows, model: SmallGPT, windows: np.ndarray) -> dict[str, np.ndarray]:
    """Return the accuracy in each test sequence of the probes of one model and of its controls, by name."""
    streams = streams_as_rows(model, windows)
    found = {
        "majority": rows.majority(),
        "embedding": rows.score(embeddings(model, 0)["tokens"][rows.tokens]),
    }
    return found | {f"layer{layer}": rows.score(one) for layer, one in enumerate(streams[1:], start=1)}


def _above(first: np.ndarray, second: np.ndarray, seed: int) -> bool:
    return bool(over_sequences(first - second, seed).low > 0)

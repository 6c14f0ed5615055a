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
    runs, chance = [], []
    for m, seed in enumerate(model.seeds):
        rows = probe_rows(marks, windows, seed)
        runs.append(_accuracies(rows, model.only(m), windows))
        chance.append(_accuracies(rows, untrained.only(m), windows)["layer1"])
    gains = [run["layer1"] - max(run["embedding"], run["majority"]) for run in runs]
    learned = [run["layer1"] - control for run, control in zip(runs, chance, strict=True)]
    falls = sum(run["layer2"] < run["layer1"] for run in runs)
    met = min(gains) > 0
    means = {name: sum(run[name] for run in runs) / len(runs) for name in runs[0]}
    loss = losses(model, windows).mean(axis=(1, 2))
    return Outcome(
        experiment="poems.probe",
        question="Does the stream after layer 0 say more of the next mark than embedding and majority?",
        criterion="In every model a probe after layer 0 is right more often than both controls.",
        met=met,
        verdict=(
            f"{'Yes' if met else 'Not in every model'}: "
            f"{', '.join(f'{name} {value:.3f}' for name, value in means.items())}; layer 2 is below layer 1 "
            f"in {falls} of {len(runs)} models, an untrained layer 1 has {sum(chance) / len(chance):.3f}."
        ),
        quantities=tuple(Quantity(f"accuracy, {name}", value) for name, value in means.items()),
        observations=(
            Observation(ABOUT, Step.one_input, max(gains) > 0, (CLAIM,)),
            Observation(ABOUT, Step.many_inputs, met, (CLAIM,)),
            Observation(ABOUT, Step.absent_in_random, min(learned) > 0, (CLAIM,)),
            Observation(ABOUT, Step.in_the_data, means["majority"] < 1, (CLAIM,)),
        ),
        claims=(CLAIM,),
        runs=tuple({**run, "loss": float(one)} for run, one in zip(runs, loss, strict=True)),
    )


def _accuracies(rows: Rows, model: SmallGPT, windows: np.ndarray) -> dict[str, float]:
    streams = streams_as_rows(model, windows)
    tested = rows.labels[rows.tested]
    found = {
        "majority": float(max(tested.mean(), 1 - tested.mean())),
        "embedding": float(rows.score(embeddings(model, 0)["tokens"][rows.tokens]).mean()),
    }
    later = enumerate(streams[1:], start=1)
    return found | {f"layer{layer}": float(rows.score(stream).mean()) for layer, stream in later}

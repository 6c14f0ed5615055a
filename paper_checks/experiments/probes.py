"""Probes: whether the stream says that a mark comes next, and what else explains that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpu.small_gpt.export import embeddings
from gpu.small_gpt.heads import residual_streams
from gpu.small_gpt.model import SmallGPT
from paper_checks.experiments.models import text, text_models, unseen_windows, untrained_like
from paper_checks.experiments.result import Observation, Outcome, Quantity, quantity
from paper_checks.experiments.setting import Setting
from properties.evidence_ladder import Step
from reference.probe_split import probe_split
from reference.probes import (
    accuracy_by_sequence,
    fit_probe,
    labels_by_type,
    one_hot_features,
)
from reference.resampling import over_models, over_sequences

TEST_SHARE = 0.4
LONGEST_SENTENCE = 40
CONTROLS = ("majority", "place in the sentence", "token")
ABOUT = "the stream says that a mark comes next"


@dataclass(frozen=True)
class Rows:
    """Positions of windows as rows, [n] each: property, token, place in the sentence, and the split."""

    sequences: np.ndarray
    labels: np.ndarray
    tokens: np.ndarray
    since_mark: np.ndarray
    tested: np.ndarray

    def score(self, features: np.ndarray, labels: np.ndarray | None = None) -> np.ndarray:
        """Return the test accuracy in each test sequence of a probe on these features [n, d]."""
        wanted = self.labels if labels is None else labels
        probe = fit_probe(features[~self.tested], wanted[~self.tested])
        return self.right(probe.predicts(features[self.tested]), wanted)

    def right(self, predicted: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the accuracy in each test sequence of what is predicted for the test rows, [m] of n."""
        return accuracy_by_sequence(predicted, labels[self.tested], self.sequences[self.tested])

    def majority(self) -> np.ndarray:
        """Return the same, [test sequences], of always saying what most training rows are."""
        said = bool(self.labels[~self.tested].mean() > 0.5)
        return self.right(np.full(self.tested.sum(), said), self.labels)


def next_mark(setting: Setting) -> Outcome:
    """Probe every layer of the models of text for the next token's class, with all controls."""
    models, windows = text_models(setting), unseen_windows(setting, setting.scale.probe_windows)
    rows = probe_rows(text(setting).is_mark, windows, setting.seed)
    untrained = untrained_like(models)
    each = [
        _accuracies(rows, models.only(m), untrained.only(m), windows, setting.seed)
        for m in range(len(models.seeds))
    ]
    return _judged({name: np.stack([one[name] for one in each]) for name in each[0]}, rows, setting)


def _accuracies(
    rows: Rows, model: SmallGPT, untrained: SmallGPT, windows: np.ndarray, seed: int
) -> dict[str, np.ndarray]:
    """Return for one model the accuracy in each test sequence of probes and controls, by name."""
    streams = streams_as_rows(model, windows)
    control = labels_by_type(rows.tokens, float(rows.labels.mean()), seed)
    return {
        "majority": rows.majority(),
        "place in the sentence": rows.score(one_hot_features(rows.since_mark)),
        "token": rows.score(embeddings(model, 0)["tokens"][rows.tokens]),
        **{f"stream {layer}": rows.score(stream) for layer, stream in enumerate(streams)},
        **{f"stream {layer}, labels by type": rows.score(one, control) for layer, one in enumerate(streams)},
        "untrained": rows.score(streams_as_rows(untrained, windows)[1]),
        "split by position": np.full(len(rows.majority()), _split_by_row(rows, streams[1], seed)),
    }


def _judged(scores: dict[str, np.ndarray], rows: Rows, setting: Setting) -> Outcome:
    """Return the outcome for accuracies [M, n] by name: of each model in each test sequence."""
    after = scores["stream 1"]
    above = {name: _every_model(after - scores[name], setting.seed) for name in (*CONTROLS, "untrained")}
    in_models = np.all([above[name] for name in CONTROLS], axis=0)  # a model has to beat each control
    met = bool(in_models.all())
    best = max(CONTROLS, key=lambda name: scores[name].mean())
    gain = over_models(after - scores[best])
    rate = float(rows.labels.mean())
    streams = [name for name in scores if f"{name}, labels by type" in scores]
    selectivity = {name: float((scores[name] - scores[f"{name}, labels by type"]).mean()) for name in streams}
    intervals = {name: over_models(scores[name]) for name in (*CONTROLS, *streams)}
    return Outcome(
        experiment="probes.next_mark",
        question="Does the stream after layer 0 say more of the next mark than token, place and majority?",
        criterion=(
            "In every model the interval over test sequences of the probe's accuracy after layer 0 less that "
            "of each control lies above zero."
        ),
        met=met,
        verdict=(
            f"{'Yes' if met else 'Not shown in every model'}: {float(intervals['stream 1'].value):.3f} "
            f"against {float(intervals[best].value):.3f} from {best}, {float(gain.value):+.3f} "
            f"({float(gain.low):+.3f} to {float(gain.high):+.3f}), more than every control in "
            f"{int(in_models.sum())} of {len(after)} models, selectivity {selectivity['stream 1']:.2f}. "
            f"Marks follow {rate:.0%} of the positions."
        ),
        quantities=(
            *(quantity(f"accuracy, {name}", one) for name, one in intervals.items()),
            quantity(f"after layer 0 less {best}", gain),
            quantity(
                "after layer 0 less the same of an untrained model", over_models(after - scores["untrained"])
            ),
            *(Quantity(f"selectivity, {name}", value) for name, value in selectivity.items()),
            Quantity(
                "accuracy after layer 0 when split by position", float(scores["split by position"].mean())
            ),
            Quantity("share of marks", rate),
        ),
        observations=(
            Observation(ABOUT, Step.one_input, bool(in_models.any())),
            Observation(ABOUT, Step.many_inputs, met),
            Observation(ABOUT, Step.absent_in_random, bool(above["untrained"].all())),
            Observation(ABOUT, Step.in_the_data, 0 < rate < 1),
        ),
        claims=(
            "probe-table",
            "probe-significance",
            "probe-control-task",
            "selectivity",
            "sequence-level-split",
        ),
    )


def _every_model(differences: np.ndarray, seed: int) -> np.ndarray:
    """Return in which models [M] of [M, n] the interval over test sequences lies above zero."""
    return np.array([over_sequences(one, seed).low > 0 for one in differences])


def probe_rows(marks: np.ndarray, windows: np.ndarray, seed: int) -> Rows:
    """Return the positions of windows [N, T+1] as rows, given which tokens are marks [V]."""
    inputs = windows[:, :-1]
    since = np.zeros(inputs.shape, dtype=np.int64)
    for t in range(1, inputs.shape[1]):
        since[:, t] = np.where(marks[inputs[:, t]], 0, since[:, t - 1] + 1)
    sequences = np.repeat(np.arange(len(windows)), inputs.shape[1])
    return Rows(
        sequences=sequences,
        labels=marks[windows[:, 1:]].ravel(),
        tokens=inputs.ravel(),
        since_mark=np.minimum(since, LONGEST_SENTENCE).ravel(),
        tested=probe_split(sequences, TEST_SHARE, seed),
    )


def _split_by_row(rows: Rows, features: np.ndarray, seed: int) -> float:
    """The accuracy that a split by position would report."""
    tested = np.random.default_rng(seed).random(len(rows.labels)) < TEST_SHARE
    probe = fit_probe(features[~tested], rows.labels[~tested])
    return float((probe.predicts(features[tested]) == rows.labels[tested]).mean())


def streams_as_rows(model: SmallGPT, windows: np.ndarray) -> list[np.ndarray]:
    """Return the streams of one model as rows [N T, d], before each layer and after the last."""
    streams = residual_streams(model, windows[:, :-1])[:, 0]
    return [stream.reshape(-1, stream.shape[-1]) for stream in streams]

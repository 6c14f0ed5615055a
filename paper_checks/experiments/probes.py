"""Probes: whether the stream says that a mark comes next, what else explains that, and its use."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpu.small_gpt.ablation import losses, removing_direction
from gpu.small_gpt.export import embeddings
from gpu.small_gpt.heads import residual_streams
from gpu.small_gpt.model import SmallGPT
from paper_checks.experiments.models import text, text_models, unseen_windows, untrained_like
from paper_checks.experiments.result import Observation, Outcome, Quantity, quantity
from paper_checks.experiments.setting import Setting
from properties.evidence_ladder import Step
from reference.probe_examples import Example, unused_bit, used_bit
from reference.probe_split import probe_split
from reference.probes import (
    Probe,
    accuracy_by_sequence,
    fit_probe,
    labels_by_type,
    one_hot_features,
    random_directions,
    without_direction,
)
from reference.resampling import Interval, over_sequences

TEST_SHARE = 0.4
LONGEST_SENTENCE = 40
ABOUT = "the stream says that a mark comes next"


@dataclass(frozen=True)
class Rows:
    """Positions of windows as rows: the property, the token, the place in the sentence, and the split."""

    sequences: np.ndarray
    labels: np.ndarray
    tokens: np.ndarray
    since_mark: np.ndarray
    tested: np.ndarray

    def score(self, features: np.ndarray, labels: np.ndarray | None = None) -> np.ndarray:
        """Return the test accuracy in each test sequence of a probe on these features."""
        wanted = self.labels if labels is None else labels
        probe = fit_probe(features[~self.tested], wanted[~self.tested])
        predicted = probe.predicts(features[self.tested])
        return accuracy_by_sequence(predicted, wanted[self.tested], self.sequences[self.tested])


def next_mark(setting: Setting) -> Outcome:
    """Probe every layer of one model of text for the next token's class, with all controls."""
    model, windows = text_models(setting).only(0), unseen_windows(setting, setting.scale.probe_windows)
    rows = probe_rows(text(setting).is_mark, windows, setting.seed)
    streams = streams_as_rows(model, windows)
    rate = float(rows.labels.mean())
    scores = {
        "majority": np.full(len(rows.score(streams[0][:, :1])), max(rate, 1 - rate)),
        "place in the sentence": rows.score(one_hot_features(rows.since_mark)),
        "token": rows.score(embeddings(model, 0)["tokens"][rows.tokens]),
        **{f"stream {layer}": rows.score(stream) for layer, stream in enumerate(streams)},
    }
    control = labels_by_type(rows.tokens, rate, setting.seed)
    selectivity = {
        f"stream {layer}": float((scores[f"stream {layer}"] - rows.score(stream, control)).mean())
        for layer, stream in enumerate(streams)
    }
    untrained = streams_as_rows(untrained_like(model), windows)[1]
    learned = over_sequences(scores["stream 1"] - rows.score(untrained), setting.seed)
    by_row = _split_by_row(rows, streams[1], setting.seed)
    best_control = max(("majority", "place in the sentence", "token"), key=lambda name: scores[name].mean())
    gain = over_sequences(scores["stream 1"] - scores[best_control], setting.seed)
    met = bool(gain.low > 0)
    intervals = {name: over_sequences(score, setting.seed) for name, score in scores.items()}
    return Outcome(
        experiment="probes.next_mark",
        question="Does the stream after layer 0 say more of the next mark than token, place and majority?",
        criterion=(
            "The interval of the probe's accuracy after layer 0 less that of the best control lies above "
            "zero, over test sequences."
        ),
        met=met,
        verdict=(
            f"{'Yes' if met else 'Not shown'}: {intervals['stream 1'].value:.3f} against "
            f"{intervals[best_control].value:.3f} from {best_control}, {float(gain.value):+.3f} "
            f"({float(gain.low):+.3f} to {float(gain.high):+.3f}), selectivity "
            f"{selectivity['stream 1']:.2f}. Marks follow {rate:.0%} of the positions."
        ),
        quantities=(
            *(quantity(f"accuracy, {name}", one) for name, one in intervals.items()),
            quantity(f"after layer 0 less {best_control}", gain),
            quantity("after layer 0 less the same of an untrained model", learned),
            *(Quantity(f"selectivity, {name}", value) for name, value in selectivity.items()),
            Quantity("accuracy after layer 0 when split by position", by_row),
            Quantity("share of marks", rate),
        ),
        observations=(
            Observation(ABOUT, Step.one_input, met),
            Observation(ABOUT, Step.many_inputs, met),
            Observation(ABOUT, Step.absent_in_random, bool(learned.low > 0)),
            Observation(ABOUT, Step.in_the_data, rate > 0),
        ),
        claims=(
            "probe-table",
            "probe-significance",
            "probe-control-task",
            "selectivity",
            "sequence-level-split",
        ),
    )


def removal(setting: Setting) -> Outcome:
    """Remove the probe's direction after layer 0 and compare with directions drawn as the stream varies."""
    model, windows = text_models(setting).only(0), unseen_windows(setting, setting.scale.probe_windows)
    rows = probe_rows(text(setting).is_mark, windows, setting.seed)
    stream = streams_as_rows(model, windows)[1]
    probe = fit_probe(stream[~rows.tested], rows.labels[~rows.tested])
    others = random_directions(stream[~rows.tested], setting.scale.directions, setting.seed)
    test = windows[np.unique(rows.sequences[rows.tested])]
    base = losses(model, test)[0]
    own = _loss_without(model, test, probe.unit) - base
    chance = np.array([(_loss_without(model, test, one) - base).mean() for one in others])
    found: Interval = over_sequences(own.mean(axis=1), setting.seed)
    rank = float((1 + (chance >= own.mean()).sum()) / (1 + len(chance)))
    met = bool(found.low > np.quantile(chance, 0.95))
    left = fit_probe(_without(stream, probe)[~rows.tested], rows.labels[~rows.tested])
    still = (left.predicts(_without(stream, probe)[rows.tested]) == rows.labels[rows.tested]).mean()
    return Outcome(
        experiment="probes.removal",
        question="Does the model use the direction that the probe reads?",
        criterion=(
            "The interval of the loss gained by removing the probe's direction lies above the 95th "
            "percentile of what directions drawn from the stream's own variation cost."
        ),
        met=met,
        verdict=(
            f"{'Yes' if met else 'Not shown'}: {float(found.value):.4f} nats ({float(found.low):.4f} to "
            f"{float(found.high):.4f}) against {np.median(chance):.4f} in the median and "
            f"{np.quantile(chance, 0.95):.4f} at the 95th percentile of random directions (p = {rank:.3f}). "
            f"A new probe still reads {still:.3f} without it: more than one direction tells of marks."
        ),
        quantities=(
            quantity("loss gained without the probe's direction, nats", found),
            Quantity("random directions, median", float(np.median(chance))),
            Quantity("random directions, 95th percentile", float(np.quantile(chance, 0.95))),
            Quantity("share of random directions as costly", rank),
            Quantity("accuracy of a new probe after removal", float(still)),
        ),
        observations=(Observation(ABOUT, Step.targeted, met),),
        claims=("probe-projection", "projection-control"),
    )


def used_or_not(setting: Setting) -> Outcome:
    """Read the same bit off two streams, of which only one is used, and remove it from both."""
    found = {
        name: _read_and_removed(make(8, 60, 20, setting.seed))
        for name, make in (("used", used_bit), ("not used", unused_bit))
    }
    read = all(one["accuracy"] == 1 for one in found.values())
    told = found["used"]["cost"] > 0.5 and found["not used"]["cost"] < 0.05
    return Outcome(
        experiment="probes.used_or_not",
        question="Can a probe tell information that a model uses from information that it does not?",
        criterion=(
            "A probe reads the bit without error in both models, and removing its direction costs over .5 "
            "nats where it is used and less than .05 where it is not."
        ),
        met=read and told,
        verdict=(
            f"The probe cannot, the removal can: accuracy {found['used']['accuracy']:.2f} and "
            f"{found['not used']['accuracy']:.2f}, cost {found['used']['cost']:.3f} and "
            f"{found['not used']['cost']:.3f} nats."
            if read and told
            else f"Not as constructed: {found}."
        ),
        quantities=tuple(
            Quantity(f"{what}, {name}", value) for name, one in found.items() for what, value in one.items()
        ),
        claims=("probe-below-baseline-inference",),
    )


def _read_and_removed(example: Example) -> dict[str, float]:
    stream = example.stream()
    features = stream.reshape(-1, stream.shape[-1])
    bit = example.tokens[:, :-1].ravel() >= len(example.embedding) // 2
    probe = fit_probe(features, bit)
    cost = example.loss_without(probe.unit) - example.loss(stream)
    return {"accuracy": float((probe.predicts(features) == bit).mean()), "cost": float(cost.mean())}


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


def _loss_without(model: SmallGPT, tokens: np.ndarray, unit: np.ndarray) -> np.ndarray:
    of_one: np.ndarray = losses(model, tokens, removing_direction(1, unit))[0]
    return of_one


def _without(features: np.ndarray, probe: Probe) -> np.ndarray:
    return without_direction(features, probe.unit)


def streams_as_rows(model: SmallGPT, windows: np.ndarray) -> list[np.ndarray]:
    """Return the streams of one model as rows [N T, d], before each layer and after the last."""
    streams = residual_streams(model, windows[:, :-1])[:, 0]
    return [stream.reshape(-1, stream.shape[-1]) for stream in streams]

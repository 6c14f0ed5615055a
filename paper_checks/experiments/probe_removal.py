"""Whether a model uses the direction that a probe reads: the direction is removed, beside random ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpu.small_gpt.ablation import losses, removing_direction
from gpu.small_gpt.model import SmallGPT
from paper_checks.experiments.models import text, text_models, unseen_windows
from paper_checks.experiments.probes import ABOUT, Rows, probe_rows, streams_as_rows
from paper_checks.experiments.result import Observation, Outcome, Quantity, quantity
from paper_checks.experiments.setting import Setting
from properties.evidence_ladder import Step
from reference.probe_examples import Example, unused_bit, used_bit
from reference.probes import fit_probe, random_directions, without_direction
from reference.resampling import over_models, over_sequences

RANDOM_LEVEL = 0.95


@dataclass(frozen=True)
class Removed:
    """What removing directions from one model does.

    Attributes:
        own: by how much the loss rises without the probe's direction, in each test sequence [n].
        random: the mean rise without each of the random directions.
        still: the accuracy of a new probe after the removal, in each test sequence.
        majority: that of always saying what most training rows are.
    """

    own: np.ndarray
    random: np.ndarray
    still: np.ndarray
    majority: np.ndarray

    @property
    def usual(self) -> float:
        """What all but one in twenty of the random directions cost at most."""
        return float(np.quantile(self.random, RANDOM_LEVEL))

    @property
    def as_costly(self) -> float:
        """The share of random directions that cost as much, with the probe's own counted among them."""
        return float((1 + (self.random >= self.own.mean()).sum()) / (1 + len(self.random)))


def removal(setting: Setting) -> Outcome:
    """Remove the probe's direction after layer 0 and compare with directions drawn as the stream varies."""
    models, windows = text_models(setting), unseen_windows(setting, setting.scale.probe_windows)
    rows = probe_rows(text(setting).is_mark, windows, setting.seed)
    found = [_removed(setting, models.only(m), rows, windows) for m in range(len(models.seeds))]
    above = [bool(over_sequences(one.own, setting.seed).low > one.usual) for one in found]
    met = all(above)
    gained = over_models(np.stack([one.own for one in found]))
    still = np.stack([one.still for one in found])
    left = [over_sequences(one.still - one.majority, setting.seed).low > 0 for one in found]
    usual = float(np.mean([one.usual for one in found]))
    median = float(np.mean([np.median(one.random) for one in found]))
    return Outcome(
        experiment="probes.removal",
        question="Does the model use the direction that the probe reads?",
        criterion=(
            "In every model the interval over test sequences of the loss gained by removing the probe's "
            "direction lies above the 95th percentile of what directions drawn from the stream's own "
            "variation cost."
        ),
        met=met,
        verdict=(
            f"{'Yes' if met else 'Not shown in every model'}: {float(gained.value):.4f} nats "
            f"({float(gained.low):.4f} to {float(gained.high):.4f}) against {median:.4f} in the median and "
            f"{usual:.4f} at the 95th percentile of random directions (p = "
            f"{', '.join(f'{one.as_costly:.3f}' for one in found)}). A new probe reads {still.mean():.3f} "
            f"without it{': more than one direction tells of marks' if all(left) else ''}."
        ),
        quantities=(
            quantity("loss gained without the probe's direction, nats", gained),
            Quantity("random directions, median", median),
            Quantity("random directions, 95th percentile", usual),
            Quantity("share of random directions as costly, at most", max(one.as_costly for one in found)),
            quantity("accuracy of a new probe after removal", over_models(still)),
        ),
        observations=(Observation(ABOUT, Step.targeted, met),),
        claims=("probe-projection", "projection-control"),
    )


def _removed(setting: Setting, model: SmallGPT, rows: Rows, windows: np.ndarray) -> Removed:
    stream = streams_as_rows(model, windows)[1]
    probe = fit_probe(stream[~rows.tested], rows.labels[~rows.tested])
    others = random_directions(stream[~rows.tested], setting.scale.directions, setting.seed)
    test = windows[np.unique(rows.sequences[rows.tested])]
    base = losses(model, test)[0]

    def gained(unit: np.ndarray) -> np.ndarray:
        rise: np.ndarray = (losses(model, test, removing_direction(1, unit))[0] - base).mean(axis=1)
        return rise

    return Removed(
        own=gained(probe.unit),
        random=np.array([gained(one).mean() for one in others]),
        still=rows.score(without_direction(stream, probe.unit)),
        majority=rows.majority(),
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

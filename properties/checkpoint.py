"""`weights:FILE`: is it what the theory predicts for its corpus? A verdict a weight and a layer."""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from properties.checkpoint_bands import Band, bands, by_layer, known_terms
from properties.checkpoint_file import Checkpoint, read_checkpoint
from properties.parameter_names import OWN, Names
from properties.predictions.alignment import MOST_STEPS, deviation
from properties.predictions.expansion import GROUPS, Directions, PairSums, expansion
from properties.results import Result, State
from properties.slips import Slip, known
from properties.tolerances import WIDEST_BAND
from reference import pair_sums
from reference.alignment import singular_directions
from reference.corpus import Corpus
from reference.errors import InputError

# Powers of a rate above this are no longer numbers, and no descent is at such a rate.
MOST_RATE = 1e6


def check_rate(rate: float) -> None:
    """Fail on what is no learning rate.

    Raises:
        InputError: it is not above 0, or so large that its powers are no numbers.
    """
    if not (0 < rate <= MOST_RATE):
        raise InputError(f"--rate is {rate:g}; give the learning rate, above 0, at most {MOST_RATE:g}.")


TERMS = {
    "W_O": "s eta B_bar",
    "V": "C(s,2) eta^2 Phi_bar^T B_bar^T",
    "W": "c_s eta^4 Q_bar",
    "P": "c_s eta^4 Delta_bar",
}


@dataclass(frozen=True)
class Training:
    """How the checkpoint came about.

    Attributes:
        rate: the learning rate of full-batch descent from zero.
        steps: how many steps.
        names: where the weights are found in the file.
        trained_on: how many sequences there were, where the corpus is only a sample of them.
    """

    rate: float
    steps: int
    names: Names = field(default_factory=lambda: OWN)
    trained_on: int | None = None


def judge(
    path: Path, corpus: Corpus, training: Training, *, seed: int, sums: PairSums = pair_sums
) -> Iterator[Result]:
    """Yield a result for each weight and layer of the checkpoint in `path`; `sums` make the terms.

    Raises:
        InputError: the rate or the steps are out of range, or the file holds no weights for this corpus.
    """
    check_rate(training.rate)
    if not 1 <= training.steps <= MOST_STEPS:
        raise InputError(
            f"--steps is {training.steps:,}; give the number of steps trained, 1 to {MOST_STEPS:,}."
        )
    checkpoint = read_checkpoint(path, training.names, corpus.vocab_size, corpus.length)
    terms = expansion(corpus.tokens, corpus.vocab_size, sums)
    case = _Case(checkpoint, corpus, terms, training, seed)
    admissible = case.bands()
    for group in GROUPS:
        for layer, weight in enumerate(by_layer(group, checkpoint.parameters[group])):
            started = time.perf_counter()
            found = case.verdict(group, layer, weight, admissible[group][layer])
            if found.state == "failed":
                found = case.explained(found)
            yield _result(path, group, layer, training, checkpoint, found, time.perf_counter() - started)


@dataclass(frozen=True)
class _Found:
    state: State
    ratio: float | None = None
    note: str | None = None
    counterexample: dict[str, Any] | None = None
    measurements: dict[str, Any] | None = None


@dataclass(frozen=True)
class _Case:
    """A checkpoint, and all that its weights are judged by."""

    checkpoint: Checkpoint
    corpus: Corpus
    terms: Mapping[str, Directions]
    training: Training
    seed: int

    def bands(self) -> Mapping[str, Sequence[Band]]:
        """How far each weight may be from what is predicted, by layer."""
        return bands(
            self.corpus,
            self.terms,
            self.checkpoint.layers,
            self.training.rate,
            self.training.steps,
            dtype=self.checkpoint.dtype,
            trained_on=self.training.trained_on,
            seed=self.seed,
        )

    def verdict(self, group: str, layer: int, weight: np.ndarray, band: Band) -> _Found:
        """Judge the weight of one layer: [V, V], P [T]."""
        rate, steps = self.training.rate, self.training.steps
        terms, layers = self.terms[group], self.checkpoint.layers
        leading, following = known_terms(group, terms, rate, steps, layer, layers)
        size = float(np.linalg.norm(leading))
        if size == 0:
            return _unmoved(weight, terms, group)
        predicted = leading + following
        error = float(np.linalg.norm(weight - predicted)) / size
        cosine_loss = deviation(group, terms, rate, steps, layer, layers).cosine_loss
        measured = {
            "relative error to the leading term": float(np.linalg.norm(weight - leading)) / size,
            "relative error predicted": float(np.linalg.norm(following)) / size,
            "cosine with the leading term": _cosine(weight, leading),
            "cosine predicted": 1 - cosine_loss,
            "cosine of a rank-one matrix": _rank_one(leading),
            "band": {"truncation": band.truncation, "sampling": band.sampling, "rounding": band.rounding},
        }
        if not math.isfinite(band.truncation):
            note = (
                "the terms beyond the leading one no longer shrink, so they say nothing of what is left out"
            )
            return _Found("not_applicable", note=note, measurements=measured | {"band": None})
        if not band.total <= WIDEST_BAND:
            note = (
                f"the band is {band.total:.2g} of the leading term (truncation {band.truncation:.2g}, "
                f"sampling {band.sampling:.2g}, rounding {band.rounding:.2g}), too wide to say anything"
            )
            return _Found("not_applicable", note=note, measurements=measured)
        ratio = error / band.total
        if ratio <= 1:
            return _Found("passed", ratio, measurements=measured)
        shown: dict[str, Any] = {
            "case": {"rate": rate, "steps": steps},
            "comparison": f"|{group} - predicted| over |leading term|",
            "got": error,
            "expected": 0.0,
            "bound": band.total,
            "ratio": ratio,
        }
        slip = _explained(weight, predicted, band.total * size, float(np.linalg.norm(following)) / size)
        return _Found(
            "failed",
            ratio,
            counterexample=shown | slip.shown if slip else shown,
            measurements=measured,
        )

    def explained(self, found: _Found) -> _Found:
        """Return a failure with the training that explains the whole checkpoint, where there is one."""
        if self.another_training is None:
            return found
        slip = Slip("of another training", self.another_training)
        return replace(found, counterexample=(found.counterexample or {}) | slip.shown)

    @cached_property
    def another_training(self) -> str | None:
        """The rate or the number of steps at which every weight would be within its band, or None.

        W_O is linear in both, so it says which; the other weights then confirm it or do not.
        """
        training, W_O = self.training, self.checkpoint.parameters["W_O"]
        expected, _ = known_terms("W_O", self.terms["W_O"], training.rate, training.steps, 0, 1)
        square = float((expected * expected).sum())
        scale = float((W_O * expected).sum()) / square if square else 0.0
        if not 0 < scale * training.rate <= MOST_RATE:
            return None
        for rate, steps in (
            (training.rate, round(scale * training.steps)),
            (float(f"{scale * training.rate:.2g}"), training.steps),
        ):
            other = replace(self, training=replace(training, rate=rate, steps=steps))
            if other.training != training and 1 <= steps <= MOST_STEPS and other.all_within():
                return (
                    f"It is what is predicted for the rate {rate:g} and {steps} steps: check --rate and "
                    "--steps."
                )
        return None

    def all_within(self) -> bool:
        """Whether no weight is beyond its band, and some are within one."""
        admissible = self.bands()
        states = [
            self.verdict(group, layer, weight, admissible[group][layer]).state
            for group in GROUPS
            for layer, weight in enumerate(by_layer(group, self.checkpoint.parameters[group]))
        ]
        return "failed" not in states and "passed" in states


def _unmoved(weight: np.ndarray, terms: Directions, group: str) -> _Found:
    """Judge a weight whose leading term vanishes: the corpus has none, or the steps are too few."""
    if not terms.leading.any():
        return _Found("not_applicable", note=f"the corpus has no leading term of {group}")
    if not weight.any():
        return _Found("passed", note=f"after so few steps {group} has not moved at all, as it must not")
    largest = float(np.abs(weight).max())
    return _Found(
        "failed",
        counterexample={
            "case": {},
            "comparison": f"the largest entry of {group}, which has not moved after so few steps",
            "got": largest,
            "expected": 0.0,
            "bound": 0.0,
        },
    )


def _explained(weight: np.ndarray, predicted: np.ndarray, bound: float, following: float) -> Slip | None:
    """Return how a weight that is wrong would be right, or None.

    A factor that is nearer to 1 than the next order is of the size of what the theory leaves out, which two
    layers may differ by; it says nothing of the rate.
    """
    if not weight.any():
        return known("all zero")
    variants = {"negated": -weight}
    if weight.ndim == 1:
        variants["reversed"] = weight[::-1]
    if weight.ndim == 2:
        variants |= {"transposed": weight.T, "transposed and negated": -weight.T}
    for name, variant in variants.items():
        if np.linalg.norm(variant - predicted) <= bound:
            return known(name)
    scale = float((weight * predicted).sum() / (predicted * predicted).sum())
    if (
        scale > 0
        and abs(scale - 1) > following
        and np.linalg.norm(weight - scale * predicted) <= scale * bound
    ):
        return Slip(
            "scaled",
            f"It is {scale:.6g} times what is predicted; no other --rate or --steps explains all weights.",
        )
    return None


def _cosine(first: np.ndarray, second: np.ndarray) -> float | None:
    norms = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float((first * second).sum()) / norms if norms else None


def _rank_one(leading: np.ndarray) -> float | None:
    """The cosine that the best matrix of rank one has with the leading term; None for P, a vector."""
    return singular_directions(leading, 1).best_rank_one if leading.ndim == 2 else None


def _result(
    path: Path,
    group: str,
    layer: int,
    training: Training,
    checkpoint: Checkpoint,
    found: _Found,
    seconds: float,
) -> Result:
    where = "" if group == "W_O" else f" of layer {layer}"
    subject = f"weights:{path}"
    return Result(
        check=f"checkpoint.{group}" if group == "W_O" else f"checkpoint.{group}_{layer}",
        target=subject,
        result=found.state,
        statement=f"{group}{where} is {TERMS[group]} with its next-order term, within the band.",
        source="paper, Thm. 4.1; next order derived here",
        evidence="measured",
        cases=int(found.state != "not_applicable"),
        error_over_bound=found.ratio,
        seconds=round(seconds, 3),
        counterexample=found.counterexample,
        note=found.note,
        command=f"leadterms verify {shlex.quote(subject)} --rate {training.rate!r} --steps {training.steps}",
        measurements={f"{group}{where}": found.measurements} if found.measurements else {},
    )

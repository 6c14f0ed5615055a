"""Rules of probing, followed and broken on cases where the right answer is known."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import sqrt
from statistics import fmean, stdev

import numpy as np

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.constructions import probes
from paper_checks.ledger.finding import Finding, judged, verdict_if
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting
from properties.tolerances import DEVIATIONS

DRAWS = 12
DIRECTIONS = 100
CONTROLS = 19


def repeated_draws(measure: Callable[[int], float], seed: int) -> tuple[float, float]:
    """Return the mean of a measure over DRAWS seeds, and DEVIATIONS of its standard error."""
    values = [measure(seed * DRAWS + draw) for draw in range(DRAWS)]
    return fmean(values), DEVIATIONS * stdev(values) / sqrt(DRAWS)


@decides("probe-position-not-cheating", tried="drawn vectors")
def position_in_the_input(claim: Claim, setting: Setting) -> Finding:
    """Read the position off sums of a character's vector and a position's by a linear map."""
    with_positions, without = (probes.readable_positions(setting.seed, one) for one in (True, False))
    return judged(
        with_positions < 1,
        f"a linear map reads it at {with_positions:.0%} of character and position pairs",
        evidence="property",
        derivation="The position's vector is part of the input; while characters and positions are fewer "
        "than dimensions, a linear map takes each position to its own axis and every character to 0.",
        convention=f"Where positions enter in the attention only, the input is the same at each and the "
        f"share is chance, {without:.0%}.",
        readings={"positions that enter in the attention only": verdict_if(without < 1)},
    )


@decides("projection-control", tried=f"{DIRECTIONS} drawn directions")
def random_directions(claim: Claim, setting: Setting) -> Finding:
    """Judge directions drawn blindly, and the one that is used, with and without the comparison."""
    random = np.random.default_rng(setting.seed)
    readout = random.normal(size=probes.WIDTH)

    def effect(direction: np.ndarray) -> float:
        return probes.effect_of_removal(readout, direction)

    blind = [effect(one) for one in random.normal(size=(DIRECTIONS, probes.WIDTH))]
    controls = [[effect(w) for w in random.normal(size=(CONTROLS, probes.WIDTH))] for _ in range(DIRECTIONS)]
    alone = sum(one > 0 for one in blind)
    against = sum(one > max(others) for one, others in zip(blind, controls, strict=True))
    used = effect(readout) > max(map(max, controls))
    return judged(
        alone == DIRECTIONS and against < DIRECTIONS / 2 and used,
        f"of {DIRECTIONS} directions drawn blindly, {alone} raise the loss and {against} raise it more than "
        f"{CONTROLS} random ones do; the one that is used {'does' if used else 'does not'}",
        evidence="measured",
        derivation="Any direction takes something from what is read, so that a rise alone always speaks for "
        f"use; against {CONTROLS} random directions chance speaks for it once in {CONTROLS + 1}.",
    )


@decides("probe-control-task", tried="drawn vectors")
def control_labels(claim: Claim, setting: Setting) -> Finding:
    """Train a probe that only memorises types on both kinds of control labels; take the work's year."""
    by_type, by_instance = (
        probes.accuracies(setting.seed, labels, "type") for labels in ("by type", "by instance")
    )
    year = claim.given["published"]
    return judged(
        by_type <= by_instance and year == claim.given["year"],
        f"in {year}, with random labels by type: a probe that memorises types has {by_type:.2f} on them, and "
        f"{by_instance:.2f} on labels shuffled over instances",
        evidence="quoted",
        derivation="Labels shuffled over instances cannot be learned at all, so that they do not show how "
        "much a probe memorises.",
    )


@decides("selectivity", tried="drawn vectors")
def selectivity(claim: Claim, setting: Setting) -> Finding:
    """Take the difference for a representation of the label, and for one of nothing but the type."""
    found = {
        name: [probes.accuracies(setting.seed, labels, name) for labels in ("real", "by type")]
        for name in ("label", "type")
    }
    difference = {name: real - control for name, (real, control) in found.items()}
    told = [f"of the {name} {real:.2f} - {control:.2f}" for name, (real, control) in found.items()]
    return judged(
        difference["label"] > difference["type"] and found["label"][0] == found["type"][0],
        "selectivity "
        + "; ".join(f"{one} = {value:.2f}" for one, value in zip(told, difference.values(), strict=True)),
        evidence="measured",
        derivation="A feature that is the label, and a vector that only says which type it is, have the same "
        "accuracy on the real labels; the difference tells them apart.",
    )


@decides("sequence-level-split", tried=f"{DRAWS} draws")
def two_splits(claim: Claim, setting: Setting) -> Finding:
    """Probe for labels that are random for each sequence, where nothing is to be found, with both splits."""
    right, right_error = repeated_draws(partial(probes.split_accuracy, by_sequence=True), setting.seed)
    inflated, error = repeated_draws(partial(probes.split_accuracy, by_sequence=False), setting.seed)
    return judged(
        abs(right - 1 / 2) <= right_error and inflated - error > 1 / 2,
        f"split by sequence {right:.2f} (+- {right_error:.2f}), by position {inflated:.2f}; right is 0.5",
        evidence="measured",
        derivation="Labels are random for each sequence, so that nothing can be known of a new one. "
        "Positions of one sequence are alike: a probe that has seen some of them knows the rest.",
    )

"""What is new and worth reading first: what a law is good for, with a number that this run computed.

A remark whose number the run does not have is not among the first: a law without one is in the list below.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from paper_checks.report.summary import Law
from properties.results import Run

Number = Callable[[Law, Run], str]


class Remark(NamedTuple):
    """A law with what it is good for and the number that shows it."""

    law: Law
    good_for: str
    number: str


def _sizes(law: Law, run: Run) -> str:
    cases = law.results[0].cases
    return f"Proved at {cases} sizes of corpus and depth." if cases else ""


def _rows(run: Run) -> Mapping[str, Mapping[str, Any]]:
    """Return the rows by weight, of the weights that have a direction: one that stays zero has no cosine."""
    rows = (run.header.get("by_layer") or {}).get("rows", ())
    return {row["weight"]: row for row in rows if row["cosine"] is not None}


def _distance(law: Law, run: Run) -> str:
    rows = _rows(run)
    if "W_O" not in rows:
        return ""
    far = min(rows, key=lambda name: rows[name]["cosine"])
    by_layer = run.header["by_layer"]
    least, most = (1 - rows[name]["cosine"] for name in ("W_O", far))
    return (
        f"On a part of this corpus, trained for {by_layer['steps']} steps at the rate {by_layer['rate']:g}, "
        f"1 - cos is {least:.1e} for W_O and at most {most:.1e}, for {_in_words(far)}."
    )


def _effect(law: Law, run: Run) -> str:
    rows = _rows(run)
    if not {"V 0", "W 0"} <= set(rows):
        return ""
    told = " and ".join(
        f"{rows[name]['measured']:.2g} nats a token without {_in_words(name)} ({rows[name]['predicted']:.2g} "
        f"predicted, cosine {rows[name]['cosine']:.6f})"
        for name in ("V 0", "W 0")
    )
    return f"There the loss rises by {told}."


def _in_words(weight: str) -> str:
    """Return a row's name for a sentence: "V 0" is V of layer 0."""
    name, *layer = weight.split(" ")
    return f"{name} of layer {layer[0]}" if layer else name


def _spread(law: Law, run: Run) -> str:
    apart = [1 - row["cosine"] for name, row in _rows(run).items() if name.startswith("V ")]
    if len(apart) < 2:
        return ""
    return (
        f"There the {len(apart)} layers of V are 1 - cos = {min(apart):.1e} to {max(apart):.1e} from "
        "the term that they share."
    )


def _room(law: Law, run: Run) -> str:
    shares = law.results[0].measurements.get("error over bound on any corpus, at most", {}).get("L = 3")
    if not shares:
        return ""
    told = ", ".join(f"{_up(shares[name])} of that on {name}" for name in ("V", "W"))
    return f"With three layers no corpus needs more than {_up(shares['W_O'])} of the bound on W_O, {told}."


def _up(x: float) -> str:
    """Return a positive number to two digits, rounded up: it is said of it that nothing is more."""
    last = 10.0 ** (math.floor(math.log10(x)) - 1)
    return f"{math.ceil(x / last) * last:.2g}"


def _claim(claim_id: str, words: str) -> Number:
    """Return what takes the number from what was computed of a claim."""

    def number(law: Law, run: Run) -> str:
        computed = next((one.get("computed") for one in run.claims if one["id"] == claim_id), "")
        return words.format(computed) if computed else ""

    return number


# What to read first, in order: the law, what it is good for, and where this run has its number.
FIRST: dict[str, tuple[str, Number]] = {
    "proof.next_order": (
        "How large a weight gets, and how far its leading term is off, is known before anything is trained.",
        _sizes,
    ),
    "series.relative_error": (
        "How good the leading terms are at a given rate can be told beforehand.",
        _distance,
    ),
    "series.ablation": (
        "A weight can lie along its leading term long before the loss depends on it.",
        _effect,
    ),
    "series.layer_separation": (
        "Layers start alike and part later; when and how far follows from the corpus.",
        _spread,
    ),
    "bounds.zero_passes": (
        "What the theorem says of attention is in its leading terms, not in its bounds.",
        _claim("paper-thm-bounds-informative", "At the published rate {}."),
    ),
    "bounds.D10_proved": (
        "Yet they hold for every corpus of every size, and most of their room is unused.",
        _room,
    ),
    "predictions.ablation": (
        "Late in the published run no power of the rate tells the weights apart: the steps make up for it.",
        _claim("leading-coefficients-at-run", "There the leading terms have the {}."),
    ),
    "series.general_descent": (
        "The theory is not confined to full batches and a constant rate.",
        _claim("full-batch-vs-sgd", "Trained by batches the weights have the {}."),
    ),
    "random.softmax_moments": (
        "What an untrained head scores is derived, and a trained one read against it.",
        _claim(
            "random-entropy-deficit",
            "An untrained head has {}.",
        ),
    ),
}


def read_first(found: Iterable[Law], run: Run) -> tuple[list[Remark], list[Law]]:
    """Return the laws to read first, in their order, each with its number, and the others as they come."""
    listed = list(found)
    by_check = {law.check: law for law in listed}
    first = [
        Remark(law, good_for, number(law, run))
        for check, (good_for, number) in FIRST.items()
        if (law := by_check.get(check)) and number(law, run)
    ]
    shown = {remark.law.check for remark in first}
    return first, [law for law in listed if law.check not in shown]

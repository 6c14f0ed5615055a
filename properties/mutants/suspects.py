"""What may be behind a wrong answer: each slip that is known, in one place, in several, or wherever it shows.

A mutant has one slip in one method. A person who makes a slip once often shows it often: in Phi_bar as in
B_bar, where both read the same targets; in the loss, its gradients and descent, where all of them run one
model. So the suspects behind an answer are the mutants, the mutants of one name made together, and the model
with a slip in it, whose gradients are by hand as they were, or by autograd those of the slipped model.
"""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from properties.laws.given import IN_PLACE
from properties.mutants import plain_model, plain_statistics, plain_training
from properties.mutants.catalogue import MUTANTS
from properties.mutants.mutant import (
    MODULES,
    Implementation,
    Mutant,
    implementation,
    plain,
    quiet,
    rewritten,
)
from properties.mutants.plain_model import Parameters
from properties.mutants.slope import slope_of
from properties.slips import STATISTICS

Edit = tuple[str | None, str, str]
OF_THE_MODEL = ("logits", "attention", "loss")
OF_TRAINING = ("gradients", "train")
MADE_IN = {
    "bigram": ("B_bar",),
    "shares": ("Phi_bar",),
    "context": ("Phi_bar",),
    "evidence": ("Q_bar", "Delta_bar"),
}


# Those that answer right and change what they are given are told by what they change.
ANSWERING = tuple(one for one in MUTANTS if one.kind != IN_PLACE)


@dataclass(frozen=True)
class Writing:
    """What may be written in other ways, all of them right, which a slip beside it shows.

    Attributes:
        function: the function that holds it.
        text: how the plain implementation has it.
        others: how else it may be.
        shown_by: what the slips that show it replace, parts of "function text".
    """

    function: str
    text: str
    others: tuple[str, ...]
    shown_by: tuple[str, ...]


WRITINGS = (
    # P at a distance below zero, which the mask hides.
    Writing(
        "forward",
        "scores = scores + P[distance]",
        (
            "scores = scores + P[np.maximum(distance, 0)]",
            "scores = scores + P[abs(distance)]",
            "scores = scores + np.where(distance >= 0, P[distance], 0.0)",
        ),
        ("visible", "-np.inf", "distance >="),
    ),
    # The number of words in a prefix.
    Writing("shares", "1 / len(prefix)", ("1 / (t + 1)",), ("shares sequence[",)),
    Writing("evidence", "pull / len(prefix)", ("pull / (t + 1)",), ("evidence sequence[",)),
    # The mean over the prefix as a sum of shares.
    Writing(
        "evidence", "pull.mean()", ("pull.sum() / (len(sequence) - 1)",), ("evidence pull / len(prefix)",)
    ),
    # The positions that a mean is over, where some are left out of the sum.
    *(
        Writing(function, "tokens[:, 1:].size", ("max(tokens[:, 2:].size, 1)",), (f"{function} for t in",))
        for function in ("bigram", "shares", "evidence")
    ),
    # The mean as a sum of shares of 1/t, each of them missing.
    Writing("evidence", "pull.mean()", ("pull.sum()",), ("evidence pull = pull / len",)),
    # The rows of a right B_bar sum to zero, and what is the same for every target drops out.
    Writing(
        "evidence",
        "np.eye(vocab_size)[target] - 1 / vocab_size",
        ("np.eye(vocab_size)[target]",),
        ("- uniform", "(count", "G_bar[:, prefix]", "Sigma_B @ Phi_bar", "B_bar.T @ B_bar"),
    ),
    # Keys after the query, of which there are none.
    Writing(
        "evidence",
        "Delta_bar[distance] += pull[k]",
        ("Delta_bar[distance] += pull[k] * (distance >= 0)",),
        ("evidence sequence[",),
    ),
)


@dataclass(frozen=True, eq=False)
class Suspect:
    """A slip that may be behind an answer.

    Attributes:
        name: what the slip is called.
        places: the statistics that it is made in; empty for other methods.
        make: makes an implementation with the slip, anew each time: one may remember its answers.
        alone: whether every other method than the one asked for is right.
        in_the_loss: whether the loss is wrong as well.
        solved_for: whether it was made to fit what was answered.
    """

    name: str
    places: frozenset[str]
    make: Callable[[], Implementation]
    alone: bool = False
    in_the_loss: bool = False
    solved_for: bool = False


@cache
def suspects(needs: tuple[str, ...]) -> tuple[Suspect, ...]:
    """Return what may be behind an answer to a law that asks for these methods."""
    throughout = [*_in_the_model(), *_in_the_gradients()]
    shown = {_edit(one) for one, _, methods in throughout if {*needs} <= methods}
    alone = [one for one in ANSWERING if one.method in needs and _edit(one) not in shown]
    return (
        *(Suspect(one.name, _places(one), partial(implementation, one), alone=True) for one in alone),
        *(_in_several() if "statistics" in needs else ()),
        *(
            Suspect(one.name, frozenset(), make, in_the_loss="loss" in methods)
            for one, make, methods in throughout
            if methods & {*needs}
        ),
    )


def _places(mutant: Mutant) -> frozenset[str]:
    """Return the statistics that a mutant is wrong in, and not only because of another."""
    if mutant.method != "statistics":
        return frozenset()
    whole = [name for name in STATISTICS if mutant.id.startswith(name)]
    return frozenset(MADE_IN.get(mutant.function, whole))


@cache
def _in_several() -> tuple[Suspect, ...]:
    """Return the slips of one name made in several functions of the statistics, or beside another writing."""
    found = []
    statistics = [one for one in ANSWERING if one.method == "statistics"]
    for name in dict.fromkeys(one.name for one in statistics):
        by_function: dict[str, list[Mutant | None]] = {}
        for one in statistics:
            if one.name == name:
                by_function.setdefault(one.function, [None]).append(one)
        for chosen in itertools.product(*by_function.values()):
            together = [one for one in chosen if one is not None]
            places = frozenset().union(*map(_places, together))
            for edits in _written([_edit(one) for one in together]):
                if len(edits) > 1:
                    found.append(Suspect(name, places, partial(_slipped_statistics, edits)))
    return tuple(found)


def _slipped_statistics(edits: list[Edit]) -> Implementation:
    slipped = rewritten(plain_statistics, edits).statistics
    return Implementation("mutants", {**plain().methods, "statistics": quiet(slipped)})


@cache
def in_the_answer(statistic: str) -> tuple[Suspect, ...]:
    """Return the slips of one statistic that is answered so, while what follows from it is right."""
    return tuple(
        Suspect(one.name, frozenset({statistic}), partial(_answering, {statistic: implementation(one)}))
        for one in ANSWERING
        if statistic in _places(one)
    )


@cache
def together(those: tuple[Suspect, ...]) -> Suspect:
    """Return the slips of one name in the answers of several statistics as one."""
    slipped = {statistic: one.make() for one in those for statistic in one.places}
    return Suspect(those[0].name, frozenset(slipped), partial(_answering, slipped))


def _answering(slipped: Mapping[str, Implementation]) -> Implementation:
    """Return the plain implementation with each statistic of `slipped` answered as that one does."""

    def statistics(tokens: np.ndarray, vocab_size: int) -> dict[str, np.ndarray]:
        wrong = {name: one.statistics(tokens, vocab_size)[name] for name, one in slipped.items()}
        return {**plain().statistics(tokens, vocab_size), **wrong}

    return Implementation("mutants", {**plain().methods, "statistics": statistics})


def _edit(one: Mutant) -> Edit:
    return one.function, one.right, one.wrong


def _written(edits: list[Edit]) -> Iterator[list[Edit]]:
    """Yield the edits of a slip once for each way of writing what it shows."""
    choices: list[list[Edit | None]] = []
    for one in WRITINGS:
        replaced = [f"{function} {right}" for function, right, _ in edits]
        if any(part in text for text in replaced for part in one.shown_by):
            choices.append([None, *((one.function, one.text, other) for other in one.others)])
    for chosen in itertools.product(*choices):
        yield [*edits, *(other for other in chosen if other is not None)]


_Throughout = tuple[Mutant, Callable[[], Implementation], set[str]]


@cache
def _in_the_model() -> tuple[_Throughout, ...]:
    """Return each slip of the model in all that runs it, with gradients by hand and by autograd."""
    found: dict[tuple[str, str, str], Mutant] = {}
    for one in ANSWERING:
        if one.method in OF_THE_MODEL and one.function != "attention":
            found.setdefault((one.function, one.right, one.wrong), one)
    return tuple(
        (one, partial(make, edits), methods)
        for one in found.values()
        for edits in _written([_edit(one)])
        for make, methods in _ways(one)
    )


def _ways(one: Mutant) -> Iterator[tuple[Callable[[Any], Implementation], set[str]]]:
    attention = set() if one.function in ("logits", "loss") else {"attention"}
    logits = set() if one.function == "loss" else {"logits"}
    answered = {*attention, *logits, "loss"}
    # Rounding to float32 has no slope.
    if one.kind == "float32":
        yield _by_hand, answered
        return
    yield _by_autograd, {*answered, *OF_TRAINING}
    if one.function in ("forward", "softmax"):
        yield _by_hand, {*OF_TRAINING}


# Laws on gradients ask each suspect for the same ones, and a slope is a loss for every entry.
_SLOPES: dict[tuple[Any, ...], dict[str, np.ndarray]] = {}


def _by_autograd(edits: list[Edit]) -> Implementation:
    model = rewritten(plain_model, edits)

    def gradients(parameters: Parameters, tokens: np.ndarray) -> dict[str, np.ndarray]:
        given = [(name, value.shape, value.tobytes()) for name, value in parameters.items()]
        asked = (*edits, *given, np.shape(tokens), np.asarray(tokens).tobytes())
        if asked not in _SLOPES:
            _SLOPES[asked] = slope_of(model.loss, parameters, tokens)
        return {name: value.copy() for name, value in _SLOPES[asked].items()}

    return _of(model, {"gradients": gradients})


def _by_hand(edits: list[Edit]) -> Implementation:
    model = rewritten(plain_model, edits)
    return _of(model, {"forward": model.forward, "softmax": model.softmax})


def _of(model: types.ModuleType, in_training: dict[str, Any]) -> Implementation:
    training = rewritten(plain_training, [])
    vars(training).update(in_training)
    slipped = {name: getattr(model, name) for name in OF_THE_MODEL}
    slipped |= {name: getattr(training, name) for name in OF_TRAINING}
    return Implementation("mutants", {**plain().methods, **{name: quiet(f) for name, f in slipped.items()}})


@cache
def _in_the_gradients() -> tuple[_Throughout, ...]:
    """Return each slip of the gradients in descent too, which goes along them."""
    return tuple(
        (one, partial(_with_its_descent, one), {*OF_TRAINING})
        for one in ANSWERING
        if one.method == "gradients"
    )


def _with_its_descent(one: Mutant) -> Implementation:
    training = rewritten(MODULES["gradients"], [_edit(one)])
    slipped = {name: quiet(getattr(training, name)) for name in OF_TRAINING}
    return Implementation("mutants", {**plain().methods, **slipped})

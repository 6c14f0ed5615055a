"""Descent with any rates, batches, momentum and accumulation: laws of the series that hold exactly."""

from __future__ import annotations

from flint import fmpq

from properties.cases import STEPS, UPDATES, StepsCase, UpdatesCase
from properties.check import Check, Outcome
from properties.laws.mathematics import equal
from properties.laws.series import held
from properties.target import Target
from theory.laws import accumulation, descent_constants, general_descent
from theory.series import Update


def _batches(case: UpdatesCase) -> list[list[fmpq]]:
    """Return each batch's weights, which sum to one."""
    return [[fmpq(int(w)) / sum(batch) for w in batch] for batch in case.batches]


def _updates(case: UpdatesCase) -> list[Update]:
    return [Update(fmpq(n, 4), batch) for n, batch in zip(case.rates, _batches(case), strict=True)]


def _general(target: Target, case: UpdatesCase) -> Outcome:
    """Rates and batches that change from step to step, with and without momentum."""
    tokens = case.tokens.tolist()
    for momentum in (fmpq(0), fmpq(1, 2)):
        yield held(
            general_descent.check(tokens, case.vocab_size, case.layers, _updates(case), momentum=momentum)
        )


def _plain_constants(target: Target, case: StepsCase) -> Outcome:
    """The constants at one batch, rate one and no momentum are the binomials."""
    yield held(descent_constants.check_binomials(min(case.steps, 12)))


def _momentum_constants(target: Target, case: UpdatesCase) -> Outcome:
    """The constants at changing rates, without momentum and with two values of it, by another route."""
    for momentum in (fmpq(0), fmpq(1, 2), fmpq(9, 10)):
        yield held(descent_constants.check(_updates(case), momentum))


def _accumulated(target: Target, case: UpdatesCase) -> Outcome:
    """Gradients of micro-batches averaged at every one of three steps, to every order kept."""
    micro = _batches(case)
    merged = general_descent.accumulated(micro)
    yield equal("the weights of the merged batch", sum(merged, fmpq(0)), fmpq(1))
    yield held(accumulation.check(case.tokens.tolist(), case.vocab_size, case.layers, micro, 3))


CHECKS = (
    Check(
        id="series.general_descent",
        statement="With any rates, batches and momentum the coefficients are sums over ordered steps.",
        source="derived here",
        cases=UPDATES,
        law=_general,
        evidence="exact",
        cost=6,
    ),
    Check(
        id="series.general_constants",
        statement="The constants of general descent are s, C(s,2) and c_s for one batch at rate one "
        "without momentum.",
        source="derived here",
        cases=STEPS,
        law=_plain_constants,
        evidence="exact",
        cost=4,
    ),
    Check(
        id="series.momentum_constants",
        statement="At any rates and momentum the constants are those of descent on numbers with a velocity.",
        source="derived here",
        cases=UPDATES,
        law=_momentum_constants,
        evidence="exact",
        cost=4,
    ),
    Check(
        id="series.accumulation",
        statement="Accumulating gradients of micro-batches is descent on the batch of their mean weights.",
        source="derived here",
        cases=UPDATES,
        law=_accumulated,
        evidence="exact",
        cost=6,
    ),
)

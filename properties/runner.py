"""Run checks against a target and say what was found: one generator for every way of running them."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, Verbosity, errors, given, seed, settings

from properties.cases import describe
from properties.catalogue import CHECKS
from properties.check import Check, Comparison, Measurement, NotAdmitted
from properties.comparing import arrays, error_over_bound
from properties.connectors import connect
from properties.diagnosis import admits_a_right_one, diagnose
from properties.results import MATHEMATICS, Result, State
from properties.rounded import NothingKnown
from properties.slips import known
from properties.target import ImplementationError, Incapable, Target
from reference.corpus import Corpus

# How many cases the cheapest check is tried on; dearer ones divide it, down to the fewest. The soak spreads
# the cases of the deep profile over three seeds.
PROFILES = {"quick": 24, "ci": 100, "soak": 3_400, "deep": 10_000}
FEWEST = {"quick": 3, "ci": 8, "soak": 34, "deep": 100}
# What a failure compares where what was answered leaves nothing to compare.
THE_LAW = "the law"
# A law that compares statistics of which an implementation answers none does not pass.
NOTHING = "it compares nothing"
NOT_COMPARED = "its statistics are none of those that are compared"
# Where two answers of an implementation are compared, neither side of a failure is what is right.
NAN = "an answer is NaN, not a number: look for 0/0, or an infinity less an infinity"


@dataclass
class _Finding:
    """What happened so far in the cases of one check."""

    admitted: int = 0
    refusal: str = ""
    worst: float | None = None
    counterexample: dict[str, Any] | None = None
    note: str | None = None
    measurements: dict[str, Any] = field(default_factory=dict)
    final: bool = False
    failed: Any = None
    small: bool = True
    lost: bool = False

    def fails(self, counterexample: dict[str, Any], note: str | None = None, failed: Any = None) -> None:
        """Keep what a failing case shows, and nothing of one before it, which may have failed otherwise."""
        self.counterexample, self.note, self.failed = counterexample, note, failed
        self.worst = None


class _Wrong(Exception):
    """A case failed; Hypothesis shrinks it. The finding holds what the last failing case showed."""


def check_implementation(
    target: Any,
    *,
    checks: Iterable[Check] = CHECKS,
    profile: str = "quick",
    seed: int = 0,
    corpus: Corpus | None = None,
) -> list[Result]:
    """Hold an implementation to the laws and return a result for each check.

    Args:
        target: any object with some methods of the protocol, or how one is named on the command line
            ("reference", "py:module:attribute", "cmd:program arguments").
        checks: which laws; all by default.
        profile: how many cases: quick, ci or deep.
        seed: where Hypothesis starts from; the same seed gives the same cases.
        corpus: a corpus to run the laws on as well, those that admit one.

    Raises:
        InputError: a name that is no target.
    """
    if isinstance(target, str):
        with closing(connect(target)) as connected:
            return list(run(connected, checks, profile=profile, seed=seed, corpus=corpus))
    subject = target if isinstance(target, Target) else Target(target)
    return list(run(subject, checks, profile=profile, seed=seed, corpus=corpus))


def run(
    target: Target, checks: Iterable[Check], *, profile: str, seed: int, corpus: Corpus | None = None
) -> Iterator[Result]:
    """Yield the result of each check that has a subject in `target`."""
    for check in checks:
        if check.needs:
            yield run_check(check, target, profile=profile, seed=seed, corpus=corpus)


def run_mathematics(checks: Iterable[Check], *, profile: str, seed: int) -> Iterator[Result]:
    """Yield the result of each check that is about no implementation."""
    nobody = mathematics()
    for check in checks:
        if not check.needs:
            yield run_check(check, nobody, profile=profile, seed=seed)


def mathematics() -> Target:
    """Return the target of the checks that are about no implementation."""
    return Target(object(), name=MATHEMATICS)


def run_check(
    check: Check, target: Target, *, profile: str, seed: int, corpus: Corpus | None = None
) -> Result:
    """Try one law on generated cases, and on the corpus where it admits one; shrink and explain a failure."""
    started, finding = time.perf_counter(), _Finding()
    state = _state(check, target, finding, profile, seed, corpus, (Phase.generate, Phase.shrink))
    # On a corpus of any size the known slips, which are written to be read, would take too long.
    if state == "failed" and finding.small and finding.failed is not None and finding.counterexample:
        slip = diagnose(check, target, finding.failed)
        if slip is not None:
            finding.counterexample |= slip.shown
    return _result(check, target, finding, state, seed, profile, started)


def first_failure(check: Check, target: Target, *, profile: str, seed: int) -> Result:
    """Try one law on generated cases until one breaks it, and leave that one as it came."""
    started, finding = time.perf_counter(), _Finding()
    state = _state(check, target, finding, profile, seed, None, (Phase.generate,))
    return _result(check, target, finding, state, seed, profile, started)


def _result(
    check: Check, target: Target, finding: _Finding, state: State, seed: int, profile: str, started: float
) -> Result:
    return Result(
        check=check.id,
        target=target.name,
        result=state,
        statement=check.statement,
        source=check.source,
        evidence=check.evidence,
        proof=check.proof,
        claims=check.claims,
        cases=finding.admitted,
        error_over_bound=finding.worst,
        seconds=round(time.perf_counter() - started, 3),
        counterexample=finding.counterexample,
        note=finding.note,
        command=_command(check, target, seed, profile),
        measurements=finding.measurements,
    )


def _state(
    check: Check,
    target: Target,
    finding: _Finding,
    profile: str,
    seed: int,
    corpus: Corpus | None,
    phases: Sequence[Phase],
) -> State:
    missing = [method for method in check.needs if method not in target.methods]
    if missing:
        finding.note = f"the implementation has no {' and no '.join(missing)}"
        return "not_applicable"
    try:
        drawn = _generated(check, target, finding, profile, seed, phases)
        if not drawn:
            _examine(check, target, check.cases.ordinary, finding)
        finding.small = False
        if corpus is not None and check.cases.of_corpus is not None:
            _examine(check, target, check.cases.of_corpus(corpus), finding)
    except _Wrong:
        return "errored" if finding.lost else "failed"
    except Incapable as reason:
        finding.note = str(reason)
        return "not_applicable"
    except errors.Flaky as flaky:
        if finding.counterexample is None:
            finding.note = f"its cases are not drawn alike twice: {flaky}"
            return "errored"
        # A case failed and does not when it is asked again: the finding holds how it failed.
        finding.failed, shown = None, finding.counterexample or {}
        finding.counterexample = shown | known("not repeatable").shown
        return "failed"
    except Exception as error:
        finding.note = f"the check itself raised {type(error).__name__}: {error}"
        return "errored"
    if finding.admitted:
        return "passed"
    return _without_a_case(check, target, finding)


def _without_a_case(check: Check, target: Target, finding: _Finding) -> State:
    """Say whose doing it is that no case was admitted: of rounding, of what was answered, or of the law."""
    finding.note = f"no case was admitted: {finding.refusal}"
    if target.dtype == "float32" and finding.refusal != NOTHING:
        return "not_applicable"
    if not admits_a_right_one(check):
        return "errored"
    if finding.refusal == NOTHING:
        finding.note = NOT_COMPARED
        return "not_applicable"
    finding.note = f"its answers leave nothing to compare: {finding.refusal}"
    case = describe(check.cases.ordinary)
    finding.counterexample = {"case": case, "comparison": THE_LAW, "error": finding.refusal}
    return "failed"


def _generated(
    check: Check, target: Target, finding: _Finding, profile: str, start: int, phases: Sequence[Phase]
) -> bool:
    """Try the drawn cases; return whether the ordinary one was among them, as where it is the only one."""
    ordinary = False

    @seed(start)
    @settings(
        max_examples=max(FEWEST[profile], PROFILES[profile] // check.cost),
        database=None,
        deadline=None,
        phases=phases,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @given(check.cases.strategy)
    def tried(case: Any) -> None:
        nonlocal ordinary
        ordinary = ordinary or case is check.cases.ordinary
        _examine(check, target, case, finding)

    tried()
    return ordinary


def _examine(check: Check, target: Target, case: Any, finding: _Finding) -> None:
    """Try one case, or none once a failure is final.

    Raises:
        _Wrong: a comparison is out of its bound, or the implementation failed to answer.
    """
    if not finding.final:
        _try(check, target, case, finding)
    # Hypothesis tells failures apart by the line that raises: a final one must be the same every time.
    if finding.final:
        raise _Wrong


def _try(check: Check, target: Target, case: Any, finding: _Finding) -> None:
    ratios, empty = [], True
    try:
        for item in check.law(target, case):
            empty = False
            if isinstance(item, Measurement):
                finding.measurements[item.name] = item.value
            else:
                ratios.append(_ratio(item, case, finding))
    except (NotAdmitted, NothingKnown) as reason:
        finding.refusal = str(reason)
        return
    except ImplementationError as error:
        shown = {"case": describe(case), "comparison": "the call", "error": str(error)}
        finding.fails(shown, note=str(error))
        # Without shrinking nothing is asked again: what stands is the case that was lost.
        finding.final, finding.lost = not error.shrinks, error.lost
        if finding.final:
            return
        raise _Wrong from None
    if empty:
        finding.refusal = NOTHING
        return
    finding.admitted += 1
    bounded = [ratio for ratio in ratios if ratio is not None]
    if bounded:
        finding.worst = max([*bounded, finding.worst or 0.0])


def _ratio(comparison: Comparison, case: Any, finding: _Finding) -> float | None:
    """Return the largest error over its bound, None where the bounds ask for equality and have it.

    Raises:
        _Wrong: it is above 1; the finding then describes the entry.
        NotAdmitted: the bound is infinite, so nothing can be compared.
    """
    try:
        ratio = error_over_bound(comparison)
    except ValueError as error:
        shown = {"case": describe(case), "comparison": comparison.name, "error": str(error)}
        finding.fails(shown, failed=case)
        raise _Wrong from None
    bound = np.asarray(comparison.bound, dtype=np.float64)
    if not np.isfinite(bound).all():
        # A bound that admits everything would be a check that cannot fail.
        raise NotAdmitted(f"the rounding bound of {comparison.name} is not finite")
    if ratio.size and ratio.max() > 1:
        got, expected, _ = arrays(comparison)
        note = NAN if np.isnan(got).any() or np.isnan(expected).any() else None
        finding.fails(_counterexample(comparison, case, ratio), note, case)
        finding.worst = float(ratio.max()) if np.isfinite(ratio.max()) else None
        raise _Wrong
    return float(ratio.max()) if (bound > 0).any() else None


def _counterexample(comparison: Comparison, case: Any, ratio: np.ndarray) -> dict[str, Any]:
    got, expected, bound = arrays(comparison)
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(ratio)), ratio.shape))
    shown = {
        "case": describe(case),
        "comparison": comparison.name,
        "index": list(index),
        "got": _finite(got[index]),
        "expected": _finite(expected[index]),
        "bound": _finite(bound[index]),
        "ratio": _finite(ratio[index]),
    }
    return shown if comparison.exact is None else {**shown, "exact": comparison.exact(index)}


def _finite(value: float) -> float | str:
    """Return a number that JSON can hold, or its name."""
    return float(value) if np.isfinite(value) else str(value)


def _command(check: Check, target: Target, seed: int, profile: str) -> str:
    subject = "" if target.name == MATHEMATICS else f"{shlex.quote(target.name)} "
    # The number of cases is part of it: what Hypothesis draws late is not drawn in a shorter run.
    how = "" if profile == "quick" else f" --profile {profile}"
    return f"leadterms verify {subject}--check {check.id} --seed {seed}{how}"

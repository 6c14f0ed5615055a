"""What an experiment found, as data: its question, the criterion set beforehand, the numbers, the verdict."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from properties.evidence_ladder import Assessment, Finding, Step, assess
from reference.atomic_files import write_text
from reference.errors import InputError, reason
from reference.resampling import Interval
from reference.small_files import parsed, read_small

FORMAT = 1
# What a line of a file of outcomes can be.
KINDS = frozenset({"header", "experiment", "evidence", "footer"})


@dataclass(frozen=True)
class Quantity:
    """A measured number with the ends of its 95% interval, where it has one."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        interval = "" if self.low is None else f" ({self.low:.4g} to {self.high:.4g})"
        return f"{self.name}: {self.value:.4g}{interval}"


@dataclass(frozen=True)
class Observation:
    """A finding on one step of the evidence for something observed; `claims` are those that state it."""

    about: str
    step: Step
    holds: bool
    claims: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """One experiment's result.

    Attributes:
        experiment: its id, `group.name`.
        question: what it asks.
        criterion: what had to be seen for a yes, fixed in the code.
        met: whether it was seen.
        verdict: the answer in one or two sentences, negative ones as such.
        quantities: the numbers that decide.
        tables: further numbers by name, each a list of rows.
        observations: steps of evidence that it speaks to.
        claims: ids of the claims that it bears on.
        runs: a mapping a model, for the claims that are decided by what models measure.
        settings: sizes, steps and data.
        seconds: of processor time.
    """

    experiment: str
    question: str
    criterion: str
    met: bool
    verdict: str
    quantities: tuple[Quantity, ...] = ()
    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    observations: tuple[Observation, ...] = ()
    claims: tuple[str, ...] = ()
    runs: tuple[dict[str, Any], ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0


def quantity(name: str, interval: Interval) -> Quantity:
    """Return a single interval as a quantity."""
    return Quantity(name, float(interval.value), float(interval.low), float(interval.high))


def assessments(outcomes: Iterable[Outcome]) -> dict[str, Assessment]:
    """Return the strength of the evidence for each thing observed, over all outcomes."""
    found: dict[str, list[Finding]] = defaultdict(list)
    for outcome in outcomes:
        for one in outcome.observations:
            found[one.about].append(Finding(one.step, one.holds, outcome.experiment))
    return {about: assess(findings) for about, findings in found.items()}


def write_outcomes(path: Path, header: dict[str, Any], outcomes: Iterable[Outcome]) -> None:
    """Write `as_lines` into a file.

    Raises:
        InputError: the file cannot be written.
    """
    write_text(path, as_lines(header, outcomes))


def as_lines(header: dict[str, Any], outcomes: Iterable[Outcome]) -> str:
    """Return JSON lines: a header, a line an experiment, a line an observation's strength, a footer."""
    listed = list(outcomes)
    lines: list[dict[str, Any]] = [
        {"kind": "header", "format": FORMAT, **header},
        *({"kind": "experiment", **asdict(outcome)} for outcome in listed),
        *(
            {"kind": "evidence", "about": about, "strength": one.strength, "says": str(one)}
            for about, one in assessments(listed).items()
        ),
        {"kind": "footer", "experiments": len(listed), "met": sum(outcome.met for outcome in listed)},
    ]
    return "".join(json.dumps(_plain(line), allow_nan=False) + "\n" for line in lines)


def has_outcomes(path: Path) -> bool:
    """Return whether a file is one of `write_outcomes`, and not only of what decides claims.

    Raises:
        InputError: it cannot be read.
    """
    if path.is_dir():
        return False
    first = read_small(path, "file of experiments").partition("\n")[0]
    return '"kind": "header"' in first


def read_outcomes(path: Path) -> tuple[dict[str, Any], list[Outcome]]:
    """Return the header and the outcomes of a file that `write_outcomes` wrote.

    Raises:
        InputError: the file is missing, is of another kind, or ends before its footer.
    """
    text = read_small(path, "file of experiments")
    lines = [parsed(line, f"{path}, line {number}") for number, line in enumerate(text.splitlines(), start=1)]
    kinds = {line.get("kind") if isinstance(line, dict) else None for line in lines}
    if not lines or not kinds <= KINDS:
        raise InputError(f"{path} is not what `leadterms experiments --json` writes; give such a file.")
    try:
        header = {key: value for key, value in lines[0].items() if key not in ("kind", "format")}
        listed = [_outcome(line) for line in lines if line["kind"] == "experiment"]
        complete = lines[0]["kind"] == "header" and lines[-1].get("experiments") == len(listed)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is no file of experiments ({reason(error)}); write it again.") from None
    if not complete:
        raise InputError(f"{path} has no footer: the run that wrote it did not finish; run it again.")
    return header, listed


def _outcome(line: dict[str, Any]) -> Outcome:
    fields = {key: value for key, value in line.items() if key != "kind"}
    fields["quantities"] = tuple(Quantity(**one) for one in fields["quantities"])
    fields["observations"] = tuple(
        Observation(one["about"], Step(one["step"]), one["holds"], tuple(one.get("claims", ())))
        for one in fields["observations"]
    )
    fields["claims"], fields["runs"] = tuple(fields["claims"]), tuple(fields.get("runs", ()))
    return Outcome(**fields)


def _plain(value: Any) -> Any:
    """Return a value with NumPy's numbers as Python's, and null for what is no number."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    number = value.item() if isinstance(value, np.generic) else value
    # JSON has no NaN: a correlation of equal numbers, say, is told as missing.
    return None if isinstance(number, float) and not math.isfinite(number) else number

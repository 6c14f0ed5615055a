"""Results as JSON lines: a header, one line a check and target, one a claim, a footer.

Without its footer a file is invalid.

Everything that shows results (table, notebook, page) reads this and computes nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from reference.atomic_files import write_text
from reference.errors import InputError, listed
from reference.small_files import parsed, read_small

FORMAT = 1
State = Literal["passed", "failed", "xfailed", "xpassed", "skipped", "errored", "not_applicable"]
Evidence = Literal["proved", "exact", "property", "measured", "quoted"]
# How what is proved is, from the strongest to the weakest: a machine checks a certificate; an identity is
# computed with symbols; or a derivation on paper, which no machine checks, ends in exact arithmetic.
Proof = Literal["certificate", "identity", "derivation"]
PROOFS: tuple[Proof, ...] = get_args(Proof)
STATES: tuple[State, ...] = get_args(State)
# The target of a check that is about no implementation.
MATHEMATICS = "theory"
_TEXTS = ("check", "target", "statement", "source", "evidence", "command")
BAD: frozenset[State] = frozenset({"failed", "errored", "xpassed"})


@dataclass(frozen=True)
class Result:
    """What one check found for one target.

    Attributes:
        check: the check's id, `family.name`.
        target: the implementation's name, or `theory` for a check of the mathematics alone.
        result: one of STATES.
        statement: the law in one sentence.
        source: paper equation, seed section, or "derived here".
        evidence: by what means the law is held.
        proof: how it is proved, one of PROOFS; "" for what is not.
        claims: ids of the claims that it decides.
        cases: how many cases were tried and admitted by the law.
        error_over_bound: the worst error over its bound; above 1 is a failure; None where equality is exact.
        seconds: time spent.
        counterexample: the shrunk failing case: its tokens, the entry, got, expected, bound, ratio.
        note: why it was skipped or errored, in one sentence.
        command: what re-runs just this.
        measurements: numbers worth a figure, by name.
    """

    check: str
    target: str
    result: State
    statement: str
    source: str
    evidence: Evidence
    proof: Proof | Literal[""] = ""
    claims: tuple[str, ...] = ()
    cases: int = 0
    error_over_bound: float | None = None
    seconds: float = 0.0
    counterexample: dict[str, Any] | None = None
    note: str | None = None
    command: str = ""
    measurements: dict[str, Any] = field(default_factory=dict)

    @property
    def family(self) -> str:
        """The part of the id before the first dot."""
        return self.check.split(".", 1)[0]


@dataclass(frozen=True)
class Run:
    """A whole results file: the header's fields, the results, the footer's fields, and decided claims.

    A claim is a mapping with at least `id`, `verdict` and `evidence`; this module knows nothing else of it.
    """

    header: dict[str, Any]
    results: tuple[Result, ...]
    footer: dict[str, Any]
    claims: tuple[dict[str, Any], ...] = ()

    @property
    def ok(self) -> bool:
        """Whether something ran and nothing went wrong."""
        return is_ok(self.results)


def is_ok(results: Iterable[Result]) -> bool:
    """Return whether at least one check passed and none failed, errored or passed against expectation."""
    states = Counter(result.result for result in results)
    return states["passed"] > 0 and not any(states[state] for state in BAD)


def summarise(results: Iterable[Result], seconds: float) -> dict[str, Any]:
    """Return the footer: how many results there are of each state, and the time."""
    results = list(results)
    states = Counter(result.result for result in results)
    return {
        "results": len(results),
        **{state: states[state] for state in STATES},
        "ok": is_ok(results),
        "seconds": round(seconds, 3),
    }


def write_run(path: Path, run: Run) -> None:
    """Write `run` to `path` as JSON lines: beside it first, then renamed, so that no half file is left."""
    lines = [
        {"kind": "header", "format": FORMAT, **run.header},
        *({"kind": "result", **asdict(result)} for result in run.results),
        *({"kind": "claim", **claim} for claim in run.claims),
        {"kind": "footer", **run.footer},
    ]
    write_text(path, "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines))


def read_run(path: Path) -> Run:
    """Return the run in a results file.

    Raises:
        InputError: the file is missing, a line is no JSON object of the schema, or the footer is missing.
    """
    text = read_small(path, "results file").removesuffix("\n")
    lines = [_parse(path, i, line) for i, line in enumerate(text.split("\n"), start=1)] if text else []
    if not lines or lines[0].get("kind") != "header":
        raise InputError(f"{path} does not begin with a header line; it is no results file.")
    if lines[-1].get("kind") != "footer":
        raise InputError(f"{path} has no footer: the run that wrote it did not finish; run it again.")
    inner = list(enumerate(lines[1:-1], start=2))
    results = [_result(path, i, line) for i, line in inner if line.get("kind") != "claim"]
    claims = [_claim(path, i, line) for i, line in inner if line.get("kind") == "claim"]
    for name, found in (("results", len(results)), ("claims", len(claims))):
        if lines[-1].get(name, 0) != found:
            raise InputError(f"{path} holds {found} {name}, its footer counts {lines[-1].get(name, 0)}.")
    return Run(_fields(lines[0]), tuple(results), _fields(lines[-1]), tuple(claims))


def _parse(path: Path, number: int, line: str) -> dict[str, Any]:
    value = parsed(line, f"{path}, line {number}")
    if not isinstance(value, dict):
        raise InputError(f"{path}, line {number} is not a JSON object.")
    return value


def _result(path: Path, number: int, line: dict[str, Any]) -> Result:
    values = _fields(line)
    lacks = [one.name for one in fields(Result) if one.name not in values and _has_no_default(one)]
    unknown = sorted(set(values) - {one.name for one in fields(Result)})
    if lacks or unknown:
        what = f"lacks {listed(lacks)}" if lacks else f"has {listed(unknown)}, which no result has"
        raise InputError(f"{path}, line {number} is not a result: it {what}.")
    wrong = [name for name in _TEXTS if not isinstance(values.get(name, ""), str)]
    if wrong or not isinstance(values.get("claims", []), list):
        what = f"{listed(wrong)} is no text" if wrong else "claims is no list"
        raise InputError(f"{path}, line {number} is not a result: its {what}.")
    result = Result(**{**values, "claims": tuple(values.get("claims", ()))})
    if line.get("kind") != "result" or result.result not in STATES:
        raise InputError(f"{path}, line {number} is not a result with one of the states {', '.join(STATES)}.")
    return result


def _has_no_default(one: Field[Any]) -> bool:
    return one.default is MISSING and one.default_factory is MISSING


def _claim(path: Path, number: int, line: dict[str, Any]) -> dict[str, Any]:
    if not all(isinstance(line.get(name), str) for name in ("id", "verdict", "evidence")):
        raise InputError(f"{path}, line {number} is not a claim: it needs an id, a verdict and evidence.")
    return _fields(line)


def _fields(line: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name not in ("kind", "format")}

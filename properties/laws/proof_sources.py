"""That a proof, its check and the implementation are reached apart: read off the sources."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from properties import separate_sources
from properties.cases import Cases
from properties.check import Check, Comparison, Outcome
from properties.target import Target


@dataclass(frozen=True)
class SourcesCase:
    """Two packages or modules, and the modules that both may import."""

    first: str
    second: str
    common: tuple[str, ...]


def _separate(target: Target, case: SourcesCase) -> Outcome:
    parts = []
    for name in (case.first, case.second):
        own = separate_sources.modules(name) if "." not in name else [name]
        parts.append(separate_sources.reached(*own))
    shared = sorted(parts[0] & parts[1] - set(case.common))
    yield Comparison(
        f"modules that {case.first} and {case.second} share: {', '.join(shared) or 'none'}",
        float(len(shared)),
        0.0,
        0.0,
    )
    first, second = (separate_sources.functions(sorted(part - set(case.common))) for part in parts)
    copied = [f"{first[body]} = {second[body]}" for body in sorted(first.keys() & second.keys())]
    yield Comparison(f"functions of both: {', '.join(copied) or 'none'}", float(len(copied)), 0.0, 0.0)
    # Both must have been read.
    yield Comparison("each part has functions", float(min(len(first), len(second)) == 0), 0.0, 0.0)


def _sources(first: str, second: str, *common: str) -> Cases:
    case = SourcesCase(first, second, common)
    return Cases(st.just(case), case)


CHECKS = (
    Check(
        id="proof.checker_apart",
        statement="The checker of certificates shares with their maker the file's form and limits of size.",
        source="derived here",
        cases=_sources(
            "theory.certificate_check",
            "theory.certificates",
            "theory",
            "theory.certificate_format",
            "theory.rational_text",
            "theory.cost",
        ),
        law=_separate,
        evidence="exact",
        cost=24,
    ),
    Check(
        id="proof.theory_apart",
        statement="The exact mathematics shares no code with the reference implementation.",
        source="derived here",
        cases=_sources("theory", "reference"),
        law=_separate,
        evidence="exact",
        cost=24,
    ),
)

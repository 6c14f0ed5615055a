"""Shared modules and copied functions are seen, so that a check which finds none says something."""

import sys
from dataclasses import replace

import pytest
from hypothesis import strategies as st

from properties import separate_sources
from properties.cases import Cases
from properties.catalogue import select
from properties.laws.proof_sources import SourcesCase
from properties.runner import run_mathematics


def test_what_is_reached_goes_through_what_is_imported():
    reached = separate_sources.reached("theory.certificate_check")
    assert {"theory.plain_descent", "theory.certificate_format", "theory.rational_text", "theory"} <= reached
    assert not reached & {
        "theory.descent",
        "theory.statistics",
        "theory.identities",
        "theory.step_polynomials",
    }
    # By `from theory import descent`.
    assert "theory.descent" in separate_sources.reached("theory.series")


def judged(name, case):
    (check,) = select([name])
    return next(run_mathematics([replace(check, cases=Cases(st.just(case), case))], profile="quick", seed=0))


@pytest.mark.parametrize(
    ("case", "told"),
    [
        (
            SourcesCase("theory.certificate_check", "theory.certificates", ("theory",)),
            "theory.certificate_format",
        ),
        (SourcesCase("theory", "properties", ()), "share: theory, theory.alignment"),
    ],
)
def test_a_module_of_both_is_named(case, told):
    result = judged("proof.theory_apart", case)
    assert result.result == "failed"
    assert told in result.counterexample["comparison"]


BODY = """
    total = []
    for n in range(rows):
        total.append(n * n + rows - 3)
    return [total[0] * 2, total[1] + 4, sum(x * x for x in total)]
"""


def test_a_copied_function_is_named(tmp_path, monkeypatch):
    for package, name in (("one_room", "first"), ("other_room", "second")):
        (tmp_path / package).mkdir()
        source = f'def {name}(rows):\n    """What {name} does."""{BODY}'
        (tmp_path / package / "__init__.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    result = judged("proof.theory_apart", SourcesCase("one_room", "other_room", ()))
    assert result.result == "failed"
    assert "functions of both: one_room.first = other_room.second" in result.counterexample["comparison"]
    for package in ("one_room", "other_room"):
        sys.modules.pop(package, None)


def test_a_part_without_functions_says_nothing(tmp_path, monkeypatch):
    (tmp_path / "empty_room").mkdir()
    (tmp_path / "empty_room" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    result = judged("proof.theory_apart", SourcesCase("empty_room", "theory", ()))
    assert result.result == "failed"
    assert "each part has functions" in result.counterexample["comparison"]

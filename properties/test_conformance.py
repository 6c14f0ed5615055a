"""One test a law and implementation, for `pytest --pyargs properties --impl TARGET`.

This module is part of the package and not of its tests: it is what runs in other people's projects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from properties.pytest_plugin import Conformance, conformance, report

if TYPE_CHECKING:
    from properties.check import Check
    from properties.results import Result

NOTHING = "There is no implementation to hold to the laws; give one with --impl, such as --impl py:mine:impl."


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of each check that has a subject, and of each expected failure without one.

    Raises:
        CollectError: leadterms has no target here, or one that cannot be used.
    """
    held = conformance(metafunc.config)
    if held is None:
        raise pytest.Collector.CollectError(NOTHING)
    from properties.catalogue import CHECKS
    from properties.expected_failures import unmatched
    from reference.errors import InputError

    specs = list(dict.fromkeys(metafunc.config.getoption("--impl")))
    try:
        for spec in specs:
            held.target(spec)
        strays = unmatched(held.expected, [check.id for check in CHECKS if check.needs], "--leadterms-xfail")
    except InputError as error:
        raise pytest.Collector.CollectError(str(error)) from None
    cases = [
        pytest.param(check, spec, id=f"{spec}-{check.id}")
        for spec in specs
        for check in CHECKS
        if check.needs
    ]
    # An expectation that is of no check takes the place of a law: it is a failure of its own.
    cases += [pytest.param(stray, None, id=f"xfail-{stray.check}") for stray in strays]
    metafunc.parametrize(("law", "implementation"), cases)


@pytest.mark.leadterms
def test_law(law: Check | Result, implementation: str | None, request: pytest.FixtureRequest) -> None:
    """Hold the implementation to the law, or show an expectation that is of none."""
    from properties.results import Result

    held = conformance(request.config)
    assert isinstance(held, Conformance)
    if isinstance(law, Result):
        report(request.node, law)
    else:
        assert implementation is not None
        report(request.node, held.check(law, implementation))

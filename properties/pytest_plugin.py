"""The pytest plugin: `pytest --pyargs properties --impl py:mine:impl` holds an implementation to every law.

Its options are in `paper_checks.pytest_options`, the tests themselves in `properties.test_conformance`.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from properties.check import Check
    from properties.expected_failures import Expected
    from properties.results import Result
    from properties.target import Target

NAME = "leadterms-conformance"
COLUMNS = 80
PROPERTY = "leadterms"
ADVICE = "no law was run; add: --pyargs properties"


class Conformance:
    """The implementations of a run and what was found of them."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.results: list[Result] = []
        self._targets: dict[str, Target] = {}
        self._expected: dict[str, Expected] | None = None
        self._started = time.perf_counter()

    def target(self, spec: str) -> Target:
        """Return the implementation that `spec` names, one in each process.

        Raises:
            InputError: there is no such implementation.
        """
        from properties.connectors import connect

        if spec not in self._targets:
            self._targets[spec] = connect(spec)
        return self._targets[spec]

    @property
    def expected(self) -> dict[str, Expected]:
        """The expected failures by id.

        Raises:
            InputError: the file holds no expected failures.
        """
        from properties.expected_failures import read_expected

        if self._expected is None:
            path = self.config.getoption("--leadterms-xfail")
            self._expected = read_expected(path) if path else {}
        return self._expected

    def check(self, check: Check, spec: str) -> Result:
        """Run one check on one implementation."""
        from properties.expected_failures import judged
        from properties.runner import run_check

        option = self.config.getoption
        result = run_check(
            check, self.target(spec), profile=option("--leadterms-profile"), seed=option("--leadterms-seed")
        )
        return judged(result, self.expected)

    @pytest.hookimpl
    def pytest_report_header(self) -> str:
        """Say what is held to the laws, with how many cases from which seed."""
        option = self.config.getoption
        text = f"{', '.join(option('--impl'))}; profile {option('--leadterms-profile')}, seed "
        return _cut(f"leadterms: {text}{option('--leadterms-seed')}")

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the result that a report brings, from this process or from a worker of pytest-xdist."""
        if report.when == "call":
            self.results += [_unpacked(value) for name, value in report.user_properties if name == PROPERTY]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """End what was started, write the results, and let no run pass in which no law was tried."""
        for target in self._targets.values():
            target.close()
        if hasattr(self.config, "workerinput") or self.config.option.collectonly:
            return
        if not self.results and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED
        path = self.config.getoption("--leadterms-json")
        if path is not None and self.results:
            self._write(path)

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show what each implementation came to, in 80 columns."""
        if self.config.option.collectonly:
            return
        terminalreporter.section("leadterms")
        by_target: dict[str, Counter[str]] = {}
        for result in self.results:
            by_target.setdefault(result.target, Counter())[result.result] += 1
        for target, states in by_target.items():
            told = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in states.most_common())
            terminalreporter.write_line(_cut(f"{told}: {target}"))
        if not self.results and not terminalreporter.stats.get("error"):
            terminalreporter.write_line(ADVICE)

    def _write(self, path: Path) -> None:
        from properties.pytest_results import whole_run
        from properties.results import write_run
        from reference.errors import InputError

        option = self.config.getoption
        how = {"profile": option("--leadterms-profile"), "seed": option("--leadterms-seed")}
        run = whole_run(self.results, option("--impl"), how, time.perf_counter() - self._started)
        try:
            write_run(path, run)
        except InputError as error:
            raise pytest.UsageError(str(error)) from None


def conformance(config: pytest.Config) -> Conformance | None:
    """Return what holds the implementations of this run, None without --impl."""
    found: Conformance | None = config.pluginmanager.get_plugin(NAME)
    return found


def report(item: pytest.Item, result: Result) -> None:
    """Give a result to its test: as properties that JUnit shows and xdist carries, and as its outcome."""
    from dataclasses import asdict

    from properties.failure import failure_lines, wrapped

    item.user_properties += [
        (f"{PROPERTY}_{name}", str(value))
        for name in ("check", "target", "result", "evidence", "cases", "error_over_bound", "source")
        if (value := getattr(result, name)) is not None
    ]
    item.user_properties.append((PROPERTY, json.dumps(asdict(result))))
    if result.result in ("not_applicable", "skipped"):
        pytest.skip(result.note or result.result)
    if result.result == "xfailed":
        pytest.xfail(result.note or "")
    if result.result != "passed":
        pytest.fail("\n".join(map(wrapped, failure_lines(result))), pytrace=False)


def _cut(line: str) -> str:
    return line if len(line) <= COLUMNS else line[: COLUMNS - 4] + " ..."


def _unpacked(value: Any) -> Result:
    from properties.results import Result

    fields = json.loads(str(value))
    return Result(**{**fields, "claims": tuple(fields["claims"])})

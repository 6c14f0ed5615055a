"""Checks that are known to fail, in a TOML file: by exact id, with the reason and where it is written down.

[[xfail]]
check = "statistics.Q_bar"
reason = "pairs with an unseen word are left out"
link = "https://example.org/issues/12"
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from properties.results import Result
from reference.errors import InputError, meant
from reference.small_files import parsed_toml, read_small

KEYS = ("check", "reason", "link")
LARGEST_FILE = 1 << 20


@dataclass(frozen=True)
class Expected:
    """Why a check fails, and where that is written down."""

    check: str
    reason: str
    link: str


Expectations = Mapping[str, Expected]


def read_expected(path: Path) -> dict[str, Expected]:
    """Return the expected failures in `path` by the id of their check.

    Raises:
        InputError: the file is missing, no TOML, or an entry lacks something, has too much, or comes twice.
    """
    text = read_small(path, "file of expected failures", largest=LARGEST_FILE)
    content = parsed_toml(text, f"The file of expected failures {path}")
    entries = content.pop("xfail", [])
    if content or not isinstance(entries, list):
        raise InputError(f"{path} may hold [[xfail]] entries only, each with {', '.join(KEYS)}.")
    found: dict[str, Expected] = {}
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict) or entry.keys() != set(KEYS) or not all(map(_is_text, entry.values())):
            raise InputError(
                f"Entry {number} of {path} must have {', '.join(KEYS)}, each a string, and no more."
            )
        expected = Expected(**entry)
        if expected.check in found:
            raise InputError(f"{path} names {expected.check} twice; keep one entry.")
        found[expected.check] = expected
    return found


def judged(result: Result, expectations: Expectations) -> Result:
    """Return the result with a failure that was expected as xfailed, and a pass that was not as xpassed."""
    expected = expectations.get(result.check)
    if expected is None or result.result not in ("failed", "passed"):
        return result
    why = f"{expected.reason} ({expected.link})"
    if result.result == "failed":
        return replace(result, result="xfailed", note=f"expected: {why}")
    return replace(result, result="xpassed", note=f"it passes, but was expected to fail: {why}")


def unmatched(expectations: Expectations, known: Iterable[str], where: Path | str) -> list[Result]:
    """Return an errored result for each expectation of a check that there is not."""
    known = list(known)
    results = []
    for check in expectations:
        if check in known:
            continue
        results.append(
            Result(
                check=check,
                target="xfail",
                result="errored",
                statement="Every expected failure is one of a check that there is.",
                source=str(where),
                evidence="exact",
                note=f"No check of this id is run here.{meant(check, known)}",
            )
        )
    return results


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())

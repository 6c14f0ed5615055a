"""The options of the pytest plugin, which is loaded into every run of pytest wherever this is installed.

Until --impl is given it imports nothing but pytest, and above all no room whose name a project may well give
to a module of its own: with `python -m pytest` a `properties.py` beside the tests comes before ours, and they
must run all the same. What --impl asks for is done by `properties.pytest_plugin`.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

PROFILES = ("quick", "ci", "deep")
HOME = Path(__file__).resolve().parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, all in one group."""
    group = parser.getgroup("leadterms", "laws of the theory of how transformers start to learn")
    group.addoption(
        "--impl",
        action="append",
        default=[],
        metavar="TARGET",
        help="hold this implementation to the laws (with: --pyargs properties); reference, gpu, gpu32, "
        "compiled, py:module:attribute, torch:module:factory or 'cmd:PROGRAM ARGS'; "
        "may be given several times",
    )
    group.addoption("--leadterms-json", type=Path, metavar="FILE", help="write the results as JSON lines")
    group.addoption("--leadterms-profile", choices=PROFILES, default="quick", help="how many cases a check")
    group.addoption("--leadterms-seed", type=int, default=0, metavar="N", help="where cases start from")
    group.addoption(
        "--leadterms-xfail",
        type=Path,
        metavar="FILE",
        help="expected failures: TOML with check, reason, link",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Collect results, where there is an implementation to hold to the laws.

    Raises:
        UsageError: another module than ours has the name of the room that holds the laws.
    """
    config.addinivalue_line("markers", "leadterms: a law that an implementation is held to")
    if config.getoption("--impl"):
        if (theirs := _other("properties")) is not None:
            raise pytest.UsageError(
                f"{theirs} hides the laws of leadterms, which are in a package of that name. Run pytest in a "
                "folder without it, or hold the implementation to the laws with: leadterms verify TARGET"
            )
        from properties.pytest_plugin import NAME, Conformance

        config.pluginmanager.register(Conformance(config), NAME)


def _other(room: str) -> str | None:
    """Return the file of a module that is found in place of this room of ours, None where ours is found."""
    spec = importlib.util.find_spec(room)
    origin = str(spec.origin) if spec is not None else ""
    return None if Path(origin).resolve().parent.parent == HOME else origin

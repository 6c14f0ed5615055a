"""The results of a run under pytest as a results file."""

from __future__ import annotations

import datetime
import platform
import shlex
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from properties.results import Result, Run, summarise

PACKAGES = ("leadterms", "numpy", "hypothesis", "pytest", "pytest-xdist")


def whole_run(
    results: Sequence[Result], targets: Sequence[str], how: Mapping[str, Any], seconds: float
) -> Run:
    """Return the run: results in the order of the catalogue, whichever worker found them first."""
    from properties.catalogue import CHECKS

    place = {check.id: number for number, check in enumerate(CHECKS)}
    order = {target: number for number, target in enumerate(targets)}
    ordered = sorted(results, key=lambda r: (order.get(r.target, -1), place.get(r.check, -1), r.check))
    implementations = [part for target in targets for part in ("--impl", target)]
    began = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=seconds)
    header = {
        "command": shlex.join(["pytest", "--pyargs", "properties", *implementations]),
        "started": began.isoformat(timespec="seconds"),
        "versions": versions(PACKAGES),
        "commit": None,
        "machine": f"{platform.system()} {platform.machine()}",
        "device": "cpu",
        "corpus": {
            "name": "generated cases only",
            "digest": "",
            "sequences": 0,
            "length": 0,
            "vocab_size": 0,
            "counts": {},
        },
        "targets": list(targets),
        "left_out": [],
        **how,
    }
    return Run(header=header, results=tuple(ordered), footer=summarise(ordered, seconds))


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of Python and of those packages that are installed."""
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found

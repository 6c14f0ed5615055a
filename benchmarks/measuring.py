"""Timing, targets and the record of a benchmark, shared by the commands."""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from reference.processors import usable_processors


@dataclass(frozen=True)
class Target:
    """A figure that must lie between two limits, either of which may be missing."""

    name: str
    value: float
    at_least: float | None = None
    at_most: float | None = None

    @property
    def met(self) -> bool:
        """Whether the figure lies between its limits."""
        low = self.at_least is None or self.value >= self.at_least
        return low and (self.at_most is None or self.value <= self.at_most)

    def __str__(self) -> str:
        limits = [
            f"{sign} {limit:g}"
            for sign, limit in ((">=", self.at_least), ("<=", self.at_most))
            if limit is not None
        ]
        return f"{'met   ' if self.met else 'MISSED'} {self.name}: {self.value:.4g} ({', '.join(limits)})"


@dataclass
class Record:
    """What a benchmark measured, on which machine, and the targets it holds itself to."""

    benchmark: str
    measured: dict[str, Any] = field(default_factory=dict)
    targets: list[Target] = field(default_factory=list)

    def finish(self, json_file: Path | None) -> int:
        """Print the targets, write the record, and return the exit status."""
        for target in self.targets:
            print(target)
        if json_file is not None:
            told = {
                "benchmark": self.benchmark,
                "machine": machine(),
                "measured": self.measured,
                "targets": [asdict(target) | {"met": target.met} for target in self.targets],
            }
            json_file.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
        return 0 if self.targets and all(target.met for target in self.targets) else 1


def machine() -> dict[str, Any]:
    """Return what the measurements depend on besides the code."""
    packages = ("numpy", "numba", "scipy", "torch", "triton")
    return {
        "processor": _processor(),
        "processors": usable_processors(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: sys.modules[name].__version__ for name in packages if name in sys.modules},
    }


def seconds(work: Callable[[], object]) -> float:
    """Return the wall-clock time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def processor_seconds(work: Callable[[], object]) -> float:
    """Return the processor time of one call, all threads together: what else runs here shows less in it."""
    start = time.process_time()
    work()
    return time.process_time() - start


def over_bound(found: np.ndarray, expected: np.ndarray, bound: np.ndarray) -> float:
    """Return the largest difference over its bound; infinity where it differs and the bound is zero."""
    difference = np.abs(found - expected)
    share = np.divide(difference, bound, where=bound > 0, out=np.where(difference > 0, np.inf, 0.0))
    return float(share.max())


def peak_gibibytes() -> float:
    """Return the largest memory that this process has held so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**30 if sys.platform == "darwin" else peak / 2**20


def options(description: str) -> argparse.ArgumentParser:
    """Return a parser with what all benchmarks take."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the record there")
    parser.add_argument("--runs", type=int, default=3, help="timings that a median is taken of (3)")
    return parser


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.split(": ", 1)[1] for line in lines if line.startswith("model name")), platform.machine()
    )

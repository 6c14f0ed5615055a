"""Running benchmarks one after the other, each in a process: its peak memory is its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path


def run_benchmarks(listed: Mapping[str, tuple[str, Sequence[str]]], out: Path, runs: int) -> int:
    """Run each (module, arguments) and write OUT/NAME.json; return 1 if a target was missed, else 0."""
    out.mkdir(parents=True, exist_ok=True)
    missed = []
    for name, (module, arguments) in listed.items():
        print(f"\n{name}", flush=True)
        record = out / f"{name}.json"
        record.unlink(missing_ok=True)
        command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
        done = subprocess.run([*command, "--json", str(record), "--runs", str(runs)], check=False)
        if done.returncode or not record.exists():
            missed.append(name)
    if missed:
        print(f"\nTargets were missed or not measured in: {', '.join(missed)}.")
    return 1 if missed else 0

"""The records of benchmarks as a page: what they measured, on which machine, and which targets were met."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HEAD = """# Benchmarks

Written by `make bench`; do not edit. It is what the commands in `benchmarks/` printed. Ratios are between two
measurements of one run on one machine; figures are {runs}, and a busy machine shows in the absolute ones. A
target that was missed is told as such.

{machine}
"""


def page(records: Mapping[str, Mapping[str, Any]], runs: int, skipped: str | None) -> str:
    """Return the page of some records by name."""
    machines = [record["machine"] for record in records.values()]
    packages = {name: version for one in machines for name, version in one["packages"].items()}
    machine = {**machines[0], "packages": packages}
    parts = [
        HEAD.format(runs="of one run" if runs == 1 else f"medians of {runs} runs", machine=_machine(machine))
    ]
    parts += [_section(name, record) for name, record in records.items()]
    if skipped is not None:
        parts.append(f"## On a GPU\n\nNot measured: {skipped}. `python -m benchmarks.gpu` runs that list.\n")
    return "\n".join(parts)


def read_records(folder: Path, names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return those of the named records that are there."""
    paths = {name: folder / f"{name}.json" for name in names}
    return {
        name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items() if path.exists()
    }


def _machine(machine: Mapping[str, Any]) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    load = "unknown" if machine["load"] is None else f"{machine['load']:.1f}"
    return (
        f"Machine: {machine['processor']}, {machine['processors']} processors (load {load} at the end of the "
        f"first benchmark), {machine['system']}, Python {machine['python']}, {packages}."
    )


def _section(name: str, record: Mapping[str, Any]) -> str:
    module = importlib.import_module(f"benchmarks.{record['benchmark']}")
    told = (module.__doc__ or "").strip().split("\n\n", 1)
    lines = [f"## {told[0].split(': python -m')[0].rstrip('.')}", ""]
    command = f"python -m benchmarks.{record['benchmark']}"
    lines += [f"`{command}`" + ("" if name == record["benchmark"] else f" as {name}"), "", *told[1:], ""]
    lines += ["| target | measured | wanted | met |", "| --- | ---: | ---: | --- |"]
    lines += [_target(target) for target in record["targets"]]
    figures = {
        what: value for what, value in record["measured"].items() if isinstance(value, int | float | str)
    }
    lines += ["", "| figure | value |", "| --- | ---: |"]
    lines += [f"| {what.replace('_', ' ')} | {_shown(value)} |" for what, value in figures.items()]
    return "\n".join(lines) + "\n"


def _target(target: Mapping[str, Any]) -> str:
    limits = [("at least", target["at_least"]), ("at most", target["at_most"])]
    wanted = ", ".join(f"{word} {limit:g}" for word, limit in limits if limit is not None)
    return f"| {target['name']} | {target['value']:.4g} | {wanted} | {'yes' if target['met'] else '**no**'} |"


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:,.4g}" if isinstance(value, float) else f"{value:,}"

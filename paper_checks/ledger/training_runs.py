"""A folder of `leadterms train` as what claims on training runs are decided from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from paper_checks.ledger.book import tables
from reference.errors import InputError

# Positions have no cosine among the published ones.
GROUPS = ("W_O", "V", "W")


def read_training_run(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the run in a folder under the name of the published run whose sizes it has.

    It holds the last `cosines` by group and layer, the `smallest` of each group over layers and steps, the
    first and the last loss, and where the published run asks for it the smallest cosines at an early and at
    the last step.

    Raises:
        InputError: there is no run, it has another size than the published ones, or was not followed along.
    """
    about, entries = _read(folder)
    try:
        return _measured(folder, about, entries)
    except InputError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise _no_run(folder) from None


def _measured(
    folder: Path, about: dict[str, Any], entries: list[dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    name = _published(folder, about)
    aligned = [entry for entry in entries if entry.get("alignments")]
    if not aligned or aligned[-1]["step"] < about["settings"]["steps"]:
        raise InputError(f"The run in {folder} did not end, or without alignments; --resume goes on with it.")
    found: dict[str, Any] = {
        "cosines": {group: aligned[-1]["alignments"][group] for group in GROUPS},
        "smallest": {group: _smallest(aligned, (group,)) for group in GROUPS},
        "loss_before": entries[0]["loss"],
        "loss_after": entries[-1]["loss"],
    }
    early = tables()["published-runs"][name].get("early_steps")
    if early is not None:
        before = [entry for entry in aligned if entry["step"] <= int(early)]
        found["smallest_after_30"] = _smallest(before[-1:], GROUPS)
        found["smallest_after_100"] = _smallest(aligned[-1:], GROUPS)
    return {name: {"name": name, **found}}


def _read(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    try:
        about = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        lines = (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()
        entries = [json.loads(line) for line in lines]
        about["settings"]["steps"], about["length"], about["vocab_size"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        raise _no_run(folder) from None
    if not entries:
        raise InputError(f"The run in {folder} has no log yet.")
    return about, entries


def _no_run(folder: Path) -> InputError:
    return InputError(f"{folder} is no folder of a run of `leadterms train`; give one, or a file of results.")


def _published(folder: Path, about: Mapping[str, Any]) -> str:
    """Return the name of the published run that has these sizes."""
    settings = about["settings"]
    own = {
        "vocab_size": about["vocab_size"],
        "length": about["length"],
        "layers": settings["layers"],
        "rate": settings["rate"],
        "batch": settings["batch"] * settings["accumulate"],
        "steps": settings["steps"],
    }
    runs: dict[str, dict[str, str]] = tables()["published-runs"]
    for name, sizes in runs.items():
        if all(Fraction(sizes[key]) == Fraction(str(value)) for key, value in own.items()):
            return name
    told = ", ".join(f"{key} {value}" for key, value in own.items())
    raise InputError(f"The run in {folder} ({told}) has the sizes of no published one: {', '.join(runs)}.")


def _smallest(entries: Iterable[Mapping[str, Any]], groups: Iterable[str]) -> float:
    """Return the smallest cosine of these groups, over layers, in these entries; those that moved at all."""
    groups = tuple(groups)
    cosines: list[float] = [
        one for entry in entries for group in groups for one in entry["alignments"][group] if one is not None
    ]
    if not cosines:
        raise InputError(f"No weight of {', '.join(groups)} moved in this run; take more steps.")
    return min(cosines)

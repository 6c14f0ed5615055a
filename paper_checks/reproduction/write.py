"""The rows as JSON lines (a header, a row a line, a footer) and as a table."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from paper_checks.finite import finite
from paper_checks.reproduction.plan import FULL_SIZE, PUBLISHED, Plan
from paper_checks.reproduction.rows import LAST_STEP, Horizon, Row, horizons, told_off
from properties.failure import wrapped_command
from reference.corpus import Corpus
from reference.errors import InputError, counted
from reference.small_files import parsed, read_small


def header(corpus: Corpus, plan: Plan, float32: bool) -> dict[str, Any]:
    """Return what was run, and what is smaller than in the published run."""
    sizes = {
        "vocab_size": corpus.vocab_size,
        "length": corpus.length,
        "sequences": plan.sequences,
        "batch": plan.sequences,
    }
    return {
        "kind": "header",
        "corpus": corpus.name,
        "digest": corpus.digest,
        **sizes,
        "plan": asdict(plan),
        "float32": float32,
        "scaled_down": {name: [PUBLISHED[name], size] for name, size in sizes.items()},
        "full_size": FULL_SIZE,
    }


def as_lines(head: dict[str, Any], rows: Sequence[Row], seconds: float) -> str:
    """Return all of it as JSON lines; the footer says how many rows there are."""
    lines = [head]
    lines += [{"kind": "row", **asdict(row), "apart": row.apart} for row in rows]
    lines.append({"kind": "footer", "rows": len(rows), "seconds": round(seconds, 1)})
    return "".join(json.dumps(finite(line)) + "\n" for line in lines)


def read_lines(path: Path) -> dict[str, Any]:
    """Return what `as_lines` wrote: the header's fields and `rows`, a mapping each.

    Raises:
        InputError: the file cannot be read, is none, or ends before its footer.
    """
    lines = [
        parsed(line, f"{path}, line {number}")
        for number, line in enumerate(read_small(path, "reproduction").splitlines(), start=1)
        if line.strip()
    ]
    kinds = [line.get("kind") if isinstance(line, dict) else None for line in lines]
    rows = lines[1:-1]
    if not kinds or kinds[0] != "header" or any(kind != "row" for kind in kinds[1:-1]):
        raise InputError(f"{path} is not what `leadterms reproduce --json` writes.")
    if kinds[-1] != "footer" or lines[-1].get("rows") != len(rows):
        raise InputError(f"{path} has no footer: the run that wrote it did not finish; run it again.")
    missing = [name for name in ("corpus", "plan", "scaled_down") if name not in lines[0]]
    fields = {field.name for field in dataclasses.fields(Row)}
    wrong = [number for number, row in enumerate(rows, start=2) if not fields <= set(row)]
    if missing or wrong:
        where = f"line {wrong[0]}" if wrong else "the header"
        raise InputError(f"{path}: {where} lacks what `leadterms reproduce --json` writes there.")
    return as_mapping(lines[0], rows)


def as_mapping(head: dict[str, Any], rows: Sequence[Any]) -> dict[str, Any]:
    """Return header and rows (each a `Row` or what was read of one) as one plain value."""
    plain = [row if isinstance(row, dict) else {**asdict(row), "apart": row.apart} for row in rows]
    found: dict[str, Any] = finite({**head, "rows": plain})
    return found


def show(console: Console, head: dict[str, Any], rows: Sequence[Row]) -> None:
    """Print a table for each part, at most 80 columns wide."""
    scaled = ", ".join(f"{name} {old:,} to {new:,}" for name, (old, new) in head["scaled_down"].items())
    plan = head["plan"]
    console.print(f"{head['corpus']}. Smaller than the published run: {scaled}.")
    console.print(
        f"main run: {counted(plan['layers'], 'layer')}, {plan['steps']:,} full-batch steps at rate "
        f"{plan['rate']:g}. The other runs: rate {plan['large_rate']:g}, {plan['short_steps']:,} steps where "
        "nothing else is said."
    )
    for part in dict.fromkeys(row.part for row in rows):
        of_part = [row for row in rows if row.part == part]
        if lasting := horizons(asdict(row) for row in of_part):
            console.print(_horizons(f"{part}: the last step along its leading term", lasting))
        if others := [row for row in of_part if not row.quantity.startswith(LAST_STEP)]:
            console.print(_table(part, others))
    console.print(
        "predicted: by the leading terms and those after them. off: float64 over predicted, less one; of a "
        "sample, which is a draw, whether it is in the 95% interval. 1 - cos: of a weight and its leading "
        "term, where nothing else is said. Last steps: predicted / measured in float64; 'no' is not within "
        f"{plan['most_steps']:,} steps (measured) or not ever (predicted); '?': there the terms beyond the "
        "leading one are as large as half of it, so that those left out count, and the prediction is none."
    )
    console.print("At the published size, on a GPU; called again it goes on from where it was killed:")
    console.print(wrapped_command(FULL_SIZE, "  "), markup=False)


def _table(part: str, rows: Sequence[Row]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title=part, title_justify="left")
    has_narrow = any(row.float32 is not None for row in rows)
    columns = ("", "weight", "predicted", "float64", *(("float32",) if has_narrow else ()), "off")
    for column in columns:
        left = column in ("", "weight")
        table.add_column(column, justify="left" if left else "right", no_wrap=column != "")
    for row in rows:
        narrow = (_number(row.float32),) if has_narrow else ()
        off = "" if row.apart != row.apart else told_off(row.apart)
        if row.inside is not None:
            off = "inside" if row.inside else "outside"
        quantity = row.quantity.replace("|A - A0|", "|A-A0|")  # one word is not broken between lines
        table.add_row(quantity, row.weight, _number(row.predicted), _number(row.float64), *narrow, off)
    return table


def _horizons(title: str, lasting: Sequence[Horizon]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title=title, title_justify="left")
    table.add_column("weight", no_wrap=True)
    for level in lasting[0].levels:
        table.add_column(f"cosine of {level}", justify="right", no_wrap=True)
    for one in lasting:
        told = (
            f"{_step(predicted)}{'' if level in one.known else ' ?'} / {_step(measured)}"
            for level, (predicted, measured) in one.levels.items()
        )
        table.add_row(one.weight, *told)
    return table


def _step(value: int | None) -> str:
    return "no" if value is None else f"{value:,}"


def _number(value: float | None) -> str:
    if value is None or value != value:
        return ""
    return f"{value:,}" if isinstance(value, int) else f"{value:.3e}"

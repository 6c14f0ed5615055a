"""A run as a table for the terminal, 80 columns wide, and its failures told in full below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from paper_checks.left_out import left_out, wanting
from properties.failure import failure_lines, wrapped
from properties.results import BAD, MATHEMATICS, Result, Run
from reference.errors import counted

STYLES = {"passed": "green", "failed": "bold red", "errored": "bold red", "xpassed": "bold red"}
TARGETS_ABREAST = 3
LONGEST_ID = 41
# Columns that ids in one line and three verdicts need, and what an id has where there are fewer.
WIDE, LONGEST_NARROW_ID = 72, 16
WORDS = {"passed": "ok", "failed": "FAILED", "errored": "ERROR", "not_applicable": "n/a"}


def show(run: Run, console: Console) -> None:
    """Print the tables, the failures, what was left out, and the count."""
    for table in [*tables(run.results, wide=console.width >= WIDE), *checkpoint_tables(run.results)]:
        console.print(table)
    for result in run.results:
        if result.result in BAD:
            console.print(failure(result))
    for sentence in [*run.header["left_out"], *left_out(run.results)]:
        console.print(f"Left out: {sentence}", style="dim")
    console.print(verdict(run))


def verdict(run: Run) -> Text:
    """Return the count of results in one line."""
    footer = run.footer
    words = [f"{footer['passed']} passed"]
    words += [f"{footer[state]} {state.replace('_', ' ')}" for state in footer_states(footer)]
    style = "bold green" if footer["ok"] else "bold red"
    corpus = run.header["corpus"]
    return Text(
        f"{', '.join(words)} in {footer['seconds']:.0f} s. Seed {run.header['seed']}; "
        f"corpus: {corpus['name']}, {counted(corpus['sequences'], 'sequence')} of "
        f"{counted(corpus['length'], 'position')}, {counted(corpus['vocab_size'], 'word')}.",
        style=style,
    )


def footer_states(footer: dict[str, Any]) -> list[str]:
    """Return the states besides `passed` that occurred."""
    states = ("failed", "errored", "xpassed", "xfailed", "skipped", "not_applicable")
    return [state for state in states if footer[state]]


def failure(result: Result) -> RenderableType:
    """Return what a person needs to see of one failure: the law, the case, got and expected, the command."""
    first, *others = failure_lines(result)
    styles = {"  slip    ": "yellow", "  rerun   ": "cyan"}
    lines = [Text(wrapped(line), style=styles.get(line[:10], "")) for line in others]
    return Group(Text(first, style="bold red"), *lines, Text(""))


def tables(results: Sequence[Result], *, wide: bool = True) -> list[Table]:
    """Return a table for the mathematics and one for every few implementations, so that 80 columns do.

    A terminal that is not `wide` has one implementation a table, and ids in several lines.
    """
    targets = list(dict.fromkeys(result.target for result in results))
    abstract = [target for target in targets if target == MATHEMATICS]
    others = [target for target in targets if target != MATHEMATICS]
    # A checkpoint's results have a table of their own.
    others = [
        target for target in others if any(r.target == target for r in results if r.family != "checkpoint")
    ]
    abreast = TARGETS_ABREAST if wide else 1
    groups = [others[i : i + abreast] for i in range(0, len(others), abreast)]
    made = [_table(results, group, wide) for group in [abstract, *groups] if group]
    if not made:
        return []
    made[-1].caption = "A number is the worst error over its bound; without one, equality was exact."
    made[-1].caption_justify = "left"
    return made


def checkpoint_tables(results: Sequence[Result]) -> list[Table]:
    """Return a table for each checkpoint: how far its weights are from the theory, and may be."""
    made: dict[str, Table] = {}
    for result in results:
        if result.family != "checkpoint":
            continue
        if result.target not in made:
            table = Table(
                box=None, pad_edge=False, header_style="bold", title=result.target, title_justify="left"
            )
            for column in (
                "weight",
                "verdict",
                "error",
                "predicted",
                "1-cos",
                "predicted",
                "rank one",
                "band",
            ):
                table.add_column(column, no_wrap=True)
            made[result.target] = table
        found = next(iter(result.measurements.values()), None)
        numbers = [""] * 6
        if found is not None:
            error, error_predicted, cosine, cosine_predicted, rank_one, band = found.values()
            sizes = [f"{value:.2e}" for value in (error, error_predicted)]
            cosines = [
                "" if value is None else f"{max(0.0, 1 - value):.1e}"
                for value in (cosine, cosine_predicted, rank_one)
            ]
            numbers = [*sizes, *cosines, f"{sum(band.values()):.1e}"]
        made[result.target].add_row(result.check.removeprefix("checkpoint."), _cell(result), *numbers)
    return list(made.values())


def _table(results: Sequence[Result], targets: Sequence[str], wide: bool) -> Table:
    """Return a row a check and a column a target; a cell holds the verdict and the worst error over bound."""
    by_check: dict[str, dict[str, Result]] = {}
    for result in results:
        if result.target in targets:
            by_check.setdefault(result.check, {})[result.target] = result
    table = Table(box=None, pad_edge=False, header_style="bold")
    if wide:
        table.add_column("check", no_wrap=True, overflow="ellipsis", min_width=LONGEST_ID)
    else:
        # An id that may not fold would push the verdicts off the edge.
        table.add_column("check", overflow="fold", max_width=LONGEST_NARROW_ID)
    table.add_column("cases", justify="right", no_wrap=True, min_width=len("cases"))
    for target in targets:
        # A long name goes on in the next line: what may not wrap is squeezed with the numbers beside it.
        table.add_column(target, overflow="fold")
    together = _idle_families(by_check)
    for check, row in by_check.items():
        ids = together.get(_family(check), [])
        if check in ids:
            if check == ids[0]:
                cells = (_want(target, [by_check[id] for id in ids]) for target in targets)
                table.add_row(f"{_family(check)}, {len(ids)} checks", "0", *cells)
            continue
        # The fewest of the targets that it applies to: a shortfall shows.
        tried = [result.cases for result in row.values() if result.result != "not_applicable"]
        cases = str(min(tried, default=0))
        table.add_row(check, cases, *(_cell(row.get(target)) for target in targets))
    return table


def _family(check: str) -> str:
    return check.split(".")[0]


def _idle_families(by_check: Mapping[str, Mapping[str, Result]]) -> dict[str, list[str]]:
    """Return by family the checks, several, that apply to none of the targets: one row tells them all."""
    idle = [
        check
        for check, row in by_check.items()
        if all(result.result == "not_applicable" for result in row.values())
    ]
    by_family = {family: list(ids) for family, ids in groupby(sorted(idle, key=_family), key=_family)}
    return {family: ids for family, ids in by_family.items() if len(ids) > 1}


def _want(target: str, rows: Sequence[Mapping[str, Result]]) -> Text:
    """Return that checks do not apply to a target, and for want of what."""
    notes = [row[target].note or "" for row in rows if target in row]
    names = dict.fromkeys(name for note in notes for name in wanting(note))
    return Text(WORDS["not_applicable"] + (f", no {', '.join(names)}" if names else ""), style="dim")


def _cell(result: Result | None) -> Text:
    if result is None:
        return Text("")
    ratio = "" if result.error_over_bound is None else f" {result.error_over_bound:.0e}"
    return Text(WORDS.get(result.result, result.result) + ratio, style=STYLES.get(result.result, "dim"))

"""A run as a table for the terminal, 80 columns wide, and its failures told in full below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from paper_checks.failures import failures
from paper_checks.found import in_full
from paper_checks.left_out import left_out, wanting
from properties.catalogue import CHECKS
from properties.failure import COLUMNS
from properties.results import MATHEMATICS, Result, Run
from reference.errors import counted

STYLES = {"passed": "green", "failed": "bold red", "errored": "bold red", "xpassed": "bold red"}
TARGETS_ABREAST = 3
LONGEST_ID = 41
# Columns that ids in one line and three verdicts need; the fewest that an id has where there are fewer, and
# what stands beside it there: a number of cases, a verdict such as "FAILED 8e+14", two spaces before each.
WIDE, FEWEST_OF_AN_ID, BESIDE_AN_ID = 72, 16, 21
WORDS = {"passed": "ok", "failed": "FAILED", "errored": "ERROR", "not_applicable": "n/a"}
# Verdicts that every case led to: behind another stands no number of cases that says how much was tried.
HELD = ("passed", "xpassed")
LEGEND = "A number is the worst error over its bound; exact: it holds without any."
# The checks that are tried on the corpus that is given too.
ON_CORPUS = frozenset(check.id for check in CHECKS if check.needs and check.cases.of_corpus is not None)


def show(run: Run, console: Console) -> None:
    """Print the tables, what few checks found, the failures, what was left out, and the count."""
    shown = tables(run.results, console.width)
    for table in shown:
        console.print(table)
    if shown:
        console.print(LEGEND)
    for table in checkpoint_tables(run.results):
        console.print(table)
    for told in in_full(run.results):
        console.print(told)
    for told in failures(run.results, min(console.width, COLUMNS)):
        console.print(told, soft_wrap=True)
    for sentence in [*run.header["left_out"], *left_out(run.results)]:
        console.print(f"Left out: {sentence}", style="dim")
    console.print(verdict(run))


def verdict(run: Run) -> Text:
    """Return the count of results in one line."""
    footer = run.footer
    words = [f"{footer['passed']} passed"]
    words += [f"{footer[state]} {state.replace('_', ' ')}" for state in footer_states(footer)]
    style = "bold green" if footer["ok"] else "bold red"
    return Text(
        f"{', '.join(words)} in {footer['seconds']:.0f} s. Seed {run.header['seed']}; {_corpus(run)}.",
        style=style,
    )


def _corpus(run: Run) -> str:
    """Return what the corpus was, where a check that was tried looked at it; a checkpoint always does."""
    tried = [result for result in run.results if result.result not in ("not_applicable", "skipped")]
    checkpoint = any(result.family == "checkpoint" for result in run.results)
    if not checkpoint and not any(result.check in ON_CORPUS for result in tried):
        return "none of these checks looks at a corpus"
    corpus = run.header["corpus"]
    return (
        f"corpus: {corpus['name']}, {counted(corpus['sequences'], 'sequence')} of "
        f"{counted(corpus['length'], 'position')}, {counted(corpus['vocab_size'], 'word')}"
    )


def footer_states(footer: dict[str, Any]) -> list[str]:
    """Return the states besides `passed` that occurred."""
    states = ("failed", "errored", "xpassed", "xfailed", "skipped", "not_applicable")
    return [state for state in states if footer[state]]


def tables(results: Sequence[Result], columns: int = COLUMNS) -> list[Table]:
    """Return a table for the mathematics and one for every few implementations, so that 80 columns do.

    A terminal of few columns has one implementation a table, and ids that are too long in several lines.
    """
    targets = list(dict.fromkeys(result.target for result in results))
    abstract = [target for target in targets if target == MATHEMATICS]
    others = [target for target in targets if target != MATHEMATICS]
    # A checkpoint's results have a table of their own.
    others = [
        target for target in others if any(r.target == target for r in results if r.family != "checkpoint")
    ]
    abreast = TARGETS_ABREAST if columns >= WIDE else 1
    groups = [others[i : i + abreast] for i in range(0, len(others), abreast)]
    made = [_table(results, group, columns) for group in [abstract, *groups] if group]
    return [table for table in made if table.row_count]


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
                "rank 1",
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
            numbers = [*sizes, *cosines, f"{sum(band.values()):.1e}" if band else ""]
        made[result.target].add_row(result.check.removeprefix("checkpoint."), _cell(result), *numbers)
    return list(made.values())


def _table(results: Sequence[Result], targets: Sequence[str], columns: int) -> Table:
    """Return a row a check and a column a target; a cell holds the verdict and the worst error over bound.

    A check that lacks a method of every target has no row: what was left out tells these together.
    """
    by_check: dict[str, dict[str, Result]] = {}
    for result in results:
        if result.target in targets:
            by_check.setdefault(result.check, {})[result.target] = result
    table = Table(box=None, pad_edge=False, header_style="bold")
    if columns >= WIDE:
        table.add_column("check", no_wrap=True, overflow="ellipsis", min_width=LONGEST_ID)
    else:
        # An id that may not fold would push the verdicts off the edge.
        room = max(columns - BESIDE_AN_ID, FEWEST_OF_AN_ID)
        longest = max(map(len, by_check), default=0)
        table.add_column("check", overflow="fold", min_width=min(room, longest), max_width=room)
    table.add_column("cases", justify="right", no_wrap=True, min_width=len("cases"))
    for target in targets:
        # A long name goes on in the next line: what may not wrap is squeezed with the numbers beside it.
        table.add_column(target, overflow="fold")
    for check, row in by_check.items():
        if all(_lacks(result) for result in row.values()):
            continue
        # The fewest of the targets that it holds of: a shortfall shows.
        tried = [result.cases for result in row.values() if result.result in HELD]
        cases = str(min(tried)) if tried else ""
        table.add_row(check, cases, *(_cell(row.get(target)) for target in targets))
    return table


def _lacks(result: Result) -> bool:
    """Whether a check does not apply because the implementation lacks what it needs."""
    return result.result == "not_applicable" and bool(wanting(result.note or ""))


def _cell(result: Result | None) -> Text:
    if result is None:
        return Text("")
    told = WORDS.get(result.result, result.result)
    if result.error_over_bound is not None and result.result != "errored":
        told += f" {ratio(result.error_over_bound)}"
    elif result.result == "passed":
        told += " exact"
    return Text(told, style=STYLES.get(result.result, "dim"))


def ratio(value: float) -> str:
    """Return an error over its bound for a narrow column: 0, <.01, .47, 1.2, 34, 214 or 6e+11."""
    if 0 < value < 0.01:
        return "<.01"
    if value < 1:
        return f"{value:.2f}".removeprefix("0") if value else "0"
    if value < 100:
        return f"{value:.2g}"
    return f"{value:.0f}" if value < 10_000 else f"{value:.0e}"

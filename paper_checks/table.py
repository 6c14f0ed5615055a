"""A run as a table for the terminal, 80 columns wide, and its failures told in full below."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from properties.results import BAD, MATHEMATICS, Result, Run

STYLES = {"passed": "green", "failed": "bold red", "errored": "bold red", "xpassed": "bold red"}
TARGETS_ABREAST = 3
LONGEST_ID = 41
WORDS = {"passed": "ok", "failed": "FAILED", "errored": "ERROR", "not_applicable": "n/a"}


def show(run: Run, console: Console) -> None:
    """Print the table, the failures, what was left out, and the count."""
    for table in tables(run.results):
        console.print(table)
    for result in run.results:
        if result.result in BAD:
            console.print(failure(result))
    for sentence in [*run.header["left_out"], *_left_out(run.results)]:
        console.print(f"Left out: {sentence}", style="dim", highlight=False)
    console.print(verdict(run), highlight=False)


def verdict(run: Run) -> Text:
    """Return the count of results in one line."""
    footer = run.footer
    words = [f"{footer['passed']} passed"]
    words += [f"{footer[state]} {state.replace('_', ' ')}" for state in footer_states(footer)]
    style = "bold green" if footer["ok"] else "bold red"
    corpus = run.header["corpus"]
    return Text(
        f"{', '.join(words)} in {footer['seconds']:.0f} s. Seed {run.header['seed']}; "
        f"corpus: {corpus['name']}, {corpus['sequences']:,} sequences of {corpus['length']} positions, "
        f"{corpus['vocab_size']:,} words.",
        style=style,
    )


def footer_states(footer: dict[str, Any]) -> list[str]:
    """Return the states besides `passed` that occurred."""
    states = ("failed", "errored", "xpassed", "xfailed", "skipped", "not_applicable")
    return [state for state in states if footer[state]]


def failure(result: Result) -> RenderableType:
    """Return what a person needs to see of one failure: the law, the case, got and expected, the command."""
    lines = [Text(f"{result.check} on {result.target}: {result.result}", style="bold red")]
    lines.append(Text(f"  law       {result.statement} ({result.source})"))
    if result.note:
        lines.append(Text(f"  note      {result.note}"))
    shown = result.counterexample or {}
    for name, value in shown.get("case", {}).items():
        lines.append(Text(f"  {name:9} {_short(value)}"))
    if shown:
        where = f" at {shown['index']}" if "index" in shown else ""
        lines.append(Text(f"  entry     {shown['comparison']}{where}"))
    for name in ("error", "got", "expected", "exact", "bound", "ratio"):
        if name in shown:
            lines.append(Text(f"  {name:9} {shown[name]}"))
    if "looks_like" in shown:
        lines.append(Text(f"  It looks {shown['looks_like']}.", style="yellow"))
    lines.append(Text(f"  rerun     {result.command}\n", style="cyan"))
    return Group(*lines)


def tables(results: Sequence[Result]) -> list[Table]:
    """Return a table for the mathematics and one for every few implementations, so that 80 columns do."""
    targets = list(dict.fromkeys(result.target for result in results))
    abstract = [target for target in targets if target == MATHEMATICS]
    others = [target for target in targets if target != MATHEMATICS]
    groups = [others[i : i + TARGETS_ABREAST] for i in range(0, len(others), TARGETS_ABREAST)]
    made = [_table(results, group) for group in [abstract, *groups] if group]
    made[-1].caption = "A number is the worst error over its bound; without one, equality was exact."
    made[-1].caption_justify = "left"
    return made


def _table(results: Sequence[Result], targets: Sequence[str]) -> Table:
    """Return a row a check and a column a target; a cell holds the verdict and the worst error over bound."""
    by_check: dict[str, dict[str, Result]] = {}
    for result in results:
        if result.target in targets:
            by_check.setdefault(result.check, {})[result.target] = result
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("check", no_wrap=True, overflow="ellipsis", min_width=LONGEST_ID)
    table.add_column("cases", justify="right", no_wrap=True)
    for target in targets:
        table.add_column(target, no_wrap=True, overflow="ellipsis")
    for check, row in by_check.items():
        # The fewest of the targets: a shortfall shows.
        cases = str(min(result.cases for result in row.values()))
        table.add_row(check, cases, *(_cell(row.get(target)) for target in targets))
    return table


def _cell(result: Result | None) -> Text:
    if result is None:
        return Text("")
    ratio = "" if result.error_over_bound is None else f" {result.error_over_bound:.0e}"
    return Text(WORDS.get(result.result, result.result) + ratio, style=STYLES.get(result.result, "dim"))


def _left_out(results: Sequence[Result]) -> list[str]:
    """Return one line for each reason why checks did not apply."""
    reasons: dict[str, list[str]] = {}
    for result in results:
        if result.result in ("not_applicable", "skipped"):
            reasons.setdefault(f"{result.target}: {result.note}", []).append(result.check)
    return [f"{reason} ({', '.join(checks)})" for reason, checks in reasons.items()]


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 300 else text[:300] + " ..."

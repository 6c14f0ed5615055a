"""Run the mutants, and show who caught what."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from paper_checks.failures import failure
from paper_checks.provenance import header
from properties.failure import COLUMNS
from properties.mutants.trial import FAMILY, chosen, share_caught, try_equivalent, try_mutant
from properties.results import Result, Run, summarise

Progress = Callable[[str, int, int], None]
LONGEST_ID = 36


def run_mutants(
    names: Sequence[str], *, profile: str, seed: int, command: str, progress: Progress = lambda *_: None
) -> Run:
    """Try the mutants of these names, all of them for none.

    Raises:
        InputError: a name is no mutant, method, check or family.
    """
    started = time.perf_counter()
    mutants, equivalents = chosen(names)
    total = len(mutants) + len(equivalents)
    results: list[Result] = []
    for mutant in mutants:
        progress(mutant.id, len(results), total)
        results.append(try_mutant(mutant, profile=profile, seed=seed))
    for equivalent in equivalents:
        progress(equivalent.mutant.id, len(results), total)
        results.append(try_equivalent(equivalent, profile=profile, seed=seed))
    seconds = time.perf_counter() - started
    return Run(
        header=header(
            command=command,
            corpus=None,
            targets=list(dict.fromkeys(result.target for result in results)),
            profile=profile,
            seed=seed,
            left_out=[],
            seconds=seconds,
        ),
        results=tuple(results),
        footer={**summarise(results, seconds), "mutants": share_caught(results)},
    )


def show_mutants(run: Run, console: Console) -> None:
    """Print what caught each mutant and at which case, those that got through, and the share caught."""
    wrong = [result for result in run.results if result.evidence != "proved"]
    for method, group in groupby(wrong, key=lambda result: result.target):
        console.print(_table(method, list(group)))
    proved = [result for result in run.results if result.evidence == "proved"]
    if proved:
        console.print(_proved(proved))
    for result in run.results:
        if result.result != "passed":
            console.print(failure(result, columns=min(console.width, COLUMNS)), soft_wrap=True)
    console.print(_verdict(run))


def _table(method: str, results: Sequence[Result]) -> Table:
    table = _titled(f"Wrong {method}", "mutant", "caught by (at which case)")
    for result in results:
        by = result.measurements["caught by, at which case"]
        table.add_row(
            result.check.removeprefix(f"{FAMILY}."),
            _caught(by) if result.result == "passed" else Text(result.note or "", style="bold red"),
        )
    return table


def _caught(by: Mapping[str, int]) -> str:
    """Name the checks; those after the first of a family go by their last names."""
    told: list[str] = []
    family = ""
    for check, case in by.items():
        name = check.removeprefix(family) if check.startswith(f"{family}.") else check
        family = check.split(".")[0]
        told.append(f"{name} ({case})")
    return ", ".join(told)


def _proved(results: Sequence[Result]) -> Table:
    table = _titled("Slips that change nothing", "mutant", "proved")
    for result in results:
        because = result.source.removeprefix("derived here: ")
        table.add_row(
            result.check.removeprefix(f"{FAMILY}."),
            because if result.result == "passed" else Text(result.note or "", style="bold red"),
        )
    return table


def _titled(title: str, *columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title=title, title_justify="left")
    first, second = columns
    table.add_column(first, no_wrap=True, min_width=LONGEST_ID)
    table.add_column(second)
    return table


def _verdict(run: Run) -> Text:
    share, seconds = run.footer["mutants"], run.footer["seconds"]
    told = f"{share['caught']} of {share['wrong']} wrong implementations caught ({share['share']:.1%})"
    if share["equivalent"]:
        told += f", {share['equivalent']} slips proved to change nothing"
    how = f"in {seconds:.0f} s. Seed {run.header['seed']}, profile {run.header['profile']}."
    return Text(f"{told}, {how}", style="bold green" if run.ok else "bold red")

"""Decided claims for the terminal: a table 80 columns wide, or one claim in full."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from paper_checks.ledger.book import sources
from paper_checks.ledger.counts import APART, by_source
from paper_checks.ledger.decide import Decided
from paper_checks.ledger.finding import VERDICTS

STYLES = {
    "holds": "green",
    "holds_to_rounding": "green",
    "refuted": "bold red",
    "inconclusive": "bold yellow",
    "not_run": "dim",
}
WORDS = {"holds_to_rounding": "holds (rounded)", "not_run": "not run"}
FIELDS_WIDTH = 12


def show_table(decided: Sequence[Decided], console: Console) -> None:
    """Print a row a claim, by source, with what of its statement fits, and how many have each verdict."""
    for key, source in sources().items():
        own = [one for one in decided if one.claim.source == key]
        if not own:
            continue
        table = _plain(f"{source.name}: {source.title}")
        table.add_column("claim", no_wrap=True)
        table.add_column("verdict", no_wrap=True)
        # The one column that may be narrowed, and whose text ends with its line.
        table.add_column("statement")
        for one in own:
            statement = Text(one.claim.statement, no_wrap=True, overflow="ellipsis")
            table.add_row(Text(one.claim.id), verdict(one), statement)
        console.print(table)
    if any(one.finding.otherwise for one in decided):
        console.print("* Another reading turns the verdict; leadterms claims ID says which.", style="dim")
    if any(one.claim.implied for one in decided):
        console.print("† No sentence says it: it is implied; leadterms claims ID says by what.", style="dim")
    console.print(counts(decided))


def counts(decided: Sequence[Decided]) -> Table | str:
    """Return how many claims of each source there are of each verdict; all together in the last column."""
    found = by_source(one.as_row() for one in decided)
    if not found:
        return "No claim is like that."
    table = _plain("Claims by source")
    table.add_column("", no_wrap=True)
    for name in [*(one.name for one in found), *(["all"] if len(found) > 1 else [])]:
        table.add_column(name, justify="right")
    table.add_row("claims", *_across([one.total for one in found]))
    for name in VERDICTS:
        below = [(apart, f"  {apart}") for apart in APART.get(name, ())]
        for row, words in [(name, WORDS.get(name, name)), *below]:
            if any(one.found[row] for one in found):
                table.add_row(words, *_across([one.found[row] for one in found]))
    return table


def _plain(title: str) -> Table:
    """Return a table without lines, its columns one space apart."""
    return Table(
        box=None,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="bold",
        title=title,
        title_justify="left",
    )


def _across(numbers: Sequence[int]) -> list[str]:
    """Return the numbers of the sources, and their sum where there are several."""
    return [*map(str, numbers), *([str(sum(numbers))] if len(numbers) > 1 else [])]


def verdict(one: Decided) -> Text:
    """Return the verdict as a word, coloured, with a mark where another reading turns it."""
    name = one.finding.verdict
    marks = (" *" if one.finding.otherwise else "") + (" †" if one.claim.implied else "")
    return Text(WORDS.get(name, name) + marks, style=STYLES.get(name, ""))


def otherwise(one: Decided) -> str:
    """Return what another reading makes of the verdict, and which; "" where none turns it."""
    turned = "holds" if one.finding.verdict == "refuted" else "refuted"
    readings = "; ".join(f"with {words}" for words in one.finding.otherwise)
    return f"{turned} {readings}" if readings else ""


def show_one(one: Decided, console: Console) -> None:
    """Print everything that is known of a claim."""
    claim, finding = one.claim, one.finding
    places = ", ".join(sources()[key].title for key in (claim.source, *claim.also))
    console.print(Text(claim.id, style="bold"), verdict(one))
    console.print(Padding(Text(claim.statement), (0, 0, 0, 2)))
    convention = " ".join(filter(None, (claim.convention, finding.convention)))
    rows = {
        "source": f"{places}, {claim.section}",
        "stated": "" if claim.implied else claim.stated,
        "implied": f"{claim.stated} ({claim.implied})" if claim.implied else "",
        "computed": finding.computed,
        "why": finding.derivation,
        "read as": convention,
        "otherwise": otherwise(one),
        "evidence": finding.evidence if finding.verdict != "not_run" else "",
        "strength": one.strength.words,
        "missing": one.strength.missing,
        "checks": ", ".join(claim.checks),
        "to decide" if finding.verdict == "not_run" else "again": one.command,
        "where": "\n".join(f"{name} is {what}" for name, what in one.obtain.items()),
    }
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=FIELDS_WIDTH, style="dim")
    grid.add_column(overflow="fold")
    for name, value in rows.items():
        if value:
            grid.add_row(f"  {name}", Text(value))
    console.print(grid)
    console.print()

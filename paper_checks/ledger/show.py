"""Decided claims for the terminal: a table 80 columns wide, or one claim in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from paper_checks.ledger.book import sources
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
        table = Table(box=None, pad_edge=False, header_style="bold", title=source.title, title_justify="left")
        table.add_column("claim", no_wrap=True)
        table.add_column("verdict", no_wrap=True)
        # The one column that may be narrowed, and whose text ends with its line.
        table.add_column("statement")
        for one in own:
            statement = Text(one.claim.statement, no_wrap=True, overflow="ellipsis")
            table.add_row(Text(one.claim.id), verdict(one), statement)
        console.print(table)
    console.print(counts(decided), style="bold")


def counts(decided: Sequence[Decided]) -> str:
    """Return how many claims there are of each verdict, in one line."""
    number = Counter(one.finding.verdict for one in decided)
    words = [f"{number[one]} {WORDS.get(one, one)}" for one in VERDICTS if number[one]]
    return f"{len(decided)} claims: {', '.join(words)}." if words else "No claim is like that."


def verdict(one: Decided) -> Text:
    """Return the verdict as a word, coloured."""
    name = one.finding.verdict
    return Text(WORDS.get(name, name), style=STYLES.get(name, ""))


def show_one(one: Decided, console: Console) -> None:
    """Print everything that is known of a claim."""
    claim, finding = one.claim, one.finding
    places = ", ".join(sources()[key].title for key in (claim.source, *claim.also))
    console.print(Text(claim.id, style="bold"), verdict(one))
    console.print(Padding(Text(claim.statement), (0, 0, 0, 2)))
    convention = " ".join(filter(None, (claim.convention, finding.convention)))
    rows = {
        "source": f"{places}, {claim.section}",
        "stated": claim.stated,
        "computed": finding.computed,
        "why": finding.derivation,
        "read as": convention,
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

"""`leadterms report`: run the suite and write its results, a notebook and a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paper_checks import options
from paper_checks.commands.verify import run_suite


def report(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write into.")] = Path("report"),
    corpus: options.CorpusFile = None,
    vocab: options.VocabSize = None,
    length: options.Length = None,
    tokenizer: options.TokenizerName = "words",
    layout: options.Layout = options.LayoutOption.document,
    field: options.Field = options.DEFAULT_FIELD,
    no_cache: options.NoCache = False,
    seed: options.Seed = 0,
    profile: options.Profile = options.ProfileOption.quick,
    impl: Annotated[
        list[str] | None,
        typer.Option(metavar="TARGET", help="Hold this implementation too; may be given several times."),
    ] = None,
) -> None:
    """Run every check and write results.jsonl, an executed notebook and a page into a folder.

    Example: leadterms report --out report --profile quick
    """
    from rich.console import Console

    from paper_checks.report import check_report, write_report
    from paper_checks.table import show

    check_report(out)
    run = run_suite(
        impl or [],
        corpus,
        vocab,
        length,
        tokenizer,
        layout,
        seed,
        profile,
        [],
        field=field,
        cached=not no_cache,
    )
    written = write_report(run, out)
    console = Console()
    show(run, console)
    page = next(path for path in written if path.suffix == ".html")
    console.print(f"The report is in {page}", highlight=False, soft_wrap=True)
    raise typer.Exit(0 if run.ok else 1)

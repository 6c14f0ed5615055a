"""`leadterms report`: run the suite and write its results, a notebook and a page."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from gpu.command_line import require_folder
from paper_checks import options
from paper_checks.commands.verify import rerun_options, run_suite


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
    experiments: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Results of training experiments, as JSON lines, to decide more."),
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(metavar="OLD.jsonl", help="Say what changed since the run that wrote this file."),
    ] = None,
    json: options.JsonFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Run every check, decide every claim, and write results, an executed notebook and a page.

    Example: leadterms report --out report --profile quick
    """
    from rich.console import Console

    from paper_checks.corpora import load_corpus
    from paper_checks.ledger.decide import own_results, with_claims
    from paper_checks.ledger.experiments import read_experiments
    from paper_checks.ledger.setting import Setting
    from paper_checks.prediction.beside import published_beside
    from paper_checks.progress import progress_bar
    from paper_checks.report import check_report, write_report
    from paper_checks.report.compare import UNCHANGED, changes
    from paper_checks.table import show
    from properties.results import read_run, write_run

    check_report(out)
    require_folder(json)
    measured = read_experiments(experiments) if experiments else {}
    earlier = read_run(compare) if compare else None
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
        quiet=quiet,
    )
    asked = [word for target in impl or () for word in ("--impl", target)]
    text = None
    if corpus is not None:
        text = load_corpus(
            corpus,
            vocab_size=vocab,
            length=length,
            tokenizer_name=tokenizer,
            layout=layout.value,
            seed=seed,
            field=field,
            cached=not no_cache,
        )
        with progress_bar() as progress:
            beside = published_beside(text, seed, progress)
        run = replace(run, header={**run.header, "predicted": beside})
    setting = Setting(seed, text, measured, own_results(run))
    again = rerun_options(corpus, vocab, length, tokenizer, layout, field)
    run = replace(run, header={**run.header, "command": shlex.join(["leadterms", "report", *asked])})
    with progress_bar(not quiet) as progress:
        run = with_claims(run, setting, again, progress)
    written = write_report(run, out)
    if json is not None:
        write_run(json, run)
    console = Console(quiet=quiet)
    show(run, console)
    page = next(path for path in written if path.suffix == ".html")
    for sentence in (list(changes(earlier, run)) or [UNCHANGED]) if earlier else ():
        console.print(sentence, highlight=False, markup=False)
    console.print(f"The report is in {page}", highlight=False, soft_wrap=True)
    raise typer.Exit(0 if run.ok else 1)

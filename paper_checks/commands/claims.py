"""`leadterms claims`: what the sources state, and what a computation says of each."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paper_checks import completion, options
from paper_checks.commands.verify import rerun_options

if TYPE_CHECKING:
    from paper_checks.ledger.claim import Claim
    from paper_checks.ledger.decide import Decided


class VerdictOption(StrEnum):
    """The verdicts, for the help of --verdict."""

    holds = "holds"
    holds_to_rounding = "holds_to_rounding"
    refuted = "refuted"
    definition = "definition"
    method = "method"
    not_run = "not_run"
    inconclusive = "inconclusive"


def claims(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID",
            help="Show these claims in full; all as a table by default.",
            autocompletion=completion.claim_ids,
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Only those of this source: paper, toy-model, ...",
            autocompletion=completion.source_keys,
        ),
    ] = None,
    verdict: Annotated[VerdictOption | None, typer.Option(help="Only those with this verdict.")] = None,
    corpus: options.CorpusFile = None,
    vocab: options.VocabSize = None,
    length: options.Length = None,
    tokenizer: options.TokenizerName = "words",
    layout: options.Layout = options.LayoutOption.document,
    field: options.Field = options.DEFAULT_FIELD,
    no_cache: options.NoCache = False,
    experiments: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Results of training experiments, as JSON lines, to decide more."),
    ] = None,
    seed: options.Seed = 0,
    json: options.JsonFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Decide what the sources state, by computation; exit 1 when a check that they rest on fails.

    Example: leadterms claims random-diagonal-baseline
    """
    from gpu.terminal import terminal
    from paper_checks.corpora import load_corpus
    from paper_checks.ledger.decide import decide
    from paper_checks.ledger.experiments import read_experiments
    from paper_checks.ledger.setting import Setting
    from paper_checks.ledger.show import show_one, show_table
    from paper_checks.progress import progress_bar
    from properties.results import BAD
    from reference.atomic_files import write_text

    chosen = choose(ids or [], source)
    text = None
    if corpus is not None:
        text = load_corpus(
            corpus,
            matrices=40,
            vocab_size=vocab,
            length=length,
            tokenizer_name=tokenizer,
            layout=layout.value,
            seed=seed,
            field=field,
            cached=not no_cache,
        )
    measured = read_experiments(experiments) if experiments else {}
    setting = Setting(seed, text, measured, dict.fromkeys(measured, str(experiments)))
    again = rerun_options(corpus, vocab, length, tokenizer, layout, field)
    decided: list[Decided] = []
    with progress_bar(not quiet) as progress:
        for done, claim in enumerate(chosen):
            progress(claim.id, done, len(chosen))
            decided += decide([claim], setting, again)
    shown = [one for one in decided if verdict is None or one.finding.verdict == verdict.value]
    console = terminal(quiet=quiet)
    if ids:
        for one in shown:
            show_one(one, console)
    else:
        show_table(shown, console)
    if json is not None:
        from json import dumps

        write_text(json, dumps([one.as_row() for one in shown], indent=1, ensure_ascii=False) + "\n")
    failed = [result.check for result in setting.results.values() if result.result in BAD]
    if failed:
        console.print(f"Claims rest on checks that do not pass: {', '.join(failed)}.", style="bold red")
    raise typer.Exit(1 if failed else 0)


def choose(ids: list[str], source: str | None) -> list[Claim]:
    """Return the claims with these ids, or all of a source.

    Raises:
        InputError: there is no such claim or source.
    """
    from paper_checks.ledger.book import claims as all_claims
    from paper_checks.ledger.book import sources
    from reference.errors import InputError, meant

    if source is not None and source not in sources():
        hint = meant(source, sources())
        raise InputError(f"There is no source '{source}'; give one of {', '.join(sources())}.{hint}")
    by_id = {claim.id: claim for claim in all_claims()}
    for one in ids:
        if one not in by_id:
            raise InputError(f"There is no claim '{one}'; `leadterms claims` lists them.{meant(one, by_id)}")
    chosen = [by_id[one] for one in dict.fromkeys(ids)] if ids else list(by_id.values())
    return [claim for claim in chosen if source is None or source in (claim.source, *claim.also)]

"""`leadterms report`: run the suite and write its results, a notebook and a page."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paper_checks import options
from paper_checks.commands.verify import Suite, rerun_options, run_suite

if TYPE_CHECKING:
    from paper_checks.experiments.result import Outcome
    from paper_checks.measured import Measured


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
    profile: Annotated[
        options.ReportProfileOption,
        typer.Option(
            help="How many cases a check is tried on; full has those of ci and trains models for the "
            "experiments, the explorer and a larger run beside its predictions, which takes an hour or more."
        ),
    ] = options.ReportProfileOption.quick,
    impl: Annotated[
        list[str] | None,
        typer.Option(metavar="TARGET", help="Hold this implementation too; may be given several times."),
    ] = None,
    experiments: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Results of training experiments, as JSON lines, to decide more; none of them is run again.",
        ),
    ] = None,
    poems: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --profile full: poems, to train models of by character."),
    ] = None,
    reproduction: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Show this run beside its predictions, written by reproduce --json."
        ),
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(metavar="OLD.jsonl", help="Say what changed since the run that wrote this file."),
    ] = None,
    jobs: options.Jobs = None,
    json: options.JsonFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Run every check, decide every claim, and write results, an executed notebook and a page.

    Example: leadterms report --out report --profile quick
    """
    from gpu.terminal import terminal
    from paper_checks.corpora import load_corpus
    from paper_checks.experiments.kept import kept
    from paper_checks.ledger.decide import own_results, with_claims
    from paper_checks.ledger.experiments import read_experiments
    from paper_checks.ledger.setting import Setting
    from paper_checks.measured import EXPERIMENTS_FILE, beside_its_laws, together, with_measured
    from paper_checks.on_corpus import readings
    from paper_checks.prediction.beside import published_beside
    from paper_checks.progress import progress_bar
    from paper_checks.report import check_report, write_report
    from paper_checks.report.compare import UNCHANGED, changes, read_earlier
    from paper_checks.report.write import PAGE
    from paper_checks.reproduction.plan import QUICK, QUICK_LENGTH
    from paper_checks.table import show
    from properties.results import write_run

    check_report(out)
    given = read_experiments(experiments) if experiments else {}
    parts = [read_parts(experiments, reproduction)]
    earlier = read_earlier(compare) if compare else None
    full = profile is options.ReportProfileOption.full
    check_poems(poems, full)
    shown = load_corpus(
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
    run = run_suite(
        Suite.whole(impl or []),
        corpus,
        vocab,
        length,
        tokenizer,
        layout,
        seed,
        profile.cases,
        field=field,
        cached=not no_cache,
        jobs=jobs,
        quiet=quiet,
    )
    text = None if corpus is None else shown
    with progress_bar(not quiet) as progress:
        found = readings(shown, seed, progress)
        found["predicted"] = published_beside(shown, seed, progress)
        if not full and parts[0].reproduction is None:
            small = replace(QUICK, seed=seed)
            parts.append(beside_its_laws(shown.slice(small.sequences, QUICK_LENGTH), small, progress))
    run = replace(run, header={**run.header, **found})
    with ExitStack() as ends:
        if full:
            header = {"profile": profile.value, "seed": seed}
            keep = ends.enter_context(kept(out / EXPERIMENTS_FILE, header, "--experiments"))
            with progress_bar(not quiet, lines=True) as progress:
                parts = [*run_parts(corpus, tokenizer, field, seed, poems, parts[0], progress, keep), *parts]
        measured = together(parts)
        origins = dict.fromkeys(given, str(experiments))
        if measured.header is not None:
            origins |= dict.fromkeys(measured.records(), str(out / EXPERIMENTS_FILE))
        setting = Setting(seed, text, {**measured.records(), **given}, origins, own_results(run))
        again = rerun_options(corpus, vocab, length, tokenizer, layout, field)
        asked = [word for target in impl or () for word in ("--impl", target)]
        asked += [] if profile is options.ReportProfileOption.quick else ["--profile", profile.value]
        files = {"--poems": poems, "--experiments": experiments, "--reproduction": reproduction}
        asked += [word for name, file in files.items() if file for word in (name, str(file))]
        asked += ["--seed", str(seed)] if seed else []
        command = shlex.join(["leadterms", "report", *asked]) + again
        run = replace(run, header={**run.header, "command": command, "profile": profile.value})
        run = with_measured(run, measured)
        with progress_bar(not quiet) as progress:
            run = with_claims(run, setting, again, progress)
        write_report(run, out, measured.files())
    if json is not None:
        write_run(json, run)
    console = terminal(quiet=quiet)
    show(run, console)
    for sentence in (list(changes(earlier, run)) or [UNCHANGED]) if earlier else ():
        console.print(sentence)
    console.print(f"The report is in {out / PAGE}", soft_wrap=True)
    raise typer.Exit(0 if run.ok else 1)


def check_poems(poems: Path | None, full: bool) -> None:
    """Fail now, before long work, if the poems could not be used.

    Raises:
        InputError: nothing would be trained on them, or they cannot be read.
    """
    from reference.errors import InputError
    from reference.text import check_readable

    if poems is not None:
        if not full:
            raise InputError("--poems is what models are trained on; give --profile full too.")
        check_readable(poems)


def read_parts(experiments: Path | None, reproduction: Path | None) -> Measured:
    """Return what files hold of outcomes of experiments and of a run beside its predictions.

    Raises:
        InputError: a file is none.
    """
    from paper_checks.experiments.result import has_outcomes, read_outcomes
    from paper_checks.measured import Measured
    from paper_checks.reproduction.write import read_lines

    outcomes = read_outcomes(experiments)[1] if experiments and has_outcomes(experiments) else []
    return Measured(tuple(outcomes), read_lines(reproduction) if reproduction else None)


def run_parts(
    corpus: str | None,
    tokenizer: str,
    field: str,
    seed: int,
    poems: Path | None,
    given: Measured,
    progress: Callable[[str, float, float], None],
    keep: Callable[[list[Outcome]], None],
) -> list[Measured]:
    """Return what is trained for a full report: experiments, the explorer, a run beside its predictions.

    What is `given` is not run again; `keep` takes the outcomes after each experiment.
    """
    from paper_checks.commands.reproduce import DEFAULT_LENGTH, DEFAULT_VOCAB
    from paper_checks.corpora import load_corpus, positions
    from paper_checks.experiments.setting import Setting, scale_of
    from paper_checks.measured import Measured, beside_its_laws, trained
    from paper_checks.provenance import has_torch
    from paper_checks.reproduction.plan import Plan
    from reference.errors import InputError

    parts = []
    if has_torch():
        full = Setting(scale_of("full"), seed)
        parts.append(trained(full, poems, progress, keep, given.outcomes))
    else:
        parts.append(Measured(left_out=("Experiments train models, which needs torch.",)))
    if given.reproduction is None:
        try:
            small = load_corpus(
                corpus,
                matrices=40,
                vocab_size=None if corpus is None else DEFAULT_VOCAB,
                length=positions(corpus, DEFAULT_LENGTH),
                tokenizer_name=tokenizer,
                layout=options.LayoutOption.stream.value,
                seed=seed,
                field=field,
            )
            parts.append(beside_its_laws(small, Plan(seed=seed), progress))
        except InputError as error:
            parts.append(Measured(left_out=(f"No run beside its predictions: {error}",)))
    return parts

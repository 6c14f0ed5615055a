"""`leadterms verify`: hold implementations to every law, on generated cases and on a corpus."""

from __future__ import annotations

import shlex
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from paper_checks import completion, options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from properties.check import Check
    from properties.results import Result, Run
    from reference.corpus import Corpus

CHECKPOINT = "weights:"


@dataclass(frozen=True)
class TrainingOptions:
    """What the command line says of how a checkpoint was trained, and of the names in its file."""

    rate: float | None = None
    steps: int | None = None
    names: Path | None = None
    renames: tuple[str, ...] = ()
    trained_on: int | None = None


@dataclass(frozen=True)
class Suite:
    """What is held to what.

    Attributes:
        implementations: the targets that laws are tried on.
        checkpoints: the targets that are compared with the theory.
        checks: the laws.
        named: the targets as they were given.
        left_out: a sentence for each implementation that comes along and cannot run here, and for those that
            were named and have no part in the checks that were.
    """

    implementations: tuple[str, ...]
    checkpoints: tuple[str, ...]
    checks: tuple[Check, ...]
    named: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many checks there are to try, a law once for each implementation."""
        laws = sum(bool(check.needs) for check in self.checks)
        return len(self.checks) - laws + laws * len(self.implementations)

    @classmethod
    def chosen(cls, targets: Sequence[str], names: Sequence[str]) -> Suite:
        """Return these targets with the checks of these names; without targets those that come along.

        With targets and no names these are the laws that need an implementation: the mathematics is the same
        whoever is tried. A checkpoint alone is no implementation to hold to laws.

        Raises:
            InputError: a name is no check's and no family's, or there is nothing to try those checks on.
        """
        from paper_checks.verification import default_targets
        from properties.catalogue import CHECKS, select
        from properties.results import MATHEMATICS
        from reference.errors import InputError

        own, left_out = ((), ()) if targets else default_targets()
        checkpoints = tuple(target for target in dict.fromkeys(targets) if target.startswith(CHECKPOINT))
        others = own or tuple(target for target in dict.fromkeys(targets) if target not in checkpoints)
        if names and not others:
            raise InputError(
                f"--check chooses among the laws of implementations, and {' and '.join(checkpoints)} "
                "has none: all its weights are looked at. Leave --check out, or name an implementation."
            )
        laws = tuple(check for check in CHECKS if check.needs) if others else ()
        checks = select(names) if names or own else laws
        if targets and not any(check.needs for check in checks) and others:
            why = f"these are checks of the mathematics ({MATHEMATICS}), which try no implementation"
            left_out = (f"{' and '.join(others)}: {why}",)
        return cls(others, checkpoints, checks, tuple(targets), left_out)

    @classmethod
    def whole(cls, more: Sequence[str]) -> Suite:
        """Return everything: the mathematics, the implementations that come along, and more of them."""
        from paper_checks.verification import default_targets
        from properties.catalogue import CHECKS

        own, left_out = default_targets()
        return cls(tuple(dict.fromkeys([*own, *more])), (), CHECKS, (), left_out)


def verify(
    targets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TARGET",
            help="reference, gpu, gpu32, compiled, py:module:attribute, torch:module:factory[:NAMES.toml], "
            "'cmd:PROGRAM ARGS', or weights:FILE.npz|FILE.safetensors; the first three by default.",
            autocompletion=completion.targets,
            show_default=False,
        ),
    ] = None,
    corpus: options.CorpusFile = None,
    vocab: options.VocabSize = None,
    length: options.Length = None,
    tokenizer: options.TokenizerName = "words",
    layout: options.Layout = options.LayoutOption.document,
    field: options.Field = options.DEFAULT_FIELD,
    no_cache: options.NoCache = False,
    seed: options.Seed = 0,
    profile: options.Profile = options.ProfileOption.quick,
    check: options.Checks = None,
    timeout: options.Timeout = options.DEFAULT_TIMEOUT,
    jobs: options.Jobs = None,
    rate: options.Rate = None,
    steps: options.Steps = None,
    names: options.NamesFile = None,
    rename: options.Renames = None,
    statistics_sample: options.TrainedOn = None,
    xfail: options.ExpectedFailures = None,
    mutants: options.Mutants = False,
    json: options.JsonFile = None,
    list_checks: options.ListChecks = False,
    quiet: options.Quiet = False,
) -> None:
    """Hold implementations to every law; exit 0 when all hold, 1 when one does not.

    Example: leadterms verify py:mine:model --corpus stories.txt --vocab 3000 --length 200
    """
    from gpu.terminal import terminal
    from paper_checks.table import show

    if list_checks:
        list_all(check or [], json, quiet=quiet)
        return
    if mutants:
        from paper_checks.mutants import show_mutants

        unused = {"TARGET": targets, "--corpus": corpus, "--vocab": vocab, "--rate": rate, "--xfail": xfail}
        unused["--jobs"] = jobs
        run = try_mutants(check or [], profile, seed, unused)
        show_mutants(run, terminal(quiet=quiet))
        finish(run, json)
    training = TrainingOptions(rate, steps, names, tuple(rename or ()), statistics_sample)
    run = run_suite(
        Suite.chosen(targets or [], check or []),
        corpus,
        vocab,
        length,
        tokenizer,
        layout,
        seed,
        profile,
        timeout,
        training,
        xfail,
        field=field,
        cached=not no_cache,
        jobs=jobs,
        quiet=quiet,
    )
    show(run, terminal(quiet=quiet))
    finish(run, json)


def finish(run: Run, json: options.JsonFile) -> NoReturn:
    """Write the results where they are wanted, and exit with 0 when all is well, 1 otherwise."""
    from properties.results import write_run

    if json is not None:
        write_run(json, run)
    raise typer.Exit(0 if run.ok else 1)


def try_mutants(
    check: list[str], profile: options.ProfileOption, seed: int, unused: Mapping[str, object]
) -> Run:
    """Try the mutants that ship, with a progress bar on standard error.

    Raises:
        InputError: an option was given that speaks of an implementation, or a name is no mutant's.
    """
    from paper_checks.mutants import run_mutants
    from paper_checks.progress import progress_bar
    from reference.errors import InputError

    given = [name for name, value in unused.items() if value]
    if given:
        raise InputError(
            f"--mutants tries implementations of its own; leave out {' and '.join(given)}, "
            "or choose among them with --check."
        )
    # The promise is that each is caught within ci; a quick look could miss one.
    cases = "deep" if profile is options.ProfileOption.deep else "ci"
    named = [part for name in check for part in ("--check", name)]
    with progress_bar() as progress:
        return run_mutants(
            check,
            profile=cases,
            seed=seed,
            command=shlex.join(["leadterms", "verify", "--mutants", *named]),
            progress=progress,
        )


def list_all(names: list[str], json: options.JsonFile, *, quiet: bool) -> None:
    """Print each check: its id, the evidence that it gives, the methods that it needs, its law.

    Raises:
        InputError: a name is no check or family, or the file cannot be written.
    """
    from paper_checks.finite import write_json
    from properties.catalogue import select

    checks = select(names)
    if json is not None:
        rows = [
            {
                "check": one.id,
                "evidence": one.evidence,
                "proof": one.proof,
                "needs": list(one.needs),
                "statement": one.statement,
            }
            for one in checks
        ]
        write_json(json, rows)
    for check in () if quiet else checks:
        needs = f" [{', '.join(check.needs)}]" if check.needs else ""
        held = f"{check.evidence} by {check.proof}" if check.proof else check.evidence
        print(f"{check.id} ({held}){needs}: {check.statement}")


def run_suite(
    suite: Suite,
    corpus: options.CorpusFile,
    vocab: options.VocabSize,
    length: options.Length,
    tokenizer: options.TokenizerName,
    layout: options.Layout,
    seed: options.Seed,
    profile: options.Profile,
    timeout: float = options.DEFAULT_TIMEOUT,
    training: TrainingOptions = TrainingOptions(),
    xfail: Path | None = None,
    *,
    field: str = options.DEFAULT_FIELD,
    cached: bool = True,
    jobs: int | None = None,
    quiet: bool = False,
) -> Run:
    """Load the corpus, find the targets and run the checks, with a progress bar on standard error.

    Raises:
        InputError: an argument is wrong.
    """
    from paper_checks.corpora import load_corpus
    from paper_checks.processes import MATRICES, processes
    from paper_checks.progress import progress_bar
    from paper_checks.verification import verify as run_checks
    from properties.connectors import connect, require_names
    from properties.expected_failures import read_expected

    require_names([*suite.named, *suite.implementations])
    expected = read_expected(xfail) if xfail else None
    loaded = load_corpus(
        corpus,
        matrices=MATRICES,
        vocab_size=vocab,
        length=length,
        tokenizer_name=tokenizer,
        layout=layout.value,
        seed=seed,
        field=field,
        cached=cached,
    )
    sharing = processes(jobs, suite.implementations, suite.count, loaded)
    with ExitStack() as open_targets, progress_bar(not quiet) as progress:
        judged = [
            replace(result, command=result.command + training_options(training, seed))
            for result in judge_all(suite.checkpoints, loaded, training, seed)
        ]
        connected = [
            open_targets.enter_context(closing(connect(target, timeout))) for target in suite.implementations
        ]
        run = run_checks(
            connected,
            suite.checks,
            loaded,
            profile=profile.value,
            seed=seed,
            command=shlex.join(["leadterms", "verify", *suite.named]),
            left_out=suite.left_out,
            judged=judged,
            expected=expected,
            progress=progress,
            processes=sharing,
        )
    how = rerun_options(corpus, vocab, length, tokenizer, layout, field)
    waiting = "" if timeout == options.DEFAULT_TIMEOUT else f" --timeout {timeout:g}"
    return replace(
        run,
        header={**run.header, "command": run.header["command"] + how},
        results=tuple(
            replace(r, command=r.command + how + waiting * r.target.startswith("cmd:")) for r in run.results
        ),
    )


def rerun_options(
    corpus: str | None,
    vocab: int | None,
    length: int | None,
    tokenizer: str,
    layout: options.LayoutOption,
    field: str = options.DEFAULT_FIELD,
) -> str:
    """Return what a printed command must add to run on the same corpus; nothing for the defaults."""
    given = {
        "--corpus": corpus,
        "--vocab": vocab,
        "--length": length,
        "--tokenizer": None if tokenizer == "words" else tokenizer,
        "--layout": None if layout is options.LayoutOption.document else layout.value,
        "--field": None if field == options.DEFAULT_FIELD else field,
    }
    return "".join(f" {name} {shlex.quote(str(value))}" for name, value in given.items() if value is not None)


def training_options(training: TrainingOptions, seed: int) -> str:
    """Return what a printed command must add to judge the same checkpoint in the same way.

    The rate and the steps stand in it already; the seed draws the samples behind a sampling band.
    """
    given: list[tuple[str, object]] = [
        ("--names", training.names),
        *(("--rename", rename) for rename in training.renames),
        ("--statistics-sample", training.trained_on),
        ("--seed", seed or None),
    ]
    return "".join(f" {name} {shlex.quote(str(value))}" for name, value in given if value is not None)


def judge_all(targets: Sequence[str], corpus: Corpus, training: TrainingOptions, seed: int) -> list[Result]:
    """Return the verdicts on each `weights:` target.

    Raises:
        InputError: --rate or --steps is missing, or a file holds no weights for this corpus.
    """
    from pathlib import Path

    from paper_checks.fastest import pair_sums_of
    from properties.checkpoint import Training, judge
    from properties.parameter_names import OWN, read_names, renamed
    from reference.errors import InputError

    if not targets:
        return []
    if training.rate is None or training.steps is None:
        raise InputError(f"{targets[0]} needs to know how it was trained; give --rate and --steps.")
    names = renamed(read_names(training.names) if training.names else OWN, training.renames)
    how = Training(training.rate, training.steps, names, training.trained_on)
    return [
        result
        for target in targets
        for result in judge(
            Path(target.removeprefix(CHECKPOINT)), corpus, how, seed=seed, sums=pair_sums_of()
        )
    ]

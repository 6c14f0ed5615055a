"""`leadterms verify`: hold implementations to every law, on generated cases and on a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from paper_checks import options

if TYPE_CHECKING:
    from properties.results import Run


def verify(
    targets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TARGET",
            help="reference, gpu, gpu32, or py:module:attribute; those that come along by default.",
            show_default=False,
        ),
    ] = None,
    corpus: options.CorpusFile = None,
    vocab: options.VocabSize = None,
    length: options.Length = options.DEFAULT_LENGTH,
    tokenizer: options.TokenizerName = "words",
    layout: options.Layout = options.LayoutOption.document,
    seed: options.Seed = 0,
    profile: options.Profile = options.ProfileOption.quick,
    check: options.Checks = None,
    json: options.JsonFile = None,
) -> None:
    """Hold implementations to every law; exit 0 when all hold, 1 when one does not.

    Example: leadterms verify py:mine:model --corpus stories.txt --vocab 3000 --length 200
    """
    from rich.console import Console

    from paper_checks.table import show
    from properties.results import write_run

    if json is not None:
        require_folder(json)
    run = run_suite(targets or [], corpus, vocab, length, tokenizer, layout, seed, profile, check or [])
    show(run, Console(soft_wrap=False))
    if json is not None:
        write_run(json, run)
    raise typer.Exit(0 if run.ok else 1)


def run_suite(
    targets: list[str],
    corpus: options.CorpusFile,
    vocab: options.VocabSize,
    length: options.Length,
    tokenizer: options.TokenizerName,
    layout: options.Layout,
    seed: options.Seed,
    profile: options.Profile,
    check: list[str],
) -> Run:
    """Load the corpus, find the targets and run the checks, with a progress bar on standard error.

    Raises:
        InputError: an argument is wrong.
    """
    from paper_checks.corpora import load_corpus
    from paper_checks.progress import progress_bar
    from paper_checks.verification import default_targets
    from paper_checks.verification import verify as run_checks
    from properties.catalogue import select
    from properties.connectors import connect

    checks = select(check)
    loaded = load_corpus(
        corpus, vocab_size=vocab, length=length, tokenizer_name=tokenizer, layout=layout.value, seed=seed
    )
    left_out: list[str] = []
    connected = [connect(target) for target in dict.fromkeys(targets)]
    if not targets:
        connected, left_out = default_targets()
    with progress_bar() as progress:
        return run_checks(
            connected,
            checks,
            loaded,
            profile=profile.value,
            seed=seed,
            command=" ".join(["leadterms verify", *targets]),
            left_out=left_out,
            progress=progress,
        )


def require_folder(path: options.JsonFile) -> None:
    """Refuse a file to write whose folder is missing, before any work is done.

    Raises:
        InputError: the folder is missing, or the path is a folder.
    """
    from reference.errors import InputError

    assert path is not None
    if path.is_dir():
        raise InputError(f"{path} is a folder; give a file to write.")
    if not path.absolute().parent.is_dir():
        raise InputError(f"There is no folder {path.absolute().parent}; create it or name another file.")

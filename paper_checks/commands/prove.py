"""`leadterms prove`: certificates of the theorem for every corpus of a size, and their independent check."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpu.options import Quiet

if TYPE_CHECKING:
    from rich.console import Console


EMPTY = "zero for every corpus"


class Kind(StrEnum):
    """Which coefficients a certificate is about."""

    leading = "leading"
    next = "next"


def prove(
    vocab: Annotated[
        int | None, typer.Option("--vocab", metavar="V", help="Words in the vocabulary; 2 by default.")
    ] = None,
    length: Annotated[
        int | None, typer.Option("--length", metavar="T", help="Predicted positions; 2 by default.")
    ] = None,
    layers: Annotated[
        int | None, typer.Option("--layers", metavar="L", help="Layers of the model; 1 by default.")
    ] = None,
    kind: Annotated[
        Kind | None,
        typer.Option(help="The theorem's leading terms, which is the default, or the order after them."),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option("--check", metavar="FILE", help="Verify this certificate instead of making one."),
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the certificate, or the verdict.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Prove the leading terms for every corpus of a size and every number of steps, or check such a proof.

    Example: leadterms prove --vocab 2 --length 3 --layers 2 --json certificate.json
    """
    from gpu.terminal import terminal

    console = terminal(quiet=quiet)
    if check is not None:
        _refuse_sizes({"--vocab": vocab, "--length": length, "--layers": layers, "--kind": kind})
        holds = _check(check, json, console)
    else:
        V, T = (2 if given is None else given for given in (vocab, length))
        holds = _prove(V, T, 1 if layers is None else layers, kind or Kind.leading, json, console)
    raise typer.Exit(0 if holds else 1)


def _refuse_sizes(given: dict[str, object]) -> None:
    """Refuse what a certificate says itself.

    Raises:
        InputError: one of the options is given.
    """
    from reference.errors import InputError

    for name, value in given.items():
        if value is not None:
            raise InputError(f"--check takes its sizes from the certificate; leave out {name}.")


def _prove(vocab: int, length: int, layers: int, kind: Kind, json: Path | None, console: Console) -> bool:
    from json import dumps

    from reference.atomic_files import write_text
    from reference.errors import InputError
    from theory.certificates import Refuted
    from theory.certificates import prove as prove_for_every_corpus
    from theory.step_sums import named

    try:
        certificate = prove_for_every_corpus(
            vocab, length, layers, kind.value, progress=_told(not console.quiet)
        )
    except ValueError as error:
        raise InputError(f"No proof was attempted: {error}.") from None
    except Refuted as refuted:
        console.print(f"Refuted: {refuted.difference}", style="bold red", soft_wrap=True)
        return False
    if json is not None:
        write_text(json, dumps(certificate, indent=1) + "\n")
    console.print(f"Proved. {certificate['statement']}", style="bold green")
    for identity in certificate["identities"]:
        console.print(f"  {identity['group']} at eta^{identity['order']}:")
        for coefficients, direction in zip(identity["coefficients"], identity["directions"], strict=True):
            told = f"{direction['terms']:,} terms" if direction["terms"] else EMPTY
            console.print(f"    ({named(coefficients)}) {direction['name']}   [{told}]")
    return True


def _check(path: Path, json: Path | None, console: Console) -> bool:
    from json import dumps

    from paper_checks.progress import progress_bar
    from reference.atomic_files import write_text
    from theory.certificate_check import check as check_certificate

    certificate = read_certificate(path)
    with progress_bar(not console.quiet) as progress:
        verdict = check_certificate(certificate, lambda done, of: progress("corpora", done, of))
    told = {
        "holds": verdict.holds,
        "problems": list(verdict.problems),
        "corpora_run": verdict.corpora_run,
        "empty": list(verdict.empty),
    }
    if json is not None:
        write_text(json, dumps(told, indent=1) + "\n")
    for problem in verdict.problems:
        console.print(f"  {problem}", soft_wrap=True)
    if verdict.holds:
        console.print(f"{path} holds. {certificate['statement']}", style="bold green")
        console.print(
            f"  {verdict.corpora_run:,} corpora run, which by renaming tokens are "
            f"{verdict.corpora_covered:,}; they determine the polynomials."
        )
        if verdict.empty:
            console.print(
                f"  Of {', '.join(verdict.empty)} it says nothing but that it does not move at that order: "
                f"the direction is {EMPTY} of this size."
            )
    else:
        console.print(f"{path} does not hold.", style="bold red")
    return verdict.holds


def read_certificate(path: Path) -> dict[str, Any]:
    """Return the data of a certificate.

    Raises:
        InputError: the file is no certificate, with the first field that is not of its form.
    """
    from reference.errors import InputError
    from reference.small_files import parsed, read_small
    from theory.certificate_reader import Malformed, read

    hint = "make one with leadterms prove --json FILE"
    certificate = parsed(read_small(path, "certificate", hint=hint), str(path), hint)
    try:
        read(certificate)
    except Malformed as error:
        raise InputError(f"{path} is no leadterms certificate to check: {error}; {hint}.") from None
    return dict(certificate)


def _told(shown: bool) -> Callable[[str], None]:
    """Return what tells a person on a terminal which part of the proof is at hand."""
    from gpu.terminal import terminal

    console = terminal(stderr=True)
    if not (shown and console.is_terminal):
        return lambda what: None
    return lambda what: console.print(what, style="dim")

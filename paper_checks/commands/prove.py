"""`leadterms prove`: certificates of the theorem for every corpus of a size, and their independent check."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpu.command_line import require_folder

if TYPE_CHECKING:
    from rich.console import Console


class Kind(StrEnum):
    """Which coefficients a certificate is about."""

    leading = "leading"
    next = "next"


def prove(
    vocab: Annotated[int, typer.Option("--vocab", metavar="V", help="Words in the vocabulary.")] = 2,
    length: Annotated[int, typer.Option("--length", metavar="T", help="Predicted positions.")] = 2,
    layers: Annotated[int, typer.Option("--layers", metavar="L", help="Layers of the model.")] = 1,
    kind: Annotated[Kind, typer.Option(help="The theorem's leading terms, or the order after them.")] = (
        Kind.leading
    ),
    check: Annotated[
        Path | None,
        typer.Option("--check", metavar="FILE", help="Verify this certificate instead of making one."),
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the certificate, or the verdict.")
    ] = None,
) -> None:
    """Prove the leading terms for every corpus of a size and every number of steps, or check such a proof.

    Example: leadterms prove --vocab 2 --length 3 --layers 2 --json certificate.json
    """
    from rich.console import Console

    require_folder(json)
    console = Console(highlight=False)
    if check is not None:
        holds = _check(check, json, console)
    else:
        holds = _prove(vocab, length, layers, kind, json, console)
    raise typer.Exit(0 if holds else 1)


def _prove(vocab: int, length: int, layers: int, kind: Kind, json: Path | None, console: Console) -> bool:
    from json import dumps

    from properties.results import write_text
    from reference.errors import InputError
    from theory.certificates import Refuted
    from theory.certificates import prove as prove_for_every_corpus

    try:
        certificate = prove_for_every_corpus(vocab, length, layers, kind.value, progress=_told())
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
            amount = polynomial(coefficients)
            console.print(f"    ({amount}) {direction['name']}   [{direction['terms']:,} terms]")
    return True


def polynomial(coefficients: list[str]) -> str:
    """Return a polynomial in s as a person writes it, from its coefficients, lowest power first."""
    powers = ["", " s", *(f" s^{k}" for k in range(2, len(coefficients)))]
    terms = [
        f"{'' if coefficient in ('1', '-1') and power else coefficient.lstrip('-')}{power}".strip()
        for coefficient, power in zip(coefficients, powers, strict=False)
        if coefficient != "0"
    ]
    signs = [
        "-" if coefficient.startswith("-") else "+" for coefficient in coefficients if coefficient != "0"
    ]
    told = " ".join(f"{sign} {term}" for sign, term in zip(reversed(signs), reversed(terms), strict=True))
    return told.removeprefix("+ ") or "0"


def _check(path: Path, json: Path | None, console: Console) -> bool:
    from json import dumps

    from paper_checks.progress import progress_bar
    from properties.results import write_text
    from theory.certificate_check import check as check_certificate

    certificate = _read(path)
    with progress_bar() as progress:
        verdict = check_certificate(certificate, lambda done, of: progress("corpora", done, of))
    told = {"holds": verdict.holds, "problems": list(verdict.problems), "corpora_run": verdict.corpora_run}
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
    else:
        console.print(f"{path} does not hold.", style="bold red")
    return verdict.holds


def _read(path: Path) -> dict[str, Any]:
    from json import loads

    from reference.errors import InputError

    try:
        certificate = loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"There is no certificate {path}; make one with leadterms prove --json.") from None
    except (OSError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise InputError(f"The certificate {path} cannot be read: {error}.") from None
    if not isinstance(certificate, dict):
        raise InputError(f"{path} is no certificate: it holds a {type(certificate).__name__}.")
    return certificate


def _told() -> Callable[[str], None]:
    """Return what tells a person on a terminal which part of the proof is at hand."""
    from rich.console import Console

    console = Console(stderr=True)
    return (lambda what: console.print(what, style="dim")) if console.is_terminal else (lambda what: None)

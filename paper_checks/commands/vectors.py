"""`leadterms vectors`: write the test vectors, check a folder of them, or hold an implementation to one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paper_checks import options

LONGEST_LIST = 20


def vectors(
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write all vectors into this folder.")
    ] = None,
    check: Annotated[
        Path | None, typer.Option("--check", metavar="DIR", help="Check a folder of vectors.")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="TARGET", help="Hold this implementation to the vectors of --check as well."),
    ] = None,
    timeout: options.Timeout = options.DEFAULT_TIMEOUT,
) -> None:
    """Write test vectors for implementations in any language, or check a folder of them.

    Example: leadterms vectors --check vectors --target py:mine:model
    """
    from rich.console import Console

    from properties.vectors.checking import faults
    from properties.vectors.files import write
    from reference.errors import InputError

    if (out is None) == (check is None) or (target is not None and check is None):
        raise InputError("Give --out DIR to write vectors, or --check DIR, with or without --target TARGET.")
    console = Console(highlight=False, soft_wrap=True)
    if out is not None:
        console.print(f"{write(out)} vectors are in {out}.", markup=False)
        return
    assert check is not None
    found = list(faults(check))
    for fault in found[:LONGEST_LIST]:
        console.print(fault, markup=False)
    if found:
        console.print(f"{check}: {len(found)} faults.", markup=False)
        raise typer.Exit(1)
    console.print(f"{check} holds to its schema, and its ids to what was published.", markup=False)
    if target is not None:
        raise typer.Exit(_hold(target, check, timeout, console.print))


def _hold(spec: str, folder: Path, timeout: float, told: object) -> int:
    """Say what came of each vector that is not held, and return the exit status."""
    from contextlib import closing

    from properties.connectors import connect
    from properties.vectors.held import hold
    from reference.errors import InputError

    assert callable(told)
    with closing(connect(spec, timeout)) as target:
        held = list(hold(target, folder))
    if not held:
        raise InputError(f"{spec} has none of the methods of the vectors in {folder}.")
    bad = [one for one in held if one.fault]
    for one in bad:
        told(f"{one.id}: {one.fault}", markup=False)
    worst = max((one.ratio for one in held if one.ratio is not None), default=0.0)
    told(f"{spec}: {len(held) - len(bad)} of {len(held)} vectors held; worst error over bound {worst:.2g}.")
    return 1 if bad else 0

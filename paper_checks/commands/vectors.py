"""`leadterms vectors`: write the test vectors, check a folder of them, or hold an implementation to one."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paper_checks import options

if TYPE_CHECKING:
    from rich.console import Console

    from properties.vectors.held import Held

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
    json: options.JsonFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Write test vectors for implementations in any language, or check a folder of them.

    Example: leadterms vectors --check vectors --target py:mine:model
    """

    from gpu.terminal import terminal
    from paper_checks.finite import write_json
    from properties.vectors.checking import faults
    from properties.vectors.files import write
    from reference.errors import InputError

    if (out is None) == (check is None) or (target is not None and check is None):
        raise InputError("Give --out DIR to write vectors, or --check DIR, with or without --target TARGET.")
    console = terminal(quiet=quiet, soft_wrap=True)

    def tell(result: dict[str, Any]) -> None:
        if json is not None:
            write_json(json, result)

    if out is not None:
        count = write(out)
        tell({"written": count, "folder": str(out)})
        console.print(f"{count} vectors are in {out}.")
        return
    assert check is not None
    found = list(faults(check))
    for fault in found[:LONGEST_LIST]:
        console.print(fault)
    if found:
        tell({"faults": found})
        console.print(f"{check}: {len(found)} faults.")
        raise typer.Exit(1)
    console.print(f"{check} holds to its schema, and its ids to what was published.")
    held = [] if target is None else _hold(target, check, timeout, console)
    tell({"faults": [], "target": target, "vectors": [asdict(one) for one in held]})
    raise typer.Exit(1 if any(one.fault for one in held) else 0)


def _hold(spec: str, folder: Path, timeout: float, console: Console) -> list[Held]:
    """Say what came of each vector that is not held, and return what came of all."""
    from contextlib import closing

    from properties.connectors import connect
    from properties.vectors.held import hold
    from reference.errors import InputError

    with closing(connect(spec, timeout)) as target:
        held = list(hold(target, folder))
    if not held:
        raise InputError(f"{spec} has none of the methods of the vectors in {folder}.")
    bad = [one for one in held if one.fault]
    for one in bad:
        console.print(f"{one.id}: {one.fault}")
    worst = max((one.ratio for one in held if one.ratio is not None), default=0.0)
    console.print(
        f"{spec}: {len(held) - len(bad)} of {len(held)} vectors held; worst error over bound {worst:.2g}."
    )
    return held

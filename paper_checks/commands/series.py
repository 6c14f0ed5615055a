"""`leadterms series`: the exact coefficients in eta of every weight after some steps, for given tokens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpu.options import Quiet
from reference.errors import counted

if TYPE_CHECKING:
    from flint import fmpq_mat


def series(
    tokens: Annotated[
        Path, typer.Argument(metavar="TOKENS.json", help='{"tokens": [[...], ...], "vocab_size": V}')
    ],
    layers: Annotated[int, typer.Option(metavar="L", help="Layers of the model.")] = 1,
    steps: Annotated[int, typer.Option(metavar="s", help="Full-batch steps from zero.")] = 3,
    order: Annotated[int, typer.Option(metavar="K", help="The last order in eta that is kept.")] = 4,
    json: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help='Write every coefficient as "p/q" or "p" to FILE.'),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Compute the power series in eta of W_O, V, W and P, exactly, to a given order.

    Every coefficient is written in lowest terms, as "p/q" with q > 1 or as "p" when it is whole.

    Example: leadterms series tokens.json --layers 2 --steps 4 --order 5 --json series.json
    """
    from json import dumps

    from gpu.terminal import terminal
    from paper_checks.progress import progress_bar
    from paper_checks.tokens_file import read_tokens
    from reference.atomic_files import write_text
    from reference.errors import InputError
    from theory.cost import MOST_LAYERS, refuse_the_series
    from theory.exact_json import series_as_text, statistics_as_text
    from theory.orders import GROUPS
    from theory.series import descend
    from theory.statistics import exact_statistics

    sequences, vocab_size = read_tokens(tokens)
    for name, value, most in (
        ("--layers", layers, MOST_LAYERS),
        ("--steps", steps, 10_000),
        ("--order", order, 64),
    ):
        if value > most:
            raise InputError(f"{name} is {value}; exact series are computed up to {name} {most}.")
    try:
        refuse_the_series(len(sequences), len(sequences[0]) - 1, vocab_size, layers, steps, order)
        with progress_bar(not quiet) as progress:
            statistics = exact_statistics(sequences, vocab_size)
            found = descend(
                sequences,
                vocab_size,
                layers,
                steps,
                order,
                progress=lambda done, of: progress("steps", done, of),
            )
    except ValueError as error:
        raise InputError(f"{tokens}: {error}.") from None
    sizes = {"vocab_size": vocab_size, "layers": layers, "steps": steps, "order": order}
    if json is not None:
        whole = {**sizes, **series_as_text(found), "statistics": statistics_as_text(statistics)}
        write_text(json, dumps(whole) + "\n")
    console = terminal(quiet=quiet)
    console.print(
        f"After {counted(steps, 'step')}, {counted(layers, 'layer')}: "
        "the first order that moves, in each group"
    )
    for group in GROUPS:
        console.print(f"  {group:4} {_first_order(found.group(group))}")


def _first_order(layers: list[list[fmpq_mat]]) -> str:
    """Return the lowest order with a nonzero coefficient in any layer."""
    moved = [k for layer in layers for k, matrix in enumerate(layer) if any(matrix.entries())]
    return f"eta^{min(moved)}" if moved else "none up to this order"

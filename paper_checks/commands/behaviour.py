"""`leadterms behaviour`: whether a direction is in use, not only whether it is there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paper_checks import options

if TYPE_CHECKING:
    from rich.console import Console

    from paper_checks.behaviour import Behaviour

DEFAULT_SEQUENCES = 64


def behaviour(
    corpus: options.CorpusArgument = None,
    weights: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Trained weights, .npz or .safetensors; trained here by default."),
    ] = None,
    rate: Annotated[float, typer.Option(metavar="ETA", help="The learning rate of their training.")] = 0.05,
    steps: Annotated[int, typer.Option(metavar="S", help="Its full-batch steps from zero.")] = 32,
    layers: Annotated[int, typer.Option(metavar="L", help="Layers, where they are trained here.")] = 2,
    sequences: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help=f"Sequences that the loss is measured on; {DEFAULT_SEQUENCES}, or all if fewer, by default.",
        ),
    ] = None,
    other: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Another text; generated stories by default.")
    ] = None,
    other_tokenizer: Annotated[
        str, typer.Option(metavar="NAME", help="The tokenizer of the other text.")
    ] = "words",
    vocab: options.VocabSize = None,
    length: options.Length = None,
    tokenizer: options.TokenizerName = "words",
    layout: options.Layout = options.LayoutOption.document,
    field: options.Field = options.DEFAULT_FIELD,
    seed: options.Seed = 0,
    json: options.JsonFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Show for every weight its cosine and the effect of removing that direction, predicted and measured.

    Example: leadterms behaviour stories.txt --vocab 300 --weights trained.safetensors --rate .05 --steps 32
    """
    from gpu.terminal import terminal
    from paper_checks.behaviour import behaviour as measure
    from paper_checks.behaviour import trained_weights
    from paper_checks.corpora import load_corpus
    from paper_checks.corpus_controls import other_corpus
    from paper_checks.prediction.setting import Setting
    from paper_checks.progress import progress_bar
    from properties.checkpoint_file import read_checkpoint
    from properties.parameter_names import OWN
    from reference.errors import InputError

    setting = Setting(rate, steps, layers, 1, 1)
    loaded = load_corpus(
        corpus,
        matrices=40,
        vocab_size=vocab,
        length=length,
        tokenizer_name=tokenizer,
        layout=layout.value,
        seed=seed,
        field=field,
    )
    if sequences is None:
        sequences = min(DEFAULT_SEQUENCES, loaded.sequences)
    if not 1 <= sequences <= loaded.sequences:
        raise InputError(f"--sequences is {sequences}; give 1 to {loaded.sequences:,}, as many as there are.")
    against = other_corpus(other, loaded, other_tokenizer, seed + 1)
    with progress_bar(not quiet) as told:
        if weights is not None:
            trained = read_checkpoint(weights, OWN, loaded.vocab_size, loaded.length).parameters
        else:
            trained = trained_weights(loaded, setting.layers, setting.rate, setting.steps, told)
        found = measure(
            loaded,
            trained,
            against,
            rate=setting.rate,
            steps=setting.steps,
            sequences=sequences,
            seed=seed,
            told=told,
        )
    if json is not None:
        from dataclasses import asdict

        from paper_checks.finite import write_json

        whole = {
            "corpus": {"name": loaded.name, "digest": loaded.digest},
            "weights": None if weights is None else weights.name,
            "rate": rate,
            "steps": steps,
            "sequences": sequences,
            "seed": seed,
            "other": against.told,
            "weights_found": {name: asdict(one) for name, one in found.items()},
        }
        write_json(json, whole)
    console = terminal(quiet=quiet)
    console.print(
        f"{loaded.name}: loss on {sequences} of {loaded.sequences:,} sequences, in nats a token; "
        f"{steps} steps at rate {rate:g}.",
    )
    _show(console, found)
    console.print(f"Another corpus: {against.told}.")


def _show(console: Console, found: dict[str, Behaviour]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    table.title = "Rise of the loss without a part of a weight: along its leading term, and along others"
    for column in ("weight", "cosine", "predicted", "measured", "random", "shuffled", "other"):
        table.add_column(column, justify="left" if column == "weight" else "right", no_wrap=True)
    for name, one in found.items():
        # The largest of the draws: the hardest to tell from an effect.
        largest = max(one.random, key=abs)
        table.add_row(
            name,
            "" if one.cosine != one.cosine else f"{one.cosine:.6f}",
            *(f"{value:+.2e}" for value in (one.predicted, one.measured, largest)),
            *(f"{value:+.1e}" for value in one.controls.values()),
        )
    console.print(table)
    console.print(
        "predicted: for the sequences that it is measured on. random: the largest of parts of equal length "
        "along random directions. shuffled, other: the weight's own projection on the leading term of those "
        "corpora."
    )

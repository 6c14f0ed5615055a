"""`leadterms reproduce`: trains at a small size, and shows each measured number beside its prediction."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paper_checks import options
from paper_checks.reproduction.plan import Plan, sized

# A size that a processor does in minutes: of a text, and of the embedded stories whole.
DEFAULT_VOCAB, DEFAULT_LENGTH = 128, 24


def reproduce(
    corpus: options.CorpusArgument = None,
    sequences: Annotated[
        int | None,
        typer.Option(
            metavar="N", help=f"Sequences trained on; {Plan.sequences}, or all if fewer, by default."
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="n",
            help=f"Sequences of a sample for statistics; {Plan.sample}, or a fourth if less, by default.",
        ),
    ] = None,
    rate: Annotated[float, typer.Option(metavar="ETA", help="The learning rate of the main run.")] = 0.005,
    steps: Annotated[int, typer.Option(metavar="S", help="Steps of the main run.")] = 320,
    layers: Annotated[int, typer.Option(metavar="L", help="Layers of the main run.")] = 3,
    large_rate: Annotated[
        float, typer.Option(metavar="ETA", help="The rate at which the theory fails.")
    ] = 0.05,
    most_steps: Annotated[int, typer.Option(metavar="S", help="Where that run ends at the latest.")] = 1000,
    short_steps: Annotated[int, typer.Option(metavar="S", help="Steps of the other runs.")] = 32,
    vocab: Annotated[
        int | None, typer.Option("--vocab", metavar="V", help="Most frequent tokens kept.")
    ] = None,
    length: Annotated[
        int | None,
        typer.Option(
            "--length",
            metavar="T",
            help=f"Predicted positions; {DEFAULT_LENGTH}, or what a token array has if less, by default.",
        ),
    ] = None,
    tokenizer: options.TokenizerName = "words",
    layout: options.Layout = options.LayoutOption.stream,
    field: options.Field = options.DEFAULT_FIELD,
    seed: options.Seed = 0,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the rows as JSON lines to FILE.")
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Train in float64 and float32, to failure, from other starts, batches and depths, beside the laws.

    Example: leadterms reproduce stories.txt --vocab 128 --length 24 --json reproduced.jsonl
    """
    import time

    from gpu.terminal import terminal
    from paper_checks.corpora import load_corpus, positions
    from paper_checks.progress import progress_bar
    from paper_checks.reproduction import write
    from paper_checks.reproduction.whole import reproduced
    from reference.atomic_files import write_text

    plan = Plan(
        layers=layers,
        rate=rate,
        steps=steps,
        large_rate=large_rate,
        most_steps=most_steps,
        short_steps=short_steps,
        seed=seed,
    )
    loaded = load_corpus(
        corpus,
        matrices=40,
        vocab_size=vocab,
        length=positions(corpus, DEFAULT_LENGTH) if length is None else length,
        tokenizer_name=tokenizer,
        layout=layout.value,
        seed=seed,
        field=field,
    )
    plan = sized(plan, sequences, sample, loaded.sequences)
    began = time.monotonic()
    with progress_bar(not quiet) as told:
        head, rows = reproduced(loaded, plan, told)
    if json is not None:
        write_text(json, write.as_lines(head, rows, time.monotonic() - began))
    write.show(terminal(quiet=quiet), head, rows)

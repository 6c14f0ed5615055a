"""`leadterms explorer`: a page on which to look at attention, remove heads and read what the numbers say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paper_checks import options
from paper_checks.commands.experiments import ProfileOption

OF_PROFILE = "Of the model; that of the profile by default."


def explorer(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The page to write.")] = Path(
        "explorer.html"
    ),
    outcomes: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Show these outcomes, written by experiments --json, on the page too."
        ),
    ] = None,
    profile: Annotated[
        ProfileOption, typer.Option(help="quick trains for seconds, full for some minutes.")
    ] = ProfileOption.quick,
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", metavar="FILE", help="The text to train on; generated stories by default."),
    ] = None,
    tokenizer: options.TokenizerName = "words",
    layers: Annotated[int | None, typer.Option(min=1, metavar="L", help=OF_PROFILE)] = None,
    heads: Annotated[int | None, typer.Option(min=1, metavar="H", help=OF_PROFILE)] = None,
    width: Annotated[int | None, typer.Option(min=1, metavar="D", help=OF_PROFILE)] = None,
    context: Annotated[int | None, typer.Option(min=2, metavar="T", help=OF_PROFILE)] = None,
    vocab: Annotated[
        int | None,
        typer.Option(min=1, metavar="V", help="The most frequent tokens; that of the profile by default."),
    ] = None,
    seed: options.Seed = 0,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write what the page shows as JSON to FILE.")
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Train a small model and write one page, for any browser and without a network, to explore it on.

    Example: leadterms explorer --outcomes experiments.jsonl -o explorer.html
    """
    from dataclasses import replace

    from gpu.terminal import terminal
    from paper_checks.provenance import has_torch
    from reference.atomic_files import write_text
    from reference.errors import InputError

    if not has_torch():
        raise InputError("The explorer trains a model, which needs torch: pip install 'leadterms[gpu]'.")
    from paper_checks.experiments.result import read_outcomes
    from paper_checks.experiments.setting import Setting, check_memory, scale_of
    from paper_checks.explorer.data import explorer_data
    from paper_checks.explorer.page import write_explorer
    from paper_checks.finite import finite

    listed = [] if outcomes is None else read_outcomes(outcomes)[1]
    scale = scale_of(profile.value)
    sized = replace(
        scale,
        vocab_size=vocab or scale.vocab_size,
        layers=layers or scale.layers,
        heads=heads or scale.heads,
        width=width or scale.width,
        context=context or scale.context,
    )
    check_memory(sized)
    setting = Setting(sized, seed, corpus, tokenizer)
    data = explorer_data(setting, listed)
    write_explorer(out, data)
    if json is not None:
        from json import dumps

        write_text(json, dumps(finite(data)) + "\n")
    terminal(quiet=quiet).print(f"The explorer is in {out}", soft_wrap=True)

"""`leadterms alignment`: a cosine beside its nulls, and what is left of it without the first directions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paper_checks import options
from reference.errors import counted

if TYPE_CHECKING:
    from rich.console import Console

    from paper_checks.alignment_nulls import Nulls
    from reference.directions import Share

DEFAULT_SAMPLES = 6


def alignment(
    corpus: options.CorpusArgument = None,
    weights: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Weights, .npz or .safetensors, to compare.")
    ] = None,
    other: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Another text; generated stories by default.")
    ] = None,
    other_tokenizer: Annotated[
        str, typer.Option(metavar="NAME", help="The tokenizer of the other text.")
    ] = "words",
    sample: Annotated[int, typer.Option(metavar="N", help="Sequences in a sample.")] = 2048,
    samples: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help=f"How many samples; {DEFAULT_SAMPLES}, or one of each sequence if fewer, by default.",
        ),
    ] = None,
    vocab: options.VocabSize = None,
    length: options.Length = None,
    tokenizer: options.TokenizerName = "words",
    layout: options.Layout = options.LayoutOption.document,
    field: options.Field = options.DEFAULT_FIELD,
    seed: options.Seed = 0,
    json: options.JsonFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Say what a cosine with a leading term is worth: nulls, and the cosine in each part of the spectrum.

    Example: leadterms alignment stories.txt --vocab 3000 --length 200 --weights trained.safetensors
    """
    from gpu.terminal import terminal
    from paper_checks.alignment_nulls import gather
    from paper_checks.corpora import load_corpus
    from paper_checks.corpus_controls import other_corpus
    from paper_checks.progress import progress_bar
    from properties.checkpoint_file import read_checkpoint
    from properties.parameter_names import OWN
    from reference.errors import InputError

    if sample < 1:
        raise InputError(f"--sample is {sample}; give 1 or more sequences.")
    loaded = load_corpus(
        corpus,
        matrices=20,
        vocab_size=vocab,
        length=length,
        tokenizer_name=tokenizer,
        layout=layout.value,
        seed=seed,
        field=field,
    )
    if samples is None:
        samples = min(DEFAULT_SAMPLES, loaded.sequences)
    trained = None
    if weights is not None:
        trained = read_checkpoint(weights, OWN, loaded.vocab_size, loaded.length).parameters
    against = other_corpus(other, loaded, other_tokenizer, seed + 1)
    with progress_bar(not quiet) as told:
        found = gather(loaded, trained, against, sample=sample, samples=samples, seed=seed, told=told)
    if json is not None:
        from dataclasses import asdict

        from paper_checks.finite import write_json

        write_json(json, asdict(found))
    console = terminal(quiet=quiet)
    console.print(
        f"{loaded.name}: {counted(loaded.sequences, 'sequence')} of {counted(loaded.length, 'position')}, "
        f"{counted(loaded.vocab_size, 'word')}."
    )
    _show(console, found, trained is not None)


def _show(console: Console, found: Nulls, has_weights: bool) -> None:
    from rich.table import Table

    from paper_checks.alignment_nulls import interval

    for name, report in found.reports.items():
        table = Table(box=None, pad_edge=False, header_style="bold", title=name, title_justify="left")
        table.add_column("directions removed", no_wrap=True)
        ladder = report.removed or (0,)
        for k in ladder:
            table.add_column(str(k), justify="right", no_wrap=True)
        if report.removed:
            table.add_row(
                "squared norm left", *("" if share != share else f"{share:.2g}" for share in report.left_over)
            )
        if has_weights:
            table.add_row("this weight", *(_cosine(c) for c in report.spectrum or (report.cosine,)))
        of_each = list(zip(*report.samples, strict=True))
        table.add_row(f"samples of {found.sample:,}, mean", *(_cosine(interval(v)[0]) for v in of_each))
        table.add_row("  the least of them", *(_cosine(interval(v)[1]) for v in of_each))
        if report.removed:
            table.add_row("best rank one", _cosine(report.best_rank_one))
        for control, value in report.controls.items():
            table.add_row(control, _cosine(value))
        console.print(table)
    console.print(
        "Rows without 'left' are cosines with the leading term, both without that term's first singular "
        "directions."
    )
    without = [name for name, one in found.reports.items() if one.cosine != one.cosine]
    if without:
        console.print(f"Zero, the weight or its leading term, and so without a cosine: {', '.join(without)}.")
    console.print(_where_sampling_stops(found))
    if found.carried:
        _show_carried(console, found)
    console.print(f"{found.samples} samples, dealt out at random with seed {found.seed}.")
    console.print(f"Another corpus: {found.other}.")


def _where_sampling_stops(found: Nulls) -> str:
    from paper_checks.alignment_nulls import LEVEL

    none = [name for name, kept in found.kept.items() if kept is None]
    some = [f"{kept} of {name}" for name, kept in found.kept.items() if kept]
    whole = [name for name, kept in found.kept.items() if kept == 0]
    told = f"A sample of {found.sample:,} keeps a cosine of {LEVEL:g} "
    parts = [f"without the first {', '.join(some)} (of the numbers above)"] if some else []
    parts += [f"of {', '.join(whole)} only with all"] if whole else []
    parts += [f"of {', '.join(none)} not even with all"] if none and parts else []
    told += ", and ".join(parts) or "in no weight"
    return f"{told}. What exact training keeps: leadterms reproduce."


def _show_carried(console: Console, found: Nulls) -> None:
    from rich.table import Table

    from paper_checks.carried import DRAWS, level, sentence
    from reference.categories import TOP

    limit = level(found.carried)
    for name, one in found.carried.items():
        table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
        table.title = f"{name}'s {one.axis}: carried by the first directions and the rest, %"
        table.add_column("directions", no_wrap=True)
        for k in one.removed:
            table.add_column(str(k), justify="right", no_wrap=True)
        for what, parts in (("first", one.alone), ("rest", one.without)):
            table.add_row(f"kept, {what}", *("" if p is None else _share(p.kept) for p in parts))
            if one.without[0].of_one_kind is not None:
                shares = (None if p is None else p.of_one_kind for p in parts)
                row = ("" if share is None else _share(share, limit) for share in shares)
                table.add_row(f"of one kind, {what}", *row)
        console.print(table)
    for name, one in found.carried.items():
        console.print(sentence(name, one, limit))
    one = next(iter(found.carried.values()))
    told = (
        "In brackets what chance gives. "
        f"kept: the share of the nearest {TOP} of each of {one.words} words that are still the nearest by "
        "these directions alone; chance: by another word's nearest."
    )
    if one.without[0].of_one_kind is not None:
        kinds = ", ".join(f"{count} {name}" for name, count in one.members.items())
        told += (
            f" of one kind: the share of the nearest of each word of a kind ({kinds}) that are of its own "
            f"kind; chance: the mean over kinds dealt out at random; *: significant by {DRAWS:,} such deals "
            f"(p <= {limit:.1g}, .05 over all parts)."
        )
    console.print(told)


def _share(share: Share, limit: float | None = None) -> str:
    star = "*" if limit is not None and share.p_value <= limit else ""
    return f"{share.value:.0%} ({share.chance:.0%})".replace("%", "") + star


def _cosine(value: float) -> str:
    """Four digits, and more where the value is close to one."""
    if value != value:
        return ""
    return f"{value:.6f}" if value > 1 - 1 / 64 else f"{value:.4f}"

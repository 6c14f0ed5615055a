"""`leadterms sampling`: the interval for a sample's cosine, tried by brute force on the corpus itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from paper_checks import options

if TYPE_CHECKING:
    from rich.console import Console

    from properties.predictions.sampling_trial import Outcome

DEFAULT_SAMPLE, DEFAULT_GROUPS = 8, 12


def sampling(
    corpus: options.CorpusArgument = None,
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help=f"Sequences of a sample for statistics; {DEFAULT_SAMPLE}, or what there are, by default.",
        ),
    ] = None,
    training_sample: Annotated[
        int | None,
        typer.Option(
            metavar="M",
            help="Sequences trained on, which the sample is part of; twice the sample by default.",
        ),
    ] = None,
    disjoint: Annotated[
        bool, typer.Option("--disjoint", help="The sample's sequences are not among those trained on.")
    ] = False,
    groups: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help=f"Random groups that the noise is read from; {DEFAULT_GROUPS}, or what is left, by default.",
        ),
    ] = None,
    group_size: Annotated[
        int | None,
        typer.Option(metavar="G", help="Sequences in each, at most the sample's, which it is by default."),
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
    """Draw samples many times and see whether their cosines lie in the intervals that predict states.

    Example: leadterms sampling stories.txt --vocab 1000 --length 60 --sample 32 --training-sample 128
    """
    from gpu.terminal import terminal
    from paper_checks.corpora import load_corpus
    from paper_checks.fastest import statistics_of
    from paper_checks.progress import progress_bar
    from properties.predictions.sampling_trial import tried
    from reference.errors import InputError

    loaded = load_corpus(
        corpus,
        matrices=24,
        vocab_size=vocab,
        length=length,
        tokenizer_name=tokenizer,
        layout=layout.value,
        seed=seed,
        field=field,
    )
    sample, training_sample, groups, group_size = sizes(
        loaded.sequences, sample, training_sample, groups, group_size, disjoint=disjoint
    )
    with progress_bar(not quiet) as told:
        found = tried(
            loaded.tokens,
            loaded.vocab_size,
            sample=sample,
            whole=training_sample,
            groups=groups,
            group_size=group_size,
            nested=not disjoint,
            seed=seed,
            statistics=statistics_of,
            told=lambda done, of: told("blocks of the corpus", done, of),
        )
    if json is not None:
        from dataclasses import asdict

        from paper_checks.finite import write_json

        whole = {
            "corpus": {"name": loaded.name, "digest": loaded.digest},
            "sample": sample,
            "training_sample": training_sample,
            "nested": not disjoint,
            "groups": groups,
            "group_size": group_size,
            "seed": seed,
            "weights": {group: asdict(one) | {"holds": one.holds} for group, one in found.items()},
        }
        write_json(json, whole)
    console = terminal(quiet=quiet)
    relation = "and none of them" if disjoint else "part of"
    console.print(
        f"{loaded.name}: {loaded.sequences:,} sequences of {loaded.length} positions, dealt out with seed "
        f"{seed}. Each trial has sequences of its own: {groups} groups of {group_size:,} give the interval, "
        f"and a sample of {sample:,}, {relation} {training_sample:,}, a cosine.",
    )
    _show(console, found)
    if all(one.unknown for one in found.values()):
        raise InputError(
            "No weight has an interval in every trial, so nothing was tried: the samples are too small to "
            "have a direction. Give a larger --sample, a longer --length, or a smaller --vocab."
        )
    raise typer.Exit(0 if all(one.holds or one.unknown for one in found.values()) else 1)


def sizes(
    sequences: int,
    sample: int | None,
    training: int | None,
    groups: int | None,
    group_size: int | None,
    *,
    disjoint: bool,
) -> tuple[int, int, int, int]:
    """Return sample, training sample, groups and their size: what is not given so that two trials fit."""
    from properties.predictions.random_groups import FEWEST_GROUPS

    room = sequences // 2
    if sample is None:
        # Of samples a trial has one for each group, two that are trained on and one apart from these.
        most = min(DEFAULT_SAMPLE, room // (DEFAULT_GROUPS + 2 + disjoint), training or DEFAULT_SAMPLE)
        sample = max(1, most, group_size or 1)
    training = 2 * sample if training is None else training
    group_size = sample if group_size is None else group_size
    if groups is None:
        left = room - training - sample * disjoint
        groups = max(FEWEST_GROUPS, min(DEFAULT_GROUPS, left // max(1, group_size)))
    return sample, training, groups, group_size


def _show(console: Console, found: dict[str, Outcome]) -> None:
    from rich.table import Table

    from properties.tolerances import DEVIATIONS, fewest_inside

    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    table.title = "1 - cos of two samples' statistics: as predicted, and as drawn"
    for column in ("weight", "predicted", "drawn", "inside", "fewest", "distance", "farthest", ""):
        table.add_column(column, justify="left" if column in ("weight", "") else "right", no_wrap=True)
    for group, one in found.items():
        known = [trial for trial in one.trials if not math.isnan(trial.place)]
        told = "not known" if one.unknown else "holds" if one.holds else "DOES NOT HOLD"
        table.add_row(
            group,
            _mean([trial.expected for trial in known]),
            _mean([trial.measured for trial in known]),
            f"{sum(trial.inside for trial in known)} of {len(known)}",
            f"{fewest_inside(len(known))}" if known else "",
            "" if one.unknown else f"{one.distance:.3f}",
            f"{one.bound:.3f}",
            told,
        )
    console.print(table)
    console.print(
        "Means over the trials that have an interval. inside: draws in their 95% interval. distance: the "
        "largest between the distribution of the draws' places in their predicted distributions and the "
        "uniform one. fewest, farthest: what chance gives but with a probability of "
        f"{2 * math.exp(-(DEVIATIONS**2) / 2):.0e}. not known: in some trial the samples are too small to "
        "have a direction, and it has no interval."
    )


def _mean(values: list[float]) -> str:
    return f"{sum(values) / len(values):.3e}" if values else ""

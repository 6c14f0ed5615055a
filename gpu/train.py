"""`leadterms train`, and `torchrun -m gpu.train`: train the model on a corpus, into a folder."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpu import options
from gpu.command_line import (
    CarefulCommand,
    require_new_folder,
    require_unread,
    run_command,
)
from gpu.stats import DENSE_UP_TO
from reference.errors import InputError, counted

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from gpu.display import Show
    from gpu.team import Team
    from gpu.training import Entry
    from gpu.training_settings import Settings
    from reference.corpus import Corpus


class Precision(StrEnum):
    """The numbers of weights and gradients."""

    float32 = "float32"
    float64 = "float64"


class Start(StrEnum):
    """The weights before the first step."""

    zero = "zero"
    gaussian = "gaussian"


class Schedule(StrEnum):
    """The learning rate after the warm-up: as it is, or falling to zero."""

    constant = "constant"
    linear = "linear"
    cosine = "cosine"


def train(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder of the run.")],
    layers: Annotated[int, typer.Option(metavar="L", help="Layers of the model.")],
    rate: Annotated[float, typer.Option(metavar="ETA", help="The learning rate.")],
    place: options.CorpusArgument = None,
    corpus: options.CorpusOption = None,
    vocab: options.VocabSize = None,
    length: options.Length = None,
    tokenizer: options.TokenizerName = "words",
    layout: options.Layout = options.LayoutOption.document,
    field: options.Field = options.DEFAULT_FIELD,
    no_cache: options.NoCache = False,
    steps: Annotated[int | None, typer.Option(metavar="S", help="How many steps.")] = None,
    epochs: Annotated[
        int | None, typer.Option(metavar="E", help="Or how often to go through the corpus.")
    ] = None,
    batch: Annotated[
        int | None, typer.Option(metavar="B", help="Sequences in a batch; the whole corpus by default.")
    ] = None,
    accumulate: Annotated[
        int, typer.Option(metavar="A", help="Batches averaged in a step; several processes share them out.")
    ] = 1,
    dtype: Annotated[
        Precision, typer.Option(help="Of weights and gradients; TF32 is off.")
    ] = Precision.float32,
    start: Annotated[
        Start,
        typer.Option("--start", "--init", help="The weights before the first step; --init under torchrun."),
    ] = Start.zero,
    scale: Annotated[
        float | None,
        typer.Option(metavar="v", help="Of --start gaussian: entries have variance v^2 / V^(2 + 2 xi)."),
    ] = None,
    decay: Annotated[float, typer.Option(metavar="xi", help="Of --start gaussian.")] = 0.0,
    schedule: Annotated[Schedule, typer.Option(help="The rate after the warm-up.")] = Schedule.constant,
    warmup: Annotated[int, typer.Option(metavar="S", help="Steps in which the rate rises from 0.")] = 0,
    in_order: Annotated[
        bool, typer.Option("--in-order", help="Take the sequences as they come, not shuffled.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the shuffling and of a Gaussian start.")] = 0,
    device: options.Device = "cpu",
    statistics_sample: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Leading terms from the first N sequences, for the alignments; all by default, 0 for none.",
        ),
    ] = None,
    log_every: Annotated[int, typer.Option(metavar="S", help="Steps between lines of the log.")] = 10,
    save_every: Annotated[int, typer.Option(metavar="S", help="Steps between checkpoints.")] = 50,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the checkpoint in DIR, if there is one.")
    ] = False,
    json: options.JsonFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Train the model by gradient descent, and log how far its weights are along their leading terms.

    DIR gets checkpoint.safetensors (the weights, with what they are of), log.jsonl (loss, alignments and how
    far the layers are apart, by step) and run.json. A run that was killed goes on with --resume, on a CPU to
    the same bits.

    Example: leadterms train stories.txt --vocab 3000 --length 200 --layers 2 --rate 0.005 --epochs 2
    --batch 256 --out run
    """
    from gpu.corpora import CorpusOptions, load_corpus
    from gpu.team import joined_team, local_device
    from gpu.training_settings import Settings

    name = options.one_corpus(place, corpus)
    require_new_folder(out)
    _require_apart(out, json, name, tokenizer)
    size = _gaussian_size(start, scale)
    loaded = load_corpus(
        CorpusOptions(name, vocab, length, tokenizer, layout.value, field, cached=not no_cache)
    )
    in_a_batch = max(1, loaded.sequences // max(1, accumulate)) if batch is None else batch
    settings = Settings(
        loaded.vocab_size, layers, rate, steps or 0, in_a_batch, accumulate, dtype.value, schedule.value,
        warmup, size, decay, not in_order, seed,
    )  # fmt: skip
    settings = _with_steps(settings, steps, epochs, loaded.sequences)
    device = local_device(device)
    with joined_team(device) as team:
        _run(
            loaded, settings, out, json, device, statistics_sample, log_every, save_every, resume, team, quiet
        )


def _require_apart(out: Path, json: Path | None, *read: str | None) -> None:
    """Refuse a run whose files would take the place of what the command reads, or --json that of one of them.

    Raises:
        InputError: they would.
    """
    from gpu.run_folder import FILES

    sources = [Path(place) for place in read if place is not None and Path(place).is_file()]
    for file in (out / name for name in FILES):
        require_unread(file, sources)
        if json is not None and json.resolve() == file.resolve():
            raise InputError(f"{json} is a file of the run itself; name another file for --json.")


def _gaussian_size(start: Start, scale: float | None) -> float:
    if start is Start.gaussian and (scale is None or scale == 0):
        raise InputError("A Gaussian start needs its size; give --scale v, for instance 0.01.")
    if start is Start.zero and scale is not None:
        raise InputError("--scale is of a Gaussian start; give --start gaussian, or leave it out.")
    return scale or 0.0


def _with_steps(settings: Settings, steps: int | None, epochs: int | None, sequences: int) -> Settings:
    from dataclasses import replace

    an_epoch = settings.steps_an_epoch(sequences)
    if (steps is None) == (epochs is None):
        raise InputError("Say how long to train, with --steps S or with --epochs E.")
    return settings if epochs is None else replace(settings, steps=epochs * an_epoch)


def _run(
    loaded: Corpus,
    settings: Settings,
    out: Path,
    json: Path | None,
    device: str,
    sample: int | None,
    log_every: int,
    save_every: int,
    resume: bool,
    team: Team,
    quiet: bool,
) -> None:
    from gpu.array_files import write_json
    from gpu.checkpoints import last_entry
    from gpu.display import display
    from gpu.run_folder import CHECKPOINT
    from gpu.statistics_file import corpus_facts
    from gpu.training import Outputs, train_model

    about = corpus_facts(loaded) | {"statistics_of": "all sequences" if sample is None else sample}
    if resume and team.leads and not quiet and not (out / CHECKPOINT).exists():
        # The same command begins a run and goes on with it; only a person sees that DIR is another one.
        typer.echo(f"There is no checkpoint in {out} to go on from: the run begins at step 0.", err=True)
    with display(settings.steps, team.leads and not quiet) as show:
        outputs = Outputs(out, save_every, log_every, _telling(show), resume, about)
        try:
            train_model(
                loaded.tokens,
                settings,
                statistics=_statistics(loaded, sample, device, team),
                device=device,
                outputs=outputs,
                team=team,
            )
        except KeyboardInterrupt:
            if (out / CHECKPOINT).exists():
                typer.echo(f"The checkpoint in {out} is kept; use --resume to go on from it.", err=True)
            raise typer.Exit(130) from None
    if team.leads:
        told = about | {"settings": vars(settings), "folder": str(out), "last": last_entry(out)}
        if json is not None:
            write_json(json, told)
        if not quiet:
            _show(told)


def _statistics(
    loaded: Corpus, sample: int | None, device: str, team: Team
) -> Callable[[], dict[str, np.ndarray]] | None:
    """Return what counts the statistics of the corpus or of its first sequences, all processes together."""
    from gpu.streaming import stream_statistics
    from gpu.tokens import Parts

    if sample == 0:
        return None
    if sample is not None and not 0 < sample <= loaded.sequences:
        raise InputError(f"--statistics-sample is {sample}; give 0 to {loaded.sequences:,} sequences.")
    if loaded.vocab_size > DENSE_UP_TO:
        raise InputError(
            f"Leading terms of {loaded.vocab_size:,} words do not fit; give --vocab {DENSE_UP_TO} or less, "
            "or --statistics-sample 0 for no alignments."
        )
    parts = Parts(loaded.tokens[:sample])
    return lambda: stream_statistics(parts, loaded.vocab_size, device=device, team=team)


def _telling(show: Show) -> Callable[[Entry], None]:
    from gpu.display import clock

    def told(entry: Entry) -> None:
        rate = f"{entry.sequences_a_second:,.1f} sequences/s, {clock(entry.seconds_left)} left"
        show(entry.step, f"loss {entry.loss:.5f}, {rate}")

    return told


def _show(told: dict[str, Any]) -> None:
    from gpu.terminal import terminal

    console = terminal(soft_wrap=True)
    console.print(
        f"{told['corpus']}: {counted(told['sequences'], 'sequence')}, {counted(told['vocab_size'], 'word')}"
    )
    for what, count in told["counts"].items():
        console.print(f"  {what}: {count:,}")
    last = told["last"]
    if last is not None:
        console.print(f"Step {last['step']:,}: loss {last['loss']:.6f} before it, rate {last['rate']:g}")
        for group, cosines in (last["alignments"] or {}).items():
            numbers = ", ".join("zero" if one is None else f"{one:.6f}" for one in cosines)
            apart = (last["spreads"] or {}).get(group) if len(cosines) > 1 else None
            spread = "" if apart is None else f"; layers differ by {apart:.1e}"
            console.print(f"  {group:3} cosine with its leading term, by layer: {numbers}{spread}")
    console.print(f"The run is in {told['folder']}")


def main() -> None:
    """Run the command by itself."""
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command(cls=CarefulCommand)(train)
    run_command(app, "gpu.train")


if __name__ == "__main__":
    main()

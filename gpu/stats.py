"""`leadterms stats`, and `torchrun -m gpu.stats`: the statistics of a corpus as arrays in a file."""

from __future__ import annotations

import importlib.util
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpu import options
from gpu.command_line import CarefulCommand, run_command
from reference.errors import InputError, counted

if TYPE_CHECKING:
    from gpu.team import Team
    from gpu.two_passes import Told
    from reference.corpus import Corpus

# The sums and the statistics are about ten float64 arrays [V, V]: 5 GiB with so many words. With more of
# them only pairs of words that have met are kept.
DENSE_UP_TO = 8192


def stats(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The .safetensors file to write.")],
    place: options.CorpusArgument = None,
    corpus: options.CorpusOption = None,
    vocab: options.VocabSize = None,
    length: options.Length = None,
    tokenizer: options.TokenizerName = "words",
    layout: options.Layout = options.LayoutOption.document,
    field: options.Field = options.DEFAULT_FIELD,
    no_cache: options.NoCache = False,
    device: options.Device = "cpu",
    json: options.JsonFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Count the statistics of a corpus and write them with its vocabulary.

    With up to 8,192 words all six are written as arrays; with more, sparse ones that determine them, counted
    on the CPU. A run that was stopped goes on where it was when the same command is given again.

    Example: leadterms stats stories.txt --vocab 3000 --length 200 -o stories.safetensors
    """
    from gpu.array_files import write_json
    from gpu.corpora import CorpusOptions, load_corpus
    from gpu.statistics_file import summary, write_statistics
    from gpu.team import joined_team, local_device
    from gpu.two_passes import kept_until_written

    name = options.one_corpus(place, corpus)
    loaded = load_corpus(
        CorpusOptions(name, vocab, length, tokenizer, layout.value, field, cached=not no_cache)
    )
    _check_used(device, loaded)
    device = local_device(device)
    with joined_team(device) as team:
        saved = _progress(out, team)
        with kept_until_written(saved, team):
            found, arrays = _counted(loaded, device, saved, team, shown=team.leads and not quiet)
            if team.leads:
                write_statistics(out, loaded, arrays)
        if team.leads:
            told = summary(loaded, found)
            if json is not None:
                write_json(json, told)
            if not quiet:
                _show(loaded, told)


def _check_used(device: str, loaded: Corpus) -> None:
    """Refuse a device that would not be used.

    Raises:
        InputError: the vocabulary is too large for it.
    """
    if device != "cpu" and loaded.vocab_size > DENSE_UP_TO:
        raise InputError(
            f"Statistics of {loaded.vocab_size:,} words are sparse and are counted on the CPU; leave "
            f"--device out, or give --vocab {DENSE_UP_TO} or less."
        )


def _progress(out: Path, team: Team) -> Path:
    """Return where this process saves its progress.

    Raises:
        InputError: another number of processes has saved some: beside it all would be counted again.
    """
    form = re.compile(rf"\.{re.escape(out.name)}\.progress(?:-\d+-of-(\d+))?")
    for found in sorted(out.absolute().parent.iterdir()):
        named = form.fullmatch(found.name)
        if named is not None and int(named[1] or 1) != team.size:
            raise InputError(
                f"{out.with_name(found.name)} has the progress of a run with processes: {named[1] or 1}, not "
                f"{team.size}; start as many as then, or remove it to start anew."
            )
    own = "" if team.size == 1 else f"-{team.rank}-of-{team.size}"
    return out.with_name(f".{out.name}.progress{own}")


def _counted(
    loaded: Corpus, device: str, saved: Path, team: Team, shown: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the statistics by name, and the arrays to write, counted with the fastest engine there is."""
    from gpu.display import display
    from gpu.sparse_statistics import sparse_statistics
    from gpu.streaming import stream_statistics
    from gpu.tokens import Parts
    from reference.statistics import statistics as counted_plainly

    parts = Parts(loaded.tokens)
    with display(2 * loaded.sequences, shown) as show:
        told = _telling(loaded.sequences, show)
        if loaded.vocab_size > DENSE_UP_TO:
            sparse = sparse_statistics(parts, loaded.vocab_size, saved=saved, told=told, team=team)
            return sparse.matrices(), sparse.arrays()
        if device == "cpu" and not any(importlib.util.find_spec(package) for package in ("numba", "torch")):
            plain = counted_plainly(loaded.tokens.astype("int64"), loaded.vocab_size)
            return plain, plain
        dense = stream_statistics(parts, loaded.vocab_size, device=device, saved=saved, told=told, team=team)
        return dense, dense


def _telling(sequences: int, show: Callable[[int, str], None]) -> Told:
    from gpu.display import clock

    began = time.monotonic()

    def told(which: int, through: int) -> None:
        done = (which - 1) * sequences + through
        pace = done / max(time.monotonic() - began, 1e-9)
        show(done, f"pass {which} of 2, {pace:,.0f} sequences/s, {clock((2 * sequences - done) / pace)} left")

    return told


def _show(loaded: Corpus, told: dict[str, Any]) -> None:
    from gpu.terminal import terminal

    console = terminal()
    console.print(
        f"{loaded.name}: {counted(loaded.sequences, 'sequence')}, {counted(loaded.vocab_size, 'word')}"
    )
    for what, count in loaded.counts.items():
        console.print(f"  {what}: {count:,}")
    for name, facts in told["statistics"].items():
        kept = f" {facts['entries']:,} entries" if "entries" in facts else ""
        console.print(f"  {name:10} {facts['shape']!s:14} Frobenius norm {facts['norm']:.6e}{kept}")


def main() -> None:
    """Run the command by itself."""
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command(cls=CarefulCommand)(stats)
    run_command(app, "gpu.stats")


if __name__ == "__main__":
    main()

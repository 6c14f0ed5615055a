"""`leadterms stats`: the six statistics of a corpus, as arrays in a file and a summary."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from paper_checks import options
from paper_checks.commands.verify import require_folder


def stats(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="A UTF-8 text file.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The .safetensors file to write.")],
    vocab: options.VocabSize = None,
    length: options.Length = options.DEFAULT_LENGTH,
    tokenizer: options.TokenizerName = "words",
    layout: options.Layout = options.LayoutOption.document,
    json: options.JsonFile = None,
) -> None:
    """Count the six statistics of a corpus and write them with its vocabulary.

    Example: leadterms stats stories.txt --vocab 3000 --length 200 -o stories.safetensors
    """
    from rich.console import Console
    from rich.markup import escape

    from paper_checks.corpora import load_corpus
    from paper_checks.left_out import counted
    from paper_checks.statistics_file import summary, write_statistics
    from reference.errors import InputError

    for path in (out, json):
        if path is not None:
            require_folder(path)
    places = [path.resolve() for path in (corpus, out, json) if path is not None]
    if len(set(places)) < len(places):
        raise InputError("The corpus, --out and --json must be different files; name another one.")
    loaded = load_corpus(
        corpus, vocab_size=vocab, length=length, tokenizer_name=tokenizer, layout=layout.value, seed=0
    )
    statistics = _statistics(loaded.tokens, loaded.vocab_size)
    write_statistics(out, loaded, statistics)
    told = summary(loaded, statistics)
    if json is not None:
        from json import dumps

        from properties.results import write_text

        write_text(json, dumps(told, indent=2) + "\n")
    console = Console(highlight=False)
    console.print(
        f"{escape(loaded.name)}: {counted(loaded.sequences, 'sequence')}, "
        f"{counted(loaded.vocab_size, 'word')}"
    )
    for name, facts in told["statistics"].items():
        console.print(f"  {name:10} {facts['shape']!s:14} Frobenius norm {facts['norm']:.6e}")


def _statistics(tokens: Any, vocab_size: int) -> dict[str, Any]:
    """Count with the fastest implementation that is installed; the numbers are the same, to rounding."""
    from importlib.util import find_spec

    if find_spec("numba") is not None:
        from gpu.streaming import statistics as streamed

        return streamed(tokens, vocab_size)
    from reference.statistics import statistics

    return statistics(tokens, vocab_size)

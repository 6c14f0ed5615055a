"""The options with which commands name a corpus, as annotated types."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from reference.errors import InputError
from reference.jsonl import DEFAULT_FIELD

__all__ = ["DEFAULT_FIELD"]

DEFAULT_LENGTH = 40
SOURCES = "a text file, a folder of them, .jsonl, .parquet, a token array .npy, or tinystories"


def devices(incomplete: str) -> list[str]:
    """Return the names of devices that begin so, as a shell completes them."""
    return [name for name in ("cpu", "cuda", "cuda:0") if name.startswith(incomplete)]


def tokenizers(incomplete: str) -> list[str]:
    """Return what splits a text, other than a file, that begins so."""
    from reference.tokenizers import BY_NAME

    return [name for name in BY_NAME if name.startswith(incomplete)]


class LayoutOption(StrEnum):
    """How documents become sequences."""

    document = "document"
    stream = "stream"


CorpusArgument = Annotated[
    str | None,
    typer.Argument(metavar="CORPUS", help=f"{SOURCES.capitalize()}; the embedded stories by default."),
]
CorpusOption = Annotated[
    str | None,
    typer.Option(
        "--corpus", metavar="CORPUS", help=f"{SOURCES.capitalize()}; the embedded stories by default."
    ),
]
VocabSize = Annotated[
    int | None, typer.Option("--vocab", metavar="V", help="Keep the V most frequent tokens; all by default.")
]
Length = Annotated[
    int | None,
    typer.Option(
        "--length",
        metavar="T",
        help=f"Predicted positions in a sequence; {DEFAULT_LENGTH}, or what a token array has, by default.",
    ),
]
TokenizerName = Annotated[
    str,
    typer.Option(
        "--tokenizer",
        metavar="NAME",
        help="words, chars, whitespace, or a tokenizers .json.",
        autocompletion=tokenizers,
    ),
]
Layout = Annotated[
    LayoutOption,
    typer.Option(help="One sequence a long-enough document, or windows of all text joined."),
]
Field = Annotated[str, typer.Option("--field", metavar="NAME", help="Where .jsonl or .parquet has the text.")]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Tokenize anew, and keep nothing in the user's cache folder.")
]
Seed = Annotated[int, typer.Option(min=0, help="Where generated cases and stories start from.")]
Device = Annotated[
    str, typer.Option(metavar="NAME", help="cpu, cuda or cuda:NUMBER.", autocompletion=devices)
]
JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write the results as JSON to FILE.")
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing but errors; files and the status tell the rest.")
]


def one_corpus(argument: str | None, option: str | None) -> str | None:
    """Return the corpus, named as an argument, with --corpus or not at all.

    Raises:
        InputError: it is named twice.
    """
    if argument is not None and option is not None:
        raise InputError("Name one corpus, as the argument CORPUS or with --corpus; see --help.")
    return option if argument is None else argument

"""The options that several commands share, as annotated types."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_LENGTH = 40
DEFAULT_TIMEOUT = 60.0


class LayoutOption(StrEnum):
    """How documents become sequences."""

    document = "document"
    stream = "stream"


class ProfileOption(StrEnum):
    """How many cases each check is tried on."""

    quick = "quick"
    ci = "ci"
    deep = "deep"


CorpusFile = Annotated[
    Path | None,
    typer.Option("--corpus", metavar="FILE", help="A UTF-8 text file; the embedded stories by default."),
]
VocabSize = Annotated[
    int | None, typer.Option("--vocab", metavar="V", help="Keep the V most frequent tokens; all by default.")
]
Length = Annotated[int, typer.Option("--length", metavar="T", help="Predicted positions in a sequence.")]
TokenizerName = Annotated[
    str, typer.Option("--tokenizer", metavar="NAME", help="words, chars, whitespace, or a tokenizers .json.")
]
Layout = Annotated[
    LayoutOption,
    typer.Option(help="One sequence a long-enough document, or windows of all text joined."),
]
Seed = Annotated[int, typer.Option(help="Where generated cases and stories start from.")]
Profile = Annotated[ProfileOption, typer.Option(help="How many cases a check is tried on.")]
Timeout = Annotated[
    float, typer.Option(metavar="SECONDS", min=0.001, help="How long a cmd: program may take for an answer.")
]
Rate = Annotated[
    float | None, typer.Option(metavar="ETA", help="The learning rate that weights: was trained with.")
]
Steps = Annotated[
    int | None,
    typer.Option(metavar="S", help="How many full-batch steps from zero weights: was trained for."),
]
NamesFile = Annotated[
    Path | None,
    typer.Option("--names", metavar="FILE", help="TOML: which arrays of weights: are W_O, V, W and P."),
]
Renames = Annotated[
    list[str] | None,
    typer.Option(
        "--rename", metavar="FROM=TO", help="The array FROM of weights: is TO, such as unembed=W_O."
    ),
]
TrainedOn = Annotated[
    int | None,
    typer.Option(
        "--statistics-sample",
        metavar="N",
        help="The corpus is a sample of the N sequences that weights: was trained on.",
    ),
]
ExpectedFailures = Annotated[
    Path | None,
    typer.Option(
        "--xfail", metavar="FILE", help="Expected failures, as TOML: tables xfail with check, reason, link."
    ),
]
ListChecks = Annotated[
    bool, typer.Option("--list", help="Show the checks, with what each needs and says, and run none.")
]
JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write the results as JSON to FILE.")
]
Checks = Annotated[
    list[str] | None,
    typer.Option("--check", metavar="ID", help="Only this check or family; may be given several times."),
]

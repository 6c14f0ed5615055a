"""The options that several commands share, as annotated types."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gpu.options import (
    DEFAULT_FIELD,
    DEFAULT_LENGTH,
    CorpusArgument,
    Field,
    JsonFile,
    Layout,
    LayoutOption,
    Length,
    NoCache,
    Quiet,
    Seed,
    TokenizerName,
    VocabSize,
)
from gpu.options import CorpusOption as CorpusFile
from paper_checks import completion

__all__ = [
    "DEFAULT_FIELD",
    "DEFAULT_LENGTH",
    "Field",
    "JsonFile",
    "Layout",
    "LayoutOption",
    "Length",
    "NoCache",
    "Quiet",
    "Seed",
]
__all__ += ["CorpusArgument", "CorpusFile", "TokenizerName", "VocabSize"]

DEFAULT_TIMEOUT = 60.0


class ProfileOption(StrEnum):
    """How many cases each check is tried on."""

    quick = "quick"
    ci = "ci"
    deep = "deep"


class ReportProfileOption(StrEnum):
    """The same for a report, which can also train models."""

    quick = "quick"
    ci = "ci"
    deep = "deep"
    full = "full"

    @property
    def cases(self) -> ProfileOption:
        """How many cases each check is tried on."""
        return ProfileOption.ci if self is ReportProfileOption.full else ProfileOption(self.value)


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
Mutants = Annotated[
    bool,
    typer.Option(
        "--mutants",
        help="Test the checks instead: try the wrong implementations that come along, each of which they "
        "must catch. --check may name a mutant or a method too; the profile is ci or deep.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        min=1,
        help="Processes that share the checks; by default as many as processors for the implementations "
        "that come along, and 1 for yours. The results are the same.",
    ),
]
ExpectedFailures = Annotated[
    Path | None,
    typer.Option(
        "--xfail", metavar="FILE", help="Expected failures, as TOML: tables xfail with check, reason, link."
    ),
]
ListChecks = Annotated[
    bool,
    typer.Option(
        "--list", help="Show the checks, with what each needs and says and its evidence, and run none."
    ),
]
Checks = Annotated[
    list[str] | None,
    typer.Option(
        "--check",
        metavar="ID",
        help="Only this check or family; may be given several times.",
        autocompletion=completion.check_ids,
    ),
]

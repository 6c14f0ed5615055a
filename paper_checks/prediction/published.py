"""The published numbers, each with its source and the setting of its run: read from `published.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from paper_checks.prediction.setting import Setting


@dataclass(frozen=True)
class Published:
    """One published number.

    Attributes:
        prediction: the id of the prediction that it is compared with.
        value: the number.
        printed: the number as the source prints it, digit by digit.
        half_unit: half a unit of the last digit that was printed.
        relation: "equal": a number; "above": a lower bound of one.
        source: file or paper, and its section.
        says: what the source says it is, in our words.
        claims: ids of the claims that state it.
        setting: the run that it comes from.
        vocab_size: V of that run.
        length: T of that run.
        left_out: what the prediction does not cover, for when it misses.
        degree: the power of the statistics with which the prediction goes; 0 where it has none.
        words: of the vocabulary that it is about.
    """

    prediction: str
    value: float
    printed: str
    half_unit: float
    relation: str
    source: str
    says: str
    claims: tuple[str, ...]
    setting: Setting
    vocab_size: int
    length: int
    left_out: str = ""
    degree: int = 0
    words: tuple[str, ...] = field(default=())


@cache
def published_numbers() -> tuple[Published, ...]:
    """Return all published numbers, in the order of the file."""
    data = tomllib.loads(files("paper_checks.prediction").joinpath("published.toml").read_text("utf-8"))
    return tuple(_one(number, data["run"][number["run"]]) for number in data["number"])


def published_entries() -> tuple[tuple[str, str, str], ...]:
    """Return the entries (group, first word, second word) of weights that have a published value."""
    named = dict.fromkeys(
        (number.prediction.split(".")[1].split("[")[0], *number.words)
        for number in published_numbers()
        if number.words and number.prediction.startswith("entry.")
    )
    return tuple((group, first, second) for group, first, second in named)


def half_unit(printed: str) -> float:
    """Return half a unit of the last digit of a number as it was printed, such as 0.0140 or 1.9e-3."""
    digits = Decimal(printed).as_tuple()
    return float(Decimal((0, (5,), int(digits.exponent) - 1)))


def _one(number: dict[str, Any], run: dict[str, Any]) -> Published:
    setting = Setting(
        run["rate"],
        run["steps"],
        run["layers"],
        run["statistics_sample"],
        run["training_sample"],
        evaluated_on=run.get("evaluated_on", 64),
    )
    return Published(
        prediction=number["prediction"],
        value=float(number["value"]),
        printed=number["value"],
        half_unit=half_unit(number["value"]),
        relation=number.get("relation", "equal"),
        source=number["source"],
        says=number["says"],
        claims=tuple(number["claims"]),
        setting=setting,
        vocab_size=run["vocab_size"],
        length=run["length"],
        left_out=number.get("left_out", ""),
        degree=number.get("degree", 0),
        words=tuple(number.get("words", ())),
    )

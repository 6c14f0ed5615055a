"""How far a run over a corpus has come, on disk: it can be stopped at any moment and resumed."""

from __future__ import annotations

import hashlib
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np
from jaxtyping import UInt32

from gpu.array_files import damaged, read_arrays, write_arrays
from gpu.team import Team
from reference.errors import InputError, reason

KIND = "in progress"


class Sums(ABC):
    """What a pass over the corpus adds up: arrays, and how many sequences are in them."""

    kind: ClassVar[str]
    sequences: int

    @abstractmethod
    def arrays(self) -> dict[str, np.ndarray]:
        """Return what determines the sums, by name: of [V, V] and [T], or the parts of sparse ones."""

    @abstractmethod
    def join(self, team: Team) -> None:
        """Take in the sums of the other processes."""

    @abstractmethod
    def copy_from(self, team: Team, source: int) -> None:
        """Take the sums that the process `source` has."""

    def fetched(self) -> Any:
        """Return the sums with NumPy arrays."""
        return self


Made = TypeVar("Made", covariant=True)


@runtime_checkable
class Kind(Protocol[Made]):
    """What makes sums of a kind: their class, or the class and the device that they are kept on."""

    @property
    def kind(self) -> str:
        """The kind's name in files."""

    def zero(self, vocab_size: int, length: int) -> Made:
        """Return the sums of no sequence."""

    def of_arrays(self, arrays: dict[str, np.ndarray], vocab_size: int, length: int, sequences: int) -> Made:
        """Return the sums whose `arrays` these are, [V, V] and [T].

        Raises:
            KeyError: one is missing.
            ValueError: one is another.
        """


First = TypeVar("First", bound=Sums)
Second = TypeVar("Second", bound=Sums)


@dataclass
class Progress(Generic[First, Second]):
    """The sums so far, and what they are sums of.

    Attributes:
        vocab_size: V.
        length: T.
        first: the sums of the first pass; those of all processes once it is over.
        second: those of the second pass, None before it begins.
        parts: how many parts of the current pass have been gone through.
        digest: over those parts, see `chained`.
        whole: the digest of all parts, known once the first pass is over.
        whose: the process whose sums they are, and how it shares the work.
        path: where they are saved, if they are.
    """

    vocab_size: int
    length: int
    first: First
    second: Second | None = None
    parts: int = 0
    digest: str = ""
    whole: str = ""
    whose: str = "one process"
    path: Path | None = None

    def begin_second_pass(self, second: Second) -> None:
        """Turn to the second pass, with no sums in it yet."""
        self.second = second
        self.whole, self.parts, self.digest = self.digest, 0, ""


@dataclass
class Saver:
    """Saves progress to `path` at most every `seconds`; without a path it does nothing."""

    path: Path | None
    seconds: float
    last: float = field(default_factory=time.monotonic)

    def now_and_then(self, progress: Progress[Any, Any]) -> None:
        """Save if the last time was long enough ago."""
        if self.path is not None and time.monotonic() - self.last >= self.seconds:
            save(self.path, progress)
            self.last = time.monotonic()


def chained(digest: str, tokens: UInt32[np.ndarray, "n T_plus_1"]) -> str:
    """Return the digest after one more part: SHA-256 of the digest before it and the part."""
    return hashlib.sha256(digest.encode() + tokens.astype("<u4").tobytes()).hexdigest()


def save(path: Path, progress: Progress[Any, Any]) -> None:
    """Write progress to `path` whole or not at all.

    Raises:
        InputError: it cannot be written.
    """
    facts: dict[str, Any] = {
        "kind": f"{progress.first.kind} {KIND}",
        "vocab_size": progress.vocab_size,
        "length": progress.length,
        "sequences": progress.first.sequences,
        "parts": progress.parts,
        "digest": progress.digest,
        "whole": progress.whole,
        "whose": progress.whose,
    }
    arrays = progress.first.arrays()
    if progress.second is not None:
        arrays |= progress.second.arrays()
        facts["second_pass_sequences"] = progress.second.sequences
    write_arrays(path, arrays, facts)


def load(
    path: Path, vocab_size: int, length: int, whose: str, first: Kind[First], second: Kind[Second]
) -> Progress[First, Second]:
    """Return the progress saved in `path`.

    Raises:
        InputError: the file cannot be read, or is of another vocabulary, length or process.
    """
    arrays, facts = read_arrays(path)
    if facts.get("kind") != f"{first.kind} {KIND}":
        raise InputError(f"{path} is no {first.kind} {KIND}; name another file to save progress to.")
    if (facts.get("vocab_size"), facts.get("length")) != (vocab_size, length):
        raise InputError(
            f"{path} has progress for {facts.get('vocab_size')} words and {facts.get('length')} positions, "
            f"not for {vocab_size} and {length}; remove it to start anew, or give the same sizes."
        )
    if facts.get("whose") != whose:
        raise InputError(
            f"{path} has the progress of {facts.get('whose')}, not of {whose}; go on as it began, or remove "
            "it to start anew."
        )
    try:
        return replace(_of_facts(arrays, facts, first, second), whose=whose, path=path)
    except (LookupError, TypeError, ValueError) as error:
        raise damaged(path, reason(error)) from None


def _of_facts(
    arrays: dict[str, np.ndarray], facts: dict[str, Any], first: Kind[First], second: Kind[Second]
) -> Progress[First, Second]:
    """Return what a file says; raises KeyError, TypeError or ValueError where it says nothing of the kind."""
    sizes = (facts["vocab_size"], facts["length"])
    for name in ("sequences", "parts", "second_pass_sequences"):
        if type(facts.get(name, 0)) is not int:
            raise TypeError(f"{name} is no whole number")
    later = None
    if "second_pass_sequences" in facts:
        later = second.of_arrays(arrays, *sizes, facts["second_pass_sequences"])
    earlier = first.of_arrays(arrays, *sizes, facts["sequences"])
    return Progress(*sizes, earlier, later, facts["parts"], str(facts["digest"]), str(facts["whole"]))

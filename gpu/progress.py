"""How far a run over a corpus has come, on disk: it can be stopped at any moment and resumed."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import UInt32

from gpu.atomic_files import read_arrays, write_arrays
from gpu.sums import FirstSums, SecondSums
from reference.errors import InputError

KIND = "statistics in progress"


@dataclass
class Progress:
    """The sums so far, and what they are sums of.

    Attributes:
        first: the sums of the first pass.
        second: those of the second pass, None before it begins.
        parts: how many parts of the current pass are in.
        digest: over the parts of the current pass that are in, see `chained`.
        whole: the digest of all parts, known once the first pass is over.
    """

    first: FirstSums
    second: SecondSums | None = None
    parts: int = 0
    digest: str = ""
    whole: str = ""

    def begin_second_pass(self) -> None:
        """Turn to the second pass."""
        self.second = SecondSums.zero(len(self.first.count), self.first.length)
        self.whole, self.parts, self.digest = self.digest, 0, ""


@dataclass
class Saver:
    """Saves progress to `path` at most every `seconds`; without a path it does nothing."""

    path: Path | None
    seconds: float
    last: float = field(default_factory=time.monotonic)

    def now_and_then(self, progress: Progress) -> None:
        """Save if the last time was long enough ago."""
        if self.path is not None and time.monotonic() - self.last >= self.seconds:
            save(self.path, progress)
            self.last = time.monotonic()

    def remove(self) -> None:
        """Remove the file: the run is over."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def chained(digest: str, tokens: UInt32[np.ndarray, "n T_plus_1"]) -> str:
    """Return the digest after one more part: SHA-256 of the digest before it and the part."""
    return hashlib.sha256(digest.encode() + tokens.astype("<u4").tobytes()).hexdigest()


def save(path: Path, progress: Progress) -> None:
    """Write progress to `path` whole or not at all; InputError if it cannot be written."""
    arrays = {"count": progress.first.count, "share": progress.first.share}
    facts: dict[str, Any] = {
        "kind": KIND,
        "length": progress.first.length,
        "sequences": progress.first.sequences,
        "parts": progress.parts,
        "digest": progress.digest,
        "whole": progress.whole,
    }
    if progress.second is not None:
        arrays |= {"by_cell": progress.second.by_cell, "by_distance": progress.second.by_distance}
        facts["second_pass_sequences"] = progress.second.sequences
    write_arrays(path, arrays, facts)


def load(path: Path, vocab_size: int, length: int) -> Progress:
    """Return the progress saved in `path`.

    Raises:
        InputError: the file cannot be read, or is of another vocabulary or length.
    """
    arrays, facts = read_arrays(path)
    if facts.get("kind") != KIND:
        raise InputError(f"{path} is no statistics in progress; name another file to save progress to.")
    found = (len(arrays["count"]), facts["length"])
    if found != (vocab_size, length):
        raise InputError(
            f"{path} has progress for {found[0]} words and {found[1]} positions, not for {vocab_size} and "
            f"{length}; remove it to start anew, or give the same sizes."
        )
    second = None
    if "by_cell" in arrays:
        second = SecondSums(arrays["by_cell"], arrays["by_distance"], facts["second_pass_sequences"])
    first = FirstSums(arrays["count"], arrays["share"], facts["sequences"], length)
    return Progress(first, second, facts["parts"], facts["digest"], facts["whole"])

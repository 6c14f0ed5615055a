"""The one thing that every fuzz target asks: what is damaged is read or refused in a sentence, and soon."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from limits import limits
from spoiling import spoiled

from reference.errors import InputError

# In `make test` the same few for all; in `make fuzz` thousands, others each time.
PROFILES = [
    pytest.param(settings(max_examples=100, derandomize=True, database=None), id="some"),
    pytest.param(settings(max_examples=4000, print_blob=True), id="thousands", marks=pytest.mark.deep),
]
LONGEST = 1200


@dataclass(frozen=True)
class Reader:
    """What reads a file.

    Attributes:
        name: for people.
        file: the name of the file, whose ending may decide how it is read.
        valid: returns what the file may hold, given a folder to make it in.
        read: reads the file at a path.
    """

    name: str
    file: str
    valid: Callable[[Path], list[bytes]]
    read: Callable[[Path], Any]


def hold(reader: Reader, folder: Path, profile: settings) -> None:
    """Read what is valid; then damage it in many ways, and see that no other error than InputError comes."""
    path = folder / reader.file
    valid = reader.valid(folder)
    for content in valid:
        path.write_bytes(content)
        reader.read(path)

    @settings(
        profile,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(spoiled(valid))
    def spoil(content: bytes) -> None:
        path.write_bytes(content)
        try:
            with limits():
                reader.read(path)
        except InputError as refusal:
            _check_told(str(refusal))

    spoil()


def _check_told(told: str) -> None:
    """One line that a person can read."""
    assert told.strip()
    assert len(told.splitlines()) == 1, told
    assert len(told) <= LONGEST, told

"""Which arrays of somebody's model are W_O, V, W and P: names, one array a layer or all stacked, transposed.

In a mapping file (TOML), each group has a line, and only where the name differs:

    W_O = "unembed.weight"
    V = "blocks.{layer}.value"
    W = { name = "blocks.{layer}.query_key", transpose = true }
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from reference.errors import InputError, meant
from reference.small_files import parsed_toml, read_small

GROUPS = ("W_O", "V", "W", "P")
LAYER = "{layer}"
LARGEST_FILE = 1 << 20


@dataclass(frozen=True)
class Source:
    """Where a group is found: a name, with {layer} in it where each layer has its own array."""

    name: str
    transpose: bool = False

    @property
    def by_layer(self) -> bool:
        """Whether each layer has an array of its own."""
        return LAYER in self.name

    def of_layer(self, layer: int) -> str:
        """Return the name of a layer's array."""
        return self.name.replace(LAYER, str(layer))


Names = Mapping[str, Source]
OWN: Names = {group: Source(group) for group in GROUPS}


def read_names(path: Path) -> dict[str, Source]:
    """Return the sources of all groups as a mapping file says; groups that it leaves out keep their names.

    Raises:
        InputError: the file is missing, no TOML, or has an entry that is none.
    """
    text = read_small(path, "mapping file", largest=LARGEST_FILE, hint="give TOML, one line a weight")
    entries = parsed_toml(text, f"The mapping file {path}")
    return {**OWN, **{group: _source(path, group, entry) for group, entry in entries.items()}}


def renamed(names: Names, renames: Iterable[str]) -> dict[str, Source]:
    """Return the sources with each of `renames`, written FROM=TO, put in place.

    Raises:
        InputError: one is not of that form, or TO is none of the groups.
    """
    found = dict(names)
    for text in renames:
        source, equals, group = text.rpartition("=")
        if not equals or not source:
            raise InputError(f"--rename {text} is not of the form FROM=TO, for instance unembed=W_O.")
        if group not in GROUPS:
            raise InputError(f"--rename {text} ends in none of {', '.join(GROUPS)}; write FROM=TO.")
        found[group] = Source(source)
    return found


def layers_of(names: Names, available: Collection[str], where: str) -> int | None:
    """Return how many layers arrays of their own speak of, None where all are stacked.

    Raises:
        InputError: an array is missing.
    """
    counts: dict[str, int] = {}
    for group, source in names.items():
        if source.by_layer:
            counts[group] = next(n for n in range(len(available) + 1) if source.of_layer(n) not in available)
        if source.of_layer(0) not in available:
            hint = meant(source.of_layer(0), available)
            raise InputError(
                f"{where} has no '{source.of_layer(0)}' for {group}; it has {_listed(available)}.{hint}"
            )
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{count} of {group}" for group, count in counts.items())
        raise InputError(f"{where} has differing numbers of layers: {told}; check the names.")
    return next(iter(counts.values()), None)


def _source(path: Path, group: str, entry: object) -> Source:
    if group not in GROUPS:
        raise InputError(f"The mapping file {path} names '{group}', which is none of {', '.join(GROUPS)}.")
    if isinstance(entry, str):
        entry = {"name": entry}
    if (
        not isinstance(entry, dict)
        or not entry.keys() <= {"name", "transpose"}
        or not isinstance(entry.get("name"), str)
        or not isinstance(entry.get("transpose", False), bool)
    ):
        raise InputError(
            f'The mapping file {path} gives {group} no name; write {group} = "NAME" '
            f'or {group} = {{ name = "NAME", transpose = true }}.'
        )
    if group == "W_O" and LAYER in entry["name"]:
        raise InputError(f"The mapping file {path} gives W_O a layer, and there is one W_O only.")
    return Source(entry["name"], entry.get("transpose", False))


def _listed(available: Collection[str]) -> str:
    shown = sorted(available)[:12]
    return ", ".join(shown) + (" ..." if len(available) > len(shown) else "") if shown else "nothing"

"""Weights from a file that somebody else wrote: .npz or .safetensors, sizes checked before anything is read.

Nothing is unpickled: a .npz that holds objects is refused, and so is a .pt.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from properties.parameter_names import Names, layers_of
from properties.tolerances import UNIT_ROUNDOFF
from reference.array_header import read_header
from reference.errors import InputError, no_such_file, reason

SAFETENSORS_TYPES = {"F64": "float64", "F32": "float32"}
# What the library of ZIP files and those under it raise for one that is damaged.
UNREADABLE = (
    OSError,
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    EOFError,
    NotImplementedError,
    RuntimeError,
)
SHOWN = 160
PICKLED = (".pt", ".pth", ".bin", ".ckpt", ".pkl")


@dataclass(frozen=True)
class Checkpoint:
    """The weights of a file: W_O [V, V], V and W [L, V, V], P [L, T], and the coarsest type they came in."""

    parameters: Mapping[str, np.ndarray]
    dtype: str

    @property
    def layers(self) -> int:
        """L."""
        return len(self.parameters["V"])


@dataclass(frozen=True)
class _Entry:
    shape: tuple[int, ...]
    dtype: str
    load: Callable[[], np.ndarray]


def read_checkpoint(path: Path, names: Names, vocab_size: int, length: int) -> Checkpoint:
    """Return the weights in `path`, as float64.

    Raises:
        InputError: the file is missing, of another kind, or holds no weights of these sizes.
    """
    if path.suffix in PICKLED:
        raise InputError(
            f"{path} is a pickle, which can run code when it is read; save the weights with "
            "safetensors.torch.save_file and give that file."
        )
    if path.suffix not in (".npz", ".safetensors"):
        raise InputError(f"{path} is no checkpoint that can be read; give a .npz or a .safetensors file.")
    if not path.is_file():
        raise no_such_file("checkpoint", path, "check the name")
    entries = _npz(path) if path.suffix == ".npz" else _safetensors(path)
    stacked = layers_of(names, entries, str(path))
    V, T = vocab_size, length
    shapes = {"W_O": (V, V), "V": (V, V), "W": (V, V), "P": (T,)}
    parameters, types = {}, set()
    for group, source in names.items():
        parts = [source.of_layer(n) for n in range(stacked or 0)] if source.by_layer else [source.name]
        is_stack = group != "W_O" and not source.by_layer
        for part in parts:
            _check(path, part, group, entries[part], shapes[group], is_stack)
            types.add(entries[part].dtype)
        loaded = [np.asarray(entries[part].load(), dtype=np.float64) for part in parts]
        found = np.stack(loaded) if source.by_layer else loaded[0]
        parameters[group] = found.swapaxes(-1, -2) if source.transpose else found
    counts = {group: len(parameters[group]) for group in ("V", "W", "P")}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{count} of {group}" for group, count in counts.items())
        raise InputError(f"{path} has differing numbers of layers: {told}.")
    for group, value in parameters.items():
        if not np.isfinite(value).all():
            raise InputError(f"{group} in {path} holds NaN or infinities; such a training has failed.")
    return Checkpoint(parameters, "float32" if "float32" in types else "float64")


def _check(path: Path, name: str, group: str, entry: _Entry, shape: tuple[int, ...], is_stack: bool) -> None:
    if entry.dtype not in UNIT_ROUNDOFF:
        raise InputError(f"'{name}' in {path} is {entry.dtype}; save it as {' or '.join(UNIT_ROUNDOFF)}.")
    found = entry.shape[1:] if is_stack else entry.shape
    if found != shape or (is_stack and entry.shape[:1] in ((), (0,))):
        expected = ["L", *shape] if is_stack else list(shape)
        raise InputError(
            f"'{name}' in {path} has shape {list(entry.shape)}; for this corpus {group} must be "
            f"[{', '.join(map(str, expected))}]: check --vocab, --length and the names."
        )


def _npz(path: Path) -> dict[str, _Entry]:
    try:
        with zipfile.ZipFile(path) as archive:
            return {
                member.filename.removesuffix(".npy"): _npy(path, archive, member)
                for member in archive.infolist()
                if member.filename.endswith(".npy")
            }
    except InputError:
        raise
    except UNREADABLE as error:
        raise InputError(f"{path} is no .npz file that can be read: {_shown(error)}.") from None


def _npy(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> _Entry:
    with archive.open(member) as file:
        shape, dtype = read_header(file)
        size = file.tell() + dtype.itemsize * int(np.prod(shape, dtype=object))
    name = member.filename.removesuffix(".npy")
    if dtype.hasobject:
        raise InputError(f"'{name}' in {path} holds Python objects, which are not read; save plain arrays.")
    if size != member.file_size:
        raise InputError(f"'{name}' in {path} is not as long as its header says; save the file again.")

    def load() -> np.ndarray:
        try:
            with np.load(path, allow_pickle=False) as arrays:
                return arrays[name]
        except UNREADABLE as error:
            raise InputError(f"'{name}' in {path} cannot be read: {_shown(error)}.") from None

    return _Entry(shape, dtype.name, load)


def _shown(error: BaseException) -> str:
    """Return why, in one line that is not filled with what a damaged file holds."""
    told = reason(error)
    return told if len(told) <= SHOWN else f"{told[:SHOWN]}..."


def _safetensors(path: Path) -> dict[str, _Entry]:
    from safetensors import SafetensorError, safe_open

    def load(name: str) -> Any:
        with safe_open(path, "np") as file:
            return file.get_tensor(name)

    try:
        with safe_open(path, "np") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118, it is no mapping
            return {
                name: _Entry(
                    tuple(part.get_shape()),
                    SAFETENSORS_TYPES.get(part.get_dtype(), part.get_dtype()),
                    partial(load, name),
                )
                for name, part in slices.items()
            }
    except (OSError, SafetensorError) as error:
        raise InputError(f"{path} is no .safetensors file that can be read: {_shown(error)}.") from None

"""What a run was made of: versions, machine, corpus, seed. The header of its results."""

from __future__ import annotations

import ctypes
import datetime
import importlib.util
import platform
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from properties.pytest_results import versions
from reference.corpus import Corpus

PACKAGES = ("leadterms", "numpy", "scipy", "sympy", "python-flint", "hypothesis", "torch")
# The library that comes with CUDA's driver, on Linux and on Windows; and what ROCm's driver is reached by.
LIBRARIES, ROCM = ("libcuda.so.1", "nvcuda.dll"), Path("/dev/kfd")


def header(
    *,
    command: str,
    corpus: Corpus | None,
    targets: Sequence[str],
    profile: str,
    seed: int,
    left_out: Sequence[str],
    seconds: float = 0.0,
) -> dict[str, Any]:
    """Return the header's fields; `started` is the only one that differs between two equal runs.

    `seconds` is how long ago the run began.
    """
    began = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=seconds)
    return {
        "command": command,
        "started": began.isoformat(timespec="seconds"),
        "versions": versions(PACKAGES),
        "commit": _commit(),
        "machine": f"{platform.system()} {platform.machine()}",
        "device": _device(),
        "corpus": corpus
        and {
            "name": corpus.name,
            "digest": corpus.digest,
            "sequences": corpus.sequences,
            "length": corpus.length,
            "vocab_size": corpus.vocab_size,
            "counts": corpus.counts,
        },
        "targets": list(targets),
        "profile": profile,
        "seed": seed,
        "left_out": list(left_out),
    }


def has_torch() -> bool:
    """Return whether torch can be imported, without importing it."""
    return importlib.util.find_spec("torch") is not None


def _device() -> str:
    if not (has_torch() and _has_driver()):
        return "cpu"
    import torch

    return f"cuda: {torch.cuda.get_device_name(0)}" if torch.cuda.is_available() else "cpu"


def _has_driver() -> bool:
    """Return whether torch could find a device, without the second or two that importing it takes."""
    if ROCM.exists():
        return True
    for name in LIBRARIES:
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return True
    return False


def _commit() -> str | None:
    """Return the commit of the source tree that this file lies in, if it lies in one."""
    try:
        found = subprocess.run(
            ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip()

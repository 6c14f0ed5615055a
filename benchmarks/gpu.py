"""All that is measured on a GPU: python -m benchmarks.gpu --out FOLDER.

Where torch sees no GPU, nothing is measured and the reason is told: exit status 0. Where python-flint is
missing, the suite of laws is left out and that is told: its exact checks need it, the rest does not.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from benchmarks.measuring import options
from benchmarks.running import run_benchmarks

# The module, what it is called in the records, and its arguments.
GPU_LIST = {
    "gpu_statistics": ("gpu_statistics", ["--device", "cuda"]),
    "gpu_training_step": ("training_step", ["--device", "cuda"]),
    "gpu_verify": ("whole_verify", ["--target", "gpu", "--target", "gpu32"]),
}


def reason_to_skip() -> str | None:
    """Return why nothing can be measured here; None where a GPU can."""
    try:
        import torch
    except ImportError:
        return "torch is not installed"
    return None if torch.cuda.is_available() else "torch sees no GPU on this machine"


def main() -> int:
    """Run the list, or say why not; return the exit status."""
    parser = options("All that is measured on a GPU.")
    parser.add_argument("--out", type=Path, default=Path("build/benchmarks"), help="folder for the records")
    asked = parser.parse_args()
    reason = reason_to_skip()
    if reason is not None:
        print(f"Skipped the GPU list ({', '.join(GPU_LIST)}): {reason}.")
        return 0
    listed = dict(GPU_LIST)
    if importlib.util.find_spec("flint") is None:
        del listed["gpu_verify"]
        print("Skipped gpu_verify: python-flint is not installed.", flush=True)
    return run_benchmarks(listed, asked.out, asked.runs)


if __name__ == "__main__":
    sys.exit(main())

"""All benchmarks, and the page of what they printed: python -m benchmarks --page docs/benchmarks.md."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import gpu
from benchmarks.measuring import options
from benchmarks.page import page, read_records
from benchmarks.running import run_benchmarks
from gpu.command_line import run_command
from reference.atomic_files import write_atomically, write_text

NAMES = ("reading", "statistics", "large_vocabulary", "training_step", "exact_series", "whole_verify")
# Those that can time a text instead of synthetic tokens.
WITH_CORPUS = ("reading", "statistics")


def main() -> int:
    """Run them, write the page, and return 1 if a target was missed."""
    parser = options("All benchmarks.")
    parser.add_argument("--only", action="append", choices=NAMES, help="this one; may be given several times")
    parser.add_argument("--corpus", metavar="FILE", help="a text to time with where a text can be timed")
    parser.add_argument("--out", type=Path, default=Path("build/benchmarks"), help="folder for the records")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write what was measured as Markdown")
    asked = parser.parse_args()
    text = [] if asked.corpus is None else ["--corpus", asked.corpus]
    listed = {
        name: (name, text if name in WITH_CORPUS else []) for name in NAMES if name in (asked.only or NAMES)
    }
    reason = gpu.reason_to_skip()
    status = run_benchmarks(listed, asked.out, asked.runs)
    if reason is None and not asked.only:
        status = max(status, run_benchmarks(gpu.GPU_LIST, asked.out, asked.runs))
    elif reason is not None:
        print(f"\nSkipped the GPU list: {reason}.")
    if asked.page is not None:
        # What was measured before stays on the page until it is measured again.
        measured = read_records(asked.out, [*NAMES, *([] if reason else gpu.GPU_LIST)])
        told = page(measured, asked.runs, reason)
        write_atomically(asked.page, lambda beside: write_text(beside, told))
    return status


if __name__ == "__main__":
    run_command(lambda: sys.exit(main()), "benchmarks")

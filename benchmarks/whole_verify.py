"""`leadterms verify` as a whole, and its start-up: python -m benchmarks.whole_verify --json FILE.

Each run is a process of its own, as a person starts it. The least start-up is the help of a command line that
has a single command and imports nothing of ours.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measuring import Record, Target, options

COMMAND = [sys.executable, "-c", "from paper_checks.command_line import main; main()"]
# A command line of one command, which says nothing but its own name.
LEAST = [sys.executable, "-c", "import typer; app = typer.Typer(); app.command()(lambda: None); app()"]
STARTS, MOST_OVER_LEAST = 5, 1.7


def main() -> int:
    """Measure, print, write, and return the exit status."""
    parser = options("leadterms verify as a whole.")
    parser.add_argument("--target", action="append", default=[], help="instead of those that come along")
    asked = parser.parse_args()
    rounds = [verified(asked.target) for _ in range(asked.runs)]
    middle = {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}
    starts = {
        "help_seconds": statistics.median(whole_process([*COMMAND, "--help"])[0] for _ in range(STARTS)),
        "least_seconds": statistics.median(whole_process([*LEAST, "--help"])[0] for _ in range(STARTS)),
    }
    record = Record("whole_verify")
    record.measured = {**middle, **starts, "rounds": rounds}
    record.targets = [
        Target("seconds of the whole", middle["seconds"], at_most=90),
        Target("checks that fail", middle["bad"], at_most=0),
        Target(
            "start-up over the least",
            starts["help_seconds"] / starts["least_seconds"],
            at_most=MOST_OVER_LEAST,
        ),
    ]
    for name, value in (middle | starts).items():
        print(f"{name}: {value:.4g}")
    return record.finish(asked.json)


def verified(targets: list[str]) -> dict[str, float]:
    """Run the suite once; return its times and what it found."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.jsonl"
        taken, worked = whole_process([*COMMAND, "verify", *targets, "--json", str(results)])
        footer = json.loads(results.read_text(encoding="utf-8").splitlines()[-1])
    return {
        "seconds": taken,
        "processor_seconds": worked,
        "passed": footer["passed"],
        "bad": footer["failed"] + footer["errored"] + footer["xpassed"],
    }


def whole_process(command: list[str]) -> tuple[float, float]:
    """Return the wall-clock and processor time of a process; what it exits with is not looked at."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - start, worked


if __name__ == "__main__":
    sys.exit(main())

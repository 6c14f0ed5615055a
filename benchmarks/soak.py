"""No false alarms: every law on thousands of generated cases, on implementations that are right.

python -m benchmarks.soak --out docs/soak.md [--state build/soak.jsonl] [--seeds 0 1 2] [TARGET ...]

Each target and seed is a piece; one that is in the state file already is not run again, so a run that was
stopped goes on where it was. The summary is written after each piece, over all that are done.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.measuring import machine
from properties.catalogue import CHECKS
from properties.connectors import connect
from properties.results import BAD
from properties.runner import FEWEST, PROFILES
from properties.soak import soak
from reference.atomic_files import write_text

TARGETS = ("reference", "gpu", "gpu32", "py:numpy_descent:Adapter")
EXAMPLES = Path(__file__).resolve().parent.parent / "examples"

Piece = dict[str, Any]


def run_piece(spec: str, seed: int, profile: str) -> Piece:
    """Return what came of one target and seed: a record for each stream of cases."""
    started = time.process_time()
    streams = []
    with closing(connect(spec)) as target:
        for family, result in soak(target, CHECKS, profile=profile, seed=seed):
            streams.append(
                {
                    "family": family.name,
                    "cost": family.checks[0].cost,
                    "laws": {check.id: family.admitted[check.id] for check in family.checks},
                    "result": result.result,
                    "cases": result.cases,
                    "worst": result.error_over_bound,
                    "note": result.note,
                    "counterexample": result.counterexample,
                }
            )
            print(f"{spec}, seed {seed}: {family.name} {result.result}, {result.cases} cases", flush=True)
    seconds = round(time.process_time() - started)
    return {"target": spec, "seed": seed, "profile": profile, "streams": streams, "seconds": seconds}


def summary(pieces: Sequence[Piece], profile: str) -> str:
    """Return the summary as Markdown: for each stream of cases and target the cases and the worst error."""
    targets = list(dict.fromkeys(piece["target"] for piece in pieces))
    seeds = sorted({piece["seed"] for piece in pieces})
    alarms = sum(stream["result"] in BAD for piece in pieces for stream in piece["streams"])
    about = machine()
    minutes = sum(piece["seconds"] for piece in pieces) / 60
    packages = ", ".join(f"{name} {version}" for name, version in sorted(about["packages"].items()))
    told = f"""# No false alarms

Written by `make soak`; do not edit. Every law that has a subject is tried on implementations that are right:
one that fails here has a wrong bound. The laws of a family share one stream of generated cases.

- Seeds {", ".join(map(str, seeds))}. Each gives {PROFILES[profile]:,} cases to what is cheapest, that number
  divided by its cost to what is dearer, and {FEWEST[profile]} at least. The numbers below are added over the
  seeds; where a kind has fewer different cases than asked for, all of them were tried.
- Done: {len(pieces)} of {len(targets) * len(seeds)} pieces, a target and a seed each, in {minutes:.0f}
  minutes of processor time.
- Python {about["python"]}, {packages}; {about["processor"]}.
- **False alarms: {alarms}.**

A cell holds the cases that at least one law of the stream admitted, and the worst error over its bound (none
where equality is asked for). What float32 cannot show, being below its rounding, is n/a.
"""
    lines = [
        told,
        "| family | laws | cost | " + " | ".join(targets) + " |",
        "| --- | --- | --- |" + " --- |" * len(targets),
        *_rows(pieces, targets),
        "",
        f"Fewest cases, over all targets but gpu32: {_scarcest(pieces)}.",
    ]
    return "\n".join(lines) + "\n"


def _rows(pieces: Sequence[Piece], targets: Sequence[str]) -> list[str]:
    by_stream: dict[tuple[str, ...], dict[str, list[dict[str, Any]]]] = {}
    for piece in pieces:
        for stream in piece["streams"]:
            by_target = by_stream.setdefault(tuple(stream["laws"]), {})
            by_target.setdefault(piece["target"], []).append(stream)
    rows = []
    for laws, found in by_stream.items():
        cost = next(iter(found.values()))[0]["cost"]
        cells = [_cell(found.get(target, [])) for target in targets]
        name = laws[0] if len(laws) == 1 else laws[0].split(".")[0]
        rows.append(f"| {name} | {len(laws)} | {cost} | {' | '.join(cells)} |")
    return rows


def _cell(streams: Sequence[dict[str, Any]]) -> str:
    bad = [stream["result"] for stream in streams if stream["result"] in BAD]
    if bad:
        return "**" + ", ".join(bad) + "**"
    cases = sum(stream["cases"] for stream in streams)
    worst = [stream["worst"] for stream in streams if stream["worst"] is not None]
    return f"{cases:,}{f', {max(worst):.1e}' if worst else ''}" if cases else "n/a"


def _scarcest(pieces: Sequence[Piece], count: int = 5) -> str:
    admitted: dict[str, int] = {}
    for piece in pieces:
        if piece["target"] != "gpu32":
            for stream in piece["streams"]:
                for law, cases in stream["laws"].items():
                    admitted[law] = admitted.get(law, 0) + cases
    fewest = sorted(admitted, key=lambda law: admitted[law])[:count]
    return ", ".join(f"{law} {admitted[law]:,}" for law in fewest)


def main() -> int:
    """Run the pieces that are missing and write the summary; exit 1 where there was an alarm."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", default=list(TARGETS), metavar="TARGET")
    parser.add_argument("--out", type=Path, required=True, help="the Markdown file to write")
    parser.add_argument("--state", type=Path, default=Path("build/soak.jsonl"), help="what was done before")
    parser.add_argument("--profile", choices=list(PROFILES), default="soak")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    chosen = parser.parse_args()
    sys.path.insert(0, str(EXAMPLES))
    chosen.state.parent.mkdir(parents=True, exist_ok=True)
    lines = chosen.state.read_text().splitlines() if chosen.state.exists() else []
    pieces = [piece for piece in map(json.loads, lines) if piece["profile"] == chosen.profile]
    done = {(piece["target"], piece["seed"]) for piece in pieces}
    for seed in chosen.seeds:
        for spec in chosen.targets:
            if (spec, seed) not in done:
                pieces.append(run_piece(spec, seed, chosen.profile))
                with chosen.state.open("a") as state:
                    state.write(json.dumps(pieces[-1]) + "\n")
            write_text(chosen.out, summary(pieces, chosen.profile))
    print(f"Written to {chosen.out}.")
    return int(any(stream["result"] in BAD for piece in pieces for stream in piece["streams"]))


if __name__ == "__main__":
    sys.exit(main())

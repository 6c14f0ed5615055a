"""Mutation testing of our own statistics, model and tolerances: do the tests notice a changed line?

python -m benchmarks.mutation --out docs/mutation.md [--work build/mutation] [NAME ...]

mutmut (settings in pyproject.toml) makes the mutants in a copy of the tree and runs, for each, the tests that
reach its function; what was killed before is not tried again while its function is unchanged. NAME limits the
run, such as "reference.statistics*". Then the score is written, with every survivor and the reason of every
change that cannot be seen (`mutation_equivalent.toml`).
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measuring import machine
from reference.atomic_files import write_text

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = Path(__file__).with_name("mutation_equivalent.toml")
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "build", "__pycache__", "*.egg-info", ".*_cache", "report")
# How mutmut says what came of a mutant; every other status is a death, by failure, time or signal.
STATUS = {None: "not run", 0: "survived", 5: "no tests", 33: "no tests", 34: "skipped"}
TEXT = re.compile(r"""[frb]*("[^"]*"|'[^']*')""")


@dataclass(frozen=True)
class Mutant:
    """One changed line: what it was and became, and what came of it."""

    name: str
    status: str
    old: str = ""
    new: str = ""

    @property
    def module(self) -> str:
        """The module that it is in."""
        return self.name.rsplit(".", 1)[0]

    @property
    def is_text(self) -> bool:
        """Whether nothing but the words of a message changed."""
        return bool(self.old) and TEXT.sub("", self.old) == TEXT.sub("", self.new)


def run(work: Path, names: Iterable[str], children: int) -> list[Mutant]:
    """Run mutmut in a copy of the tree, and return all mutants with what came of each.

    Raises:
        SystemExit: mutmut could not try them, as where a test fails without any change.
    """
    shutil.copytree(ROOT, work, ignore=LEFT_OUT, dirs_exist_ok=True)
    # mutmut leaves an earlier copy of a file as it is: all of them go, but for what came of each mutant.
    for path in (work / "mutants").rglob("*"):
        if path.suffix == ".meta":
            _try_survivors_again(path)
        elif not path.is_dir():
            path.unlink()
    mutmut = [sys.executable, "-m", "mutmut"]
    done = subprocess.run([*mutmut, "run", *names, "--max-children", str(children)], cwd=work, check=False)
    if done.returncode:
        raise SystemExit("No mutant was tried; what stopped mutmut is above. Nothing was written.")
    found = []
    for path in sorted((work / "mutants").rglob("*.meta")):
        codes = json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
        found += [Mutant(name, STATUS.get(code, "killed")) for name, code in codes.items()]
    return [shown(mutmut, work, one) if one.status in ("survived", "no tests") else one for one in found]


def _try_survivors_again(path: Path) -> None:
    """Forget who survived: the tests may have become better."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    codes = kept["exit_code_by_key"]
    kept["exit_code_by_key"] = {n: None if STATUS.get(code) else code for n, code in codes.items()}
    path.write_text(json.dumps(kept), encoding="utf-8")


def shown(mutmut: list[str], work: Path, mutant: Mutant) -> Mutant:
    """Return the mutant with its lines."""
    done = subprocess.run(
        [*mutmut, "show", mutant.name], cwd=work, capture_output=True, text=True, check=False
    )
    lines = [line for line in done.stdout.splitlines() if not line.startswith(("---", "+++"))]
    old, new = (" ".join(line[1:].strip() for line in lines if line[:1] == sign) for sign in "-+")
    return Mutant(mutant.name, mutant.status, old, new)


def equivalents() -> dict[tuple[str, str], str]:
    """Return why a change changes nothing that can be seen, by its lines."""
    entries = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("equivalent", [])
    return {(entry["old"], entry["new"]): entry["why"] for entry in entries}


def summary(mutants: list[Mutant], known: dict[tuple[str, str], str]) -> str:
    """Return the score of each module, every survivor, and why the others change nothing, as Markdown."""
    rows, survivors, explained = [], [], []
    total: Counter[str] = Counter()
    for module in dict.fromkeys(mutant.module for mutant in mutants):
        own = [mutant for mutant in mutants if mutant.module == module]
        counts = Counter(_verdict(mutant, known) for mutant in own)
        total += counts
        rows.append(_row(module, counts))
        survivors += [m for m in own if _verdict(m, known) in ("survived", "no tests")]
        explained += [m for m in own if _verdict(m, known) == "equivalent"]
    head = f"""# Mutation testing of our own code

Written by `make mutation`; do not edit. A mutant is one changed expression; it is killed when a test fails. A
change of the words of a message, and one that `benchmarks/mutation_equivalent.toml` explains as equivalent,
does not count, and neither does what was not run.

mutmut, Python {machine()["python"]}.

| module | score | killed | survived | no tests | equivalent | words | not run |
| --- | --- | --- | --- | --- | --- | --- | --- |"""
    told = [
        head,
        *rows,
        _row("**all**", total),
        "",
        "## Survivors",
        "",
        *(f"{_line(m)} ({m.status})" for m in survivors),
        "",
        "## Equivalent, and why",
        "",
        *(f"{_line(m)}: {known[m.old, m.new]}" for m in explained),
    ]
    return "\n".join(told) + "\n"


def _verdict(mutant: Mutant, known: dict[tuple[str, str], str]) -> str:
    if mutant.status not in ("survived", "no tests"):
        return mutant.status
    if (mutant.old, mutant.new) in known:
        return "equivalent"
    return "words" if mutant.is_text else mutant.status


def _line(mutant: Mutant) -> str:
    return f"- `{mutant.name.rsplit('.', 1)[1]}`: `{mutant.old}` became `{mutant.new}`"


def _row(name: str, counts: Counter[str]) -> str:
    alive = counts["survived"] + counts["no tests"]
    tried = counts["killed"] + alive
    score = f"{counts['killed'] / tried:.1%}" if tried else ""
    states = ("killed", "survived", "no tests", "equivalent", "words", "not run")
    return f"| {name} | {score} | {' | '.join(str(counts[state]) for state in states)} |"


def main() -> int:
    """Run what was not run before and write the score."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/mutation"))
    parser.add_argument("--children", type=int, default=2, help="tests at once (2)")
    chosen = parser.parse_args()
    mutants = run(chosen.work.resolve(), chosen.names, chosen.children)
    write_text(chosen.out, summary(mutants, equivalents()))
    print(f"Written to {chosen.out}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

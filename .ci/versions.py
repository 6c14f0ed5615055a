"""Print constraints for pip: the oldest versions that pyproject.toml admits, or none but for torch.

`make oldest` and `make newest` install what these leave, and run the tests. Of each requirement of the suite
and of its extras the lower bound is taken, the highest where several stand. torch is the one of
constraints.txt in both: which build pip would take of another version, and how many gigabytes, depends on the
machine. Linters and the site say nothing about what a user needs, and stay as they are pinned in the oldest
set.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What a user installs, and what the tests need.
EXTRAS = ("gpu", "report", "tokenizers", "parquet", "dev")
PINNED = {"torch", "ruff", "mypy"}
REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*>=\s*([0-9.]+)")


def lower_bounds() -> dict[str, str]:
    """Return the lower bound of each requirement, by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = list(project["dependencies"])
    for extra in EXTRAS:
        lines += project["optional-dependencies"][extra]
    found: dict[str, str] = {}
    for line in lines:
        match = REQUIREMENT.match(line)
        if match and match[1] not in PINNED:
            found[match[1]] = max(found.get(match[1], "0"), match[2], key=_parts)
    return found


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def pinned(names: set[str]) -> dict[str, str]:
    """Return the versions in constraints.txt of some packages."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    found = dict(line.split("==") for line in lines if "==" in line)
    return {name: version for name, version in found.items() if name in names}


def constraints(which: str) -> dict[str, str]:
    """Return the versions that one of the two sets is held to."""
    return {**lower_bounds(), **pinned(PINNED)} if which == "oldest" else pinned({"torch"})


if __name__ == "__main__":
    if sys.argv[1:] not in (["oldest"], ["newest"]):
        sys.exit("usage: versions.py oldest|newest")
    sys.stdout.writelines(
        f"{name}=={version}\n" for name, version in sorted(constraints(sys.argv[1]).items())
    )

"""Print the oldest versions that pyproject.toml admits, as constraints for pip: `make oldest` installs them.

Of each requirement of the suite and of its extras the lower bound is taken, the highest where several stand.
Two things are left alone. torch is not among them: the suite is held to one build of it, since a wheel of the
wrong kind takes gigabytes (constraints.txt says which). And an extra for development only, as a linter, says
nothing about what a user needs.
"""

import re
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
# What a user installs, and what the tests need.
EXTRAS = ("gpu", "report", "tokenizers", "parquet", "dev")
LEFT_ALONE = {"torch", "ruff", "mypy"}
REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*>=\s*([0-9.]+)")


def lower_bounds() -> dict[str, str]:
    """Return the lower bound of each requirement, by name."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    lines = list(project["dependencies"])
    for extra in EXTRAS:
        lines += project["optional-dependencies"][extra]
    found: dict[str, str] = {}
    for line in lines:
        match = REQUIREMENT.match(line)
        if match and match[1] not in LEFT_ALONE:
            found[match[1]] = max(found.get(match[1], "0"), match[2], key=_parts)
    return found


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


if __name__ == "__main__":
    sys.stdout.writelines(f"{name}=={version}\n" for name, version in sorted(lower_bounds().items()))

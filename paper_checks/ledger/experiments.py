"""Results of training experiments as JSON lines: what claims about trained models are decided from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from paper_checks.ledger.training_runs import read_training_run
from reference.errors import InputError
from reference.small_files import parsed, read_small

HINT = "give what `leadterms experiments` or `pretrained` wrote with --json, or the folder of a training"


def read_experiments(path: Path) -> dict[str, dict[str, Any]]:
    """Return experiments by name: of a folder of `leadterms train`, or of a file of JSON lines.

    A line that decides claims has a `name` and what was measured, or is an outcome of `leadterms
    experiments`, whose name is its `experiment`; other lines with a `kind` are for people.

    Raises:
        InputError: the file or folder cannot be read, it holds none, a line is not such an object, or
            it ends before its footer.
    """
    if path.is_dir():
        return read_training_run(path)
    text = read_small(path, "file of experiments")
    if not text.strip():
        raise InputError(f"The file of experiments {path} is empty; write it again.")
    found, kinds = {}, []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        value = parsed(line, f"{path}, line {number}")
        name = value.get("name", value.get("experiment")) if isinstance(value, dict) else None
        kinds.append(value.get("kind") if isinstance(value, dict) else None)
        if isinstance(name, str):
            found[name] = value
        elif not isinstance(value, dict) or "kind" not in value:
            raise InputError(f"{path}, line {number} is not an experiment: it needs a name.")
    if not found:
        raise InputError(f"{path} holds no experiment; {HINT}.")
    if kinds[0] == "header" and "experiment" in kinds and kinds[-1] != "footer":
        raise InputError(f"{path} has no footer: the run that wrote it did not finish; run it again.")
    return found

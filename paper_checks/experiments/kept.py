"""What long work has done so far, kept in a file, so that stopping it loses one experiment at most."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from paper_checks.experiments.result import Outcome, write_outcomes


def partial(path: Path) -> Path:
    """Return the file beside `path` that outcomes are kept in until `path` is written."""
    return path.with_name(f"{path.stem}.partial{path.suffix}")


@contextmanager
def kept(path: Path, header: Mapping[str, object], again: str) -> Iterator[Callable[[list[Outcome]], None]]:
    """Yield what keeps outcomes in `partial(path)`, a whole file each time; it is removed when all went well.

    Where it did not, as after Ctrl-C, the file stays and a person is told how to go on from it.

    Args:
        path: what the outcomes will be written into in the end.
        header: of the file.
        again: the option that takes such a file.
    """
    beside = partial(path)
    written = 0

    def keep(outcomes: list[Outcome]) -> None:
        nonlocal written
        beside.parent.mkdir(parents=True, exist_ok=True)
        write_outcomes(beside, dict(header), outcomes)
        written = len(outcomes)

    try:
        yield keep
    except BaseException:
        if written:
            print(f"What {written} experiments found is kept; go on with {again} {beside}", file=sys.stderr)
        raise
    beside.unlink(missing_ok=True)

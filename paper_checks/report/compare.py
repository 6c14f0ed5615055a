"""What changed between two runs: results and claims by id, in sentences.

`python -m paper_checks.report.compare OLD.jsonl NEW.jsonl` prints them and fails if there are any: it keeps a
report that was written down from going stale.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from properties.results import Run, read_run
from reference.errors import InputError

UNCHANGED = "Nothing changed since then."


def changes(old: Run, new: Run) -> Iterator[str]:
    """Yield a sentence for each result, claim or experiment that is new, gone, or another than it was.

    A result is known by its check and its target, a claim by its id, an experiment by its name; times are no
    change.
    """
    before = {f"{one.check} on {one.target}": str(one.result) for one in old.results}
    after = {f"{one.check} on {one.target}": str(one.result) for one in new.results}
    yield from _differences("Result", before, after)
    yield from _differences("Claim", _verdicts(old), _verdicts(new))
    yield from _differences("Experiment", _outcomes(old), _outcomes(new))


def _verdicts(run: Run) -> dict[str, str]:
    return {
        claim[
            "id"
        ]: f"{claim['verdict']} ({claim.get('evidence')}: {claim.get('computed') or 'nothing computed'})"
        for claim in run.claims
    }


def _outcomes(run: Run) -> dict[str, str]:
    return {
        one["experiment"]: f"{'met' if one['met'] else 'not met'} ({one['verdict']})"
        for one in run.header.get("experiments") or ()
    }


def _differences(what: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys([*before, *after]):
        if name not in after:
            yield f"{what} {name} is gone; it was {before[name]}."
        elif name not in before:
            yield f"{what} {name} is new: {after[name]}."
        elif before[name] != after[name]:
            yield f"{what} {name} was {before[name]}, is {after[name]}."


def main(arguments: Sequence[str]) -> int:
    """Print what changed between two files; return 0 for nothing, 1 for something, 2 for bad input."""
    if len(arguments) != 2:
        print("Give two results files: the old one and the new one.", file=sys.stderr)
        return 2
    try:
        old, new = (read_run(Path(name)) for name in arguments)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    found = list(changes(old, new))
    print("\n".join(found) or UNCHANGED)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

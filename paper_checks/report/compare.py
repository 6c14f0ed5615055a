"""What changed between two runs: results and claims by id, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from properties.results import Run


def changes(old: Run, new: Run) -> Iterator[str]:
    """Yield a sentence for each result or claim that is new, gone, or another than it was.

    A result is known by its check and its target, a claim by its id; times are no change.
    """
    before = {f"{one.check} on {one.target}": str(one.result) for one in old.results}
    after = {f"{one.check} on {one.target}": str(one.result) for one in new.results}
    yield from _differences("Result", before, after)
    yield from _differences("Claim", _verdicts(old), _verdicts(new))
    if _same(old, new):
        yield "Nothing changed since then."


def _verdicts(run: Run) -> dict[str, str]:
    return {
        claim["id"]: f"{claim['verdict']} ({claim.get('computed') or 'nothing computed'})"
        for claim in run.claims
    }


def _differences(what: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys([*before, *after]):
        if name not in after:
            yield f"{what} {name} is gone; it was {before[name]}."
        elif name not in before:
            yield f"{what} {name} is new: {after[name]}."
        elif before[name] != after[name]:
            yield f"{what} {name} was {before[name]}, is {after[name]}."


def _same(old: Run, new: Run) -> bool:
    states = [{(one.check, one.target): one.result for one in run.results} for run in (old, new)]
    return states[0] == states[1] and _verdicts(old) == _verdicts(new)

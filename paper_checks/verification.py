"""Run the suite: the mathematics, then each target, with progress; the results as one run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from paper_checks.provenance import has_torch, header
from properties.catalogue import CHECKS
from properties.check import Check
from properties.expected_failures import Expectations, unmatched
from properties.expected_failures import judged as as_expected
from properties.results import Result, Run, summarise
from properties.runner import run, run_mathematics
from properties.target import Target
from reference.corpus import Corpus
from reference.errors import InputError

Progress = Callable[[str, int, int], None]


def default_targets() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the implementations that come along, and a sentence for each that cannot run."""
    if has_torch():
        return ("reference", "gpu", "gpu32"), ()
    return ("reference",), ("gpu and gpu32 need torch: pip install 'leadterms[gpu]'",)


def verify(
    targets: Sequence[Target],
    checks: Sequence[Check],
    corpus: Corpus,
    *,
    profile: str,
    seed: int,
    command: str,
    left_out: Sequence[str] = (),
    judged: Sequence[Result] = (),
    expected: Expectations | None = None,
    progress: Progress = lambda what, done, of: None,
) -> Run:
    """Run `checks` on the mathematics and on each target, on generated cases and on `corpus`.

    `judged` are results that were found in another way, of checkpoints. `expected` are the failures that are
    no news; one of a check that there is not is an error. `progress` is told the check at
    hand, how many are done and how many there are.

    Raises:
        InputError: no check has a subject here.
    """
    started = time.perf_counter()
    results: list[Result] = []
    mathematics = [check for check in checks if not check.needs]
    laws = [check for check in checks if check.needs]
    total = len(mathematics) + len(laws) * len(targets)
    if not total + len(judged):
        raise InputError("No check was selected; leave out --check to run all.")
    for check in mathematics:
        progress(check.id, len(results), total)
        results += run_mathematics([check], profile=profile, seed=seed)
    for target in targets:
        for check in laws:
            progress(f"{target.name}: {check.id}", len(results), total)
            results += run(target, [check], profile=profile, seed=seed, corpus=corpus)
    if len(results) != total:
        raise AssertionError(f"{total} checks were to run, {len(results)} did")
    results += judged
    if expected:
        known = [*(check.id for check in CHECKS), *(result.check for result in judged)]
        results = [as_expected(result, expected) for result in results]
        results += unmatched(expected, known, "--xfail")
    seconds = time.perf_counter() - started
    return Run(
        header=header(
            command=command,
            corpus=corpus,
            targets=[
                *(target.name for target in targets),
                *dict.fromkeys(result.target for result in judged),
            ],
            profile=profile,
            seed=seed,
            left_out=left_out,
            seconds=seconds,
        ),
        results=tuple(results),
        footer=summarise(results, seconds),
    )

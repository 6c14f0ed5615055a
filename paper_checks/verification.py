"""Run the suite: the mathematics, then each target, with progress; the results as one run."""

from __future__ import annotations

import time
from collections.abc import Sequence

from paper_checks.provenance import has_torch, header
from properties.catalogue import CHECKS
from properties.check import Check
from properties.expected_failures import Expectations, unmatched
from properties.expected_failures import judged as as_expected
from properties.jobs import Job, Progress, Trial, try_in_turn
from properties.results import Result, Run, summarise
from properties.runner import mathematics
from properties.sharing import try_between
from properties.target import Target
from reference.corpus import Corpus
from reference.errors import InputError


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
    processes: int = 1,
) -> Run:
    """Run `checks` on the mathematics and on each target, on generated cases and on `corpus`.

    `judged` are results that were found in another way, of checkpoints. `expected` are the failures that are
    no news; one of a check that there is not is an error. `progress` is told the check at
    hand, how many are done and how many there are. Several `processes` share the checks where each target is
    one that its name says how to find; the results are the same.

    Raises:
        InputError: no check has a subject here.
    """
    started = time.perf_counter()
    jobs = [Job(mathematics(), check) for check in checks if not check.needs]
    jobs += [Job(target, check) for target in targets for check in checks if check.needs]
    if not len(jobs) + len(judged):
        raise InputError("No check was selected; leave out --check to run all.")
    trial = Trial(profile, seed, corpus)
    if min(processes, len(jobs)) > 1:
        results = try_between(processes, jobs, trial, progress)
    else:
        results = try_in_turn(jobs, trial, progress)
    if [(one.target, one.check) for one in results] != [(job.target.name, job.check.id) for job in jobs]:
        raise AssertionError(f"{len(jobs)} checks were to run, {len(results)} did, or in another order")
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

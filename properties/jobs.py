"""A check to try on a target, how it is tried, and the results of many, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from properties.check import Check
from properties.results import MATHEMATICS, Result
from properties.runner import run_check
from properties.target import Target
from reference.corpus import Corpus

# Takes what is at hand, how many checks are done, and how many there are.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Job:
    """A check to try on a target, that named MATHEMATICS where it is about no implementation."""

    target: Target
    check: Check

    @property
    def family(self) -> tuple[str, str]:
        """The target's name and the check's family."""
        return self.target.name, self.check.id.split(".")[0]


@dataclass(frozen=True)
class Trial:
    """How checks are tried; see `properties.runner.run_check`."""

    profile: str
    seed: int
    corpus: Corpus | None = None

    def of(self, job: Job) -> Result:
        """Return the result of a check."""
        corpus = self.corpus if job.check.needs else None
        return run_check(job.check, job.target, profile=self.profile, seed=self.seed, corpus=corpus)


def try_in_turn(jobs: Sequence[Job], trial: Trial, progress: Progress) -> list[Result]:
    """Return the results of the checks, in their order."""
    results: list[Result] = []
    for job in jobs:
        progress(shown(job.target.name, job.check.id), len(results), len(jobs))
        results.append(trial.of(job))
    return results


def shown(target: str, what: str) -> str:
    """Return what a person is told of a check or family that is at hand."""
    return what if target == MATHEMATICS else f"{target}: {what}"

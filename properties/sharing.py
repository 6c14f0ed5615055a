"""The checks of a run shared by several processes: the results are those of one.

A check depends on nothing but its target, the seed, the profile and the corpus, so it does not matter which
process tries it, nor when. Neighbours of one family go to one process: they look at the same cases, and what
was computed for one is remembered for the next. The processes are new ones, not copies of
this one, which would inherit locks that its threads hold; so each finds its targets by their names.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from multiprocessing import connection
from pathlib import Path

from properties.catalogue import BY_ID
from properties.connectors import connect
from properties.jobs import Job, Progress, Trial, shown, try_in_turn
from properties.results import MATHEMATICS, Result
from properties.runner import mathematics
from properties.target import Target
from reference.errors import InputError

# Threads of all processes together would be more than there are processors, and wait for each other.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def try_between(processes: int, jobs: Sequence[Job], trial: Trial, progress: Progress) -> list[Result]:
    """Return what `properties.jobs.try_in_turn` returns, found by so many processes.

    Each target must be one that `connect` finds by its name, and each check one of the catalogue. `progress`
    is told which family was finished last.

    Raises:
        InputError: a process ended before its work did.
    """
    pieces = [list(piece) for _, piece in groupby(jobs, key=lambda job: job.family)]
    found: list[list[Result]] = [[] for _ in pieces]
    with _pool(min(processes, len(pieces)), trial) as pool:
        with _deaf_to_interrupts(), _one_thread_each():
            # All are started in here.
            place_of = {_submitted(pool, *_names(piece)): place for place, piece in enumerate(pieces)}
        for future in as_completed(place_of):
            place = place_of[future]
            found[place] = future.result()
            progress(shown(*pieces[place][0].family), sum(map(len, found)), len(jobs))
    return [result for results in found for result in results]


def _names(piece: Sequence[Job]) -> tuple[str, tuple[str, ...]]:
    return piece[0].target.name, tuple(job.check.id for job in piece)


def _submitted(pool: ProcessPoolExecutor, target: str, checks: tuple[str, ...]) -> Future[list[Result]]:
    try:
        return pool.submit(_tried, target, checks)
    except OSError as error:
        if error.errno is not None:
            raise
        # It was found broken, and closed, while it took this.
        raise BrokenProcessPool from None


@contextmanager
def _pool(processes: int, trial: Trial) -> Iterator[ProcessPoolExecutor]:
    """Yield processes that try checks; whatever interrupts their use ends them.

    They find the trial in a file. It would else go to each through a pipe, and what does not fit into a pipe
    waits to be read: for ever, where the process dies at its start.

    Raises:
        InputError: one ended before its work did.
    """
    others = multiprocessing.active_children()
    with tempfile.TemporaryDirectory(prefix="leadterms-") as folder:
        path = Path(folder) / "trial.pickle"
        path.write_bytes(pickle.dumps(trial))
        pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), _begin, (path,))
        try:
            yield pool
        except BrokenProcessPool:
            raise InputError(
                "A process that tried checks ended before they did: it crashed, or the memory did not "
                "suffice. Give --jobs 1, which shows at which check."
            ) from None
        finally:
            # After all is done nothing is lost by ending them; they would otherwise finish what they began.
            for child in multiprocessing.active_children():
                if child not in others:
                    child.terminate()
            pool.shutdown()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Let processes that are started in here not hear Ctrl-C, of which each would print a traceback.

    What comes meanwhile comes to this process afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let processes that are started in here use one thread each, unless the environment names a number."""
    unset = [name for name in THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(unset, "1"))
    try:
        yield
    finally:
        for name in unset:
            del os.environ[name]


@dataclass
class _Process:
    """What a process that tries checks keeps from one piece of work to the next."""

    trial: Trial
    targets: dict[str, Target] = field(default_factory=lambda: {MATHEMATICS: mathematics()})

    def target(self, name: str) -> Target:
        if name not in self.targets:
            self.targets[name] = connect(name)
        return self.targets[name]


# A process has one, from its beginning on.
_here: list[_Process] = []


def _begin(path: Path) -> None:
    _here.append(_Process(pickle.loads(path.read_bytes())))
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End when the process that has the results is gone, which is not told to those that wait for work."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _tried(target: str, checks: Sequence[str]) -> list[Result]:
    here = _here[0]
    jobs = [Job(here.target(target), BY_ID[check]) for check in checks]
    return try_in_turn(jobs, here.trial, lambda what, done, total: None)

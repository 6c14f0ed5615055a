"""What reading a small file may take: 1 GiB of memory beside what the process has, and seconds of CPU."""

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

GIB = 1 << 30
# Of CPU time, which other processes do not take away; reading takes milliseconds.
SECONDS = 10.0
SIZE = Path("/proc/self/statm")


class Hangs(BaseException):
    """It takes too long; no `except Exception` on the way hides it."""


@contextmanager
def limits(memory: int = GIB, seconds: float = SECONDS) -> Iterator[None]:
    """Raise MemoryError or Hangs where what is run takes more; of memory where a process sees its own."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGVTALRM, _hangs)
    try:
        if SIZE.exists():
            now = int(SIZE.read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (now + memory, hard))
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.signal(signal.SIGVTALRM, handler)


def _hangs(number: int, frame: object) -> None:
    raise Hangs(f"more than {SECONDS:g} s of CPU time")

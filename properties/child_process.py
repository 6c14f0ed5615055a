"""A program spoken to in lines over its standard input and output, which nothing that it does can hold up.

Two threads read its standard output and standard error and one writes, so that neither side ever waits for
the other in a circle; everything that is kept of it is bounded.
"""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from properties.answers import one_line

CHUNK = 1 << 16
# The longest answer: six [V, V] arrays of 20-digit numbers at V = 1000 take 150 MB.
MOST_BYTES = 1 << 28
# Lines that wait to be read; a program that answers more than it is asked is held up by its own pipe.
MOST_LINES = 4
KEPT_OF_STDERR = 4000
LAST_WORDS = 300
GRACE_SECONDS = 1.0
SAYS_AN_ERROR = re.compile(r"(?:[Ee]rror|[Ee]xception|ERROR|panicked)\b.*\w")
UNTIL_STOP = " (it must answer line by line until it is asked to stop)"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # real-time signals between the first and the last have no name
        return "unnamed"


class Broken(Exception):
    """The program ended, hangs, or writes without end; the message completes `PROGRAM ...`."""

    def __init__(self, message: str, timed_out: bool = False, ended: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out
        self.ended = ended


class ChildProcess:
    """A running program and its pipes.

    Args:
        command: the program and its arguments.

    Raises:
        OSError: the program cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        # A process group of its own: Ctrl-C comes to us alone, and what the program started ends with it.
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._lines: queue.Queue[bytes | Broken] = queue.Queue(MOST_LINES)
        self._to_write: queue.Queue[bytes | None] = queue.Queue()
        self._stderr = bytearray()
        self._closing = threading.Event()
        self._threads = [
            threading.Thread(target=work, daemon=True)
            for work in (self._read, self._write, lambda: self._drain(self._process.stderr))
        ]
        for thread in self._threads:
            thread.start()

    def ask(self, line: bytes, timeout: float) -> bytes:
        """Send a line and return the next one that the program writes.

        Raises:
            Broken: none came within `timeout` seconds, it was too long, or the program ended.
        """
        self._to_write.put(line)
        try:
            answer = self._lines.get(timeout=timeout)
        except queue.Empty:
            raise Broken(
                f"did not answer within {timeout:g} s (a line must end in a line feed and be flushed)",
                timed_out=True,
            ) from None
        if isinstance(answer, Broken):
            raise Broken(f"{answer}{self._last_words()}", ended=answer.ended)
        return answer

    def close(self, farewell: bytes = b"") -> None:
        """End the program, gently at first, and reap it; may be called again."""
        if self._closing.is_set():
            return
        self._closing.set()
        if farewell and self._process.poll() is None:
            self._to_write.put(farewell)
        self._to_write.put(None)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_SECONDS if farewell else 0)
        self._kill()
        self._process.wait()
        for thread in self._threads:
            thread.join(GRACE_SECONDS)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe and not any(thread.is_alive() for thread in self._threads):
                pipe.close()

    def _kill(self) -> None:
        if self._process.returncode is not None:
            return
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(OSError):
            self._process.kill()

    def _read(self) -> None:
        kept = bytearray()
        while chunk := self._chunk():
            first, *others = chunk.split(b"\n")
            kept += first
            for following in others:
                self._hand_over(bytes(kept))
                kept = bytearray(following)
            if len(kept) > MOST_BYTES:
                self._hand_over(
                    Broken(f"wrote {MOST_BYTES >> 20} MiB without the end of a line (an answer is one line)")
                )
                return
        told = self._how_it_ended()
        self._hand_over(Broken(told, ended=self._process.returncode is not None))

    def _chunk(self) -> bytes:
        with suppress(OSError, ValueError):
            return os.read(self._stdout.fileno(), CHUNK)
        return b""

    def _hand_over(self, item: bytes | Broken) -> None:
        while not self._closing.is_set():
            with suppress(queue.Full):
                self._lines.put(item, timeout=0.1)
                return

    def _how_it_ended(self) -> str:
        try:
            status = self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return f"closed its standard output{UNTIL_STOP}"
        if status < 0:
            return f"was ended by signal {-status} ({_signal_name(-status)}){UNTIL_STOP}"
        return f"ended with exit status {status}{UNTIL_STOP}"

    def _write(self) -> None:
        with suppress(OSError, ValueError):
            while (line := self._to_write.get()) is not None:
                self._stdin.write(line)
                self._stdin.flush()
        with suppress(OSError, ValueError):
            self._stdin.close()

    def _drain(self, pipe: IO[bytes] | None) -> None:
        assert pipe is not None
        with suppress(OSError, ValueError):
            while chunk := os.read(pipe.fileno(), CHUNK):
                self._stderr += chunk
                del self._stderr[:-KEPT_OF_STDERR]

    def _last_words(self) -> str:
        """Return the end of what the program wrote on standard error, as a clause."""
        # Its last words may still be in the pipe.
        deadline = time.monotonic() + GRACE_SECONDS
        self._threads[-1].join(max(0.0, deadline - time.monotonic()))
        text = bytes(self._stderr).decode("utf-8", "replace")
        lines = [line for line in (one_line(line[-LAST_WORDS:]) for line in text.splitlines()) if line]
        # After its error a runtime may print more: node a trace and its version.
        errors = [line for line in lines if SAYS_AN_ERROR.search(line)]
        return f"; its standard error ends: {(errors or lines)[-1]}" if lines else ""

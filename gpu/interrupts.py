"""Ctrl-C: whenever it comes, a command ends with status 130, without a traceback and without a half file.

Python turns it into a KeyboardInterrupt wherever the program happens to be, which is not enough. Where that
is a callback of the garbage collector or of a weak reference (Hypothesis has one, and so have imports),
Python reports the exception as ignored and goes on. Here such a one is raised again a moment later, and the
clean-up after it is not interrupted by a key that was pressed twice. What Python does before this module is
imported, some hundredths of a second, cannot be helped.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time

STATUS = 130
SECONDS_UNTIL_AGAIN = 0.02
# A clean-up that takes longer hangs, and the next Ctrl-C ends the process at once.
SECONDS_OF_CLEAN_UP = 3.0


class Interrupts:
    """Ctrl-C in the main thread, from `listen` to `ignore`.

    Attributes:
        came: whether it was pressed.
    """

    def __init__(self) -> None:
        self.came = False
        self._raised_at: float | None = None

    def listen(self) -> None:
        """Take Ctrl-C, unless the process was started to ignore it, as by nohup."""
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._interrupt)
            sys.unraisablehook = self._unraisable

    def ignore(self) -> None:
        """Let nothing interrupt what is left: the work is done."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def stopped(self, told: str) -> int:
        """Tell a person that the command was stopped, and return its status."""
        self.ignore()
        # Where an interrupt has passed through `exec`, Python would end by the signal in place of a status;
        # running the empty program makes it forget that.
        exec("")
        print(told, file=sys.stderr)
        return STATUS

    def _interrupt(self, number: int, frame: object) -> None:
        self.came = True
        now = time.monotonic()
        if self._raised_at is None:
            self._raised_at = now
            raise KeyboardInterrupt
        if now - self._raised_at > SECONDS_OF_CLEAN_UP:
            os._exit(STATUS)

    def _unraisable(self, unraisable: sys.UnraisableHookArgs) -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(unraisable)
            return
        self._raised_at = None
        if sys.is_finalizing():
            return
        import threading  # not at the top: this module is there before all others

        # Not now: this too runs inside the callback.
        again = threading.Timer(SECONDS_UNTIL_AGAIN, _thread.interrupt_main)
        again.daemon = True
        again.start()


# A process has one.
interrupts = Interrupts()

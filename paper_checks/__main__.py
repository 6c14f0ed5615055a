"""The command `leadterms` from its first moment: Ctrl-C is taken before anything large is imported."""

from __future__ import annotations

import sys

from gpu.interrupts import interrupts


def main() -> None:
    """Run the command line, see `gpu.command_line.run_command`."""
    interrupts.listen()
    try:
        from paper_checks.command_line import main as run
    except BaseException:
        if interrupts.came:
            sys.exit(interrupts.stopped("leadterms: stopped before the start."))
        raise
    run()


if __name__ == "__main__":
    main()

"""How many processes share the checks of a run."""

from __future__ import annotations

from collections.abc import Sequence

from properties.connectors import BUILT_IN
from reference.corpus import Corpus
from reference.errors import InputError
from reference.memory import physical_memory
from reference.processors import usable_processors

# A process takes as long to start as it takes for about so many checks of the quick profile.
CHECKS_WORTH_A_PROCESS = 40
# What a process holds besides its matrices: mostly torch and SymPy.
BYTES_OF_A_PROCESS = 1 << 29
# Matrices [V, V] that are held at a time when a check is tried on a corpus.
MATRICES = 20


def processes(asked: int | None, targets: Sequence[str], checks: int, corpus: Corpus) -> int:
    """Return how many processes are to share so many checks on the targets of these names.

    As many as were asked for. If none were: what the processors, the memory and the number of checks allow
    for the implementations that come along, and one for others, of which nobody said that several may run.

    Raises:
        InputError: several were asked for, and a target is a program.
    """
    if asked is not None:
        program = next((target for target in targets if target.startswith("cmd:")), None)
        if asked > 1 and program is not None:
            raise InputError(
                f"--jobs {asked} would start {program} {asked} times; leave --jobs out for programs."
            )
        return asked
    if not set(targets) <= set(BUILT_IN):
        return 1
    room = physical_memory()
    each = BYTES_OF_A_PROCESS + MATRICES * 8 * corpus.vocab_size**2
    most = usable_processors() if room is None else min(usable_processors(), room // each)
    return max(1, min(most, checks // CHECKS_WORTH_A_PROCESS))

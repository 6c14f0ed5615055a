"""How rows of activations are split for a probe: whole sequences go to one side or the other.

Neighbouring positions of a sequence share most of their context, so a probe that has seen one of them has
seen much of the other; a split by position lets it score on what it has seen.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from properties.check import Check, Comparison, Law, NotAdmitted, Outcome
from properties.heads_cases import ROWS, RowsCase
from properties.laws.given import given_check
from properties.target import Target
from properties.tolerances import draws_to_differ


def _sides(target: Target, case: RowsCase) -> np.ndarray:
    return target.probe_split(case.sequences, case.share, case.seed)


def _whole(target: Target, case: RowsCase) -> Outcome:
    sides = _sides(target, case)
    yield Comparison("entries, each 0 or 1", sides, (sides != 0).astype(float), 0.0)
    for number in np.unique(case.sequences):
        of_one = sides[case.sequences == number]
        yield Comparison(f"sides of sequence {number}", of_one, np.full(len(of_one), of_one[0]), 0.0)


def fewest_and_most(sequences: int, share: float | Fraction) -> tuple[int, int]:
    """Return the least and the largest test side: within one of its share, and neither side empty."""
    wanted = share * sequences
    return max(1, math.ceil(wanted - 1)), min(sequences - 1, math.floor(wanted + 1))


def _shares(target: Target, case: RowsCase) -> Outcome:
    sides = _sides(target, case)
    numbers = np.unique(case.sequences)
    tested = sum(1.0 for number in numbers if sides[case.sequences == number][0])
    low, high = fewest_and_most(len(numbers), case.share)
    yield Comparison("number of test sequences", np.clip(tested, low, high), tested, 0.0)


def _repeatable(target: Target, case: RowsCase) -> Outcome:
    yield Comparison("sides of the same seed", _sides(target, case), _sides(target, case), 0.0)
    # The order of the rows does not decide where a sequence goes.
    turned = target.probe_split(case.sequences[::-1].copy(), case.share, case.seed)[::-1]
    yield Comparison("sides with the rows turned around", turned, _sides(target, case), 0.0)


def _seeded(target: Target, case: RowsCase) -> Outcome:
    """Not all of many seeds make the same split, where the size of the test side leaves a choice.

    With k of n sequences tested there are C(n, k) splits. A seed may make any of them, so two seeds may well
    make the same one; it takes as many as are all alike with a negligible probability.
    """
    sides = _sides(target, case)
    firsts = np.unique(case.sequences, return_index=True)[1]
    choices = math.comb(len(firsts), int((sides[firsts] != 0).sum()))
    if choices < 2:
        raise NotAdmitted("one side has no sequence, which probe.shares tells")
    seeds = range(case.seed, case.seed + draws_to_differ(choices))
    made = {tuple(target.probe_split(case.sequences, case.share, seed).tolist()) for seed in seeds}
    name = f"number of different splits, seeds {seeds[0]} to {seeds[-1]}"
    yield Comparison(name, len(made), max(len(made), 2), 0.0)


def _arguments(case: RowsCase) -> dict[str, Any]:
    return {"the sequences": case.sequences.copy(), "the share": case.share, "the seed": case.seed}


def _check(name: str, statement: str, law: Law) -> Check:
    return Check(
        id=f"probe.{name}",
        statement=statement,
        source="attention-chapter, sec. 4.18.4",
        cases=ROWS,
        law=law,
        needs=("probe_split",),
    )


CHECKS = (
    _check("whole_sequences", "All rows of a sequence are on the same side of a probe's split.", _whole),
    _check("shares", "Both sides have a sequence, and the test side its share to within one.", _shares),
    _check(
        "repeatable", "A split depends on the sequences and the seed, not on the order of rows.", _repeatable
    ),
    _check("seeded", "The seed of a split is not ignored: many seeds do not all make the same one.", _seeded),
    given_check(
        "probe.given",
        "probe_split",
        "Splitting rows leaves the numbers of their sequences as they were given.",
        ROWS,
        _arguments,
    ),
)

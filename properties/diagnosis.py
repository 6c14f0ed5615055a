"""What a wrong answer is, when it is a right one but for a known slip.

A slip is named only where it explains what was answered on two cases, the one that failed and the check's
ordinary one, which is in general position: a small case alone has many explanations. Explained means equal,
within rounding, to what the slip would have answered. That is computed: what each suspect answers
(`properties.mutants.suspects`), and where none explains it the right answer transposed, negated or times NT.
A slip may be in a statistic and all that follows from it, or in what is answered for it alone.
A suspect must agree with all that the law compares up to its failure, and with the earlier laws on the same
method that the answer passes, so that B_bar^T is not blamed for a wrong Sigma_B. Where a few slips explain an
answer and no other law decides between them, all of them are said.
Where a comparison can fail by one slip alone it says so itself, and one case is enough.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from properties.cases import CorpusCase
from properties.check import Check, Comparison
from properties.comparing import arrays
from properties.explaining import (
    agree,
    as_target,
    explaining,
    fails,
    is_zero,
    passes_an_earlier,
    tells_slips,
    until_failure,
)
from properties.sizes import powers
from properties.slips import Slip, either, known, scaled, sized
from properties.target import Target
from properties.tolerances import between_two


@np.errstate(all="ignore")
def diagnose(check: Check, target: Target, failed: Any) -> Slip | None:
    """Return the known slip that explains what `target` answers, on the failed and the ordinary case."""
    if not tells_slips(check):
        return None
    cases = [failed] if failed is check.cases.ordinary else [failed, check.cases.ordinary]
    told = [until_failure(check, target, case) for case in cases]
    if not all(told):
        return None
    certain = _certain(told[0]) or _from_the_start(check, target)
    if certain:
        return known(certain)
    if not all(_repeats(check, target, case, mine) for case, mine in zip(cases, told, strict=True)):
        return known("not repeatable")
    if not any(np.isfinite(arrays(one[-1])[0]).any() for one in told) and not passes_an_earlier(
        check, target
    ):
        return None  # where every number is lost, all slips that lose them answer alike
    right = [_of_a_right_one(check, case, target.dtype) for case in cases]
    if all(agree(theirs, mine, target.dtype) for theirs, mine in zip(right, told, strict=True)):
        return None  # it is the law that is wrong
    wrong = [comparisons[-1] for comparisons in told]
    places: dict[str, frozenset[str]] = {}
    for one in explaining(check, target, cases, told):
        places[one.name] = places.get(one.name, one.places) & one.places
    if places:
        return either({name: known(name).made_in(where, wrong[0].name) for name, where in places.items()})
    if not all(map(fails, wrong)):
        return None
    # What is compared with another answer of the target's own says nothing of what is right.
    of_right = all(map(_expect_the_same, right, told))
    names = set.intersection(*({*_simple(one, case)} for one, case in zip(wrong, cases, strict=True)))
    if of_right and names:
        return known(names.pop()) if len(names) == 1 else None
    if of_right and all(not np.any(one.got) for one in wrong):
        return known("all zero")
    as_float32 = _as_float32(check, target, cases)
    if as_float32 and not all(map(_answered_again, as_float32, told)):
        return known("not repeatable")
    if as_float32:
        rounded = all(np.array_equal(np.float32(one.got), np.asarray(one.got)) for one in wrong)
        return known("float32" if rounded else "float32 inside")
    if not of_right:
        return None
    found = _constant(wrong, target.dtype) or _of_a_size(wrong, cases, target.dtype)
    return found or _of_another_length(wrong, target.dtype)


def _certain(told: list[Comparison]) -> str | None:
    """Return the slip that a failure is where it can be no other."""
    return told[-1].slip if told and fails(told[-1]) else None


def _from_the_start(check: Check, target: Target) -> str | None:
    """Return the slip that a descent begins with, if any: nothing can be said of what comes after it."""
    from properties.catalogue import BY_ID

    start = BY_ID["first_step.start"]
    return (
        _certain(until_failure(start, target, start.cases.ordinary)) if check.needs == start.needs else None
    )


def _repeats(check: Check, target: Target, case: Any, told: list[Comparison]) -> bool:
    """Return whether a target that is asked the same again answers the same, to the bit."""
    anew = Target(target.implementation, target.name)  # one that remembers no answers
    anew.dtype = target.dtype
    again = until_failure(check, anew, case)
    return len(again) == len(told) and all(
        np.array_equal(arrays(one)[0], arrays(other)[0], equal_nan=True)
        for one, other in zip(again, told, strict=True)
    )


def _of_a_right_one(check: Check, case: Any, dtype: str) -> list[Comparison]:
    from properties.mutants.mutant import plain

    return until_failure(check, as_target(plain(), dtype), case)


def admits_a_right_one(check: Check) -> bool:
    """Return whether a right implementation's answers to the ordinary case can be compared, all of them."""
    from properties.mutants.mutant import plain

    try:
        compared = [
            one for one in check.law(Target(plain()), check.cases.ordinary) if isinstance(one, Comparison)
        ]
        return bool(compared) and all(np.isfinite(arrays(one)[2]).all() for one in compared)
    except Exception:  # not admitted, or a law that breaks on whatever is answered
        return False


def _expect_the_same(right: list[Comparison], told: list[Comparison]) -> bool:
    """Return whether the last comparison expects of a right implementation what it expects of this one."""
    if len(right) < len(told):
        return False
    _, of_right, _ = arrays(right[len(told) - 1])
    _, expected, bound = arrays(told[-1])
    return expected.shape == of_right.shape and _near(of_right, expected, 2 * bound)


def _simple(comparison: Comparison, case: Any) -> Iterator[str]:
    """Yield the slips that turn what was expected into what was got."""
    got, expected, bound = arrays(comparison)
    if got.shape != expected.shape:
        return
    if got.ndim >= 2 and got.shape[-1] == got.shape[-2] and _near(got.swapaxes(-1, -2), expected, bound):
        yield "transposed"
    if _near(-got, expected, bound):
        yield "negated"
    positions = case.tokens[:, 1:].size if isinstance(case, CorpusCase) else 1
    if positions > 1 and _near(got / positions, expected, bound):
        yield "not divided by NT"


def _near(got: np.ndarray, expected: np.ndarray, bound: np.ndarray) -> bool:
    return bool((np.abs(got - expected) <= bound).all())


def _as_float32(check: Check, target: Target, cases: list[Any]) -> list[list[Comparison]]:
    """Return what a float64 target gives to compare where it would hold the law as float32, else nothing."""
    if target.dtype != "float64":
        return []
    declared = Target(target.implementation, target.name)
    declared.dtype = "float32"
    told = [until_failure(check, declared, case) for case in cases]
    return told if all(one and not fails(one[-1]) for one in told) else []


def _answered_again(again: list[Comparison], told: list[Comparison]) -> bool:
    """Return whether a target that passed when it was asked again had answered the same when it failed."""
    return all(
        one.name != other.name or np.array_equal(arrays(one)[0], arrays(other)[0], equal_nan=True)
        for one, other in zip(again, told, strict=False)
    )


def _constant(wrong: list[Comparison], dtype: str) -> Slip | None:
    """Return the factor, the same on all cases, between what was got and what was expected.

    One number is always a multiple of another; it takes two numbers to tell.
    """
    if sum(np.size(one.expected) for one in wrong) < 2:
        return None
    got, expected, _ = arrays(wrong[-1])
    square = float((expected * expected).sum())
    factor = float((got * expected).sum()) / square if square else 0.0
    if factor == 0 or not np.isfinite(factor) or f"{factor:.6g}" == "1":
        return None
    if all(_near(factor * arrays(one)[1], np.zeros(()), arrays(one)[2]) for one in wrong):
        return None  # rounding, which is a multiple of anything
    return scaled(factor) if all(_is_times(one, factor, dtype) for one in wrong) else None


def _of_a_size(wrong: list[Comparison], cases: list[Any], dtype: str) -> Slip | None:
    """Return the size of the corpus that what was expected is multiplied by in each case."""
    if sum(np.size(one.expected) for one in wrong) < 2 or not any(np.any(one.expected) for one in wrong):
        return None
    return sized(
        [
            power
            for power in powers(cases[-1])
            if all(_is_times(one, power.value(case), dtype) for one, case in zip(wrong, cases, strict=True))
        ]
    )


def _of_another_length(wrong: list[Comparison], dtype: str) -> Slip | None:
    """Return that each case has a factor of its own, where each has numbers enough to tell that."""
    for one in wrong:
        got, expected, bound = arrays(one)
        if np.count_nonzero(np.abs(expected) > bound) < 2 or is_zero(one):
            return None  # one number, and rounding, are multiples of anything
        factor = float((got * expected).sum() / (expected * expected).sum())
        if not math.isfinite(factor) or factor <= 0 or not _is_times(one, factor, dtype):
            return None
    return known("of another length")


def _is_times(one: Comparison, factor: float, dtype: str) -> bool:
    got, expected, bound = arrays(one)
    return bool((np.abs(got - factor * expected) <= between_two(got, expected, bound, dtype)).all())

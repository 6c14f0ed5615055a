"""Which known slips answer as an implementation does: to the law that failed, and to the laws beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from properties.check import Check, Comparison, Law
from properties.comparing import arrays, error_over_bound
from properties.sizes import Power
from properties.slips import STATISTICS
from properties.target import Incapable, Target
from properties.tolerances import between_two

if TYPE_CHECKING:
    from properties.mutants.suspects import Suspect

# Laws that cost more than this follow orders in eta over many runs; they compare no single answer.
DEAREST = 4

# The laws on each group's gradient.
OF_GRADIENTS = ("gradients.W_O", "gradients.V", "gradients.W", "gradients.P")

# What each suspect answers on a law's ordinary case is the same for every implementation that is asked about.
# It is all kept: a law that waits half done breaks off, with a message, when the process ends.
_REMEMBERED: dict[tuple[Law, int, Suspect, str], list[Comparison]] = {}


def tells_slips(check: Check) -> bool:
    """Return whether a failure of this law may be told by a slip: one that shows in it, at a price."""
    return check.tells_slips and check.cost <= DEAREST


def explaining(check: Check, target: Target, cases: list[Any], told: list[list[Comparison]]) -> list[Suspect]:
    """Return the suspects that answer as the target does, to this law and the earlier ones it passes.

    Where no slip that is known does, one that is solved for may: a factor inside the model. A statistic may
    also be wrong as it is answered, and right where others are made of it.
    """
    from properties.mutants.factors import EXTRAS, PLACES, RATES
    from properties.mutants.suspects import suspects

    every: Collection[Suspect] = suspects(check.needs)
    if check.needs in (("gradients",), ("train",)):
        every = _of_this_loss(target, every)
    if _only_descent_is_wrong(check, target):
        alone = [one for one in every if one.alone]
        return _narrowed(check, target, cases, told, alone) or _a_factor(
            check, target, cases, told, (*RATES, *EXTRAS)
        )
    places = (*PLACES, *RATES, *EXTRAS) if check.needs == ("train",) else PLACES
    found = _narrowed(check, target, cases, told, every) or _a_factor(check, target, cases, told, places)
    if found or "statistics" not in check.needs:
        return found
    return _narrowed(check, target, cases, told, _in_the_answer(target))


def _of_this_loss(target: Target, those: Collection[Suspect]) -> list[Suspect]:
    """Return the suspects that are right in the loss, and those that answer it as the target does.

    Gradients are slopes of the loss, so that what is behind them is behind it; and slopes of slipped models
    take long to find. All of them where the target tells no loss.
    """
    from properties.catalogue import BY_ID

    law = BY_ID["model.loss"]
    mine = until_failure(law, target, law.cases.ordinary) if "loss" in target.methods else []
    slipped = [one for one in those if one.in_the_loss]
    same = _also_explaining(law, mine, target.dtype, slipped) if mine else slipped
    return [one for one in those if not one.in_the_loss or one in same]


def _in_the_answer(target: Target) -> list[Suspect]:
    """Return the slips that explain statistics as they are answered, on the ordinary cases of their own laws.

    Each in one statistic, and those of one name in all that it explains.
    """
    from properties.catalogue import select
    from properties.mutants.suspects import in_the_answer, together

    by_name: dict[str, dict[str, Suspect]] = {}
    for statistic in STATISTICS:
        (law,) = select([f"statistics.{statistic}"])
        mine = until_failure(law, target, law.cases.ordinary)
        if mine and fails(mine[-1]):
            for one in _also_explaining(law, mine, target.dtype, list(in_the_answer(statistic))):
                by_name.setdefault(one.name, {}).setdefault(statistic, one)
    found = [tuple(those.values()) for those in by_name.values()]
    alone = [one for those in found for one in those]
    return [*alone, *(together(those) for those in found if len(those) > 1)]


def _only_descent_is_wrong(check: Check, target: Target) -> bool:
    """Return whether the law is on descent, and the gradients that it goes along are right.

    From zero many slips of the model make one descent; the gradients elsewhere tell them apart.
    """
    from properties.catalogue import select

    if check.needs != ("train",) or "gradients" not in target.methods:
        return False
    told = (until_failure(one, target, one.cases.ordinary) for one in select(OF_GRADIENTS))
    return all(one and not fails(one[-1]) for one in told)


def _a_factor(
    check: Check, target: Target, cases: list[Any], told: list[list[Comparison]], places: Iterable[str]
) -> list[Suspect]:
    numbers, sizes = _solved_for(check, target, cases, told, places)
    # Both fit where a size is the same number in every case: a number says less.
    return _narrowed(check, target, cases, told, numbers) or _narrowed(check, target, cases, told, sizes)


def _solved_for(
    check: Check, target: Target, cases: list[Any], told: list[list[Comparison]], places: Iterable[str]
) -> tuple[list[Suspect], list[Suspect]]:
    """Return the factors with which the model answers as the target does, on the ordinary case.

    First those that are numbers, one a place, then those that are sizes of the case. A number alone is met by
    some factor at any place: there must be another to tell. Zeros are met by a factor of zero at many.
    """
    from properties.mutants.factors import METHODS, Factor, solved
    from properties.mutants.suspects import Suspect

    numbers: dict[str, Suspect] = {}
    sizes: list[Suspect] = []
    if not {*check.needs} <= {*METHODS} or sum(_numbers(one).size for one in told) < 2:
        return [], []
    if not np.any(told[-1][-1].got):
        return [], []
    mine = _numbers(told[-1])

    def rest(factor: Factor) -> np.ndarray:
        theirs = _numbers(
            list(_compared(check, as_target(factor.make(), target.dtype), cases[-1]))[: len(told[-1])]
        )
        return theirs - mine if theirs.shape == mine.shape else np.full(1, np.nan)

    for place in places:
        for factor in solved(place, rest, cases[-1]):
            one = Suspect(factor.name, frozenset(), factor.make, solved_for=True)
            if agree(_answers(check, one, cases[-1], target.dtype), told[-1], target.dtype):
                if isinstance(factor.size, Power):
                    sizes.append(one)
                else:
                    numbers.setdefault(place, one)
    return [*numbers.values()], sizes


def _numbers(comparisons: list[Comparison]) -> np.ndarray:
    return np.concatenate([np.zeros(0), *(np.ravel(arrays(one)[0]) for one in comparisons)])


def _narrowed(
    check: Check, target: Target, cases: list[Any], told: list[list[Comparison]], those: Iterable[Suspect]
) -> list[Suspect]:
    found = list(those)
    # The ordinary case is the last: what suspects answer there is remembered from one failure to the next.
    for case, mine in zip(reversed(cases), reversed(told), strict=True):
        found = [one for one in found if agree(_answers(check, one, case, target.dtype), mine, target.dtype)]
    earlier, later = _others(check)
    undecided = []
    for other in earlier if found else ():
        mine = until_failure(other, target, other.cases.ordinary)
        if mine and not fails(mine[-1]):
            found = _also_explaining(other, mine, target.dtype, found)
        else:
            undecided.append(other)
    # A law that fails as well may do so through a second slip: it decides between slips, and refutes none.
    # Zeros alone say little, as those of one step not made do of a descent: there it does refute them. So it
    # does where numbers at a few places were solved for: one that fits one step may fit no second one.
    all_zero = all(is_zero(one[-1]) for one in told)
    for other in [*undecided, *later]:
        if all_zero or len({one.name for one in found}) > 1:
            mine = until_failure(other, target, other.cases.ordinary)
            explained = _also_explaining(other, mine, target.dtype, found)
            refuted = all_zero or all(one.solved_for for one in found)
            found = explained if refuted else explained or found
    return found


def is_zero(comparison: Comparison) -> bool:
    """Return whether what was answered is zero in every entry, within its rounding."""
    got, _, bound = arrays(comparison)
    return got.shape == bound.shape and bool((np.abs(got) <= bound).all())


def _also_explaining(check: Check, mine: list[Comparison], dtype: str, found: list[Suspect]) -> list[Suspect]:
    return [one for one in found if agree(_answers(check, one, check.cases.ordinary, dtype), mine, dtype)]


def _answers(check: Check, one: Suspect, case: Any, dtype: str) -> Iterable[Comparison]:
    """Return what a law compares of a suspect, as far as it gets; of a drawn case as it is asked for."""
    if case is not check.cases.ordinary:
        return _compared(check, as_target(one.make(), dtype), case)
    key = (check.law, id(check.cases.ordinary), one, dtype)
    if key not in _REMEMBERED:
        _REMEMBERED[key] = list(_compared(check, as_target(one.make(), dtype), case))
    return _REMEMBERED[key]


def as_target(implementation: Any, dtype: str) -> Target:
    """Return an implementation as a target that answers in `dtype`."""
    target = Target(implementation)
    target.dtype = dtype
    return target


def until_failure(check: Check, target: Target, case: Any) -> list[Comparison]:
    """Return what the law compares on a case, up to the first thing that is wrong; nothing if it is lost.

    A law that asks for what the target does not answer and need not has compared all that it can.
    """
    found: list[Comparison] = []
    try:
        for item in check.law(target, case):
            if isinstance(item, Comparison):
                found.append(item)
                if fails(item):
                    break
    except Incapable:
        return found
    except Exception:  # a law may break on the nonsense that a slip answers; it then tells nothing
        return []
    return found


def _compared(check: Check, target: Target, case: Any) -> Iterator[Comparison]:
    try:
        yield from (item for item in check.law(target, case) if isinstance(item, Comparison))
    except Exception:  # as above; what came before still tells something
        return


def _others(check: Check) -> tuple[list[Check], list[Check]]:
    """Return the laws on the same methods that come before and after this one, none too dear."""
    from properties.catalogue import CHECKS

    ids = [other.id for other in CHECKS]
    place = ids.index(check.id) if check.id in ids else len(ids)
    similar = [
        (i, other) for i, other in enumerate(CHECKS) if other.needs == check.needs and tells_slips(other)
    ]
    return [other for i, other in similar if i < place], [other for i, other in similar if i > place]


def passes_an_earlier(check: Check, target: Target) -> bool:
    """Return whether the target holds an earlier law on the same methods, on its ordinary case."""
    told = (until_failure(other, target, other.cases.ordinary) for other in _others(check)[0])
    return any(one and not fails(one[-1]) for one in told)


def agree(theirs: Iterable[Comparison], mine: list[Comparison], dtype: str) -> bool:
    """Return whether an implementation gave a law the same to compare, as far as mine goes.

    No more is asked of it than up to the first that differs.
    """
    answers = iter(theirs)
    for other in mine:
        one = next(answers, None)
        if one is None or one.name != other.name or not _same(one, other, dtype):
            return False
    return True


def _same(one: Comparison, other: Comparison, dtype: str) -> bool:
    """Return whether both sides are alike: what is expected may be an answer of the implementation's too."""
    (first, first_expected, _), (second, expected, bound) = arrays(one), arrays(other)
    return _alike(first, second, expected, bound, dtype) and _alike(
        first_expected, expected, expected, bound, dtype
    )


def _alike(
    first: np.ndarray, second: np.ndarray, expected: np.ndarray, bound: np.ndarray, dtype: str
) -> bool:
    if first.shape != second.shape:
        return False
    finite = np.isfinite(first) & np.isfinite(second)
    if not finite.all():
        return np.array_equal(first, second, equal_nan=True)
    return bool((np.abs(first - second) <= between_two(second, expected, bound, dtype)).all())


def fails(comparison: Comparison) -> bool:
    """Return whether a comparison is out of its bound, or of another shape."""
    try:
        return bool((error_over_bound(comparison) > 1).any())
    except ValueError:
        return True

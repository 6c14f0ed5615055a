"""What a wrong answer is, when it is a right one but for a known slip.

A slip is named only where it explains what was answered on two cases, the one that failed and the check's
ordinary one, which is in general position: a small case alone has many explanations. Explained means equal,
within rounding, to what the slip would have answered. That is computed: the right answer transposed, negated
or times NT, and what the mutants of the method answer (`properties.mutants`), each a slip that is known. A
mutant must agree with all that the law compares up to its failure, and must pass the earlier laws on the same
method that the answer passes, so that B_bar^T is not blamed for a wrong Sigma_B. Where two slips explain an
answer and no other law decides between them, neither is named.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from properties.cases import CorpusCase
from properties.check import Check, Comparison
from properties.comparing import arrays, error_over_bound
from properties.target import Target
from properties.tolerances import between_two

if TYPE_CHECKING:
    from properties.mutants.mutant import Mutant

KINDS = {
    "transposed": "It is transposed: right with its two axes swapped. Look for a transpose that is missing "
    "or one too many, or declare `orientation`.",
    "negated": "It is negated: right with the other sign. Look for a gradient where its negative is meant, "
    "or a difference taken the wrong way round.",
    "not divided by NT": "It is not divided by NT: a sum over all positions where their mean is meant.",
    "uniform part not subtracted": "The uniform part is not subtracted: look for the 1/V in Y - 1/V.",
    "1/t missing": "The 1/t is missing: a sum over the prefix of position t where its mean is meant.",
    "position t excluded": "Position t is excluded from its own prefix: look for k < t where k <= t is "
    "meant.",
    "target off by one": "The target is off by one: that of position t is word t + 1, no other.",
    "padding counted": "Padding is counted: N sequences of T + 1 words have NT targets; neither a sum nor "
    "its divisor may hold more.",
    "float32": "It is float32 where float64 is declared: look for an array made in float32, or declare "
    "dtype float32.",
    "transposed and negated": "It is transposed and negated: right with its axes swapped and the other sign.",
    "all zero": "Every entry is zero: look for what is never written to, or a step that is never made.",
}

# Laws that cost more than this follow orders in eta over many runs; they compare no single answer.
DEAREST = 4


@dataclass(frozen=True)
class Slip:
    """A known slip: its name, and what the failure says of it."""

    name: str
    sentence: str

    @property
    def shown(self) -> dict[str, str]:
        """The slip as a counterexample shows it."""
        return {"looks_like": self.name, "diagnosis": self.sentence}


def known(name: str) -> Slip:
    """Return the slip of a kind, or one that is told by its own clause."""
    return Slip(name, KINDS.get(name, f"It is right but for one slip: {name}."))


def scaled(factor: float) -> Slip:
    """Return the slip of a constant factor."""
    told = f"multiplied by {_as_text(factor)}"
    return Slip(told, f"It is {told}, in every entry: look for a constant factor{_meaning(factor)}.")


def _as_text(factor: float) -> str:
    for whole, text in ((factor, "{}"), (1 / factor, "1/{}")):
        if round(whole) >= 2 and math.isclose(whole, round(whole)):
            return text.format(round(whole))
    return f"{factor:.6g}"


def _meaning(factor: float) -> str:
    meanings = {1 / math.log(2): "bits where nats are meant", math.log(2): "nats where bits are meant"}
    return "".join(f", such as {why}" for known, why in meanings.items() if math.isclose(factor, known))


@np.errstate(all="ignore")
def diagnose(check: Check, target: Target, failed: Any) -> Slip | None:
    """Return the one known slip that explains what `target` answers, on the failed and the ordinary case."""
    if check.cost > DEAREST:
        return None
    cases = [failed] if failed is check.cases.ordinary else [failed, check.cases.ordinary]
    told = [_until_failure(check, target, case) for case in cases]
    if not all(told):
        return None
    right = [_of_a_right_one(check, case, target.dtype) for case in cases]
    if all(_agree(theirs, mine, target.dtype) for theirs, mine in zip(right, told, strict=True)):
        return None  # it is the law that is wrong
    wrong = [comparisons[-1] for comparisons in told]
    names = {mutant.name for mutant in _explaining(check, target, cases, told)}
    # What is compared with another answer of the target's own says nothing of what is right.
    against_truth = all(map(_fails, wrong)) and all(map(_expect_the_same, right, told))
    if against_truth:
        names |= set.intersection(*({*_simple(one, case)} for one, case in zip(wrong, cases, strict=True)))
    if names or not against_truth:
        return known(names.pop()) if len(names) == 1 else None
    if all(not np.any(one.got) for one in wrong):
        return known("all zero")
    if _is_float32(check, target, cases, wrong):
        return known("float32")
    return _constant(wrong, target.dtype)


def _until_failure(check: Check, target: Target, case: Any) -> list[Comparison]:
    """Return what the law compares on a case, up to the first thing that is wrong; nothing if it is lost."""
    found: list[Comparison] = []
    try:
        for item in check.law(target, case):
            if isinstance(item, Comparison):
                found.append(item)
                if _fails(item):
                    break
    except Exception:  # a law may break on the nonsense that a slip answers; it then tells nothing
        return []
    return found


def _of_a_right_one(check: Check, case: Any, dtype: str) -> list[Comparison]:
    from properties.mutants.mutant import plain

    right = Target(plain())
    right.dtype = dtype
    return _until_failure(check, right, case)


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


def _fails(comparison: Comparison) -> bool:
    try:
        return bool((error_over_bound(comparison) > 1).any())
    except ValueError:
        return True


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


def _explaining(check: Check, target: Target, cases: list[Any], told: list[list[Comparison]]) -> list[Mutant]:
    """Return the mutants that answer as the target does, to this law and the earlier ones it passes."""
    found = _subjects(check, target.dtype)
    for case, mine in zip(cases, told, strict=True):
        found = [one for one in found if _agree(_until_failure(check, one[1], case), mine, target.dtype)]
    earlier, later = _others(check)
    undecided = []
    for other in earlier if found else ():
        mine = _until_failure(other, target, other.cases.ordinary)
        if mine and not _fails(mine[-1]):
            found = _also_explaining(other, mine, target.dtype, found)
        else:
            undecided.append(other)
    # A law that fails as well may do so through a second slip: it decides between slips, and refutes none.
    for other in [*undecided, *later]:
        if len({mutant.name for mutant, _ in found}) > 1:
            mine = _until_failure(other, target, other.cases.ordinary)
            found = _also_explaining(other, mine, target.dtype, found) or found
    return [mutant for mutant, _ in found]


def _others(check: Check) -> tuple[list[Check], list[Check]]:
    """Return the laws on the same methods that come before and after this one, none too dear."""
    from properties.catalogue import CHECKS

    ids = [other.id for other in CHECKS]
    place = ids.index(check.id) if check.id in ids else len(ids)
    similar = [
        (i, other) for i, other in enumerate(CHECKS) if other.needs == check.needs and other.cost <= DEAREST
    ]
    return [other for i, other in similar if i < place], [other for i, other in similar if i > place]


def _also_explaining(
    check: Check, mine: list[Comparison], dtype: str, found: list[tuple[Mutant, Target]]
) -> list[tuple[Mutant, Target]]:
    return [one for one in found if _agree(_until_failure(check, one[1], check.cases.ordinary), mine, dtype)]


def _subjects(check: Check, dtype: str) -> list[tuple[Mutant, Target]]:
    """Return the mutants of the methods that a check asks for, made anew: one may remember its answers."""
    from properties.mutants.catalogue import MUTANTS
    from properties.mutants.mutant import implementation

    subjects = [(one, Target(implementation(one))) for one in MUTANTS if one.method in check.needs]
    for _, subject in subjects:
        subject.dtype = dtype
    return subjects


def _agree(theirs: list[Comparison], mine: list[Comparison], dtype: str) -> bool:
    """Return whether two implementations gave a law the same to compare, within their rounding."""
    return len(theirs) == len(mine) and all(
        one.name == other.name and _same(one, other, dtype) for one, other in zip(theirs, mine, strict=True)
    )


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


def _is_float32(check: Check, target: Target, cases: list[Any], wrong: list[Comparison]) -> bool:
    """Return whether a float64 target answers float32 numbers, and within the rounding of float32."""
    if target.dtype != "float64":
        return False
    declared = Target(target.implementation, target.name)
    declared.dtype = "float32"
    rounded = all(np.array_equal(np.float32(one.got), np.asarray(one.got)) for one in wrong)
    return rounded and all(
        comparisons and not _fails(comparisons[-1])
        for comparisons in (_until_failure(check, declared, case) for case in cases)
    )


def _constant(wrong: list[Comparison], dtype: str) -> Slip | None:
    """Return the factor, the same on all cases, between what was got and what was expected.

    One number is always a multiple of another; it takes two numbers to tell.
    """
    if sum(np.size(one.expected) for one in wrong) < 2:
        return None
    got, expected, bound = arrays(wrong[-1])
    square = float((expected * expected).sum())
    factor = float((got * expected).sum()) / square if square else 0.0
    if factor == 0 or not np.isfinite(factor) or f"{factor:.6g}" == "1":
        return None
    for one in wrong:
        got, expected, bound = arrays(one)
        if not (np.abs(got - factor * expected) <= between_two(got, expected, bound, dtype)).all():
            return None
    return scaled(factor)

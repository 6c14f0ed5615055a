"""A call that a signature does not admit is refused while tests run, by its shape as by its type."""

import numpy as np
import pytest
from beartype import beartype
from beartype.roar import BeartypeCallHintViolation
from jaxtyping import Float64, TypeCheckError
from signatures import enforced

from reference.model import by_distance, one_hot, softmax
from reference.stories import stories


def test_shapes_and_types_of_arrays_are_held_to():
    with pytest.raises(TypeCheckError, match="by_distance"):
        by_distance(np.zeros((2, 2)))
    with pytest.raises(TypeCheckError, match="softmax"):
        softmax(np.zeros(2, dtype=np.float32))
    with pytest.raises(TypeCheckError, match="one_hot"):
        one_hot(np.zeros(2), 3)


def test_an_answer_is_held_to_the_sizes_of_what_was_given():
    def longer(P: Float64[np.ndarray, " T"]) -> Float64[np.ndarray, " T"]:
        return np.append(P, 0.0)

    with pytest.raises(TypeCheckError, match="return value"):
        enforced(longer, typechecker=beartype)(np.zeros(2))


def test_a_function_inside_another_is_held_the_first_time_that_it_is_made():
    def made():
        def same(value: int) -> int:
            return value

        return enforced(same, typechecker=beartype)

    first, second = made(), made()
    with pytest.raises(BeartypeCallHintViolation):
        first("1")
    assert second("1") == "1"


def test_functions_of_one_name_inside_others_are_each_held():
    def made():
        def same(value: int) -> int:
            return value

        return same

    def another():
        def same(value: str) -> str:
            return value

        return same

    for function, wrong in ((made(), "1"), (another(), 1)):
        with pytest.raises(BeartypeCallHintViolation):
            enforced(function, typechecker=beartype)(wrong)


def outside(value: int) -> int:
    return value


def test_a_function_that_is_inside_no_other_is_held_however_often_it_is_imported():
    for held in (enforced(outside, typechecker=beartype) for _ in range(2)):
        with pytest.raises(BeartypeCallHintViolation):
            held("1")


def test_calls_that_were_right_admit_no_wrong_one():
    """Arguments are told apart by type, by the type and shape of their arrays, and by their parts.

    Of a list beartype looks at one part, any.
    """
    held = []

    def total(
        parts: list[Float64[np.ndarray, " T"]], named: dict[str, Float64[np.ndarray, " T"]], scale: float
    ) -> Float64[np.ndarray, " T"]:
        held.append(scale)
        return np.sum([*parts, *named.values()], axis=0) * scale

    called = enforced(total, typechecker=beartype)
    row = np.ones(3)
    for scale in (1.0, 2.0):
        np.testing.assert_array_equal(called([row], {"a": row}, scale), 2 * scale * row)
    for wrong in (
        ([row.astype(np.float32)], {"a": row}, 1.0),
        ([np.ones(4)], {"a": row}, 1.0),
        ([row], {"a": np.ones((3, 1))}, 1.0),
        ([row], {1: row}, 1.0),
        ([row], {"a": row}, "1"),
        ([None], {"a": row}, 1.0),
    ):
        with pytest.raises(TypeCheckError, match="parameter"):
            called(*wrong)
    assert held == [1.0, 2.0]


def test_a_wrong_answer_is_refused_each_time():
    def shorter(P: Float64[np.ndarray, " T"]) -> Float64[np.ndarray, " T"]:
        return P[:-1]

    called = enforced(shorter, typechecker=beartype)
    for _ in range(2):
        with pytest.raises(TypeCheckError, match="return value"):
            called(np.zeros(2))


def test_an_answer_that_is_wrong_by_what_the_values_are_is_refused_after_right_ones():
    calls = []

    def above_zero(P: Float64[np.ndarray, " T"]) -> Float64[np.ndarray, " T"]:
        calls.append(P)
        return P[P > 0]

    called = enforced(above_zero, typechecker=beartype)
    for right in (np.ones(2), np.full(2, 0.5)):
        assert called(right) is not None
    for _ in range(2):
        with pytest.raises(TypeCheckError, match="return value"):
            called(np.array([1.0, -1.0]))
    assert len(calls) == 4


def test_types_are_held_to_where_no_array_is_named():
    with pytest.raises(BeartypeCallHintViolation, match="seed"):
        stories(1, "0")

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


def test_types_are_held_to_where_no_array_is_named():
    with pytest.raises(BeartypeCallHintViolation, match="seed"):
        stories(1, "0")

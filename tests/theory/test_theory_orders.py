"""When each parameter first moves, from the dependencies of its gradient."""

import pytest

from theory.orders import (
    Starts,
    first_steps,
    gradient_starts,
    leading_orders,
    orders_by_layer,
    steps_by_layer,
)


@pytest.mark.parametrize("layers", [1, 2, 5])
def test_orders_and_steps_of_the_paper(layers: int) -> None:
    assert leading_orders(layers) == {"W_O": 1, "V": 2, "W": 4, "P": 4}
    assert first_steps(layers) == {"W_O": 1, "V": 2, "W": 3, "P": 3}


def test_all_layers_start_together() -> None:
    at = orders_by_layer(4)
    assert at == Starts(1, (2,) * 4, (4,) * 4, (4,) * 4)
    assert steps_by_layer(4).W == (3,) * 4


def test_orders_change_with_the_dependencies() -> None:
    """A value matrix that starts at order 5 delays the scores of its own layer only: nothing is typed in."""
    gradient = gradient_starts(Starts(1, (2, 5), (9, 9), (9, 9)), lambda a, b: a + b)
    assert gradient == Starts(0, (1, 1), (3, 6), (3, 6))


def test_no_layers_are_refused() -> None:
    with pytest.raises(ValueError, match="layers must be 1 or more"):
        leading_orders(0)

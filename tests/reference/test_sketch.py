"""Sketches keep products: exactly where there is room, on average and within the stated scatter elsewhere."""

import numpy as np
import pytest

from reference.sketch import Sketch

ROWS, COLUMNS, CELLS, SEEDS = 6, 5, 8, 4000


def arrays(seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(ROWS, COLUMNS))
    return x, 0.6 * x + rng.normal(size=(ROWS, COLUMNS))


def test_with_a_cell_for_each_entry_products_are_what_they_are():
    x, y = arrays()
    sketch = Sketch.drawn(x.shape, 0, ROWS * COLUMNS)
    assert sketch.of(x) @ sketch.of(y) == pytest.approx((x * y).sum())
    line = Sketch.drawn((COLUMNS,), 0)
    assert line.of(x[0]) @ line.of(y[0]) == pytest.approx(x[0] @ y[0])


def test_on_few_cells_products_are_right_on_average_and_scatter_no_more_than_stated():
    x, y = arrays()
    right, both = (x * y).sum(), (x * x).sum() * (y * y).sum()
    errors = []
    for seed in range(SEEDS):
        sketch = Sketch.drawn(x.shape, seed, CELLS)
        errors.append(sketch.of(x) @ sketch.of(y) - right)
    assert abs(np.mean(errors)) < 4 * np.std(errors) / np.sqrt(SEEDS)
    bound, found = (both + right**2) / CELLS, np.mean(np.square(errors))
    # Of the bound's pairs those of one row never meet: what is left of it here is three quarters.
    assert bound / 2 < found < bound


def test_a_sketch_is_linear_and_goes_around_the_ring():
    x, y = arrays()
    sketch = Sketch.drawn(x.shape, 3, CELLS)
    assert (sketch.starts + COLUMNS > CELLS).any()
    np.testing.assert_allclose(sketch.of(2 * x - y), 2 * sketch.of(x) - sketch.of(y))
    by_hand = np.zeros(CELLS)
    for i in range(ROWS):
        for j in range(COLUMNS):
            by_hand[(sketch.starts[i] + j) % CELLS] += sketch.signs[i, j] * x[i, j]
    np.testing.assert_allclose(sketch.of(x), by_hand)
    assert set(sketch.signs.ravel()) == {-1, 1}


def test_a_row_that_would_meet_itself_is_refused():
    with pytest.raises(ValueError, match="rows of 9 entries are longer than a ring of 8 cells"):
        Sketch.drawn((2, 9), 0, 8)

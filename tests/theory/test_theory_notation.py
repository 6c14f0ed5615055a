"""The table of symbols against the objects it speaks of."""

import pytest
from theory_cases import corpus

from theory.notation import LEADING_TERMS, PARAMETERS, STATISTICS, SYMBOLS
from theory.orders import GROUPS
from theory.series import descend
from theory.statistics import exact_statistics

N, T, V, L = 2, 4, 3, 2
SIZES = {"V": V, "T": T, "L": L}


def test_statistics_have_the_shapes_of_the_table() -> None:
    exact = exact_statistics(corpus(0, N, T, V), V)
    assert set(exact) == set(STATISTICS)
    for name, symbol in STATISTICS.items():
        rows, columns = (*(SIZES[size] for size in symbol.shape), 1)[:2]
        assert (exact[name].nrows(), exact[name].ncols()) == (rows, columns), name


def test_parameters_have_the_shapes_of_the_table() -> None:
    found = descend(corpus(0, N, T, V), V, L, 1, 1)
    assert set(PARAMETERS) == set(GROUPS)
    for name, symbol in PARAMETERS.items():
        sizes = [SIZES[size] for size in symbol.shape]
        if name != "W_O":
            assert len(found.group(name)) == sizes.pop(0)
        rows, columns = (*sizes, 1)[:2]
        one = found.group(name)[0][0]
        assert (one.nrows(), one.ncols()) == (rows, columns), name


@pytest.mark.parametrize("name", SYMBOLS)
def test_every_axis_has_a_name_and_every_symbol_a_source(name: str) -> None:
    symbol = SYMBOLS[name]
    assert len(symbol.axes) == len(symbol.shape)
    assert symbol.name == name
    assert "eq." in symbol.source


def test_leading_terms_are_written_in_symbols_of_the_table() -> None:
    assert set(LEADING_TERMS) == set(PARAMETERS)
    for product in LEADING_TERMS.values():
        assert {factor.removesuffix("^T") for factor in product.split()} <= set(STATISTICS)

"""The law of a large vocabulary is what is left of the whole descent as words are added that never occur."""

import pytest
from flint import fmpq, fmpq_mat
from theory_cases import corpus

from theory.corpus import check_corpus
from theory.laws.large_vocabulary import AMOUNTS, large_vocabulary_terms
from theory.next_order import COEFFICIENTS, next_order
from theory.one_hot import constants
from theory.orders import GROUPS
from theory.series import trajectory
from theory.step_polynomials import LEADING

TOKENS, SEEN, L, STEPS = corpus(0, 2, 3, 3), 3, 2, 4
SIZES = (16, 32, 64)


def largest(matrix: fmpq_mat) -> fmpq:
    """Among the words that occur."""
    return max(abs(matrix[i, j]) for i in range(SEEN) for j in range(SEEN))


@pytest.mark.parametrize("group", ["W_O", "V"])
def test_the_terms_two_orders_further_are_left_as_the_vocabulary_grows(group: str) -> None:
    order = {"W_O": 3, "V": 4}[group]
    off = []
    for V in SIZES:
        found = trajectory(TOKENS, V, L, STEPS, order)[-1].group(group)[-1][order]
        term = large_vocabulary_terms(constants(check_corpus(TOKENS, V)), L, STEPS)[group][-1]
        off.append(largest(found - term))
        assert largest(term) > off[-1] > 0
    assert off == sorted(off, reverse=True)
    assert 2 * off[-1] < off[0]


@pytest.mark.parametrize("group", ["W_O", "V"])
def test_the_next_order_vanishes_as_the_vocabulary_grows(group: str) -> None:
    off = [largest(next_order(TOKENS, V, STEPS)[group]) for V in SIZES]
    assert off == sorted(off, reverse=True)
    assert off[-1] > 0
    assert 2 * off[-1] < off[0]


@pytest.mark.parametrize("group", GROUPS)
def test_beside_the_leading_term_they_grow_by_one_power_of_the_steps_more(group: str) -> None:
    """As the rate has one power more too: with (s eta)^2, and what has 1/V with s eta."""
    leading = LEADING[group].degree()
    assert {amount.degree() - leading for amount in COEFFICIENTS[group]} == {1}
    assert {amount.degree() - leading for _, amount in AMOUNTS[group]} == {2}

"""How a sample's squared noise scatters: every draw there is, and claims that are nearly right."""

import pytest
from flint import fmpq
from theory_cases import corpus

from theory.laws import sampling_spread as law
from theory.laws.sampling import sequence_bigrams, square_of_sequences

CASES = [(0, 3, 4, 3), (1, 3, 2, 4), (3, 1, 3, 2), (4, 4, 3, 3)]
"""seed, N, T, V."""


@pytest.mark.parametrize(("seed", "N", "T", "V"), CASES)
def test_the_variance_and_both_traces_are_those_of_all_draws(seed, N, T, V):
    tokens = corpus(seed, N, T, V)
    assert all(law.check_variance(tokens, V, n).holds for n in (1, 2, 3))
    assert law.check_traces(tokens, V, 4).holds
    assert law.check_traces(tokens[:2], V, 5).holds


def normal_alone(parts, n):
    return law.covariance_squared(parts) * 2 / n**2


def without_products(parts, n):
    return law.variance_of_square(parts, 1) / n**2


@pytest.mark.parametrize("claim", [normal_alone, without_products])
def test_neither_part_of_the_variance_is_enough(claim):
    assert not law.check_variance(corpus(0, 3, 4, 3), 3, 2, claim=claim).holds


def squares_alone(K):
    k = len(K)
    return sum((K[i][j] ** 2 for i in range(k) for j in range(k) if i != j), fmpq(0)) / (k * (k - 1))


def about_their_own_mean(K):
    """Centred on the units' mean, which is near each of them, and with each one's own square."""
    k = len(K)
    row = [sum(one, fmpq(0)) / k for one in K]
    mean = sum(row, fmpq(0)) / k
    return sum(((K[i][j] - row[i] - row[j] + mean) ** 2 for i in range(k) for j in range(k)), fmpq(0)) / k**2


@pytest.mark.parametrize("wrong", [squares_alone, about_their_own_mean])
def test_a_trace_with_bias_is_refuted(wrong):
    found = law.check_traces(corpus(0, 3, 4, 3), 3, 4, claims=(law.trace, wrong)).difference
    assert found is not None
    assert found.quantity == "tr Sigma^2"


def test_the_trace_alone_is_the_noise_of_a_sequence():
    parts = sequence_bigrams(corpus(1, 3, 2, 4), 4)
    assert law.trace(law.gram(parts)) == square_of_sequences(parts) * fmpq(3, 2)


def test_too_few_units_are_refused():
    K = [[fmpq(1)]]
    with pytest.raises(ValueError, match="one unit"):
        law.trace(K)
    with pytest.raises(ValueError, match="needs the products of 4 units, not of 1"):
        law.trace_of_square(K)

"""What is left for a large vocabulary, and what a sample loses: exact, with wrong versions refuted."""

from collections.abc import Sequence

import pytest
from flint import fmpq, fmpq_mat
from theory_cases import corpus

from theory.laws import large_vocabulary, sampling
from theory.one_hot import OneSequence

CASES = [(0, 3, 4, 3, 2, 5), (1, 2, 3, 4, 3, 5), (3, 1, 5, 3, 1, 4)]
"""seed, N, T, V, L, steps."""


@pytest.mark.parametrize(("seed", "N", "T", "V", "L", "steps"), CASES)
def test_large_vocabulary(seed: int, N: int, T: int, V: int, L: int, steps: int) -> None:
    assert large_vocabulary.check(corpus(seed, N, T, V), V, L, steps).holds


PARTS = [(group, part) for group, parts in large_vocabulary.AMOUNTS.items() for part in range(len(parts))]


@pytest.mark.parametrize(("group", "part"), PARTS)
def test_every_part_of_the_large_vocabulary_law_is_needed(group: str, part: int) -> None:
    which, amount = large_vocabulary.AMOUNTS[group][part]

    def claim(one: Sequence[OneSequence[fmpq_mat]], layers: int, steps: int) -> dict[str, list[fmpq_mat]]:
        terms = large_vocabulary.large_vocabulary_terms(one, layers, steps)
        matrix = large_vocabulary.directions(one)[group][part]
        counts = large_vocabulary.layer_counts(group, layers)
        less = [
            t - matrix * (amount(steps) * count[which]) for t, count in zip(terms[group], counts, strict=True)
        ]
        return {**terms, group: less}

    seed, N, T, V, L, steps = CASES[0]
    found = large_vocabulary.check(corpus(seed, N, T, V), V, L, steps, claim=claim).difference
    assert found is not None
    assert (found.quantity, found.order) == (group, large_vocabulary.ORDER[group])
    assert found.step == next(s for s in range(steps + 1) if amount(s) != 0)
    # The first layer that has layers of that kind.
    assert found.layer == (None if group == "W_O" else 1 if which == "below" else 0)


SAMPLES = [(0, 3, 4, 3, 2, 3), (1, 3, 2, 4, 2, 4), (3, 1, 3, 2, 1, 2), (4, 4, 3, 3, 2, 3)]
"""seed, N, T, V, n, M."""


@pytest.mark.parametrize(("seed", "N", "T", "V", "n", "M"), SAMPLES)
def test_sampling(seed: int, N: int, T: int, V: int, n: int, M: int) -> None:
    verdict = sampling.check(corpus(seed, N, T, V), V, n, M)
    assert verdict.holds
    assert verdict.compared == (5 if N > 1 else 4)


@pytest.mark.parametrize("name", sampling.CLAIMS)
def test_wrong_sampling(name: str) -> None:
    """The noise of one sequence too few in each moment."""
    wrong = {**sampling.CLAIMS, name: lambda parts, n, M: sampling.CLAIMS[name](parts, n + 1, M + 1)}
    found = sampling.check(corpus(0, 3, 4, 3), 3, 2, 3, claims=wrong).difference
    assert found is not None
    assert found.quantity == name


def along_too(parts, n, M):
    """The turn by all of the noise, that along the mean too."""
    mean = sampling.mean_of(parts)
    return sampling.square_of_sequences(parts) / sampling.inner(mean, mean) * (fmpq(1, n) - fmpq(1, M))


def test_what_is_along_the_mean_turns_nothing() -> None:
    claims = {"nested turn": along_too}
    assert not sampling.check(corpus(0, 3, 4, 3), 3, 2, 3, claims=claims).holds


def test_a_sample_that_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match="a sample of 3"):
        sampling.check([[0, 1], [1, 0]], 2, 3, 3)


def test_independent_positions() -> None:
    tokens = corpus(2, 2, 3, 3)
    assert sampling.check_positions(tokens, 3, 2).holds
    wrong = sampling.check_positions(
        tokens, 3, 2, claim=lambda t, V: sampling.position_variances(t, V) * fmpq(2)
    )
    assert wrong.difference is not None

"""The moments of random heads and circuits: closed forms against brute force, and what was published."""

import pytest
import sympy
from flint import fmpq

from theory import baselines, composition_null, published_baselines, random_rank, softmax_moments
from theory import softmax_moments_symbolic as expanded


@pytest.mark.parametrize("name", ["entropy_deficit", "excess_collision"])
def test_moments_against_the_expansion_in_all_symbols(name: str) -> None:
    """Polynomials in 1/n of degree two that agree at five values of n agree at all."""
    for n in range(1, 6):
        closed = [sympy.Rational(int(c.p), int(c.q)) for c in getattr(softmax_moments, name)(n)]
        assert closed == list(getattr(expanded, name)(n))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_a_key_of_larger_variance_gets_more_than_its_share(n: int) -> None:
    """To first order E p_k - 1/n is half the sum over j of w_j times the second derivative of p_k by z_j."""
    z, w = sympy.symbols(f"z0:{n}"), sympy.symbols(f"w0:{n}")
    weight = sympy.exp(z[0]) / sum(map(sympy.exp, z))
    more = sum(one * sympy.diff(weight, at, 2) for at, one in zip(z, w, strict=True)) / 2
    found = more.subs(dict.fromkeys(z, 0))
    told = sympy.Rational(n - 2, 2 * n**2) * (w[0] - sum(w) / n)
    assert sympy.simplify(found - told) == 0


def test_the_variance_of_a_weight_is_the_excess_collision_shared_out() -> None:
    assert softmax_moments.weight_variance(2)[0] == fmpq(
        1, 8
    )  # (v/2) / 4, half the square of a half difference
    with pytest.raises(ValueError, match="at least one key"):
        softmax_moments.weight_variance(0)


def test_rows_without_the_first() -> None:
    T = 24
    assert baselines.without_first_row(baselines.normalised_entropy(T), fmpq(0), T) == 1
    assert baselines.without_first_row(baselines.mean_distance(T), fmpq(0), T) == fmpq(T, 4)
    with pytest.raises(ValueError, match="besides the first"):
        baselines.without_first_row(fmpq(1), fmpq(1), 1)


def test_the_mean_over_all_signed_permutations_is_one_over_their_dimension() -> None:
    first, second = [[1, 2, -1], [0, 3, 1]], [[1, 0], [2, 2], [5, -1]]
    assert composition_null.signed_permutation_mean(first, second) == fmpq(1, 3)
    assert composition_null.square_variance(1, fmpq(1), fmpq(1)) == 0
    # The same in all directions: no spread.
    assert composition_null.square_variance(4, fmpq(1, 4), fmpq(1, 2)) == 0
    with pytest.raises(ValueError, match="at least one dimension"):
        composition_null.mean_square(0)


def test_a_wide_stream_leaves_an_untrained_head_its_full_rank() -> None:
    assert random_rank.participation_ratio(1, 1) == 1
    assert abs(random_rank.participation_ratio(10**6, 8) - 8) < fmpq(2, 10**4)
    with pytest.raises(ValueError, match="widths"):
        random_rank.participation_ratio(0, 1)


def test_published_values_have_one_setting_each() -> None:
    def lengths(metric: str, printed: str) -> list[int]:
        return [setting.length for setting in published_baselines.settings_of(metric, printed)]

    assert lengths("entropy", "0.958") == lengths("diagonal", "0.157") == lengths("previous", "0.116") == [24]
    assert published_baselines.settings_of("induction", "0.0284") == [
        published_baselines.Setting(64, True, 16)
    ]
    with pytest.raises(ValueError, match="no closed form"):
        published_baselines.settings_of("loss", "1")

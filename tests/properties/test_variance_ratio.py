"""The ratio of a draw's square to its estimate: what is known of it in closed form, and that draws lie so."""

import math

import numpy as np
import pytest
from scipy import special

from properties.predictions.random_groups import Scatter, relative_variance
from properties.predictions.variance_ratio import VarianceRatio
from properties.tolerances import CONFIDENCE, DEVIATIONS

TAIL = (1 - CONFIDENCE) / 2
LEVELS = TAIL, 0.3, 0.5, 1 - TAIL


@pytest.mark.parametrize("level", LEVELS)
def test_with_all_known_the_quantiles_are_those_of_chi_squared(level):
    """Of one direction the square of a normal number; of two an exponential."""
    one, two = (VarianceRatio(m, math.inf, math.inf) for m in (1, 2))
    assert one.quantile(level) == pytest.approx(special.ndtri((1 + level) / 2) ** 2)
    assert two.quantile(level) == pytest.approx(-math.log(1 - level))


@pytest.mark.parametrize("level", LEVELS)
def test_an_estimate_of_two_directions_has_a_closed_form_too(level):
    """A ratio of two exponentials is below x with the probability x / (1 + x)."""
    assert VarianceRatio(2, 2, math.inf).quantile(level) == pytest.approx(level / (1 - level))


@pytest.mark.parametrize("ratio", [VarianceRatio(3, 80, 12), VarianceRatio(3, 1e20, 12)])
def test_scores_are_students_at_the_quantiles(ratio):
    for level in LEVELS:
        assert special.stdtr(12, ratio.score(ratio.quantile(level))) == pytest.approx(level)
    assert ratio.score(0) == -math.inf
    assert ratio.score(math.inf) == math.inf
    assert ratio.quantile(TAIL) < VarianceRatio(3, ratio.estimate, math.inf).quantile(TAIL)


def test_an_estimate_without_an_error_is_the_limit_of_good_ones():
    ends = [VarianceRatio(5, estimate, 9).quantile(1 - TAIL) for estimate in (1e12, 1e20, math.inf)]
    assert ends == pytest.approx([ends[0]] * 3)


@pytest.mark.parametrize(("directions", "below"), [(1, 0.21), (3, 0.10)])
def test_a_lognormal_of_the_same_mean_and_variance_would_miss_squares_near_zero(directions, below):
    relative = 2 / directions
    end = math.exp(special.ndtri(TAIL) * math.sqrt(math.log1p(relative))) / math.sqrt(1 + relative)
    assert round(float(special.gammainc(directions / 2, end * directions / 2)), 2) == below


@pytest.mark.parametrize("directions", [1, 3, 40])
def test_each_end_is_passed_as_often_as_it_says(directions):
    """Of normal groups whose noise has few directions, or many; in the sum one end would hide the other."""
    groups, draws = 24, 800
    rng = np.random.default_rng(directions)
    x = rng.normal(size=(draws, groups, directions))
    squares = (x**2).sum(axis=2) / directions
    new = (rng.normal(size=(draws, directions)) ** 2).sum(axis=1) / directions / 8
    below = above = 0
    for own, units, drawn in zip(squares, x, new, strict=True):
        nu, v = relative_variance(units @ units.T), own.var(ddof=1) / own.mean() ** 2
        seen = Scatter(
            rho=float(own.mean()),
            normal=nu,
            own=float(v),
            square_deviation=0.0,
            excess=0.0,
            groups=groups,
            group_size=1,
        )
        noise = seen.noise(8)
        below, above = below + (drawn < noise.low), above + (drawn > noise.high)
    # A lognormal interval has a fifth, a tenth and a thirtieth of the draws below it.
    for passed in (below, above):
        assert passed / draws <= 2 * TAIL + DEVIATIONS * math.sqrt(TAIL / draws)

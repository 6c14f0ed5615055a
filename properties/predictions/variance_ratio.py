"""A draw's squared noise over its estimate: Snedecor's F, whose first degrees of freedom are an estimate too.

A noise that shares its square among m equally large normal directions has chi^2 of m degrees of freedom over
m, whose relative variance is 2/m. Of any square with relative variance r we take chi^2 of 2/r, which has its
mean and its variance (Satterthwaite 1946); of the estimate, relative variance e, likewise. The two are
independent, so that

    draw / estimate  ~  F(2/r, 2/e).

It is exact for m equally large directions and an estimate from normal groups, m = 1 included, where a square
is often close to 0. A lognormal of the same mean and variance all but denies that: a square of one direction
lies below its 2.5% quantile with a probability of 21%, of three with 10%. For many directions all are normal.

That r is known from f degrees of freedom only widens the interval, as not knowing a variance widens that
of a mean: F's quantiles are taken at the levels whose normal quantile is Student's t. Derived here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import scipy

from properties.tolerances import UNIT_ROUNDOFF


@dataclass(frozen=True)
class VarianceRatio:
    """The distribution of a draw's squared noise over its estimate.

    Attributes:
        draw: degrees of freedom of the draw, 2/r.
        estimate: those of the estimate, 2/e.
        freedom: f, of r itself.
    """

    draw: float
    estimate: float
    freedom: float

    def quantile(self, level: float) -> float:
        """Return the ratio below which a draw lies with the probability `level`."""
        normal = float(scipy.special.ndtr(scipy.special.stdtrit(self.freedom, level)))
        if self._estimate_is_exact:
            return float(scipy.special.gammaincinv(self.draw / 2, normal)) / (self.draw / 2)
        return float(scipy.special.fdtri(self.draw, self.estimate, normal))

    def score(self, ratio: float) -> float:
        """Return the normal value that is at the place of a ratio; -inf and inf at the ends."""
        if math.isinf(ratio):
            return ratio
        if self._estimate_is_exact:
            return float(scipy.special.ndtri(scipy.special.gammainc(self.draw / 2, ratio * (self.draw / 2))))
        return float(scipy.special.ndtri(scipy.special.fdtr(self.draw, self.estimate, ratio)))

    @property
    def _estimate_is_exact(self) -> bool:
        # F is then chi^2 to rounding, 1/estimate apart, and its own series ends in nan.
        return self.estimate * UNIT_ROUNDOFF["float64"] > 1 or math.isinf(self.estimate)


UNKNOWN = VarianceRatio(math.nan, math.nan, math.nan)

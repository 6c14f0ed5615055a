"""The loss along the descent as a power series in eta, less its starting value log V, which is not rational.

Cross-entropy is the mean over positions of log sum_j exp F_j - F_y. With the V logits averaged instead of
summed, log sum exp = log V + log mean exp, and log mean exp has no constant term when the logits have none.
Derived here.
"""

from __future__ import annotations

from flint import fmpq, fmpq_mat

from theory.corpus import ExactCorpus
from theory.matrix import negated, row_sums
from theory.model_series import ParameterSeries, forward
from theory.one_hot import OneSequence, constants
from theory.power_series import (
    Series,
    constant,
    exponential,
    hadamard_product,
    image,
    logarithm,
    total,
)


def loss_above_uniform(corpus: ExactCorpus, at: ParameterSeries[fmpq_mat], order: int) -> list[fmpq]:
    """Coefficients of eta^0..eta^order of (cross-entropy in nats a token) - log V, averaged with the weights.

    The parameters must vanish at eta = 0, which they do along a descent from zero.
    """
    parts = [(one.share, summed_loss(at, one)) for one in constants(corpus)]

    def coefficient(k: int) -> fmpq:
        values = ((share, series[k]) for share, series in parts)
        return sum((share * value[0, 0] for share, value in values if value is not None), fmpq(0))

    return [coefficient(k) for k in range(order + 1)]


def summed_loss(at: ParameterSeries[fmpq_mat], sequence: OneSequence[fmpq_mat]) -> Series[fmpq_mat]:
    """[1, 1]: sum over the T positions of one sequence of log mean_j exp F[t, j] - F[t, y_t]."""
    F = forward(at, sequence).F
    T = sequence.X.nrows()
    ones = fmpq_mat(T, 1, [1] * T)
    log_mean = logarithm(image(exponential(F, sequence.p0), row_sums), ones)
    own = image(hadamard_product(constant(sequence.Y), F), row_sums)
    return image(total(log_mean, image(own, negated)), lambda column: ones.transpose() * column)

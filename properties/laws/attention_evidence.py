"""Q_bar and Delta_bar through probes: a route to them that scales to a real corpus and scatters nothing.

For any u over queries, v over keys and w over distances, with m_t(v) the mean of v over the prefix of t,

    u^T Q_bar v       = (1/NT) sum_t u[x_t]/(t+1) sum_{k<=t} G_bar[y_t, x_k] (v[x_k] - m_t(v))
    sum_d w_d Delta_d = (1/NT) sum_t 1/(t+1)      sum_{k<=t} G_bar[y_t, x_k] (w[t-k] - m_t(w)).

Derivation: sum_k (M_k - mean M) v_k = sum_k M_k (v_k - mean v). The centring is moved from the evidence to
the probe, so an implementation that forgot it, or centred over the wrong positions, disagrees. With u = 1 and
v the indicator of a word j these are the column sums of Q_bar: with g_t,k = G_bar[y_t, x_k]/(t+1) and g_t its
mean over k <= t, position k adds sum_{t>=k} (g_t,k - g_t)/NT to the column of its word.
"""

from __future__ import annotations

import numpy as np

from properties.cases import CORPORA, CorpusCase
from properties.check import Check, Comparison, Outcome
from properties.laws.statistics_exact import magnitudes_by_corpus
from properties.statistics_bounds import Magnitude
from properties.target import Target
from properties.tolerances import rounding


def _probes(size: int) -> np.ndarray:
    """Return +-1 probes, the same for the same size; one has to find a wrong entry, not to hide it.

    A constant probe would see nothing but the sums of rows, which centring makes zero.
    """
    probes = np.random.default_rng(size).choice([-1.0, 1.0], size)
    probes[0] = -probes[-1]
    return probes


def _by_key(target: Target, case: CorpusCase) -> Outcome:
    G_bar = target.statistic("G_bar", case.tokens, case.vocab_size)
    Q_bar = target.statistic("Q_bar", case.tokens, case.vocab_size)
    u, v = _probes(case.vocab_size), _probes(case.vocab_size)[::-1]
    evidence = [
        (_weighted(G_bar, sequence, np.broadcast_to(v[sequence[:-1]], (len(sequence) - 1,) * 2)), sequence)
        for sequence in case.tokens
    ]
    expected = sum(float(u[sequence[:-1]] @ row) for row, sequence in evidence) / case.tokens[:, 1:].size
    yield Comparison("u^T Q_bar v", u @ Q_bar @ v, expected, _bound("Q_bar", target, case))


def _columns(target: Target, case: CorpusCase) -> Outcome:
    G_bar = target.statistic("G_bar", case.tokens, case.vocab_size)
    Q_bar = target.statistic("Q_bar", case.tokens, case.vocab_size)
    T = case.tokens.shape[1] - 1
    seen = np.arange(1, T + 1)[:, None]
    expected = np.zeros(case.vocab_size)
    for sequence in case.tokens:
        x, y = sequence[:-1], sequence[1:]
        pull = np.tril(G_bar[y[:, None], x[None, :]]) / seen
        mean = pull.sum(axis=1, keepdims=True) / seen
        np.add.at(expected, x, pull.sum(axis=0) - mean[::-1].cumsum()[::-1])
    magnitude = magnitudes_by_corpus(case.tokens, case.vocab_size)["Q_bar"]
    operations = magnitude.operations + case.vocab_size
    bound = 2 * rounding(magnitude.terms.sum(axis=0), operations, target.dtype)
    yield Comparison("column sums of Q_bar", Q_bar.sum(axis=0), expected / case.tokens[:, 1:].size, bound)


def _by_distance(target: Target, case: CorpusCase) -> Outcome:
    G_bar = target.statistic("G_bar", case.tokens, case.vocab_size)
    Delta_bar = target.statistic("Delta_bar", case.tokens, case.vocab_size)
    T = case.tokens.shape[1] - 1
    w = _probes(T)
    distance = np.maximum(np.subtract.outer(np.arange(T), np.arange(T)), 0)
    rows = [_weighted(G_bar, sequence, w[distance]).sum() for sequence in case.tokens]
    expected = float(sum(rows)) / case.tokens[:, 1:].size
    yield Comparison("w^T Delta_bar", w @ Delta_bar, expected, _bound("Delta_bar", target, case))


def _weighted(G_bar: np.ndarray, sequence: np.ndarray, probe: np.ndarray) -> np.ndarray:
    """Return for each row t: 1/(t+1) sum_{k<=t} G_bar[y_t, x_k] (probe[t, k] - its mean over k <= t)."""
    x, y = sequence[:-1], sequence[1:]
    seen = np.arange(1, len(x) + 1)
    mean = np.tril(probe).sum(axis=1) / seen
    weighted: np.ndarray = (np.tril(probe - mean[:, None]) * G_bar[y[:, None], x[None, :]]).sum(axis=1)
    return weighted / seen


def _bound(name: str, target: Target, case: CorpusCase) -> np.ndarray:
    """Both sides sum every term of the statistic once, in one order or another."""
    magnitude: Magnitude = magnitudes_by_corpus(case.tokens, case.vocab_size)[name]
    return 2 * rounding(magnitude.terms.sum(), magnitude.operations + magnitude.terms.size, target.dtype)


CHECKS = (
    Check(
        id="statistics.Q_bar_probed",
        statement="For any probes, u^T Q_bar v is the centred evidence of G_bar summed over positions.",
        source="paper, eq. 14-17; derived here",
        cases=CORPORA,
        law=_by_key,
        needs=("statistics",),
    ),
    Check(
        id="statistics.Q_bar_columns",
        statement="The columns of Q_bar sum to the centred evidence that each key word receives.",
        source="paper, eq. 14-17; derived here",
        cases=CORPORA,
        law=_columns,
        needs=("statistics",),
    ),
    Check(
        id="statistics.Delta_bar_probed",
        statement="For any probe, w^T Delta_bar is the centred evidence of G_bar summed by distance.",
        source="paper, eq. 14-17; derived here",
        cases=CORPORA,
        law=_by_distance,
        needs=("statistics",),
    ),
)

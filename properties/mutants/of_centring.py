"""Slips in what a table is compared with, an even spread, and in what it is centred by."""

from __future__ import annotations

from functools import partial

from properties.mutants.mutant import Mutant

_bigram = partial(Mutant, method="statistics", function="bigram")
_context = partial(Mutant, method="statistics", function="context")
_shares = partial(Mutant, method="statistics", function="shares")
_evidence = partial(Mutant, method="statistics", function="evidence")
_whole = partial(Mutant, method="statistics", function="statistics")
_AHEAD = "the prefix of position t holds the words 2 to t + 1, its targets, not 1 to t"

CENTRING = (
    _bigram(
        "B_bar_of_independence",
        slip="from B_bar is taken what independence would give, P(i) P(j), not P(i)/V",
        right="count.sum(axis=1, keepdims=True) / vocab_size",
        wrong="count.sum(axis=1, keepdims=True) * count.sum(axis=0) / positions",
        caught_by=("statistics.B_bar", "statistics.B_bar_columns"),
    ),
    _bigram(
        "B_bar_conditional_of_unseen_words",
        slip="B_bar is P(j|i) - 1/V, without the frequency P(i)",
        right="(count - uniform) / positions",
        wrong="count / np.maximum(count.sum(axis=1, keepdims=True), 1) - 1 / vocab_size",
        caught_by=("statistics.B_bar", "statistics.unseen_words"),
    ),
    _context(
        "Phi_bar_of_independence",
        slip="from Phi_bar is taken what independence would give, P(target) times the mean share of a word",
        right="share.sum(axis=0, keepdims=True) / vocab_size",
        wrong="share.sum(axis=0, keepdims=True) * share.sum(axis=1, keepdims=True)",
        caught_by=("statistics.Phi_bar", "statistics.Phi_bar_rows_and_B_bar_columns"),
    ),
    _whole(
        "Sigma_B_is_a_covariance",
        slip="Sigma_B is a covariance: the columns of B_bar are centred before they are multiplied",
        right="Sigma_B = B_bar.T @ B_bar",
        wrong="Sigma_B = (B_bar - B_bar.mean(axis=0)).T @ (B_bar - B_bar.mean(axis=0))",
        caught_by=("statistics.Sigma_B", "statistics.Sigma_B_is_DCD"),
    ),
    _shares(
        "Phi_bar_reads_the_targets",
        slip=_AHEAD,
        right="sequence[: t + 1], sequence[t + 1]",
        wrong="sequence[1 : t + 2], sequence[t + 1]",
        caught_by=("statistics.Phi_bar", "statistics.unseen_words"),
    ),
    _evidence(
        "Q_bar_reads_the_targets",
        slip=_AHEAD,
        right="sequence[t], sequence[: t + 1]",
        wrong="sequence[t], sequence[1 : t + 2]",
        caught_by=("statistics.Q_bar", "statistics.Delta_bar"),
    ),
)

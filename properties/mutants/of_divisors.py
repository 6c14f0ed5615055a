"""Means over N T positions divided by all N (T + 1) words: the last one of a sequence predicts nothing."""

from __future__ import annotations

from functools import partial

from properties.mutants.mutant import Mutant

_by_all_words = partial(
    Mutant,
    slip="the mean is over all N (T + 1) words, the last of each sequence included, which predicts nothing",
    kind="padding counted",
)

DIVISORS = (
    _by_all_words(
        "B_bar_divided_by_all_words",
        method="statistics",
        function="bigram",
        right="positions = tokens[:, 1:].size",
        wrong="positions = tokens.size",
        caught_by=("statistics.B_bar", "statistics.B_bar_columns"),
    ),
    _by_all_words(
        "Phi_bar_divided_by_all_words",
        method="statistics",
        function="shares",
        right="positions = tokens[:, 1:].size",
        wrong="positions = tokens.size",
        caught_by=("statistics.Phi_bar", "statistics.Phi_bar_counted"),
    ),
    _by_all_words(
        "Q_bar_divided_by_all_words",
        method="statistics",
        function="evidence",
        right="tokens[:, 1:].size, len(G_bar)",
        wrong="tokens.size, len(G_bar)",
        caught_by=("statistics.Q_bar", "statistics.Delta_bar"),
    ),
    _by_all_words(
        "gradients_divided_by_all_words",
        method="gradients",
        function="gradients",
        right="value / tokens[:, 1:].size",
        wrong="value / tokens.size",
        caught_by=("gradients.W_O", "zero.gradients", "gradients.slope"),
    ),
)

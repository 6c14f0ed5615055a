"""The corpus statistics by the letter of their definitions: averages of products of one-hot matrices.

This is the slow and literal route. For a few rows of a large corpus see `theory.statistics_rows`, which
counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flint import fmpq_mat

from theory.corpus import Rows, check_corpus
from theory.matrix import M, along_diagonals, through_uniform_softmax
from theory.one_hot import OneSequence, constants
from theory.statistics_rows import B_bar_row, Phi_bar_row

__all__ = [
    "B_bar_row",
    "Phi_bar_row",
    "average",
    "evidence",
    "exact_statistics",
    "leading_directions",
    "statistics_of",
]


def exact_statistics(
    tokens: Rows, vocab_size: int, weights: Sequence[Any] | None = None
) -> dict[str, fmpq_mat]:
    """All statistics of a corpus as exact rational matrices.

    `tokens` [N, T+1] of ids below `vocab_size` = V; `weights` [N] of int or fmpq is the share of each
    sequence, 1/N by default. Returns B_bar, Phi_bar, Sigma_B, G_bar, Q_bar as [V, V] and Delta_bar as [T, 1],
    with the axes of `theory.notation`. They have no unit (B_bar and Phi_bar are differences of frequencies).

    Source: eq. 9, 10, 11, 14-17, 39, 49-62, 82.

    Raises:
        ValueError: an empty or ragged corpus, a sequence of fewer than two tokens, or an id out of range.
    """
    return statistics_of(constants(check_corpus(tokens, vocab_size, weights)))


def statistics_of(corpus: Sequence[OneSequence[M]]) -> dict[str, M]:
    """The same from sequences as matrices, whose entries and shares may be polynomials."""
    B_bar = average(corpus, lambda one: one.X.transpose() * one.U)
    Phi_bar = average(corpus, lambda one: one.U.transpose() * (one.A0 * one.X))
    Sigma_B = B_bar.transpose() * B_bar
    G_bar = Sigma_B * Phi_bar
    Q_bar, Delta_bar = evidence(corpus, lambda one: one.U * G_bar)
    return {
        "B_bar": B_bar,
        "Phi_bar": Phi_bar,
        "Sigma_B": Sigma_B,
        "G_bar": G_bar,
        "Q_bar": Q_bar,
        "Delta_bar": Delta_bar,
    }


def leading_directions(statistics: Mapping[str, M]) -> dict[str, M]:
    """What each parameter is proportional to at its leading order: [V, V], P as [T, 1] (Theorem 4.1)."""
    return {
        "W_O": statistics["B_bar"],
        "V": statistics["Phi_bar"].transpose() * statistics["B_bar"].transpose(),
        "W": statistics["Q_bar"],
        "P": statistics["Delta_bar"],
    }


def average(corpus: Sequence[OneSequence[M]], summed: Callable[[OneSequence[M]], M]) -> M:
    """The average over sequences and positions of what `summed` adds up over the positions of one."""
    return _weighted(corpus, [summed(one) for one in corpus])


def evidence(corpus: Sequence[OneSequence[M]], messages: Callable[[OneSequence[M]], M]) -> tuple[M, M]:
    """What a change of attention would do for the loss, by tokens [query, key] and by distance [T, 1].

    `messages` gives for one sequence a [T, V] matrix m; the pull of query t towards key k is m[t] . x_k, sent
    through the Jacobian of softmax at uniform attention. With m = U G_bar the results are Q_bar and Delta_bar
    (eq. 14-17).
    """
    pulls = [through_uniform_softmax(messages(one) * one.X.transpose()) for one in corpus]
    by_tokens = [one.X.transpose() * pull * one.X for one, pull in zip(corpus, pulls, strict=True)]
    return _weighted(corpus, by_tokens), _weighted(corpus, [along_diagonals(pull) for pull in pulls])


def _weighted(corpus: Sequence[OneSequence[M]], parts: Sequence[M]) -> M:
    total: M = parts[0] * corpus[0].share
    for one, part in zip(corpus[1:], parts[1:], strict=True):
        total = total + part * one.share
    return total

"""The statistics read off the corpus one position at a time: what mutants of them are made of.

An implementation of its own, which shares nothing with `theory` or `reference`, and the plainest there is: a
slip in it is a slip that a person makes. Position t (0-based) has read the words 0..t of its sequence, its
prefix, and its target is word t + 1.
"""

from __future__ import annotations

import numpy as np


def statistics(tokens: np.ndarray, vocab_size: int) -> dict[str, np.ndarray]:
    """Return the six statistics by name (paper, eq. 9-17), [V, V] and Delta_bar [T]."""
    B_bar = bigram(tokens, vocab_size)
    Phi_bar = context(tokens, vocab_size)
    Sigma_B = B_bar.T @ B_bar
    G_bar = Sigma_B @ Phi_bar
    Q_bar, Delta_bar = evidence(tokens, G_bar)
    return {
        "B_bar": B_bar,
        "Phi_bar": Phi_bar,
        "Sigma_B": Sigma_B,
        "G_bar": G_bar,
        "Q_bar": Q_bar,
        "Delta_bar": Delta_bar,
    }


def bigram(tokens: np.ndarray, vocab_size: int) -> np.ndarray:
    """B_bar [current, next]: the share of each pair, less an even spread over the next word."""
    positions = tokens[:, 1:].size
    count = np.zeros((vocab_size, vocab_size))
    for sequence in tokens:
        for t in range(len(sequence) - 1):
            current, target = sequence[t], sequence[t + 1]
            count[current, target] += 1
    uniform = count.sum(axis=1, keepdims=True) / vocab_size
    return (count - uniform) / positions


def context(tokens: np.ndarray, vocab_size: int) -> np.ndarray:
    """Phi_bar [target, context]: `shares` less an even spread over the target."""
    share = shares(tokens, vocab_size)
    uniform = share.sum(axis=0, keepdims=True) / vocab_size
    return share - uniform


def shares(tokens: np.ndarray, vocab_size: int) -> np.ndarray:
    """Return [target, context]: the share of a word in the prefix of a target, mean over positions."""
    positions = tokens[:, 1:].size
    share = np.zeros((vocab_size, vocab_size))
    for sequence in tokens:
        for t in range(len(sequence) - 1):
            prefix, target = sequence[: t + 1], sequence[t + 1]
            for word in prefix:
                share[target, word] += 1 / len(prefix)
    return share / positions


def evidence(tokens: np.ndarray, G_bar: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Q_bar [query, key] and Delta_bar [T]: the centred pull of each position on its prefix, summed."""
    positions, vocab_size = tokens[:, 1:].size, len(G_bar)
    Q_bar, Delta_bar = np.zeros_like(G_bar), np.zeros(tokens.shape[1] - 1)
    for sequence in tokens:
        for t in range(len(sequence) - 1):
            query, prefix, target = sequence[t], sequence[: t + 1], sequence[t + 1]
            residual = np.eye(vocab_size)[target] - 1 / vocab_size
            pull = residual @ G_bar[:, prefix]
            pull = pull - pull.mean()
            pull = pull / len(prefix)
            for k in range(len(prefix)):
                key, distance = prefix[k], t - k
                Q_bar[query, key] += pull[k]
                Delta_bar[distance] += pull[k]
    return Q_bar / positions, Delta_bar / positions

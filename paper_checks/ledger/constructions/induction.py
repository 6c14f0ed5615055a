"""Induction by hand-set weights in the model of `reference.model`, and in one layer of many heads.

The model has no separate embedding, so a token space of three blocks of n = symbols + 1 takes its place:
block 0 is the token itself, block 1 the token before it, block 2 the answer. Only block 0 occurs in
sequences; its last token starts each of them. CERTAIN is large enough that exp(-CERTAIN) is 0.0, so that a
softmax whose scores are that far apart is exactly one-hot, or even among ties.
"""

from __future__ import annotations

import numpy as np

from reference.model import attention, causal_softmax, logits, zero_parameters

CERTAIN = 2.0**10
Parameters = dict[str, np.ndarray]


def two_layers(symbols: int, length: int, latest: bool) -> Parameters:
    """Return weights with a previous-token head and a matching head.

    Layer 1 attends to distance 1 and writes that token into block 1. Layer 2 matches the current token (its
    query) with block 1 (its keys): a position whose predecessor is the current token. There it finds that
    position's own token in the residual stream, and writes it into block 2, which W_O reads.

    Args:
        symbols: how many tokens occur, besides the one that starts a sequence.
        length: T, at least 2.
        latest: among several matches attend to the latest alone; otherwise to all alike.
    """
    n = symbols + 1
    model = zero_parameters(3 * n, length, layers=2)
    own, before, answer = (np.arange(n) + block * n for block in range(3))
    model["P"][0, 1] = CERTAIN
    model["V"][0, own, before] = 1
    # A match outweighs every distance; distances decide among matches.
    model["W"][1, own, before] = CERTAIN * length
    model["P"][1] = -CERTAIN * np.arange(length) if latest else 0
    model["V"][1, own, answer] = 1
    model["W_O"][answer, own] = 1
    return model


def at_distance(symbols: int, length: int, distance: int) -> Parameters:
    """Return one layer that copies the token at a fixed distance, whatever the tokens are."""
    n = symbols + 1
    model = zero_parameters(3 * n, length, layers=1)
    own, answer = np.arange(n), np.arange(n) + 2 * n
    model["P"][0, distance] = CERTAIN
    model["V"][0, own, answer] = 1
    model["W_O"][answer, own] = 1
    return model


def many_heads(tokens: np.ndarray, symbols: int) -> np.ndarray:
    """Return [N, T, symbols + 1] logits of one layer of 2 (T - 1) heads that implements induction.

    Scores are W[query, key] + P[distance] as in the model, values are tokens, that of the start is 0. In
    units of CERTAIN, W is -3 for a key that equals the query, 1 for the start, else 0. For each distance d:

    - head A_d has P = 2 at d, 1 at d - 1, else -4: it attends to d; if the token there is the current one, to
      d - 1, or still to d where that is the current token too, so that it finds what followed;
    - head B_d has P = 2 at d, else 0: it attends to d; if the token there is the current one, to the start.

    A_d - B_d is what followed at d - 1 where d is an earlier occurrence, and 0 elsewhere, also where the
    sequence does not reach back to d. Weighed by 2^-d, the latest occurrence outweighs all earlier ones.
    """
    x = tokens[:, :-1]
    T = x.shape[1]
    distance = np.maximum(np.subtract.outer(np.arange(T), np.arange(T)), 0)
    W = np.where(x[:, :, None] == x[:, None, :], -3.0, 0.0) + (x == symbols)[:, None, :]
    values = np.eye(symbols + 1)[x] * (x != symbols)[:, :, None]
    found: np.ndarray = np.zeros_like(values)
    for d in range(1, T):
        P_A, P_B = np.full(T, -4.0), np.zeros(T)
        P_A[d - 1], P_A[d], P_B[d] = 1, 2, 2
        A, B = (causal_softmax(CERTAIN * (W + P[distance])) for P in (P_A, P_B))
        found += (A - B) @ values * 2.0**-d
    return found


def repeated(seed: int, symbols: int, period: int, repeats: int, count: int = 12) -> np.ndarray:
    """Return [count, repeats * period + 2] tokens: the start, copies of distinct random tokens, one more."""
    random = np.random.default_rng(seed)
    blocks = np.stack([random.permutation(symbols)[:period] for _ in range(count)])
    return np.hstack([np.full((count, 1), symbols), np.tile(blocks, repeats), blocks[:, :1]])


def unrelated(seed: int, symbols: int, length: int, count: int = 12) -> np.ndarray:
    """Return [count, length + 1] tokens: the start and independent random tokens."""
    random = np.random.default_rng(seed)
    return np.hstack([np.full((count, 1), symbols), random.integers(0, symbols, (count, length))])


def after_latest(x: list[int]) -> int | None:
    """Return the token that followed the latest earlier occurrence of the last one; None if there is none."""
    earlier = [j for j in range(len(x) - 1) if x[j] == x[-1]]
    return x[earlier[-1] + 1] if earlier else None


def wanted(tokens: np.ndarray) -> np.ndarray:
    """Return [N, T] what induction predicts at each position, -1 where the current token is new."""
    rows = [[after_latest(list(x[: t + 1])) for t in range(len(x) - 1)] for x in tokens]
    return np.array([[-1 if one is None else one for one in row] for row in rows])


def accuracy(scores: np.ndarray, right: np.ndarray) -> float:
    """Return the share of the positions [N, T] with an answer where it has the largest score of [N, T, V]."""
    asked = right >= 0
    return float((scores[asked].argmax(axis=-1) == right[asked]).mean())


def model_accuracy(model: Parameters, tokens: np.ndarray, right: np.ndarray) -> float:
    """Return the accuracy of the model's predictions of what is right [N, T] for tokens [N, T+1]."""
    return accuracy(logits(model, tokens), right)


def last_map(model: Parameters, tokens: np.ndarray) -> np.ndarray:
    """Return [T - 1, T - 1]: the last layer's attention on the first sequence, without the start."""
    found: np.ndarray = attention(model, tokens[:1])[-1, 0, 1:, 1:]
    return found

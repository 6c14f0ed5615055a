"""The corpus statistics that the weights of a young transformer are made of.

Every statistic is a sum over the N*T predicted positions: at position t (0-based) the model has read the
prefix x[0..t] and the target is y[t] = x[t+1]. One-hot products of the paper become gathers and scatters:
(X^T M X)[a, b] adds M[t, k] where x[t] = a and x[k] = b.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64, Int64

from reference.corpus import check_tokens

Matrix = Float64[np.ndarray, "V V"]


def statistics(tokens: Int64[np.ndarray, "N T_plus_1"], vocab_size: int) -> dict[str, np.ndarray]:
    """Return the six statistics of a corpus by name, float64.

    B_bar [current, next], Phi_bar [target, context], Sigma_B [next, next], G_bar [target, context],
    Q_bar [query, key] are [V, V]; Delta_bar is [T], by distance.

    Raises:
        InputError: the tokens are no [N, T+1] array of numbers below `vocab_size`.
    """
    check_tokens(tokens, vocab_size)
    B_bar = bigram(tokens, vocab_size)
    Phi_bar = context(tokens, vocab_size)
    Sigma_B = interchangeability(B_bar)
    G_bar = Sigma_B @ Phi_bar
    Q_bar, Delta_bar = attention_evidence(tokens, G_bar)
    return {
        "B_bar": B_bar,
        "Phi_bar": Phi_bar,
        "Sigma_B": Sigma_B,
        "G_bar": G_bar,
        "Q_bar": Q_bar,
        "Delta_bar": Delta_bar,
    }


def bigram(tokens: Int64[np.ndarray, "N T_plus_1"], vocab_size: int) -> Float64[np.ndarray, "V V"]:
    """B_bar [current, next] = (1/NT) sum X^T (Y - 1/V) = P(i) P(j|i) - P(i)/V (eq. 9). Rows sum to zero."""
    current, following = tokens[:, :-1].ravel(), tokens[:, 1:].ravel()
    joint = np.zeros((vocab_size, vocab_size))
    np.add.at(joint, (current, following), 1.0)
    frequency = joint.sum(axis=1, keepdims=True)
    return (joint - frequency / vocab_size) / current.size


def context(tokens: Int64[np.ndarray, "N T_plus_1"], vocab_size: int) -> Float64[np.ndarray, "V V"]:
    """Phi_bar [target, context] = (1/NT) sum (Y - 1/V)^T A0 X (eq. 11). Columns sum to zero.

    The prefix holds the current token itself: A0[t, k] = 1/(t+1) for k <= t.
    """
    A0 = uniform_attention(tokens.shape[1] - 1)
    share = np.zeros((vocab_size, vocab_size))
    for sequence in tokens:
        x, y = sequence[:-1], sequence[1:]
        np.add.at(share, (y[:, None], x[None, :]), A0)
    baseline = share.sum(axis=0, keepdims=True) / vocab_size
    return (share - baseline) / tokens[:, 1:].size


def interchangeability(B_bar: Float64[np.ndarray, "V V"]) -> Float64[np.ndarray, "V V"]:
    """Sigma_B [next, next] = B_bar^T B_bar (eq. 10): how alike two tokens' predecessors are."""
    return B_bar.T @ B_bar


def strength_and_similarity(
    B_bar: Float64[np.ndarray, "V V"],
) -> tuple[Float64[np.ndarray, " V"], Float64[np.ndarray, "V V"]]:
    """Return d [V] and C [V, V] with Sigma_B = diag(d) C diag(d).

    d holds the column norms of B_bar (strength of the evidence for a token), C the cosines of its columns
    (likeness of role), in -1..1; a column of zeros has cosine 0 with every column, itself included.
    """
    d = np.linalg.norm(B_bar, axis=0)
    unit = B_bar / np.where(d > 0, d, 1.0)
    return d, unit.T @ unit


def attention_evidence(
    tokens: Int64[np.ndarray, "N T_plus_1"], G_bar: Float64[np.ndarray, "V V"]
) -> tuple[Float64[np.ndarray, "V V"], Float64[np.ndarray, " T"]]:
    """Return Q_bar [query, key] (eq. 14, 17) and Delta_bar [T] by distance, from G_bar [target, context].

    Rows of B_bar sum to zero, so (1/V) Sigma_B = 0 and M = (Y - 1/V) G_bar X^T is the plain gather
    M[t, k] = G_bar[y[t], x[k]]: the uniform part drops out.
    """
    N, T = tokens.shape[0], tokens.shape[1] - 1
    Q_bar, Delta_bar = np.zeros_like(G_bar), np.zeros(T)
    distance = np.subtract.outer(np.arange(T), np.arange(T))
    visible = distance >= 0
    for sequence in tokens:
        x, y = sequence[:-1], sequence[1:]
        Q_i = uniform_jacobian(G_bar[y[:, None], x[None, :]])
        np.add.at(Q_bar, (x[:, None], x[None, :]), Q_i)
        np.add.at(Delta_bar, distance[visible], Q_i[visible])
    return Q_bar / (N * T), Delta_bar / (N * T)


def uniform_jacobian(M: Float64[np.ndarray, "T T"]) -> Float64[np.ndarray, "T T"]:
    """Apply to each row the causal softmax's Jacobian at the uniform point (eq. 15-16).

    Row t (0-based) is masked to k <= t, its mean over k <= t subtracted, and the result divided by t+1.
    """
    visible = np.tril(np.ones_like(M))
    seen = np.arange(1, len(M) + 1)[:, None]
    mean = (M * visible).sum(axis=1, keepdims=True) / seen
    return (M - mean) * visible / seen


def uniform_attention(length: int) -> Float64[np.ndarray, "T T"]:
    """A0 [T, T]: causal attention at zero scores, A0[t, k] = 1/(t+1) for k <= t (0-based), else 0."""
    return np.tril(np.ones((length, length))) / np.arange(1, length + 1)[:, None]

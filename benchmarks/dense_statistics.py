"""The statistics as the published code computes them: one-hot matrices and the softmax Jacobian in full.

Written from the paper's formulas (eq. 9-17) for comparison only: float32, one sequence at a time.
"""

from __future__ import annotations

import torch
from jaxtyping import Float32, Int64
from torch import Tensor


def dense_statistics(tokens: Int64[Tensor, "N T_plus_1"], vocab_size: int) -> dict[str, Tensor]:
    """Return B_bar, Phi_bar, Sigma_B, G_bar and Q_bar [V, V] and Delta_bar [T], float32."""
    N, T = tokens.shape[0], tokens.shape[1] - 1
    B_bar, Phi_bar, Q_bar = torch.zeros(3, vocab_size, vocab_size)
    Delta_bar = torch.zeros(T)
    A0 = uniform_attention(T)
    for sequence in tokens:
        X, R = one_hots(sequence, vocab_size)
        B_bar += X.T @ R
        Phi_bar += R.T @ (A0 @ X)
    B_bar, Phi_bar = B_bar / (N * T), Phi_bar / (N * T)
    Sigma_B = B_bar.T @ B_bar
    G_bar = Sigma_B @ Phi_bar
    J = uniform_jacobian(T)
    for sequence in tokens:
        X, R = one_hots(sequence, vocab_size)
        M = R @ G_bar @ X.T  # [T, T]
        Q_i = torch.einsum("tjk,tk->tj", J, M)  # [T, T]
        Q_bar += X.T @ Q_i @ X
        Delta_bar += torch.stack([Q_i.diagonal(-d).sum() for d in range(T)])
    return {
        "B_bar": B_bar,
        "Phi_bar": Phi_bar,
        "Sigma_B": Sigma_B,
        "G_bar": G_bar,
        "Q_bar": Q_bar / (N * T),
        "Delta_bar": Delta_bar / (N * T),
    }


def one_hots(
    sequence: Int64[Tensor, " T_plus_1"], vocab_size: int
) -> tuple[Float32[Tensor, "T V"], Float32[Tensor, "T V"]]:
    """Return X and Y - 1/V."""
    rows = torch.nn.functional.one_hot(sequence, vocab_size).float()
    return rows[:-1], rows[1:] - 1 / vocab_size


def uniform_attention(length: int) -> Float32[Tensor, "T T"]:
    """A0: row t has 1/(t+1) at k <= t."""
    return torch.ones(length, length).tril() / torch.arange(1, length + 1)[:, None]


def uniform_jacobian(length: int) -> Float32[Tensor, "T T T"]:
    """J[t] is the Jacobian of the softmax over k <= t at the uniform point: diag(a) - a a^T, a = A0[t]."""
    A0 = uniform_attention(length)
    return torch.diag_embed(A0) - A0[:, :, None] * A0[:, None, :]

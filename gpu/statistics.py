"""The corpus statistics in torch: counts, gathers and scattered sums over batches of sequences.

At position t (0-based) the model has read x[0..t] and the target is y[t] = x[t+1]. A pair (t, k), k <= t,
is one term of Phi_bar and one of Q_bar. Sums are float64 whatever the output, since float32 loses the small
terms of a large corpus; counts are whole numbers. Memory beyond the corpus and the result is one batch.

On CPU every sum has a fixed order, so that a repeated call returns the same bits. On CUDA scattered sums
are atomic, and repeated calls may differ by the rounding of one reordered summation.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from jaxtyping import Float64, Int64

# Pairs (t, k) that a batch may hold: at about 40 bytes each a batch takes less than 100 MB.
PAIRS_AT_ONCE = 1 << 21

Tokens = Int64[torch.Tensor, "N T_plus_1"]
Matrix = Float64[torch.Tensor, "V V"]


def statistics(tokens: Tokens, vocab_size: int) -> dict[str, torch.Tensor]:
    """Return the six statistics of a corpus by name, float64, on the device of `tokens`.

    B_bar [current, next], Phi_bar [target, context], Sigma_B [next, next], G_bar [target, context] and
    Q_bar [query, key] are [V, V]; Delta_bar is [T], by distance. Tokens must be in 0..V-1.
    """
    B_bar = bigram(tokens, vocab_size)
    Phi_bar = context(tokens, vocab_size)
    Sigma_B = B_bar.T @ B_bar
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


def bigram(tokens: Tokens, vocab_size: int) -> Float64[torch.Tensor, "V V"]:
    """B_bar [current, next] (eq. 9): joint frequency less an even share of the current token's."""
    count = pair_counts(tokens, vocab_size)
    # Whole numbers up to here: V * count - (count of the current token) is exact, and rounded once.
    surplus = vocab_size * count - count.sum(dim=1, keepdim=True)
    return surplus.double() / (vocab_size * tokens[:, 1:].numel())


def context(tokens: Tokens, vocab_size: int) -> Float64[torch.Tensor, "V V"]:
    """Phi_bar [target, context] (eq. 11): how much of the prefix is the context token, by target.

    The prefix includes the current token. From each column an even share of its sum is taken off.
    """
    share = prefix_shares(tokens, vocab_size)
    return (share - share.mean(dim=0, keepdim=True)) / tokens[:, 1:].numel()


def attention_evidence(
    tokens: Tokens, G_bar: Matrix
) -> tuple[Float64[torch.Tensor, "V V"], Float64[torch.Tensor, " T"]]:
    """Return Q_bar [query, key] (eq. 14, 17) and Delta_bar [T] by distance, from G_bar [target, context].

    The uniform part of Y - 1/V meets Sigma_B, whose columns sum to zero, and drops out.
    """
    by_cell, by_distance = evidence_sums(tokens, G_bar)
    positions = tokens[:, 1:].numel()
    return by_cell / positions, by_distance / positions


def pair_counts(tokens: Tokens, vocab_size: int) -> Int64[torch.Tensor, "V V"]:
    """Count each pair [current, next]."""
    cell = tokens[:, :-1] * vocab_size + tokens[:, 1:]
    return cell.flatten().bincount(minlength=vocab_size**2).view(vocab_size, vocab_size)


def prefix_shares(tokens: Tokens, vocab_size: int) -> Float64[torch.Tensor, "V V"]:
    """Sum 1/(t+1) over the pairs (t, k) by [target, context]."""
    total = torch.zeros(vocab_size**2, dtype=torch.float64, device=tokens.device)
    t, k = causal_pairs(tokens.shape[1] - 1, tokens.device)
    share = 1 / (t + 1).double()
    for batch in batches(tokens):
        cell = batch[:, 1:][:, t] * vocab_size + batch[:, :-1][:, k]
        total.index_add_(0, cell.flatten(), share.repeat(len(batch)))
    return total.view(vocab_size, vocab_size)


def evidence_sums(
    tokens: Tokens, G_bar: Matrix
) -> tuple[Float64[torch.Tensor, "V V"], Float64[torch.Tensor, " T"]]:
    """Sum the entries of Q_i over the pairs (t, k) by [query, key], and by distance t - k.

    The entry of a pair is G_bar[y[t], x[k]], less its mean over the prefix, divided by the prefix's length.
    """
    V, T = len(G_bar), tokens.shape[1] - 1
    by_cell, by_distance = torch.zeros_like(G_bar).flatten(), G_bar.new_zeros(T)
    t, k = causal_pairs(T, tokens.device)
    row, seen = t.expand(1, -1), (t + 1).double()
    for batch in batches(tokens):
        x, y = batch[:, :-1], batch[:, 1:]
        key = x[:, k]  # [n, pairs]
        entry = G_bar.flatten()[y[:, t] * V + key]
        row_sum = entry.new_zeros(len(batch), T).scatter_add_(1, row.expand(len(batch), -1), entry)
        entry = (entry - row_sum[:, t] / seen) / seen
        by_cell.index_add_(0, (x[:, t] * V + key).flatten(), entry.flatten())
        by_distance.index_add_(0, t - k, entry.sum(dim=0))
    return by_cell.view(V, V), by_distance


def causal_pairs(
    length: int, device: torch.device
) -> tuple[Int64[torch.Tensor, " pairs"], Int64[torch.Tensor, " pairs"]]:
    """Return t and k of all pairs 0 <= k <= t < length."""
    t, k = torch.tril_indices(length, length, device=device)
    return t, k


def batches(tokens: Tokens) -> Iterator[torch.Tensor]:
    """Cut a corpus into runs [n, T+1] with at most PAIRS_AT_ONCE pairs, one sequence at the least."""
    length = tokens.shape[1] - 1
    run = max(1, 2 * PAIRS_AT_ONCE // (length * (length + 1)))
    for start in range(0, len(tokens), run):
        yield tokens[start : start + run]

"""Induction on any sequence, heads removed from a layer, splits for a probe: for the adapters beside it."""

import numpy as np
from numpy_metrics import Metrics, require


class Heads(Metrics):
    def sequence_induction_score(self, attention, tokens):
        T = len(tokens)
        require(attention.shape == (T, T), "a square map with a row for each token")
        targets = np.zeros((T, T), dtype=bool)
        targets[:, 1:] = tokens[:, None] == tokens[:-1]  # [t, k]: the token before k is that at t
        targets = np.tril(targets)
        require(targets.any(), "a sequence in which some token recurs")
        return attention[targets].sum() / targets.any(axis=1).sum()

    def multi_head_output(self, weights, stream, ablated):
        W_Q, W_K, W_V, W_O = (weights[name] for name in ("W_Q", "W_K", "W_V", "W_O"))
        (H, d, k), T = W_Q.shape, stream.shape[1]
        require(W_K.shape == W_V.shape == (H, d, k) and W_O.shape == (H, k, d), "weights of one layer")
        require(stream.ndim == 3 and stream.shape[2] == d, "a stream [N, T, d]")
        require(all(0 <= head < H for head in ablated), "numbers of heads")
        query, key, value = (np.einsum("nta,hak->hntk", stream, W) for W in (W_Q, W_K, W_V))
        scores = np.einsum("hntk,hnsk->hnts", query, key) / np.sqrt(k)
        scores = np.where(np.tri(T, dtype=bool), scores, -np.inf)
        maps = np.exp(scores - scores.max(axis=-1, keepdims=True))
        maps /= maps.sum(axis=-1, keepdims=True)
        kept = [head for head in range(H) if head not in ablated]
        return np.einsum("hnts,hnsk,hka->nta", maps[kept], value[kept], W_O[kept])

    def probe_split(self, sequences, share, seed):
        numbers = np.unique(sequences)
        require(len(numbers) > 1 and 0 < share < 1, "two sequences and a share between 0 and 1")
        tested = np.clip(round(share * len(numbers)), 1, len(numbers) - 1)
        order = np.random.default_rng(seed).permutation(len(numbers))
        return np.isin(sequences, numbers[order[:tested]])

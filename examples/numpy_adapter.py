"""An implementation in NumPy, written as the paper writes it: one-hot rows and sums over all positions.

leadterms verify py:numpy_adapter:Adapter    (in the folder examples)
"""

import numpy as np
from numpy_heads import Heads
from numpy_metrics import require


def rows(tokens, vocab_size):
    require(tokens.ndim == 2 and tokens.size and tokens.shape[1] > 1, "sequences of two words or more")
    require(tokens.min() >= 0 and tokens.max() < vocab_size, "words below vocab_size, none below 0")
    return np.eye(vocab_size)[tokens]


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


class Adapter(Heads):
    def statistics(self, tokens, vocab_size):
        one_hot = rows(tokens, vocab_size)
        X, U = one_hot[:, :-1], one_hot[:, 1:] - 1 / vocab_size
        N, T = X.shape[:2]
        causal = np.tril(np.ones((T, T)))
        A0 = causal / causal.sum(axis=1, keepdims=True)
        B_bar = np.einsum("nta,ntb->ab", X, U) / (N * T)
        Phi_bar = np.einsum("nta,tk,nkb->ab", U, A0, X, optimize=True) / (N * T)
        Sigma_B = np.einsum("ka,kb->ab", B_bar, B_bar)
        G_bar = Sigma_B @ Phi_bar
        M = np.einsum("nta,ab,nkb->ntk", U, G_bar, X, optimize=True)
        pull = A0 * (M - np.einsum("tk,ntk->nt", A0, M)[..., None])
        Q_bar = np.einsum("nta,ntk,nkb->ab", X, pull, X, optimize=True) / (N * T)
        Delta_bar = np.array([np.trace(pull.sum(axis=0), -d) for d in range(T)]) / (N * T)
        found = {"B_bar": B_bar, "Phi_bar": Phi_bar, "Sigma_B": Sigma_B, "G_bar": G_bar}
        return {**found, "Q_bar": Q_bar, "Delta_bar": Delta_bar}

    def forward(self, parameters, tokens):
        h, maps = [rows(tokens, len(parameters["W_O"]))[:, :-1]], []
        distance = np.subtract.outer(np.arange(h[0].shape[1]), np.arange(h[0].shape[1]))
        for V, W, P in zip(parameters["V"], parameters["W"], parameters["P"]):
            scores = np.einsum("nta,ab,nkb->ntk", h[-1], W, h[-1], optimize=True) + P[distance]
            maps.append(softmax(np.where(distance >= 0, scores, -np.inf)))
            h.append(h[-1] + maps[-1] @ h[-1] @ V)
        return h, np.array(maps)

    def logits(self, parameters, tokens):
        return self.forward(parameters, tokens)[0][-1] @ parameters["W_O"]

    def attention(self, parameters, tokens):
        return self.forward(parameters, tokens)[1]

    def loss(self, parameters, tokens):
        F = self.logits(parameters, tokens)
        F = F - F.max(axis=-1, keepdims=True)
        chosen = np.take_along_axis(F, tokens[:, 1:, None], axis=-1)
        return (np.log(np.exp(F).sum(axis=-1, keepdims=True)) - chosen).mean()

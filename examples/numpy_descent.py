"""The adapter of numpy_adapter.py with gradients, by dense one-hot einsums, and descent.

leadterms verify py:numpy_descent:Adapter    (in the folder examples)
"""

from functools import partial

import numpy as np
from numpy_adapter import Adapter as Statistics
from numpy_adapter import rows, softmax
from numpy_metrics import by_distance, require

einsum = partial(np.einsum, optimize=True)


class Adapter(Statistics):
    def gradients(self, parameters, tokens):
        W_O, X = parameters["W_O"], rows(tokens, len(parameters["W_O"]))
        h, maps = self.forward(parameters, tokens)
        R = (softmax(h[-1] @ W_O) - X[:, 1:]) / tokens[:, 1:].size
        G, found = R @ W_O.T, {"W_O": einsum("nta,ntb->ab", h[-1], R), "V": [], "W": [], "P": []}
        layers = list(zip(h, maps, parameters["V"], parameters["W"]))
        for x, A, V, W in reversed(layers):
            M = einsum("nta,ba,nkb->ntk", G, V, x)
            S = A * (M - einsum("ntk,ntk->nt", A, M)[..., None])
            found["V"].insert(0, einsum("ntk,nka,ntb->ab", A, x, G))
            found["W"].insert(0, einsum("nta,ntk,nkb->ab", x, S, x))
            found["P"].insert(0, einsum("ntk,tkd->d", S, by_distance(S.shape[1])))
            through_values = einsum("ntk,ntb,ab->nka", A, G, V)
            through_scores = einsum("ntk,nkb,ab->nta", S, x, W) + einsum("ntk,nta,ab->nkb", S, x, W)
            G = G + through_values + through_scores
        return {name: np.array(value) for name, value in found.items()}

    def train(self, tokens, vocab_size, layers, rate, steps):
        require(layers > 0 and rate >= 0 and steps >= 0, "a layer or more, and no negative rate or steps")
        square = (vocab_size, vocab_size)
        shapes = {"W_O": square, "V": (layers, *square), "W": (layers, *square)}
        parameters = {name: np.zeros(shape) for name, shape in shapes.items()}
        parameters["P"] = np.zeros((layers, tokens.shape[1] - 1))
        for _ in range(steps):
            slope = self.gradients(parameters, tokens)
            parameters = {name: value - rate * slope[name] for name, value in parameters.items()}
        return parameters

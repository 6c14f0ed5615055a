"""How far a pretrained model's maps from tokens are along the theory's, layer by layer (paper, sec. 5.2).

- attention: the map X W_QK X^T [query, key], W_QK the mean of W_Q W_K^T over heads, against Q_bar. X is the
  stream that the layer finds, for each token by itself. The paper carries it as it stands; `as_read` divides
  each row by its norm's sigma and adds the bias of the queries, which is what the heads see. Positions are
  left out: the map is that of two tokens at the same place.
- heads: the same for each head, W_Q W_K^T.
- no_mlp and output: the stream that the layer leaves, without and with its MLP, against
  Phi_bar^T B_bar^T.

Compared are covariances of tokens (`gpu.pretrained.covariances`), the theory's of row-normalised maps. The
controls: Q_bar transposed, the statistics of the corpus in random order (shuffled), and what is left without
the theory's first directions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from gpu.precision import full_precision
from gpu.pretrained.covariances import (
    REMOVED,
    Compared,
    TokenCovariance,
    less,
    row_centred,
    token_covariance,
)
from gpu.pretrained.token_blocks import TokenBlocks
from gpu.pretrained.token_model import Heads, TokenModel
from gpu.threads import threads_for

Cosine = float | None
ATTENTION, NO_MLP, OUTPUT = "attention", "no_mlp", "output"
KINDS = (ATTENTION, NO_MLP, OUTPUT)


@dataclass(frozen=True)
class Theory:
    """The covariances that a model is compared with.

    Attributes:
        attention: of Q_bar by its name, "transposed" and "shuffled".
        value: of Phi_bar^T B_bar^T by its name, and "shuffled".
        orientation: the cosines of the covariances of Q_bar and of its transpose: full, less_1, less_10.
    """

    attention: Mapping[str, TokenCovariance]
    value: Mapping[str, TokenCovariance]
    orientation: dict[str, Cosine]

    @property
    def best_rank_one(self) -> dict[str, Cosine]:
        """The largest cosine that a covariance of rank one can have, by kind."""
        Q_bar, value = self.attention["Q_bar"].best_rank_one, self.value["value"].best_rank_one
        return {ATTENTION: Q_bar, NO_MLP: value, OUTPUT: value}


@dataclass(frozen=True)
class LayerAlignment:
    """The cosines of one layer.

    Attributes:
        attention: full, less_1, less_10, transposed, shuffled, shuffled_less_1, as_read.
        heads: one for each head.
        no_mlp, output: full, less_1, less_10, shuffled, shuffled_less_1.
    """

    attention: dict[str, Cosine]
    heads: list[Cosine]
    no_mlp: dict[str, Cosine]
    output: dict[str, Cosine]


def theory_of(blocks: TokenBlocks, control: TokenBlocks, device: str) -> Theory:
    """Return the covariances of a corpus's maps, and of those of the corpus in random order."""

    def covariance(rows: np.ndarray) -> TokenCovariance:
        return token_covariance(torch.tensor(rows, device=device))

    with full_precision(), threads_for(torch.ones(len(blocks.Q_bar)), len(blocks.Q_bar)):
        attention = {
            "Q_bar": covariance(blocks.Q_bar),
            "transposed": covariance(blocks.Q_bar.T),
            "shuffled": covariance(control.Q_bar),
        }
        value = {"value": covariance(blocks.value), "shuffled": covariance(control.value)}
        one, other = attention["Q_bar"], attention["transposed"]
        return Theory(attention, value, {less(k): one.cosine(other, k) for k in REMOVED})


@torch.no_grad()
def alignments(
    model: TokenModel,
    ids: Int64[np.ndarray, " n"],
    theory: Theory,
    told: Callable[[int, int], None] = lambda done, of: None,
) -> list[LayerAlignment]:
    """Return the cosines of each layer, computed in float64 from what the model computes in its own type.

    Args:
        model: see `gpu.pretrained.token_model`.
        ids: the tokens over which the theory's covariances are, in their order.
        theory: see `theory_of`.
        told: called with the layers that are done and how many there are.

    Memory: the streams, n d (2 L + 1) numbers in the model's type, and 8 n (n + 3 d) bytes.
    """
    tokens = torch.tensor(ids)
    with full_precision(), threads_for(tokens, max(len(ids), model.sizes.width)):
        streams = model.streams(tokens)
        found = []
        for layer in range(model.sizes.layers):
            attention, heads = _attention(model, layer, streams.before[layer], theory)
            no_mlp = _output(streams.without_mlp(layer).double(), theory)
            output = _output(streams.output(layer).double(), theory)
            found.append(LayerAlignment(attention, heads, no_mlp, output))
            told(layer + 1, model.sizes.layers)
    return found


def _attention(
    model: TokenModel, layer: int, stream: Tensor, theory: Theory
) -> tuple[dict[str, Cosine], list[Cosine]]:
    heads, scales = model.heads(layer), model.scales(stream, layer).double()
    W_Q, W_K, X = heads.W_Q.double(), heads.W_K.double(), stream.double()
    compared = Compared.of(X, theory.attention)
    keys = _spread(X)
    W_QK = torch.einsum("hdk,hek->de", W_Q, W_K) / len(W_Q)
    mean = (W_QK, keys)
    found = compared.cosines("Q_bar", *mean)
    found |= {"transposed": compared.cosine("transposed", *mean), **_shuffled(compared, *mean)}
    per_head = [compared.cosine("Q_bar", Q, K.T @ keys @ K) for Q, K in zip(W_Q, W_K, strict=True)]
    return found | {"as_read": _as_read(heads, X * scales[:, None], theory)}, per_head


def _as_read(heads: Heads, read: Tensor, theory: Theory) -> Cosine:
    """Return the cosine of what the heads see: the bias of the queries is one more dimension of X, all 1."""
    W_Q = torch.cat([heads.W_Q, heads.b_Q[:, None, :]], dim=1).double()
    X = torch.cat([read, read.new_ones(len(read), 1)], dim=1)
    W_QK = torch.einsum("hdk,hek->de", W_Q, heads.W_K.double()) / len(W_Q)
    return Compared.of(X, {"Q_bar": theory.attention["Q_bar"]}).cosine("Q_bar", W_QK, _spread(read))


def _spread(X: Tensor) -> Tensor:
    """Return X_c^T X_c, X_c with the mean over tokens taken off.

    A row of scores q K^T less its mean over keys is q (K - mean)^T, so this is what centring leaves of keys.
    """
    centred = X - X.mean(dim=0)
    return centred.T @ centred


def _output(rows: Tensor, theory: Theory) -> dict[str, Cosine]:
    """Return the cosines of the covariance of a stream's rows."""
    compared = Compared.of(row_centred(rows), theory.value)
    identity = torch.eye(rows.shape[1], dtype=rows.dtype, device=rows.device)
    return compared.cosines("value", identity, identity) | _shuffled(compared, identity, identity)


def _shuffled(compared: Compared, W: Tensor, S: Tensor) -> dict[str, Cosine]:
    """Return the cosines with the shuffled corpus, the second without its own first direction."""
    return {
        "shuffled": compared.cosine("shuffled", W, S),
        "shuffled_less_1": compared.cosine("shuffled", W, S, removed=1),
    }

"""Multi-head causal attention with its output projection, and one head's part in it.

For a stream h [N, T, d] and H heads of width k:

    q_i = h W_Q[i]   k_i = h W_K[i]   v_i = h W_V[i]
    A_i = softmax(q_i k_i^T / sqrt(k)) over earlier positions and the own one
    output = sum_i A_i v_i W_O[i]

which is the usual concatenation of the A_i v_i times one [H k, d] matrix, whose rows i k to (i+1) k are
W_O[i]. A head is removed by zeroing A_i v_i, before W_O mixes the heads: after it there is no slice of the
output that belongs to a head.

Source: Vaswani et al. 2017, "Attention Is All You Need", sec. 3.2; attention-chapter, sec. 4.5.2 (removal).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from reference.errors import InputError
from reference.model import causal_softmax

NAMES = ("W_Q", "W_K", "W_V", "W_O")


@dataclass(frozen=True)
class Heads:
    """The weights of one layer: W_Q, W_K, W_V [H, d, k] and W_O [H, k, d]."""

    W_Q: Float64[np.ndarray, "H d k"]
    W_K: Float64[np.ndarray, "H d k"]
    W_V: Float64[np.ndarray, "H d k"]
    W_O: Float64[np.ndarray, "H k d"]

    @property
    def qk(self) -> Float64[np.ndarray, "H d d"]:
        """W_Q W_K^T [query side, key side] of each head, of rank k at most: what its pattern depends on."""
        return self.W_Q @ self.W_K.swapaxes(-1, -2)

    @property
    def ov(self) -> Float64[np.ndarray, "H d d"]:
        """W_V W_O [read, written] of each head, of rank k at most; all that it moves."""
        return self.W_V @ self.W_O


def check_heads(
    weights: Mapping[str, Sequence[int]], stream: Sequence[int], ablated: Collection[int]
) -> None:
    """Hold the shapes of a layer's weights and stream to each other, and the heads to remove to their number.

    Raises:
        InputError: a weight is missing, two shapes do not fit together, or there is no such head. Some of
            these would be stretched to fit, and answered.
    """
    missing = [name for name in NAMES if name not in weights]
    if missing:
        raise InputError(f"The weights lack {', '.join(missing)}; give {', '.join(NAMES)}.")
    shape = list(weights["W_Q"])
    if len(shape) != 3:
        raise InputError(f"W_Q has the shape {shape}; give [H, d, k].")
    H, d, k = shape
    for name, wanted in zip(NAMES[1:], ([H, d, k], [H, d, k], [H, k, d]), strict=True):
        if list(weights[name]) != wanted:
            raise InputError(
                f"{name} has the shape {list(weights[name])} beside a W_Q of {shape}; give {wanted}."
            )
    if len(stream) != 3 or stream[-1] != d:
        raise InputError(f"The stream has the shape {list(stream)} and W_Q {shape}; give [N, T, {d}].")
    unknown = [head for head in ablated if not 0 <= head < H]
    if unknown:
        raise InputError(f"There is no head {unknown[0]} among {H}; give numbers of 0 to {H - 1}.")


def attention_maps(heads: Heads, stream: Float64[np.ndarray, "N T d"]) -> Float64[np.ndarray, "H N T T"]:
    """Return each head's attention, after the softmax."""
    scores = (stream[None] @ heads.W_Q[:, None]) @ (stream[None] @ heads.W_K[:, None]).swapaxes(-1, -2)
    return causal_softmax(scores / math.sqrt(heads.W_Q.shape[-1]))


def head_outputs(
    heads: Heads, stream: Float64[np.ndarray, "N T d"], attention: Float64[np.ndarray, "H N T T"]
) -> Float64[np.ndarray, "H N T d"]:
    """Return what each head adds to the stream, given its attention."""
    return attention @ (stream[None] @ heads.W_V[:, None]) @ heads.W_O[:, None]


def multi_head_output(
    weights: Mapping[str, np.ndarray], stream: Float64[np.ndarray, "N T d"], ablated: Collection[int]
) -> Float64[np.ndarray, "N T d"]:
    """Return the output of the layer without the heads in `ablated`.

    Args:
        weights: W_Q, W_K, W_V [H, d, k] and W_O [H, k, d].
        stream: what the layer reads.
        ablated: numbers of the heads to remove, at the input of the output projection.

    Raises:
        InputError: a weight is missing, their shapes do not fit together, or there is no such head.
    """
    check_heads({name: value.shape for name, value in weights.items()}, stream.shape, ablated)
    heads = Heads(*(weights[name] for name in NAMES))
    outputs = head_outputs(heads, stream, attention_maps(heads, stream))
    outputs[sorted(set(ablated))] = 0.0
    total: Float64[np.ndarray, "N T d"] = outputs.sum(axis=0)
    return total

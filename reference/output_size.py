"""How loud a head is in the residual stream, and how much of what it writes was there already."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64

from reference.attention_rows import Numbers


def relative_output(
    output: Float64[np.ndarray, "*heads T d"], stream: Float64[np.ndarray, "*heads T d"]
) -> Numbers:
    """Return the mean over positions of |output| / |stream|, the head's output over the stream it adds to.

    0 or more; row 0 counts like any other. Positions where the stream is zero are left out of the mean. A
    head without effect has 0. Uniform attention over values that are orthogonal and as long as the stream:
    (1/T) sum_t (t+1)^(-1/2); with random logits of variance v each term is larger by the factor
    1 + v t / (2 (t+1)), since |sum_k p_k v_k|^2 = sum p^2 there.

    Source: attention-chapter, sec. 4.5.5 and question 7 there; the values are derived here.
    """
    size, stream_size = np.linalg.norm(output, axis=-1), np.linalg.norm(stream, axis=-1)
    there = stream_size > 0
    ratio = np.divide(size, stream_size, out=np.zeros_like(size), where=there)
    mean: Numbers = ratio.sum(axis=-1) / np.maximum(there.sum(axis=-1), 1)
    return mean


def copying_cosine(
    output: Float64[np.ndarray, "*heads T d"], stream: Float64[np.ndarray, "*heads T d"]
) -> Numbers:
    """Return the mean over positions of the cosine between what a head writes and what it reads there.

    In -1..1; near 1 says that the head writes the stream again, a high diagonal alone does not. Positions
    where either is zero count as 0. Uniform attention over orthogonal values that OV leaves as they are:
    (1/T) sum_t (t+1)^(-1/2), for position t is one of the t+1 it averages; with random logits of variance v
    each term is smaller by the factor 1 - v t / (2 (t+1)), to first order. A random OV: 0 in the mean.

    Source: attention-chapter, question 11 (the test that it leaves to the reader); the values are derived
    here. The cosine is p_t / |p|, whose mean is that of 1 / ((t+1) |p|), since weights are exchangeable and
    sum to 1, and |p|^2 is 1/(t+1) times 1 + v t / (t+1) on average (`excess_collision` in
    `theory.softmax_moments`).
    """
    inner = (output * stream).sum(axis=-1)
    size = np.linalg.norm(output, axis=-1) * np.linalg.norm(stream, axis=-1)
    cosine = np.divide(inner, size, out=np.zeros_like(inner), where=size > 0)
    mean: Numbers = cosine.mean(axis=-1)
    return mean

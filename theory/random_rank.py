"""The participation ratio of the OV circuit of an untrained head, a ratio of exact expectations.

M = W_V W_O with W_V [d, h] and W_O [h, d] of independent standard Gaussians. With the Wishart matrices
F = W_V^T W_V and G = W_O W_O^T (both h x h with d degrees of freedom) tr M M^T = tr F G and tr (M M^T)^2 =
tr F G F G. From E[F X F] = d (d+1) X + d tr(X) I for a fixed symmetric X:

    E (tr F G)^2 = d^2 E (tr G)^2 + 2 d E tr G^2        E tr F G F G = d (d+1) E tr G^2 + d E (tr G)^2

and E (tr G)^2 = dh (dh + 2), E tr G^2 = d h (d + h + 1). The first over the second is the participation ratio
(sum s^2)^2 / sum s^4 of the singular values of such a circuit, up to what its fluctuation adds, of relative
order 1/(d h). Derived here.
"""

from __future__ import annotations

from flint import fmpq


def participation_ratio(width: int, head_width: int) -> fmpq:
    """E (sum s^2)^2 / E sum s^4 for d = `width` and h = `head_width`.

    Raises:
        ValueError: one of them is below 1.
    """
    d, h = width, head_width
    if d < 1 or h < 1:
        raise ValueError(f"a circuit needs widths of at least one, not {d} and {h}")
    square_of_trace = fmpq(d * h * (d * h + 2))
    trace_of_square = fmpq(d * h * (d + h + 1))
    return (d * d * square_of_trace + 2 * d * trace_of_square) / (
        d * (d + 1) * trace_of_square + d * square_of_trace
    )

"""The composition score of two circuits whose bases are unrelated: mean and spread, exact.

Let R be uniform over the rotations of the b dimensions in which A and B meet, and X = |A R B|^2 / (|A|^2
|B|^2) the square of the score. With U = A^T A / |A|^2 and S = B B^T / |B|^2, both of trace 1, X = tr(U R S
R^T).

Mean: averaging R S R^T gives I / b, so E X = 1/b exactly, for any ranks and sizes. The average over the b!
2^b signed permutations is the same number, which makes the statement a finite exact sum
(`signed_permutation_mean`).

Spread: E X^2 is a combination of the two zonal polynomials of degree two (James 1964), C_2(S) = (tr^2 S +
2 tr S^2)/3 and C_11(S) = 2 (tr^2 S - tr S^2)/3, each as C(S) C(U) / C(I). With u = tr U^2 and w = tr S^2

    E X^2 = (1 + 2u)(1 + 2w) / (3 b (b+2)) + 2 (1 - u)(1 - w) / (3 b (b-1)).

For two vectors (u = w = 1) that is the known fourth moment of a cosine, 3 / (b (b+2)); for S = I/b the score
does not vary. Derived here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product

from flint import fmpq, fmpq_mat


def mean_square(dimensions: int) -> fmpq:
    """E X = 1/b.

    Raises:
        ValueError: b < 1.
    """
    if dimensions < 1:
        raise ValueError(f"circuits meet in at least one dimension, not {dimensions}")
    return fmpq(1, dimensions)


def square_variance(dimensions: int, u: fmpq, w: fmpq) -> fmpq:
    """The variance of X, given tr U^2 and tr S^2, each between 1/b and 1."""
    mean, b = mean_square(dimensions), dimensions
    if b == 1:
        return fmpq(0)
    symmetric = (1 + 2 * u) * (1 + 2 * w) / (3 * b * (b + 2))
    other = 2 * (1 - u) * (1 - w) / (3 * b * (b - 1))
    return symmetric + other - mean * mean


def signed_permutation_mean(first: Sequence[Sequence[int]], second: Sequence[Sequence[int]]) -> fmpq:
    """The mean of X over all signed permutations R, one by one; b is the number of columns of `first`."""
    A = fmpq_mat([[fmpq(x) for x in row] for row in first])
    B = fmpq_mat([[fmpq(x) for x in row] for row in second])
    b = A.ncols()
    total = fmpq(0)
    count = 0
    for order in permutations(range(b)):
        for signs in product((1, -1), repeat=b):
            R = fmpq_mat([[fmpq(signs[i] if order[i] == j else 0) for j in range(b)] for i in range(b)])
            total += _square(A * R * B)
            count += 1
    return total / (count * _square(A) * _square(B))


def _square(matrix: fmpq_mat) -> fmpq:
    return sum((entry * entry for entry in matrix.entries()), fmpq(0))

"""How far a sample's squared noise scatters, and how units show it without bias: exact moments. Derived here.

A unit is a sequence, or a group of them. Let z_1 .. z_n be independent draws of units less their mean, with
covariance Sigma and kappa = E |z|^4 - (tr Sigma)^2, the variance of |z|^2. For their mean

    |z_n|^2 = n^-2 (sum_i |z_i|^2 + sum_(i != j) <z_i, z_j>).

The products of different units average 0, also beside a square or beside another product that shares at most
one unit with them, and their squares average tr Sigma^2. So

    E |z_n|^2 = tr Sigma / n,        Var |z_n|^2 = (2 (n - 1) tr Sigma^2 + kappa) / n^3,

and relative to its own square the variance goes with n as

    (1 - 1/n) 2 tr Sigma^2 / (tr Sigma)^2  +  (1/n) kappa / (tr Sigma)^2 :

what one unit shows of itself fades, and what is left is that of a normal noise of the same covariance.

Both traces follow from the products K_ij = <x_i, x_j> of k units, whose mean is not known. Sums over
*different* indices have the means of independent units, |x|^2 = m and u = x^T Sigma x with them:

    E K_ii = tr Sigma + m,      E K_ij = m,      E K_ij^2 = tr Sigma^2 + 2 u + m^2,
    E K_ij K_jl = u + m^2,      E K_ij K_lh = m^2,

    tr Sigma   = E (K_ii - K_ij),      tr Sigma^2 = E (K_ij^2 - 2 K_ij K_jl + K_ij K_lh),

which needs four units (Chen, Zhang and Zhong 2010). With R_i = sum_(j != i) K_ij, R their sum and
S = sum_(i != j) K_ij^2 the three sums over different indices are

    S,      sum_i R_i^2 - S,      R^2 - 4 (sum_i R_i^2 - S) - 2 S:

of the products in R^2, 2 S share both indices, and four times the second sum share one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from flint import fmpq, fmpq_mat

from theory.corpus import Rows
from theory.laws.loss import scalar
from theory.laws.sampling import Parts, average_of, mean_of, sequence_bigrams, square_of_sequences
from theory.next_order import inner
from theory.verdict import Statement, Verdict, compare

Gram = Sequence[Sequence[fmpq]]
"""K_ij, products of units."""

FEWEST = 4
"""Units that the trace of Sigma^2 needs."""


def gram(parts: Parts) -> list[list[fmpq]]:
    """K_ij = <x_i, x_j>."""
    rows = fmpq_mat([x.entries() for x in parts])
    return (rows * rows.transpose()).tolist()


def covariance_squared(parts: Parts) -> fmpq:
    """Tr Sigma^2 of one unit drawn from `parts`: the mean of <z_i, z_j>^2 over all pairs, i = j too."""
    mean = mean_of(parts)
    return average_of([entry**2 for row in gram([x - mean for x in parts]) for entry in row])


def variance_of_square(parts: Parts, n: int) -> fmpq:
    """Var |x_n - x|^2 for the mean x_n of n independent draws."""
    mean, S2 = mean_of(parts), square_of_sequences(parts)
    kappa = average_of([inner(x - mean, x - mean) ** 2 for x in parts]) - S2**2
    return (covariance_squared(parts) * (2 * (n - 1)) + kappa) / n**3


def trace(K: Gram) -> fmpq:
    """Tr Sigma from the products of two units or more, without bias.

    Raises:
        ValueError: there are fewer.
    """
    k = len(K)
    if k < 2:
        raise ValueError("one unit shows no noise")
    diagonal = sum((K[i][i] for i in range(k)), fmpq(0))
    between = sum((K[i][j] for i in range(k) for j in range(k) if i != j), fmpq(0))
    return diagonal / k - between / (k * (k - 1))


def trace_of_square(K: Gram) -> fmpq:
    """Tr Sigma^2 from the products of four units or more, without bias.

    Raises:
        ValueError: there are fewer.
    """
    k = len(K)
    if k < FEWEST:
        raise ValueError(f"tr Sigma^2 needs the products of {FEWEST} units, not of {k}")
    rows = [sum((K[i][j] for j in range(k) if j != i), fmpq(0)) for i in range(k)]
    both = sum((K[i][j] ** 2 for i in range(k) for j in range(k) if i != j), fmpq(0))
    one = sum((row**2 for row in rows), fmpq(0)) - both
    none = sum(rows, fmpq(0)) ** 2 - 4 * one - 2 * both
    pairs = k * (k - 1)
    return both / pairs - 2 * one / (pairs * (k - 2)) + none / (pairs * (k - 2) * (k - 3))


def check_variance(
    tokens: Rows, vocab_size: int, n: int, *, claim: Callable[[Parts, int], fmpq] = variance_of_square
) -> Verdict:
    """Holds Var |x_n - x|^2 of B_bar against all N^n draws.

    Raises:
        ValueError: a bad corpus.
    """
    parts = sequence_bigrams(tokens, vocab_size)
    mean = mean_of(parts)
    noises = [mean_of(drawn) - mean for drawn in product(parts, repeat=n)]
    squares = [inner(z, z) for z in noises]
    found = average_of([s**2 for s in squares]) - average_of(squares) ** 2
    statement = Statement("variance of the squared noise", None, 0, scalar(claim(parts, n)), n)
    return compare("sampling spread", [statement], lambda one: scalar(found))


def check_traces(
    tokens: Rows,
    vocab_size: int,
    units: int,
    *,
    claims: tuple[Callable[[Gram], fmpq], Callable[[Gram], fmpq]] = (trace, trace_of_square),
) -> Verdict:
    """Holds both estimates, on average over all N^units draws, against the traces.

    Raises:
        ValueError: a bad corpus, or fewer than four units.
    """
    parts = sequence_bigrams(tokens, vocab_size)
    K = gram(parts)
    names = ("tr Sigma", "tr Sigma^2")
    right = dict(zip(names, (square_of_sequences(parts), covariance_squared(parts)), strict=True))
    draws = [[[K[i][j] for j in drawn] for i in drawn] for drawn in product(range(len(parts)), repeat=units)]
    statements = [
        Statement(name, None, 0, scalar(average_of([claim(one) for one in draws])), units)
        for name, claim in zip(names, claims, strict=True)
    ]
    return compare("traces of the noise", statements, lambda one: scalar(right[one.quantity]))

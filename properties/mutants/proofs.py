"""Proofs that a slip changes nothing, in exact arithmetic.

The statistics are homogeneous polynomials in the weights of a corpus's sequences, so with a symbol for each
possible sequence an identity between them is settled for every corpus of a size at once
(`theory.symbolic_series`). The others are identities of polynomials in their entries, or of exponentials and
logarithms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from theory.one_hot import OneSequence
from theory.polynomial_matrix import PolynomialMatrix
from theory.statistics import average, evidence, statistics_of
from theory.symbolic_series import every_corpus
from theory.verdict import Statement, Verdict, compare

# Vocabulary and length; the proofs of all of them take a second together.
SIZES = ((2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1))

Corpus = Sequence[OneSequence[PolynomialMatrix]]
Matrices = Mapping[str, PolynomialMatrix]
Slipped = Callable[[Corpus, Matrices], Matrices]


def for_every_corpus(law: str, slipped: Slipped) -> Verdict:
    """Compare statistics with what a slip makes of them, for every corpus of a few sizes."""
    right, found = {}, {}
    for V, T in SIZES:
        corpus = every_corpus(V, T)
        statistics = statistics_of(corpus)
        for name, matrix in slipped(corpus, statistics).items():
            right[f"{name} for V = {V}, T = {T}"] = statistics[name]
            found[f"{name} for V = {V}, T = {T}"] = matrix
    return _identities(law, right, found)


def pull_of_targets(corpus: Corpus, right: Matrices) -> Matrices:
    """Return the evidence of Y G_bar, where that of (Y - 1/V) G_bar is meant."""
    Q_bar, Delta_bar = evidence(corpus, lambda one: one.Y * right["G_bar"])
    return {"Q_bar": Q_bar, "Delta_bar": Delta_bar}


def composed_with_shares(corpus: Corpus, right: Matrices) -> Matrices:
    """Return G_bar composed with Y^T A0 X, where (Y - 1/V)^T A0 X is meant, and its evidence."""
    G_bar = right["Sigma_B"] * average(corpus, lambda one: one.Y.transpose() * (one.A0 * one.X))
    Q_bar, Delta_bar = evidence(corpus, lambda one: one.U * G_bar)
    return {"G_bar": G_bar, "Q_bar": Q_bar, "Delta_bar": Delta_bar}


def without_the_first_position(corpus: Corpus, right: Matrices) -> Matrices:
    """Return the evidence of all positions but the first."""
    T = corpus[0].X.nrows()
    later = PolynomialMatrix(T, T, [fmpq(int(i == j > 0)) for i in range(T) for j in range(T)])
    Q_bar, Delta_bar = evidence(corpus, lambda one: later * (one.U * right["G_bar"]))
    return {"Q_bar": Q_bar, "Delta_bar": Delta_bar}


def transposed_Sigma_B(corpus: Corpus, right: Matrices) -> Matrices:
    """Return Sigma_B^T."""
    return {"Sigma_B": right["Sigma_B"].transpose()}


def mean_of_means() -> Verdict:
    """The mean of N means of T losses each is the mean of all N T."""
    right, found = {}, {}
    for N, T in ((1, 3), (2, 2), (3, 4)):
        losses = _symbols("l", N * T)
        means = [_total(losses[i * T : (i + 1) * T]) * fmpq(1, T) for i in range(N)]
        right[f"N = {N}, T = {T}"] = _single(_total(losses) * fmpq(1, N * T))
        found[f"N = {N}, T = {T}"] = _single(_total(means) * fmpq(1, N))
    return _identities("the mean of means", right, found)


def softmax_jacobian_of_shifted() -> Verdict:
    """a_k (m_k - sum a m) stays as it is when a constant is subtracted from m, for a that sum to one."""
    right, found = {}, {}
    for n in (1, 2, 3, 4):
        weights, pull, shift = _row(n)
        right[f"{n} keys"] = _through_softmax(weights, pull)
        found[f"{n} keys"] = _through_softmax(weights, [m - shift for m in pull])
    return _identities("the softmax Jacobian of a shifted row", right, found)


def softmax_jacobian_sums_to_zero() -> Verdict:
    """sum_k a_k (m_k - sum a m) = 0 for a that sum to one; so the diagonals of such rows sum to zero."""
    right, found = {}, {}
    for n in (1, 2, 3, 4):
        weights, pull, _ = _row(n)
        total = _total(_through_softmax(weights, pull).entries())
        right[f"{n} keys"], found[f"{n} keys"] = _single(total * 0), _single(total)
    return _identities("the row sums of the softmax Jacobian", right, found)


def norm_of_the_transposed_product() -> Verdict:
    """|second^T first^T|^2 = |first second|^2."""
    right, found = {}, {}
    for n in (1, 2, 3):
        symbols = _symbols("m", 2 * n * n)
        first, second = (PolynomialMatrix(n, n, part) for part in (symbols[: n * n], symbols[n * n :]))
        products = first * second, second.transpose() * first.transpose()
        right[f"{n} x {n}"], found[f"{n} x {n}"] = (_single(_dot(p.entries(), p.entries())) for p in products)
    return _identities("the squared norm of the transposed product", right, found)


def nothing_left_along_the_direction() -> Verdict:
    """<<D, D> W - <W, D> D, D> = 0: a second removal has nothing to remove."""
    right, found = {}, {}
    for n in (1, 4, 9):
        symbols = _symbols("p", 2 * n)
        W, D = symbols[:n], symbols[n:]
        left = [w * _dot(D, D) - _dot(W, D) * d for w, d in zip(W, D, strict=True)]
        again = _dot(left, D)
        right[f"{n} entries"], found[f"{n} entries"] = _single(again * 0), _single(again)
    return _identities("what a second removal removes", right, found)


def softmax_of_shifted() -> Verdict:
    """exp(z_k - c) / sum exp(z - c) = exp(z_k) / sum exp(z)."""
    import sympy as sp

    z, c = sp.symbols("z0:4", real=True), sp.symbols("c", real=True)
    plain, shifted = [sp.exp(x) for x in z], [sp.exp(x - c) for x in z]
    pairs = zip(plain, shifted, strict=True)
    return _vanish("the softmax of a shifted row", [p / sum(plain) - s / sum(shifted) for p, s in pairs])


def ratio_of_logarithms() -> Verdict:
    """log_b p / log_b n = log p / log n."""
    import sympy as sp

    p, n, b = sp.symbols("p n b", positive=True)
    return _vanish("a ratio of logarithms", [sp.log(p, b) / sp.log(n, b) - sp.log(p) / sp.log(n)])


def _row(n: int) -> tuple[list[Any], list[Any], Any]:
    """Return symbols: n weights that sum to one, as the last is one minus the others, n pulls, a constant."""
    shift, *others = _symbols("a", 2 * n)
    pull, weights = others[:n], others[n:]
    return [*weights, 1 - _total([shift * 0, *weights])], pull, shift


def _through_softmax(weights: Sequence[Any], pull: Sequence[Any]) -> PolynomialMatrix:
    centre = _dot(weights, pull)
    return PolynomialMatrix(1, len(pull), [a * (m - centre) for a, m in zip(weights, pull, strict=True)])


def _symbols(name: str, count: int) -> tuple[Any, ...]:
    return tuple(fmpq_mpoly_ctx.get((name, count), Ordering.degrevlex).gens())


def _total(terms: Sequence[Any]) -> Any:
    return sum(terms[1:], terms[0])


def _dot(first: Sequence[Any], second: Sequence[Any]) -> Any:
    return _total([a * b for a, b in zip(first, second, strict=True)])


def _single(entry: Any) -> PolynomialMatrix:
    return PolynomialMatrix(1, 1, [entry])


def _identities(law: str, right: Matrices, found: Matrices) -> Verdict:
    statements = [Statement(name, None, 0, matrix, 0) for name, matrix in right.items()]
    return compare(law, statements, lambda one: found[one.quantity])


def _vanish(law: str, differences: Sequence[Any]) -> Verdict:
    import sympy as sp

    right = {str(n): _single(fmpq(0)) for n in range(len(differences))}
    found = {str(n): _single(fmpq(int(sp.simplify(d) != 0))) for n, d in enumerate(differences)}
    return _identities(law, right, found)

"""What statistics lose by coming from a sample of the sequences: exact moments. Derived here.

B_bar and Phi_bar are means over sequences: x = mean of x_i. Let S^2 = mean |x_i - x|^2 over the N sequences
of a corpus (Frobenius norm). The mean x_n of n of them

    drawn without replacement:      E |x_n - x|^2 = (S^2 / n) (N - n) / (N - 1);
    drawn independently:            E |x_n - x|^2 = S^2 / n,
        and of the first n of M:    E <x_n, x_M> = |x|^2 + S^2 / M.

The first is the mean over all subsets: products <x_i - x, x_j - x> of two different sequences average
-S^2 / (N - 1), because all of them and the squares add up to zero. The last is E <x_n, x_M> with x_M = (n/M)
x_n + the rest, which is independent of x_n: its noise is (n/M) S^2 / n.

A cosine sees the noise *across* x alone; along x it changes a length. With S_a^2 = S^2 - mean <x_i - x, x>^2
/ |x|^2, the square of what is across, and d the difference of two samples' noises,

    sin^2 = (|x|^2 |d|^2 - <x, d>^2) / |x|^4 + O(noise^3),

on average S_a^2 (1/n + 1/M) / |x|^2 for disjoint samples and S_a^2 (1/n - 1/M) / |x|^2 for the first n of M.
To this order those are the cosines, with rho(n) = S_a^2 / (n |x|^2) and x_n and x_M being

    disjoint samples:        cos = 1 / sqrt((1 + rho(n)) (1 + rho(M))),
    the first n of the M:    cos = sqrt((1 + rho(M)) / (1 + rho(n))),

the forms that hold at every size of a noise that is across, for E |x_n|^2 = |x|^2 (1 + rho(n)).

Were positions independent draws from the bigram table, one draw being Z_ij = 1[x = i] (1[y = j] - 1/V), an
entry of B_bar from k of them would have the variance

    Var B_ij = (P(i,j) (1 - 2/V) + P(i) / V^2 - B_ij^2) / k,    in sum (1 - 1/V - |B_bar|^2) / k.

Along B_bar one draw has <Z, B_bar> = B_xy, as the rows of B_bar add up to 0, with the mean |B_bar|^2: across
it the sum is smaller by (sum_ij P(i,j) B_ij^2 / |B_bar|^2 - |B_bar|^2) / k.

Positions of one sequence are not independent: what S^2 is over this with k = T is the design effect of a
sample of whole sequences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.corpus import Rows, check_corpus
from theory.laws.loss import scalar
from theory.matrix import hadamard
from theory.next_order import inner
from theory.one_hot import constants
from theory.verdict import Statement, Verdict, compare

Parts = Sequence[fmpq_mat]
"""x_i: what each sequence gives, a mean over its own positions."""

Moment = Callable[[Parts, int, int], fmpq]
"""(parts, n, M) to a claimed moment."""


def square_of_sequences(parts: Parts) -> fmpq:
    """S^2: the mean squared distance of a sequence from the mean of all."""
    mean = mean_of(parts)
    return sum((inner(x - mean, x - mean) for x in parts), fmpq(0)) / len(parts)


def across_of_sequences(parts: Parts) -> fmpq:
    """S_a^2: the mean square of a sequence's noise across the mean of all, which is not 0."""
    mean = mean_of(parts)
    along = average_of([inner(x - mean, mean) ** 2 for x in parts])
    return square_of_sequences(parts) - along / inner(mean, mean)


def without_replacement(parts: Parts, n: int, M: int) -> fmpq:
    """E |x_n - x|^2 for n different sequences; M has no part.

    Raises:
        ValueError: there are fewer than two sequences.
    """
    N = len(parts)
    if N < 2:
        raise ValueError("a sample without replacement needs two sequences to draw from")
    return square_of_sequences(parts) * fmpq(N - n, n * (N - 1))


def independent(parts: Parts, n: int, M: int) -> fmpq:
    """E |x_n - x|^2 for n independent draws."""
    return square_of_sequences(parts) / n


def nested_product(parts: Parts, n: int, M: int) -> fmpq:
    """E <x_n, x_M> for the first n of M independent draws."""
    mean = mean_of(parts)
    return inner(mean, mean) + square_of_sequences(parts) / M


def nested_turn(parts: Parts, n: int, M: int) -> fmpq:
    """E sin^2 of x_n and x_M at second order in the noise, for the first n of M draws. x is not 0."""
    return _relative_across(parts) * (fmpq(1, n) - fmpq(1, M))


def disjoint_turn(parts: Parts, n: int, M: int) -> fmpq:
    """E sin^2 of x_n and x_M at second order in the noise, for M draws without the n. x is not 0."""
    return _relative_across(parts) * (fmpq(1, n) + fmpq(1, M))


def _relative_across(parts: Parts) -> fmpq:
    mean = mean_of(parts)
    return across_of_sequences(parts) / inner(mean, mean)


CLAIMS: dict[str, Moment] = {
    "without replacement": without_replacement,
    "independent": independent,
    "nested": nested_product,
    "nested turn": nested_turn,
    "disjoint turn": disjoint_turn,
}


def sequence_bigrams(tokens: Rows, vocab_size: int) -> list[fmpq_mat]:
    """B_bar [V, V] of each sequence alone.

    Raises:
        ValueError: a bad corpus.
    """
    corpus = constants(check_corpus(tokens, vocab_size))
    return [one.X.transpose() * one.U / one.X.nrows() for one in corpus]


def position_variances(tokens: Rows, vocab_size: int) -> fmpq_mat:
    """k Var B_ij for k independent positions, [V, V].

    Raises:
        ValueError: a bad corpus.
    """
    V, parts = vocab_size, sequence_bigrams(tokens, vocab_size)
    B = mean_of(parts)
    corpus = constants(check_corpus(tokens, vocab_size))
    joint = mean_of([one.X.transpose() * one.Y / one.X.nrows() for one in corpus])
    frequency = joint * fmpq_mat(V, V, [1] * V**2)  # P(i) in every column
    return joint * (1 - fmpq(2, V)) + frequency / V**2 - hadamard(B, B)


def across_of_positions(tokens: Rows, vocab_size: int) -> fmpq:
    """k times the square of the noise of k independent positions across B_bar, which is not 0.

    Raises:
        ValueError: a bad corpus.
    """
    V, B = vocab_size, mean_of(sequence_bigrams(tokens, vocab_size))
    corpus = constants(check_corpus(tokens, V))
    joint = mean_of([one.X.transpose() * one.Y / one.X.nrows() for one in corpus])
    square = inner(B, B)
    along = inner(joint, hadamard(B, B)) / square - square
    return sum(position_variances(tokens, V).entries(), fmpq(0)) - along


def check(tokens: Rows, vocab_size: int, n: int, M: int, *, claims: dict[str, Moment] = CLAIMS) -> Verdict:
    """Holds the moments of B_bar against the mean over every sample that can be drawn.

    Samples of n of the N sequences, and of M independent draws: N^M of them.

    Raises:
        ValueError: a bad corpus, or not 1 <= n <= M and n <= N.
    """
    parts = sequence_bigrams(tokens, vocab_size)
    if not 1 <= n <= min(M, len(parts)):
        raise ValueError(f"a sample of {n} is not part of {M} draws and of {len(parts)} sequences")
    mean = mean_of(parts)
    subsets = [mean_of(chosen) - mean for chosen in combinations(parts, n)]
    draws = [(mean_of(drawn[:n]), mean_of(drawn)) for drawn in product(parts, repeat=M)]
    found = {
        "without replacement": average_of([inner(d, d) for d in subsets]),
        "independent": average_of([inner(x - mean, x - mean) for x, _ in draws]),
        "nested": average_of([inner(x, y) for x, y in draws]),
    }
    if inner(mean, mean):
        found["nested turn"] = average_of([turn(mean, x, y) for x, y in draws])
        pairs = product(parts, repeat=n + M)
        found["disjoint turn"] = average_of([turn(mean, mean_of(p[:n]), mean_of(p[n:])) for p in pairs])
    applicable = [n for n in claims if n in found and (n != "without replacement" or len(parts) > 1)]
    return compare(
        "sampling",
        [Statement(name, None, 0, scalar(claims[name](parts, n, M)), n) for name in applicable],
        lambda one: scalar(found[one.quantity]),
    )


def turn(x: fmpq_mat, one: fmpq_mat, other: fmpq_mat) -> fmpq:
    """The coefficient of e^2 in sin^2 of x + e (one - x) and x + e (other - x), from the polynomials in e.

    All three are of one shape.
    """
    z, y, square = one - x, other - x, inner(x, x)
    first = fmpq_poly([square, 2 * inner(x, z), inner(z, z)])
    second = fmpq_poly([square, 2 * inner(x, y), inner(y, y)])
    both = fmpq_poly([square, inner(x, z) + inner(x, y), inner(z, y)])
    # sin^2 = (first second - both^2) / (first second), and the numerator begins with e^2.
    return (first * second - both * both)[2] / square**2


def check_positions(
    tokens: Rows,
    vocab_size: int,
    draws: int,
    *,
    claim: Callable[[Rows, int], fmpq_mat] = position_variances,
    across: Callable[[Rows, int], fmpq] = across_of_positions,
) -> Verdict:
    """Holds the noise of independent positions, [V, V], against the mean over every (NT)^draws outcome.

    Raises:
        ValueError: a bad corpus.
    """
    V, rows = vocab_size, check_corpus(tokens, vocab_size).rows
    pairs = [(row[t], row[t + 1]) for row in rows for t in range(len(row) - 1)]
    B = mean_of(sequence_bigrams(tokens, vocab_size))

    def deviations() -> Iterator[fmpq_mat]:
        for drawn in product(pairs, repeat=draws):
            Z = fmpq_mat(V, V)
            for i, j in drawn:
                for column in range(V):
                    Z[i, column] += (int(column == j) - fmpq(1, V)) / draws
            yield Z - B

    each = list(deviations())
    found = {"variance of B_bar": mean_of([hadamard(d, d) for d in each])}
    statements = [
        Statement("variance of B_bar", None, 0, claim(tokens, vocab_size) / draws, draws),
    ]
    square = inner(B, B)
    if square:
        squares = [inner(d, d) - inner(d, B) ** 2 / square for d in each]
        found["noise across B_bar"] = scalar(average_of(squares))
        told = scalar(across(tokens, vocab_size) / draws)
        statements.append(Statement("noise across B_bar", None, 0, told, draws))
    return compare("independent positions", statements, lambda one: found[one.quantity])


def mean_of(matrices: Sequence[fmpq_mat]) -> fmpq_mat:
    """The plain mean of matrices of one shape."""
    return sum(matrices[1:], matrices[0]) / len(matrices)


def average_of(values: Sequence[fmpq]) -> fmpq:
    """The plain mean of numbers."""
    return sum(values, fmpq(0)) / len(values)

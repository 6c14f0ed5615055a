"""How the paper and its authors' scripts build the statistics, compared exactly on a small corpus."""

from __future__ import annotations

from itertools import pairwise

from flint import fmpq, fmpq_mat

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, judged
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import TINY, Setting
from theory.corpus import check_corpus
from theory.next_order import inner
from theory.one_hot import constants
from theory.statistics import average, evidence, exact_statistics

# As many characters of a fraction are read.
LONGEST = 16


def compare_matrices(name: str, got: fmpq_mat, right: fmpq_mat) -> tuple[bool, str]:
    """Return whether two matrices [m, n] are equal, and a sentence on where or by which factor not."""
    if got == right:
        return True, f"{name} is the same matrix"
    pairs = [(i, j) for i in range(right.nrows()) for j in range(right.ncols()) if got[i, j] != right[i, j]]
    i, j = pairs[0]
    factors = {got[a, b] / right[a, b] if right[a, b] else None for a, b in pairs}
    if len(factors) == 1 and None not in factors:
        return False, f"{factors.pop()} times too large"
    return False, f"at [{i}, {j}] {_short(got[i, j])}, not {_short(right[i, j])}"


def _short(x: fmpq) -> str:
    """Return a fraction as it is, or as a decimal where it is too long to be read."""
    return str(x) if len(str(x)) <= LONGEST else f"{float(x.p) / float(x.q):.3e}"


def similarity_sum(joint: fmpq_mat, P: list[fmpq]) -> fmpq_mat:
    """Return P(i) P(j) sum_k P(prev = k | i) P(prev = k | j) from P(prev = k, next = i) [V, V] and P.

    The conditional shares are the table's columns over their sums; a word that is never next has none.
    """
    V = joint.nrows()
    sums = [sum((joint[k, i] for k in range(V)), fmpq(0)) for i in range(V)]
    given = [[joint[k, i] / sums[i] if sums[i] else fmpq(0) for k in range(V)] for i in range(V)]
    return fmpq_mat(
        V,
        V,
        [
            P[i] * P[j] * sum((a * b for a, b in zip(given[i], given[j], strict=True)), fmpq(0))
            for i in range(V)
            for j in range(V)
        ],
    )


@decides("paper-eq10", tried=TINY)
def previous_token_similarity(claim: Claim, setting: Setting) -> Finding:
    """Count the pairs and compare both sides as fractions."""
    tokens, V = setting.tiny
    pairs = [(x, y) for row in tokens for x, y in pairwise(row)]
    joint = fmpq_mat(V, V, [fmpq(pairs.count((k, i)), len(pairs)) for k in range(V) for i in range(V)])
    nexts = [sum((joint[k, i] for k in range(V)), fmpq(0)) for i in range(V)]
    right = similarity_sum(joint, nexts)
    same, where = compare_matrices("without centring the right side", joint.transpose() * joint, right)
    centred = exact_statistics(tokens, V)["Sigma_B"]
    return judged(
        same,
        where,
        derivation="P(k, i) = P(i) P(prev = k | i) in the sum over k of P(k, i) P(k, j).",
        convention=f"With the centring, Sigma_B[0, 0] is {centred[0, 0]} and the right side {right[0, 0]}.",
    )


def uniform_jacobian(t: int) -> list[list[fmpq]]:
    """Return the derivatives [t, t] of a softmax of t scores where they are equal: diag(p) - p p^T."""
    p = [fmpq(1, t)] * t
    return [[fmpq(int(i == j)) * p[i] - p[i] * p[j] for j in range(t)] for i in range(t)]


@decides("paper-q-construction-factor", tried="the rows of a drawn corpus")
def row_factor(claim: Claim, setting: Setting) -> Finding:
    """Differentiate a softmax over t equal scores: its Jacobian is (I - 11^T/t)/t."""
    rows = range(1, len(setting.tiny[0][0]))  # a row for each position that predicts one
    for t in rows:
        centred = [[(fmpq(int(i == j)) - fmpq(1, t)) * fmpq(1, t) for j in range(t)] for i in range(t)]
        if uniform_jacobian(t) != centred:
            return judged(
                False, f"row {t} has another factor", derivation=f"The Jacobian is {uniform_jacobian(t)}."
            )
    return judged(
        True,
        f"a factor 1/t in row t, for t = {rows[0]} to {rows[-1]}",
        derivation="diag(p) - p p^T at p = 1/t is (I - 11^T/t)/t: subtract the mean, then divide by t.",
    )


@decides("paper-uniform-part-of-q", tried=TINY)
def uniform_part(claim: Claim, setting: Setting) -> Finding:
    """Build Q_bar with Y in place of Y - 1/V."""
    tokens, V = setting.tiny
    statistics = exact_statistics(tokens, V)
    corpus = constants(check_corpus(tokens, V))
    uncentred, _ = evidence(corpus, lambda one: one.Y * statistics["G_bar"])
    same = uncentred == statistics["Q_bar"]
    return judged(
        not same,
        "Q_bar is the same without it" if same else "Q_bar changes",
        derivation="Rows of B_bar sum to zero, so (1/V) 1^T Sigma_B = ((1/V) B_bar 1)^T B_bar = 0.",
    )


@decides("paper-authors-orientation", tried=TINY)
def orientation(claim: Claim, setting: Setting) -> Finding:
    """Compare (Y - U)^T X with X^T (Y - U)."""
    tokens, V = setting.tiny
    corpus = constants(check_corpus(tokens, V))
    B_bar = average(corpus, lambda one: one.X.transpose() * one.U)
    other = average(corpus, lambda one: one.U.transpose() * one.X)
    same, where = compare_matrices("It", other, B_bar)
    is_transposed = other == B_bar.transpose()
    return judged(
        same,
        "it is the transpose of B_bar" if is_transposed and not same else where,
        derivation=f"(X^T (Y - U))^T = (Y - U)^T X; {where}.",
    )


@decides("paper-authors-q-normalisation", tried=TINY)
def q_normalisation(claim: Claim, setting: Setting) -> Finding:
    """Sum over the sequences with weight one each, and compare with the definition's average."""
    tokens, V = setting.tiny
    statistics = exact_statistics(tokens, V)
    count = len(tokens) * (len(tokens[0]) - 1)
    summed, _ = evidence(constants(check_corpus(tokens, V)), lambda one: one.U * statistics["G_bar"])
    summed = summed * fmpq(count)
    same, where = compare_matrices("The sum", summed, statistics["Q_bar"])
    return judged(
        same,
        f"the sum is {where}, which is N T = {count}",
        derivation="The definition averages over N sequences of T positions. A cosine does not see the "
        "factor; a norm, a bound or a projection coefficient does.",
    )


@decides("paper-perhead-g", tried=TINY)
def per_head_composition(claim: Claim, setting: Setting) -> Finding:
    """Compare B_bar Phi_bar B_bar with the transpose of Sigma_B Phi_bar."""
    tokens, V = setting.tiny
    found = exact_statistics(tokens, V)
    B_bar, Phi_bar, G_bar = found["B_bar"], found["Phi_bar"], found["G_bar"]
    composed, right = B_bar * Phi_bar * B_bar, G_bar.transpose()
    same, where = compare_matrices("It", composed, right)
    return judged(
        same,
        f"another matrix; its squared cosine with that transpose is {_cosine_squared(composed, right):.3f}"
        if not same
        else where,
        derivation=f"(Sigma_B Phi_bar)^T = Phi_bar^T B_bar^T B_bar, two B_bar side by side; {where}.",
    )


@decides("paper-pythia-q-transposed", tried=TINY)
def transposed_row_covariances(claim: Claim, setting: Setting) -> Finding:
    """Compare the row covariances of Q_bar and of its transpose."""
    tokens, V = setting.tiny
    Q_bar = exact_statistics(tokens, V)["Q_bar"]
    by_query, by_key = Q_bar * Q_bar.transpose(), Q_bar.transpose() * Q_bar
    same, where = compare_matrices("It", by_key, by_query)
    return judged(
        same,
        where
        if same
        else f"other covariances; the squared cosine of both is {_cosine_squared(by_key, by_query):.3f}",
        derivation=f"Q Q^T compares queries and Q^T Q keys, and Q_bar is not symmetric; {where}.",
    )


def _cosine_squared(a: fmpq_mat, b: fmpq_mat) -> float:
    squared = inner(a, b) ** 2 / (inner(a, a) * inner(b, b))
    return int(squared.p) / int(squared.q)

"""Identities between the statistics, multiplied out in fractions on a small corpus."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from math import prod

import numpy as np
from flint import fmpq, fmpq_mat

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, compared, judged, verdict_if
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import TINY, Setting
from properties.tolerances import rounding
from reference.statistics import statistics
from theory.corpus import check_corpus
from theory.one_hot import constants
from theory.statistics import average, exact_statistics, leading_directions


def _exact(setting: Setting) -> dict[str, fmpq_mat]:
    tokens, V = setting.tiny
    return exact_statistics(tokens, V)


def _identity(same: bool, derivation: str) -> Finding:
    return judged(
        same, "both sides are equal, entry by entry" if same else "the sides differ", derivation=derivation
    )


@decides("phibar-definition", tried=TINY)
def centring_of_context(claim: Claim, setting: Setting) -> Finding:
    """Find the mu_j that make the formula (Y - U)^T A0 X/(NT): the same for every target?"""
    tokens, V = setting.tiny
    corpus = constants(check_corpus(tokens, V))
    uncentred = average(corpus, lambda one: one.Y.transpose() * (one.A0 * one.X))
    offsets = uncentred - _exact(setting)["Phi_bar"]
    shares = average(corpus, lambda one: fmpq_mat(1, one.X.nrows(), [1] * one.X.nrows()) * (one.A0 * one.X))
    mu = [shares[0, j] / V for j in range(V)]
    usable = all(offsets[i, j] == mu[j] for i in range(V) for j in range(V))
    return judged(
        usable,
        "mu_j is 1/V of the mean prefix share of j" if usable else "no mu_j serves every target",
        derivation=f"(1/V) 1^T A0 X/(NT) is the same in every row; here mu = ({', '.join(map(str, mu))}).",
    )


@decides("phibar-prefix-includes-current", tried=TINY)
def prefix_without_current(claim: Claim, setting: Setting) -> Finding:
    """Compare Phi_bar, which is what the gradient holds, with the prefix cut before the current token."""
    tokens, V = setting.tiny
    corpus = constants(check_corpus(tokens, V))
    diagonal = [corpus[0].A0[t, t] for t in range(corpus[0].A0.nrows())]
    return judged(
        not any(diagonal),
        f"row t gives the current token 1/t too: diagonal {', '.join(map(str, diagonal[:3]))}, ...",
        derivation="Causal attention sees its own position, so the prefix of the formula ends with m = t; "
        "with only tokens before t, row t would be 1/(t-1) and row 1 empty.",
        readings={"its formula, which has m <= t": verdict_if(all(diagonal))},
    )


@decides("column-norm-formula", tried=TINY)
def column_norms(claim: Claim, setting: Setting) -> Finding:
    """Count the shares and compare with the diagonal of Sigma_B."""
    tokens, V = setting.tiny
    pairs = [pair for row in tokens for pair in pairwise(row)]
    Sigma_B = _exact(setting)["Sigma_B"]
    same = True
    for i in range(V):
        norm = fmpq(0)
        for r in range(V):
            current = sum(x == r for x, _ in pairs)
            if current:
                follows = fmpq(pairs.count((r, i)), current)
                norm += fmpq(current, len(pairs)) ** 2 * (follows - fmpq(1, V)) ** 2
        same = same and norm == Sigma_B[i, i]
    return _identity(same, "B_bar[r, i] = P(r) [P(i|r) - 1/V], and d_i^2 sums its squares over r.")


@decides("rows-vs-columns", tried=TINY)
def gram_compares_columns(claim: Claim, setting: Setting) -> Finding:
    """Compare B_bar^T B_bar with the inner products of columns, and of rows."""
    found = _exact(setting)
    B, V = found["B_bar"], found["B_bar"].nrows()
    columns = fmpq_mat(
        V, V, [sum((B[r, i] * B[r, j] for r in range(V)), fmpq(0)) for i in range(V) for j in range(V)]
    )
    rows = B * B.transpose()
    return judged(
        columns == found["Sigma_B"] and rows != found["Sigma_B"],
        f"Sigma_B holds {'' if columns == found['Sigma_B'] else 'not '}the inner products of columns",
        derivation=f"Sigma_B[0, 1] is {found['Sigma_B'][0, 1]}, and the rows 0 and 1 give {rows[0, 1]}.",
    )


@decides("kernel-propagation-expansion", tried=TINY)
def propagation(claim: Claim, setting: Setting) -> Finding:
    """Sum d_i C_ij d_j Phi_bar[j, k], where d_i C_ij d_j is the inner product of columns."""
    found = _exact(setting)
    V = found["B_bar"].nrows()
    B, Phi_bar, G_bar = found["B_bar"], found["Phi_bar"], found["G_bar"]

    def dCd(i: int, j: int) -> fmpq:
        return sum((B[r, i] * B[r, j] for r in range(V)), fmpq(0))

    same = all(
        sum((dCd(i, j) * Phi_bar[j, k] for j in range(V)), fmpq(0)) == G_bar[i, k]
        for i, k in product(range(V), range(V))
    )
    return _identity(same, "d_i C_ij d_j = b_i . b_j = Sigma_B[i, j].")


@decides("negative-cosine-inhibits", tried=TINY)
def negative_cosine(claim: Claim, setting: Setting) -> Finding:
    """Look at every pair with a negative cosine and a supported candidate."""
    found = _exact(setting)
    V = found["B_bar"].nrows()
    Sigma_B, Phi_bar = found["Sigma_B"], found["Phi_bar"]
    cases = [(i, j, k) for i, j, k in product(range(V), repeat=3) if Sigma_B[i, j] < 0 and Phi_bar[j, k] > 0]
    negative = [Sigma_B[i, j] * Phi_bar[j, k] < 0 for i, j, k in cases]
    sums = [sum((Sigma_B[i, j] for j in range(V)), fmpq(0)) for i in range(V)]
    return judged(
        bool(cases) and all(negative) and not any(sums),
        f"it is {'negative in all' if all(negative) else 'positive in some of'} {len(cases)} such cases",
        derivation="C_ij and Sigma_B[i, j] have one sign. Rows of Sigma_B sum to 0, not 1: no diffusion.",
    )


@decides("pond-frog-product")
def pond_frog_product(claim: Claim, setting: Setting) -> Finding:
    """Multiply."""
    factors = [Fraction(factor) for factor in claim.given["factors"]]
    return compared(
        claim, {"contribution": prod(factors)}, derivation=f"The product is {float(prod(factors)):.4f}."
    )


@decides("pond-frog-attainable")
def pond_frog_attainable(claim: Claim, setting: Setting) -> Finding:
    """Add up the squares: all columns together are |B_bar|^2, which the named check holds to at most 1."""
    total = sum(Fraction(norm) ** 2 for norm in claim.given["norms"])
    return judged(
        total <= 1,
        f"the two squares add up to {float(total):.2f}, and all in a corpus to at most 1",
        derivation="d_i^2 summed over all tokens is |B_bar|_F^2, at most 1 in any corpus: two such columns "
        "cannot be in one. In a real corpus each d_i is of the size of a word's frequency.",
    )


@decides("value-row-coordinates", tried=TINY)
def value_message(claim: Claim, setting: Setting) -> Finding:
    """Sum over j and compare with the rows of Phi_bar^T B_bar^T."""
    found = _exact(setting)
    V = found["B_bar"].nrows()
    value = leading_directions(found)["V"]
    same = all(
        value[k, r] == sum((found["Phi_bar"][j, k] * found["B_bar"][r, j] for j in range(V)), fmpq(0))
        for k, r in product(range(V), range(V))
    )
    return _identity(same, "e_k Phi_bar^T is row k of Phi_bar^T, and B_bar^T sums it against row r of B_bar.")


@decides("message-to-logits", tried=TINY)
def message_to_logits(claim: Claim, setting: Setting) -> Finding:
    """Decode the value message by B_bar."""
    found = _exact(setting)
    decoded = leading_directions(found)["V"] * found["B_bar"]
    return _identity(
        decoded == found["G_bar"].transpose(),
        "Phi_bar^T B_bar^T B_bar = (Sigma_B Phi_bar)^T; Sigma_B is symmetric.",
    )


@decides("one-layer-output-form", tried=TINY)
def one_layer_output(claim: Claim, setting: Setting) -> Finding:
    """Put the leading terms into the forward pass of one layer, for some attention."""
    tokens, V = setting.tiny
    found = _exact(setting)
    W_O, value = found["B_bar"], leading_directions(found)["V"]
    same = all(
        (one.X + one.A0 * one.X * value) * W_O
        == one.X * W_O + one.A0 * one.X * found["Phi_bar"].transpose() * found["Sigma_B"]
        for one in constants(check_corpus(tokens, V))
    )
    return judged(
        same,
        "both sides are equal on every sequence" if same else "the sides differ",
        derivation="(X + A X V) W_O with V = Phi_bar^T B_bar^T and W_O = B_bar.",
        convention="The two terms have different constants: s eta before the first, s C(s,2) eta^3 before "
        "the second, so no one scale serves both.",
    )


@decides("sparse-counting-equivalence", tried=TINY)
def counting_is_one_hot(claim: Claim, setting: Setting) -> Finding:
    """Compare counting in float64 with dense one-hot products in fractions."""
    tokens, V = setting.tiny
    exact, counted = _exact(setting), statistics(np.array(tokens, dtype=np.int64), V)
    worst = 0.0
    for name, matrix in exact.items():
        right = np.array([int(one.p) / int(one.q) for one in matrix.entries()])
        worst = max(worst, float(np.abs(counted[name].ravel() - right).max()))
    bound = rounding(1.0, len(tokens) * len(tokens[0]) * V, "float64")
    return judged(
        bool(worst <= bound),
        "both ways are equal, to rounding" if worst <= bound else f"they differ by {worst:.1e}",
        evidence="property",
        derivation="Both sum the same terms: a one-hot product picks the entries that counting adds to.",
    )


@decides("sigma-phi-row-convention", tried=TINY)
def path_of_a_token(claim: Claim, setting: Setting) -> Finding:
    """Go the two steps one after the other."""
    found = _exact(setting)
    V = found["B_bar"].nrows()
    G_bar = found["G_bar"]
    for i in range(V):
        roles = [found["Sigma_B"][i, j] for j in range(V)]
        contexts = [sum((roles[j] * found["Phi_bar"][j, k] for j in range(V)), fmpq(0)) for k in range(V)]
        if contexts != [G_bar[i, k] for k in range(V)]:
            return judged(False, f"row {i} differs", derivation="Gathering the roles' contexts differs.")
    return judged(
        True, "both ways are equal in every row", derivation="(e_i Sigma_B) Phi_bar = e_i (Sigma_B Phi_bar)."
    )


# Two adjectives with the same noun after them but different words before, and two words with the same before.
SUCCESSORS = ("the red truck", "a fast truck")
PREDECESSORS = ("the red truck", "the fast train")


def _similarity(sentences: tuple[str, ...], first: str, second: str) -> fmpq:
    """Return Sigma_B of two words in a corpus of three-word sentences."""
    words = sorted({word for sentence in sentences for word in sentence.split()})
    tokens = [[words.index(word) for word in sentence.split()] for sentence in sentences]
    Sigma_B = exact_statistics(tokens, len(words))["Sigma_B"]
    return Sigma_B[words.index(first), words.index(second)]


@decides("interchangeability-analogy", tried="two corpora of two sentences")
def successors_or_predecessors(claim: Claim, setting: Setting) -> Finding:
    """Compare two words that share a successor with two that share a predecessor."""
    after = _similarity(SUCCESSORS, "red", "fast")
    before = _similarity(PREDECESSORS, "red", "fast")
    return judged(
        after > 0 >= before,
        f"Sigma_B is {after} of two words that share what follows, {before} of two that share what precedes",
        derivation="Sigma_B compares columns of B_bar, and a column holds what a word follows, not "
        "what follows it.",
    )


@decides("red-truck-bigram", tried="a corpus of two sentences")
def adjective_and_noun(claim: Claim, setting: Setting) -> Finding:
    """Read the entry of B_bar in a corpus where one follows the other."""
    sentences = SUCCESSORS
    words = sorted({word for sentence in sentences for word in sentence.split()})
    tokens = [[words.index(word) for word in sentence.split()] for sentence in sentences]
    B_bar = exact_statistics(tokens, len(words))["B_bar"]
    forwards = B_bar[words.index("red"), words.index("truck")]
    backwards = B_bar[words.index("truck"), words.index("red")]
    return judged(
        forwards > 0 >= backwards,
        f"B_bar[red, truck] is {forwards}, B_bar[truck, red] {backwards}",
        derivation="B_bar[i, j] is positive where j follows i more often than 1/V of the time.",
    )

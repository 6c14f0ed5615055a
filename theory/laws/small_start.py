"""A start that is small but not zero: which leading terms survive at which scale. Derived here.

Let the parameters start at eta^p Z, Z of order one (a Gaussian start of scale v = eta^p, for instance). A
group whose leading term has order q then begins eta^p Z + ... + eta^q c_s D, and

    p > q: the leading term comes first, and is unchanged: it leads;
    p = q: the start is of the same order: they tie;
    p < q: the start comes first and the leading term is a correction to it: it is drowned.

At order q there is c_s D alone for p > 2, unless p = q; an earlier start adds to what others learn. In full:

    W_O at 1: s B_bar, and Z_O when p = 1
    V at 2:   C(s,2) Phi_bar^T B_bar^T, and Z_V when p = 2, and s Phi_bar^T Z_O^T when p = 1
    W at 4:   c_s Q_bar, and Z_W when p = 4, and C(s,2) E[U B_bar^T Z_V^T] when p = 2
    P at 4:   the same by distance, with Z_P for Z_W

each layer with its own Z; E is the evidence of messages (`theory.statistics.evidence`). At p = 2 the start of
V is as large as what V has learned, and the scores learn from it. For p = 1 the law of W and P stops at order
3, where they hold E[U (C(s,2) B_bar^T + s Z_O^T) Z_V^T].

The Gaussian theorem (D.13) allows v up to eta^2 / T^2. For a fixed T that is p = 2, where V ties and W and P
are drowned. The theorem also asks eta >= 1/T, so that this v is at most eta^4 and W is not drowned by its
order alone; what decides is v / (c_s eta^4 |Q_bar|) = 1 / ((eta T)^2 c_s |Q_bar|)
(`theory.bounds.start_over_leading_squared`), and |Q_bar| is far below one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from flint import fmpq, fmpq_mat

from theory.corpus import Rows, check_corpus
from theory.laws.leading_terms import coefficient, layers_of
from theory.one_hot import OneSequence, constants
from theory.orders import GROUPS, leading_orders
from theory.series import SeriesParameters, Update, descend_by
from theory.statistics import evidence, leading_directions, statistics_of
from theory.step_coefficients import step_coefficients
from theory.verdict import Statement, Verdict, compare

Start = Mapping[str, Sequence[fmpq_mat]]
"""Z: group to one matrix a layer (W_O one; P [T, 1]; the rest [V, V])."""

Claim = Callable[[Sequence[OneSequence[fmpq_mat]], Start, int, int, str, int], dict[int, fmpq_mat]]
"""(corpus, Z, p, steps, group, layer) to coefficients by order; what is left out is not claimed."""


def fate(group: str, p: int) -> str:
    """ "leads", "ties" or "drowned": the leading term of a group against a start of size eta^p."""
    q = leading_orders(1)[group]
    return "leads" if p > q else "ties" if p == q else "drowned"


def terms_from(
    corpus: Sequence[OneSequence[fmpq_mat]], Z: Start, p: int, steps: int, group: str, layer: int
) -> dict[int, fmpq_mat]:
    """The coefficients, [V, V] or [T, 1], of one group up to its leading order, where the law has them."""
    statistics = statistics_of(corpus)
    c = step_coefficients(steps)
    q = leading_orders(1)[group]
    zero = Z[group][layer] * fmpq(0)
    terms = dict.fromkeys(range(q), zero) | {q: leading_directions(statistics)[group] * fmpq(c[group])}
    if p <= q:
        terms[p] = terms[p] + Z[group][layer]
    if group == "V" and p == 1:
        terms[2] = terms[2] + statistics["Phi_bar"].transpose() * Z["W_O"][0].transpose() * fmpq(steps)
    if group in ("W", "P") and p <= 2:
        held = statistics["B_bar"] * fmpq(c["V"]) + (
            Z["W_O"][0] * fmpq(steps) if p == 1 else zero_like(Z["W_O"][0])
        )
        by_tokens, by_distance = evidence(
            corpus, lambda one: one.U * held.transpose() * Z["V"][layer].transpose()
        )
        extra = by_tokens if group == "W" else by_distance
        terms[p + 2] = terms[p + 2] + extra
        if p == 1:
            del terms[4]
    return terms


def zero_like(a: fmpq_mat) -> fmpq_mat:
    """A zero matrix of the same shape."""
    return fmpq_mat(a.nrows(), a.ncols())


def check(
    tokens: Rows,
    vocab_size: int,
    layers: int,
    steps: int,
    p: int,
    Z: Start,
    *,
    claim: Claim = terms_from,
) -> Verdict:
    """Holds the claim against descent from eta^p Z after 0..`steps` steps, in every layer.

    Raises:
        ValueError: a bad corpus, sizes or p < 1.
    """
    if p < 1:
        raise ValueError(f"the start must vanish at eta = 0, so p must be 1 or more, not {p}")
    corpus = constants(check_corpus(tokens, vocab_size))
    orders = leading_orders(layers)
    start = starting_at(Z, p, max(orders.values()))
    history = descend_by(tokens, vocab_size, layers, [Update()] * steps, max(orders.values()), start=start)

    def statements() -> Iterator[Statement[fmpq_mat]]:
        for group in GROUPS:
            for layer in layers_of(group, layers):
                for s in range(steps + 1):
                    for order, term in claim(corpus, Z, p, s, group, layer or 0).items():
                        yield Statement(group, layer, order, term, s)

    return compare(f"start of size eta^{p}", statements(), lambda one: coefficient(history, one))


def starting_at(Z: Start, p: int, order: int) -> SeriesParameters:
    """The parameters eta^p Z as series to eta^`order`."""

    def series(z: fmpq_mat) -> list[fmpq_mat]:
        return [z if k == p else zero_like(z) for k in range(order + 1)]

    return SeriesParameters(
        series(Z["W_O"][0]),
        [series(z) for z in Z["V"]],
        [series(z) for z in Z["W"]],
        [[c.entries() for c in series(z)] for z in Z["P"]],
    )

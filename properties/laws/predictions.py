"""The laws evaluated in float64 for corpora of any size are the exact laws, within rounding (derived here).

`properties.predictions` computes what a run will show from statistics alone, with sparse factors and sums
over pairs. On small corpora each of its numbers is held to the rational number that `theory` gives.
"""

from __future__ import annotations

import math

import numpy as np
from flint import fmpq, fmpq_mat, fmpq_poly

from properties.cases import CORPORA, SHORT_DESCENTS, UPDATES, Cases, CorpusCase, DescentCase, UpdatesCase
from properties.check import Check, Comparison, Law, NotAdmitted, Outcome
from properties.laws.statistics_exact import (
    as_array,
    exact_by_corpus,
    magnitudes_by_corpus,
    to_exact,
    to_float,
)
from properties.memo import by_corpus
from properties.predictions import (
    ablation,
    alignment,
    attention,
    expansion,
    general_descent,
    loss,
    random_groups,
    sampling,
)
from properties.predictions.magnitudes import direction_bounds, longest_path
from properties.target import Target
from properties.tolerances import rounding
from reference.statistics import statistics
from theory import next_order
from theory.corpus import check_corpus
from theory.laws import ablation as exact_ablation
from theory.laws import attention_departure, large_vocabulary, layer_separation
from theory.laws import general_descent as exact_general
from theory.laws import loss as exact_loss
from theory.laws import sampling as exact_sampling
from theory.laws import sampling_spread as exact_spread
from theory.one_hot import OneSequence, constants
from theory.orders import GROUPS, leading_orders
from theory.series import Update
from theory.statistics import leading_directions

bounds_by_corpus = by_corpus(direction_bounds)
expansion_by_corpus = by_corpus(lambda tokens, vocab_size: expansion.expansion(tokens, vocab_size))


def _corpus(case: CorpusCase) -> list[OneSequence[fmpq_mat]]:
    return constants(check_corpus(case.tokens.tolist(), case.vocab_size))


def _rate(case: DescentCase) -> fmpq:
    return to_exact(case.rate)


def _directions(target: Target, case: CorpusCase) -> Outcome:
    corpus = _corpus(case)
    exact = leading_directions(exact_by_corpus(case.tokens, case.vocab_size))
    following, second = next_order.directions(corpus), large_vocabulary.directions(corpus)
    bounds = bounds_by_corpus(case.tokens, case.vocab_size)
    for group, found in expansion.expansion(case.tokens, case.vocab_size).items():
        expected = [exact[group], *following[group], *second[group]]
        triples = zip(found.all, expected, bounds[group].all, strict=True)
        for n, (got, right, bound) in enumerate(triples):
            yield Comparison(f"direction {n} of {group}", got, as_array(right, got.shape), bound)


def _weights(target: Target, case: DescentCase) -> Outcome:
    corpus, eta = _corpus(case), _rate(case)
    exact = exact_by_corpus(case.tokens, case.vocab_size)
    following = next_order.next_order(case.tokens.tolist(), case.vocab_size, case.steps)
    second = large_vocabulary.large_vocabulary_terms(corpus, case.layers, case.steps)
    found = expansion_by_corpus(case.tokens, case.vocab_size)
    bounds = bounds_by_corpus(case.tokens, case.vocab_size)
    for group in GROUPS:
        q = next_order.ORDER[group] - 1
        amount = fmpq(next_order.step_amounts(group, case.steps)[0])
        terms = leading_directions(exact)[group] * (amount * eta**q) + following[group] * eta ** (q + 1)
        for layer, last in enumerate(second[group]):
            c = expansion.amounts(group, case.rate, case.steps, layer, case.layers)
            got = found[group].combined(c)
            expected = as_array(terms + last * eta ** (q + 2), got.shape)
            # Each direction's own error times its amount, and the rounding of amounts and of their sum.
            own = bounds[group].combined(np.abs(c))
            summed = sum(abs(a) * np.abs(d) for a, d in zip(c, found[group].all, strict=True))
            bound = own + rounding(summed + own, 2 * len(c) + 12, "float64")
            yield Comparison(f"{group}, layer {layer}", got, expected, bound)


def _cosine(target: Target, case: DescentCase) -> Outcome:
    """From the exact Gram matrix: only the formula for the angle is tried here."""
    gram = next_order.gram(case.tokens.tolist(), case.vocab_size)
    for group in GROUPS:
        g = np.array([[to_float(entry) for entry in row] for row in gram[group]])
        amounts = next_order.step_amounts(group, case.steps)
        if g[0, 0] == 0 or amounts[0] == 0:
            continue
        c = [fmpq(a) * _rate(case) ** min(n, 1) for n, a in enumerate(amounts)]
        pairs = [(i, j) for i in range(len(c)) for j in range(len(c))]
        along = sum((c[i] * gram[group][i][0] for i in range(len(c))), fmpq(0))
        square = sum((c[i] * c[j] * gram[group][i][j] for i, j in pairs), fmpq(0))
        # tan^2 = (|w|^2 |x|^2 - <w, x>^2) / <w, x>^2, exactly
        tan = to_float(square * gram[group][0][0] / along**2 - 1)
        expected = -math.expm1(-math.log1p(tan) / 2) if along > 0 else 1 + 1 / math.sqrt(1 + tan)
        floats = np.array([to_float(one) for one in c])
        # What cancels in |perp|^2: products of amounts with g_ij and with g_i0 g_0j / g_00.
        size = np.abs(g) + np.outer(np.abs(g[:, 0]), np.abs(g[0])) / g[0, 0]
        magnitude = float(np.abs(floats) @ size @ np.abs(floats)) * g[0, 0] / to_float(along) ** 2
        bound = rounding(magnitude + 1.0 * abs(expected), 4 * len(pairs) + 32, "float64")
        yield Comparison(f"1 - cos of {group}", alignment.cosine_loss(floats, g), expected, bound)


def _spread(target: Target, case: DescentCase) -> Outcome:
    """What the directions say of neighbouring layers is the law of their separation, for every V."""
    layers = max(case.layers, 2)
    exact = layer_separation.separation(case.tokens.tolist(), case.vocab_size, case.steps)
    found = expansion_by_corpus(case.tokens, case.vocab_size)
    bounds = bounds_by_corpus(case.tokens, case.vocab_size)
    for group, separated in exact.items():
        each = [expansion.amounts(group, case.rate, case.steps, layer, layers) for layer in (0, 1)]
        got = found[group].combined(each[1] - each[0])
        eta = _rate(case) ** layer_separation.ORDER[group]
        own = bounds[group].combined(np.abs(each[1] - each[0]))
        summed = sum(abs(a) * np.abs(d) for a, d in zip(each[1] - each[0], found[group].all, strict=True))
        bound = own + rounding(summed + own, 2 * len(each[0]) + 12, "float64")
        yield Comparison(f"{group}, layer 1 - layer 0", got, as_array(separated * eta, got.shape), bound)


def _loss(target: Target, case: DescentCase) -> Outcome:
    law = exact_loss.loss_law(case.tokens.tolist(), case.vocab_size, case.layers)
    corpus = statistics(case.tokens, case.vocab_size)
    frequency = np.bincount(case.tokens[:, :-1].ravel(), minlength=case.vocab_size) / case.tokens[:, 1:].size
    value = corpus["Phi_bar"].T @ corpus["B_bar"].T
    numbers = loss.loss_numbers(corpus["B_bar"], frequency, value)
    got = loss.loss_terms(numbers, case.rate, case.steps, case.layers)
    expected = [
        math.log(case.vocab_size),
        *(to_float(p(case.steps) * _rate(case) ** k) for k, p in _later(law)),
    ]
    # Each term is a sum of products of entries, which are below one: their absolute values sum to at most
    # the same with the terms of B_bar and of v.
    terms = magnitudes_by_corpus(case.tokens, case.vocab_size)
    B, v = terms["B_bar"].terms, terms["Phi_bar"].terms.T @ terms["B_bar"].terms.T
    sizes = loss.loss_terms(_negated(loss.loss_numbers(B, frequency, v)), -case.rate, case.steps, case.layers)
    operations = 2 * longest_path(case.tokens, case.vocab_size) + 2 * case.vocab_size**2 + 32
    bounds = [rounding(abs(size), operations, "float64") for size in sizes]
    for order, (one, right, bound) in enumerate(zip(got, expected, bounds, strict=True)):
        yield Comparison(f"the loss's term of order {order}", one, right, bound)


def _later(law: list[fmpq_poly]) -> list[tuple[int, fmpq_poly]]:
    return list(enumerate(law))[1:]


def _negated(numbers: loss.LossNumbers) -> loss.LossNumbers:
    """Numbers of the same size for which, at minus the rate, all terms of an order have one sign."""
    return loss.LossNumbers(
        numbers.vocab_size, numbers.square, numbers.second, numbers.third, -numbers.skew, numbers.value
    )


def _ablation(target: Target, case: DescentCase) -> Outcome:
    exact = exact_by_corpus(case.tokens, case.vocab_size)
    corpus = statistics(case.tokens, case.vocab_size)
    leading = sampling.leading_directions(case.tokens, corpus)
    squares = {group: float((x * x).sum()) for group, x in leading.items()}
    each = np.array([ablation.of_sequence(corpus, sequence) for sequence in case.tokens])
    effects = ablation.ablation_effects(squares, each, case.rate, case.steps)
    bounds, own = _square_bounds(case), each.mean(axis=0)
    factors = ablation.factors(case.rate, case.steps)
    for n, group in enumerate(GROUPS):
        order = exact_ablation.ORDER[group]
        expected = to_float(exact_ablation.rise(exact, group, case.steps) * _rate(case) ** order)
        bound = factors[group] * bounds[group]
        yield Comparison(f"the effect of {group}", effects[group].rise, expected, bound)
        name = f"the mean effect of the sequences' own {group}"
        yield Comparison(name, factors[group] * own[n], expected, bound)


def _square_bounds(case: CorpusCase) -> dict[str, float]:
    """The rounding of |x|^2 for each leading direction, by any route that ends in a sum over pairs."""
    sizes = magnitudes_by_corpus(case.tokens, case.vocab_size)
    terms = {
        "W_O": sizes["B_bar"].terms,
        "V": sizes["Phi_bar"].terms.T @ sizes["B_bar"].terms.T,
        "W": sizes["Q_bar"].terms,
        "P": sizes["Delta_bar"].terms,
    }
    operations = 2 * longest_path(case.tokens, case.vocab_size) + case.vocab_size**2
    return {g: float(rounding((t * t).sum(), operations, "float64")) for g, t in terms.items()}


def _attention(target: Target, case: DescentCase) -> Outcome:
    corpus = statistics(case.tokens, case.vocab_size)
    exact = attention_departure.departure(case.tokens.tolist(), case.vocab_size, case.steps)
    sizes = magnitudes_by_corpus(case.tokens, case.vocab_size)
    T = case.tokens.shape[1] - 1
    absolute = {name: sizes[name].terms for name in ("Q_bar", "Delta_bar")}
    operations = longest_path(case.tokens, case.vocab_size) + 2 * T + 16
    for n, sequence in enumerate(case.tokens):
        got = attention.departure(corpus, sequence, case.rate, case.steps)
        expected = as_array(exact[n][4] * _rate(case) ** 4, (T, T))
        by_tokens, distances = attention.scores(absolute, sequence, case.rate, case.steps)
        summed = np.tril(by_tokens + distances)
        seen = np.arange(1, T + 1)[:, None]
        size = (summed + summed.sum(axis=1, keepdims=True) / seen) / seen
        yield Comparison(f"attention on sequence {n}", got, expected, rounding(size, operations, "float64"))


def _sampling(target: Target, case: CorpusCase) -> Outcome:
    tokens, V = case.tokens.tolist(), case.vocab_size
    parts = exact_sampling.sequence_bigrams(tokens, V)
    B = exact_sampling.mean_of(parts)
    square = sum((b * b for b in B.entries()), fmpq(0))
    if not square or len(parts) < 2:
        raise NotAdmitted("one sequence, or a bigram table of nothing, has no noise to speak of")
    n, T = 2, len(tokens[0]) - 1
    got = sampling.bigram_noise(case.tokens, V, n)
    # Unbiased for a population: N - 1 where the corpus itself has N.
    spread = exact_sampling.across_of_sequences(parts) * len(parts) / (len(parts) - 1)
    by_positions = exact_sampling.across_of_positions(tokens, V) / (n * T)
    terms = magnitudes_by_corpus(case.tokens, V)["B_bar"].terms
    # A sequence's own square is at most 2; the ratio's rounding is that of both its parts.
    size = (4.0 + float((terms * terms).sum())) / to_float(square)
    operations = 2 * longest_path(case.tokens, V) + V * V
    bound = rounding(size * (1 + size), operations, "float64")
    yield Comparison("rho of sequences", got.sequences, to_float(spread / n / square), bound)
    yield Comparison("rho of positions", got.positions, to_float(by_positions / square), bound)


def _sampling_spread(target: Target, case: CorpusCase) -> Outcome:
    """Each sequence is a unit, twice, so that there are four of them."""
    parts = exact_sampling.sequence_bigrams(case.tokens.tolist(), case.vocab_size) * 2
    if len(parts) < exact_spread.FEWEST:
        raise NotAdmitted("one sequence has no spread")
    exact = exact_spread.gram(parts)
    K, k, n = np.array([[to_float(one) for one in row] for row in exact]), len(parts), 3
    trace, of_square = random_groups.traces(K)
    # A product of two bigram tables is at most 2: the absolute terms of the first sum to at most 4. Those of
    # the second are S, sum R_i^2 and R^2, at most 4 k (k-1), 4 k (k-1)^2 and 4 k^2 (k-1)^2, with factors over
    # k (k-1), k (k-1) (k-2) and k (k-1) (k-2) (k-3): 80 for four units, and less for more.
    for name, got, right, terms in (
        ("tr Sigma", trace, exact_spread.trace(exact), 4.0),
        ("tr Sigma^2", of_square, exact_spread.trace_of_square(exact), 80.0),
    ):
        yield Comparison(name, got, to_float(right), rounding(terms, 4 * k**2, "float64"))
    S2 = exact_sampling.square_of_sequences(parts)
    if not S2:
        return
    nu = 2 * exact_spread.covariance_squared(parts) / S2**2
    v = exact_spread.variance_of_square(parts, 1) / S2**2
    found = sum(random_groups.parts_of_variance(1 / n, to_float(nu), to_float(v)))
    right = exact_spread.variance_of_square(parts, n) / (S2 / n) ** 2
    yield Comparison(
        f"the relative variance of {n} units' squared noise",
        found,
        to_float(right),
        rounding(to_float(nu + v), 8, "float64"),
    )


def _batches(target: Target, case: UpdatesCase) -> Outcome:
    """Each step on some of the sequences, all with equal weight."""
    rate = fmpq(1, 8)
    chosen = [[n for n, weight in enumerate(batch) if weight] for batch in case.batches]
    updates = [
        Update(fmpq(1), [fmpq(int(n in some), len(some)) for n in range(len(case.tokens))]) for some in chosen
    ]
    tokens, V, T = case.tokens, case.vocab_size, case.tokens.shape[1] - 1
    exact = exact_general.general_leading_terms(tokens.tolist(), V, updates)[-1]
    batches = [tokens[some] for some in chosen]
    got = general_descent.leading_terms_of_batches(batches, V, T, float(rate.p) / float(rate.q))
    steps = len(batches)
    for group, order in leading_orders(1).items():
        expected = as_array(exact[group] * rate**order, got[group].shape)
        # At most eight factors, each a statistic with absolute terms that sum to two; pulls are centred once.
        size = float(steps**order) * 2.0**8 * to_float(rate) ** order
        operations = 2 * longest_path(tokens, V) * max(1, steps)
        yield Comparison(
            f"{group} after {steps} batches", got[group], expected, rounding(size, operations, "float64")
        )


def _check(name: str, statement: str, law: Law, cases: Cases, cost: int = 1) -> Check:
    return Check(
        id=f"predictions.{name}",
        statement=statement,
        source="derived here",
        cases=cases,
        law=law,
        evidence="exact",
        cost=cost,
    )


CHECKS = (
    _check(
        "directions",
        "The directions of each weight, to two orders beyond the leading one, are the exact ones.",
        _directions,
        CORPORA,
        2,
    ),
    _check("weights", "Each weight's predicted terms add up to the exact ones.", _weights, SHORT_DESCENTS, 2),
    _check(
        "cosine",
        "The predicted loss of cosine follows from the inner products of the terms.",
        _cosine,
        SHORT_DESCENTS,
        2,
    ),
    _check(
        "layer_spread",
        "The predicted difference of neighbouring layers is the law of their separation.",
        _spread,
        SHORT_DESCENTS,
        2,
    ),
    _check("loss", "The predicted loss has the law's terms up to eta^3.", _loss, SHORT_DESCENTS),
    _check(
        "ablation",
        "The predicted effect of removing a projection is the law's, and the mean of the sequences' own.",
        _ablation,
        SHORT_DESCENTS,
        1,
    ),
    _check(
        "attention",
        "The predicted departure of attention from uniform is the law's, at its first order.",
        _attention,
        SHORT_DESCENTS,
    ),
    _check(
        "batches",
        "The predicted leading terms under changing batches are the exact sums over ordered steps.",
        _batches,
        UPDATES,
        2,
    ),
    _check(
        "sampling_spread",
        "How far a sample's squared noise scatters is its exact variance, and units show both of its traces.",
        _sampling_spread,
        CORPORA,
    ),
    _check(
        "sampling",
        "The closed forms of the bigram table's noise are the exact variances.",
        _sampling,
        CORPORA,
    ),
)

"""Every law holds on generated corpora, and every wrong version is refuted with the first order and entry."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from flint import fmpq, fmpq_mat, fmpq_poly
from theory_cases import Tokens, corpus, matrix

from theory.corpus import Rows, check_corpus
from theory.laws import (
    ablation,
    attention_departure,
    conserved,
    general_descent,
    layer_separation,
    leading_terms,
    loss,
    next_order_terms,
    small_start,
)
from theory.loss_series import loss_above_uniform
from theory.next_order import next_order
from theory.one_hot import OneSequence
from theory.series import SeriesParameters, Update, as_truncated, descend_by, trajectory
from theory.step_coefficients import step_coefficients
from theory.verdict import Verdict

CASES = [(0, 3, 4, 3, 2, 5), (1, 2, 3, 4, 3, 4), (8, 5, 2, 2, 2, 4), (3, 1, 5, 3, 2, 4)]
"""seed, N, T, V, L, steps."""

Case = tuple[Tokens, int, int, int]


@pytest.fixture(params=CASES, ids=lambda c: f"N{c[1]}T{c[2]}V{c[3]}L{c[4]}s{c[5]}")
def case(request: pytest.FixtureRequest) -> Case:
    seed, N, T, V, L, steps = request.param
    return corpus(seed, N, T, V), V, L, steps


@pytest.fixture
def one() -> Case:
    seed, N, T, V, L, steps = CASES[0]
    return corpus(seed, N, T, V), V, L, steps


def refuted_at(verdict: Verdict, quantity: str, layer: int | None, order: int, step: int) -> None:
    found = verdict.difference
    assert found is not None, str(verdict)
    assert (found.quantity, found.layer, found.order, found.step) == (quantity, layer, order, step), str(
        verdict
    )
    assert f"order {order}, entry {list(found.entry)}" in str(verdict)


# Leading terms
# ---------------------------------------------------------------------------------------------------


def test_leading_terms(case: Case) -> None:
    assert leading_terms.check(*case).holds


def wrong_leading(group: str, change: Callable[[fmpq_mat, int], fmpq_mat]) -> leading_terms.Claim:
    def claim(statistics: dict[str, fmpq_mat], name: str, steps: int) -> fmpq_mat:
        term = leading_terms.leading_term(statistics, name, steps)
        return change(term, steps) if name == group else term

    return claim


@pytest.mark.parametrize(
    ("group", "change", "order", "step"),
    [
        ("W_O", lambda m, s: m.transpose(), 1, 1),
        ("V", lambda m, s: m.transpose(), 2, 2),
        ("V", lambda m, s: m * fmpq(2), 2, 2),
        ("W", lambda m, s: m.transpose(), 4, 3),
        ("W", lambda m, s: m * fmpq(-1), 4, 3),
        ("W", lambda m, s: m * fmpq(2, 3) if s == 4 else m, 4, 4),
        ("P", lambda m, s: fmpq_mat(m.nrows(), 1, m.entries()[::-1]), 4, 3),
    ],
    ids=["W_O transposed", "V transposed", "V doubled", "W transposed", "W sign", "c_4 wrong", "P reversed"],
)
def test_wrong_leading_terms(
    one: Case, group: str, change: Callable[[fmpq_mat, int], fmpq_mat], order: int, step: int
) -> None:
    verdict = leading_terms.check(*one, claim=wrong_leading(group, change))
    refuted_at(verdict, group, None if group == "W_O" else 0, order, step)


@pytest.mark.parametrize("flaw", ["no 1/t", "no centring"])
def test_wrong_constructions_of_Q_bar(one: Case, flaw: str) -> None:
    tokens, V, _, _ = one
    T, N = len(tokens[0]) - 1, len(tokens)

    def claim(statistics: dict[str, fmpq_mat], group: str, steps: int) -> fmpq_mat:
        if group != "W":
            return leading_terms.leading_term(statistics, group, steps)
        G, Q = statistics["G_bar"], fmpq_mat(V, V)
        for row in tokens:
            for t in range(T):
                seen = [G[row[t + 1], row[k]] for k in range(t + 1)]
                mean = fmpq(0) if flaw == "no centring" else sum(seen, fmpq(0)) / (t + 1)
                for k, g in enumerate(seen):
                    Q[row[t], row[k]] += (g - mean) / (1 if flaw == "no 1/t" else t + 1) / (N * T)
        return Q * fmpq(step_coefficients(steps)["W"])

    refuted_at(leading_terms.check(*one, claim=claim), "W", 0, 4, 3)


# Next order
# ------------------------------------------------------------------------------------------------------


def test_next_order(case: Case) -> None:
    assert next_order_terms.check(*case).holds


@pytest.mark.parametrize(("group", "order", "step"), [("W_O", 2, 2), ("V", 3, 2), ("W", 5, 3), ("P", 5, 3)])
def test_wrong_next_order(one: Case, group: str, order: int, step: int) -> None:
    def claim(tokens: Rows, V: int, steps: int, weights: Sequence[Any] | None) -> dict[str, fmpq_mat]:
        terms = next_order(tokens, V, steps, weights)
        return {**terms, group: terms[group] * fmpq(V - 1, V)}

    verdict = next_order_terms.check(*one, claim=claim)
    refuted_at(verdict, group, None if group == "W_O" else 0, order, step)


# Loss and ablation
# -----------------------------------------------------------------------------------------------


def test_loss(case: Case) -> None:
    """Four orders after every step, the last included."""
    verdict = loss.check(*case)
    assert verdict.holds
    assert verdict.compared == 4 * (case[3] + 1)


@pytest.mark.parametrize(("order", "step"), [(1, 1), (2, 1), (3, 1)])
def test_wrong_loss(one: Case, order: int, step: int) -> None:
    def claim(tokens: Rows, V: int, L: int, weights: Sequence[Any] | None) -> list[fmpq_poly]:
        law = loss.loss_law(tokens, V, L, weights)
        law[order] = law[order] * 2
        return law

    refuted_at(loss.check(*one, claim=claim), "loss - log V", None, order, step)


def test_attention_enters_the_loss_at_order_seven(one: Case) -> None:
    """Beside a descent whose attention is made uniform again after every step."""
    tokens, V, L, steps = one

    def losses(kept: Callable[[SeriesParameters], SeriesParameters]) -> list[fmpq]:
        at = trajectory(tokens, V, L, 0, 7)[0]
        for _ in range(steps):
            at = kept(descend_by(tokens, V, L, [Update()], 7, start=at)[-1])
        return loss_above_uniform(check_corpus(tokens, V), as_truncated(at).as_series(), 7)

    zero = trajectory(tokens, V, L, 0, 7)[0]
    moved, uniform = losses(lambda at: at), losses(lambda at: replace(at, W=zero.W, P=zero.P))
    assert moved[:7] == uniform[:7]
    assert moved[7] != uniform[7]


def test_ablation(case: Case) -> None:
    verdict = ablation.check(*case)
    assert verdict.holds
    L = case[2]
    effects, along = 2 + L * (4 + 8 + 8), 7 * (1 + 3 * L * L)
    assert verdict.compared == effects + along


@pytest.mark.parametrize(("group", "order"), [("W_O", 1), ("V", 3), ("W", 7), ("P", 7)])
def test_wrong_ablation(one: Case, group: str, order: int) -> None:
    def claim(statistics: dict[str, fmpq_mat], name: str, steps: int) -> fmpq:
        rise = ablation.rise(statistics, name, steps)
        return rise / steps if name == group else rise

    verdict = ablation.check(*one, claim=claim)
    refuted_at(verdict, group, None if group == "W_O" else 0, order, one[3])


def test_ablation_orders_are_not_those_of_the_weights(one: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Orders 1, 2, 4, 4 for the loss are refuted: values have no effect at order 2."""
    monkeypatch.setattr(ablation, "ORDER", {"W_O": 1, "V": 2, "W": 4, "P": 4})
    refuted_at(ablation.check(*one), "V", 0, 2, one[3])


def test_ablation_leaves_out_what_is_not_there() -> None:
    """With one position attention cannot move and Q_bar vanishes: there is nothing to project."""
    assert ablation.check([[0, 1], [1, 1]], 2, 1, 4, groups=["W", "P"]).compared == 0


# Layers, conserved quantities, attention
# -------------------------------------------------------------------------


def test_layer_separation(case: Case) -> None:
    assert layer_separation.check(*case).holds


@pytest.mark.parametrize(("group", "order", "step"), [("V", 4, 3), ("W", 6, 3), ("P", 6, 3)])
def test_wrong_layer_separation(one: Case, group: str, order: int, step: int) -> None:
    """The layers taken the other way round."""

    def claim(tokens: Rows, V: int, steps: int, weights: Sequence[Any] | None) -> dict[str, fmpq_mat]:
        terms = layer_separation.separation(tokens, V, steps, weights)
        return {**terms, group: terms[group] * fmpq(-1)}

    refuted_at(layer_separation.check(*one, claim=claim), group, 1, order, step)


def test_one_layer_has_nothing_to_separate_from() -> None:
    with pytest.raises(ValueError, match="two or more"):
        layer_separation.check([[0, 1]], 2, 1, 1)


def test_conserved(case: Case) -> None:
    verdict = conserved.check(*case, 7)
    assert verdict.holds
    assert verdict.compared == 3 * 8 * (case[3] + 1)


def test_not_conserved(one: Case) -> None:
    """Columns of W_O move at once; rows of a deeper layer's W from the order at which its input differs."""

    def columns(at: SeriesParameters, order: int) -> fmpq_mat:
        return at.W_O[order].transpose() * fmpq_mat(one[1], 1, [1] * one[1])

    def deeper(at: SeriesParameters, order: int) -> fmpq_mat:
        return at.W[1][order] * fmpq_mat(one[1], 1, [1] * one[1])

    refuted_at(conserved.check(*one, 7, claim={"columns of W_O": columns}), "columns of W_O", None, 1, 1)
    refuted_at(conserved.check(*one, 7, claim={"second W": deeper}), "second W", None, 6, 3)
    # Where all words can be renamed in a cycle, a stream of any depth has rows that sum to one.
    alike = [[(n + word) % 3 for word in (0, 1, 1, 2)] for n in range(3)]
    assert conserved.check(alike, 3, 2, 4, 7, claim={"second W": deeper}).holds
    assert trajectory(alike, 3, 2, 4, 7)[-1].W[1][6] != fmpq_mat(3, 3)


def test_attention_departure(case: Case) -> None:
    assert attention_departure.check(*case).holds


@pytest.mark.parametrize("order", [4, 5])
def test_wrong_attention_departure(one: Case, order: int) -> None:
    def claim(tokens: Rows, V: int, steps: int, weights: Sequence[Any] | None) -> list[dict[int, fmpq_mat]]:
        maps = attention_departure.departure(tokens, V, steps, weights)
        maps[-1][order] = maps[-1][order] * fmpq(2)
        return maps

    verdict = attention_departure.check(*one, claim=claim)
    refuted_at(verdict, f"attention on sequence {len(one[0]) - 1}", 0, order, one[3])


# General descent
# -------------------------------------------------------------------------------------------------


def uneven(N: int, steps: int) -> list[Update]:
    return [Update(fmpq(r + 2, 3), [fmpq((n + r) % 3, 2) for n in range(N)]) for r in range(steps)]


@pytest.mark.parametrize("momentum", [fmpq(0), fmpq(9, 10)])
def test_general_descent(case: Case, momentum: fmpq) -> None:
    tokens, V, L, steps = case
    assert general_descent.check(tokens, V, L, uneven(len(tokens), steps), momentum=momentum).holds


def test_order_of_batches_matters(one: Case) -> None:
    """Values chain a later batch's context with an earlier batch's bigrams; the second step can tell."""
    tokens, V, L, steps = one
    updates = uneven(len(tokens), steps)

    def claim(rows: Rows, vocab: int, order: Sequence[Update], m: fmpq) -> list[dict[str, fmpq_mat]]:
        right = general_descent.general_leading_terms(rows, vocab, order, m)
        swapped = general_descent.general_leading_terms(rows, vocab, [order[1], order[0], *order[2:]], m)
        return [{**a, "V": b["V"]} for a, b in zip(right, swapped, strict=True)]

    refuted_at(general_descent.check(tokens, V, L, updates, claim=claim), "V", 0, 2, 2)


def test_constant_batches_give_the_binomials() -> None:
    assert [{g: int(x.p) for g, x in c.items()} for c in general_descent.counts([Update()] * 8)] == [
        step_coefficients(s) for s in range(9)
    ]


def test_momentum_without_its_amounts_is_refuted(one: Case) -> None:
    tokens, V, L, steps = one

    def claim(rows: Rows, vocab: int, updates: Sequence[Update], m: fmpq) -> list[dict[str, fmpq_mat]]:
        return general_descent.general_leading_terms(rows, vocab, updates)

    verdict = general_descent.check(tokens, V, L, [Update()] * steps, momentum=fmpq(1, 2), claim=claim)
    refuted_at(verdict, "W_O", None, 1, 2)


@pytest.mark.parametrize("weighted_by_size", [True, False])
def test_accumulation_of_unequal_micro_batches(one: Case, weighted_by_size: bool) -> None:
    """Micro-batches {0} and {1, 2}: the mean of their means is the mean over all only with size weights."""
    tokens, V, L, steps = one
    sizes = (fmpq(2, 3), fmpq(4, 3)) if weighted_by_size else (fmpq(1), fmpq(1))
    micro = [[sizes[0], 0, 0], [0, sizes[1] / 2, sizes[1] / 2]]
    updates = [Update(weights=general_descent.accumulated(micro))] * steps

    def claim(rows: Rows, vocab: int, _: Sequence[Update], m: fmpq) -> list[dict[str, fmpq_mat]]:
        return general_descent.general_leading_terms(rows, vocab, [Update()] * steps, m)

    verdict = general_descent.check(tokens, V, L, updates, claim=claim)
    if weighted_by_size:
        assert verdict.holds
    else:
        refuted_at(verdict, "W_O", None, 1, 1)


# Small starts
# ----------------------------------------------------------------------------------------------------


def start(T: int, V: int, L: int) -> dict[str, list[fmpq_mat]]:
    return {
        "W_O": [matrix(1, V, V)],
        "V": [matrix(10 + n, V, V) for n in range(L)],
        "W": [matrix(20 + n, V, V) for n in range(L)],
        "P": [matrix(30 + n, T, 1) for n in range(L)],
    }


@pytest.mark.parametrize("p", range(1, 6))
def test_small_start(case: Case, p: int) -> None:
    tokens, V, L, steps = case
    assert small_start.check(tokens, V, L, steps, p, start(len(tokens[0]) - 1, V, L)).holds


@pytest.mark.parametrize(("p", "order", "step"), [(1, 3, 1), (2, 4, 2)])
def test_a_start_that_left_the_scores_alone_is_refuted(one: Case, p: int, order: int, step: int) -> None:
    """For p = 1, 2 the start of V reaches W; without that the law is wrong once W_O has moved."""
    tokens, V, L, steps = one

    def claim(
        rows: Sequence[OneSequence[fmpq_mat]],
        Z: small_start.Start,
        scale: int,
        s: int,
        group: str,
        layer: int,
    ) -> dict[int, fmpq_mat]:
        without = {**Z, "V": [z * fmpq(0) for z in Z["V"]]} if group == "W" else Z
        return small_start.terms_from(rows, without, scale, s, group, layer)

    verdict = small_start.check(tokens, V, L, steps, p, start(len(tokens[0]) - 1, V, L), claim=claim)
    refuted_at(verdict, "W", 0, order, step)


def test_fates_of_a_start_of_the_size_of_eta_squared() -> None:
    assert {g: small_start.fate(g, 2) for g in ("W_O", "V", "W", "P")} == {
        "W_O": "leads",
        "V": "ties",
        "W": "drowned",
        "P": "drowned",
    }


def test_a_start_of_order_one_is_refused(one: Case) -> None:
    tokens, V, L, _ = one
    with pytest.raises(ValueError, match="p must be 1 or more"):
        small_start.check(tokens, V, L, 1, 0, start(len(tokens[0]) - 1, V, L))

"""The mathematics alone, without any implementation: derivations proved or evaluated exactly.

These run against `theory`, under that name, and compare by equality.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any, Literal

from flint import fmpq, fmpq_mat

from properties.cases import (
    LENGTHS,
    ROOMS,
    SMALL_CORPORA,
    STEPS,
    Cases,
    CorpusCase,
    LengthCase,
    RoomsCase,
    StepsCase,
)
from properties.check import Check, Comparison, Law, Outcome
from properties.independence import imports_of, shared_functions, sources_of
from properties.laws.statistics_exact import exact_by_corpus
from properties.results import Evidence, Proof
from properties.target import Target
from theory import baselines
from theory.next_order import COEFFICIENTS, ORDER
from theory.orders import Starts, orders_by_layer, steps_by_layer
from theory.step_coefficients import step_coefficients


def equal(name: str, got: Any, expected: Any) -> Comparison:
    """Compare by equality: 0 where equal, else 1, which no bound of 0 admits."""
    return Comparison(f"{name} = {expected}, got {got}", 0.0 if got == expected else 1.0, 0.0, 0.0)


def _closed_forms(target: Target, case: StepsCase) -> Outcome:
    """SymPy's sums are the binomials s, C(s,2), 3 C(s,4) + 2 C(s,3) as polynomials, so for every s."""
    import sympy

    from theory.step_coefficients import symbolic

    s = sympy.Symbol("s", integer=True, nonnegative=True)

    def choose(k: int) -> sympy.Expr:
        return sympy.ff(s, k) / sympy.factorial(k)

    published = {"W_O": s, "V": choose(2), "W": 3 * choose(4) + 2 * choose(3)}
    published["P"] = published["W"]
    for group, derived in symbolic().items():
        difference = sympy.expand(sympy.expand_func(derived - published[group]))
        yield equal(f"coefficient of {group} less the published one", difference, 0)
        at_s = sympy.Integer(step_coefficients(case.steps)[group])
        yield equal(f"coefficient of {group} after {case.steps} steps", at_s, derived.subs(s, case.steps))


def _orders(target: Target, case: StepsCase) -> Outcome:
    L = case.layers
    yield equal("orders", orders_by_layer(L), Starts(1, (2,) * L, (4,) * L, (4,) * L))
    yield equal("first steps", steps_by_layer(L), Starts(1, (2,) * L, (3,) * L, (3,) * L))


def _baselines(target: Target, case: LengthCase) -> Outcome:
    """The closed forms are the averages over the rows, summed one by one."""
    T, P = case.length, case.period
    diagonal = sum((fmpq(1, t) for t in range(1, T + 1)), fmpq(0)) / T
    yield equal("diagonal", baselines.mean_diagonal(T), diagonal)
    previous = sum((fmpq(1, t) for t in range(2, T + 1)), fmpq(0)) / T
    yield equal("previous", baselines.mean_previous(T), previous)
    distances = (fmpq(sum(range(t)), t) for t in range(1, T + 1))
    yield equal("distance", baselines.mean_distance(T), sum(distances, fmpq(0)) / T)
    yield equal("entropy", baselines.normalised_entropy(T), fmpq(T - 1, T))
    induction = sum((fmpq(1, t + 1) for t in range(P, T)), fmpq(0)) / (T - P)
    yield equal("induction", baselines.induction_score(P, T // P), induction)


def _baselines_symbolic(target: Target, case: LengthCase) -> Outcome:
    """SymPy's sums over the rows are the closed forms as expressions, so at every length; then at one."""
    import sympy

    from theory import baselines_symbolic

    T, P, r, H = baselines_symbolic.T, baselines_symbolic.P, baselines_symbolic.R, sympy.harmonic
    repeats = case.length // case.period
    forms = {
        "mean_diagonal": (H(T) / T, baselines.mean_diagonal(case.length)),
        "mean_previous": ((H(T) - 1) / T, baselines.mean_previous(case.length)),
        "mean_distance": ((T - 1) / 4, baselines.mean_distance(case.length)),
        "normalised_entropy": ((T - 1) / T, baselines.normalised_entropy(case.length)),
        "relative_diagonal": (sympy.Integer(1), baselines.relative_diagonal(case.length)),
        "induction_score": (
            (H(r * P) - H(P)) / ((r - 1) * P),
            baselines.induction_score(case.period, repeats),
        ),
    }
    for name, (form, in_use) in forms.items():
        summed = getattr(baselines_symbolic, name)()
        yield equal(f"{name} less its closed form", sympy.simplify(summed - form), 0)
        at_one = summed.subs({T: case.length, P: case.period, r: repeats}).doit()
        yield equal(f"{name} at T = {case.length}", fmpq(int(at_one.p), int(at_one.q)), in_use)


def _centring(target: Target, case: CorpusCase) -> Outcome:
    statistics = exact_by_corpus(case.tokens, case.vocab_size)
    ones, T = _ones(case.vocab_size), case.tokens.shape[1] - 1
    nothing = fmpq_mat(case.vocab_size, 1)
    yield equal("B_bar 1", statistics["B_bar"] * ones, nothing)
    yield equal("Phi_bar^T 1", statistics["Phi_bar"].transpose() * ones, nothing)
    yield equal("Phi_bar 1 - B_bar^T 1", (statistics["Phi_bar"] - _transposed(statistics)) * ones, nothing)
    yield equal("Q_bar 1", statistics["Q_bar"] * ones, nothing)
    yield equal("1^T Delta_bar", _ones(T).transpose() * statistics["Delta_bar"], fmpq_mat(1, 1))


def _transposed(statistics: dict[str, fmpq_mat]) -> fmpq_mat:
    return statistics["B_bar"].transpose()


def _uniform_part(target: Target, case: CorpusCase) -> Outcome:
    """(1/V) 1^T G_bar = 0: leaving out the uniform part of Y - 1/V in M changes nothing."""
    statistics = exact_by_corpus(case.tokens, case.vocab_size)
    got = _ones(case.vocab_size).transpose() * statistics["G_bar"]
    yield equal("1^T G_bar", got, fmpq_mat(1, case.vocab_size))


def _gram(target: Target, case: CorpusCase) -> Outcome:
    """Sigma_B = D C D with |C| <= 1, squared so that it stays rational: Cauchy-Schwarz, equality on C_ii."""
    statistics = exact_by_corpus(case.tokens, case.vocab_size)
    B, Sigma, V = statistics["B_bar"], statistics["Sigma_B"], case.vocab_size
    yield equal("Sigma_B", Sigma, B.transpose() * B)
    for i in range(V):
        norm = sum((B[r, i] * B[r, i] for r in range(V)), fmpq(0))
        yield equal(f"d^2[{i}]", Sigma[i, i], norm)
        for j in range(V):
            bounded = Sigma[i, j] * Sigma[i, j] <= Sigma[i, i] * Sigma[j, j]
            yield equal(f"|C[{i}, {j}]| <= 1", bounded, True)


def _independence(target: Target, case: RoomsCase) -> Outcome:
    for name, found in _what_is_shared(case):
        yield equal(name, found, [])


@cache
def _what_is_shared(case: RoomsCase) -> list[tuple[str, list[str]]]:
    """Neither room imports or repeats the other, and the third route knows neither."""
    sources = {room: sources_of(room) for room in (*case.rooms, case.third)}
    one, other = case.rooms
    return [
        (f"imports of {other} in {one}", imports_of(sources[one], [other])),
        (f"imports of {one} in {other}", imports_of(sources[other], [one])),
        (f"imports in {case.third}", imports_of(sources[case.third], case.rooms)),
        *(
            (f"functions that {a} and {b} share", shared_functions(sources[a], sources[b]))
            for a, b in combinations(sources, 2)
        ),
    ]


@cache
def _summed() -> dict[str, tuple[Any, ...]]:
    from theory import step_sums

    return step_sums.next_order()


def _next_order_sums(target: Target, case: StepsCase) -> Outcome:
    """SymPy sums the gains of every next-order direction; flint's polynomials in use must be the same.

    Two polynomials that agree at more points than their degree, at most 6, are equal.
    """
    import sympy

    from theory.step_sums import s as steps

    summed = _summed()
    for group, polynomials in COEFFICIENTS.items():
        yield equal(f"number of next terms of {group}", len(polynomials), len(summed[group]))
        for n, (used, shown) in enumerate(zip(polynomials, summed[group], strict=True)):
            degree = max(used.degree(), sympy.degree(shown, steps))
            yield equal(f"degree of term {n} of {group} is at most 6", degree <= 6, True)
            for s in (*range(8), case.steps):
                at_s = shown.subs(steps, s)
                name = f"{group}, order {ORDER[group]}, term {n}, after {s} steps"
                yield equal(name, used(s), fmpq(int(at_s.p), int(at_s.q)))


def _ones(size: int) -> fmpq_mat:
    return fmpq_mat(size, 1, [1] * size)


def _check(
    name: str,
    statement: str,
    law: Law,
    cases: Cases,
    evidence: Evidence,
    source: str,
    cost: int = 1,
    proof: Proof | Literal[""] = "",
) -> Check:
    return Check(f"theory.{name}", statement, source, cases, law, evidence=evidence, cost=cost, proof=proof)


CHECKS = (
    _check(
        "step_coefficients",
        "Summed with SymPy, the coefficients are s, C(s,2) and 3C(s,4) + 2C(s,3), for every s.",
        _closed_forms,
        STEPS,
        "proved",
        "paper, Thm. 4.1",
        proof="identity",
    ),
    _check(
        "orders",
        "From the gradients' factors, W_O, V, W and P move in every layer at the orders 1, 2, 4, 4 and the "
        "steps 1, 2, 3, 3 at the earliest.",
        _orders,
        STEPS,
        "proved",
        "paper, Thm. 4.1; derived here",
        proof="derivation",
    ),
    _check(
        "baselines",
        "The baselines of uniform attention are the averages over its rows.",
        _baselines,
        LENGTHS,
        "exact",
        "derived here",
    ),
    _check(
        "baselines_summed",
        "SymPy's sums over the rows of uniform attention are the closed forms, at every length.",
        _baselines_symbolic,
        LENGTHS,
        "proved",
        "derived here",
        proof="identity",
    ),
    _check(
        "centring",
        "B_bar, Phi_bar, Q_bar and Delta_bar sum to zero on their centred side, exactly.",
        _centring,
        SMALL_CORPORA,
        "exact",
        "derived here",
    ),
    _check(
        "uniform_part_drops_out",
        "The columns of G_bar sum to zero, so the uniform part drops out of Q_bar.",
        _uniform_part,
        SMALL_CORPORA,
        "exact",
        "derived here",
    ),
    _check(
        "gram",
        "Sigma_B is B_bar^T B_bar and its cosines lie in -1..1, exactly.",
        _gram,
        SMALL_CORPORA,
        "exact",
        "paper, eq. 10",
    ),
    _check(
        "next_order_sums",
        "Summed with SymPy, the coefficients of the next order are the polynomials in use, for every s.",
        _next_order_sums,
        STEPS,
        "proved",
        "derived here",
        8,
        proof="identity",
    ),
    _check(
        "independence",
        "Neither theory nor reference imports or repeats code of the other, and the third route has neither.",
        _independence,
        ROOMS,
        "exact",
        "derived here: what two routes must not share",
    ),
)

"""A slip in what makes a proof, or in what checks one, turns a check `proof.*` red and is named."""

import json
from dataclasses import replace

import numpy as np
import pytest
from breaking import broken
from hypothesis import strategies as st
from slipped_theory import slipped_theory

from properties.cases import Cases, DescentCase, SizesCase
from properties.laws import proof_routes
from properties.runner import run_mathematics
from properties.target import Target
from theory.certificate_check import check

CERTIFICATES, ROUTES = "properties.laws.certificates", proof_routes.__name__

# The kind of slip, module, what it says, what it says instead, the check, what its counterexample names.
MAKER = [
    ("coefficient", "step_polynomials",
     "VALUE = gathered(OUTPUT)",
     "VALUE = gathered(OUTPUT) * 2",
     "proof.leading_terms", "refuted: V, layer 0, order 2, entry [0, 0], after 2 steps: claimed"),
    ("sign", "model_series",
     "difference(constant(sequence.Y), run.p)",
     "difference(run.p, constant(sequence.Y))",
     "proof.leading_terms", "refuted: W_O, order 1, entry [0, 0], after 1 steps: claimed"),
    ("centring", "one_hot",
     "return self.Y - self.p0",
     "return self.Y",
     "proof.leading_terms", "refuted: W_O, order 1, entry [0, 0], after 1 steps: claimed"),
    ("centring of scores", "matrix",
     "(m - mean) / fmpq(t + 1)",
     "m / fmpq(t + 1)",
     "proof.leading_terms", "refuted: W, layer 0, order 4, entry"),
    ("layer index", "descent",
     "moved[L + 1 : 2 * L + 1]",
     "moved[L : 2 * L]",
     "proof.leading_terms", "refuted: W, layer 0, order 2, entry [0, 0], after 2 steps: claimed 0"),
    ("coefficient", "next_order",
     "gathered(OUTPUT * VALUE_NEXT[1])",
     "gathered(VALUE_NEXT[1])",
     "proof.next_order", "refuted: W, layer 0, order 5, entry"),
    ("sign", "next_order",
     "minus = fmpq(-1,",
     "minus = fmpq(1,",
     "proof.next_order", "refuted: W_O, order 2, entry [0, 0], after 2 steps: claimed"),
    ("message", "next_order",
     "one.X * output * minus",
     "one.U * output * minus",
     "proof.next_order", "refuted: W, layer 0, order 5, entry"),
    ("order of factors", "next_order",
     "[D * B * minus]",
     "[B * D * minus]",
     "proof.next_order", "refuted: W_O, order 2, entry [0, 1], after 2 steps: claimed"),
    ("centring", "matrix",
     "(m - mean) / fmpq(t + 1)",
     "m / fmpq(t + 1)",
     "proof.next_order", "refuted: W, layer 0, order 5, entry"),
    ("rate that changes", "descent",
     "step.rate))",
     "step.rate * len(history)))",
     "proof.step_degree", "W_O, layer 0, order 1, entry [0, 0]: found 1/60, right 0"),
    ("degree too low", "identities",
     "1 + largest[k - 1]",
     "largest[k - 1]",
     "proof.step_degree", "W_O, layer 0, order 1, entry [0, 0]: found 1/60, right 0"),
    ("layers below", "model_series",
     "            G,\n            product(received,",
     "            product(received,",
     "proof.next_order", "refuted: V, layer 0, order 3, entry [0, 0], after 2 steps: claimed"),
]  # fmt: skip

# Of what checks certificates: what it says => what it says instead | what is named.
PLAIN_DESCENT = """
row, weight / T, order + 1) => row, weight, order + 1) | W_O, layer 0, order 1
at = _moved(at, push, order + 1) => at = _moved(at, push, order) | order 5
g.left_shift(1) => g.left_shift(2) | W_O, layer 0, order 1
x + y for x, y in zip(h[t], _row_times(read[t] => x - y for x, y in zip(h[t], _row_times(read[t] | order
_row_times(read[t], at.V[layer], n) => _times_column(at.V[layer], read[t], n) | order
_row_times(read[t], at.V[layer], n) => _row_times(read[t], at.V[0], n) | order
A = _attention(h, at.W[layer], at.P[layer], n) => A = _attention(h, at.W[0], at.P[layer], n) | order
A = _attention(h, at.W[layer], at.P[layer], n) => A = _attention(h, at.W[layer], at.P[0], n) | order
_ONE if row[t + 1] == j else _ZERO) - p[j] => _ONE if row[t] == j else _ZERO) - p[j] | W_O, layer 0, order 1
_ONE if row[t + 1] == j else _ZERO) - p[j] => _ONE if row[t + 1] == j else _ZERO) | W_O, layer 0, order 1
_add_outer(push.W_O, h[t] => _add_outer(push.W_O, read[t] | W_O, layer 0, order 1
g.append(_times_column(at.W_O, R, n)) => g.append(_row_times(R, at.W_O, n)) | V, layer 0
for layer in reversed(range(L)): => for layer in range(L): | order
m = [_times_column(at.V[layer], g[t], n) => m = [_row_times(g[t], at.V[layer], n) | order
m = [_times_column(at.V[layer], g[t], n) => m = [_times_column(at.V[0], g[t], n) | order
_add_outer(push.V[layer], read[t] => _add_outer(push.V[layer], h[t] | V, layer 0, order 2
_add_outer(push.V[layer], read[t] => _add_outer(push.V[0], read[t] | V, layer 0, order 2
push.W[layer], push.P[layer] => push.W[layer], push.P[0] | P, layer 0, order 4
g = _upstream(g, A, m, slopes, h, at.W[layer], n) => g = _upstream(g, A, m, slopes, h, at.W[0], n) | order
g = _upstream(g, A, m, slopes, h, at.W[layer], n) => pass | order
_dot(queries[t], h[k], n) + P[t - k] => _dot(queries[t], h[k], n) | order
_dot(queries[t], h[k], n) + P[t - k] => _dot(queries[k], h[t], n) + P[t - k] | order
_dot(queries[t], h[k], n) + P[t - k] => _dot(queries[t], h[k], n) + P[k] | order
for k in range(t + 1)], n) for t => for k in range(len(h))], n) for t | order
own = _dot(m[t], read[t], n) => own = _dot(m[t], h[t], n) | W, layer 0, order 4
a.mul_low(_dot(m[t], h[k], n) - own, n) => _dot(m[t], h[k], n) - own | W, layer 0, order 4
P[t - k] = P[t - k] + slope => P[k] = P[k] + slope | P, layer 0, order 4
for x in h[t]], h[k], n) => for x in h[k]], h[t], n) | W, layer 0, order 4
below = [list(row) for row in g] => below = [[_ZERO] * V for row in g] | order
key_side = _row_times(h[t], W, n) => key_side = _times_column(W, h[t], n) | order
query_side = _times_column(W, h[k], n) => query_side = _row_times(h[k], W, n) | order
below[k][i] + A[t][k].mul_low(m[t][i], n) + => below[k][i] + | order
+ slopes[t][k].mul_low(key_side[i], n) =>  | order
below[t][i] = below[t][i] + => below[k][i] = below[k][i] + | order
whole = sum(weights[1:], weights[0]) => whole = sum(weights, weights[0]) | order
power = power / j => power = power / 2 | order
power = power / j => power = power | order
rest = _ONE - x / c => rest = x / c - _ONE | order
return total / c => return total | order 1
if a and b) => if a and b and a != b) | order
"""
PLAIN_STATISTICS = """
_positions(row, w / T, V) => _positions(row, w, V) | leading, W_O, direction 0, entry
int(row[t + 1] == j)) - fmpq(1, V) => int(row[t + 1] == j)) | leading, W_O
int(row[t + 1] == j)) - fmpq(1, V) => int(row[t] == j)) - fmpq(1, V) | leading, W_O
for token in seen), t + 1) => for token in seen), len(row) - 1) | leading, V, direction 0
seen = row[: t + 1] => seen = [row[t]]*(t+1) | leading, V
B[p.x][i] += p.share * p.u[i] => B[i][p.x] += p.share * p.u[i] | leading, W_O
K[i][p.x] += p.share => K[p.x][i] += p.share | next, V, direction 1
Phi[i][j] += p.share * p.u[i] * p.a[j] => Phi[j][i] += p.share * p.u[i] * p.a[j] | leading, V
Sigma = _product(_transposed(B), B) => Sigma = _product(B, _transposed(B)) | leading, W
[_flat(_product(_transposed(Phi), _transposed(B)))] => [_flat(_product(Phi, B))] | leading, V
_product(B_T, D, B, Phi), False => _product(B_T, D, B, Phi), True | next, W, direction 0
_product(Sigma, B_T, K_T) => _product(Sigma, B, K_T) | next, W, direction 1
_product(B, Sigma, Phi), True => _product(B, Sigma, Phi), False | next, W, direction 2
less = fmpq(-1, V) => less = fmpq(1, V) | next, W_O, direction 0
(pull[k] - mean) / (p.t + 1) => pull[k] / (p.t + 1) | leading, W
(pull[k] - mean) / (p.t + 1) => (pull[k] - mean) | leading, W
mean = sum(pull, fmpq(0)) / (p.t + 1) => mean = sum(pull, fmpq(0)) / len(p.u) | leading, W
by_tokens[p.x][token] += slope => by_tokens[token][p.x] += slope | leading, W
by_distance[p.t - k] += slope => by_distance[k] += slope | leading, P
_product(Phi_T, B_T, D) => _product(Phi_T, D, B_T) | next, V, direction 0
_product(K, B, B_T) => _product(K, B_T, B) | next, V, direction 1
"""
CHECKER = [
    (module, name, *line.replace(" | ", " => ").split(" => "))
    for module, name, lines in (
        ("plain_descent", "plain_descent", PLAIN_DESCENT),
        ("plain_statistics", "plain_directions", PLAIN_STATISTICS),
    )
    for line in lines.strip().splitlines()
]
SMALL = DescentCase(np.array([[0, 1, 2, 1], [2, 2, 0, 1]]), 3, layers=2, rate=0.0, steps=0)


def judged(laws, name, case=None):
    """The result of one check of a module of laws, on its ordinary case or another one."""
    (found,) = [one for one in laws.CHECKS if one.id == name]
    case = case or found.cases.ordinary
    once = replace(found, cases=Cases(st.just(case), case))
    return next(run_mathematics([once], profile="quick", seed=0))


@pytest.mark.parametrize(("kind", "module", "right", "wrong", "name", "told"), MAKER)
def test_a_slip_of_the_maker_is_refuted_at_its_first_order_and_entry(kind, module, right, wrong, name, told):
    using = ROUTES if name == "proof.step_degree" else CERTIFICATES
    case = SizesCase(2, 2, 2) if kind == "layers below" else None
    with slipped_theory(using, (module, right, wrong)) as laws:
        result = judged(laws, name, case)
    assert result.result == "failed", result.note
    assert told in result.counterexample["comparison"]


def test_the_maker_is_right_without_a_slip_and_the_room_is_as_before():
    import theory.certificates as before

    same = "VALUE = gathered(OUTPUT)"
    with slipped_theory(CERTIFICATES, ("step_polynomials", same, same)) as laws:
        assert laws.prove is not before.prove
        assert judged(laws, "proof.leading_terms", SizesCase(2, 1, 2)).result == "passed"
    import theory.certificates as after

    assert before is after


@pytest.mark.parametrize(("module", "name", "right", "wrong", "told"), CHECKER)
def test_a_slip_of_the_checker_is_named(monkeypatch, module, name, right, wrong, told):
    monkeypatch.setattr(proof_routes, name, getattr(broken(f"theory.{module}", right, wrong), name))
    # Not by the runner, which would shrink each.
    (found,) = [one for one in proof_routes.CHECKS if one.id == "proof.second_route"]
    wrong = [one.name for one in found.law(Target(object()), SMALL) if one.got != one.expected]
    assert wrong
    assert told in wrong[0]


def test_the_checker_is_right_without_a_slip():
    assert judged(proof_routes, "proof.second_route", SMALL).result == "passed"


OUTPUT, VALUE = "OUTPUT = gathered(fmpq_poly([1]))", "VALUE = gathered(OUTPUT)"
ATTENTION = "ATTENTION = gathered(OUTPUT * VALUE)"
POLYNOMIALS, SERIES = "step_polynomials", "model_series"
# Slips after which the maker proves what is false, because both of its sides have them.
BOTH_SIDES = {
    "gradient of V doubled": (
        "V, layer 0, order 2, entry [0, 0], after 2 steps: claimed",
        (SERIES, "V.append(product(h_T, received))", "V.append(total(*[product(h_T, received)] * 2))"),
        (POLYNOMIALS, VALUE, "VALUE = gathered(OUTPUT * 2)"),
    ),
    "uphill": (
        "W_O, layer 0, order 1, entry [0, 0], after 1 steps: claimed",
        (SERIES, "difference(constant(sequence.Y), run.p)", "difference(run.p, constant(sequence.Y))"),
        (POLYNOMIALS, OUTPUT, "OUTPUT = gathered(fmpq_poly([-1]))"),
        (POLYNOMIALS, VALUE, "VALUE = gathered(-OUTPUT)"),
        (POLYNOMIALS, ATTENTION, "ATTENTION = gathered(-OUTPUT * VALUE)"),
    ),
    "rate": (
        "W_O, layer 0, order 1, entry [0, 0], after 1 steps: claimed",
        ("descent", "_scaled(u[k - 1], rate)", "_scaled(u[k - 1], rate * 3)"),
        (POLYNOMIALS, OUTPUT, "OUTPUT = gathered(fmpq_poly([3]))"),
        (POLYNOMIALS, VALUE, "VALUE = gathered(OUTPUT * 3)"),
        (POLYNOMIALS, ATTENTION, "ATTENTION = gathered(OUTPUT * VALUE * 3)"),
    ),
    "the previous token is predicted": (
        "the polynomials of B_bar are not the recorded ones",
        ("one_hot", "one_hot(row[:-1], V), one_hot(row[1:], V)", "one_hot(row[1:], V), one_hot(row[:-1], V)"),
    ),
    "not centred": (
        "the polynomials of B_bar are not the recorded ones",
        ("one_hot", "[fmpq(1, V)] * (T * V)", "[fmpq(1, V + 1)] * (T * V)"),
    ),
    "shares": (
        "the polynomials of B_bar are not the recorded ones",
        ("symbolic_series", "weight * fmpq(1, length)", "weight * fmpq(1, length + 1)"),
    ),
    "order of the sequences": (
        "the polynomials of B_bar are not the recorded ones",
        ("symbolic_series", "product(range(vocab_size), repeat", "product(range(vocab_size)[::-1], repeat"),
    ),
    "powers": (
        "the polynomials of Phi_bar^T B_bar^T are not the recorded ones",
        ("certificates", "range(int(exponents[i]))", "range(1)"),
    ),
    "nothing compared": (
        "W, layer 0, order 4, entry [1, 0], after 2 steps: claimed",
        ("certificates", "if difference is not None:", "if False:"),
        (POLYNOMIALS, ATTENTION, "ATTENTION = gathered(OUTPUT * OUTPUT)"),
    ),
    "too few steps": (
        "W, layer 0, order 4, entry [1, 0], after 4 steps: claimed",
        ("certificates", "steps = range(1, step_degree(claim.order) + 1)", "steps = range(1, 4)"),
        ("certificates", "[0, *steps]", "[*range(claim.order + 1)]"),
        (POLYNOMIALS, ATTENTION, f"{ATTENTION} + fmpq_poly([0, -6, 11, -6, 1])"),
    ),
}


@pytest.mark.parametrize("what", BOTH_SIDES)
def test_what_the_maker_proves_wrongly_the_checker_refutes(what):
    told, *slips = BOTH_SIDES[what]
    # One position is enough for what W and P do not show, and sooner checked.
    length = 2 if told.startswith("W, ") or what == "powers" else 1
    with slipped_theory("theory.certificates", *slips) as maker:
        certificate = json.loads(json.dumps(maker.prove(2, length, 1)))
    outcome = check(certificate)
    assert not outcome.holds
    assert any(told in problem for problem in outcome.problems), outcome.problems

"""One slip in the theory turns the check of that law red, and the failure says what: order, entry, condition.

Each is tried on the check's ordinary case alone, without shrinking.
"""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import sympy
from breaking import break_in_place, forget
from hypothesis import strategies as st

from properties.cases import Cases
from properties.catalogue import CHECKS, select
from properties.connectors import connect
from properties.laws import certificates, mathematics, third_route
from properties.results import MATHEMATICS
from properties.runner import first_failure, run_mathematics
from properties.target import Target
from theory import step_sums

SLIPS = tomllib.loads((Path(__file__).parent / "theory_slips.toml").read_text(encoding="utf-8"))
EVERY = [tuple(row) for rows in SLIPS.values() for row in rows]


@pytest.fixture(autouse=True)
def _nothing_remembered():
    forget()
    yield
    forget()


def ordinary(name):
    """Return what a check finds on its ordinary case alone."""
    (check,) = select([name])
    case = check.cases.ordinary
    check = replace(check, cases=Cases(st.just(case), case))
    target = connect("reference") if check.needs else Target(object(), name=MATHEMATICS)
    return first_failure(check, target, profile="quick", seed=0)


@pytest.mark.parametrize(("module", "right", "wrong", "check", "told"), EVERY)
def test_a_slip_in_the_theory_is_refuted_where_it_first_shows(monkeypatch, module, right, wrong, check, told):
    break_in_place(monkeypatch, f"theory.{module}", right, wrong)
    result = ordinary(check)
    assert result.result == "failed", result.note
    assert told in result.counterexample["comparison"]


def test_every_law_of_the_mathematics_has_a_slip_that_refutes_it():
    held = {
        c.id for c in CHECKS if c.id.startswith("series.") or (c.id.startswith("bounds.") and not c.needs)
    }
    unproven = held - {row[3] for row in EVERY}
    assert not unproven, "no slip shows that these checks bite"


def test_the_third_route_disagrees_with_a_series_of_another_step_count(monkeypatch):
    right = third_route.descend
    monkeypatch.setattr(
        third_route, "descend", lambda t, V, L, steps, order: right(t, V, L, steps + 1, order)
    )
    result = next(run_mathematics(select(["series.third_route"]), profile="quick", seed=0))
    assert result.result == "failed"
    assert "eta^1 in W_O, layer 0" in result.counterexample["comparison"]


def test_a_sum_of_a_higher_degree_that_agrees_after_few_steps_is_refuted(monkeypatch):
    """Agreement at so many points proves nothing of a polynomial of a higher degree."""
    right = mathematics._summed()
    more = sympy.expand(sympy.ff(step_sums.s, 8))
    monkeypatch.setattr(mathematics, "_summed", lambda: {**right, "W_O": (right["W_O"][0] + more,)})
    result = ordinary("theory.next_order_sums")
    assert result.result == "failed", result.note
    assert "degree of term 0 of W_O" in result.counterexample["comparison"]


# The route's own slips: in the model and in the derivative.
OF_THE_ROUTE = [
    ('[sum(h[t][i] * at["W", layer, i, j]', '[sum(h[t][i] * at["W", layer, j, i]', "eta^4 in W, layer 0"),
    ('exp(z + at["P", layer, t - k, 0])', 'exp(z - at["P", layer, t - k, 0])', "eta^4 in P, layer 0"),
    ("arb_series([value, 1], 2)", "arb_series([value, 2], 2)", "eta^1 in W_O, layer 0"),
]


@pytest.mark.parametrize(("right", "wrong", "told"), OF_THE_ROUTE)
def test_a_slip_in_the_third_route_is_told_by_the_series(monkeypatch, right, wrong, told):
    break_in_place(monkeypatch, "properties.arbitrary_precision", right, wrong)
    result = ordinary("series.third_route")
    assert result.result == "failed", result.note
    assert told in result.counterexample["comparison"]


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("arb(0)).sqrt()", "arb(0))", "exponent of W_O = 1, got 2"),
        (
            "abs(slope - nearest), bound",
            "abs(slope - nearest) + 1, bound",
            "exponent from 1 within its bound",
        ),
        ("(1 + share) / (1 - share)", "(1 + share / 2**60) / (1 - share / 2**60)", "exponent from 1 within"),
    ],
)
def test_an_exponent_is_held_to_its_bound(monkeypatch, right, wrong, told):
    break_in_place(monkeypatch, "properties.laws.third_route", right, wrong)
    result = ordinary("series.third_route")
    assert result.result == "failed", result.note
    assert told in result.counterexample["comparison"]


def test_a_wrong_identity_makes_the_proof_a_refutation(monkeypatch):
    from theory import identities

    right = identities.identities

    def doubled(kind):
        return [
            replace(claim, coefficients=[2 * c for c in claim.coefficients]) if claim.group == "V" else claim
            for claim in right(kind)
        ]

    from theory.certificates import prove

    monkeypatch.setattr(certificates, "prove", lambda *sizes: prove(*sizes, claims=doubled(sizes[-1])))
    certificates.certified.cache_clear()
    result = next(run_mathematics(select(["proof.leading_terms"]), profile="quick", seed=0))
    certificates.certified.cache_clear()
    assert result.result == "failed"
    # Shrunk to one word, where no corpus sees the amount and the recursion does.
    assert "V, order 2: the step polynomial of" in result.counterexample["comparison"]

"""A slip in the theory's own closed forms turns the exact check of that law red, and says where."""

from dataclasses import replace

import pytest
from breaking import broken

from properties.catalogue import select
from properties.laws import certificates, series, third_route
from properties.runner import run_mathematics

# Module, the line, the slip, the check that must go red, and what its counterexample must name.
SLIPS = [
    (
        "leading_terms",
        "* fmpq(step_coefficients(steps)[group])",
        "* fmpq(step_coefficients(steps)[group] + 1)",
        "series.leading_terms",
        "order 1",
    ),
    (
        "leading_terms",
        "leading_directions(statistics)[group] *",
        "leading_directions(statistics)[group].transpose() *",
        "series.leading_terms",
        "order 1, entry [0, 1]",
    ),
    (
        "ablation",
        'through = {"W_O": 1, "V": c["W_O"]',
        'through = {"W_O": 1, "V": 1',
        "series.ablation",
        "order 3",
    ),
    (
        "ablation",
        'ORDER = {"W_O": 1, "V": 3, "W": 7',
        'ORDER = {"W_O": 1, "V": 2, "W": 7',
        "series.ablation",
        "order 2",
    ),
    ("layer_separation", 'ORDER = {"V": 4', 'ORDER = {"V": 3', "series.layer_separation", "order 3"),
    (
        "conserved",
        "a * fmpq_mat(a.ncols(), 1,",
        "a.transpose() * fmpq_mat(a.nrows(), 1,",
        "series.conserved",
        "order",
    ),
]


@pytest.mark.parametrize(("module", "right", "wrong", "check", "told"), SLIPS)
def test_a_slip_in_a_law_is_refuted_where_it_first_shows(module, right, wrong, check, told):
    slipped = broken(f"theory.laws.{module}", right, wrong)
    # The law holds its module's check function: build it again around the slipped one.
    law = series.exactly(slipped.check, *MORE.get(module, ()), **LAYERS.get(module, {}))
    rebuilt = [replace(entry, law=law) for entry in select([check])]
    results = list(run_mathematics(rebuilt, profile="quick", seed=0))
    assert [result.result for result in results] == ["failed"]
    assert told in results[0].counterexample["comparison"]


MORE = {"conserved": (5,)}
LAYERS = {"layer_separation": {"layers_at_least": 2}}


def test_the_third_route_disagrees_with_a_series_of_another_step_count(monkeypatch):
    right = third_route.descend
    monkeypatch.setattr(
        third_route, "descend", lambda t, V, L, steps, order: right(t, V, L, steps + 1, order)
    )
    result = next(run_mathematics(select(["series.third_route"]), profile="quick", seed=0))
    assert result.result == "failed"
    assert "eta^1 in W_O, layer 0" in result.counterexample["comparison"]


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

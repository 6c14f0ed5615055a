"""Certificates: proofs close, wrong claims are refuted where they first fail, forgeries are found out."""

import json
from dataclasses import replace
from typing import Any

import pytest
from certificate_edits import Edit, change, edited, of, resealed
from flint import fmpq_poly

from theory import certificate_check, plain_descent
from theory.certificate_check import Check, check
from theory.certificate_format import as_text, from_text
from theory.certificates import Certificate, Refuted, prove
from theory.identities import Identity, identities, step_degree
from theory.step_polynomials import LEADING


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    """As it would come back from a file."""
    loaded: Certificate = json.loads(json.dumps(prove(2, 2, 1)))
    return loaded


@pytest.mark.parametrize(("V", "T", "L"), [(2, 2, 1), (2, 2, 2), (2, 3, 2)])
def test_leading_terms_are_proved_for_every_corpus(V: int, T: int, L: int) -> None:
    made = prove(V, T, L)
    assert made["symbols"] == V ** (T + 1)
    assert {one["group"]: one["layers"] for one in made["identities"]} == {"W_O": 1, "V": L, "W": L, "P": L}
    assert all(direction["terms"] > 0 for one in made["identities"] for direction in one["directions"])


def test_the_next_order_is_proved_for_every_corpus() -> None:
    assert [one["order"] for one in prove(2, 2, 2, "next")["identities"]] == [2, 3, 5, 5]


@pytest.mark.deep
@pytest.mark.parametrize(
    ("V", "T", "L", "kind"),
    [
        (2, 2, 2, "next"),
        (2, 3, 1, "leading"),
        (2, 3, 2, "leading"),
        (3, 2, 1, "leading"),
        (3, 2, 2, "leading"),
        (2, 3, 2, "next"),
    ],
)
def test_larger_certificates_are_made_and_checked(V: int, T: int, L: int, kind: str) -> None:
    outcome = check(prove(V, T, L, kind))
    assert outcome.holds, outcome.problems


@pytest.mark.parametrize("layers", [1, 2])
def test_a_certificate_is_checked_by_running_corpora(layers: int) -> None:
    outcome = check(prove(2, 2, layers))
    assert outcome.holds, outcome.problems
    # All corpora of 1 to 4 of the 8 sequences, about half of them up to renaming the two tokens.
    assert outcome.corpora_covered == 494
    assert 494 / 2 <= outcome.corpora_run < 300


def changed(group: str, **fields: Any) -> list[Identity]:
    return [replace(one, **fields) if one.group == group else one for one in identities("leading")]


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        (changed("V", coefficients=(LEADING["V"] * 2,)), "V, layer 0, order 2, entry [0, 0], after 2 steps"),
        (changed("W", coefficients=(-LEADING["W"],)), "W, layer 0, order 4, entry [0, 0], after 3 steps"),
        (
            changed("P", coefficients=(LEADING["W"] + fmpq_poly([0, -6, 11, -6, 1]),)),
            "P, layer 0, order 4, entry [0, 0], after 4 steps",
        ),
        (
            changed("W", order=3, vanishing=(0, 1, 2), coefficients=(LEADING["V"],)),
            "W, layer 0, order 3, entry [0, 0], after 2 steps",
        ),
        (changed("V", order=3, vanishing=(0, 1, 2)), "V, layer 0, order 2, entry [0, 0], after 2 steps"),
    ],
    ids=["doubled", "sign", "right for three steps only", "an order too early", "an order too late"],
)
def test_a_wrong_claim_is_refuted_where_it_first_fails(claims: list[Identity], message: str) -> None:
    with pytest.raises(Refuted) as refused:
        prove(2, 2, 2, claims=claims)
    assert str(refused.value).startswith(message)


def test_an_edited_certificate_does_not_match_its_digest(certificate: Certificate) -> None:
    forged = edited(certificate, change("identities.1.directions.0.terms", 65))
    assert check(forged).problems == ("the certificate's own digest does not match its contents",)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            lambda c: of(c, "V").update(coefficients=[["0", "-1", "1"]]),
            "V, layer 0, order 2, entry [0, 0], after 2 steps",
        ),
        (lambda c: of(c, "W").update(coefficients=[[]]), "W, layer 0, order 4, entry [1, 0], after 3 steps"),
        (lambda c: of(c, "W")["directions"][0].update(sha256="0" * 64), "the polynomials of Q_bar are not"),
        (lambda c: of(c, "P")["directions"][0].update(terms=1), "the polynomials of Delta_bar are not"),
    ],
)
def test_a_forged_certificate_is_found_out(certificate: Certificate, edit: Edit, message: str) -> None:
    outcome = check(resealed(certificate, edit))
    assert not outcome.holds
    assert message in outcome.problems[0]


def test_renamed_tokens_are_followed_around() -> None:
    """Three words: a renaming and its inverse are not the same."""
    outcome = check(prove(3, 1, 1))
    assert outcome.holds, outcome.problems
    assert outcome.corpora_covered == 714


def test_a_lower_order_that_does_not_vanish_is_found(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def descent(*arguments: Any) -> list[plain_descent.PlainParameters]:
        history = plain_descent.plain_descent(*arguments)
        for at in history[2:]:
            at.W[0][1][0] = at.W[0][1][0] + fmpq_poly([0, 0, 0, 7])
        return history

    monkeypatch.setattr(certificate_check, "plain_descent", descent)
    (problem,) = check(certificate).problems
    told = "W, layer 0, order 3, entry [1, 0], after 2 steps: claimed 0, found 7 (corpus [[0, 0, 0]])"
    assert problem == told


def test_nothing_run_is_nothing_shown() -> None:
    assert not Check((), 0, 0).holds


@pytest.mark.parametrize(
    ("sizes", "group", "told"),
    [
        ((2, 1, 2), "W", "after 1 steps, the recursion of the descent 0"),
        ((1, 2, 1), "V", "is 1/2 after 1 steps"),
    ],
)
def test_an_amount_of_nothing_is_held_to_the_recursion(
    sizes: tuple[int, int, int], group: str, told: str
) -> None:
    """With one position W and P do not move, with one word nothing does: no corpus sees a wrong amount."""
    made = json.loads(json.dumps(prove(*sizes)))
    outcome = check(made)
    assert outcome.holds
    assert outcome.empty == (("W", "P") if sizes[0] > 1 else ("W_O", "V", "W", "P"))
    wrong = ["0", "1"] if group == "W" else ["0", "0", "1/2"]
    forged = resealed(made, lambda c: of(c, group).update(coefficients=[wrong]))
    outcome = check(forged)
    assert not outcome.holds
    (problem,) = outcome.problems
    assert problem.startswith(f"{group}, order {of(made, group)['order']}: the step polynomial of")
    assert told in problem


def test_every_amount_of_the_next_order_is_held_to_the_recursion() -> None:
    made = json.loads(json.dumps(prove(1, 1, 1, "next")))
    assert check(made).holds
    amounts = [(n, j) for n, one in enumerate(made["identities"]) for j in range(len(one["coefficients"]))]
    assert len(amounts) == 9
    for n, j in amounts:
        (problem,) = check(resealed(made, change(f"identities.{n}.coefficients.{j}", ["0", "1"]))).problems
        assert made["identities"][n]["directions"][j]["name"] in problem


@pytest.mark.parametrize("order", range(7))
def test_the_degree_in_s_is_at_most_the_order(order: int) -> None:
    assert step_degree(order) == order


def test_step_polynomials_survive_text() -> None:
    for p in LEADING.values():
        assert from_text(as_text(p)) == p


def test_unknown_kinds_and_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="of the kinds leading, next"):
        prove(2, 2, 1, "other")
    with pytest.raises(ValueError, match="1 or more"):
        prove(0, 2, 1)
    with pytest.raises(ValueError, match="a proof is possible up to"):
        prove(9, 9, 1)
    with pytest.raises(ValueError, match="higher degree than any"):
        prove(2, 2, 1, claims=changed("V", coefficients=(LEADING["W"],)))
    with pytest.raises(ValueError, match="a number of layers of 1 or more is needed"):
        prove(2, 2, 0)

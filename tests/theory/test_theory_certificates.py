"""Certificates: proofs close, wrong claims are refuted where they first fail, forgeries are found out."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flint import fmpq_poly

from theory.certificate_check import check
from theory.certificate_format import sealed
from theory.certificates import Certificate, Refuted, prove
from theory.identities import Identity, identities, step_degree
from theory.step_polynomials import LEADING, as_text, from_text


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


def resealed(made: Certificate, edit: Callable[[Certificate], None]) -> Certificate:
    """A forgery: edited, then given a fresh digest of its own."""
    forged = copy.deepcopy(made)
    edit(forged)
    return sealed({key: value for key, value in forged.items() if key != "sha256"})


def of(made: Certificate, group: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in made["identities"] if one["group"] == group)
    return found


def test_an_edited_certificate_does_not_match_its_digest(certificate: Certificate) -> None:
    edited = copy.deepcopy(certificate)
    of(edited, "V")["directions"][0]["terms"] += 1
    assert check(edited).problems == ("the certificate's own digest does not match its contents",)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            lambda c: of(c, "V").update(coefficients=[["0", "-1", "1"]]),
            "V, layer 0, order 2, entry [0, 0], after 2 steps",
        ),
        (
            lambda c: of(c, "W").update(coefficients=[["0"]]),
            "W, layer 0, order 4, entry [1, 0], after 3 steps",
        ),
        (lambda c: of(c, "W")["directions"][0].update(sha256="0" * 64), "the polynomials of Q_bar are not"),
        (lambda c: of(c, "P")["directions"][0].update(terms=1), "the polynomials of Delta_bar are not"),
        (lambda c: c["identities"].pop(), "one for each of"),
        (lambda c: of(c, "W").update(order=5), "the orders are not those of the statement"),
        (lambda c: of(c, "W").update(vanishing_orders=[0]), "the orders are not those of the statement"),
        (lambda c: of(c, "W")["directions"][0].update(name="B_bar"), "the directions are not those"),
        (lambda c: of(c, "W")["steps_compared"].pop(), "the degree in s is not"),
        (lambda c: of(c, "W").update(layers=2), "it must speak of 1 layers"),
        (lambda c: c.update(statement="Everything."), "the statement is not the one"),
        (lambda c: c["sizes"].update(layers=2), "the statement is not the one"),
        (lambda c: c["sizes"].update(length=0), "no such sizes"),
        (lambda c: c["sizes"].update(length=10**9), "too many sequences"),
        (lambda c: c["sizes"].update(layers=10**9), "layers are too many"),
        (lambda c: c["sizes"].update(vocab_size=float("inf")), "no whole number"),
        (lambda c: of(c, "W").update(order=None), "no whole number"),
        (lambda c: of(c, "W").pop("steps_compared"), "not a certificate"),
        (lambda c: of(c, "W").update(directions=[{}]), "not a certificate"),
        (lambda c: c["sizes"].update(vocab_size=6, length=3), "corpora would have to be run"),
        (lambda c: c.update(kind="other"), "no such sizes or kind"),
        (lambda c: c.update(format=99), "of format 1"),
        (lambda c: c.pop("identities"), "not a certificate"),
        (lambda c: of(c, "V").update(coefficients=[["x"]]), "not a certificate"),
    ],
)
def test_a_forged_certificate_is_found_out(
    certificate: Certificate, edit: Callable[[Certificate], None], message: str
) -> None:
    outcome = check(resealed(certificate, edit))
    assert not outcome.holds
    assert any(message in problem for problem in outcome.problems), outcome.problems


def test_what_is_no_certificate_is_said_to_be_none() -> None:
    assert not check({}).holds
    assert not check({"certificate": "leadterms", "format": 1, "sizes": None}).holds


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
    with pytest.raises(ValueError, match="65 layers are too many"):
        prove(1, 1, 65)
    with pytest.raises(ValueError, match="higher degree than any"):
        prove(2, 2, 1, claims=changed("V", coefficients=(LEADING["W"],)))
    with pytest.raises(ValueError, match="layers must be 1 or more"):
        prove(2, 2, 0)

"""What is proved says how: by a certificate, by an identity, or by a derivation that no machine checks."""

from dataclasses import replace

import pytest

from paper_checks.ledger.decide import by_checks
from properties.catalogue import CHECKS
from properties.results import PROOFS, Result
from properties.runner import run_mathematics

PROVED = {check.id: check for check in CHECKS if check.evidence == "proved"}


def test_only_what_is_certified_is_proved_by_a_certificate():
    assert {name for name, check in PROVED.items() if check.proof == "certificate"} == {
        "proof.leading_terms",
        "proof.next_order",
    }
    bounds = [check for name, check in PROVED.items() if name.endswith("_proved")]
    assert bounds
    assert {check.proof for check in bounds} == {"derivation"}
    assert {check.proof for check in CHECKS if check.id not in PROVED} == {""}


@pytest.mark.parametrize("fields", [{"proof": ""}, {"proof": "belief"}, {"evidence": "exact"}])
def test_a_proof_that_does_not_say_how_is_no_check(fields):
    with pytest.raises(ValueError, match="is held by"):
        replace(PROVED["proof.leading_terms"], **fields)


def test_a_result_says_how_its_law_is_proved():
    (found,) = run_mathematics([PROVED["theory.orders"]], profile="quick", seed=0)
    assert (found.result, found.evidence, found.proof) == ("passed", "proved", "derivation")


def test_a_claim_is_proved_as_its_weakest_check_is():
    results = [Result(proof, "theory", "passed", "", "", "proved", proof) for proof in PROOFS]
    assert by_checks(results).computed == "as stated, proved by derivation"
    assert by_checks(results[:1]).computed == "as stated, proved by certificate"

"""The kit's size and reach: so many laws, in these families, and an answer to each thing a kit must test."""

import re
from collections import Counter

import pytest

from paper_checks.ledger.book import sources
from paper_checks.prediction.published import published_numbers
from paper_checks.report.families import FAMILIES
from properties.catalogue import CHECKS
from properties.target import METHODS

FEWEST = 60
LAWS = [check for check in CHECKS if check.needs]


def test_there_are_at_least_sixty_laws_on_implementations_each_of_its_own():
    assert len(LAWS) >= FEWEST
    assert len({check.statement for check in LAWS}) == len(LAWS)
    assert len({(check.law, check.cases.ordinary is None) for check in LAWS}) == len(LAWS)


def test_every_family_is_described_and_every_method_has_laws():
    assert {check.id.split(".")[0] for check in CHECKS} <= FAMILIES.keys()
    laws = Counter(method for check in LAWS for method in check.needs)
    assert min(laws[method] for method in METHODS) >= 2


def test_a_source_is_named_so_that_it_can_be_looked_up():
    """By its key in the ledger, by authors and year, or as derived here."""
    known = {*sources(), "derived here", "Elhage et al. 2021"}
    named = [check.source for check in CHECKS] + [one.source for one in published_numbers()]
    firsts = {re.split(r"[,;:]", one)[0] for one in named}
    assert firsts <= known, firsts - known


ANSWERED = {
    "row and column sums of every statistic": [
        *(
            f"statistics.{name}"
            for name in ("B_bar_rows", "B_bar_columns", "Phi_bar_columns", "G_bar_columns")
        ),
        *(f"statistics.{name}" for name in ("G_bar_rows", "Sigma_B_rows", "Q_bar_rows", "Q_bar_columns")),
        "statistics.Sigma_B_symmetric",
        "statistics.Delta_bar_sums_to_zero",
    ],
    "Phi_bar's row sums and B_bar's column sums": ["statistics.Phi_bar_rows_and_B_bar_columns"],
    "merging corpora": ["statistics.merged", "statistics.sequence_by_sequence"],
    "repeating and permuting sequences, renaming tokens": [
        *("statistics.repeated", "statistics.reordered", "statistics.renamed"),
    ],
    "unseen tokens, and padding that is none": ["statistics.unseen_words", "statistics.renamed"],
    "T = 1": ["statistics.one_position"],
    "V = 1 or 2": ["statistics.one_word", "statistics.two_words"],
    "one sequence": ["statistics.sequence_by_sequence"],
    "one repeated token": ["statistics.repeated_word"],
    "ties": ["statistics.ties", "softmax.ties", "softmax.equal_logits", "heads.ties_profile"],
    "exact rationals": [
        *(f"statistics.{name}" for name in ("B_bar", "Phi_bar", "Sigma_B", "G_bar", "Q_bar", "Delta_bar")),
        *("first_step.W_O", "descent.series"),
    ],
    "causality": ["model.causal", "model.attention_rows"],
    "gradient against finite differences": ["gradients.slope"],
    "gradient against the series": ["gradients.series"],
    "every conserved quantity": ["conserved.W_O_rows", "conserved.P_sum", "conserved.first_W_rows"],
    "step scaling": ["scaling.W_O", "scaling.V", "scaling.W", "scaling.P"],
    "layers agreeing to the proved order": ["layers.V", "layers.W", "layers.P"],
    "projection removal": [
        *("projection.idempotent", "projection.orthogonal", "projection.scale_free"),
        *("projection.zero_direction", "projection.formula"),
    ],
    "head profile on known maps": [
        *("uniform.head_profile", "heads.one_hot_maps", "heads.perfect_induction_profile"),
    ],
    "induction score on known maps": [
        *("uniform.induction_score", "heads.induction_extremes", "heads.previous_token_induction"),
    ],
    "composition score bounds and invariances": [
        *("composition.formula", "composition.extremes", "composition.scale_free"),
        *("composition.basis_free", "composition.reversed"),
    ],
}


@pytest.mark.parametrize("what", ANSWERED)
def test_what_a_kit_must_test_is_answered_by_a_check(what):
    assert set(ANSWERED[what]) <= {check.id for check in LAWS}

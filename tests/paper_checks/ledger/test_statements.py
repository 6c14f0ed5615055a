"""What a claim states is a sentence, and what was found of it can be read alone."""

import re
from io import StringIO

import pytest
from planted import claim_of
from rich.console import Console

from paper_checks.ledger.book import _claim, claims
from paper_checks.ledger.claim import Claim
from paper_checks.ledger.decide import decide
from paper_checks.ledger.finding import compared
from paper_checks.ledger.setting import Setting
from paper_checks.ledger.show import show_one, show_table
from reference.errors import InputError

# Finite verbs of the statements that are no nouns in them: a statement with another verb adds it here.
VERBS = re.compile(
    r"\b(is|are|was|were|has|have|had|do|does|can|cannot|could|must|may|add|adds|agree|agrees|align"
    r"|appear|attend|attends|carry|carries|change|changes|choose|coincide|come|comes|depends"
    r"|describe|describes|differ|differs|doubles|estimated|fall|falls|follow|follows|gathers|gives"
    r"|go|goes|implement|include|keep|lie|lies|lowers|make|makes|matter|matters|needs|outputs"
    r"|precede|predicts|puts|raises|read|say|says|see|sees|share|shows|speak|starts|stay|subtracts"
    r"|sums|takes|trains|uses|weighs)\b"
)
FRAGMENTS = (
    "The harmonic number H_128.",
    "The mean loss increase of a layer's four heads, in both layers, and their ratio.",
    "For five pairs, the sum of the single increases and the interaction that is left of the joint one.",
    "Neighbours of fish: bigram swam, swimming, named; interchangeable park, little; context whale, water.",
    "One-hot inputs; a causal mask, row softmax, h <- h + A h V; logits h W_O.",
    "The diagonal at punctuation over that elsewhere, for each of the eight heads.",
)
BLANK = Claim("x", "paper", "1", "t", "It is.", "2", ("a.b",), numbers={"a": "2"})


def is_a_sentence(text):
    """Return whether it begins and ends as one, and has a verb outside of its relative clauses."""
    begins = re.match(r"[A-Z0-9|(]|[a-z](_\w+)?\b", text) and not re.match(r"[a-z]{2,} ", text)
    main = re.sub(r"\b(that|which|who|whose|where|as) (\w+)", "", text.lower())
    return bool(begins and re.search(r"[^.]\.$", text) and (VERBS.search(main) or " = " in text))


@pytest.mark.parametrize("text", FRAGMENTS)
def test_a_fragment_is_no_sentence(text):
    assert not is_a_sentence(text)
    assert not is_a_sentence("the loss is 2.")
    assert not is_a_sentence("The loss is 2")


def test_every_statement_is_a_sentence():
    assert [claim.statement for claim in claims() if not is_a_sentence(claim.statement)] == []


def test_a_computed_number_is_told_with_what_it_is():
    assert compared(BLANK, {"a": 3}).computed == "a 3"
    told = Claim(**{**vars(BLANK), "words": {"a": "{} steps"}})
    assert compared(told, {"a": 3}).computed == "3 steps"


@pytest.mark.parametrize("words", [{"b": "{} steps"}, {"a": "steps"}, {"a": "{} of {}"}])
def test_words_for_no_number_or_without_a_place_for_it_are_refused(words):
    entry = {"id": "x", "source": "paper", "section": "1", "statement": "It is.", "stated": "2"}
    with pytest.raises(InputError, match="need one"):
        _claim("here", "t", {**entry, "numbers": {"a": "2"}, "checks": ["a.b"], "words": words})


@pytest.mark.parametrize("quoted", [{"fact": "It is."}, {"work": "A work"}, {"said": "It is.", "work": "A"}])
def test_what_is_quoted_is_a_fact_or_a_theorem_with_its_work(quoted):
    entry = {"id": "x", "source": "paper", "section": "1", "statement": "It is.", "stated": "2"}
    with pytest.raises(InputError, match="a fact or a theorem"):
        _claim("here", "t", {**entry, "checks": ["a.b"], "quoted": quoted})


def test_what_is_only_implied_says_by_what_and_not_as_if_it_were_stated():
    implied = [claim for claim in claims() if claim.implied]
    assert all(claim.implied.startswith("by ") for claim in implied)
    assert [claim.id for claim in claims() if "impli" in claim.stated] == []
    assert sum(claim.source == "paper" for claim in implied) == 11
    (one,) = decide([claim_of("paper-perhead-g")], Setting())
    console = Console(width=80, record=True, file=StringIO())
    show_one(one, console)
    show_table([one], console)
    told = console.export_text()
    assert "implied    the same matrix (by the scripts)" in told
    assert "refuted †" in told
    assert "† No sentence says it" in told
    assert "  stated  " not in told.split("again")[0]
    assert one.as_row()["implied"] == "by the scripts"

"""Every claim is decided, by what it names; its numbers are compared, each of them; links go both ways."""

import re
from contextlib import nullcontext
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from links import broken_links

from paper_checks.ledger.book import claims, sources
from paper_checks.ledger.decide import decide, found, weakest_of
from paper_checks.ledger.finding import VERDICTS, NotGiven
from paper_checks.ledger.printed import decimal
from paper_checks.ledger.registry import Computation, computations
from paper_checks.ledger.setting import Setting
from properties.catalogue import CHECKS
from properties.claimed import CLAIMS
from properties.results import Evidence, read_run
from reference.sequences import build_corpus
from reference.tokenizers import tokenizer

SETTING = Setting()
# What was decided when the report under docs/ was written: no slip may change a verdict and stay unseen.
EXAMPLE = Path(__file__).resolve().parents[3] / "docs" / "report" / "results.jsonl"
KEPT = {row["id"]: row for row in read_run(EXAMPLE).claims}
AGAIN = "another verdict, value or reason than is kept in docs; where it is meant, `make example` keeps it"
UNTRUE = ("refuted", "inconclusive", "not_run")
NUMERIC = [claim for claim in claims() if claim.numbers]


def found_or_skip(claim):
    try:
        return found(claim, SETTING)
    except NotGiven as missing:
        pytest.skip(f"needs {missing}")


def leaves(value, path=()):
    """Yield the path and the text of every number in nested mappings and lists."""
    if isinstance(value, str):
        yield path, value
    else:
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(one, (*path, key))


def changed(value, path, text):
    """Return `value` with the leaf at `path` replaced."""
    if not path:
        return text
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(copy[path[0]], path[1:], text)
    return copy


def off_by_two_units(text):
    """Return a printed number with its last digit changed by two, so that no rounding can reach it."""
    number = decimal(text)
    other = number + Decimal(2).scaleb(number.as_tuple().exponent)
    return f"{other.scaleb(2):f}%" if text.strip().endswith("%") else f"{other:f}"


def test_claims_and_checks_name_each_other():
    assert set(CLAIMS) <= {check.id for check in CHECKS}
    assert broken_links(claims(), CHECKS, computations().values()) == []


def test_a_link_that_is_not_there_both_ways_is_found():
    (first, *_) = claims()
    unknown = replace(first, checks=("no.such_check",))
    assert any("does not exist" in one for one in broken_links([unknown], CHECKS, []))
    one_way = replace(first, id="nobody-names-this", checks=(CHECKS[0].id,))
    assert any("does not name it" in one for one in broken_links([one_way], CHECKS, []))
    assert any("Nothing decides" in one for one in broken_links([replace(first, checks=())], [], []))
    two = [Computation(name, (first.id,), lambda claim, setting: None) for name in ("a.one", "a.two")]
    told = broken_links([replace(first, checks=("a.one", "a.two"))], [], two)
    assert told == [f"{first.id} has two computations; one decides."]
    one = replace(first, checks=("a.one",))
    assert broken_links([one], [], two[:1]) == []
    assert broken_links([one], [], two) == [f"a.two names {first.id}, which does not name it."]
    stray = Computation("a.two", ("no-such-claim",), lambda claim, setting: None)
    told = ["a.two names the claim no-such-claim, which does not exist."]
    assert broken_links([one], [], [two[0], stray]) == told


@pytest.mark.parametrize("claim", claims(), ids=lambda claim: claim.id)
def test_every_claim_is_decided(claim):
    (decided,) = decide([claim], SETTING)
    finding = decided.finding
    assert claim.source in sources()
    assert set(claim.also) <= set(sources())
    assert finding.verdict in VERDICTS
    order = Evidence.__args__  # from the strongest to the weakest
    assert finding.evidence in order
    if finding.verdict not in ("not_run", "refuted"):  # one case refutes, whatever holds it in others
        suite = [SETTING.result(name).evidence for name in claim.checks if name not in computations()]
        assert all(order.index(finding.evidence) >= order.index(one) for one in suite)
    assert decided.command
    if finding.verdict != "not_run":  # what was found is read without the source beside it
        assert " " in finding.computed
        assert re.search(r"[a-z]{2}| = ", finding.computed), "a number has a name or a unit"
    assert finding.verdict == KEPT[claim.id]["verdict"], AGAIN
    own = any(name in computations() for name in claim.checks)
    if own and finding.evidence != "measured":  # laws alone say on how many cases, and noise has last digits
        row = decided.as_row()
        for part in ("computed", "right", "derivation", "convention"):
            assert row[part] == KEPT[claim.id][part], AGAIN
    if finding.verdict == "refuted":
        assert finding.derivation, "a refutation says why"
    if decided.strength.words == "by arithmetic alone":
        assert own, "a law that was tried on cases is no arithmetic"
    # Who is cited for what was found is quoted: a name and a year stand in no finding without it.
    cited = re.search(r"\bet al\b|[A-Z][a-z]+,? (19|20)\d\d\b", f"{finding.computed} {finding.derivation}")
    assert bool(claim.quoted) or not cited, cited
    if claim.quoted:
        assert finding.evidence == "quoted"
        assert claim.quoted["work"] in decided.strength.words
        assert claim.quoted["work"] in finding.derivation
    if finding.verdict == "not_run":
        assert claim.needs not in ("nothing", "small corpus")
        assert claim.run_with, "what is not run says what would run it"


def test_one_weak_check_makes_the_evidence_of_a_claim_weak():
    """A computation that proves does not make what is read off generated cases a proof, nor the reverse."""
    (claim,) = [one for one in claims() if one.id == "qk-coefficient-at-3"]
    assert found(claim, SETTING).evidence == "proved"
    results = {name: replace(one, evidence="measured") for name, one in SETTING.results.items()}
    assert found(claim, Setting(results=results)).evidence == "measured"
    assert weakest_of("quoted", "proved", "property") == "quoted"


@pytest.mark.parametrize("claim_id", ["paper-loss-start", "relative-diagonal", "forward-hook-ablates-output"])
def test_what_refutes_a_claim_is_as_firm_as_the_computation_that_found_it(claim_id):
    """The check beside it is only a property, and has to pass all the same."""
    (claim,) = [one for one in claims() if one.id == claim_id]
    refuted = found(claim, SETTING)
    suite = [name for name in claim.checks if name not in computations()]
    assert (refuted.verdict, refuted.evidence) == ("refuted", "exact")
    assert "property" in {SETTING.result(name).evidence for name in suite}
    results = {name: replace(SETTING.result(name), result="failed") for name in suite}
    assert found(claim, Setting(results=results)).verdict == "inconclusive"


@pytest.mark.parametrize("state", ["failed", "errored", "skipped", "not_applicable", "xfailed", "xpassed"])
@pytest.mark.parametrize("claim_id", ["qk-coefficient-at-3", "second-step-value"])
def test_a_check_that_did_not_pass_supports_nothing(claim_id, state):
    """Of a claim with a computation of its own, and of one that the suite's checks alone decide."""
    (claim,) = [one for one in claims() if one.id == claim_id]
    assert found(claim, SETTING).verdict == "holds"
    results = {name: replace(one, result=state) for name, one in SETTING.results.items()}
    alone = not any(name in computations() for name in claim.checks)
    wrong = "refuted" if alone and state == "failed" else "inconclusive"
    assert found(claim, Setting(results=results)).verdict == wrong


def test_claims_that_say_the_same_rest_on_the_same():
    same = [one for one in claims() if one.id in ("paper-layers-uniform", "layers-share-leading-term")]
    assert len({one.checks for one in same}) == 1
    assert len({found(one, SETTING).evidence for one in same}) == 1


@pytest.mark.parametrize("claim", NUMERIC, ids=lambda claim: claim.id)
def test_the_right_numbers_would_not_be_refuted(claim):
    finding = found_or_skip(claim)
    if not finding.right:
        return
    corrected = replace(claim, numbers=finding.right)
    assert found(corrected, SETTING).verdict not in ("refuted", "inconclusive")


@pytest.mark.parametrize("claim", NUMERIC, ids=lambda claim: claim.id)
def test_each_number_decides(claim):
    """With any one of its numbers changed in the last digit, the corrected claim is refuted."""
    finding = found_or_skip(claim)
    right = finding.right or claim.numbers
    if finding.verdict in UNTRUE and not finding.right:
        return
    for path, text in leaves(right):
        wrong = replace(claim, numbers=changed(right, path, off_by_two_units(text)))
        assert found(wrong, SETTING).verdict == "refuted", (path, text)


SOME_TEXT = build_corpus(["ab cd ef " * 20], tokenizer("words"), length=4, layout="stream", name="mine")
ABOUT_A_TEXT = [claim for claim in claims() if claim.needs == "text"]


@pytest.mark.parametrize("claim", ABOUT_A_TEXT, ids=lambda claim: claim.id)
def test_a_text_unlike_the_one_that_was_counted_decides_nothing(claim):
    (one,) = decide([claim], Setting(text=SOME_TEXT))
    assert one.finding.verdict == "not_run"
    assert "as was counted; mine" in one.finding.derivation
    assert one.command == claim.run_with


@pytest.mark.parametrize(("words", "positions", "alike"), [(0, 0, True), (1, 0, False), (0, 1, False)])
def test_a_text_is_like_another_in_its_words_and_its_positions(words, positions, alike):
    like = {"words": SOME_TEXT.vocab_size + words, "positions": SOME_TEXT.length + positions}
    with nullcontext() if alike else pytest.raises(NotGiven, match="as was counted; mine has"):
        Setting(text=SOME_TEXT).check_text(like)


def test_characters_of_another_text_and_numbers_of_one_digit_are_not_those_of_the_poems():
    (claim,) = [one for one in ABOUT_A_TEXT if one.text.get("by") == "character"]
    text = build_corpus(["3 1 4 1 5 " * 20], tokenizer("words"), length=4, layout="stream", name="mine")
    (one,) = decide([claim], Setting(text=text))
    assert one.finding.verdict == "not_run"
    assert "a text of 1,200 characters, as was counted; mine has 4" in one.finding.derivation


@pytest.mark.parametrize(
    ("claim_id", "lacks"),
    [
        ("learned-wo-top-transitions", "'.' is not among the 3 words of mine"),
        ("fish-neighbours", "a text with the word fish"),
        ("paper-value-cosine-null", "a text of at least 4,096 sequences"),
    ],
)
def test_a_text_that_lacks_something_leaves_the_other_claims_to_be_decided(claim_id, lacks):
    (claim,) = [one for one in ABOUT_A_TEXT if one.id == claim_id]
    (one,) = decide([replace(claim, text={})], Setting(text=SOME_TEXT))
    assert one.finding.verdict == "not_run"
    assert lacks in one.finding.derivation


def test_only_claims_about_a_text_say_what_it_must_be_like():
    assert all(bool(claim.text) == (claim.needs == "text") for claim in claims())


def test_a_statement_that_checks_alone_decide_says_why_and_not_again_that_it_holds():
    def alone(claim):
        return not any(name in computations() for name in claim.checks)

    assert [
        claim.id for claim in claims() if claim.kind == "statement" and alone(claim) and not claim.why
    ] == []
    assert [claim.id for claim in claims() if claim.why and not alone(claim)] == []
    for claim in claims():
        if claim.why:
            assert found(claim, SETTING).derivation.endswith(claim.why)

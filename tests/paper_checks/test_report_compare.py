"""What changed between two runs: results, claims, experiments, and what was read off the corpus."""

import copy
import math
from dataclasses import replace

import pytest
from test_report_sample import CLAIMS, claim, sample_run, with_claims

from paper_checks.report.compare import changes, main, read_earlier
from paper_checks.report.summary import digest
from properties.results import write_run
from reference.errors import InputError


def test_what_changed_is_told():
    old = sample_run()
    first, *others = old.results
    failed = replace(first, result="failed", seconds=99.0)
    wrong = claim("coefficient", "refuted", computed="3")
    new = with_claims(replace(old, results=(failed, *others[1:])), wrong, *CLAIMS[1:])
    told = list(changes(old, new))
    assert told == [
        "Result theory.orders on theory was passed, is failed.",
        "Result statistics.B_bar on reference is gone; it was passed.",
        "Claim coefficient was holds (exact: 2), is refuted (exact: 3).",
    ]
    assert list(changes(old, replace(old))) == []
    # What came out otherwise is told before what is only told otherwise.
    first, second, *others = CLAIMS
    both = with_claims(old, {**first, "stated": "3"}, {**second, "verdict": "refuted"}, *others)
    assert list(changes(old, both)) == [
        "Claim rounded was holds_to_rounding (exact: 2), is refuted (exact: 2).",
        "Claim coefficient has another stated.",
    ]
    weaker = {**CLAIMS[0], "evidence": "quoted"}
    assert list(changes(old, with_claims(old, weaker, *CLAIMS[1:]))) == [
        "Claim coefficient was holds (exact: 2), is holds (quoted: 2)."
    ]
    one = {"experiment": "heads.sizes", "met": True, "verdict": "Yes."}
    known = replace(old, header={**old.header, "experiments": [one]})
    other = replace(old, header={**old.header, "experiments": [{**one, "met": False}]})
    assert list(changes(old, known)) == ["Experiment heads.sizes is new: met (Yes.)."]
    assert list(changes(known, other)) == ["Experiment heads.sizes was met (Yes.), is not met (Yes.)."]


@pytest.mark.parametrize(
    ("part", "other"),
    [
        *((part, "another") for part in ("statement", "stated", "derivation", "convention", "command")),
        ("numbers", {"coefficient": "3"}),
        ("checks", ["theory.series"]),
        ("off", 0.5),
        ("off", "0.25"),  # a number has become a text
        ("strong", False),
    ],
)
def test_another_part_of_a_claim_that_came_out_alike_is_a_change(part, other):
    first, *others = ({**one, "off": 0.25, "strong": True} for one in CLAIMS)
    run = with_claims(sample_run(), first, *others)
    assert list(changes(run, with_claims(run, {**first, "off": 0.2501, "seconds": 9.0}, *others))) == []
    told = f"Claim coefficient has another {part}."
    assert list(changes(run, with_claims(run, {**first, part: other}, *others))) == [told]


def test_another_part_of_a_result_that_came_out_alike_is_a_change():
    run = sample_run()
    first, *others = run.results
    changed = replace(first, evidence="property", cases=99, error_over_bound=0.7, seconds=9.0)
    told = ["Result theory.orders on theory has another evidence and cases."]
    assert list(changes(run, replace(run, results=(changed, *others)))) == told


def test_what_only_one_version_tells_of_claims_is_told_once():
    run = sample_run()
    later = with_claims(run, *({**one, "strength": "by arithmetic alone"} for one in CLAIMS))
    assert list(changes(run, later)) == ["Claims tell of strength as well now."]
    assert list(changes(later, run)) == ["Claims tell of strength no more."]


READ = {
    "by_layer": {
        "seconds": 1.0,
        "rows": [
            {"weight": "W_O", "cosine": 0.5, "measured": 1e-14},
            {"weight": "V 0", "cosine": 0.25, "measured": None},
        ],
    },
    "predicted": [
        {"prediction": "loss", "value": 2.0},
        {"prediction": "loss", "value": 3.0, "verdict": "inside", "reliable": True},
    ],
    "words": {"nearest": {"fish": {"context": ["pond", "lake", "boat"]}}, "versions": {"python": "3.11"}},
}


def read_with(*place, value):
    found = copy.deepcopy(READ)
    part = found
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = value
    return found


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (READ, []),
        (read_with("by_layer", "rows", 0, "cosine", value=0.5001), []),  # as another machine may round it
        (read_with("by_layer", "rows", 0, "measured", value=-3e-14), []),  # a difference of losses: rounding
        (read_with("by_layer", "seconds", value=9.0), []),
        (
            read_with("by_layer", "rows", 1, "cosine", value=0.5),
            ["The number by_layer rows V 0 cosine was 0.25, is 0.5."],
        ),
        (
            read_with("by_layer", "rows", 1, "cosine", value=math.nan),
            ["The number by_layer rows V 0 cosine was 0.25, is nan."],
        ),
        (
            read_with("by_layer", "rows", 1, "cosine", value=math.inf),
            ["The number by_layer rows V 0 cosine was 0.25, is inf."],
        ),
        (read_with("predicted", 1, "value", value=4.0), ["The number predicted loss 1 value was 3, is 4."]),
        (
            read_with("by_layer", "rows", 1, "measured", value=1.0),
            ["The part by_layer tells of other things than it did."],
        ),
        ({**READ, "predicted": []}, ["The part predicted tells of other things than it did."]),
        ({k: v for k, v in READ.items() if k != "predicted"}, ["The part predicted is gone."]),
        ({**READ, "experimental": {"among": 3}}, ["The part experimental is new."]),
        (
            read_with("predicted", 1, "verdict", value="outside"),
            ["predicted loss 1 verdict was inside, is outside."],
        ),
        (
            read_with("predicted", 1, "reliable", value=False),
            ["predicted loss 1 reliable was True, is False."],
        ),
        (read_with("words", "versions", "python", value="3.12"), []),
        # Of words in another order nothing is told: equal ones may change places on another machine.
        (read_with("words", "nearest", "fish", "context", value=["lake", "pond", "boat"]), []),
        (
            read_with("words", "nearest", "fish", "context", value=["pond", "tom", "boat"]),
            ["words nearest fish context was lake, is tom."],
        ),
        (
            read_with("words", "nearest", "fish", "context", value=[]),
            ["words nearest fish context was boat, lake, pond, is nothing."],
        ),
    ],
)
def test_what_is_read_off_the_corpus_is_compared_as_far_as_machines_agree(found, told):
    old, new = (replace(sample_run(), header={**sample_run().header, **one}) for one in (READ, found))
    assert list(changes(old, new)) == told


@pytest.mark.parametrize("place", [("by_layer", "rows", 0, "cosine"), ("predicted", 1, "value")])
def test_the_digest_follows_what_was_read_off_the_corpus(place):
    plain, other, later = (
        replace(sample_run(), header={**sample_run().header, **one})
        for one in (READ, read_with(*place, value=0.1), read_with("by_layer", "seconds", value=9.0))
    )
    assert digest(plain) == digest(later) != digest(other)


def test_a_report_that_went_stale_fails(tmp_path, capsys):
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    write_run(old, sample_run())
    write_run(new, with_claims(sample_run(), claim("coefficient", "refuted", computed="3"), *CLAIMS[1:]))
    assert main([str(old), str(old)]) == 0
    assert main([str(old), str(new)]) == 1
    assert "Claim coefficient was holds (exact: 2), is refuted (exact: 3)." in capsys.readouterr().out
    assert main([str(old)]) == 2
    assert main([str(old), str(tmp_path / "none.jsonl")]) == 2


@pytest.mark.parametrize("experiments", [{"a": 1}, [{}], ["one"], 3])
def test_what_cannot_be_compared_is_told_before_anything_runs(experiments, tmp_path):
    run = sample_run()
    write_run(tmp_path / "old.jsonl", replace(run, header={**run.header, "experiments": experiments}))
    with pytest.raises(InputError, match="another form than a report does"):
        read_earlier(tmp_path / "old.jsonl")

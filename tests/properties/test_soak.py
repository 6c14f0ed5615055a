"""A soak joins the laws of a family to one stream of cases, and loses none of them on the way."""

import gc
from types import GeneratorType

import numpy as np
from breaking import With

from benchmarks.soak import summary
from properties.catalogue import CHECKS, select
from properties.soak import Family, families, soak
from properties.target import METHODS, Target
from reference.implementation import implementation as reference
from reference.statistics import statistics


def test_every_law_with_a_subject_is_in_one_family():
    joined = [check.id for family in families(CHECKS, frozenset(METHODS)) for check in family.checks]
    assert sorted(joined) == sorted(check.id for check in CHECKS if check.needs)
    alone = [check.id for family in families(CHECKS, frozenset({"loss"})) for check in family.checks]
    assert alone == [check.id for check in CHECKS if check.needs == ("loss",)]


def test_a_soak_tries_every_law_on_every_case_and_what_is_right_passes():
    found = list(soak(Target(reference), select(["statistics", "projection"]), profile="quick", seed=0))
    assert {result.result for _, result in found} == {"passed"}
    for family, result in found:
        assert set(family.admitted) == {check.id for check in family.checks}
        assert max(family.admitted.values()) == result.cases
    assert sum(len(family.checks) for family, _ in found) == len(select(["statistics", "projection"]))


def test_a_slip_that_one_law_sees_is_named_with_it():
    def slipped(tokens, vocab_size):
        found = statistics(tokens, vocab_size)
        return {**found, "Delta_bar": found["Delta_bar"] + np.spacing(1.0) * len(tokens)}

    target = Target(With("slipped", statistics=slipped))
    some = select(["statistics.Delta_bar", "statistics.Q_bar"])
    results = [result for _, result in soak(target, some, profile="quick", seed=0)]
    named = [r.counterexample["comparison"] for r in results if r.result == "failed"]
    assert named
    assert all(name.startswith("statistics.") and "Delta_bar" in name for name in named)
    # One that waits half done would break off, with a message, when the process ends.
    laws = [one for one in gc.get_objects() if type(one) is GeneratorType]
    assert not [one for one in laws if one.gi_code is Family._all.__code__ and one.gi_frame]


def test_the_summary_adds_up_and_shows_an_alarm():
    stream = {"family": "a", "cost": 2, "laws": {"a.x": 9, "a.y": 7}, "result": "passed"}
    right = {**stream, "cases": 9, "worst": 0.25}
    wrong = {**right, "result": "failed"}
    pieces = [
        {"target": "one", "seed": 0, "profile": "soak", "streams": [right], "seconds": 60},
        {"target": "one", "seed": 1, "profile": "soak", "streams": [right], "seconds": 60},
        {"target": "two", "seed": 0, "profile": "soak", "streams": [wrong], "seconds": 0},
    ]
    told = summary(pieces, "soak")
    assert "| a | 2 | 2 | 18, 2.5e-01 | **failed** |" in told
    assert "False alarms: 1." in told
    assert "3 of 4 pieces" in told
    assert "in 2\n  minutes" in told
    assert "Fewest cases, over all targets but gpu32: a.y 21, a.x 27." in told

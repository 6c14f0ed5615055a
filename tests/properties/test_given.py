"""Each method has a law that what it is given stays, and that law sees each array, entry and list."""

from collections.abc import Mapping

import numpy as np
import pytest
from breaking import With

from properties.catalogue import CHECKS
from properties.mutants.mutant import plain
from properties.runner import run_check
from properties.target import METHODS, Target

LAWS = {check.needs[0]: check for check in CHECKS if check.id.rpartition(".")[2].endswith("given")}


def run(method, spoil):
    """The result of a right method's law where `spoil` has its arguments once it has answered."""

    def answer(*arguments):
        found = getattr(plain(), method)(*arguments)
        spoil(arguments)
        return found

    target = Target(With("spoils", **{method: answer}))
    return run_check(LAWS[method], target, profile="quick", seed=0)


def changeable(arguments):
    """By name each array, entry of a mapping and list among some arguments."""
    found = {}
    for i, argument in enumerate(arguments):
        if isinstance(argument, Mapping):
            found |= {f"{i} {name}": value for name, value in argument.items()}
        elif isinstance(argument, np.ndarray | list):
            found[str(i)] = argument
    return found


def given(method):
    """What a method is given on the ordinary case of its law."""
    seen = []
    answer = getattr(plain(), method)
    target = Target(With("looks", **{method: lambda *given: (seen.append(given), answer(*given))[1]}))
    list(LAWS[method].law(target, LAWS[method].cases.ordinary))
    return seen[0]


PLACES = [(method, place) for method in METHODS for place in changeable(given(method))]


def test_every_method_has_one_law_of_what_it_is_given():
    named = [check for check in CHECKS if check.id.rpartition(".")[2].endswith("given")]
    assert sorted(check.needs for check in named) == sorted((method,) for method in METHODS)
    assert all(run(method, lambda arguments: None).result == "passed" for method in METHODS)


@pytest.mark.parametrize(("method", "place"), PLACES)
def test_what_is_changed_in_place_is_noticed_and_named(method, place):
    def spoil(arguments):
        spoiled = changeable(arguments)[place]
        if isinstance(spoiled, list):
            spoiled.append(0)
        else:
            spoiled[(0,) * spoiled.ndim] += 1

    result = run(method, spoil)
    assert result.result == "failed"
    shown = result.counterexample
    assert "after the call" in shown["comparison"]
    assert shown["looks_like"] == "changed in place"
    assert "work on a copy" in shown["diagnosis"]


SPOILED = {
    "an entry added": lambda mapping: mapping.update(cache=np.ones(2)),
    "an entry taken out": lambda mapping: mapping.pop("W_O"),
    "an entry cut": lambda mapping: mapping.update(W_O=mapping["W_O"][:1]),
    "an entry replaced by none": lambda mapping: mapping.update(W_O=None),
    "an entry replaced by a list": lambda mapping: mapping.update(W_O=mapping["W_O"].tolist()),
    "an entry replaced by text": lambda mapping: mapping.update(W_O="weights"),
    "a name that is no text": lambda mapping: mapping.update({0: np.ones(2)}),
}


@pytest.mark.parametrize("how", SPOILED)
@pytest.mark.parametrize("method", ["logits", "multi_head_output"])
def test_a_mapping_that_is_given_keeps_its_names_and_shapes(method, how):
    result = run(method, lambda arguments: SPOILED[how](arguments[0]))
    assert result.result == "failed", result.note
    assert result.counterexample["looks_like"] == "changed in place"


def test_an_array_that_is_given_keeps_its_shape():
    def spoil(arguments):
        arguments[0].shape = (-1, 1)

    assert run("statistics", spoil).result == "failed"

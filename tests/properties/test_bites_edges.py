"""The laws of edge cases bite at slips of a millionth or a 64th, and in any one layer or group.

A mutant is named for each of them too (`test_mutants.py`).
"""

from dataclasses import replace

import numpy as np
import pytest
from breaking import With, broken
from hypothesis import strategies as st

from properties import check_implementation
from properties.cases import Cases, DescentCase
from properties.catalogue import select
from properties.check import NotAdmitted
from properties.target import Target
from reference.gradients import gradients
from reference.implementation import implementation as reference
from reference.model import attention, zero_parameters


def verdict(check, ordinary_only=False, **methods):
    """Return the state of a check; on its ordinary case alone where shrinking would take long."""
    (law,) = select([check])
    if ordinary_only:
        ordinary = law.cases.ordinary
        law = replace(law, cases=Cases(st.just(ordinary), ordinary))
    (result,) = check_implementation(With("slipped", **methods), checks=[law])
    return result.result


def by_absolute_position(parameters, tokens):
    """Scores that grow a little with the position of the key, whatever its word."""
    A = attention(parameters, tokens)
    tilted = A * (1 + 1e-6 * np.arange(A.shape[-1]))
    return tilted / tilted.sum(axis=-1, keepdims=True)


def test_a_slip_that_breaks_ties_in_the_model_is_caught():
    assert verdict("softmax.ties", attention=by_absolute_position) == "failed"


def descent(slip):
    """Return a `train` whose gradient of each group is `slip` of the right one."""

    def train(tokens, vocab_size, layers, rate, steps):
        parameters = zero_parameters(vocab_size, tokens.shape[1] - 1, layers)
        for _ in range(steps):
            slope = gradients(parameters, tokens)
            parameters = {name: parameters[name] - rate * slip(name, slope[name]) for name in parameters}
        return parameters

    return train


def last_layer_faster(name, slope):
    if name == "W_O":
        return slope
    faster = slope.copy()
    faster[-1] *= 1 + 2.0**-6
    return faster


def layers_tied(name, slope):
    """Train all layers by their mean gradient, as if they shared their weights."""
    return slope if name == "W_O" else np.broadcast_to(slope.mean(axis=0), slope.shape)


@pytest.mark.parametrize("group", ["V", "W", "P"])
@pytest.mark.parametrize("slip", [last_layer_faster, layers_tied])
def test_layers_that_part_too_early_or_not_at_all_are_caught(group, slip):
    assert verdict(f"layers.{group}", ordinary_only=True, train=descent(slip)) == "failed"


@pytest.mark.parametrize("group", ["W_O", "V", "W", "P"])
def test_a_gradient_that_is_off_by_a_little_leaves_the_series(group):
    def slipped(parameters, tokens):
        right = gradients(parameters, tokens)
        return {**right, group: right[group] * (1 + 2.0**-6)}

    assert verdict("gradients.series", ordinary_only=True, gradients=slipped) == "failed"


def test_a_gradient_without_the_path_through_attention_leaves_the_series():
    slipped = broken("reference.gradients", "+ transposed(A) @ G @ V.T", "").gradients
    assert verdict("gradients.series", ordinary_only=True, gradients=slipped) == "failed"


def by_columns(first, second):
    """Divide by the norms of the factors' first column and row instead of their own."""
    size = np.linalg.norm(first[:, 0]) * np.linalg.norm(second)
    return float(np.linalg.norm(first @ second) / size) if size else 0.0


def spectral(first, second):
    size = np.linalg.norm(first, 2) * np.linalg.norm(second, 2)
    return float(np.linalg.norm(first @ second, 2) / size) if size else 0.0


def test_a_slip_in_the_composition_score_is_caught():
    assert verdict("composition.reversed", composition_score=by_columns) == "failed"
    assert verdict("composition.extremes", composition_score=spectral) == "failed"
    assert verdict("composition.reversed", composition_score=spectral) == "passed"


def test_a_next_term_along_the_leading_one_predicts_no_cosine():
    """Rounded inner products once gave such a weight a cosine loss of 1e-17 eta^2, and a false alarm."""
    case = DescentCase(np.array([[0, 0, 1, 0]]), 4, layers=1, rate=0.5, steps=4)
    (law,) = select(["next_order.cosine"])
    with pytest.raises(NotAdmitted, match="does not turn it"):
        list(law.law(Target(reference), case))

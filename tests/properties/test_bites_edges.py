"""The laws of edge cases bite: each has a slip planted that turns it red, and is held by the right one."""

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
from reference import attention_metrics
from reference.gradients import gradients
from reference.implementation import implementation as reference
from reference.model import attention, forward, zero_parameters
from reference.statistics import statistics


def verdict(check, ordinary_only=False, **methods):
    """Return the state of a check; on its ordinary case alone where shrinking would take long."""
    (law,) = select([check])
    if ordinary_only:
        ordinary = law.cases.ordinary
        law = replace(law, cases=Cases(st.just(ordinary), ordinary))
    (result,) = check_implementation(With("slipped", **methods), checks=[law])
    return result.result


def slipped_statistics(right, wrong):
    return broken("reference.statistics", right, wrong).statistics


def biased(tokens, vocab_size):
    """Break ties in favour of the earlier number, by a millionth."""
    found = statistics(tokens, vocab_size)
    return {**found, "Sigma_B": found["Sigma_B"] * (1 - 1e-6 * np.arange(vocab_size))}


def without_padding(tokens, vocab_size):
    """Leave the last word out of the sums, as if it were padding."""
    found = statistics(tokens, vocab_size)
    counted = np.arange(vocab_size) < vocab_size - 1
    return {**found, "B_bar": found["B_bar"] * counted}


STATISTICS = {
    "statistics.one_position": slipped_statistics("np.add.at(share, (y[:, None], x[None, :]), A0)",
                                                  "np.add.at(share, (x[:, None], y[None, :]), A0)"),
    "statistics.one_word": slipped_statistics("(joint - frequency / vocab_size)", "joint"),
    "statistics.two_words": slipped_statistics("(share - baseline)", "share"),
    "statistics.repeated_word": slipped_statistics("(M - mean) * visible / seen", "M * visible / seen"),
    # Sequences joined by accident: the last word of one predicts the first of the next.
    "statistics.sequence_by_sequence": slipped_statistics("tokens[:, :-1].ravel(), tokens[:, 1:].ravel()",
                                                          "tokens.ravel()[:-1], tokens.ravel()[1:]"),
    "statistics.unseen_words": slipped_statistics("(joint - frequency / vocab_size)",
                                                  "(joint - frequency / len(np.unique(tokens)))"),
    "statistics.ties": biased,
    "statistics.G_bar_rows": slipped_statistics("G_bar = Sigma_B @ Phi_bar", "G_bar = Phi_bar @ Sigma_B"),
    "statistics.Q_bar_columns": slipped_statistics(
        "np.add.at(Q_bar, (x[:, None], x[None, :]), Q_i)", "np.add.at(Q_bar, (x[None, :], x[:, None]), Q_i)"
    ),
}  # fmt: skip


@pytest.mark.parametrize("check", STATISTICS)
def test_a_slip_in_the_statistics_is_caught(check):
    assert verdict(check, statistics=STATISTICS[check]) == "failed"


def test_a_word_left_out_as_padding_is_caught():
    assert verdict("statistics.unseen_words", statistics=without_padding) == "failed"


def by_absolute_position(parameters, tokens):
    """Scores that grow a little with the position of the key, whatever its word."""
    A = attention(parameters, tokens)
    tilted = A * (1 + 1e-6 * np.arange(A.shape[-1]))
    return tilted / tilted.sum(axis=-1, keepdims=True)


def in_bits(parameters, tokens):
    F = forward(parameters, tokens).F
    log_sum = np.log2(np.exp(F).sum(axis=-1))
    return float((log_sum - np.take_along_axis(F, tokens[:, 1:, None], axis=-1)[..., 0]).mean())


def test_a_slip_that_breaks_ties_in_the_model_is_caught():
    assert verdict("softmax.ties", attention=by_absolute_position) == "failed"
    assert verdict("softmax.equal_logits", loss=in_bits) == "failed"


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


METRICS = {
    "heads.perfect_induction_profile": ("head_profile", "offset=-1", "offset=-2"),
    "heads.ties_profile": ("head_profile", "np.log(rows[1:] + 1)", "np.log(T)"),
    "heads.previous_token_induction": ("induction_score", "rows - period + 1", "rows - period"),
}  # fmt: skip


def profile_by(row_profile):
    return lambda attention: {name: rows.mean(axis=-1) for name, rows in row_profile(attention).items()}


@pytest.mark.parametrize("check", METRICS)
def test_a_slip_in_a_metric_is_caught(check):
    method, right, wrong = METRICS[check]
    if method == "head_profile":
        slipped = profile_by(broken("reference.attention_rows", right, wrong).row_profile)
    else:
        slipped = getattr(broken("reference.attention_metrics", right, wrong), method)
    assert verdict(check, **{method: getattr(attention_metrics, method)}) == "passed"
    assert verdict(check, **{method: slipped}) == "failed"


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

"""One line broken in a prediction turns the check that holds it to the exact law red."""

import numpy as np
import pytest
from breaking import broken

from properties import check_implementation
from properties.catalogue import select
from properties.laws import behaviour as behaviour_laws
from properties.laws import explanation as explanation_laws
from properties.laws import predictions as laws
from properties.predictions.random_groups import deal
from properties.predictions.sampling import bigram_noise, cosine_loss, leading_directions
from properties.runner import run_mathematics
from reference.errors import InputError
from reference.statistics import statistics

SLIPS = [
    ("expansion", "BBK = B.times(B.T_times(", "BBK = B.T_times(B.times(", "directions"),
    ("expansion", "sums.shares(tokens, V, A0 @ A0, ", "sums.shares(tokens, V, A0, ", "directions"),
    ("expansion", "evidence(B.T_times(below.T))", "evidence(B.T_times(below))", "directions"),
    ("expansion", "stream[0] + v_T @ before", "stream[0] + v @ before", "directions"),
    ("expansion", "sums.backward_evidence(tokens, hops)", "sums.stream_evidence(tokens, hops)", "directions"),
    ("expansion", "float(c) * rate ** (q + 2)", "float(c) * rate ** (q + 1)", "weights"),
    ("expansion", "layer_counts(group, layers)[layer]", "layer_counts(group, layers)[-1]", "layer_spread"),
    ("alignment", "g[0, 1:]) / g[0, 0]", "g[0, 1:])", "cosine"),
    ("alignment", "math.log1p(across / along**2) / 2", "math.log1p(across / along**2)", "cosine"),
    ("loss", "(layers * numbers.value", "(numbers.value", "loss"),
    ("loss", "math.comb(s, 2) + s * s / 2", "math.comb(s, 2) + s * s", "loss"),
    ("ablation", '"V": c["W_O"],', '"V": 1,', "ablation"),
    ("ablation", "(uniform_attention(T) * supply).sum()", "supply.sum()", "ablation"),
    ("attention", "* rate**4", "* rate**3", "attention"),
    ("general_descent", '"V": Phi.T @ held["W_O"].T', '"V": Phi.T @ B.T', "batches"),
    ("general_descent", 'held["W_O"].T @ held["V"].T', 'held["W_O"].T @ held["V"]', "batches"),
    ("random_groups", "- 2 * one /", "- one /", "sampling_spread"),
    ("random_groups", "(1 - share) * normal", "normal", "sampling_spread"),
    ("sampling", "* N / (N - 1) if", "if", "sampling"),
    ("sampling", "(1 - 1 / vocab_size - float", "(1 - float", "sampling"),
    (
        "sampling",
        "of_one.mean() - float((of_pairs.mean(axis=1) ** 2).mean()) / square",
        "of_one.mean() - square",
        "sampling",
    ),
    ("sampling", "float((of_pairs**2).mean()) / square", "square", "sampling"),
]


@pytest.mark.parametrize(("module", "right", "wrong", "check"), SLIPS)
def test_a_slip_in_a_prediction_is_refuted(monkeypatch, module, right, wrong, check):
    monkeypatch.setattr(laws, module, broken(f"properties.predictions.{module}", right, wrong))
    chosen = select([f"predictions.{check}"])
    results = [result.result for result in run_mathematics(chosen, profile="quick", seed=0)]
    assert results == ["failed"]


def sequences(count, seed=0):
    """Stories of two kinds, so that whole sequences are noisier than their positions."""
    rng = np.random.default_rng(seed)
    kinds = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]])
    return np.array([rng.choice(3, 13, p=kinds[rng.integers(2)]) for _ in range(count)])


def test_random_groups_find_the_noise_that_new_samples_have():
    """Against fresh samples of the same size, drawn fifty times; and B_bar against its closed form."""
    tokens, size = sequences(2000), 100
    whole = leading_directions(tokens, statistics(tokens, 3))
    dealt = deal(tokens, 3, whole, sample=size, groups=20, seed=1, statistics=statistics)
    fresh = []
    for seed in range(1, 51):
        sample = sequences(size, seed)
        fresh.append(leading_directions(sample, statistics(sample, 3)))
    # Distance means nothing to these sequences: Delta_bar is noise alone.
    for group in ("W_O", "V", "W"):
        direction, tans = whole[group], []
        for one in fresh:
            across = one[group] - (one[group] * direction).sum() / (direction**2).sum() * direction
            tans.append((across**2).sum() * (direction**2).sum() / (one[group] * direction).sum() ** 2)
        # The means of 20 and of 50 draws, each within its own scatter.
        both = np.std(tans) * np.sqrt(1 / 20 + 1 / 50)
        assert abs(dealt.scatter[group].noise(size).rho - np.mean(tans)) < 4 * both, group
        noise = dealt.scatter[group].noise(size)
        assert noise.low < np.median(tans) < noise.high
        if group == "W_O":
            assert abs(bigram_noise(tokens, 3, size).sequences - np.mean(tans)) < 4 * both


def test_a_sample_inside_its_whole_is_closer_to_it_than_one_outside():
    rho, n, M = 0.01, 100, 400
    assert cosine_loss(rho, n, M, nested=True) < cosine_loss(rho, n, M, nested=False)
    assert cosine_loss(rho, n, n, nested=True) == 0
    # cos = sqrt((1 + rho/4) / (1 + rho)) and 1 / sqrt((1 + rho) (1 + rho/4))
    np.testing.assert_allclose(cosine_loss(rho, n, M, nested=True), 1 - np.sqrt(1.0025 / 1.01))
    np.testing.assert_allclose(cosine_loss(rho, n, M, nested=False), 1 - 1 / np.sqrt(1.0025 * 1.01))


@pytest.mark.parametrize("groups", [1, 9])
def test_groups_that_say_nothing_are_refused(groups):
    tokens = sequences(8)
    whole = leading_directions(tokens, statistics(tokens, 3))
    with pytest.raises(InputError, match=f"{groups} random groups of 8"):
        deal(tokens, 3, whole, sample=4, groups=groups, seed=0, statistics=statistics)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('current=parameters["W_O"][last]', 'current=parameters["W_O"][tokens[0]]'),
        ('messages=parameters["V"][0][tokens] @', 'messages=parameters["V"][0][:, tokens].T @'),
        ("[last, tokens]", "[tokens, last]"),
        ("by_token + distances, (n, 1)", "by_token, (n, 1)"),
    ],
)
def test_a_slip_in_the_explanation_is_refuted(monkeypatch, right, wrong):
    monkeypatch.setattr(explanation_laws, "explanation", broken("reference.explanation", right, wrong))
    results = check_implementation("reference", checks=select(["explanation.sum"]))
    assert [result.result for result in results] == ["failed"]


EFFECT_SLIPS = [
    ("_product(h, dW, transposed(after))", "_product(h, dW, transposed(h))"),
    ("_product(scored, transposed(dh))", "_product(dh, W, transposed(h))"),
    ("A * (e - m) / (1 + m)", "A * (e - m)"),
    ("_product(A, dh, Vn)", "_product(dA, dh, Vn)"),
    ("np.log1p((p * np.expm1(dF))", "((p * np.expm1(dF))"),
    ('_product(dh, parameters["W_O"] + d["W_O"])', '_product(dh, parameters["W_O"])'),
    ("if all(factor.any() for", "if first.any() and not all(factor.any() for"),
]


@pytest.mark.parametrize(("right", "wrong"), EFFECT_SLIPS)
def test_a_slip_in_the_change_of_the_loss_is_refuted(monkeypatch, right, wrong):
    monkeypatch.setattr(behaviour_laws, "effects", broken("reference.effects", right, wrong))
    results = check_implementation("reference", checks=select(["behaviour"]))
    assert "failed" in {result.result for result in results}

"""The torch model: against reference, against finite statements about autograd, and at its edges."""

import numpy as np
import pytest
import torch
from gpu_corpora import corpus, parameters

import gpu.gradients
from gpu.implementation import Gpu
from gpu.model import Transformer, by_distance
from properties.rounded_model import forward, given, gradients, loss, stacked, train
from reference import descent, model
from reference.errors import InputError
from reference.gradients import gradients as by_hand

# (sequences, positions, vocabulary, layers)
MODELS = [(1, 1, 1, 1), (1, 1, 3, 2), (2, 4, 1, 1), (3, 5, 4, 1), (2, 6, 5, 3), (2, 3, 9, 0)]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", MODELS)
def test_forward_and_loss_within_the_rounding_bound(shape, dtype):
    N, T, V, L = shape
    tokens, weights = corpus(N, T, V), small(parameters(T, V, L))
    subject = Gpu(dtype)
    logits, attention = subject.logits(weights, tokens), subject.attention(weights, tokens)
    assert logits.shape == (N, T, V)
    assert attention.shape == (L, N, T, T)
    assert logits.dtype == attention.dtype == dtype
    for n, sequence in enumerate(tokens):
        exact = forward(given(weights, dtype), sequence)
        assert (np.abs(logits[n] - exact.F.value) <= exact.F.error).all()
        for layer, A in enumerate(exact.A):
            assert (np.abs(attention[layer, n] - A.value) <= A.error).all()
    value, bound = loss(given(weights, dtype), tokens)
    assert abs(subject.loss(weights, tokens) - value) <= bound


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", MODELS)
def test_autograd_agrees_with_the_gradients_by_hand(shape, dtype):
    N, T, V, L = shape
    tokens, weights = corpus(N, T, V), small(parameters(T, V, L))
    found = Gpu(dtype).gradients(weights, tokens)
    exact = gradients(given(weights, dtype), tokens)
    assert found["V"].shape == (L, V, V)
    assert found["P"].shape == (L, T)
    for group in ("W_O", *(("V", "W", "P") if L else ())):
        value, bound = stacked(exact, group)
        assert (np.abs(found[group] - value) <= bound).all(), group
        # The bound holds for the other hand-written pass too: two routes, one number.
        assert (np.abs(by_hand(weights, tokens)[group] - value) <= bound).all(), group


def test_parts_of_a_corpus_add_up(monkeypatch):
    tokens, weights = corpus(5, 4, 3), small(parameters(4, 3, 2))
    whole = Gpu().gradients(weights, tokens)
    monkeypatch.setattr(gpu.gradients, "ENTRIES_AT_ONCE", 1)
    parts = Gpu().gradients(weights, tokens)
    exact = gradients(given(weights, "float64"), tokens)
    for group in parts:
        assert (np.abs(parts[group] - whole[group]) <= 2 * stacked(exact, group)[1]).all()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_descent_within_the_rounding_bound(dtype):
    tokens = corpus(3, 5, 4)
    found = Gpu(dtype).train(tokens, 4, 2, 0.125, 4)
    exact = train(tokens, 4, 2, 0.125, 4, dtype)
    reference = descent.train(tokens, 4, 2, 0.125, 4)
    for group, value in found.items():
        assert value.dtype == dtype
        expected, bound = stacked(exact, group)
        assert (np.abs(value - expected) <= bound).all(), group
        assert (np.abs(reference[group] - expected) <= bound).all(), group


def test_no_step_is_the_zero_start():
    found = Gpu().train(corpus(2, 3, 4), 4, 2, 0.5, 0)
    for group, value in model.zero_parameters(4, 3, 2).items():
        np.testing.assert_array_equal(found[group], value)


def test_one_step_moves_the_output_by_the_first_statistic_alone():
    tokens = corpus(6, 7, 5)
    found, B_bar = Gpu().train(tokens, 5, 1, 0.25, 1), Gpu().statistics(tokens, 5)["B_bar"]
    assert not found["V"].any()
    assert not found["W"].any()
    assert not found["P"].any()
    expected, bound = stacked(train(tokens, 5, 1, 0.25, 1, "float64"), "W_O")
    assert (np.abs(found["W_O"] - expected) <= bound).all()
    assert (np.abs(0.25 * B_bar - expected) <= bound).all()


def test_scores_by_distance_lie_on_sub_diagonals():
    D = by_distance(torch.tensor([1.0, 2.0, 3.0]))
    assert D.tril().tolist() == [[1, 0, 0], [2, 1, 0], [3, 2, 1]]


def test_gradients_flow_as_torch_checks_them():
    """torch's own comparison with finite differences, for the module as a user would train it."""
    tokens = torch.tensor(corpus(2, 3, 3))
    module = Transformer({g: torch.tensor(v) for g, v in parameters(3, 3, 2).items()})
    groups = [value.detach().clone().requires_grad_() for value in module.parameters()]
    names = [name for name, _ in module.named_parameters()]

    def logits(*values):
        return torch.func.functional_call(module, dict(zip(names, values, strict=True)), (tokens[:, :-1],))

    assert torch.autograd.gradcheck(logits, groups)


def test_inputs_and_torch_settings_are_left_as_they_were():
    tokens, weights = corpus(2, 3, 3), parameters(3, 3, 1)
    before = {group: value.copy() for group, value in weights.items()}
    for array in (tokens, *weights.values()):
        array.flags.writeable = False
    settings = (torch.get_default_dtype(), torch.get_float32_matmul_precision(), torch.is_grad_enabled())
    subject = Gpu("float32")
    subject.gradients(weights, tokens)
    subject.loss(weights, tokens)
    subject.train(tokens, 3, 1, 0.5, 2)
    after = (torch.get_default_dtype(), torch.get_float32_matmul_precision(), torch.is_grad_enabled())
    assert settings == after
    for group, value in weights.items():
        np.testing.assert_array_equal(value, before[group])


def test_the_setting_returns_after_an_error():
    torch.set_float32_matmul_precision("medium")
    try:
        with pytest.raises(InputError):
            Gpu("float32").train(np.zeros((1, 1), dtype=np.int64), 3, 1, 0.5, 2)
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision("highest")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda p: p.pop("W"), "lack W"),
        (lambda p: p.update(V=np.zeros((1, 3, 4))), "V has shape"),
        (lambda p: p.update(W_O=np.zeros(3)), "W_O has shape"),
        (lambda p: p.update(P=np.zeros((1, 2))), "P has 2 distances"),
        (lambda p: p.update(P=np.zeros((2, 3))), "V has shape"),
    ],
)
def test_bad_parameters_are_named(change, words):
    weights = parameters(3, 3, 1)
    change(weights)
    with pytest.raises(InputError, match=words):
        Gpu().gradients(weights, corpus(2, 3, 3))


@pytest.mark.parametrize("what", ["layers", "steps"])
def test_a_negative_size_is_named(what):
    sizes = {"layers": 1, "steps": 1, what: -1}
    with pytest.raises(InputError, match=f"-1 {what}"):
        Gpu().train(corpus(2, 3, 3), 3, rate=0.5, **sizes)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dtype": "float16"}, "float16"),
        ({"device": "tpu-of-mine"}, "no device"),
        ({"device": "meta"}, "not supported"),
        ({"device": "cuda:99"}, "cuda:99"),
    ],
)
def test_an_unusable_choice_is_named(options, words):
    with pytest.raises(InputError, match=words):
        Gpu(**options)


def small(weights):
    """Float64 weights that float32 holds exactly, so small that its bound stays informative."""
    return {group: (value / 4).astype(np.float32).astype(np.float64) for group, value in weights.items()}

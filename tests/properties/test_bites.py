"""One line broken in any implementation turns a named check red."""

import numpy as np
import pytest
from breaking import With, broken

from properties import check_implementation
from properties.catalogue import CHECKS, select
from properties.laws import statistics_exact
from properties.memo import by_corpus
from reference.sequences import build_corpus
from reference.stories import stories
from reference.tokenizers import words


def red(implementation, checks=CHECKS, corpus=None) -> set[str]:
    results = check_implementation(implementation, checks=checks, corpus=corpus)
    assert {result.result for result in results} <= {"passed", "failed", "not_applicable"}
    return {result.check for result in results if result.result == "failed"}


REFERENCE_STATISTICS = [
    ("(joint - frequency / vocab_size)", "(joint - 1 / vocab_size)", "statistics.B_bar"),
    (
        "np.add.at(joint, (current, following), 1.0)",
        "np.add.at(joint, (following, current), 1.0)",
        "statistics.B_bar",
    ),
    ("(joint - frequency / vocab_size)", "joint", "statistics.B_bar_rows"),
    (" / current.size", "", "statistics.B_bar_counted"),
    (
        "np.add.at(share, (y[:, None], x[None, :]), A0)",
        "np.add.at(share, (x[None, :], y[:, None]), A0)",
        "statistics.Phi_bar",
    ),
    (
        "np.add.at(share, (y[:, None], x[None, :]), A0)",
        "np.add.at(share, (x[:, None], x[None, :]), A0)",
        "statistics.Phi_bar",
    ),
    ("(share - baseline)", "share", "statistics.Phi_bar_columns"),
    ("return B_bar.T @ B_bar", "return B_bar @ B_bar.T", "statistics.Sigma_B_is_DCD"),
    ("G_bar = Sigma_B @ Phi_bar", "G_bar = Sigma_B @ Phi_bar.T", "statistics.G_bar_composes"),
    ("(M - mean) * visible / seen", "(M - mean) * visible", "statistics.Q_bar"),
    ("(M - mean) * visible / seen", "M * visible / seen", "statistics.Q_bar_rows"),
    ("(M - mean) * visible / seen", "(M - mean) / seen", "statistics.Q_bar_probed"),
    (
        "np.add.at(Q_bar, (x[:, None], x[None, :]), Q_i)",
        "np.add.at(Q_bar, (x[None, :], x[:, None]), Q_i)",
        "statistics.Q_bar",
    ),
    ("Q_bar / (N * T), Delta_bar", "Q_bar / N, Delta_bar", "statistics.Q_bar"),
    (
        "uniform_jacobian(G_bar[y[:, None], x[None, :]])",
        "uniform_jacobian(G_bar[x[:, None], x[None, :]])",
        "statistics.Q_bar",
    ),
    ("Delta_bar / (N * T)", "Delta_bar / N", "statistics.Delta_bar_probed"),
    ("(M * visible).sum", "M.sum", "statistics.Delta_bar"),
]


@pytest.mark.parametrize(("right", "wrong", "check"), REFERENCE_STATISTICS)
def test_a_slip_in_the_reference_statistics_is_caught(right, wrong, check):
    slipped = broken("reference.statistics", right, wrong)
    assert red(With("slipped", statistics=slipped.statistics), select([check])) == {check}


GPU_STATISTICS = [
    (
        "entry = (entry - row_sum[:, t] / seen) / seen",
        "entry = entry - row_sum[:, t] / seen",
        "statistics.Q_bar",
    ),
    ("entry = (entry - row_sum[:, t] / seen) / seen", "entry = entry / seen", "statistics.Q_bar_rows"),
    ("(x[:, t] * V + key)", "(key * V + x[:, t])", "statistics.Q_bar"),
    ("y[:, t] * V + key", "x[:, t] * V + key", "statistics.Q_bar_probed"),
    ("by_distance.index_add_(0, t - k", "by_distance.index_add_(0, k", "statistics.Delta_bar"),
    (
        "share - share.mean(dim=0, keepdim=True)",
        "share - share.mean(dim=1, keepdim=True)",
        "statistics.Phi_bar",
    ),
    ("share = 1 / (t + 1).double()", "share = 1 / (k + 1).double()", "statistics.Phi_bar"),
    ("vocab_size * count - count.sum(dim=1", "vocab_size * count - count.sum(dim=0", "statistics.B_bar"),
]


@pytest.mark.parametrize(("right", "wrong", "check"), GPU_STATISTICS)
def test_a_slip_in_the_torch_statistics_is_caught(right, wrong, check):
    torch = pytest.importorskip("torch", reason="the gpu room needs torch")
    slipped = broken("gpu.statistics", right, wrong)

    def statistics(tokens, vocab_size):
        found = slipped.statistics(torch.from_numpy(tokens), vocab_size)
        return {name: value.numpy() for name, value in found.items()}

    assert red(With("slipped", statistics=statistics), select([check])) == {check}


THEORY_STATISTICS = [
    (
        "one.X.transpose() * pull * one.X for",
        "one.X.transpose() * pull.transpose() * one.X for",
        "statistics.Q_bar",
    ),
    (
        "through_uniform_softmax(messages(one) * one.X.transpose())",
        "messages(one) * one.X.transpose()",
        "statistics.Q_bar",
    ),
    ("lambda one: one.U * G_bar", "lambda one: one.Y * Sigma_B", "statistics.Delta_bar"),
    ("one.U.transpose() * (one.A0 * one.X)", "one.U.transpose() * one.X", "statistics.Phi_bar"),
    ("B_bar.transpose() * B_bar", "B_bar * B_bar.transpose()", "statistics.Sigma_B"),
]


@pytest.mark.parametrize(("right", "wrong", "check"), THEORY_STATISTICS)
def test_a_slip_in_the_exact_statistics_is_caught(monkeypatch, right, wrong, check):
    """The oracle itself is held: a right reference disagrees with a slipped theory, and says where."""
    slipped = broken("theory.statistics", right, wrong)
    exact = by_corpus(lambda tokens, vocab_size: slipped.exact_statistics(tokens.tolist(), vocab_size))
    monkeypatch.setattr(statistics_exact, "exact_by_corpus", exact)
    assert red("reference", select([check])) == {check}


REFERENCE_MODEL = [
    (
        "reference.gradients",
        "_summed(transposed(h) @ transposed(A) @ G)",
        "_summed(transposed(h) @ A @ G)",
        "gradients.V",
    ),
    ("reference.gradients", "G @ V.T @ transposed(h)", "G @ V @ transposed(h)", "gradients.W"),
    ("reference.gradients", "A * (M - (A * M)", "A * (M + (A * M)", "gradients.P"),
    ("reference.gradients", "+ transposed(S) @ h @ W", "", "gradients.slope"),
    ("reference.gradients", "+ S @ h @ W.T", "+ S @ h @ W", "gradients.V"),
    ("reference.gradients", "offset=-d", "offset=d", "gradients.P"),
    ("reference.gradients", "-value / tokens[:, 1:].size", "value / tokens[:, 1:].size", "gradients.W_O"),
    ("reference.gradients", "-value / tokens[:, 1:].size", "-value / len(tokens)", "zero.gradients"),
    (
        "reference.model",
        "h[-1] @ W @ transposed(h[-1])",
        "h[-1] @ W.T @ transposed(h[-1])",
        "model.attention",
    ),
    ("reference.model", "np.where(visible, S, -np.inf)", "S", "model.attention_rows"),
    ("reference.model", "h.append(h[-1] + A[-1]", "h.append(A[-1]", "model.logits"),
    ("reference.model", "P[np.maximum(distance, 0)]", "P[::-1][np.maximum(distance, 0)]", "model.attention"),
    ("reference.model", "tokens[:, 1:, None]", "tokens[:, :-1, None]", "model.loss"),
    (
        "reference.model",
        "np.tril(np.ones(S.shape[-2:], dtype=bool))",
        "np.ones(S.shape[-2:], dtype=bool)",
        "zero.attention",
    ),
]


@pytest.mark.parametrize(("module", "right", "wrong", "check"), REFERENCE_MODEL)
def test_a_slip_in_the_reference_model_is_caught(module, right, wrong, check):
    slipped = broken(module, right, wrong)
    methods = {name: getattr(slipped, name) for name in ("gradients",) if hasattr(slipped, name)}
    if module == "reference.model":
        methods = {name: getattr(slipped, name) for name in ("logits", "attention", "loss")}
    from reference.model import loss

    implementation = With("slipped", **{"loss": loss, **methods})
    assert red(implementation, select([check])) == {check}


def _descent(update):
    """Return a `train` in which each step's parameters come from `update(old, gradient, rate, step)`."""
    from reference.gradients import gradients
    from reference.model import zero_parameters

    def train(tokens, vocab_size, layers, rate, steps):
        parameters = zero_parameters(vocab_size, tokens.shape[1] - 1, layers)
        for step in range(steps):
            gradient = gradients(parameters, tokens)
            parameters = {
                name: update(name, parameters[name], gradient[name], rate, step) for name in parameters
            }
        return parameters

    return train


DESCENTS = {
    "uphill": (lambda name, p, g, rate, step: p + rate * g, {"first_step.W_O", "descent.parameters"}),
    "one step too few": (
        lambda name, p, g, rate, step: p - (step > 0) * rate * g,
        {"first_step.W_O", "scaling.W_O", "scaling.V", "scaling.W", "scaling.P"},
    ),
    "twice the rate for V": (
        lambda name, p, g, rate, step: p - (2 if name == "V" else 1) * rate * g,
        {"scaling.V", "scaling.W", "scaling.P"},
    ),
    "P left out": (lambda name, p, g, rate, step: p if name == "P" else p - rate * g, {"scaling.P"}),
    "W transposed": (
        lambda name, p, g, rate, step: p - rate * (g.swapaxes(-1, -2) if name == "W" else g),
        {"scaling.W"},
    ),
    "only the last layer": (
        lambda name, p, g, rate, step: (
            p - rate * g
            if name == "W_O"
            else p - rate * g * (np.arange(len(g)) == len(g) - 1).reshape(-1, *[1] * (g.ndim - 1))
        ),
        {"scaling.V", "scaling.W"},
    ),
    "weight decay": (lambda name, p, g, rate, step: (1 - 2.0**-30) * p - rate * g, {"descent.parameters"}),
    "a constant in P": (lambda name, p, g, rate, step: p - rate * g + 1e-9, {"conserved.P_sum"}),
}


@pytest.mark.parametrize("slip", DESCENTS)
def test_a_slip_in_the_descent_is_caught(slip):
    update, checks = DESCENTS[slip]
    corpus = build_corpus(stories(20, seed=0), words, length=12)
    assert red(With(slip, train=_descent(update)), select(sorted(checks)), corpus) == checks

"""One line broken in torch, or in the exact statistics themselves, turns a named check red.

The mutants that ship do the same for every method (`test_mutants.py`).
"""

import pytest
from breaking import With, broken

from properties import check_implementation
from properties.catalogue import select
from properties.laws import statistics_exact
from properties.memo import by_corpus


def red(implementation, checks) -> set[str]:
    results = check_implementation(implementation, checks=checks)
    assert {result.result for result in results} <= {"passed", "failed", "not_applicable"}
    return {result.check for result in results if result.result == "failed"}


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

"""Slips that people make, put into the examples as text: the failure says by name what is wrong."""

import shlex
import shutil
import sys
import types
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from properties.cases import CorpusCase, ModelCase
from properties.catalogue import select
from properties.connectors import connect
from properties.diagnosis import diagnose
from properties.explaining import fails, until_failure
from properties.failure import failure_lines
from properties.parameter_names import read_names
from properties.runner import run_check
from properties.target import Target

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NUMPY, DESCENT, TORCH = "numpy_adapter.py", "numpy_descent.py", "torch_module.py"
NODE, PLAIN = "node.mjs", "plain_python.py"
NO_MASK = "There is no causal mask"
A0, MASK = "np.tril(np.ones((T, T)))", "masked_fill(distance < 0, -torch.inf)"
SCORES, P_READ = "h @ self.query_key @ h.mT", "self.by_distance[distance.clamp(min=0)]"

# What is right, what is put in its place, what the failure says, and the checks that say it: where the slip
# is made, and where it only shows.
OF_NUMPY = [
    (NUMPY, " / (N * T)", "", "not divided by NT", "B_bar G_bar Q_bar Delta_bar repeated"),
    (NUMPY, "/ (N * T)", "/ N", "the number of sequences N", "B_bar Phi_bar G_bar Q_bar unseen_words"),
    (NUMPY, "1:] - 1 / vocab_size", "1:]", "The uniform part", "Phi_bar G_bar Q_bar one_word unseen_words"),
    (NUMPY, "one_hot[:, 1:] -", "one_hot[:, :-1] -", "The target is off by one", "B_bar Phi_bar Q_bar"),
    (NUMPY, "(N * T)", "(N * (T + 1))", "Padding is counted", "B_bar G_bar Q_bar_probed"),
    (NUMPY, " / causal.sum(axis=1, keepdims=True)", "", "The 1/t is missing", "Phi_bar Q_bar Q_bar_rows"),
    (NUMPY, A0, "np.ones((T, T))", NO_MASK, "Phi_bar G_bar Q_bar"),
    (NUMPY, A0, f"{A0} - np.eye(T); causal[0, 0] = 1", "Position t is excluded", "Phi_bar Delta_bar"),
    (NUMPY, "-d) for d in range(T)", "-d) for d in range(T)][::-1", "Delta_bar is reversed", "Delta_bar"),
    (NUMPY, '"ka,kb->ab"', '"ak,bk->ab"', "Sigma_B is B_bar B_bar^T", "Sigma_B G_bar Q_bar two_words"),
    (
        NUMPY,
        "+ P[distance]",
        "- P[distance]",
        "P has the other sign",
        "model.logits model.loss gradients.V",
    ),
    (NUMPY, "- chosen).mean()", "- chosen).sum()", "not divided by NT", "model.loss zero.loss"),
    (NUMPY, "np.log(np.exp(F)", "np.log2(np.exp(F)", "the base 2", "model.loss zero.loss"),
    (
        DESCENT,
        "X[:, 1:]) / tokens[:, 1:].size",
        "X[:, 1:])",
        "not divided by NT",
        "gradients.P zero.gradients",
    ),
    (
        DESCENT,
        '(M - einsum("ntk,ntk->nt", A, M)[..., None])',
        "M",
        "diagonal of A",
        "gradients.W gradients.P",
    ),
    (
        NUMPY,
        '"nta,ntb->ab", X, U)',
        '"nta,ntb->ab", X[:, :-1], U[:, :-1])',
        "last position of each",
        "B_bar Sigma_B",
    ),
    (
        NUMPY,
        "X, U = one_hot[:, :-1], one_hot[:, 1:] - 1 / vocab_size",
        "X, U = one_hot[:, 1:], one_hot[:, :-1] - 1 / vocab_size",
        "(next, current)",
        "B_bar Phi_bar Q_bar",
    ),
    (NUMPY, "np.ones((T, T)))", "np.ones((T, T)), 1)", "reads word t + 1 too", "Phi_bar Q_bar Delta_bar"),
    (NUMPY, "causal.sum(axis=1", "causal.sum(axis=0", "even over queries", "Phi_bar Q_bar Delta_bar"),
    (NUMPY, "causal.sum(axis=1, keepdims=True)", "T", "share 1/T", "Phi_bar Q_bar Delta_bar"),
    (
        NUMPY,
        'np.einsum("tk,ntk->nt", A0, M)[..., None]',
        "M.mean(axis=-1, keepdims=True)",
        "whole sequence",
        "Q_bar Delta_bar",
    ),
    (NUMPY, "range(T)]", "range(1, T + 1)]", "begins with distance 1", "Delta_bar"),
    (
        NUMPY,
        '"ka,kb->ab", B_bar, B_bar)',
        '"ka,kb->ab", B_bar, B_bar) / (N * T)',
        "multiplied by 1/(NT)",
        "Sigma_B Q_bar",
    ),
    (
        NUMPY,
        "h.append(h[-1] + maps",
        "h.append(2 * h[-1] + maps",
        "residual stream, which a layer adds to, is multiplied by 2",
        "model.logits model.loss",
    ),
    (
        NUMPY,
        "h.append(h[-1] + maps",
        "h.append(h[0] + maps",
        "adds to the embeddings",
        "model.logits model.loss",
    ),
    (NUMPY, ' @ parameters["W_O"]', "", "without W_O", "model.logits"),
    (
        DESCENT,
        'einsum("ntk,nka,ntb->ab", A, x, G)',
        'einsum("nta,ntb->ab", x, G)',
        "leaves out the attention",
        "gradients.V",
    ),
    (DESCENT, ".insert(0, ", ".append(", "reverse order", "gradients.V gradients.W gradients.P"),
    (DESCENT, "- rate *", "- rate / 2 *", "the learning rate is multiplied by 1/2", "descent.parameters"),
    (DESCENT, "- rate *", "- rate / steps *", "multiplied by 1/(the number of steps)", "descent.parameters"),
    (
        DESCENT,
        "rate * slope[name]",
        'rate * slope[name] * (name != "V")',
        "the learning rate of V is multiplied by 0",
        "descent.parameters",
    ),
]
OF_TORCH = [
    (TORCH, f"+ {P_READ}", f"- {P_READ}", "P has the other sign", "model.logits model.loss gradients.P"),
    (
        TORCH,
        "self.by_distance[d",
        "self.by_distance.flip(0)[d",
        "P is read from its end",
        "model.logits gradients.P",
    ),
    (TORCH, f".{MASK}", "", NO_MASK, "model.logits model.causal model.loss gradients.W"),
    (
        TORCH,
        "distance < 0, -",
        "(distance < 0) | (distance == 0) & (torch.arange(T) > 0), -",
        "Position t is excluded",
        "model.logits model.loss",
    ),
    (TORCH, "attention @ h @", "2 * attention @ h @", "added twice", "model.logits model.loss gradients.V"),
    (
        TORCH,
        f"{SCORES} +",
        f"{SCORES} / T**0.5 +",
        "root of the number of positions",
        "model.logits model.loss",
    ),
    (
        TORCH,
        f"{SCORES} +",
        f"{SCORES} / h.shape[-1] ** 0.5 +",
        "root of the width",
        "model.logits model.loss",
    ),
    (
        TORCH,
        "scores.masked",
        "(scores / 64**0.5).masked",
        "P included, are multiplied by 1/8",
        "model.logits gradients.V",
    ),
    (
        TORCH,
        "h @ self.value",
        "h @ self.value.mT",
        "V is transposed",
        "model.logits model.loss gradients.V",
    ),
    (
        TORCH,
        "h @ self.query_key @",
        "h @ self.query_key.mT @",
        "W is transposed",
        "model.logits model.loss gradients.P",
    ),
    (
        TORCH,
        "return h + attention",
        "return attention",
        "a layer replaces what it reads",
        "model.logits model.loss",
    ),
    (
        TORCH,
        "softmax(dim=-1)",
        "softmax(dim=1)",
        "runs over the queries",
        "model.logits model.causal model.loss",
    ),
    (TORCH, f" + {P_READ}", "", "P is left out of the scores", "model.logits model.loss gradients.W"),
    (
        TORCH,
        "in self.layers:",
        "in reversed(self.layers):",
        "from the last to the first",
        "model.logits model.loss",
    ),
    (
        TORCH,
        "distance < 0, -",
        "distance < -1, -",
        "see position t + 1",
        "model.logits model.loss gradients.V",
    ),
    (
        TORCH,
        "distance.clamp(min=0)",
        "(distance - 1).clamp(min=0)",
        "P begins with distance 1",
        "model.logits gradients.P",
    ),
    (TORCH, "attention @ h @ self", "h @ self", "A does not gather them", "model.logits gradients.V"),
    (
        TORCH,
        "self.unembed.weight.dtype)",
        "self.unembed.weight.dtype) * self.unembed.in_features**0.5",
        "the embeddings are multiplied by sqrt(V)",
        "model.logits gradients.V",
    ),
    (
        TORCH,
        "self.unembed(h)",
        "self.unembed(h) / self.unembed.in_features**0.5",
        "the logits are multiplied by 1/sqrt(V)",
        "model.logits gradients.V",
    ),
    (TORCH, "+ attention @", "+ attention.detach() @", "attention is taken for a constant", "gradients.V"),
    (TORCH, "in self.layers:", "in self.layers[1:]:", "first layer is left out", "model.logits gradients.V"),
    (
        TORCH,
        ".softmax(dim=-1)",
        ".float().softmax(dim=-1).to(h.dtype)",
        "computed in float32",
        "model.logits gradients.V",
    ),
    (
        TORCH,
        "h + attention",
        "h + nn.functional.dropout(attention, 0.1)",
        "answers otherwise",
        "model.logits gradients.V",
    ),
    (
        TORCH,
        "scores.masked_fill(distance < 0, -torch.inf)",
        "(0 * scores).masked_fill(distance < 0, -torch.inf)",
        "P included, are multiplied by 0",
        "model.logits gradients.V",
    ),
]
OF_PROGRAMS = [
    (NODE, "- 1 / V) / NT;", "- 1 / V);", "not divided by NT", "B_bar G_bar Q_bar"),
    (
        NODE,
        "- 1 / V) / NT;",
        "- 1 / V) / tokens.length;",
        "the number of sequences N",
        "B_bar Phi_bar G_bar",
    ),
    (
        NODE,
        "(row[t + 1] === j) - 1 / V)",
        "row[t + 1] === j)",
        "The uniform part",
        "B_bar_rows G_bar unseen_words",
    ),
    (NODE, "row[t + 1] === j", "row[t] === j", "The target is off by one", "B_bar Phi_bar"),
    (NODE, "tokens.length * T;", "tokens.length * (T + 1);", "Padding is counted", "B_bar Q_bar"),
    (NODE, "residual / (t + 1)", "residual", "The 1/t is missing", "Phi_bar G_bar"),
    (NODE, "k <= t; k++", "k < t; k++", "Position t is excluded", "Phi_bar G_bar"),
    (NODE, "(x - mean) / (t + 1)", "x / (t + 1)", "mean over the prefix", "Q_bar Q_bar_rows"),
    (NODE, "Delta_bar[t - k]", "Delta_bar[T - 1 - t + k]", "Delta_bar is reversed", "Delta_bar"),
    (NODE, "times(Sigma_B, Phi_bar)", "times(Phi_bar, Sigma_B)", "in the other order", "G_bar Q_bar"),
    (NODE, "B_bar[row[t]][j] +=", "B_bar[j][row[t]] +=", "It is transposed", "B_bar B_bar_rows Sigma_B"),
    (PLAIN, "t - period + 1]", "t - period]", "on the earlier occurrence itself", "heads.induction"),
    (PLAIN, "/ norm if norm", "if norm", "not divided by <D, D>", "projection.formula"),
    (
        PLAIN,
        "B_bar[i][a] * B_bar[i][b]",
        "B_bar[a][i] * B_bar[b][i]",
        "Sigma_B is B_bar B_bar^T",
        "Sigma_B",
    ),
    (NODE, "row.slice(0, T).map", "row.slice(0, T - 1).map", "last position of each", "B_bar Phi_bar Q_bar"),
    (
        NODE,
        "row.slice(0, T).map((_, t) => [row, t])",
        "row.slice(1, T).map((_, t) => [row, t + 1])",
        "first position of each",
        "B_bar Q_bar",
    ),
    (NODE, "let k = 0; k <= t", "let k = 1; k <= t", "first word of a sequence", "Phi_bar"),
    (NODE, "residual / (t + 1)", "residual / Math.max(t, 1)", "divided by t - 1", "Phi_bar"),
    (NODE, "Q_bar[row[t]]", "Q_bar[row[t + 1]]", "query is word t + 1", "Q_bar"),
    (NODE, "G_bar[row[t + 1]][word]", "G_bar[word][row[t + 1]]", "as [context, target]", "Q_bar Delta_bar"),
    (NODE, "(x - mean) / (t + 1)", "(x - mean) / T", "share 1/T", "Q_bar Delta_bar"),
]
_TOKENS = np.array([[0, 1, 1], [1, 0, 1]])
# Two words, two positions, two layers: few enough parameters to try every slip on.
SMALL = [
    CorpusCase(_TOKENS, 3),
    ModelCase(
        _TOKENS,
        2,
        W_O=np.array([[0.5, -0.25], [0.75, 1.0]]),
        V=np.array([[[0.25, 0.5], [-0.75, 1.0]], [[-0.5, 0.125], [0.25, 0.75]]]),
        W=np.array([[[1.0, -0.5], [0.25, 0.5]], [[-0.25, 0.75], [0.5, 1.0]]]),
        P=np.array([[0.5, -0.75], [1.0, 0.25]]),
    ),
]
SLIPS = [*OF_NUMPY, *OF_TORCH, *OF_PROGRAMS]


def checks_of(names):
    return select([name if "." in name else f"statistics.{name}" for name in names.split()])


@pytest.fixture
def example(tmp_path, monkeypatch):
    """Makes an example, with every `right` in its file changed, a target."""

    def made(file, right, wrong):
        source = (EXAMPLES / file).read_text(encoding="utf-8")
        assert right in source
        changed = source.replace(right, wrong)
        return (program if file in (NODE, PLAIN) else module)(file, changed)

    def program(file, changed):
        if file == NODE and shutil.which("node") is None:
            pytest.skip("Node is not installed")
        (tmp_path / file).write_text(changed, encoding="utf-8")
        runs = "node" if file == NODE else shlex.quote(sys.executable)
        return connect(f"cmd:{runs} {shlex.quote(str(tmp_path / file))}")

    def module(file, changed):
        monkeypatch.syspath_prepend(str(EXAMPLES))
        if file == TORCH:
            torch_target = pytest.importorskip("gpu.module_target")
            names = read_names(EXAMPLES / "torch_module.toml")
            places = {group: (one.name, one.transpose) for group, one in names.items()}
            return Target(torch_target.ModuleImplementation(run(TORCH, changed).Model, places))
        adapters = [run(name, changed if name == file else None) for name in (NUMPY, DESCENT)]
        return Target(adapters[-1].Adapter())

    def run(file, text):
        name = file.removesuffix(".py")
        monkeypatch.setitem(sys.modules, name, found := types.ModuleType(name))
        exec(compile(text or (EXAMPLES / file).read_text(encoding="utf-8"), file, "exec"), found.__dict__)
        return found

    return made


def failed_case(check, subject):
    """A small case or the check's ordinary one, which it must fail on: nothing is drawn or shrunk."""
    ordinary = check.cases.ordinary
    for case in [one for one in SMALL if type(one) is type(ordinary)] + [ordinary]:
        told = until_failure(check, subject, case)
        if told and fails(told[-1]):
            return case
    raise AssertionError(check.id)


def test_there_are_twelve_slips_or_more_in_each_kind_of_example():
    assert min(map(len, (OF_NUMPY, OF_TORCH, OF_PROGRAMS))) >= 12
    assert len({(file, right, wrong) for file, right, wrong, _, _ in SLIPS}) == len(SLIPS)


@pytest.mark.parametrize(("file", "right", "wrong", "told", "names"), SLIPS)
def test_a_slip_is_named_where_it_is_made_and_in_what_follows(example, file, right, wrong, told, names):
    with closing(example(file, right, wrong)) as subject:
        # The rest is left to the deep run.
        for check in checks_of(names)[:2]:
            slip = diagnose(check, subject, failed_case(check, subject))
            assert slip is not None, check.id
            assert told in slip.sentence, check.id


@pytest.mark.deep
@pytest.mark.parametrize(("file", "right", "wrong", "told", "names"), SLIPS)
def test_a_slip_is_named_on_the_smallest_case_that_shows_it(example, file, right, wrong, told, names):
    with closing(example(file, right, wrong)) as subject:
        for check in checks_of(names):
            result = run_check(check, subject, profile="quick", seed=0)
            assert result.result == "failed"
            assert told in "\n".join(failure_lines(result))

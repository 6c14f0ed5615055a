"""The examples pass through `leadterms verify`, and a slip made in one by hand is named."""

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from properties import check_implementation
from properties.catalogue import select
from properties.connectors import connect
from properties.results import read_run
from reference.stories import stories

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
PYTHON = shlex.quote(sys.executable)
LONGEST = 60

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")


def run(folder, *arguments):
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"},
    )


def verify(folder, *arguments):
    return run(folder, "-c", "from paper_checks.command_line import main; main()", "verify", *arguments)


@pytest.fixture
def examples(tmp_path):
    """A copy of the examples, to make slips in."""
    folder = tmp_path / "examples"
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_an_example_is_short_enough_to_copy():
    files = [path for path in EXAMPLES.iterdir() if path.suffix in (".py", ".mjs")]
    assert len(files) == 5
    assert {
        path.name: len(path.read_text().splitlines())
        for path in files
        if len(path.read_text().splitlines()) > LONGEST
    } == {}


TARGETS = {
    "numpy": ("py:numpy_adapter:Adapter", ["statistics", "model", "projection"], 35),
    "plain Python": (f"cmd:{PYTHON} plain_python.py", ["statistics", "projection"], 18),
    "node": pytest.param("cmd:node node.mjs", ["statistics", "projection"], 28, marks=needs_node),
    "torch": pytest.param(
        "torch:torch_module:Model:torch_module.toml", ["model", "zero", "first_step"], 8, marks=needs_torch
    ),
}


@pytest.mark.parametrize(("target", "families", "fewest"), TARGETS.values(), ids=TARGETS)
def test_an_example_passes(examples, target, families, fewest):
    chosen = [part for family in families for part in ("--check", family)]
    done = verify(examples, target, "--length", "8", *chosen, "--json", "out.jsonl")
    assert done.returncode == 0, done.stdout + done.stderr
    results = [r for r in read_run(examples / "out.jsonl").results if r.target == target]
    assert len([result for result in results if result.result == "passed"]) >= fewest


@needs_torch
def test_a_checkpoint_is_what_the_theory_predicts(examples):
    (examples / "stories.txt").write_text("\n<|endoftext|>\n".join(stories(40, seed=5)), encoding="utf-8")
    done = run(examples, "checkpoint.py", "stories.txt", "weights.safetensors")
    assert done.returncode == 0, done.stderr
    how = ["weights:weights.safetensors", "--names", "torch_module.toml", "--corpus", "stories.txt"]
    done = verify(examples, *how, "--rate", "0.1", "--steps", "10", "--json", "out.jsonl")
    assert done.returncode == 0, done.stdout + done.stderr
    run_found = read_run(examples / "out.jsonl")
    assert [r.result for r in run_found.results] == ["passed"] * 7
    assert max(map(len, done.stdout.splitlines())) <= 80
    done = verify(examples, *how, "--rate", "0.11", "--steps", "10")
    assert done.returncode == 1
    assert "(check --rate and --steps)" in done.stdout.replace("\n", " ")
    done = verify(examples, *how)
    assert done.returncode == 2
    assert "give --rate and --steps" in done.stderr


NODE, PLAIN, NUMPY = "node.mjs", "plain_python.py", "numpy_adapter.py"
SLIPS = [
    (NUMPY, '"nta,ntb->ab", X, U', '"nta,ntb->ba", X, U', "statistics.B_bar", "transposed"),
    (
        NUMPY,
        'B_bar = np.einsum("nta,ntb->ab", X, U) / (N * T)',
        'B_bar = np.einsum("nta,ntb->ab", X, U)',
        "statistics.B_bar",
        None,
    ),
    (
        NUMPY,
        "causal = np.tril(np.ones((T, T)))",
        "causal = np.tril(np.ones((T, T)), -1) + 1e-300",
        "statistics.Phi_bar",
        None,
    ),
    (NUMPY, "[:, 1:] - 1 / vocab_size", "[:, 1:]", "statistics.B_bar_rows", None),
    (
        NUMPY,
        'pull = A0 * (M - np.einsum("tk,ntk->nt", A0, M)[..., None])',
        "pull = A0 * M",
        "statistics.Q_bar_rows",
        None,
    ),
    (NUMPY, "h = h + maps[-1] @ h @ V", "h = maps[-1] @ h @ V", "model.logits", None),
    (
        NUMPY,
        "weight - (weight * unit).sum() * unit",
        "weight - (weight * direction).sum() * unit",
        "projection.formula",
        None,
    ),
    (PLAIN, "residual / (t + 1)", "residual / T", "statistics.Phi_bar", None),
    (PLAIN, "B_bar[i][a] * B_bar[i][b]", "B_bar[a][i] * B_bar[b][i]", "statistics.Sigma_B", None),
    pytest.param(
        NODE,
        "Q_bar[row[t]][row[k]]",
        "Q_bar[row[k]][row[t]]",
        "statistics.Q_bar",
        "transposed",
        marks=needs_node,
    ),
    pytest.param(
        NODE, "Delta_bar[t - k]", "Delta_bar[t - k + 1]", "statistics.Delta_bar", None, marks=needs_node
    ),
    pytest.param(NODE, "along * direction[i][j]", "along", "projection.formula", None, marks=needs_node),
]


@pytest.mark.parametrize(("file", "right", "wrong", "named", "looks_like"), SLIPS)
def test_a_slip_made_by_hand_is_named(examples, monkeypatch, file, right, wrong, named, looks_like):
    source = (examples / file).read_text()
    assert source.count(right) == 1
    (examples / file).write_text(source.replace(right, wrong))
    monkeypatch.chdir(examples)
    # A module of the same name is another one in each copy of the folder.
    monkeypatch.delitem(sys.modules, "numpy_adapter", raising=False)
    monkeypatch.syspath_prepend(str(examples))
    specs = {NUMPY: "py:numpy_adapter:Adapter", PLAIN: f"cmd:{PYTHON} {PLAIN}", NODE: f"cmd:node {NODE}"}
    target = connect(specs[file])
    result = check_implementation(target, checks=select([named]))[0]
    target.close()
    monkeypatch.delitem(sys.modules, "numpy_adapter", raising=False)
    assert result.result == "failed", result.note
    if looks_like is not None:
        assert result.counterexample["looks_like"] == looks_like

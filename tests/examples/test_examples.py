"""The examples pass through `leadterms verify`, and a slip made in one by hand is named."""

import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from properties import check_implementation
from properties.catalogue import select
from properties.checkpoint import Training, judge
from properties.connectors import connect
from properties.parameter_names import read_names
from properties.results import read_run
from properties.vectors.answers import METHODS
from properties.vectors.files import read
from properties.vectors.held import hold_one
from reference.sequences import read_corpus
from reference.stories import stories
from theory.certificate_format import seal
from theory.certificates import prove

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
        env={**os.environ, "COLUMNS": "80"},
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
    files = [path for path in EXAMPLES.rglob("*") if path.suffix in (".py", ".mjs")]
    assert len(files) == 15
    lengths = {path.name: len(path.read_text().splitlines()) for path in files}
    assert max(lengths.values()) <= LONGEST, lengths


PASSES = {
    # The targets, the families of checks that they run, and how many checks each passes at least.
    "NumPy and plain Python": (
        {"py:numpy_adapter:Adapter": 30, f"cmd:{PYTHON} plain_python.py": 18},
        ["statistics", "model", "projection"],
    ),
    # All methods: no law is left out for want of one.
    "NumPy, all methods": (
        {"py:numpy_descent:Adapter": 39},
        [
            "model",
            "zero",
            "first_step",
            "gradients",
            "heads",
            "composition",
            "ablation",
            "induction",
            "probe",
        ],
    ),
    "node": pytest.param({"cmd:node node.mjs": 28}, ["statistics", "projection"], marks=needs_node),
    "torch": pytest.param(
        {"torch:torch_module:Model:torch_module.toml": 8}, ["model", "zero", "first_step"], marks=needs_torch
    ),
}


@pytest.mark.parametrize(("targets", "families"), PASSES.values(), ids=PASSES)
def test_an_example_passes(examples, targets, families):
    chosen = [part for family in families for part in ("--check", family)]
    done = verify(examples, *targets, "--length", "8", *chosen, "--json", "out.jsonl")
    assert done.returncode == 0, done.stdout + done.stderr
    results = read_run(examples / "out.jsonl").results
    for target, fewest in targets.items():
        passed = [r for r in results if r.target == target and r.result == "passed"]
        assert len(passed) >= fewest, target


@needs_torch
def test_a_checkpoint_is_what_the_theory_predicts(examples):
    (examples / "stories.txt").write_text("\n<|endoftext|>\n".join(stories(20, seed=5)), encoding="utf-8")
    done = run(examples, "checkpoint.py", "stories.txt", "weights.safetensors")
    assert done.returncode == 0, done.stderr
    how = ["weights:weights.safetensors", "--names", "torch_module.toml", "--corpus", "stories.txt"]
    done = verify(examples, *how, "--length", "8", "--rate", "0.1", "--steps", "10", "--json", "out.jsonl")
    assert done.returncode == 0, done.stdout + done.stderr
    run_found = read_run(examples / "out.jsonl")
    assert [r.result for r in run_found.results] == ["passed"] * 7
    assert max(map(len, done.stdout.splitlines())) <= 80
    corpus = read_corpus(examples / "stories.txt", length=8)
    off = Training(0.11, 10, read_names(examples / "torch_module.toml"))
    results = list(judge(examples / "weights.safetensors", corpus, off, seed=0))
    assert [result.result for result in results] == ["failed"] * 7
    assert all("check --rate and --steps" in result.counterexample["diagnosis"] for result in results)


# What is put in the place of what a certificate says, and what the example says of it.
FORGED = {
    "right": ("", "", "the certificate holds\n"),
    "amount": ('"1/8"', '"1/9"', "W: entry 0 after 1 steps is not as claimed"),
    "digest": ('"sha256": "', '"sha256": "0', "W_O: the polynomials of B_bar are not the recorded ones"),
    "statement": ("For every", "For each", "the seal is broken"),
}


@pytest.mark.parametrize("what", FORGED)
def test_a_certificate_is_checked_without_anything_of_ours(examples, what):
    right, wrong, told = FORGED[what]
    certificate = json.dumps(prove(2, 2, 1))
    assert right in certificate
    (examples / "c.json").write_text(certificate.replace(right, wrong, 1))
    # Nothing but the standard library: not the project, nor what is installed.
    alone = [sys.executable, "-E", "-S", str(examples / "certificate" / "check.py"), "c.json"]
    done = subprocess.run(alone, capture_output=True, text=True, cwd=examples, timeout=60)
    assert done.returncode == (what != "right"), done.stderr
    assert told in done.stdout


# What is put in the place of a field of a certificate that is sealed again, and what the example says of it.
RESEALED = {
    # With one position W does not move: no corpus sees its amount, and the recursion does.
    "amount of nothing": (1, 2, {"coefficients": [["0", "1"]]}, "W: the amount after 1 steps is not"),
    # Right at the steps 0 to 4, of a degree that it cannot have.
    "degree": (1, 0, {"coefficients": [["0", "25", "-50", "35", "-10", "1"]]}, "W_O: the amount after"),
    "terms": (2, 0, {"terms": 21}, "W_O: the polynomials of B_bar are not the recorded ones"),
    "order": (2, 1, {"order": 3}, "V: its order, layers or steps are others"),
    "layers": (2, 1, {"layers": 2}, "V: its order, layers or steps are others"),
}


@pytest.mark.parametrize("what", RESEALED)
def test_a_certificate_that_was_sealed_again_is_refused(examples, what):
    length, group, wrong, told = RESEALED[what]
    certificate = json.loads(json.dumps(prove(2, length, 1)))
    identity = certificate["identities"][group]
    (identity["directions"][0] if "terms" in wrong else identity).update(wrong)
    (examples / "c.json").write_text(json.dumps({**certificate, "sha256": seal(certificate)}))
    done = run(examples, "certificate/check.py", "c.json")
    assert done.returncode == 1, done.stderr
    assert told in done.stdout
    assert "seal" not in done.stdout


NODE, PLAIN, TORCH = "node.mjs", "plain_python.py", "torch_module.py"
NUMPY, METRICS, DESCENT = "numpy_adapter.py", "numpy_metrics.py", "numpy_descent.py"
HEADS = "numpy_heads.py"
SPECS = {
    NUMPY: "py:numpy_adapter:Adapter",
    METRICS: "py:numpy_adapter:Adapter",
    HEADS: "py:numpy_adapter:Adapter",
    DESCENT: "py:numpy_descent:Adapter",
    TORCH: "torch:torch_module:Model:torch_module.toml",
    PLAIN: f"cmd:{PYTHON} {PLAIN}",
    NODE: f"cmd:node {NODE}",
}
# The file, what is right in it, what is put in its place, the check that names it, what the slip is called:
# on the smallest case of all that are drawn. Many more, none of them twice, are tried on fixed cases in
# tests/properties/test_slips_by_hand.py.
SLIPS = [
    (NUMPY, '"nta,ntb->ab", X, U', '"nta,ntb->ba", X, U', "statistics.B_bar", "transposed"),
    (NUMPY, 'ab", X, U) / (N * T)', 'ab", X, U)', "statistics.B_bar", "not divided by NT"),
    (
        NUMPY,
        '(M - np.einsum("tk,ntk->nt", A0, M)[..., None])',
        "M",
        "statistics.Q_bar_rows",
        "the mean over the prefix is not subtracted from the pull",
    ),
    (NUMPY, "h.append(h[-1] + maps[-1]", "h.append(maps[-1]", "model.logits", "a layer replaces what it"),
    (METRICS, "(weight * unit).sum()", "(weight * direction).sum()", "projection.formula", "divided by |D|"),
    (
        DESCENT,
        '"ntk,ntb,ab->nka", A, G, V',
        '"ntk,ntb,ba->nka", A, G, V',
        "gradients.V",
        "V is not transposed where the gradient flows back",
    ),
    (
        DESCENT,
        '"ntk,nta,ab->nkb", S, x, W',
        '"ntk,nta,ba->nkb", S, x, W',
        "gradients.W",
        "W is transposed where the gradient flows back",
    ),
    (TORCH, "distance < 0, -torch.inf", "distance < 0, 0.0", "model.logits", "set to 0, not"),
    (DESCENT, "value - rate * slope[name]", "value + rate * slope[name]", "first_step.W_O", "negated"),
    (METRICS, "d[1:2].sum()", "d[2:3].sum()", "heads.one_hot_maps", "two places back"),
    (PLAIN, "residual / (t + 1)", "residual / T", "statistics.Phi_bar", "has the share 1/T, not 1/t"),
    (
        HEADS,
        " / np.sqrt(k)",
        " / np.sqrt(d)",
        "ablation.all_heads",
        "divided by the root of the stream's width",
    ),
    (
        HEADS,
        "np.tri(T, dtype=bool)",
        "np.tri(T, dtype=bool).T",
        "ablation.all_heads",
        "the mask is upside down",
    ),
    (
        HEADS,
        "maps[kept], value[kept], W_O[kept]",
        "maps, value, W_O",
        "ablation.one_head",
        "no head is removed",
    ),
    (HEADS, "== tokens[:-1]", "== tokens[1:]", "induction.extremes", "the current one included"),
    (HEADS, "targets.any(axis=1).sum()", "T", "induction.uniform", "rows whose token is new count as 0"),
    (HEADS, "numbers[order[:tested]]", "order[:tested]", "probe.shares", "places of the sequences"),
    (NODE, "Q_bar[row[t]][row[k]]", "Q_bar[row[k]][row[t]]", "statistics.Q_bar", "transposed"),
    (NODE, "Delta_bar[t - k]", "Delta_bar[k]", "statistics.Delta_bar", "gathered by the key's position"),
    (NODE, "along * direction[i][j]", "along", "projection.formula", "without the direction"),
]


def _forget(monkeypatch):
    for module in ("numpy_adapter", "numpy_metrics", "numpy_heads", "numpy_descent", "torch_module"):
        monkeypatch.delitem(sys.modules, module, raising=False)


def _skip_without(file):
    if file == NODE and shutil.which("node") is None:
        pytest.skip("Node is not installed")
    if file == TORCH and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")


@contextmanager
def _connected(file, folder, monkeypatch):
    """The target of an example in a copy of the folder: a module of the same name is another one in each."""
    monkeypatch.chdir(folder)
    _forget(monkeypatch)
    monkeypatch.syspath_prepend(str(folder))
    with closing(connect(SPECS[file])) as target:
        yield target
    _forget(monkeypatch)


@pytest.mark.parametrize("file", [DESCENT, TORCH, PLAIN, NODE])
def test_an_example_answers_and_refuses_as_the_vectors_say(examples, monkeypatch, file):
    _skip_without(file)
    with _connected(file, examples, monkeypatch) as target:
        for method in target.methods & set(METHODS):
            cases = read(ROOT / "vectors" / f"{method}.json")["cases"]
            assert {case["outcome"] for case in cases} == {"answer", "refuse"}
            held = [hold_one(target, method, case) for case in cases]
            assert [(one.id, one.fault) for one in held if one.fault] == []


def test_there_are_ten_slips_or_more_and_some_in_each_kind_of_example():
    """In NumPy, in torch, and in programs in other languages."""
    assert len({(file, wrong) for file, _, wrong, _, _ in SLIPS}) == len(SLIPS) >= 10
    assert {file for file, *_ in SLIPS} == SPECS.keys()
    assert len({told for *_, told in SLIPS}) >= 10


@pytest.mark.parametrize(("file", "right", "wrong", "named", "looks_like"), SLIPS)
def test_a_slip_made_by_hand_is_named(examples, monkeypatch, file, right, wrong, named, looks_like):
    _skip_without(file)
    source = (examples / file).read_text()
    assert source.count(right) == 1
    (examples / file).write_text(source.replace(right, wrong))
    with _connected(file, examples, monkeypatch) as target:
        result = check_implementation(target, checks=select([named]))[0]
    assert result.result == "failed", result.note
    assert looks_like in result.counterexample["looks_like"]

"""A target whose folder has modules called as this project's are: each finds its own."""

import sys
import tomllib
from pathlib import Path

import pytest

import gpu
import reference
from properties import check_implementation
from properties.catalogue import select
from properties.connectors import connect
from properties.jobs import Job, Trial
from properties.namesakes import ROOMS
from properties.sharing import try_between
from reference.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "mine.py": """
from gpu.kernels import count
from reference import ONE

class Mine:
    dtype = "float64"

    def __init__(self):
        from theory import SHARE
        self.share = SHARE

    def statistics(self, tokens, vocab_size):
        from gpu.centring import centred
        from properties import scaled
        return {"B_bar": scaled(centred(count(tokens, vocab_size)), self.share / tokens[:, 1:].size)}
""",
    "gpu/__init__.py": "",
    "gpu/kernels.py": """
import numpy as np

def count(tokens, vocab_size):
    pairs = np.zeros((vocab_size, vocab_size))
    np.add.at(pairs, (tokens[:, :-1], tokens[:, 1:]), 1)
    return pairs
""",
    "gpu/centring.py": """
def centred(pairs):
    return pairs - pairs.mean(axis=1, keepdims=True)
""",
    "reference.py": "ONE = 1",
    "theory.py": "SHARE = 1",
    "properties.py": """
from pathlib import Path

with Path("imported.txt").open("a", encoding="utf-8") as file:
    file.write("once ")

def scaled(matrix, factor):
    return matrix * factor
""",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    sys.modules.pop("mine", None)


def test_a_target_among_namesakes_is_checked_and_both_find_their_own(folder):
    sys.path.append(str(folder))  # behind ours, where another tool may have put it
    before = {name for name in sys.modules if name.partition(".")[0] in ROOMS}
    target = connect("py:mine:Mine")
    assert target.methods == {"statistics"}
    results = check_implementation(target, checks=select(["statistics.B_bar"]), profile="quick")
    assert [one.result for one in results] == ["passed"]
    assert (sys.modules["gpu"], sys.modules["reference"]) == (gpu, reference)
    assert before <= {*sys.modules}
    assert "gpu.kernels" not in sys.modules
    assert sys.path[-1] == str(folder)
    assert sys.path.count(str(folder)) == 1
    assert (folder / "imported.txt").read_text(encoding="utf-8") == "once "


def test_processes_that_share_the_checks_find_their_own_too(folder):
    jobs = [Job(connect("py:mine:Mine"), check) for check in select(["statistics.B_bar"])]
    results = try_between(2, jobs, Trial("quick", 0), lambda what, done, total: None)
    assert [one.result for one in results] == ["passed"]


def test_what_raises_among_namesakes_leaves_all_in_its_place(folder):
    (folder / "gpu" / "centring.py").write_text("import no_such_module", encoding="utf-8")
    results = check_implementation("py:mine:Mine", checks=select(["statistics.B_bar"]), profile="quick")
    assert [one.result for one in results] == ["failed"]
    assert "no_such_module" in str(results[0].counterexample)
    assert sys.modules["gpu"] is gpu


def test_a_factory_of_torch_modules_finds_its_own(folder):
    pytest.importorskip("torch", reason="the target is a torch module")
    example = (ROOT / "examples" / "torch_module.py").read_text(encoding="utf-8")
    (folder / "gpu" / "model.py").write_text(example, encoding="utf-8")
    make = "def make(*sizes):\n    from gpu.model import Model\n    return Model(*sizes)\n"
    (folder / "mine.py").write_text(make, encoding="utf-8")
    target = connect(f"torch:mine:make:{ROOT / 'examples' / 'torch_module.toml'}")
    results = check_implementation(target, checks=select(["zero.loss"]), profile="quick")
    assert [one.result for one in results] == ["passed"]
    assert sys.modules["gpu"] is gpu


def test_a_folder_that_python_passes_over_is_told(folder):
    (folder / "gpu" / "__init__.py").unlink()
    with pytest.raises(InputError, match=r"package gpu, which comes first unless yours has an __init__\.py"):
        connect("py:mine:Mine")


def test_the_names_are_those_that_are_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["setuptools"]["packages"]["find"]["include"] == [f"{room}*" for room in ROOMS]

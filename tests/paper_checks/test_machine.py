"""What `leadterms doctor` makes of a machine that lacks something."""

import builtins

import pytest

from paper_checks import machine

REQUIREMENTS = [
    "numpy>=1.26",
    "rich>=9999.1",
    'torch>=2.5; extra == "gpu"',
    'no-such-package>=3; extra == "hub"',
    'leadterms[gpu,absent]; extra == "hub"',
    "numba ; extra == 'fast'",
]


def test_what_is_missing_or_too_old_is_told():
    found = machine.installed_extras(REQUIREMENTS)
    assert list(found["core"].installed) == ["numpy"]
    assert found["core"].missing == ["rich>=9999.1"]
    assert found["hub"].missing == ["no-such-package>=3"]
    assert found["hub"].includes == ["gpu", "absent"]
    assert list(found["fast"].installed) == ["numba"]


def test_what_cannot_run_says_how_to_get_it():
    able = machine.abilities(machine.installed_extras(REQUIREMENTS), [], "", None, None)
    get = {one.what.split(" ")[0]: one.get for one in able}
    assert get["report:"] == "pip install 'leadterms[report]'"
    assert get["corpora"] == "pip install 'leadterms[hub]'"
    assert get["--device"] == "a CUDA device and a torch built for it"
    assert able[0].get == "pip install 'rich>=9999.1'"
    assert all(one.get for one in able if "browser" in one.what or "JavaScript" in one.what)


def test_a_torch_that_is_broken_is_told(monkeypatch):
    pytest.importorskip("torch")
    real = builtins.__import__

    def broken(name, *rest):
        if name == "torch":
            raise OSError("libcudart.so.12: cannot open shared object file")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", broken)
    found = machine.examine()
    assert "libcudart.so.12" in found["torch_problem"]
    (trains,) = [one for one in found["can"] if "train" in one["what"]]
    assert "install it again" in trains["get"]


def test_a_folder_below_a_file_cannot_be_written_to(tmp_path):
    (tmp_path / "file").write_text("")
    assert machine._can_write(tmp_path / "made" / "later")
    assert not machine._can_write(tmp_path / "file" / "below")

"""Files that are written whole or not at all."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file

from gpu.array_files import write_safetensors
from reference.atomic_files import write_atomically, write_text
from reference.errors import InputError


@pytest.fixture
def _usual_mask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("_usual_mask")
def test_a_file_has_the_permissions_of_any_other_or_of_the_one_before(tmp_path):
    path = tmp_path / "a.safetensors"
    write_safetensors(path, {}, {})
    assert mode(path) == 0o644
    path.chmod(0o640)
    write_safetensors(path, {}, {})
    assert mode(path) == 0o640


def test_a_link_goes_on_leading_to_the_file(tmp_path):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    read, write = os.pipe()
    write_text(tmp_path.joinpath(f"/dev/fd/{write}"), "told")
    assert os.read(read, 10) == b"told"
    os.close(read)
    os.close(write)


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def half(beside):
        beside.write_text("ne")
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match=r"a\.txt cannot be written: No space left on device"):
        write_atomically(path, half)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match="No such file or directory"):
        write_text(tmp_path / "no" / "a.txt", "text")


@pytest.mark.skipif(os.name != "posix", reason="elsewhere nothing is removed")
def test_what_is_put_in_place_is_on_the_disk(tmp_path, monkeypatch):
    """A machine that loses its power a moment later has the new file or the old one, and not an empty one."""
    done = []
    fsync, replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda number: done.append(os.fstat(number).st_size) or fsync(number))
    monkeypatch.setattr(Path, "replace", lambda path, to: done.append("in place") or replace(path, to))
    write_text(tmp_path / "a.txt", "twelve bytes")
    assert done == [12, "in place"]


def test_what_killed_processes_left_is_removed_and_what_is_being_written_is_not(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    names = [f".a[1].txt.{gone.pid}.part", f".a[1].txt.{os.getppid()}.part", f".b.txt.{gone.pid}.part"]
    names += [".a[1].txt.part", ".a[1].txt.x.part"]
    for name in names:
        (tmp_path / name).write_text("half")
    write_text(tmp_path / "a[1].txt", "new")
    assert {path.name for path in tmp_path.iterdir()} == {*names[1:], "a[1].txt"}


def test_arrays_with_the_same_metadata_are_the_same_bytes(tmp_path):
    """The library for them orders metadata by chance, anew in each file."""
    told = {f"name {i}": 'a "word" \\ \n\t\x01\x7f é 床' * i for i in range(9)}
    files = [tmp_path / f"{i}.safetensors" for i in range(4)]
    for path in files:
        write_safetensors(path, {"a": np.arange(6.0).reshape(2, 3), "none": np.zeros((0, 2))}, told)
    assert len({path.read_bytes() for path in files}) == 1
    with safe_open(files[0], framework="numpy") as file:
        assert file.metadata() == told
        np.testing.assert_array_equal(file.get_tensor("a"), [[0, 1, 2], [3, 4, 5]])
    write_safetensors(files[0], {"a": np.ones(2)}, {})
    np.testing.assert_array_equal(load_file(files[0])["a"], [1, 1])

"""Machine code that is kept is that of the source as it stands."""

import importlib
from pathlib import Path

import pytest

import gpu
from gpu import compiled

MODULES = sorted(
    path.stem for path in Path(gpu.__file__).parent.glob("*kernels.py") if "numba" in path.read_text()
)


@pytest.mark.skipif(not compiled.available(), reason="numba is not installed")
@pytest.mark.parametrize("name", MODULES)
def test_a_compiled_loop_calls_none_of_another_file(name):
    """numba looks at the file of a function alone: after a change elsewhere it would run what was there."""
    module = importlib.import_module(f"gpu.{name}")
    loops = {key: value for key, value in vars(module).items() if hasattr(value, "py_func")}
    assert loops
    for key, loop in loops.items():
        assert loop.py_func.__module__ == module.__name__, f"{key} is of {loop.py_func.__module__}"

"""The device of a run is asked of torch where there may be one, and known without it where there is none."""

import ctypes
import sys
from types import SimpleNamespace

import pytest

from paper_checks import provenance


@pytest.fixture
def asked(monkeypatch):
    """Return the device named with a driver, or ROCm's file, there or not; torch stands for itself."""
    cuda = SimpleNamespace(is_available=lambda: True, get_device_name=lambda index: f"card {index}")
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    monkeypatch.setattr(provenance, "has_torch", lambda: True)

    def device(driver, rocm):
        def load(name):
            if name != driver:
                raise OSError(name)

        monkeypatch.setattr(ctypes, "CDLL", load)
        monkeypatch.setattr(provenance, "ROCM", rocm)
        return provenance._device()

    return device


def test_a_device_is_named_with_any_driver_and_with_none_torch_is_not_asked(asked, tmp_path):
    for driver in provenance.LIBRARIES:
        assert asked(driver, tmp_path / "none") == "cuda: card 0"
    assert asked(None, tmp_path) == "cuda: card 0"
    assert asked(None, tmp_path / "none") == "cpu"

"""The page on attention names what there is: every experiment, and functions that exist."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "attention.md").read_text(encoding="utf-8")


def test_every_experiment_is_named():
    pytest.importorskip("torch", reason="experiments train models")
    from paper_checks.experiments.registry import EXPERIMENTS

    assert re.findall(r"^\| `(\w+\.\w+)` \|", PAGE, flags=re.MULTILINE) == list(EXPERIMENTS)


def test_every_file_and_metric_is_there():
    files = re.findall(r"`((?:reference|theory|properties)/\w+\.py)`", PAGE)
    assert files
    assert all((ROOT / file).is_file() for file in files)
    for module, function in re.findall(
        r"\| `(\w+)(?:\.(\w+))?` \| [^|]*\| [^|]*\|$", PAGE, flags=re.MULTILINE
    ):
        found = importlib.import_module(f"reference.{module}")
        assert not function or callable(getattr(found, function))

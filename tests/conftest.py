"""Shapes in signatures are enforced while tests run, on one thread, and nothing reaches the network."""

import gc
import os
import runpy
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from signatures import enforce

TESTS = Path(__file__).resolve().parent
OFFLINE = TESTS / "offline"

enforce(["reference", "gpu", "properties.rounded_model", "properties.statistics_bounds"])
# How long a case takes depends on who else uses the machine, and says nothing about what is tested.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

# The same for every process that a test starts: our modules, and no network.
if str(OFFLINE) not in os.environ.get("PYTHONPATH", ""):
    runpy.run_path(str(OFFLINE / "sitecustomize.py"))
    paths = [str(OFFLINE), str(TESTS.parent), os.environ.get("PYTHONPATH")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
os.environ["HF_HUB_OFFLINE"] = "1"
# Workers share the cores already, and threads that wait for one another keep a core busy. (Workers take this
# from the process that starts them; that process, where it has no workers, may have read it already.)
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage in what is imported, which stays: it took a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory):
    """Keep tokenized corpora out of the user's cache, in subprocesses too."""
    os.environ["LEADTERMS_CACHE"] = str(tmp_path_factory.mktemp("cache"))

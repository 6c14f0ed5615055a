"""Shapes in signatures are enforced while tests run, and nothing reaches the network."""

import os
import socket

import pytest
from hypothesis import settings
from jaxtyping import install_import_hook

install_import_hook(
    ["reference", "gpu", "properties.rounded_model", "properties.statistics_bounds"], "beartype.beartype"
)
# A slow machine is no fault of what is tested.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory):
    """Keep tokenized corpora out of the user's cache, in subprocesses too."""
    os.environ["LEADTERMS_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    """Refuse connections to anywhere but this machine."""
    connect = socket.socket.connect

    def guarded(self, address):
        host = address[0] if isinstance(address, tuple) else ""
        if host not in ("", "127.0.0.1", "::1", "localhost"):
            raise RuntimeError(f"a test tried to reach {host}")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)

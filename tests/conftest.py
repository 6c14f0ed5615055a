"""Shapes in signatures are enforced while tests run, and nothing reaches the network."""

import socket

import pytest
from jaxtyping import install_import_hook

install_import_hook(
    ["reference", "gpu", "properties.rounded_model", "properties.statistics_bounds"], "beartype.beartype"
)


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

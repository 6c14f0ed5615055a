"""Nothing reaches the network from a test, and nothing from a process that a test starts."""

import socket
import subprocess
import sys

import pytest

# An address that is set aside for documentation: nobody has it.
ELSEWHERE = "192.0.2.1"
ATTEMPTS = {
    "connects": f"socket.create_connection(('{ELSEWHERE}', 80), timeout=1)",
    "connects without an exception": f"socket.socket().connect_ex(('{ELSEWHERE}', 80))",
    "sends": f"socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('{ELSEWHERE}', 53))",
    "asks for a name": "socket.getaddrinfo('example.org', 443)",
    "fetches": "urllib.request.urlopen('https://example.org')",
    "fetches from the hub": "huggingface_hub.HfApi().model_info('gpt2')",
}
REFUSED = r"a test tried to reach (192\.0\.2\.1|example\.org)|[Oo]ffline"


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS)
def test_a_process_that_a_test_starts_reaches_nothing(attempt, tmp_path):
    modules = "socket, urllib.request" + (", huggingface_hub" if "hub" in attempt else "")
    code = f"import {modules}; {attempt}; print('reached')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode != 0
    assert "reached" not in done.stdout
    assert "a test tried to reach" in done.stderr or "ffline" in done.stderr


def test_a_test_itself_reaches_nothing():
    with pytest.raises(RuntimeError, match=REFUSED):
        socket.create_connection((ELSEWHERE, 80), timeout=1)
    with pytest.raises(RuntimeError, match=REFUSED):
        socket.getaddrinfo("example.org", 443)


def test_this_machine_can_be_reached():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        server.accept()[0].close()

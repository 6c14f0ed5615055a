"""No network for the tests: Python imports this at its start where the folder is on its path.

tests/conftest.py puts it there for every process that a test starts, and runs it in its own. The hook cannot
be taken out again, and sees what libraries do through Python's sockets.
"""

import socket
import sys

HERE = {"", "localhost", "::1", "0.0.0.0", socket.gethostname()}
# Where in an event's arguments the host or the address is.
PLACE = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
}


def refuse(event, arguments):
    """Raise where something beyond this machine is asked for."""
    if event not in PLACE:
        return
    address = arguments[PLACE[event]]
    named = event in ("socket.getaddrinfo", "socket.gethostbyname")
    # The address of a socket in the file system is a text, and of one that is connected none.
    host = address if named else address[0] if isinstance(address, tuple) else ""
    told = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "")
    if told not in HERE and not told.startswith("127."):
        raise RuntimeError(f"a test tried to reach {told}")


sys.addaudithook(refuse)

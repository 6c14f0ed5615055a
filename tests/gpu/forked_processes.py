"""Runs a command as several processes that find each other, as torchrun starts them.

They are forked from one process that has loaded torch and the compiled loops: seconds are saved for each.
A run is {"module", "arguments", "size"}, and may have "kill": [rank, where, count], which kills that process
at its count-th call of the function `where`, "other": [rank, arguments], which it gets besides,
"set": [name, value], and "hide": "numba". Its result is a list of [exit status, standard error] by rank.
"""

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOADED = ("gpu.processes", "gpu.training", "gpu.corpora", "gpu.torch_sums", "gpu.stats", "gpu.train", "rich")


def run_all(runs):
    """Do the runs one after the other, and return their results."""
    done = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps(runs),
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def _main():
    import numpy as np

    for module in LOADED:
        importlib.import_module(module)
    from gpu import compiled
    from gpu.sparse_statistics import sparse_statistics
    from gpu.streaming import stream_statistics

    if compiled.available():
        tokens = np.zeros((1, 3), dtype=np.int64)
        stream_statistics([tokens], 2), sparse_statistics([tokens], 2)
    print(json.dumps([_run(run) for run in json.load(sys.stdin)]))


def _run(run):
    with tempfile.TemporaryDirectory() as folder:
        port = _free_port()
        children = []
        for rank in range(run["size"]):
            child = os.fork()
            if child == 0:
                _be(rank, run, port, Path(folder) / f"{rank}")
            children.append(child)
        states = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        told = [(Path(folder) / f"{rank}").read_text() for rank in range(run["size"])]
    return list(zip(states, told, strict=True))


def _be(rank, run, port, told):
    """Be the process `rank` of a run; never return."""
    with told.open("w") as file:
        os.dup2(file.fileno(), 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(run["size"])}
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    other = run.get("other", [None, []])
    sys.argv = [run["module"], *run["arguments"], *(other[1] if other[0] == rank else [])]
    if run.get("hide") == "numba":
        importlib.import_module("gpu.compiled").available = lambda: False
    if "set" in run:
        module, name = run["set"][0].rsplit(".", 1)
        setattr(importlib.import_module(module), name, run["set"][1])
    if run.get("kill", [None])[0] == rank:
        _kill_at(*run["kill"][1:])
    status = 1
    try:
        importlib.import_module(run["module"]).main()
        status = 0
    except SystemExit as end:
        status = end.code or 0
    finally:
        sys.stderr.flush()
        os._exit(status)


def _kill_at(where, count):
    module, name = where.rsplit(".", 1)
    home, calls = importlib.import_module(module), []
    really = getattr(home, name)

    def counted(*arguments, **options):
        calls.append(None)
        if len(calls) == count:
            os.kill(os.getpid(), signal.SIGKILL)
        return really(*arguments, **options)

    setattr(home, name, counted)


def _free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


if __name__ == "__main__":
    _main()

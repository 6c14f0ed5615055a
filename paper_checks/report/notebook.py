"""The notebook: its cells put together, executed where its results lie, and validated."""

from __future__ import annotations

import atexit
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import properties
from paper_checks.report.cells import CELLS, Cell
from paper_checks.reproduction.curve_lists import curves
from properties.results import Run
from reference.errors import InputError

NAME = "report.ipynb"
SECONDS = 120  # for one cell, on a machine that does much else


def write_notebook(run: Run, folder: Path) -> None:
    """Write the notebook into `folder`, executed there; `results.jsonl` must lie in it.

    Raises:
        InputError: no kernel starts here, or it stops or stalls.
    """
    nbformat: Any = import_module("nbformat")
    notebook = _assembled(run)
    with tempfile.TemporaryDirectory(prefix="leadterms-") as scratch:
        _execute(notebook, folder, Path(scratch))
    nbformat.validate(notebook)
    (folder / NAME).write_bytes((nbformat.writes(notebook) + "\n").encode("utf-8", "replace"))


def cells(run: Run) -> list[Cell]:
    """Return the cells that have something to show of this run."""
    measured = {name for result in run.results for name in result.measurements}
    measured |= {name for name, value in run.header.items() if value}
    if run.claims:
        measured.add("claims")
    if curves(run.header.get("reproduced") or {}):
        measured.add("curves")
    return [cell for cell in CELLS if not cell.needs or cell.needs in measured]


def _assembled(run: Run) -> Any:
    v4: Any = import_module("nbformat.v4")
    make = {"markdown": v4.new_markdown_cell, "code": v4.new_code_cell}
    made = [make[cell.kind](cell.source.strip(), id=cell.id) for cell in cells(run)]
    notebook = v4.new_notebook(cells=made)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return notebook


def _execute(notebook: Any, folder: Path, scratch: Path) -> None:
    import asyncio

    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError

    client = NotebookClient(
        notebook,
        km=_kernel(scratch),
        timeout=SECONDS,
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
    )
    log_file = scratch / "kernel.log"
    try:
        # In a thread of its own nbclient leaves this process's signals alone, so that Ctrl-C means what it
        # always does, and this process may have an event loop already. What a kernel itself prints, mostly
        # while it is shut down, is shown only when the notebook fails.
        with log_file.open("wb") as log, ThreadPoolExecutor(max_workers=1) as pool:
            started: dict[str, Any] = {"env": _environment(scratch), "stdout": log, "stderr": log}
            pool.submit(lambda: asyncio.run(client.async_execute(**started, cleanup_kc=True))).result()
    except (CellTimeoutError, RuntimeError) as error:
        # The latter is a kernel that dies or never starts. nbclient would clean up once more at exit, and
        # fail where there is none.
        atexit.unregister(client._cleanup_kernel)
        said = [line for line in log_file.read_text("utf-8", "replace").splitlines() if "Error" in line]
        reason = "; ".join(line.rstrip(".") for line in [str(error).strip().splitlines()[0], *said[-1:]])
        raise InputError(f"The report's notebook could not be executed here ({reason}); try again.") from None


def _kernel(scratch: Path) -> Any:
    """Return a kernel that runs this very interpreter, whatever kernels the user has installed."""
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager

    class ThisInterpreter(AsyncKernelManager):
        @property
        def kernel_spec(self) -> KernelSpec:
            command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
            options = ["--HistoryManager.enabled=False"]
            return KernelSpec(argv=[*command, *options], display_name="Python 3", language="python")

    # Sockets in the scratch folder are out of the network's reach; a system limits how long their paths are.
    transport = "ipc" if os.name == "posix" and len(str(scratch)) < 80 else "tcp"
    connection = str(scratch / "kernel.json")
    return ThisInterpreter(kernel_name="python3", connection_file=connection, transport=transport)


def _environment(scratch: Path) -> dict[str, str]:
    """Return the kernel's environment: our modules found, and nothing of the user's settings."""
    import matplotlib

    home = str(Path(properties.__file__).resolve().parent.parent)
    path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))
    return {
        **os.environ,
        "PYTHONPATH": path,
        "IPYTHONDIR": str(scratch),
        # The fonts that this process has found already; looking for them again is slow and prints.
        "MPLCONFIGDIR": matplotlib.get_cachedir(),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }

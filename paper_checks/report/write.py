"""A run's whole report, written into a folder at once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from paper_checks.report.draw import write_figures
from paper_checks.report.folder import check_folder, files_in, filled_together
from paper_checks.report.notebook import write_notebook
from paper_checks.report.page import render
from paper_checks.report.plots import KINDS, plot_groups
from properties.results import Run, write_run
from reference.atomic_files import write_text
from reference.errors import InputError

RESULTS, PAGE, FIGURES, CERTIFICATE = "results.jsonl", "index.html", "figures", "certificate.json"
EXPLORER = "explorer.html"  # where a report has a page to explore a model on
# What the report is made with, besides the core.
NEEDED = ("nbclient", "ipykernel", "matplotlib", "jinja2")


def write_report(run: Run, out: Path, beside: Mapping[str, str] = MappingProxyType({})) -> list[Path]:
    """Write the results, notebook, page, figures and certificate into the folder `out`; return their paths.

    All of them are views of `run` and depend on nothing else. `beside` are texts of further files, by name,
    that the page may link to. A run that is interrupted or fails leaves `out` as it was.

    Raises:
        InputError: nothing can be written into `out`, or a package that makes reports is missing.
    """
    _check_packages()
    with filled_together(out, _is_stale) as folder:
        write_run(folder / RESULTS, run)
        if certificate := run.header.get("certificate"):
            write_text(folder / CERTIFICATE, json.dumps(certificate, indent=1) + "\n")
        groups = plot_groups(run)
        figures = write_figures(groups, folder / FIGURES)
        (folder / PAGE).write_bytes(render(run, groups, figures).encode("utf-8", "backslashreplace"))
        write_notebook(run, folder)
        for name, text in beside.items():
            (folder / name).write_text(text, encoding="utf-8")
        names = files_in(folder)
    return [out / name for name in names]


def check_report(out: Path) -> None:
    """Fail now, before long work, if `write_report` could not write into `out` afterwards.

    Raises:
        InputError: nothing can be written into `out`, or a package that makes reports is missing.
    """
    _check_packages()
    check_folder(out)


def _check_packages() -> None:
    missing = [package for package in NEEDED if find_spec(package) is None]
    if missing:
        raise InputError(f"A report needs {', '.join(missing)}: pip install 'leadterms[report]'")


def _is_stale(path: Path) -> bool:
    """Whether this is a figure, or a page to explore, that an earlier report may have left."""
    if path == Path(EXPLORER):
        return True
    named_so = path.stem.startswith(tuple(f"{kind}-" for kind in KINDS))
    return path.parent == Path(FIGURES) and path.suffix in (".svg", ".png") and named_so

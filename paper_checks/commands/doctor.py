"""`leadterms doctor`: what this machine can run, and how to get the rest."""

from __future__ import annotations

from typing import Any

import typer

from paper_checks import options

# Columns of a label with its indent.
LABEL = 13


def doctor(json: options.JsonFile = None, quiet: options.Quiet = False) -> None:
    """Say what this machine can run, and how to get the rest; exit 1 when a package of the core is missing.

    Example: leadterms doctor --json machine.json
    """
    from paper_checks.machine import examine

    found = examine()
    if json is not None:
        from paper_checks.finite import write_json

        write_json(json, found)
    if not quiet:
        _show(found)
    raise typer.Exit(0 if found["ok"] else 1)


def _show(found: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    from gpu.terminal import terminal
    from paper_checks.labelled import labelled

    console = terminal()
    memory = f", {found['memory_gib']:g} GiB of memory" if found["memory_gib"] else ""
    console.print(
        f"leadterms {found['leadterms'] or '(not installed)'}, Python {found['python']}, {found['machine']}, "
        f"{found['cores']} cores{memory}"
    )
    cache = found["cache"]["folder"] + ("" if found["cache"]["writable"] else ", not writable")
    machine = {
        "devices": ", ".join(["cpu", *found["cuda"]]),
        "browser": found["browser"] or "none",
        "node": found["node"] or "none",
        "cache": cache,
    }
    packages = {name: _installed(extra) for name, extra in found["packages"].items()}
    console.print(labelled({**packages, **machine}, LABEL))
    able = Table.grid(padding=(0, 1))
    for one in found["can"]:
        yes = Text("yes", style="green") if one["possible"] else Text("no", style="yellow")
        able.add_row(yes, Text(one["what"] + ("" if one["possible"] else f":\n{one['get']}")))
    console.print(able)


def _installed(extra: dict[str, Any]) -> str:
    """Return what of an extra is installed, and what is missing."""
    there = [f"{package} {version}" for package, version in extra["installed"].items()]
    there += [f"those of {', '.join(extra['includes'])}"] if extra["includes"] else []
    lacking = f"; missing: {', '.join(extra['missing'])}" if extra["missing"] else ""
    return f"{', '.join(there) or 'nothing'}{lacking}"

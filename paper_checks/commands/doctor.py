"""`leadterms doctor`: what this machine can run, and how to get the rest."""

from __future__ import annotations

from typing import Any

import typer

from paper_checks import options


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
    from rich.text import Text

    from gpu.terminal import terminal

    console = terminal(soft_wrap=True)
    memory = f", {found['memory_gib']:g} GiB of memory" if found["memory_gib"] else ""
    console.print(
        f"leadterms {found['leadterms'] or '(not installed)'}, Python {found['python']}, {found['machine']}, "
        f"{found['cores']} cores{memory}"
    )
    for name, extra in found["packages"].items():
        there = [f"{package} {version}" for package, version in extra["installed"].items()]
        there += [f"those of {', '.join(extra['includes'])}"] if extra["includes"] else []
        lacking = f"; missing: {', '.join(extra['missing'])}" if extra["missing"] else ""
        console.print(f"  {name:11} {', '.join(there) or 'nothing'}{lacking}")
    for name, value in (
        ("devices", ", ".join(["cpu", *found["cuda"]])),
        ("browser", found["browser"] or "none"),
        ("node", found["node"] or "none"),
        ("cache", found["cache"]["folder"] + ("" if found["cache"]["writable"] else ", not writable")),
    ):
        console.print(f"  {name:11} {value}")
    for one in found["can"]:
        if one["possible"]:
            console.print(Text("yes", style="green"), one["what"])
        else:
            console.print(Text("no ", style="yellow"), f"{one['what']}: {one['get']}")

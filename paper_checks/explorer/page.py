"""The explorer as one HTML file that needs nothing else, neither a server nor a network."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib import resources
from pathlib import Path
from typing import Any

from reference.atomic_files import write_text
from reference.errors import InputError

HERE = "paper_checks.explorer"


def write_explorer(path: Path, data: dict[str, Any]) -> None:
    """Write the page of what `explorer_data` returned.

    Raises:
        InputError: the file cannot be written, or jinja2 is missing.
    """
    write_text(path, render(data))


def render(data: dict[str, Any]) -> str:
    """Return the page. Its tables are there without scripts; the maps need the one script that it holds.

    Raises:
        InputError: jinja2 is missing.
    """
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError:
        raise InputError("The explorer needs jinja2: pip install 'leadterms[report]'") from None
    environment = Environment(
        autoescape=True,
        loader=FunctionLoader(_text),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = _text("explorer.js")
    return environment.get_template("explorer.html").render(
        data=data,
        # In a script element only "<" could end it or begin a comment.
        json=json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c"),
        style=_text("explorer.css"),
        script=script,
        script_digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def _text(name: str) -> str:
    return resources.files(HERE).joinpath(name).read_text(encoding="utf-8")

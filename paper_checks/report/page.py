"""The page: one HTML file that needs nothing else, filled in by templates that escape what they show."""

from __future__ import annotations

import base64
import hashlib
import json
import textwrap
from collections.abc import Iterable, Mapping
from importlib import resources
from statistics import median
from typing import Any

from paper_checks.report import descent, families, formulas, news, summary, verdicts
from paper_checks.report.families import EVIDENCE, FAMILIES
from paper_checks.report.panels import PlotGroup
from paper_checks.report.typeset import typeset
from paper_checks.reproduction.rows import horizons, told_off
from paper_checks.visible import visible
from properties.failure import failure_rows
from properties.results import BAD, STATES, Result, Run
from reference.errors import counted

TEMPLATES = "paper_checks.report.templates"
READ_AS_DECIMALS = 0.01  # what is less is told as a power of ten
MARKS = {
    "passed": "✓",
    "failed": "✗",
    "errored": "!",
    "xpassed": "!",
    "xfailed": "≈",
    "skipped": "\N{EN DASH}",
    "not_applicable": "\N{EN DASH}",
}
WORDS = {
    "xfailed": "expected failure",
    "xpassed": "unexpected pass",
    "errored": "error",
    "not_applicable": "not applicable",
}


def render(run: Run, groups: list[PlotGroup], figures: Mapping[str, str]) -> str:
    """Return the page of a run, with the SVG in `figures` (by stem) for the plots in `groups`."""
    script = template_text("page.js")
    numbered = list(enumerate(run.results, start=1))
    return str(
        _environment()
        .get_template("page.html")
        .render(
            run=run,
            summary=summary,
            news=news,
            descent=descent,
            verdicts=verdicts,
            families=families,
            formulas=formulas,
            groups=groups,
            figures=figures,
            numbered=numbered,
            failures=[(number, result) for number, result in numbered if result.result in BAD],
            evidence_words=EVIDENCE,
            choices=_choices(run),
            facts=facts(run),
            style=template_text("page.css"),
            script=script,
            # Only this very script may run, and nothing may be loaded from anywhere.
            script_digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        )
    )


def template_text(name: str) -> str:
    """Return the text of a template, style or script."""
    return resources.files(TEMPLATES).joinpath(name).read_text(encoding="utf-8")


def facts(run: Run) -> list[tuple[str, str]]:
    """Return what the run was made of, name and value; what its header does not say is left out."""
    header = run.header
    corpus, versions = _mapping(header.get("corpus")), _mapping(header.get("versions"))
    sizes = [
        (counted(corpus[key], what) if isinstance(corpus[key], int) else f"{corpus[key]} {what}s") + each
        for key, what, each in (
            ("sequences", "sequence", ""),
            ("length", "position", " each"),
            ("vocab_size", "word", ""),
        )
        if key in corpus
    ]
    found = [
        ("Command", header.get("command")),
        ("Seed", header.get("seed")),
        ("Profile", header.get("profile")),
        ("Targets", ", ".join(map(str, header.get("targets") or []))),
        ("Corpus", corpus.get("name")),
        ("Corpus size", ", ".join(sizes)),
        ("Corpus digest", corpus.get("digest")),
        ("Digest of the results", summary.digest(run)),
        ("Commit", header.get("commit")),
        ("Machine", header.get("machine")),
        ("Device", header.get("device")),
        ("Versions", ", ".join(f"{name} {version}" for name, version in versions.items())),
        ("Started", header.get("started")),
        ("Took", f"{run.footer['seconds']:.0f} s" if "seconds" in run.footer else None),
    ]
    return [(name, str(value)) for name, value in found if value not in (None, "")]


def anchor(text: str) -> str:
    """Return `text` as part of an id that a link can name."""
    return "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "-" for char in text)


def ratio(result: Result) -> str:
    """Return the worst error over its bound for a reader."""
    if result.error_over_bound is None:
        return "equal" if result.result == "passed" else ""
    return f"{result.error_over_bound:.2g}"


def figure(value: Any) -> str:
    """Return a predicted number in as many digits as tell it from its neighbours."""
    if not isinstance(value, (int, float)):
        return ""
    # Cosines near 1 differ in their last digits only.
    return f"{value:.6f}" if 0.9 <= abs(value) < 1.1 else f"{value:.4g}"


def scientific(value: Any) -> str:
    """Return a number of any size, its sign shown, to three digits; nothing for what there is not."""
    return f"{value:+.2e}".replace("-", "\N{MINUS SIGN}") if isinstance(value, (int, float)) else ""


def short_of_one(value: Any) -> str:
    """Return by how much a cosine is less than one."""
    if not isinstance(value, (int, float)):
        return ""
    apart = 1 - value
    return f"{apart:.2f}" if apart >= READ_AS_DECIMALS else f"{apart:.1e}".replace("-", "\N{MINUS SIGN}")


def grouped(rows: Iterable[Mapping[str, Any]], key: str) -> list[tuple[Any, list[Mapping[str, Any]]]]:
    """Return the rows by what they have under `key`, in the order in which it first occurs."""
    found: list[tuple[Any, list[Mapping[str, Any]]]] = []
    for row in rows:
        same = next((of for value, of in found if value == row[key]), None)
        if same is None:
            found.append((row[key], [row]))
        else:
            same.append(row)
    return found


def off_by(row: Mapping[str, Any], name: str) -> str:
    """Return by how much a prediction under `name` is off what was measured, as a share; "" where unknown."""
    predicted, measured = row.get(name), row.get("float64")
    if not isinstance(predicted, (int, float)) or not isinstance(measured, (int, float)) or not predicted:
        return ""
    # Without the sign of what rounds to nothing.
    return told_off(measured / predicted - 1).replace("-0.0%", "0.0%").replace("+0.0%", "0.0%")


def off(share: float) -> str:
    """Return by how much a number is off, given the factor between it and the right one less 1."""
    # Three digits, and no power of ten, however large the factor.
    return (
        f"off by a factor of {float(f'{share + 1:.3g}'):,.15g}"
        if share >= 1
        else f"off by {100 * share:.2g}%"
    )


def apart(rows: Iterable[Mapping[str, Any]]) -> tuple[float, float, str] | None:
    """Return how far predictions are off: in the median, at most, and of what; None where none is known."""
    known = [row for row in rows if isinstance(row.get("apart"), (int, float))]
    if not known:
        return None
    farthest = max(known, key=lambda row: abs(row["apart"]))
    told = f"{farthest['quantity']} {farthest['weight']}".strip()
    return median(abs(row["apart"]) for row in known), abs(farthest["apart"]), told


def pretty(value: Any, width: int = 96) -> str:
    """Return a value of a counterexample in full: on one line, or on several if it is long."""
    if isinstance(value, str):
        return value
    line = json.dumps(value, ensure_ascii=False)
    if len(line) <= width or not value or not isinstance(value, (list, dict)):
        return line
    if isinstance(value, list) and not any(isinstance(item, (str, list, dict)) for item in value):
        return textwrap.fill(line, width, subsequent_indent=" ")
    if isinstance(value, dict):
        inner = [f"{key}: {pretty(item, width)}" for key, item in value.items()]
    else:
        inner = [pretty(item, width) for item in value]
    entries = ",\n".join(inner).replace("\n", "\n  ")
    brackets = "{}" if isinstance(value, dict) else "[]"
    return f"{brackets[0]}\n  {entries}\n{brackets[1]}"


def _environment() -> Any:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        loader=FunctionLoader(template_text),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(counted=counted)
    environment.filters.update(
        visible=visible,
        typeset=typeset,
        groupby_in_order=grouped,
        apart=apart,
        failure_rows=failure_rows,
        horizons=horizons,
        share=lambda value: told_off(value).replace("+", ""),
        off_by=off_by,
        off=off,
        anchor=anchor,
        ratio=ratio,
        held_by=summary.held_by,
        pretty=pretty,
        figure=figure,
        scientific=scientific,
        short_of_one=short_of_one,
        word=lambda state: WORDS.get(state, state),
        verdict_word=lambda name: verdicts.VERDICTS.get(name, (name, ""))[0],
        mark=lambda state: MARKS.get(state, "?"),
        family_title=lambda name: FAMILIES.get(name, (name, ""))[0],
        family_about=lambda name: FAMILIES.get(name, (name, ""))[1],
    )
    return environment


def _choices(run: Run) -> dict[str, list[str]]:
    """Return what the table of results can be filtered by, and the values that occur."""
    results = run.results
    return {
        "family": list(dict.fromkeys(result.family for result in results)),
        "target": list(dict.fromkeys(result.target for result in results)),
        "result": [state for state in STATES if any(result.result == state for result in results)],
        "evidence": [kind for kind in summary.EVIDENCE if any(result.evidence == kind for result in results)],
    }


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}

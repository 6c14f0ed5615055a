"""What the site is made of besides its pages: formulas as MathML, and a page for each module.

Formulas are written as $...$ and, displayed, between lines of $$: browsers read MathML without a library.
"""

import ast
import logging
import re
from pathlib import Path

from latex2mathml.converter import convert
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
ROOMS = {
    "theory": "exact mathematics",
    "reference": "plain NumPy",
    "gpu": "the same at scale",
    "properties": "the laws",
    "paper_checks": "commands, claims and the report",
}
# Pages that stand elsewhere in the repository.
ELSEWHERE = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
# A report that is kept, where one is.
REPORT = "report/index.html"

_FENCE = re.compile(r"(^ *```.*?^ *```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
_DISPLAYED = re.compile(r"^( *)\$\$\n(.*?)\n *\$\$$", re.MULTILINE | re.DOTALL)
_PLACE = re.compile(r"formula(\d+)taken")
_BOLD_ONES = re.compile(r'<mn mathvariant="bold">(1+)</mn>')
_ELSEWHERE_LOADED = re.compile(r'<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="((?:https?:)?//[^"]*)"')
_INLINE = re.compile(r"(?<![\w$])\$([^$\s](?:(?:[^$\n]|\n(?!\n))*[^$\s])?)\$(?![\w$])")


def on_config(config):
    """Put the modules into the navigation, and the report where one is kept."""
    for entry in config["nav"]:
        if isinstance(entry, dict) and "Reference" in entry:
            entry["Reference"] = [{f"{room}: {what}": _pages(room)} for room, what in ROOMS.items()]
        if isinstance(entry, dict) and "Project" in entry and (Path(config["docs_dir"]) / REPORT).is_file():
            entry["Project"].insert(0, {"A report": REPORT})
    return config


def on_files(files, config):
    """Add the pages that are not files under docs/."""
    for room in ROOMS:
        for module, page in _modules(room).items():
            files.append(File.generated(config, page, content=f"::: {module}\n"))
    for page, place in ELSEWHERE.items():
        # Links of a page at the root lead into docs/, where this one is read.
        content = (ROOT / place).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, page, content=content))
    return files


def on_page_markdown(markdown, page, config, files):
    """Take formulas out of the text, outside of code: Markdown would read what is in them."""
    page.formulas = []
    parts = _FENCE.split(markdown)
    parts[::2] = [_without_formulas(part, page.formulas) for part in parts[::2]]
    return "".join(parts)


def on_page_content(html, page, config, files):
    """Put the formulas back, as MathML."""
    return _PLACE.sub(lambda match: page.formulas[int(match[1])], html)


def on_post_page(output, page, config):
    """Warn of what a reader without a network would not see; a strict build then fails."""
    for match in _ELSEWHERE_LOADED.finditer(output):
        logging.getLogger("mkdocs.hooks").warning("%s loads %s", page.file.src_uri, match[1])
    return output


def _without_formulas(text, formulas):
    """Return text with a mark in the place of each formula, which is appended to `formulas`."""

    def taken(tex, display):
        formulas.append(mathml(tex, display))
        return f"formula{len(formulas) - 1}taken"

    text = _DISPLAYED.sub(lambda match: match[1] + taken(match[2], "block"), text)
    return _INLINE.sub(lambda match: taken(match[1], "inline"), text)


def mathml(tex, display):
    """Return a formula as browsers read it that lack a mathematical font."""
    formula = convert(tex, display=display)
    # A bar that stretches would lie on its letter, and letters are told by themselves and not by attributes.
    formula = formula.replace('<mo stretchy="true">&#x000AF;</mo>', '<mo stretchy="false">&#x000AF;</mo>')
    formula = formula.replace('<mi mathvariant="double-struck">E</mi>', "<mi>&#x1D53C;</mi>")
    return _BOLD_ONES.sub(lambda match: f"<mn>{'&#x1D7CF;' * len(match[1])}</mn>", formula)


def _pages(room):
    return [{module.removeprefix(f"{room}.") or room: page} for module, page in _modules(room).items()]


def _modules(room):
    """Return the page of each module that says something, by the module's name."""
    paths = sorted((ROOT / room).rglob("*.py"))
    names = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in paths
    }
    shown = {
        name: path
        for name, path in names.items()
        if ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    }
    return {name: f"reference/{name.replace('.', '/')}.md" for name in shown}

"""Docstrings as Markdown reads them: what stands between < and > is no tag."""

import re

import griffe

_SECTION = re.compile(r"^(Args|Attributes|Raises|Returns|Yields):$")
_CODE = re.compile(r"(`[^`\n]+`)")


class PlainDocstrings(griffe.Extension):
    """Keep < and > as they are written, in prose; indented formulas are code, which keeps them anyway."""

    def on_object(self, *, obj, **kwargs):
        """Escape the docstring of what was read."""
        if obj.docstring:
            obj.docstring.value = escaped(obj.docstring.value)


def escaped(text):
    """Return a docstring with < and > of its prose escaped."""
    lines, section = [], False
    for line in text.split("\n"):
        if line and not line.startswith(" "):
            section = bool(_SECTION.match(line))
        is_code = line.startswith("    ") and not section
        lines.append(line if is_code else _prose(line))
    return "\n".join(lines)


def _prose(line):
    parts = _CODE.split(line)
    parts[::2] = [part.replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[") for part in parts[::2]]
    return "".join(parts)

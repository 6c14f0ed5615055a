"""Mathematics in a sentence, typeset: the plain notation of statements and derivations as MathML.

What is recognised is small and cannot be anything else: a letter or a Greek name with an index or a power
(`W_O`, `A_ij`, `eta^2`, `x_(i+1)`), with a bar (`Phi_bar^T`), a letter next to such a one (`s eta`), a Greek
name alone, `sqrt(T)`, `C(s, 2)`, a norm's `|_F^2` and `|^2`, `1^T` and `11^T`, a power of a bracket, `<=` and
`>=`. All other text is left as it is, and escaped.
"""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from paper_checks.report.formulas import bar, choose, math, name, num, op, row, sub, sup

GREEK = {
    "eta": "η",
    "sigma": "\N{GREEK SMALL LETTER SIGMA}",
    "Phi": "Φ",
    "Sigma": "Σ",
    "Delta": "Δ",
}
# Letters that are words.
_WORDS = ("a", "A", "I")
_BASE = "|".join(GREEK) + "|[A-Za-z]"
_INDEX = r"_\((?P<long>[^()]{1,12})\)|_(?P<short>[A-Za-z0-9]{1,2})(?![A-Za-z0-9_(])"
_POWER = r"\^(?:\((?P<sum>[^()]{1,8})\)|(?P<power>T|[a-z](?![a-z])|\d+))"
_MATH = re.compile(
    r"sqrt\((?P<root>[^()]{1,16})\)"
    r"|(?<![A-Za-z_])C\((?P<n>[a-z]), ?(?P<k>\d)\)"
    r"|\|_F(?P<square>\^2)?"
    r"|(?<=[\w)])\|\^(?P<normed>\d)(?!\w)"
    r"|\)\^(?P<closed>T|\d+)(?!\w)"
    r"|(?P<relation>[<>]=)"
    r"|(?<![\w.^])(?P<one>11?)\^T(?!\w)"
    rf"|(?<![\w.^'])(?P<base>{_BASE})(?P<bar>_bar(?![A-Za-z]))?(?:{_INDEX})?(?:{_POWER})?(?![A-Za-z0-9_'])"
)


def typeset(text: str) -> Markup:
    """Return a sentence as HTML, with the mathematics in it as MathML."""
    matches = list(_MATH.finditer(text))
    formulas = {found.start(): _formula(found) for found in matches}
    parts: list[Markup] = []
    end = 0
    for found in matches:
        formula = formulas[found.start()]
        if not formula and _is_factor(found, matches, formulas):
            formula = math(name(found["base"]))
        if formula:
            parts.append(_led_to(formula, text[end : found.start()], first=not parts))
            end = found.end()
    return Markup("").join([*parts, escape(text[end:])])


def _led_to(formula: str, before: str, *, first: bool) -> Markup:
    """Return a formula after the text before it: a product, and a bracket or norm that opens, stay whole."""
    if before == " " and not first:
        return Markup("\N{NO-BREAK SPACE}") + Markup(formula)
    opening = before[-1:] if before[-1:] in ("(", "|") else ""
    if not opening:
        return escape(before) + Markup(formula)
    return escape(before[:-1]) + Markup('<span class="whole">{}{}</span>').format(opening, Markup(formula))


def _is_factor(letter: re.Match[str], matches: list[re.Match[str]], formulas: dict[int, str]) -> bool:
    """Whether a letter alone stands next to a formula, with a space or nothing between: a factor of it."""
    if letter.group() in _WORDS:
        return False
    return any(
        formulas[other.start()].startswith("<math>")
        and letter.string[min(letter.end(), other.end()) : max(letter.start(), other.start())] in ("", " ")
        for other in matches
    )


def _formula(found: re.Match[str]) -> str:
    """Return what one match reads as in MathML; "" for a letter that is none."""
    if found["root"]:
        return math(f"<msqrt>{_symbols(found['root'])}</msqrt>")
    if found["n"]:
        return math(choose(found["n"], found["k"]))
    if found["closed"]:
        return math(sup('<mo stretchy="false">)</mo>', _power(found["closed"])))
    if found["normed"]:
        return math(sup('<mo stretchy="false">|</mo>', _power(found["normed"])))
    if found["one"]:
        return math("".join([*map(num, found["one"][:-1]), sup(num("1"), _power("T"))]))
    if found["relation"]:
        return "≤" if found["relation"] == "<=" else "≥"
    if not found["base"]:
        norm = sub(op("|"), name("F"))
        return math(f"<msubsup>{op('|')}{name('F')}{num('2')}</msubsup>" if found["square"] else norm)
    return _symbol(found)


def _symbol(found: re.Match[str]) -> str:
    letter = GREEK.get(found["base"], found["base"])
    index, power = found["long"] or found["short"], found["sum"] or found["power"]
    if not (index or power or found["bar"] or found["base"] in GREEK):
        return ""
    read = bar(letter) if found["bar"] else name(letter)
    if index:
        read = sub(read, _symbols(index))
    return math(sup(read, _power(power)) if power else read)


def _power(text: str) -> str:
    return "<mi>&#x22a4;</mi>" if text == "T" else _symbols(text)


def _symbols(text: str) -> str:
    """Return letters, numbers and signs one after another."""
    kinds = {"letter": name, "number": num, "sign": op}
    found = re.finditer(r"(?P<letter>[A-Za-z])|(?P<number>\d+)|(?P<sign>\S)", text)
    return row(*(kinds[str(one.lastgroup)](str(escape(one.group()))) for one in found))

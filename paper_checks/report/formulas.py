"""The few formulas that the page shows, in MathML: browsers and screen readers read it without a library."""

from __future__ import annotations


def name(text: str) -> str:
    """Return an identifier."""
    return f"<mi>{text}</mi>"


def op(text: str) -> str:
    """Return an operator or a bracket."""
    return f"<mo>{text}</mo>"


def num(text: str) -> str:
    """Return a number."""
    return f"<mn>{text}</mn>"


def row(*parts: str) -> str:
    """Return the parts one after another."""
    return f"<mrow>{''.join(parts)}</mrow>"


def sub(base: str, index: str) -> str:
    """Return `base` with an index."""
    return f"<msub>{base}{index}</msub>"


def sup(base: str, power: str) -> str:
    """Return `base` with a power."""
    return f"<msup>{base}{power}</msup>"


def bar(text: str) -> str:
    """Return an identifier with a bar over it."""
    # Not marked as an accent: without a mathematical font browsers would lay it over the letter.
    return f'<mover>{name(text)}<mo stretchy="false">¯</mo></mover>'


def over(top: str, bottom: str) -> str:
    """Return a fraction."""
    return f"<mfrac>{top}{bottom}</mfrac>"


def choose(n: str, k: str) -> str:
    """Return a binomial coefficient."""
    return row(op("("), f'<mfrac linethickness="0">{name(n)}{num(k)}</mfrac>', op(")"))


def math(*parts: str) -> str:
    """Return a formula to stand in a line."""
    return f"<math>{row(*parts)}</math>"


def transposed(base: str) -> str:
    """Return the transpose of `base`."""
    return sup(base, "<mi>&#x22a4;</mi>")


_MINUS = op("&minus;")
_ETA, _S, _T, _H, _EQ = name("η"), name("s"), name("T"), name("h"), op("=")
_W_O, _C_S, _B, _PHI = sub(name("W"), name("O")), sub(name("c"), name("s")), bar("B"), bar("Φ")
_MEAN, _H_T = over(num("1"), row(name("N"), _T)), sub(name("H"), name("T"))
_CENTRED = row(op("("), name("Y"), _MINUS, over(num("1"), name("V")), op(")"))
_A0X = row(sub(name("A"), num("0")), name("X"))


def _eta(power: str) -> str:
    return sup(_ETA, num(power))


def _order(power: str) -> str:
    return f"{op('+')}{name('O')}{op('(')}{_eta(power)}{op(')')}"


B_BAR = math(_B, _EQ, _MEAN, op("∑"), transposed(name("X")), _CENTRED)
PHI_BAR = math(_PHI, _EQ, _MEAN, op("∑"), transposed(_CENTRED), _A0X)
SIGMA_B = math(sub(name("Σ"), name("B")), _EQ, transposed(_B), _B)
Q_BAR, DELTA_BAR = math(bar("Q")), math(bar("Δ"))

# What each matrix is made of, to leading order: the matrix, the formula, and the same in words.
LEADING_TERMS = (
    ("Output", math(_W_O, _EQ, _S, _ETA, _B, _order("2")), "which word follows which"),
    (
        "Value",
        math(name("V"), _EQ, choose("s", "2"), _eta("2"), transposed(_PHI), transposed(_B), _order("3")),
        "what a word in the context has to offer for the next one",
    ),
    (
        "Attention",
        math(name("W"), _EQ, _C_S, _eta("4"), bar("Q"), _order("5")),
        "which earlier word a word should ask",
    ),
    (
        "Position",
        math(name("P"), _EQ, _C_S, _eta("4"), bar("Δ"), _order("5")),
        "how far back it should ask",
    ),
)
STEP_COEFFICIENT = math(_C_S, _EQ, num("3"), choose("s", "4"), op("+"), num("2"), choose("s", "3"))

_D, _W = name("D"), name("W")
_INNER = over(row(op("⟨"), _W, op(","), _D, op("⟩")), row(op("⟨"), _D, op(","), _D, op("⟩")))
_VALUE_STEP = row(_H, op("←"), _H, op("+"), name("A"), _H, name("V"))
_ATTENTION = row(_H, _W, transposed(_H), op("+"), _D, op("("), name("P"), op(")"))

# A formula for a family of checks, by the family's name.
OF_FAMILY = {
    "statistics": B_BAR,
    "first_step": math(_W_O, _EQ, _ETA, _B, op(","), name("V"), _EQ, _W, _EQ, name("P"), _EQ, num("0")),
    "conserved": math(_W_O, num("1"), _EQ, num("0"), op(","), op("∑"), name("P"), _EQ, num("0")),
    "model": math(name("A"), _EQ, name("softmax"), op("("), _ATTENTION, op(")"), op(","), _VALUE_STEP),
    "zero": math(name("loss"), _EQ, name("log"), name("V")),
    "uniform": math(name("diagonal"), _EQ, over(_H_T, _T)),
    "projection": math(_W, _MINUS, _INNER, _D),
}

"""The numbers that the page on the loss and ablation quotes are those of the law and the page they are of."""

import re
from pathlib import Path

from flint import fmpq

from theory.step_coefficients import step_coefficients

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = " ".join((DOCS / "theory" / "effects.md").read_text(encoding="utf-8").split())
STEPS, RATE = 320, fmpq(5, 1000)


def test_the_coefficients_at_the_published_run_are_those_of_the_law():
    s, pairs, c_s = (
        float(step_coefficients(STEPS)[g] * RATE**k) for g, k in (("W_O", 1), ("V", 2), ("W", 4))
    )
    assert f"{s:.2f} of $W_O$, {pairs:.2f} of $V_l$ and {c_s:.2f} of $W_l$" in PAGE
    least, most = map(float, re.search(r"lie between ([\d.]+) and ([\d.]+)\.", PAGE).groups())
    assert all(least <= effect <= most for effect in (s, s * pairs, s * pairs * c_s))


def test_the_effects_on_tinystories_are_those_of_its_page():
    told = re.search(r"`leadterms predict` prints (\S+), (\S+) and (\S+) \[on TinyStories\]", PAGE).groups()
    tinystories = (DOCS / "tinystories.md").read_text(encoding="utf-8")
    predicted = re.findall(
        r"^rise of the loss without (?:W_O's|V of|W of)[^\d\n]* (\d\S*)", tinystories, re.M
    )
    assert list(told) == predicted

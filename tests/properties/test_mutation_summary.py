"""The score of mutation testing counts what tests let live, and nothing that cannot be seen."""

import pytest

from benchmarks.mutation import ROOT, Mutant, equivalents, summary

DEAD = Mutant("properties.one.x_f__mutmut_1", "killed")
ALIVE = Mutant("properties.one.x_f__mutmut_2", "survived", "return a + b", "return a - b")
WORDS = Mutant("properties.one.x_f__mutmut_3", "survived", 'raise E(f"no {a}")', 'raise E(f"XXno {a}XX")')
UNTRIED = Mutant("properties.two.x_g__mutmut_1", "not run")
UNTESTED = Mutant("properties.two.x_g__mutmut_2", "no tests", "return 1", "return 2")


def test_the_score_is_the_share_killed_of_what_counts():
    told = summary([DEAD, ALIVE, WORDS, UNTRIED, UNTESTED], {})
    assert "| properties.one | 50.0% | 1 | 1 | 0 | 0 | 1 | 0 |" in told
    assert "| properties.two | 0.0% | 0 | 0 | 1 | 0 | 0 | 1 |" in told
    assert "| **all** | 33.3% | 1 | 1 | 1 | 0 | 1 | 1 |" in told
    assert "`x_f__mutmut_2`: `return a + b` became `return a - b` (survived)" in told
    assert "x_f__mutmut_3" not in told


def test_what_is_explained_as_equivalent_does_not_count():
    told = summary([DEAD, ALIVE], {("return a + b", "return a - b"): "b is zero"})
    assert "| properties.one | 100.0% | 1 | 0 | 0 | 1 | 0 | 0 |" in told
    assert "- `x_f__mutmut_2`: `return a + b` became `return a - b`: b is zero" in told


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [("f('a', 1)", "f('XXaXX', 1)", True), ("f('a', 1)", "f('a', 2)", False), ("", "", False)],
)
def test_words_are_told_from_code(old, new, words):
    assert Mutant("a.b", "survived", old, new).is_text is words


def test_every_explanation_has_a_reason_and_is_of_code_that_there_is():
    """Of a line that was changed since nothing is explained."""
    sources = {
        path: path.read_text() for room in ("reference", "properties") for path in (ROOT / room).glob("*.py")
    }
    known = equivalents()
    assert known
    for (old, new), why in known.items():
        assert why.endswith(".")
        assert old != new
        assert any(
            old in " ".join(line.strip() for line in text.splitlines()) for text in sources.values()
        ), old

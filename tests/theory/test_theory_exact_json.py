"""Exact results survive JSON."""

import json
from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq
from theory_cases import corpus

from theory.exact_json import series_as_text, statistics_as_text
from theory.rational_text import rational
from theory.series import descend
from theory.statistics import exact_statistics

TOKENS = corpus(0, 3, 4, 3)


def test_statistics() -> None:
    exact = exact_statistics(TOKENS, 3)
    read = json.loads(json.dumps(statistics_as_text(exact)))
    assert [rational(x) for x in read["Delta_bar"]] == exact["Delta_bar"].entries()
    assert [[rational(x) for x in row] for row in read["Q_bar"]] == exact["Q_bar"].tolist()


def test_series() -> None:
    found = descend(TOKENS, 3, 2, 4, 5)
    read = json.loads(json.dumps(series_as_text(found)))
    assert [[rational(x) for x in row] for row in read["W"][1][4]] == found.W[1][4].tolist()
    assert [rational(x) for x in read["P"][1][4]] == found.P[1][4]
    assert (len(read["W_O"]), len(read["V"]), len(read["V"][0])) == (6, 2, 6)


def test_a_rational_has_one_writing() -> None:
    """ "p/q" in lowest terms with q > 1, or "p": the same as Python's own fractions have."""
    for over in range(-12, 13):
        for under in range(1, 13):
            text = str(fmpq(over, under))
            assert text == str(Fraction(over, under))
            assert rational(text) == fmpq(over, under)
    assert [rational(t) for t in ("0", "3", "-3/7")] == [fmpq(0), fmpq(3), fmpq(-3, 7)]


NOT_READ = "0/1 -0 2/4 3/1 1/0 1/-2 +1 1_0 01 1/02 1.5 1e3 x 1/2/3 1/ /2 --1"


@pytest.mark.parametrize(
    "text", [*NOT_READ.split(), "\N{ARABIC-INDIC DIGIT ONE}", "", " 1", "1 ", "1\n", "1" * 3000]
)
def test_another_writing_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a fraction|lowest terms"):
        rational(text)


def test_every_coefficient_of_a_series_is_written_so() -> None:
    def leaves(of: Any) -> list[str]:
        return [of] if isinstance(of, str) else [x for part in of for x in leaves(part)]

    written = series_as_text(descend(TOKENS, 3, 2, 4, 5)).values()
    texts = [text for group in written for text in leaves(group)]
    assert len(texts) == 6 * (9 + 2 * (9 + 9 + 4))
    assert all(str(Fraction(text)) == text for text in texts)
    assert {"0"} < set(texts)
    assert any("/" in text for text in texts)

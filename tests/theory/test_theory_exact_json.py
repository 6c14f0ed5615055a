"""Exact results survive JSON."""

import json

from theory_cases import corpus

from theory.exact_json import series_as_text, statistics_as_text
from theory.series import descend
from theory.statistics import exact_statistics
from theory.step_polynomials import parse

TOKENS = corpus(0, 3, 4, 3)


def test_statistics() -> None:
    exact = exact_statistics(TOKENS, 3)
    read = json.loads(json.dumps(statistics_as_text(exact)))
    assert [parse(x) for x in read["Delta_bar"]] == exact["Delta_bar"].entries()
    assert [[parse(x) for x in row] for row in read["Q_bar"]] == exact["Q_bar"].tolist()


def test_series() -> None:
    found = descend(TOKENS, 3, 2, 4, 5)
    read = json.loads(json.dumps(series_as_text(found)))
    assert [[parse(x) for x in row] for row in read["W"][1][4]] == found.W[1][4].tolist()
    assert [parse(x) for x in read["P"][1][4]] == found.P[1][4]
    assert (len(read["W_O"]), len(read["V"]), len(read["V"][0])) == (6, 2, 6)

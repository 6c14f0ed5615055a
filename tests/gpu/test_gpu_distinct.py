"""The distinct tokens of a sequence against what a loop over its positions finds."""

import pytest
import torch

from gpu.distinct import Distinct

CASES = [
    [[4]],
    [[0, 0, 0]],
    [[3, 1, 3, 2, 1]],
    [[5, 4, 3, 2], [7, 7, 7, 7]],
    [[0, 1, 0, 2], [2, 2, 1, 2], [9, 8, 9, 8]],
]


@pytest.mark.parametrize("rows", CASES)
def test_tokens_are_numbered_as_they_come(rows):
    found = Distinct.of(torch.tensor(rows))
    expected = [list(dict.fromkeys(row)) for row in rows]
    most = max(map(len, expected))
    assert found.tokens.tolist() == [tokens + [0] * (most - len(tokens)) for tokens in expected]
    assert found.which.tolist() == [
        [tokens.index(token) for token in row] for row, tokens in zip(rows, expected, strict=True)
    ]
    prefixes = range(len(rows[0]) + 1)
    assert found.seen == [max(len(set(row[:t])) for row in rows) for t in prefixes]


@pytest.mark.parametrize("rows", CASES)
def test_Z_takes_the_rows_of_the_distinct_tokens_to_those_of_the_sequence(rows):
    x = torch.tensor(rows)
    found = Distinct.of(x)
    table = torch.arange(30.0).view(10, 3)
    assert torch.equal(found.Z(table.dtype) @ table[found.tokens], table[x])

"""Small corpora for the exact tests: seeded, uneven, so that no statistic is symmetric by accident."""

import random

from flint import fmpq, fmpq_mat

Tokens = list[list[int]]


def corpus(seed: int, N: int, T: int, V: int) -> Tokens:
    rng = random.Random(seed)
    return [[min(V - 1, int(rng.expovariate(0.7))) for _ in range(T + 1)] for _ in range(N)]


def matrix(seed: int, rows: int, columns: int) -> fmpq_mat:
    rng = random.Random(seed)
    return fmpq_mat(
        rows, columns, [fmpq(rng.randrange(-9, 10), rng.randrange(1, 5)) for _ in range(rows * columns)]
    )

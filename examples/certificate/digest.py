"""The terms of a matrix of polynomials in the weights and their digest, from values at corpora of few."""

import hashlib
import math
from collections import Counter
from fractions import Fraction as F
from itertools import combinations_with_replacement as multisets
from itertools import product


def digest(values, group, degree, symbols):
    """From the values at all corpora of up to `degree` sequences: mixed differences, the canonical text."""
    lines, count = [], 0
    for n in range(len(values[()][group])):
        terms = []
        for monomial in multisets(range(symbols), degree):
            powers, total = Counter(monomial), F(0)
            for b in product(*(range(k + 1) for k in powers.values())):
                sign = math.prod((-1) ** (k - j) * math.comb(k, j) for k, j in zip(powers.values(), b))
                total += sign * values[tuple(i for i, j in zip(powers, b) for _ in range(j))][group][n]
            total /= math.prod(map(math.factorial, powers.values()))
            if total:
                terms.append("*".join((str(total), *(f"w_{i}" for i in monomial))))
        lines.append(" + ".join(terms))
        count += len(terms)
    return count, hashlib.sha256("\n".join(lines).encode()).hexdigest()

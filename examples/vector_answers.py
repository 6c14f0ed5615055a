"""What the test vectors write and expect, for the reader beside it: numbers, bounds, splits for a probe."""

import math
from fractions import Fraction


def numbers(value):  # "p/q", "p" and decimals, in lists and mappings as deep as they are
    if isinstance(value, list):
        return [numbers(part) for part in value]
    if isinstance(value, dict):
        return {name: numbers(part) for name, part in value.items()}
    return float(Fraction(value)) if isinstance(value, str) else value


def worst(got, value, bound):  # the largest error over its bound
    if isinstance(value, list):
        same = hasattr(got, "__len__") and len(got) == len(value)
        return max((worst(*parts) for parts in zip(got, value, bound)), default=0.0) if same else math.inf
    error = 0.0 if got == value else abs(got - value)
    return error / bound if bound and error < math.inf else math.inf if error else 0.0


def split_fault(function, params, expected):  # what is wrong with the splits that a function makes, or None
    def sides(**others):
        return list(function(**{**params, **others}))

    found = sides()
    by_sequence = [{found[row] for row in rows} for rows in expected["together"]]
    if not all(of_one in ({0}, {1}) for of_one in by_sequence):
        return "does not put all rows of a sequence on one side, 0 or 1"
    if not expected["least"] <= by_sequence.count({1}) <= expected["most"]:
        return f"puts {by_sequence.count({1})} sequences on side 1"
    if sides() != found or sides(sequences=params["sequences"][::-1])[::-1] != found:
        return "splits otherwise when asked again, or for the rows in reverse order"
    seeds = expected.get("seeds")
    return "splits alike for every seed" if seeds and all(sides(seed=s) == found for s in seeds) else None

"""The sizes of a case, and the powers of them by which an answer may be off: 1/(NT), sqrt(V), steps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from properties.cases import CorpusCase

NAMES = ("N", "T", "NT", "V", "the number of layers", "the number of steps")
EXPONENTS = tuple(Fraction(n, 2) for n in (-4, -2, -1, 1, 2, 4))


@dataclass(frozen=True)
class Power:
    """A power of one size of a case.

    Attributes:
        name: which size, one of NAMES.
        exponent: a whole number or a half.
    """

    name: str
    exponent: Fraction

    @property
    def text(self) -> str:
        """The power as a person would write it."""
        size = abs(self.exponent)
        root = f"sqrt({self.name})" if size.denominator == 2 else self.name
        whole = f"({root})^{size}" if size > 1 else f"({root})" if " " in root or root == "NT" else root
        return whole.strip("()") if self.exponent == 1 else whole if self.exponent > 0 else f"1/{whole}"

    def of(self, tokens: np.ndarray, vocab_size: int, layers: int, steps: int) -> float:
        """Return its value on a corpus [N, T+1], for a vocabulary, a number of layers and one of steps."""
        N, T = len(tokens), np.shape(tokens)[1] - 1
        sizes = dict(zip(NAMES, (N, T, N * T, vocab_size, layers, steps), strict=True))
        return float(max(sizes[self.name], 1)) ** float(self.exponent)

    def value(self, case: CorpusCase) -> float:
        """Return its value on a case; a case without layers or steps has one of each."""
        weights = getattr(case, "P", None)
        layers = len(weights) if weights is not None else getattr(case, "layers", 1)
        return self.of(case.tokens, case.vocab_size, layers, getattr(case, "steps", 1))


def powers(case: Any) -> Iterator[Power]:
    """Yield the powers that differ from 1 on a case; none where it is no corpus."""
    if isinstance(case, CorpusCase):
        every = (Power(name, exponent) for name in NAMES for exponent in EXPONENTS)
        yield from (one for one in every if not math.isclose(one.value(case), 1))

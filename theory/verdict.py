"""What a law claims of single coefficients, what was found, and the first place where they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic

from theory.matrix import M

_READABLE = 160


@dataclass(frozen=True)
class Statement(Generic[M]):
    """A claim about one coefficient: of eta^`order`, of `quantity`, in `layer` (from 0; None if it has none),
    after `step` steps. `expected` None claims that it vanishes.
    """

    quantity: str
    layer: int | None
    order: int
    expected: M | None
    step: int


@dataclass(frozen=True)
class Difference:
    """The first entry, lowest order first, at which a claim fails; values as exact text."""

    quantity: str
    layer: int | None
    order: int
    entry: tuple[int, int]
    expected: str
    found: str
    step: int

    def __str__(self) -> str:
        where = self.quantity if self.layer is None else f"{self.quantity}, layer {self.layer}"
        return (
            f"{where}, order {self.order}, entry {list(self.entry)}, after {self.step} steps: "
            f"claimed {self.expected}, found {self.found}"
        )


@dataclass(frozen=True)
class Verdict:
    """Whether a law held on one case: how many coefficients were compared, and where it first failed."""

    law: str
    compared: int
    difference: Difference | None = None

    @property
    def holds(self) -> bool:
        """True when something was compared and nothing differed."""
        return self.compared > 0 and self.difference is None

    def __str__(self) -> str:
        if self.difference is not None:
            return f"{self.law}: refuted at {self.difference}"
        return (
            f"{self.law}: {self.compared} coefficients agree"
            if self.compared
            else f"{self.law}: nothing compared"
        )


def compare(
    law: str, statements: Iterable[Statement[M]], found: Callable[[Statement[M]], M | None]
) -> Verdict:
    """Holds every statement against `found(statement)`: lowest order first, then fewest steps, then layer."""
    ordered = sorted(
        statements, key=lambda s: (s.order, s.step, -1 if s.layer is None else s.layer, s.quantity)
    )
    for n, statement in enumerate(ordered, start=1):
        difference = first_difference(statement, found(statement))
        if difference is not None:
            return Verdict(law, n, difference)
    return Verdict(law, len(ordered))


def first_difference(statement: Statement[M], found: M | None) -> Difference | None:
    """The first entry, row by row, at which `found` is not what was claimed; None is zero on both sides.

    Raises:
        ValueError: the two are of different shapes.
    """
    expected = statement.expected
    shape = expected if expected is not None else found
    if shape is None:
        return None
    if (
        expected is not None
        and found is not None
        and expected.nrows() * expected.ncols() != found.nrows() * found.ncols()
    ):
        raise ValueError(f"a claim about {statement.quantity} has the wrong shape")
    zeros = [0] * (shape.nrows() * shape.ncols())
    claimed = zeros if expected is None else expected.entries()
    actual = zeros if found is None else found.entries()
    for n, (a, b) in enumerate(zip(claimed, actual, strict=True)):
        if a != b:
            entry = divmod(n, shape.ncols())
            return Difference(
                statement.quantity,
                statement.layer,
                statement.order,
                entry,
                as_text(a),
                as_text(b),
                statement.step,
            )
    return None


def as_text(value: object) -> str:
    """A value exactly as text; a polynomial too long to read is cut after its first terms."""
    text = str(value)
    return text if len(text) <= _READABLE else f"{text[:_READABLE]}... ({text.count(' ') // 2 + 1} terms)"

"""Checks a certificate without the machinery that made it: no symbols, no series engine, only corpora.

Nothing is shared with `theory.certificates` but the format and the limits of size: the descent is
`theory.plain_descent`, the matrices are those of `theory.plain_statistics`, the step polynomials are held to
the recursion in whole numbers of `theory.step_coefficients`.

Both sides of an identity at order d are homogeneous polynomials of degree d in the weights of the sequences.
Such a polynomial f is known from its values at corpora of at most d sequences (whole-number weights that add
up to d or less): the coefficient of w^a is

    sum_{b <= a} (-1)^(|a|-|b|) prod_i C(a_i, b_i) f(b) / prod_i a_i!,

the mixed difference of f at 0, because a difference of order a_i in w_i removes every power of w_i below a_i
and |a| is the whole degree. So *a law that holds for all corpora of at most d sequences holds for all
corpora*. The checker runs each of those corpora through `theory.plain_descent`, compares it with the
certificate's claim after s = 0..degree steps, and rebuilds the polynomials from the values to compare their
digests.

Renaming the tokens renames the rows and columns of every matrix on both sides: the model starts at zero and
treats all tokens alike. So one corpus of each class under renaming is run, and the others are read off.

Agreement after s = 0..d steps is agreement after any number: the coefficient of eta^d is a polynomial in s of
degree d at most, since it grows in step r by a sum of products of coefficients whose orders add up to d - 1,
hence by a polynomial in r of degree d - 1, and the sum over r < s of r^n has degree n + 1. Where a direction
is zero for every corpus of the size (one word, or one position for W and P), no corpus sees its amount, and
the recursion does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations
from itertools import product as cartesian
from typing import Any

from flint import fmpq, fmpq_poly

from theory.certificate_format import Monomials, digest, seal
from theory.certificate_reader import Certified, Claim, Malformed, Sizes, read
from theory.plain_descent import PlainParameters, plain_descent
from theory.plain_statistics import plain_directions
from theory.step_coefficients import next_step_coefficients, step_coefficients

Progress = Callable[[int, int], None]
Values = list[fmpq]


@dataclass(frozen=True)
class Check:
    """The outcome: what is wrong (nothing, when it holds), and how many corpora were run and compared.

    `empty` names the groups whose directions are zero for every corpus of the size: of them the certificate
    says only that the coefficient vanishes.
    """

    problems: tuple[str, ...]
    corpora_run: int
    corpora_covered: int
    empty: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """True when nothing is wrong and something was run."""
        return not self.problems and self.corpora_run > 0


def check(certificate: Mapping[str, Any], progress: Progress | None = None) -> Check:
    """Verifies a certificate from its data alone; `progress(done, all)` is called as corpora are run.

    Never raises for a wrong certificate: whatever is malformed, tampered with or false is in `problems`.
    """
    try:
        certified = read(certificate)
    except Malformed as error:
        return Check((f"not a certificate of this format: {error}",), 0, 0)
    if certified.sha256 != seal(certificate):
        return Check(("the certificate's own digest does not match its contents",), 0, 0)
    amounts = tuple(_amount_problems(certified))
    table = _Table(certified)
    difference = table.fill(progress)
    if difference is not None:
        return Check((difference, *amounts), table.run, len(table.values))
    found = {c.group: table.polynomials(c.group, c.order) for c in certified.claims}
    empty = tuple(g for g, matrices in found.items() if not any(map(any, matrices)))
    problems = (*amounts, *_digest_problems(certified, found))
    return Check(problems, table.run, len(table.values), empty)


def _amount_problems(certified: Certified) -> Iterator[str]:
    """Step polynomials that are not what the recursion of whole numbers gives, at the first such step."""
    for claim in certified.claims:
        right = [_amounts(certified.kind, claim.group, s) for s in range(claim.order + 1)]
        for j, (p, direction) in enumerate(zip(claim.coefficients, claim.directions, strict=True)):
            wrong = next((s for s, amounts in enumerate(right) if p(s) != amounts[j]), None)
            if wrong is not None:
                yield (
                    f"{claim.group}, order {claim.order}: the step polynomial of {direction.name} is "
                    f"{p(wrong)} after {wrong} steps, the recursion of the descent {right[wrong][j]}"
                )


def _amounts(kind: str, group: str, steps: int) -> tuple[int, ...]:
    if kind == "leading":
        return (step_coefficients(steps)[group],)
    return next_step_coefficients(steps)[group]


class _Table:
    """Values of every direction at every corpus of up to d sequences, with the claims compared on the way."""

    def __init__(self, certified: Certified) -> None:
        self.kind, self.claims = certified.kind, certified.claims
        self.sizes: Sizes = certified.sizes
        sizes = self.sizes
        self.degree = max(c.order for c in self.claims)
        self.sequences = [list(row) for row in cartesian(range(sizes.V), repeat=sizes.T + 1)]
        index = {tuple(row): i for i, row in enumerate(self.sequences)}
        self.renamings = [
            (names, [index[tuple(names[x] for x in row)] for row in self.sequences])
            for names in permutations(range(sizes.V))
        ]
        self.values: dict[tuple[int, ...], dict[str, list[Values]]] = {}
        self.run = 0

    def corpora(self) -> Iterator[tuple[int, ...]]:
        """All of them as sorted indices of sequences with repeats, fewest sequences first."""
        for size in range(1, self.degree + 1):
            yield from combinations_with_replacement(range(len(self.sequences)), size)

    def fill(self, progress: Progress | None) -> str | None:
        """Runs one corpus of each class; returns the first disagreement as text, or None."""
        total = math.comb(len(self.sequences) + self.degree, self.degree) - 1
        for done, corpus in enumerate(self.corpora()):
            if progress is not None and done % 256 == 0:
                progress(done, total)
            if corpus in self.values:
                continue
            # `corpora` is sorted, so the first of a class to come is the one that is run.
            directions = self._directions(corpus)
            difference = self._compare(corpus, directions)
            self.run += 1
            if difference is not None:
                return difference
            self._spread(corpus, directions)
        if progress is not None:
            progress(total, total)
        return None

    def _directions(self, corpus: tuple[int, ...]) -> dict[str, list[Values]]:
        rows, weights = self._weighted(corpus)
        return plain_directions(self.kind, rows, weights, self.sizes.V)

    def _weighted(self, corpus: tuple[int, ...]) -> tuple[list[list[int]], list[fmpq]]:
        counts = Counter(corpus)
        return [self.sequences[i] for i in counts], [fmpq(n) for n in counts.values()]

    def _compare(self, corpus: tuple[int, ...], directions: dict[str, list[Values]]) -> str | None:
        rows, weights = self._weighted(corpus)
        history = plain_descent(rows, weights, self.sizes.V, self.sizes.L, self.degree, self.degree)
        for claim in sorted(self.claims, key=lambda c: c.order):
            for s in range(claim.order + 1):
                difference = _disagreement(claim, directions[claim.group], history[s], s)
                if difference is not None:
                    return f"{difference} (corpus {[self.sequences[i] for i in corpus]})"
        return None

    def _spread(self, corpus: tuple[int, ...], directions: dict[str, list[Values]]) -> None:
        """Stores the values for every renaming of the tokens of a corpus."""
        V = self.sizes.V
        for names, renamed in self.renamings:
            other = tuple(sorted(renamed[i] for i in corpus))
            if other not in self.values:
                self.values[other] = {
                    g: [v if g == "P" else _renamed(v, names, V) for v in many]
                    for g, many in directions.items()
                }

    def polynomials(self, group: str, degree: int) -> list[list[Monomials]]:
        """The directions of one group as polynomials, by mixed differences of the values at the corpora."""
        sample = next(iter(self.values.values()))[group]
        result: list[list[Monomials]] = [[{} for _ in direction] for direction in sample]
        for monomial in combinations_with_replacement(range(len(self.sequences)), degree):
            powers = Counter(monomial)
            scale = fmpq(1, math.prod(math.factorial(p) for p in powers.values()))
            terms = [(sign * scale, self.values[b][group]) for b, sign in _below(powers) if b]
            for j, direction in enumerate(result):
                for n, entry in enumerate(direction):
                    value = sum((c * v[j][n] for c, v in terms), fmpq(0))
                    if value:
                        entry[monomial] = value
        return result


def _disagreement(claim: Claim, directions: list[Values], at: PlainParameters, steps: int) -> str | None:
    """The first order, layer and entry at which one corpus contradicts a claim, or None."""
    amounts = [p(steps) for p in claim.coefficients]
    expected = [
        sum((a * v for a, v in zip(amounts, vs, strict=True)), fmpq(0))
        for vs in zip(*directions, strict=True)
    ]
    columns = 1 if claim.group == "P" else len(at.W_O)
    by_order = {k: [fmpq(0)] * len(expected) for k in claim.vanishing} | {claim.order: expected}
    for order, values in by_order.items():
        for layer, entries in enumerate(_entries(at, claim.group)):
            for n, (entry, value) in enumerate(zip(entries, values, strict=True)):
                if entry[order] != value:
                    return (
                        f"{claim.group}, layer {layer}, order {order}, entry {list(divmod(n, columns))}, "
                        f"after {steps} steps: "
                        f"claimed {value}, found {entry[order]}"
                    )
    return None


def _below(powers: Mapping[int, int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every b <= a with its sign and binomials: the weights of the mixed difference."""
    indices = list(powers)
    for b in cartesian(*(range(powers[i] + 1) for i in indices)):
        sign = (-1) ** (sum(powers.values()) - sum(b))
        weight = math.prod(math.comb(powers[i], k) for i, k in zip(indices, b, strict=True))
        yield tuple(i for i, k in zip(indices, b, strict=True) for _ in range(k)), sign * weight


def _renamed(values: Values, names: Sequence[int], V: int) -> Values:
    """Entry [i, j] moves to [names[i], names[j]]."""
    result = list(values)
    for i in range(V):
        for j in range(V):
            result[names[i] * V + names[j]] = values[i * V + j]
    return result


def _entries(at: PlainParameters, group: str) -> list[list[fmpq_poly]]:
    """The entries of a group, row by row, for each layer."""
    if group == "W_O":
        return [[x for row in at.W_O for x in row]]
    if group == "P":
        return at.P
    return [[x for row in layer for x in row] for layer in (at.V if group == "V" else at.W)]


def _digest_problems(certified: Certified, found: Mapping[str, list[list[Monomials]]]) -> Iterator[str]:
    for claim in certified.claims:
        for recorded, matrix in zip(claim.directions, found[claim.group], strict=True):
            if digest(matrix) != {"terms": recorded.terms, "sha256": recorded.sha256}:
                yield f"{claim.group}: the polynomials of {recorded.name} are not the recorded ones"

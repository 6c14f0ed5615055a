"""Checks a certificate without the machinery that made it: no symbols, no series engine, only corpora.

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

from theory.certificate_format import FORMAT, MOST_LAYERS, Monomials, digest, seal, statement
from theory.corpus import check_corpus
from theory.identities import DIRECTIONS, KINDS, direction_matrices, step_degree
from theory.one_hot import constants
from theory.orders import GROUPS, leading_orders
from theory.plain_descent import PlainParameters, plain_descent
from theory.step_polynomials import from_text

Progress = Callable[[int, int], None]
Values = list[fmpq]

MOST_CORPORA = 2_000_000
"""The largest number of corpora that is attempted: it would take hours, and a table of gigabytes."""

MOST_ORDER = 100
"""Far above every order of an identity that there is."""


@dataclass(frozen=True)
class Check:
    """The outcome: what is wrong (nothing, when it holds), and how many corpora were run and compared."""

    problems: tuple[str, ...]
    corpora_run: int
    corpora_covered: int

    @property
    def holds(self) -> bool:
        """True when nothing is wrong and something was run."""
        return not self.problems and self.corpora_run > 0


@dataclass(frozen=True)
class _Claim:
    group: str
    order: int
    vanishing: list[int]
    coefficients: list[fmpq_poly]
    recorded: Mapping[str, Any]


@dataclass(frozen=True)
class _Sizes:
    V: int
    T: int
    L: int
    kind: str


def check(certificate: Mapping[str, Any], progress: Progress | None = None) -> Check:
    """Verifies a certificate from its data alone; `progress(done, all)` is called as corpora are run.

    Never raises for a wrong certificate: whatever is malformed, tampered with or false is in `problems`.
    """
    try:
        sizes, claims = _read(certificate)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        return Check((f"not a certificate of this format: {error}",), 0, 0)
    problems = _formal_problems(certificate, sizes, claims)
    if problems:
        return Check(tuple(problems), 0, 0)
    table = _Table(sizes, claims)
    difference = table.fill(progress)
    if difference is not None:
        return Check((difference,), table.run, len(table.values))
    return Check(tuple(_digest_problems(sizes, claims, table)), table.run, len(table.values))


def _read(certificate: Mapping[str, Any]) -> tuple[_Sizes, list[_Claim]]:
    if certificate["certificate"] != "leadterms" or certificate["format"] != FORMAT:
        raise ValueError(f"it must be a leadterms certificate of format {FORMAT}")
    given = certificate["sizes"]
    V, T, L = (_whole(given[name]) for name in ("vocab_size", "length", "layers"))
    sizes = _Sizes(V, T, L, certificate["kind"])
    if MOST_CORPORA.bit_length() <= T or V ** (T + 1) > MOST_CORPORA:
        raise ValueError(f"there are too many sequences of {T + 1} of {V} tokens to run them")
    if L > MOST_LAYERS:
        raise ValueError(f"{L} layers are too many to run; {MOST_LAYERS} can be")
    if min(V, T, L) < 1 or sizes.kind not in KINDS:
        raise ValueError(f"no such sizes or kind: {given}, {sizes.kind!r}")
    return sizes, [_claim(one) for one in certificate["identities"]]


def _claim(one: Mapping[str, Any]) -> _Claim:
    """One identity as it is recorded; raises for what is of another type than it must be."""
    recorded = {
        "directions": [{**direction, "name": str(direction["name"])} for direction in one["directions"]],
        "steps_compared": [_whole(steps) for steps in one["steps_compared"]],
        "layers": _whole(one["layers"]),
    }
    vanishing = [_whole(order) for order in one["vanishing_orders"]]
    coefficients = [from_text(c) for c in one["coefficients"]]
    return _Claim(str(one["group"]), _whole(one["order"]), vanishing, coefficients, recorded)


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{value!r} is no whole number")
    return value


def _formal_problems(
    certificate: Mapping[str, Any], sizes: _Sizes, claims: Sequence[_Claim]
) -> Iterator[str] | list[str]:
    """Everything that can be seen without running a corpus."""
    problems = []
    if certificate.get("sha256") != seal(certificate):
        problems.append("the certificate's own digest does not match its contents")
    if certificate.get("statement") != statement(sizes.kind, sizes.V, sizes.T, sizes.L):
        problems.append("the statement is not the one that the sizes and the kind stand for")
    if sorted(c.group for c in claims) != sorted(GROUPS):
        problems.append(f"the identities must be one for each of {', '.join(GROUPS)}")
        return problems
    if any(c.order not in range(MOST_ORDER) for c in claims):
        problems.append("the orders are not those of the statement")
        return problems
    corpora = math.comb(sizes.V ** (sizes.T + 1) + max(c.order for c in claims), sizes.V ** (sizes.T + 1))
    if corpora > MOST_CORPORA:
        problems.append(f"{corpora} corpora would have to be run; up to {MOST_CORPORA} are")
    beyond = 0 if sizes.kind == "leading" else 1
    for c in claims:
        lowest = leading_orders(sizes.L)[c.group]
        if c.order != lowest + beyond or c.vanishing != (list(range(lowest)) if beyond == 0 else []):
            problems.append(f"{c.group}: the orders are not those of the statement")
        if [d["name"] for d in c.recorded["directions"]] != list(DIRECTIONS[sizes.kind][c.group]):
            problems.append(f"{c.group}: the directions are not those of the statement")
        if len(c.coefficients) != len(DIRECTIONS[sizes.kind][c.group]):
            problems.append(f"{c.group}: there must be one step polynomial a direction")
        degree = step_degree(c.order)
        compared = c.recorded["steps_compared"] == list(range(degree + 1))
        if not compared or max(p.degree() for p in c.coefficients) > degree:
            problems.append(f"{c.group}: the degree in s is not the one that was derived")
        expected_layers = 1 if c.group == "W_O" else sizes.L
        if c.recorded["layers"] != expected_layers:
            problems.append(f"{c.group}: it must speak of {expected_layers} layers")
    return problems


class _Table:
    """Values of every direction at every corpus of up to d sequences, with the claims compared on the way."""

    def __init__(self, sizes: _Sizes, claims: Sequence[_Claim]) -> None:
        self.sizes, self.claims = sizes, claims
        self.degree = max(c.order for c in claims)
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
        counts = Counter(corpus)
        rows = [self.sequences[i] for i in counts]
        one_hot = constants(check_corpus(rows, self.sizes.V, list(counts.values())))
        matrices = direction_matrices(self.sizes.kind, one_hot)
        return {g: [m.entries() for m in matrices[g]] for g in matrices}

    def _compare(self, corpus: tuple[int, ...], directions: dict[str, list[Values]]) -> str | None:
        counts = Counter(corpus)
        rows = [self.sequences[i] for i in counts]
        weights = [fmpq(n) for n in counts.values()]
        steps = max(step_degree(c.order) for c in self.claims)
        history = plain_descent(rows, weights, self.sizes.V, self.sizes.L, steps, self.degree)
        for claim in sorted(self.claims, key=lambda c: c.order):
            for s in range(step_degree(claim.order) + 1):
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


def _disagreement(claim: _Claim, directions: list[Values], at: PlainParameters, steps: int) -> str | None:
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


def _digest_problems(sizes: _Sizes, claims: Sequence[_Claim], table: _Table) -> Iterator[str]:
    for claim in claims:
        directions = table.polynomials(claim.group, claim.order)
        for entry, matrix in zip(claim.recorded["directions"], directions, strict=True):
            if {"name": entry["name"], **digest(matrix)} != entry:
                yield f"{claim.group}: the polynomials of {entry['name']} are not the recorded ones"

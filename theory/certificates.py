"""Proofs for every corpus of a size and every step count at once, written as certificates to be checked.

Two finite computations settle an identity between a coefficient of the descent and the statistics:

* *every corpus*: with one symbol for the weight of each possible sequence, both sides are polynomials with
  rational coefficients (`theory.symbolic_series`), and they are compared term by term;
* *every step count*: both sides are polynomials in s of degree at most `step_degree(order)`, so equality
  after s = 0, 1, ..., degree steps is equality after any number of steps.

`check` (in `theory.certificate_check`) establishes the same by another route.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flint import fmpq

from theory.certificate_format import (
    DIRECTIONS,
    FORMAT,
    NAME,
    Monomials,
    as_text,
    digest,
    sealed,
    statement,
    versions,
)
from theory.cost import refuse_the_proof
from theory.descent import Truncated
from theory.identities import Identity, direction_matrices, identities, step_degree
from theory.next_order import combined
from theory.orders import leading_orders
from theory.polynomial_matrix import PolynomialMatrix
from theory.symbolic_series import descend_every_corpus, every_corpus
from theory.verdict import Difference, Statement, first_difference

Certificate = dict[str, Any]
History = list[Truncated[PolynomialMatrix]]
Progress = Callable[[str], None]


class Refuted(Exception):
    """An identity is false; `difference` names the first order and entry where it fails."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(str(difference))
        self.difference = difference


def prove(
    vocab_size: int,
    length: int,
    layers: int,
    kind: str = "leading",
    *,
    claims: Sequence[Identity] | None = None,
    progress: Progress | None = None,
) -> Certificate:
    """Proves the identities of a kind for every corpus of a size, every layer and every step count.

    `vocab_size` = V, `length` = T. `kind` is "leading" (Theorem 4.1) or "next" (`theory.next_order`). The
    certificate is a dictionary of strings, integers and lists, ready for JSON. `claims` replaces the
    identities by others of the same groups and directions, to see them refuted; `progress` is told in words
    what is being done.

    Raises:
        Refuted: an identity is false.
        ValueError: the kind is unknown, a size is below 1 or they are beyond reach.
    """
    claims = identities(kind) if claims is None else claims
    refuse_the_proof(vocab_size, length, layers, max(claim.order for claim in claims))
    tell = progress or (lambda _: None)
    tell("the statistics as polynomials")
    directions = direction_matrices(kind, every_corpus(vocab_size, length))
    steps = max(step_degree(claim.order) for claim in claims)
    tell(f"{steps} steps of descent as polynomials")
    history = descend_every_corpus(vocab_size, length, layers, steps, kept_for(claims))
    proved = []
    for claim in sorted(claims, key=lambda c: c.order):
        tell(f"{claim.group} at order {claim.order}")
        proved.append(_prove_one(claim, directions[claim.group], DIRECTIONS[kind][claim.group], history))
    return sealed(
        {
            "certificate": NAME,
            "format": FORMAT,
            "kind": kind,
            "statement": statement(kind, vocab_size, length, layers),
            "sizes": {"vocab_size": vocab_size, "length": length, "layers": layers},
            "symbols": vocab_size ** (length + 1),
            "identities": proved,
            "versions": versions(),
        }
    )


def kept_for(claims: Sequence[Identity]) -> dict[str, int]:
    """Orders to keep: as many beyond the leading one in every group, which the descent does not leave."""
    leading = leading_orders(1)
    beyond = max(claim.order - leading[claim.group] for claim in claims)
    return {g: k + max(beyond, 0) for g, k in leading.items()}


def _prove_one(
    claim: Identity, matrices: list[PolynomialMatrix], names: Sequence[str], history: History
) -> dict[str, Any]:
    if any(p.degree() > step_degree(claim.order) for p in claim.coefficients):
        raise ValueError(
            f"the step polynomials of {claim.group} have a higher degree than any coefficient can"
        )
    steps = range(1, step_degree(claim.order) + 1)
    layers = len(_layers(history[0], claim.group))
    for layer in range(layers):
        for order in claim.vanishing:
            for s in range(1, step_degree(order) + 1):
                _require(claim.group, layer, order, s, None, history)
        for s in steps:
            expected = combined([p(s) for p in claim.coefficients], matrices)
            _require(claim.group, layer, claim.order, s, expected or None, history)
    return {
        "group": claim.group,
        "order": claim.order,
        "vanishing_orders": list(claim.vanishing),
        "layers": layers,
        "steps_compared": [0, *steps],
        "coefficients": [as_text(p) for p in claim.coefficients],
        "directions": [{"name": n, **digest(monomials(m))} for n, m in zip(names, matrices, strict=True)],
    }


def _require(
    group: str, layer: int, order: int, steps: int, expected: PolynomialMatrix | None, history: History
) -> None:
    """Raises `Refuted` unless the series has this coefficient."""
    found = _layers(history[steps], group)[layer][order]
    claim = Statement(group, None if group == "W_O" else layer, order, expected, steps)
    difference = first_difference(claim, found)
    if difference is not None:
        raise Refuted(difference)


def _layers(at: Truncated[PolynomialMatrix], group: str) -> list[list[PolynomialMatrix | None]]:
    return [coefficients for name, coefficients in at.groups() if name == group]


def monomials(matrix: PolynomialMatrix) -> list[Monomials]:
    """The entries as monomials."""
    return [_monomials(entry) for entry in matrix.entries()]


def _monomials(entry: Any) -> Monomials:
    if isinstance(entry, fmpq):
        return {(): entry} if entry else {}
    return {_indices(exponents): coefficient for exponents, coefficient in entry.terms()}


def _indices(exponents: tuple[int, ...]) -> tuple[int, ...]:
    """A symbol's index as often as its exponent says."""
    present = [i for i, power in enumerate(exponents) if power]
    if len(present) == sum(exponents):
        return tuple(present)
    return tuple(i for i in present for _ in range(int(exponents[i])))

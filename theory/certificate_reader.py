"""Reads a certificate strictly: the exact fields, of the exact types, and all that sizes and kind determine.

Whatever is read here is of the right form, so that what checks it has to think of truth only: of the step
polynomials and the digests, which are all that a certificate of given sizes and kind can get wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq_poly

from theory.certificate_format import (
    DIRECTIONS,
    FORMAT,
    GROUPS,
    KINDS,
    NAME,
    ORDERS,
    from_text,
    statement,
    vanishing_orders,
)
from theory.cost import refuse_the_check

_SHOWN = 60
_DIGEST = re.compile("[0-9a-f]{64}")
_LONGEST_SIZE = 1000
_MOST_TERMS = 10**8

_FIELDS = (
    "certificate",
    "format",
    "kind",
    "statement",
    "sizes",
    "symbols",
    "identities",
    "versions",
    "sha256",
)
_IDENTITY = (
    "group",
    "order",
    "vanishing_orders",
    "layers",
    "steps_compared",
    "coefficients",
    "directions",
)


class Malformed(ValueError):
    """The data is no certificate of this format: one sentence that begins with the field's name."""


@dataclass(frozen=True)
class Sizes:
    """V words, T predicted positions, L layers."""

    V: int
    T: int
    L: int


@dataclass(frozen=True)
class Direction:
    """The digest of one matrix of polynomials in the weights."""

    name: str
    terms: int
    sha256: str


@dataclass(frozen=True)
class Claim:
    """Of one group: at `order` it is sum_j coefficients_j(s) direction_j, at the orders in `vanishing` 0."""

    group: str
    order: int
    vanishing: tuple[int, ...]
    coefficients: tuple[fmpq_poly, ...]
    directions: tuple[Direction, ...]


@dataclass(frozen=True)
class Certified:
    """What a certificate says, of a form that is right."""

    kind: str
    sizes: Sizes
    claims: tuple[Claim, ...]
    sha256: str


def read(data: object) -> Certified:
    """The certificate that JSON data is.

    Raises:
        Malformed: a field is missing, unknown, of another type, or not what the sizes and the kind determine,
            or the sizes are beyond what can be checked; the field is named.
    """
    if not isinstance(data, Mapping) or data.get("certificate") != NAME:
        raise Malformed(f"certificate must be {NAME!r}: this is none")
    _fields("", data, _FIELDS)
    _same("format", data["format"], FORMAT)
    if data["kind"] not in KINDS:
        raise Malformed(f"kind is {_shown(data['kind'])}; it must be {' or '.join(map(repr, KINDS))}")
    kind = str(data["kind"])
    sizes = _sizes(data["sizes"], kind)
    _same("symbols", data["symbols"], sizes.V ** (sizes.T + 1))
    _same("statement", data["statement"], statement(kind, sizes.V, sizes.T, sizes.L))
    _versions(data["versions"])
    identities = _list("identities", data["identities"], len(GROUPS))
    claims = tuple(
        _claim(f"identities[{n}]", one, group, kind, sizes.L)
        for n, (one, group) in enumerate(zip(identities, GROUPS, strict=True))
    )
    return Certified(kind, sizes, claims, _digest("sha256", data["sha256"]))


def _sizes(data: object, kind: str) -> Sizes:
    found = _fields("sizes", data, ("vocab_size", "length", "layers"))
    sizes = Sizes(*(_whole(f"sizes.{name}", value, 1, _LONGEST_SIZE) for name, value in found.items()))
    try:
        refuse_the_check(sizes.V, sizes.T, sizes.L, max(ORDERS[kind].values()))
    except ValueError as error:
        raise Malformed(f"sizes: {error}") from None
    return sizes


def _versions(data: object) -> None:
    if not isinstance(data, Mapping) or not all(isinstance(version, str) for version in data.values()):
        raise Malformed(f"versions is {_shown(data)}; it must be an object of strings")


def _claim(where: str, data: object, group: str, kind: str, layers: int) -> Claim:
    found = _fields(where, data, _IDENTITY)
    order, names = ORDERS[kind][group], DIRECTIONS[kind][group]
    vanishing = vanishing_orders(kind, group)
    for field, right in (
        ("group", group),
        ("order", order),
        ("vanishing_orders", vanishing),
        ("layers", 1 if group == "W_O" else layers),
        ("steps_compared", list(range(order + 1))),
    ):
        _same(f"{where}.{field}", found[field], right)
    coefficients = _list(f"{where}.coefficients", found["coefficients"], len(names))
    directions = _list(f"{where}.directions", found["directions"], len(names))
    return Claim(
        group,
        order,
        tuple(vanishing),
        tuple(_polynomial(f"{where}.coefficients[{j}]", c, order) for j, c in enumerate(coefficients)),
        tuple(
            _direction(f"{where}.directions[{j}]", d, name)
            for j, (d, name) in enumerate(zip(directions, names, strict=True))
        ),
    )


def _polynomial(where: str, data: object, degree: int) -> fmpq_poly:
    if not isinstance(data, list) or not all(isinstance(c, str) for c in data) or len(data) > degree + 1:
        raise Malformed(
            f"{where} is {_shown(data)}; it must be a list of at most {degree + 1} fractions as text"
        )
    try:
        return from_text(data)
    except ValueError as error:
        raise Malformed(f"{where}: {error}") from None


def _direction(where: str, data: object, name: str) -> Direction:
    found = _fields(where, data, ("name", "terms", "sha256"))
    _same(f"{where}.name", found["name"], name)
    terms = _whole(f"{where}.terms", found["terms"], 0, _MOST_TERMS)
    return Direction(name, terms, _digest(f"{where}.sha256", found["sha256"]))


def _fields(where: str, data: object, names: Sequence[str]) -> dict[str, Any]:
    """The fields in the order of `names`."""
    dot = f"{where}." if where else ""
    if not isinstance(data, Mapping):
        raise Malformed(f"{where} is {_shown(data)}; it must be an object with {', '.join(names)}")
    for name in names:
        if name not in data:
            raise Malformed(f"{dot}{name} is missing")
    for name in data:
        if name not in names:
            raise Malformed(f"{dot}{str(name)[:_SHOWN]} is no field of a certificate; leave it out")
    return {name: data[name] for name in names}


def _list(where: str, data: object, length: int) -> list[Any]:
    if not isinstance(data, list) or len(data) != length:
        raise Malformed(f"{where} is {_shown(data)}; it must be a list of {length}")
    return data


def _whole(where: str, data: object, low: int, high: int) -> int:
    # Of JSON's numbers: 4.0 is none, and true is one to Python.
    if type(data) is not int or not low <= data <= high:
        raise Malformed(f"{where} is {_shown(data)}; it must be a whole number, {low} to {high}")
    return data


def _digest(where: str, data: object) -> str:
    if not isinstance(data, str) or not _DIGEST.fullmatch(data):
        raise Malformed(f"{where} is {_shown(data)}; it must be a SHA-256 in 64 small hexadecimal digits")
    return data


def _same(where: str, data: object, right: object) -> None:
    if not _identical(data, right):
        raise Malformed(
            f"{where} is {_shown(data)}; with these sizes and this kind it must be {json.dumps(right)}"
        )


def _identical(data: object, right: object) -> bool:
    """Equal and of the same types throughout: 4.0 is not 4, and true is not 1."""
    if isinstance(right, list):
        return isinstance(data, list) and len(data) == len(right) and all(map(_identical, data, right))
    return type(data) is type(right) and data == right


def _shown(data: object) -> str:
    """As JSON, cut to what is read at a glance."""
    try:
        text = json.dumps(data, default=repr)
    except (ValueError, RecursionError):
        text = "not to be written"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."

"""The certificate as data: what its fields must be, the canonical text of a polynomial matrix, and digests.

What makes a certificate and what checks one share this file, what reads a fraction in it, the limits of size
(`theory.cost`), and no other: docs/certificates.md is the same in words, for a program that shares nothing.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from typing import Any

import flint
from flint import fmpq, fmpq_poly

from theory.rational_text import rational

NAME, FORMAT = "leadterms", 1

KINDS = ("leading", "next")

GROUPS = ("W_O", "V", "W", "P")

ORDERS = {
    "leading": {"W_O": 1, "V": 2, "W": 4, "P": 4},
    "next": {"W_O": 2, "V": 3, "W": 5, "P": 5},
}
"""The order in eta that a certificate speaks of; the coefficient there is a polynomial in s of at most that
degree (`theory.identities.step_degree`)."""

_EVIDENCE = tuple(f"-evidence of {m} / V" for m in ("U B^T D_p B Phi", "U Sigma B^T K^T", "X B Sigma Phi"))

DIRECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "leading": {
        "W_O": ("B_bar",),
        "V": ("Phi_bar^T B_bar^T",),
        "W": ("Q_bar",),
        "P": ("Delta_bar",),
    },
    "next": {
        "W_O": ("-D_p B_bar / V",),
        "V": ("-Phi_bar^T B_bar^T D_p / V", "-K B_bar B_bar^T / V"),
        "W": _EVIDENCE,
        "P": _EVIDENCE,
    },
}
"""The names of the matrices that each group's coefficient is written in."""

Monomials = dict[tuple[int, ...], fmpq]
"""A polynomial in the weights: sorted indices of a monomial's symbols, with repeats, to its coefficient."""


def statement(kind: str, vocab_size: int, length: int, layers: int) -> str:
    """What a certificate claims, in words."""
    orders = ", ".join(f"{group} at eta^{order}" for group, order in ORDERS[kind].items())
    what = (
        f"the coefficients of lower order vanish and the leading ones ({orders}) are those of the theorem"
        if kind == "leading"
        else f"the coefficients one order further ({orders}) are the closed forms of the next order"
    )
    return (
        f"For every corpus of sequences of {length + 1} tokens from a vocabulary of {vocab_size}, after any "
        f"number of steps of full-batch descent from zero with {layers} layer{'s' if layers > 1 else ''}, "
        f"in every layer: {what}."
    )


def vanishing_orders(kind: str, group: str) -> list[int]:
    """The orders at which a certificate of the kind also says that the group has no coefficient."""
    return list(range(ORDERS[kind][group])) if kind == "leading" else []


def as_text(p: fmpq_poly) -> list[str]:
    """The coefficients of 1, s, s^2, ... to the degree, each as `rational` reads it; zero is []."""
    return [str(c) for c in p.coeffs()]


def from_text(coefficients: Iterable[str]) -> fmpq_poly:
    """The inverse of `as_text`.

    Raises:
        ValueError: it is another writing of the same polynomial.
    """
    p = fmpq_poly([rational(c) for c in coefficients])
    if as_text(p) != list(coefficients):
        raise ValueError("the last coefficient must not be 0")
    return p


def canonical_text(matrix: Iterable[Monomials]) -> str:
    """A line an entry, row by row: monomials "p/q*w_i*w_j..." in lexicographic order; zero is empty."""

    def line(entry: Monomials) -> str:
        return " + ".join("*".join((str(c), *(f"w_{i}" for i in m))) for m, c in sorted(entry.items()) if c)

    return "\n".join(map(line, matrix))


def digest(matrix: Iterable[Monomials]) -> dict[str, Any]:
    """The number of terms in all entries and the SHA-256 of the canonical text."""
    entries = list(matrix)
    return {
        "terms": sum(bool(c) for entry in entries for c in entry.values()),
        "sha256": hashlib.sha256(canonical_text(entries).encode()).hexdigest(),
    }


def sealed(body: Mapping[str, Any]) -> dict[str, Any]:
    """The certificate with the digest of all its other fields added."""
    return {**body, "sha256": seal(body)}


def seal(certificate: Mapping[str, Any]) -> str:
    """SHA-256 of the certificate's fields, without the field that holds it."""
    body = {key: value for key, value in certificate.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def versions() -> dict[str, str]:
    """What made the certificate."""
    return {
        "python": platform.python_version(),
        "python-flint": flint.__version__,
        "flint": flint.__FLINT_VERSION__,
    }

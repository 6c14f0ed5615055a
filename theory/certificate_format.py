"""The certificate as data: its statement, the canonical text of a polynomial matrix, and digests."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from typing import Any

import flint
from flint import fmpq

from theory.orders import leading_orders

FORMAT = 1

MOST_LAYERS = 64
"""Each layer is run by itself, and says what the one below it says: more of them would only take longer."""

Monomials = dict[tuple[int, ...], fmpq]
"""A polynomial in the weights: sorted indices of a monomial's symbols, with repeats, to its coefficient."""


def statement(kind: str, vocab_size: int, length: int, layers: int) -> str:
    """What a certificate claims, in words."""
    lowest = leading_orders(layers)
    at = {group: order if kind == "leading" else order + 1 for group, order in lowest.items()}
    orders = ", ".join(f"{group} at eta^{order}" for group, order in at.items())
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

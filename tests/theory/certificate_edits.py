"""Forgeries: a certificate with something changed, and a fresh digest of its own."""

import copy
from collections.abc import Callable
from typing import Any

from theory.certificate_format import sealed
from theory.certificates import Certificate

Edit = Callable[[Certificate], None]


def edited(made: Certificate, edit: Edit) -> Certificate:
    """A changed copy, with the digest that it had."""
    copied = copy.deepcopy(made)
    edit(copied)
    return copied


def resealed(made: Certificate, edit: Edit) -> Certificate:
    return sealed({key: value for key, value in edited(made, edit).items() if key != "sha256"})


def of(made: Certificate, group: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in made["identities"] if one["group"] == group)
    return found


def _at(certificate: Any, path: str) -> tuple[Any, Any]:
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in way:
        certificate = certificate[part]
    return certificate, last


def change(path: str, value: object) -> Edit:
    """Puts the value at "identities.1.order", say."""

    def edit(certificate: Certificate) -> None:
        place, last = _at(certificate, path)
        place[last] = value

    return edit


def without(path: str) -> Edit:
    def edit(certificate: Certificate) -> None:
        place, last = _at(certificate, path)
        del place[last]

    return edit

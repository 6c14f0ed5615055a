"""Certificates are read strictly: whatever is of another form is named, and nothing is run."""

import json
import re
from typing import Any

import pytest
from certificate_edits import Edit, change, edited, without

from theory.certificate_check import check
from theory.certificate_reader import Malformed, read
from theory.certificates import Certificate, prove


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    """As it would come back from a file."""
    loaded: Certificate = json.loads(json.dumps(prove(2, 2, 1)))
    return loaded


FIELDS = [
    "certificate",
    "format",
    "kind",
    "statement",
    "sizes",
    "symbols",
    "identities",
    "versions",
    "sha256",
]
FIELDS += [f"sizes.{name}" for name in ("vocab_size", "length", "layers")]
IDENTITY = ["group", "order", "vanishing_orders", "layers", "steps_compared", "coefficients", "directions"]
FIELDS += [f"identities.2.{name}" for name in IDENTITY]
FIELDS += [f"identities.2.directions.0.{name}" for name in ("name", "terms", "sha256")]
FIELDS += ["identities.0", "identities.2.coefficients.0", "identities.2.directions.0"]
ODD: list[object] = [
    None,
    True,
    -5,
    4.0,
    1e9,
    float("inf"),
    float("nan"),
    10**9,
    "4",
    "",
    [],
    {},
    [[]],
    [1.0],
]


# The polynomial 0, and versions of nothing.
OF_THE_FORM = [
    ("versions", {}),
    ("identities.2.coefficients", [[]]),
    ("identities.2.coefficients.0", []),
]


def named(path: str) -> str:
    return re.sub(r"\.(\d+)", r"[\1]", path)


@pytest.mark.parametrize("path", FIELDS)
def test_a_field_of_another_form_is_named(certificate: Certificate, path: str) -> None:
    for value in ODD:
        if (path, value) in OF_THE_FORM:
            continue
        forged = edited(certificate, change(path, value))
        with pytest.raises(Malformed) as refused:
            read(forged)
        told = str(refused.value)
        where = path.rpartition(".")[0] if path.startswith("sizes.") and told.startswith("sizes:") else path
        assert told.startswith(named(where)), (value, told)
        assert len(told) < 500
        assert check(forged).corpora_run == 0
    with pytest.raises(Malformed, match=re.escape(named(path)) + "| must be a list of [14]"):
        read(edited(certificate, without(path)))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            change("identities.2.order", 5),
            "identities[2].order is 5; with these sizes and",
        ),
        (change("identities.2.vanishing_orders", [0]), "it must be [0, 1, 2, 3]"),
        (change("identities.2.directions.0.name", "B_bar"), 'it must be "Q_bar"'),
        (change("identities.2.steps_compared", [0, 1, 2, 3]), "it must be [0, 1, 2, 3, 4]"),
        (change("identities.2.layers", 2), "identities[2].layers is 2"),
        (change("identities.2.coefficients.0", ["0", "1/2", "0"]), "the last coefficient must not be 0"),
        (change("identities.2.coefficients.0", ["0/1", "1/2"]), "'0/1' is not in lowest terms; write 0"),
        (change("identities.2.coefficients.0", ["0"] * 5 + ["1"]), "a list of at most 5 fractions as text"),
        (change("identities.2.coefficients.0", ["x"]), "'x' is not a fraction"),
        (change("statement", "Everything."), "statement is"),
        (change("sizes.layers", 2), "statement is"),
        (change("sizes.layers", 10**9), "sizes.layers is 1000000000; it must be a whole number, 1 to 1000"),
        (change("sizes.layers", 101), "101 layers are more"),
        (change("sizes.length", 1000), "2^1001 sequences"),
        (change("sizes", {"vocab_size": 6, "length": 3, "layers": 1}), "corpora would have to be run"),
        (change("sizes", {"vocab_size": 1, "length": 900, "layers": 100}), "would take about"),
        (change("extra", 1), "extra is no field of a certificate"),
        (change("sizes.extra", 1), "sizes.extra is no field"),
        (change("identities.3.extra", 1), "identities[3].extra is no field"),
        (change("versions", {"python": 3}), "versions is"),
    ],
)
def test_what_the_sizes_determine_is_held_to_them(certificate: Certificate, edit: Edit, message: str) -> None:
    with pytest.raises(Malformed) as refused:
        read(edited(certificate, edit))
    assert message in str(refused.value)


@pytest.mark.parametrize("data", [{}, [], None, 3, "text", {"certificate": "other"}])
def test_what_is_no_certificate_is_said_to_be_none(data: Any) -> None:
    with pytest.raises(Malformed, match="certificate must be 'leadterms'"):
        read(data)
    assert not check(data).holds

"""How near is near enough is derived, not chosen: no comparison is given a number of its own to be within."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
COMPARISONS = {"approx", "allclose", "assert_allclose", "isclose"}
WITHIN = {"abs", "rel", "atol", "rtol", "abs_tol", "rel_tol"}
DERIVING = {"gamma", "rounding", "unit_roundoff", "likely_rounding"}
ROOMS = (
    "benchmarks",
    "docs",
    "examples",
    "gpu",
    "paper_checks",
    "properties",
    "reference",
    "tests",
    "theory",
)


def name_of(call):
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def chosen(node):
    """Return whether an expression holds a number that is not zero and that no bound is made of."""
    if isinstance(node, ast.Call) and name_of(node) in DERIVING:
        return False
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and node.value != 0
    return any(chosen(child) for child in ast.iter_child_nodes(node))


def literals(source):
    """Yield the lines on which a comparison is within a number that is chosen."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and name_of(node) in COMPARISONS:
            for keyword in node.keywords:
                if keyword.arg in WITHIN and chosen(keyword.value):
                    yield keyword.value.lineno


@pytest.mark.parametrize("room", ROOMS)
def test_no_comparison_is_within_a_number_of_its_own(room):
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / room).rglob("*.py"))
        for line in literals(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("assert a == approx(b, rel=1e-3)", [1]),
        ("\nnp.testing.assert_allclose(a, b, atol=1e-12 * np.abs(b).max())", [2]),
        ("assert a == pytest.approx(b, abs=1 / 2**20)", [1]),
        ("np.allclose(a, b, rtol=0, atol=gamma(100, unit) * size)", []),
        ("math.isclose(a, b, rel_tol=0)", []),
        ("approx(b, abs=bound)", []),
    ],
)
def test_what_is_chosen_is_told_from_what_is_derived(source, lines):
    assert list(literals(source)) == lines

"""Same input, same output: nothing goes through a set in the order of its hashes, which differ by run."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("theory", "reference", "gpu", "properties", "paper_checks", "benchmarks")


def of_a_set(node: ast.expr) -> bool:
    """Whether an expression is certainly a set: written as one, or what two mappings' keys have in common."""
    if isinstance(node, ast.Set | ast.SetComp):
        return True
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("set", "frozenset")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr | ast.Sub | ast.BitXor):
        sides = (node.left, node.right)
        keys = [s for s in sides if isinstance(s, ast.Call) and getattr(s.func, "attr", "") == "keys"]
        return bool(keys) or any(of_a_set(side) for side in sides)
    return False


# What goes through an order without showing it.
WHOLE = ("sorted", "set", "frozenset", "all", "any", "sum", "min", "max", "len")


def through_sets(tree: ast.Module) -> list[int]:
    """Return the lines that go through a set in its own order where that order can be seen."""
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            child.parent = node  # type: ignore[attr-defined]
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.For) and of_a_set(node.iter):
            found.append(node.lineno)
        elif isinstance(node, ast.ListComp | ast.DictComp | ast.GeneratorExp):
            parent = node.parent  # type: ignore[attr-defined]
            whole = isinstance(parent, ast.Call) and getattr(parent.func, "id", "") in WHOLE
            if not whole and any(of_a_set(part.iter) for part in node.generators):
                found.append(node.lineno)
    return found


def test_a_loop_over_a_set_is_found():
    assert through_sets(ast.parse("for a in x.keys() & y.keys():\n    print(a)")) == [1]
    assert through_sets(ast.parse("[a for a in set(x)]")) == [1]
    assert through_sets(ast.parse("sorted(a for a in {1, 2})")) == []
    assert through_sets(ast.parse("for a in sorted(x.keys() & y.keys()):\n    print(a)")) == []


@pytest.mark.parametrize("room", ROOMS)
def test_nothing_goes_through_a_set_in_the_order_of_its_hashes(room):
    found = []
    for path in sorted((ROOT / room).rglob("*.py")):
        lines = through_sets(ast.parse(path.read_text(encoding="utf-8")))
        found += [f"{path.relative_to(ROOT)}:{line}" for line in lines]
    assert found == []

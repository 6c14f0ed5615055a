"""Independence of two rooms is lost by an import or by a copied function, and then it is told where."""

import pytest
from breaking import forget

from properties import independence
from properties.catalogue import select
from properties.laws import mathematics
from properties.runner import run_mathematics

COPIED = """
def {name}({arguments}):
    \"\"\"{said}\"\"\"
    total = 0
    for row, column in zip(a, b, strict=True):
        scaled = [x * y for x, y in zip(row, column, strict=True)]
        total += sum(scaled) / len(scaled)
    return total / len(a)
"""


@pytest.mark.parametrize(
    "line",
    [
        "import reference",
        "import numpy, reference.model as m",
        "from reference.model import attention",
        "def f():\n    from reference import model",
        "import importlib\nm = importlib.import_module('reference.model')",
        "m = __import__('reference')",
    ],
)
def test_an_import_is_found(line):
    (found,) = independence.imports_of({"theory/a.py": line}, ["reference"])
    assert found.startswith(f"theory/a.py:{len(line.splitlines())} imports reference")


def test_what_only_sounds_like_an_import_is_none():
    text = "from theory import reference_free\nreference = 'import reference'"
    assert independence.imports_of({"a.py": text}, ["reference"]) == []


def test_a_copy_under_another_name_is_found():
    one = COPIED.format(name="mean", arguments="a, b", said="One.")
    other = COPIED.format(name="average", arguments="a: list, b: list", said="Another.")
    different = one.replace("sum(scaled)", "max(scaled)")
    assert independence.shared_functions({"x.py": one}, {"y.py": other}) == ["x.py: mean = y.py: average"]
    assert independence.shared_functions({"x.py": one}, {"y.py": different}) == []


@pytest.mark.parametrize(
    ("planted", "told"),
    [
        ("from reference.model import attention", "imports of reference in theory"),
        (None, "functions that theory and reference share"),
    ],
)
def test_the_check_refuses_a_room_that_is_not_independent(monkeypatch, planted, told):
    right = independence.sources_of

    def sources(package):
        found = dict(right(package))
        if package == "theory":
            copied = right("reference")["reference/descent.py"]
            # The function alone: its imports would be found first.
            body = copied[copied.index("def train(") : copied.index("def trajectory(")]
            found["theory/new.py"] = planted or body.replace("def train(", "def trained(")
        return found

    forget()
    monkeypatch.setattr(mathematics, "sources_of", sources)
    (result,) = run_mathematics(select(["theory.independence"]), profile="quick", seed=0)
    forget()
    assert result.result == "failed"
    assert told in result.counterexample["comparison"]
    assert "theory/new.py" in result.counterexample["comparison"]

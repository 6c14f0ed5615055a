"""What a public docstring has to say is there: the shape of an array, and each exception that is raised."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("theory", "reference", "gpu", "properties", "paper_checks")
# Their docstrings are the help that a command shows; what they raise is in their exit status.
HELP = "paper_checks/commands/"
ARRAYS = {"ndarray", "Tensor", "fmpq_mat"}
CONTAINERS = {"Callable", "Iterable", "Iterator", "Mapping", "Sequence", "dict", "list", "tuple"}
# An annotation of jaxtyping: `Float64[np.ndarray, "N T"]` has the shape in it.
SHAPED = re.compile(r"(Float|Int|UInt|Bool|Integer|Num|Shaped|Real)\d*")
# "[V, V]", or words that say as much. Of what has a name the shapes stand in one place, `theory/notation.py`.
SHAPE = re.compile(r"\[[^\]]+\]|\b(any|one|the same) shape\b")
NAMED = re.compile(r"\b(parameters?|statistics|gradients?|weights|leading terms)\b")
# These tell of a slip in our own code, and no caller handles them.
OURS = {"AssertionError", "NotImplementedError"}


def public(tree):
    """Yield every public function, method and class of a module."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public(node)


def own(node):
    """Yield the nodes of a function, without those of functions inside it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            yield child
            yield from own(child)


def raised(node):
    """Return the names of the exceptions that a function raises itself; a class, in what makes it."""
    if isinstance(node, ast.ClassDef):
        made = [one for one in node.body if getattr(one, "name", "") in ("__init__", "__post_init__")]
        return set().union(*map(raised, made))
    found = [child.exc for child in own(node) if isinstance(child, ast.Raise) and child.exc is not None]
    names = [one.func if isinstance(one, ast.Call) else one for one in found]
    texts = [name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "") for name in names]
    # A function that makes the exception has a name in lower case, and so has one that was caught.
    return {text for text in texts if text[:1].isupper()} - OURS


def bare_arrays(annotation, by_name=False):
    """Yield for each array in an annotation without its shape whether it is in a mapping by name."""
    if isinstance(annotation, ast.Subscript):
        name = annotation.value
        text = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
        if SHAPED.fullmatch(text):
            return
        if text not in CONTAINERS:  # a class, which says itself what shape its parts are of
            return
        by_name = by_name or text in ("dict", "Mapping")
    if (getattr(annotation, "id", "") or getattr(annotation, "attr", "")) in ARRAYS:
        yield by_name
    for part in ast.iter_child_nodes(annotation):
        yield from bare_arrays(part, by_name)


def annotations(node):
    if isinstance(node, ast.ClassDef):
        return [one.annotation for one in node.body if isinstance(one, ast.AnnAssign)]
    given = node.args
    return [
        one for one in (*(arg.annotation for arg in (*given.args, *given.kwonlyargs)), node.returns) if one
    ]


def missing(source):
    """Return what the docstrings of a module leave out, a line each."""
    found = []
    for node in public(ast.parse(source)):
        said = ast.get_docstring(node) or ""
        after = said.partition("Raises:\n")[2]
        found += [
            f"{node.lineno} {node.name}: raises {name}"
            for name in sorted(raised(node))
            if not re.search(rf"^ +{name}: ", after, re.MULTILINE)
        ]
        bare = [by_name for one in annotations(node) for by_name in bare_arrays(one)]
        # That there is a docstring at all, but for what a protocol asks for, is ruff's to say.
        if bare and said and not SHAPE.search(said) and not (all(bare) and NAMED.search(said)):
            found.append(f"{node.lineno} {node.name}: the shape of an array")
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_docstrings_say_what_is_raised_and_of_what_shape_arrays_are(room):
    found = []
    for path in sorted((ROOT / room).rglob("*.py")):
        where = path.relative_to(ROOT).as_posix()
        if not where.startswith(HELP):
            found += [f"{where}:{line}" for line in missing(path.read_text(encoding="utf-8"))]
    assert found == []


FUNCTION = '''
def f(x: {type}) -> int:
    """Say {said}."""
    {body}
'''


@pytest.mark.parametrize(
    ("type", "said", "body", "left_out"),
    [
        ("np.ndarray", "nothing", "return 1", ["2 f: the shape of an array"]),
        ("Mapping[str, Tensor]", "nothing", "return 1", ["2 f: the shape of an array"]),
        ("Mapping[str, Tensor]", "the gradients", "return 1", []),
        ("np.ndarray", "nothing of [N, T]", "return 1", []),
        ("Float64[np.ndarray, 'N T']", "nothing", "return 1", []),
        ("int", "nothing", "raise InputError(x)", ["2 f: raises InputError"]),
        ("int", "nothing.\n\n    Raises:\n        InputError: always", "raise InputError(x)", []),
        ("int", "InputError", "raise error from None", []),
        ("int", "nothing", "def g():\n        raise ValueError\n    return g", []),
    ],
)
def test_what_is_left_out_is_found(type, said, body, left_out):
    assert missing(FUNCTION.format(type=type, said=said, body=body)) == left_out

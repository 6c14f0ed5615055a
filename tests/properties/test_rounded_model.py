"""The rounding-aware numbers: each operation by hand, and the model's values against the exact vectors."""

from pathlib import Path

import numpy as np
import pytest

from properties.rounded import Rounded, exact, softmax, total
from properties.rounded_model import by_distance, given, loss, passes, slopes, stacked, train
from properties.tolerances import rounding, unit_roundoff
from properties.vectors import files
from properties.vectors.answers import floats

VECTORS = Path(__file__).resolve().parents[2] / "vectors"
A = Rounded(
    np.array([[1.0, -2.0], [3.0, 4.0], [0.5, 0.0]]),
    np.array([[1.0, 2.0], [5.0, 4.0], [0.5, 1.0]]),
    np.array([[0.5, 0.25], [0.125, 0.0], [1.0, 2.0]]),
    "float32",
)
B = Rounded(A.value + 1, A.magnitude + 1, A.error + 0.25, "float32")


def is_(got, value, magnitude, error):
    assert got.dtype == "float32"
    for name, expected in (("value", value), ("magnitude", magnitude), ("error", error)):
        assert (getattr(got, name) == expected).all(), name


def test_a_sum_adds_errors_and_rounds_once_a_part():
    magnitude, error = 2 * A.magnitude + 1, 2 * A.error + 0.25
    own = rounding(magnitude + error, 2, "float32")
    is_(A + B, 2 * A.value + 1, magnitude, error + own)
    is_(A - B, -np.ones((3, 2)), magnitude, error + own)
    is_(total([A]), A.value, A.magnitude, A.error + rounding(A.magnitude + A.error, 1, "float32"))


def test_a_number_scales_the_error_and_rounds_twice():
    own = rounding(2 * A.magnitude + 2 * A.error, 2, "float32")
    is_(A.times(-2.0), -2 * A.value, 2 * A.magnitude, 2 * A.error + own)


def test_row_sums_keep_their_column_and_round_once_an_entry():
    magnitude, error = A.magnitude.sum(axis=1)[:, None], A.error.sum(axis=1)[:, None]
    own = rounding(magnitude + error, 2, "float32")
    is_(A.row_sums(), np.array([[-1.0], [7.0], [0.5]]), magnitude, error + own)


def test_products_inherit_both_errors_and_round_once_a_term():
    for product, second, terms in ((np.multiply, B, 1), (np.matmul, B.T, 2)):
        magnitude = product(A.magnitude, second.magnitude)
        inherited = product(A.error, second.magnitude + second.error) + product(A.magnitude, second.error)
        own = rounding(magnitude + inherited, terms, "float32")
        got = A * second if terms == 1 else A @ second
        is_(got, product(A.value, second.value), magnitude, inherited + own)


def test_the_operands_that_an_implementation_has_are_rounded_with_their_errors() -> None:
    """Nothing is known of the operands but their errors: all that is rounded is the error itself."""
    unknown = Rounded(np.zeros((3, 3)), np.zeros((3, 3)), np.ones((3, 3)), "float32")
    unit = unit_roundoff("float32")
    for got, largest in (
        (unknown.times(3.0), 3 * (1 + unit) ** 2),
        (unknown.row_sums(), 3 * (1 + unit) ** 3),
        (unknown + unknown, 2 * (1 + unit)),
        (unknown @ unknown, 3 * (1 + unit) ** 3),
    ):
        assert (got.error >= largest).all()
    P = Rounded(unknown.value[0], unknown.magnitude[0], 2 * unknown.error[0], "float32")
    apart = softmax(by_distance(P), np.tril(np.ones((3, 3), dtype=bool))).error[2]
    assert (apart > np.expm1(2 * (2 + 4 * unit)) / 3).all()


def test_what_is_given_is_exact():
    got = exact(np.array([[1, -2]]), "float32")
    is_(got, [[1.0, -2.0]], [[1.0, 2.0]], [[0.0, 0.0]])
    assert got.value.dtype == np.float64


def answered(method):
    return [case for case in files.read(VECTORS / f"{method}.json")["cases"] if case["outcome"] == "answer"]


def within(got, bound, answer):
    value = floats(answer["value"])
    assert np.shape(got) == value.shape == np.shape(bound)
    assert (np.abs(got - value) <= bound).all()


def model(case):
    parameters = {name: floats(value) for name, value in case["params"]["parameters"].items()}
    return parameters, np.array(case["params"]["tokens"])


@pytest.mark.parametrize("case", answered("logits"), ids=lambda case: case["id"].split("/")[1])
def test_the_model_has_the_values_of_the_vectors_within_its_own_bound(case):
    name = case["id"].split("/")[1]
    expected = {m: {c["id"]: c for c in answered(m)}[f"{m}/{name}"]["expected"] for m in FORWARD}
    parameters, tokens = model(case)
    passed = passes(parameters, tokens, "float64")
    within(
        np.array([one.F.value for one in passed]),
        np.array([one.F.error for one in passed]),
        expected["logits"]["logits"],
    )
    maps = [[one.A[layer] for one in passed] for layer in range(len(parameters["V"]))]
    within(
        np.array([[A.value for A in layer] for layer in maps]),
        np.array([[A.error for A in layer] for layer in maps]),
        expected["attention"]["attention"],
    )
    within(*loss(given(parameters, "float64"), tokens), expected["loss"]["loss"])
    found = slopes(parameters, tokens, "float64")
    for group, answer in expected["gradients"].items():
        within(*stacked(found, group), answer)


FORWARD = ("logits", "attention", "loss", "gradients")


@pytest.mark.parametrize("case", answered("train"), ids=lambda case: case["id"].split("/")[1])
def test_descent_has_the_values_of_the_vectors_within_its_own_bound(case):
    params = case["params"]
    numbers = (params["vocab_size"], params["layers"], float(floats(params["rate"])), params["steps"])
    found = train(np.array(params["tokens"]), *numbers, "float64")
    for group, answer in case["expected"].items():
        within(*stacked(found, group), answer)

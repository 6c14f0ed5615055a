"""The series engine against two descents that share no code with it, and against what it must refuse."""

import pytest
from flint import fmpq, fmpq_mat, fmpq_poly
from naive_descent import keys, naive_descent
from theory_cases import corpus, matrix

from theory.corpus import check_corpus
from theory.laws import leading_terms
from theory.loss_series import loss_above_uniform
from theory.plain_descent import PlainParameters, plain_descent
from theory.series import (
    SeriesParameters,
    Update,
    as_truncated,
    descend,
    descend_by,
    summed,
    trajectory,
)


@pytest.mark.parametrize(
    ("tokens", "layers", "steps", "order"),
    [([[0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 0, 1]], 2, 4, 6), ([[0, 0, 1]], 1, 5, 8)],
)
def test_against_dual_numbers(tokens: list[list[int]], layers: int, steps: int, order: int) -> None:
    """Every coefficient of every parameter, and of the loss, from a loss differentiated entry by entry."""
    expected, losses = naive_descent(tokens, 2, layers, steps, order)
    found = descend(tokens, 2, layers, steps, order)
    for (group, layer, i, j), coefficients in expected.items():
        assert [m[i, j] for m in found.group(group)[layer]] == coefficients, (group, layer, i, j)
    assert loss_above_uniform(check_corpus(tokens, 2), as_truncated(found).as_series(), order) == losses


def started(T: int, V: int, L: int, order: int) -> SeriesParameters:
    """Every parameter of order eta: then every term of the backward pass shows within a few orders."""

    def grown(n: int, rows: int, columns: int) -> list[fmpq_mat]:
        zero = fmpq_mat(rows, columns)
        return [zero, matrix(n, rows, columns), *[zero] * (order - 1)]

    return SeriesParameters(
        grown(1, V, V),
        [grown(10 + n, V, V) for n in range(L)],
        [grown(20 + n, V, V) for n in range(L)],
        [[c.entries() for c in grown(30 + n, T, 1)] for n in range(L)],
    )


def test_from_a_start_against_dual_numbers() -> None:
    tokens, L, order = [[0, 1, 1], [1, 0, 0]], 2, 6
    start = started(2, 2, L, order)
    first = {key: start.group(key[0])[key[1]][1][key[2:]] for key in keys(2, 2, L)}
    expected, losses = naive_descent(tokens, 2, L, 2, order, first)
    found = descend_by(tokens, 2, L, [Update()] * 2, order, start=start)[-1]
    for (group, layer, i, j), coefficients in expected.items():
        assert [m[i, j] for m in found.group(group)[layer]] == coefficients, (group, layer, i, j)
    assert loss_above_uniform(check_corpus(tokens, 2), as_truncated(found).as_series(), order) == losses


def test_from_a_start_against_scalar_descent() -> None:
    T, V, L, order = 4, 3, 3, 6
    tokens, start = corpus(2, 2, T, V), started(T, V, L, order)

    def table(coefficients: list[fmpq_mat]) -> list[list[fmpq_poly]]:
        rows, columns = coefficients[0].nrows(), coefficients[0].ncols()
        return [[fmpq_poly([c[i, j] for c in coefficients]) for j in range(columns)] for i in range(rows)]

    first = PlainParameters(
        table(start.W_O),
        [table(c) for c in start.V],
        [table(c) for c in start.W],
        [[row[0] for row in table(c)] for c in start.group("P")],
    )
    plain = plain_descent(tokens, [fmpq(1, 2)] * 2, V, L, 2, order, first)[-1]
    series = descend_by(tokens, V, L, [Update()] * 2, order, start=start)[-1]
    assert table(series.W_O) == plain.W_O
    for layer in range(L):
        assert table(series.V[layer]) == plain.V[layer]
        assert table(series.W[layer]) == plain.W[layer]
        assert [row[0] for row in table(series.group("P")[layer])] == plain.P[layer]


@pytest.mark.parametrize(("seed", "N", "T", "V", "L"), [(0, 3, 4, 3, 3), (1, 2, 2, 4, 2), (2, 4, 1, 2, 1)])
def test_against_scalar_descent(seed: int, N: int, T: int, V: int, L: int) -> None:
    tokens = corpus(seed, N, T, V)
    plain = plain_descent(tokens, [fmpq(1, N)] * N, V, L, 5, 7)[-1]
    series = descend(tokens, V, L, 5, 7)
    for k in range(8):
        assert series.W_O[k].tolist() == [[x[k] for x in row] for row in plain.W_O]
        for layer in range(L):
            assert series.V[layer][k].tolist() == [[x[k] for x in row] for row in plain.V[layer]]
            assert series.W[layer][k].tolist() == [[x[k] for x in row] for row in plain.W[layer]]
            assert series.P[layer][k] == [x[k] for x in plain.P[layer]]


def test_deeper_layers_differ_at_the_orders_that_were_kept() -> None:
    """Guards the two tests above: if all layers were equal they could not see a wrong layer index."""
    found = descend(corpus(0, 3, 4, 3), 3, 3, 5, 7)
    assert found.V[0] != found.V[1] != found.V[2]
    assert found.W[0] != found.W[1] != found.W[2]


def test_six_by_six_by_six() -> None:
    assert leading_terms.check(corpus(4, 6, 6, 6), 6, 3, 5).holds
    assert len(descend(corpus(4, 6, 6, 6), 6, 3, 5, 6).W_O) == 7


def test_weights_stand_for_repeated_sequences() -> None:
    first, second = corpus(7, 2, 3, 3)
    weighted = descend([first, second], 3, 2, 3, 5, [fmpq(1, 3), fmpq(2, 3)])
    repeated = descend([first, second, second], 3, 2, 3, 5)
    assert weighted == repeated


def test_groups_may_be_kept_to_their_own_orders() -> None:
    tokens = corpus(3, 2, 3, 3)
    whole = descend(tokens, 3, 2, 4, 5)
    part = trajectory(tokens, 3, 2, 4, {"W_O": 2, "V": 3, "W": 5, "P": 5})[-1]
    assert part.W == whole.W
    assert [layer[:4] for layer in whole.V] == part.V


def test_a_group_kept_too_short_is_noticed() -> None:
    with pytest.raises(LookupError, match=r"eta\^1 is needed"):
        trajectory(corpus(3, 2, 3, 3), 3, 1, 3, {"W_O": 0, "V": 4, "W": 4, "P": 4})


def test_constant_updates_are_full_batch_descent() -> None:
    tokens = corpus(5, 2, 3, 3)
    assert descend_by(tokens, 3, 2, [Update()] * 3, 5)[-1] == descend(tokens, 3, 2, 3, 5)


def test_descent_resumes_where_it_stopped() -> None:
    tokens = corpus(5, 2, 3, 3)
    half = descend(tokens, 3, 2, 2, 5)
    assert descend_by(tokens, 3, 2, [Update()] * 2, 5, start=half)[-1] == descend(tokens, 3, 2, 4, 5)


def test_momentum_by_hand() -> None:
    """Two steps with momentum 1/2 put 3/2 of the first gradient and 1 of the second into W_O."""
    tokens = corpus(5, 2, 3, 3)
    once = descend(tokens, 3, 1, 1, 1).W_O[1]
    assert descend_by(tokens, 3, 1, [Update()] * 2, 1, momentum=fmpq(1, 2))[-1].W_O[1] == once * fmpq(5, 2)


def test_sum_of_a_series_at_a_rate() -> None:
    a, b, c = (matrix(n, 2, 3) for n in range(3))
    x = fmpq(2, 7)
    assert summed([a, b, c], x) == a + b * x + c * x * x


@pytest.mark.parametrize(
    ("layers", "steps", "order", "message"), [(0, 1, 1, "layers"), (1, -1, 1, "steps"), (1, 1, -1, "orders")]
)
def test_bad_sizes_are_refused(layers: int, steps: int, order: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        descend([[0, 1]], 2, layers, steps, order)


def test_a_start_that_does_not_vanish_is_refused() -> None:
    one = matrix(0, 2, 2)
    start = SeriesParameters([one, one], [[one, one]], [[one, one]], [[[fmpq(0)], [fmpq(0)]]])
    with pytest.raises(ValueError, match="vanishes at eta = 0"):
        descend_by([[0, 1]], 2, 1, [Update()], 1, start=start)


def test_weights_of_a_batch_must_match_the_sequences() -> None:
    with pytest.raises(ValueError, match="2 sequences but 1 weights"):
        descend_by([[0, 1], [1, 1]], 2, 1, [Update(weights=[fmpq(1)])], 1)

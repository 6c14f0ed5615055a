"""What may be waited for, in processor time on one core; each takes a tenth of that or less."""

import time
from collections.abc import Callable

import pytest
from theory_cases import corpus

from theory.certificates import prove
from theory.series import descend


def seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def test_a_series_of_six_by_six_by_six() -> None:
    """V = T = N = 6, three layers, five steps, to the sixth order."""
    tokens = corpus(4, 6, 6, 6)
    assert seconds(lambda: descend(tokens, 6, 3, 5, 6)) <= 20


@pytest.mark.parametrize(("V", "T", "most"), [(2, 3, 10), (3, 2, 60)])
def test_a_proof_for_two_layers(V: int, T: int, most: int) -> None:
    assert seconds(lambda: prove(V, T, 2)) <= most

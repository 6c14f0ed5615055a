"""What is beyond reach is refused from its sizes alone, and what is not takes about what was estimated."""

import re
import time
from collections.abc import Callable

import pytest
from theory_cases import corpus

from theory.certificate_check import check
from theory.certificates import prove
from theory.cost import MOST_LAYERS, MOST_SECONDS, refuse_the_check, refuse_the_proof, refuse_the_series
from theory.series import descend

HUGE = 10**9


@pytest.mark.parametrize("place", range(6))
def test_every_size_of_a_series_counts(place: int) -> None:
    sizes = [6, 6, 6, 3, 5, 6]
    refuse_the_series(*sizes)
    sizes[place] = HUGE
    with pytest.raises(ValueError, match=r"would take about|layers are more|GiB"):
        refuse_the_series(*sizes)


@pytest.mark.parametrize("refuse", [refuse_the_proof, refuse_the_check])
@pytest.mark.parametrize("place", range(3))
def test_every_size_of_a_proof_counts(refuse: Callable[[int, int, int, int], None], place: int) -> None:
    sizes = [2, 2, 1]
    refuse(*sizes, 4)
    for size in (HUGE, 10**30):
        sizes[place] = size
        with pytest.raises(
            ValueError, match=r"too many by far|layers are more|terms; a proof|would have to be"
        ):
            refuse(*sizes, 4)
    for size in (0, -1):
        sizes[place] = size
        with pytest.raises(ValueError, match=f"of 1 or more is needed, not {size}"):
            refuse(*sizes, 4)


def test_sizes_that_are_refused_only_together() -> None:
    refuse_the_series(1000, 10, 10, 1, 1, 4)
    refuse_the_series(10, 10, 10, 10, 100, 4)
    with pytest.raises(ValueError, match="1000 sequences of 10 positions, 10 words, 10 layers, 100 steps"):
        refuse_the_series(1000, 10, 10, 10, 100, 24)
    with pytest.raises(ValueError, match=r"coefficients|numbers, about \d+ GiB"):
        refuse_the_series(1, 1, 1000, 20, 40, 4)
    refuse_the_check(2, 3, 100, 4)
    # Within reach because only one corpus of each class under renaming is run.
    refuse_the_check(3, 2, 40, 5)
    with pytest.raises(ValueError, match="check for 3 words, 2 positions and 100 layers would take"):
        refuse_the_check(3, 2, 100, 5)
    with pytest.raises(ValueError, match="proof for 1 words, 4000 positions and 100 layers would take"):
        refuse_the_proof(1, 4000, 100, 4)


def test_what_is_refused_is_told_to_be_more_than_what_is_not() -> None:
    """One position less is begun; it is not told to take as long as what is."""
    T = next(T for T in range(1, HUGE, 1000) if 2 * 3 * 4**4 * T * (T + 1) // 10**9 > MOST_SECONDS)
    with pytest.raises(ValueError, match="would take about 5 hours; up to 4 hours is begun"):
        refuse_the_series(1, T, 1, 1, 3, 4)


def test_the_layers_end_where_the_stack_does() -> None:
    refuse_the_series(1, 1, 1, MOST_LAYERS, 1, 1)
    for refuse in (lambda L: refuse_the_series(1, 1, 1, L, 1, 1), lambda L: refuse_the_proof(2, 1, L, 4)):
        with pytest.raises(ValueError, match="101 layers are more than can be; up to 100 are"):
            refuse(MOST_LAYERS + 1)
    assert descend([[0, 1, 0]], 2, MOST_LAYERS, 3, 7).V[MOST_LAYERS - 1][2]


def estimated(monkeypatch: pytest.MonkeyPatch, refuse: Callable[..., None], *sizes: int) -> int:
    """The estimate in seconds of what is not refused, told by a limit of nothing."""
    with monkeypatch.context() as patch:
        patch.setattr("theory.cost.MOST_SECONDS", -1)
        patch.setattr("theory.cost._told", lambda seconds: f"{seconds} s")
        with pytest.raises(ValueError, match="would take about") as told:
            refuse(*sizes)
    return int(re.search(r"about (\d+) s", str(told.value))[1])  # type: ignore[index]


@pytest.mark.deep
def test_an_estimate_is_of_the_right_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """To a factor of eight, on any machine of today: it has to tell minutes from days."""
    made = prove(2, 2, 2, "next")
    for work, refuse, sizes in (
        (lambda: descend(corpus(0, 4, 8, 6), 6, 2, 5, 12), refuse_the_series, (4, 8, 6, 2, 5, 12)),
        (lambda: check(made), refuse_the_check, (2, 2, 2, 5)),
    ):
        began = time.process_time()
        work()
        taken = time.process_time() - began
        assert (
            estimated(monkeypatch, refuse, *sizes) / 8
            <= taken
            <= 8 * max(estimated(monkeypatch, refuse, *sizes), 1)
        )
    assert MOST_SECONDS == 4 * 3600

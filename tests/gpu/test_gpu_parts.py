"""A corpus in parts: none is left out, progress is saved now and then, and is that of one corpus alone."""

import numpy as np
import pytest
from gpu_corpora import corpus

from gpu.progress import Progress, Saver, load
from gpu.streaming import stream_statistics
from gpu.sums import LANES, FirstSums, SecondSums
from gpu.tokens import Parts
from reference.errors import InputError


@pytest.mark.parametrize(
    ("positions", "sizes"), [(1, [1] * 7), (14, [2, 2, 2, 1]), (21, [3, 3, 1]), (49, [7])]
)
def test_the_parts_of_an_array_are_all_of_it_in_order(positions, sizes):
    tokens = corpus(7, 7, 50)
    parts = list(Parts(tokens, positions))
    assert [len(part) for part in parts] == sizes
    np.testing.assert_array_equal(np.concatenate(parts), tokens)


def test_sums_of_the_second_pass_add_up_with_their_sequences():
    one = SecondSums(np.ones((5, 5)), np.ones((LANES, 7)), 2)
    one.add(SecondSums(np.full((5, 5), 2.0), np.full((LANES, 7), 3.0), 4))
    assert (one.by_cell.max(), one.by_distance.min(), one.sequences) == (3.0, 4.0, 6)


def test_progress_is_saved_once_in_the_seconds_between(tmp_path, monkeypatch):
    saved, clock = tmp_path / "progress.safetensors", [1000.0]
    monkeypatch.setattr("gpu.progress.time.monotonic", lambda: clock[0])
    saver, progress = Saver(saved, 60.0, clock[0]), Progress(5, 7, FirstSums.zero(5, 7))
    for clock[0], parts in ((1059.0, 0), (1060.0, 2), (1061.0, 2), (1119.0, 2), (1120.0, 5)):
        progress.parts += 1
        saver.now_and_then(progress)
        found = load(saved, 5, 7, "one process", FirstSums, SecondSums).parts if saved.exists() else 0
        assert found == parts


def test_progress_in_the_second_pass_through_a_corpus_that_has_grown_is_named(tmp_path):
    """What has come behind shows only at the end: the same command would end so each time."""
    saved, tokens = tmp_path / "progress.safetensors", corpus(6, 7, 5)

    def stop(which, sequences):
        if (which, sequences) == (2, 3):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stream_statistics(Parts(tokens[:4], 1), 5, saved=saved, seconds_between_saves=0.0, told=stop)
    before = saved.read_bytes()
    with pytest.raises(
        InputError, match=r"progress\.safetensors has progress through another corpus; remove"
    ):
        stream_statistics(Parts(tokens, 1), 5, saved=saved)
    assert saved.read_bytes() == before

"""What `leadterms alignment` tells of corpora unlike a text: of one word, of words of no kind."""

import numpy as np
import pytest
from typer.testing import CliRunner

from paper_checks.alignment_nulls import Nulls
from paper_checks.command_line import app
from paper_checks.commands.alignment import _where_sampling_stops


def told(folder, tokens):
    np.save(folder / "tokens.npy", tokens)
    done = CliRunner().invoke(app, ["alignment", str(folder / "tokens.npy"), "--samples", "2"])
    assert done.exit_code == 0, done.output
    return " ".join(done.stdout.split())


def test_what_has_no_leading_term_is_named(tmp_path):
    zero = "Zero, the weight or its leading term, and so without a cosine: "
    assert f"{zero}W_O, V, W, P." in told(tmp_path, np.zeros((4, 4), int))
    assert f"{zero}W, P." in told(tmp_path, np.array([[0, 1], [1, 1], [0, 0], [0, 1]]))


def test_kinds_are_told_of_where_there_are_words_of_some(tmp_path):
    found = told(tmp_path, np.random.default_rng(0).integers(0, 25, (40, 7)))
    assert "kept, first" in found
    assert "of one kind" not in found
    assert "Zero," not in found


@pytest.mark.parametrize(
    ("kept", "where"),
    [
        ({"W_O": None, "V": None}, "in no weight."),
        ({"W_O": 0, "V": None}, "of W_O only with all, and of V not even with all."),
        ({"W_O": 5, "V": 1}, "without the first 5 of W_O, 1 of V (of the numbers above)."),
        ({"W_O": 5, "V": 0}, "without the first 5 of W_O (of the numbers above), and of V only with all."),
    ],
)
def test_where_a_sample_stops_to_tell_is_a_sentence(kept, where):
    nulls = Nulls({}, 12, 3, 0, "", kept, {})
    assert _where_sampling_stops(nulls).startswith(f"A sample of 12 keeps a cosine of 0.99 {where} What")

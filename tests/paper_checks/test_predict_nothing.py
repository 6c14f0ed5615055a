"""What is predicted of weights that stay zero: nothing to learn, or too few steps."""

import json

import pytest
from typer.testing import CliRunner

from paper_checks.command_line import app

ONE_WORD = "la la la la la la\n<|endoftext|>\n" * 5
TWO_WORDS = "a b a b\n<|endoftext|>\nb b a a\n<|endoftext|>\n" * 3


def predicted(folder, text, *options):
    (folder / "a.txt").write_text(text)
    command = ["predict", str(folder / "a.txt"), "--layers", "1", "--groups", "5", *options]
    done = CliRunner().invoke(app, [*command, "--json", str(folder / "p.json")])
    assert done.exit_code == 0, done.output
    found = json.loads((folder / "p.json").read_text())
    return done.stdout, {one["id"]: one for one in found["predictions"]}


@pytest.mark.parametrize(
    ("text", "options", "still", "without"),
    [
        (ONE_WORD, ("--length", "5"), {"W_O", "V 0", "W 0", "P 0"}, "W_O, V, W, P: this corpus gives no"),
        (TWO_WORDS, ("--length", "1"), {"W 0", "P 0"}, "W, P: this corpus gives no"),
        (TWO_WORDS, ("--length", "3", "--steps", "2", "--rate", ".001"), {"W 0", "P 0"}, None),
    ],
)
def test_a_weight_that_stays_zero_is_zero_and_not_beyond_its_series(text, options, still, without, tmp_path):
    told, at = predicted(tmp_path, text, *options)
    for name in ("W_O", "V 0", "W 0", "P 0"):
        norm = at[f"norm.{name}"]
        assert (norm["value"] == 0 and norm["reliable"]) == (name in still)
        if name in still:
            assert f"\n{name.ljust(6)}" in told
            assert at[f"turn.{name}"]["value"] is at[f"cosine.{name[0]}"]["value"] is None or name == "W_O"
    for of in ("ablation.W", "score.size", "attention.departure"):
        assert (at[of]["value"], at[of]["reliable"]) == (0, True)
    assert ("gives no leading term" in told) == bool(without)
    if without:
        assert without in told


def test_nothing_is_told_of_the_last_step_along_no_leading_term(tmp_path):
    told, at = predicted(tmp_path, ONE_WORD, "--length", "5")
    assert "never ?" not in told
    assert "none" not in told.replace("none of", "")
    assert (at["loss.end"]["value"], at["loss.end"]["reliable"]) == (0, True)

"""Every command that reads a text reads it from any source, and answers the same."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import reference.memory
from paper_checks.command_line import app
from paper_checks.corpora import positions
from reference.errors import InputError
from reference.stories import stories
from reference.tokenizers import tokenizer

STORIES = stories(60, 3)
WORDS = {word for story in STORIES for word in tokenizer("words")(story)}
COMMANDS = {
    "predict": [
        "predict",
        "{corpus}",
        "--statistics-sample",
        "12",
        "--training-sample",
        "48",
        "--groups",
        "4",
    ],
    "story": ["story", "{corpus}"],
    "probe": ["probe", "{corpus}", "--draws", "8"],
    "alignment": ["alignment", "{corpus}", "--sample", "12", "--samples", "2"],
    "behaviour": ["behaviour", "{corpus}", "--steps", "2", "--layers", "1", "--sequences", "2"],
    "neighbours": ["neighbours", "fish", "--corpus", "{corpus}"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_and_a_field_of_json_lines_are_read_as_the_text_is(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "all.txt").write_text("\n<|endoftext|>\n".join(STORIES))
    (tmp_path / "lines.jsonl").write_text("".join(json.dumps({"story": story}) + "\n" for story in STORIES))
    told = []
    for corpus, rest in (("text/all.txt", []), ("text", []), ("lines.jsonl", ["--field", "story"])):
        words = [word.format(corpus=corpus) for word in COMMANDS[command]]
        done = CliRunner().invoke(app, [*words, *rest, "--length", "12", "--layout", "stream"])
        assert done.exit_code == 0, done.output
        told.append(done.stdout.split(":", 1)[1])
    assert told[0] == told[1] == told[2]
    words = [word for word in COMMANDS[command] if word not in ("{corpus}", "--corpus")]
    done = CliRunner().invoke(app, [*words, "--length", "12", "--layout", "stream"])
    assert done.output.split(":", 1)[1] != told[0], "the stories that come along, whatever is given"


ALL = {
    **COMMANDS,
    "sampling": ["sampling", "{corpus}"],
    "explain": ["explain", "the pond", "--corpus", "{corpus}"],
    "claims": ["claims", "--corpus", "{corpus}"],
    "verify": ["verify", "reference", "--check", "softmax", "--corpus", "{corpus}"],
    "reproduce": ["reproduce", "{corpus}"],
    "report": ["report", "--corpus", "{corpus}"],
}


@pytest.mark.parametrize("command", ALL)
def test_more_words_than_the_memory_holds_are_refused_before_any_work(command, tmp_path, monkeypatch):
    (tmp_path / "all.txt").write_text("\n<|endoftext|>\n".join(STORIES))
    # Room for fewer matrices of the words there are than the command holds; a report holds what predict does.
    room = 39 if command in ("predict", "report") else 9
    monkeypatch.setattr(reference.memory, "physical_memory", lambda: room * 8 * len(WORDS) ** 2)
    monkeypatch.chdir(tmp_path)
    words = [word.format(corpus="all.txt") for word in ALL[command]]
    done = CliRunner().invoke(app, [*words, "--length", "12", "--layout", "stream", "--quiet"])
    assert isinstance(done.exception, InputError)
    assert f"{len(WORDS)} words make matrices" in str(done.exception)
    assert not (tmp_path / "report").exists()


def test_tokens_that_break_a_line_are_shown_as_escapes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "verses.txt").write_text("ab c\nba c\n" * 6)
    sizes = ["--tokenizer", "chars", "--length", "9", "--layout", "stream"]
    shown = "a b \N{OPEN BOX} c \\n b a \N{OPEN BOX} c \\n"
    for words, told in (
        (["story", "verses.txt"], f"sequence 0: {shown}"),
        (["neighbours", "c", "--corpus", "verses.txt", "--all-words"], "bigram           \\n"),
        (["explain", "c\nb", "--corpus", "verses.txt"], "\n\\n    "),
    ):
        done = CliRunner().invoke(app, [*words, *sizes])
        assert done.exit_code == 0, done.output
        assert told in done.stdout


def test_the_numbers_of_a_token_array_have_neighbours_and_a_story(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("tokens.npy", np.random.default_rng(0).integers(0, 4, (40, 7)))
    done = CliRunner().invoke(app, ["neighbours", "3", "--corpus", "tokens.npy"])
    assert re.search(r"bigram +[012]", done.stdout), done.output
    done = CliRunner().invoke(app, ["story", "tokens.npy"])
    assert done.exit_code == 0, done.output
    assert "that support '" in done.stdout


@pytest.mark.parametrize(("array", "read"), [(np.zeros((9, 7), int), 6), (np.zeros(40, int), 24)])
def test_no_more_positions_are_read_by_default_than_a_token_array_has(array, read, tmp_path):
    np.save(tmp_path / "tokens.npy", array)
    assert positions(str(tmp_path / "tokens.npy"), 24) == read
    assert positions(str(tmp_path / "a.txt"), 24) == positions(None, 24) == 24


def test_a_short_token_array_is_reproduced_without_a_length(tmp_path, monkeypatch):
    np.save(tmp_path / "tokens.npy", np.zeros((9, 7), int))
    done = CliRunner().invoke(app, ["reproduce", str(tmp_path / "tokens.npy")])
    assert "There are 9 sequences, and 32 or more are needed" in str(done.exception)

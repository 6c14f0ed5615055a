"""Every command that reads a text reads it from any source, and answers the same."""

import json

import pytest
from typer.testing import CliRunner

import reference.memory
from paper_checks.command_line import app
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

"""Every command that reads a text reads it from any source, and answers the same."""

import json

import pytest
from typer.testing import CliRunner

from paper_checks.command_line import app
from reference.stories import stories

STORIES = stories(60, 3)
COMMANDS = {
    "predict": [
        "predict",
        "{corpus}",
        "--statistics-sample",
        "12",
        "--training-sample",
        "48",
        "--groups",
        "2",
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

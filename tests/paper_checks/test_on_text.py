"""The page of what commands print on a text: it is what they print, and the kept one is not stale."""

import hashlib
import re
from collections import Counter
from pathlib import Path

import pytest
from calling import called

from benchmarks.on_text import SHOWN, Shown, main, page
from paper_checks.prediction.published import published_numbers

KEPT = Path(__file__).resolve().parents[2] / "docs" / "tinystories.md"
TEXT = "the cat sat on the mat and the cat ran to the mat and the end\n<|endoftext|>\n" * 3


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a text.txt"
    path.write_text(TEXT)
    return path


def test_a_page_has_the_command_and_what_it_prints_word_by_word(text):
    asked = Shown("Neighbours", "neighbours cat --corpus TEXT --length 4", "Look at the words.")
    made = page(text, [asked])
    assert hashlib.sha256(TEXT.encode()).hexdigest() in made
    assert "## Neighbours\n\nLook at the words.\n" in made
    assert "leadterms neighbours cat --corpus a text.txt --length 4\n" in made
    done = called("neighbours", "cat", "--corpus", text.name, "--length", "4", cwd=text.parent)
    shown = made.split("```text\n")[1].removesuffix("\n```\n")
    assert shown.splitlines() == [line.rstrip() for line in done.stdout.splitlines()]
    assert str(text.parent) not in made


def test_a_score_that_a_command_prints_stands_at_the_top(text, monkeypatch):
    told = "A table\nScore of 2 published numbers: inside the interval 1,\noutside 1.\nThe rest."
    monkeypatch.setattr("benchmarks.on_text.printed", lambda shown, text: told)
    made = page(text, [Shown("Numbers", "predict TEXT", "")])
    assert made.index("Score of 2 published numbers: inside the interval 1, outside 1.\n") < made.index("## ")
    assert made.count("Score of 2") == 2


def test_a_command_that_fails_writes_no_page(text, capsys):
    with pytest.raises(SystemExit, match=r"ended with 2:\n.*nowhere"):
        page(text, [Shown("Neighbours", "neighbours nowhere --corpus TEXT --length 4", "")])
    with pytest.raises(SystemExit):
        main([str(text.with_name("none.txt")), "--page", str(text.with_name("page.md"))])
    assert "there is no text" in capsys.readouterr().err
    assert not text.with_name("page.md").exists()


def test_the_kept_page_has_every_published_number_and_its_verdict():
    kept = KEPT.read_text(encoding="utf-8")
    assert [one.title for one in SHOWN] == re.findall("^## (.*)$", kept, re.MULTILINE)
    rows = kept.split("Published numbers, each predicted")[1].split("*: no interval")[0].splitlines()
    found = {}
    for number in published_numbers():
        row = next(
            line for line in rows if line.startswith(f"{number.prediction} ") and number.printed in line
        )
        found.setdefault(re.search(r"(inside|outside|holds|fails|out of reach)$", row)[0], []).append(number)
    assert {number.prediction for number in found.pop("outside")} == {
        "cosine.W_O",
        "ablation.V",
        "loss.start",
    }
    assert {number.prediction for number in found.pop("out of reach")} == {"cosine.least", "loss.end"}
    assert found.keys() == {"inside", "holds"}
    ends = Counter(re.findall(r"  (inside|outside|holds|out of reach)$", "\n".join(rows), re.MULTILINE))
    assert ends.total() == len(published_numbers())
    assert (
        f"\nScore of {ends.total()} published numbers: inside the interval {ends['inside']}, outside "
        f"{ends['outside']}, a bound that holds {ends['holds']}, out of reach {ends['out of reach']}.\n"
    ) in kept


def test_the_kept_page_is_of_eighty_columns_and_nothing_is_cut_off():
    printed = "".join(re.findall("```text\n(.*?)```", KEPT.read_text(encoding="utf-8"), re.DOTALL))
    assert max(map(len, printed.splitlines())) <= 80
    assert "\N{HORIZONTAL ELLIPSIS}" not in printed
    assert not re.search(r"\[/?[a-z]+\]", printed), "markup"

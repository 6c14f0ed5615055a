"""Rows of a label and a text keep their two columns, however narrow the terminal is."""

from io import StringIO

from rich.console import Console

from paper_checks.labelled import labelled


def test_a_label_stays_whole_and_its_text_goes_on_beneath_itself():
    printed = StringIO()
    rows = {"a label of many words": "one two three four five six seven", "short": "eight"}
    Console(file=printed, width=40).print(labelled(rows, 10))
    assert [line.rstrip() for line in printed.getvalue().splitlines()] == [
        "  a label of many words one two three",
        "                        four five six",
        "                        seven",
        "  short                 eight",
    ]

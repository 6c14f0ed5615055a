import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.results import STATES, Result, Run, is_ok, read_run, summarise, write_run
from reference.errors import InputError


def result(state="passed", **more):
    return Result("family.name", "reference", state, "A law.", "derived here", "property", **more)


def run(*results):
    return Run({"seed": 0}, results, summarise(results, 1.0))


@given(st.lists(st.sampled_from(STATES), max_size=5))
def test_zero_is_red_and_so_is_anything_bad(states):
    bad = {"failed", "errored", "xpassed"}
    assert is_ok(result(state) for state in states) == ("passed" in states and not bad & set(states))


def test_a_run_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "r.jsonl"
    written = run(result(claims=("a", "b"), counterexample={"case": {"tokens": [[0, 1]]}}), result("failed"))
    write_run(path, written)
    assert read_run(path) == written
    assert [json.loads(line)["kind"] for line in path.read_text().splitlines()] == (
        ["header", "result", "result", "footer"]
    )


def test_nothing_is_left_beside_the_file(tmp_path):
    write_run(tmp_path / "r.jsonl", run(result()))
    assert [path.name for path in tmp_path.iterdir()] == ["r.jsonl"]


def changed(old, new):
    """Return what puts something else into the lines, where there is one place for it."""

    def change(lines):
        (at,) = (at for at, line in enumerate(lines) if old in line)
        return [*lines[:at], lines[at].replace(old, new), *lines[at + 1 :]]

    return change


@pytest.mark.parametrize(
    ("cut", "told"),
    [
        (lambda lines: lines[:-1], "no footer"),
        (lambda lines: lines[1:], "does not begin with a header"),
        (lambda lines: lines[:1] + lines[2:], "holds 0 results, its footer counts 1"),
        (lambda lines: [lines[0], "{", *lines[2:]], "line 2 is not JSON"),
        (lambda lines: [lines[0], "3", *lines[2:]], "line 2 is not a JSON object"),
        (
            lambda lines: [lines[0], '{"kind": "result"}', *lines[2:]],
            "line 2 is not a result: it lacks check",
        ),
        (changed('"check"', '"ch\\u2028ck"'), r"it lacks check"),
        (changed('"cases"', '"ca\u2028ses"'), r"it has 'ca\\u2028ses', which no result has"),
        (changed('"claims": []', '"claims": 3'), "its claims is no list"),
        (changed('"source": "derived here"', '"source": 3'), "its source is no text"),
        (lambda lines: [], "does not begin with a header"),
    ],
)
def test_a_file_that_is_not_whole_is_refused(tmp_path, cut, told):
    path = tmp_path / "r.jsonl"
    write_run(path, run(result()))
    path.write_text("\n".join(cut(path.read_text().splitlines())))
    with pytest.raises(InputError, match=told):
        read_run(path)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_in_a_sentence(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("fuzz") / "r.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError):
        read_run(path)

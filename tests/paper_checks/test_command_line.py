"""The command as a person runs it."""

import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from calling import called, leadterms
from rich.console import Console
from test_report_sample import sample_run

from paper_checks.commands.verify import Suite
from paper_checks.table import show
from properties.catalogue import CHECKS
from properties.results import Result, read_run

ROOT = Path(__file__).resolve().parents[2]
STORIES = "one day tom ran . he was sad .\n<|endoftext|>\none day mia sat . she was glad .\n"


def objects():
    file = io.BytesIO()
    np.save(file, np.array([[{}, 1]], dtype=object), allow_pickle=True)
    return file.getvalue()


BAD_FILES = {
    "empty.txt": b"",
    "binary.txt": bytes(range(256)) * 8,
    "latin.txt": b"caf\xe9 \xff\n",
    "tiny.txt": b"a b c\n",
    "rows.jsonl": b'{"text": "a b c"}\n',
    "objects.npy": objects(),
    "no-text/readme.md": b"# nothing",
}
BAD_CALLS = {
    "missing.txt": (["--corpus", "missing.txt"], "no corpus file missing.txt"),
    "empty": (["--corpus", "empty.txt"], "empty.txt is empty"),
    "binary": (["--corpus", "binary.txt"], "binary"),
    "latin": (["--corpus", "latin.txt"], "not UTF-8"),
    "folder": (["--corpus", "."], "binary.txt looks binary"),
    "folder without text": (["--corpus", "no-text"], "holds no .txt file"),
    "JSON lines": (["--corpus", "rows.jsonl", "--field", "story"], "has no field 'story' (it has text)"),
    "pickled array": (["--corpus", "objects.npy"], "cannot be read as an array"),
    "short documents": (["--corpus", "tiny.txt"], "gives no sequence"),
    "large vocabulary": (["--corpus", "tiny.txt", "--vocab", "9"], "3 different tokens"),
    "T = 0": (["--corpus", "tiny.txt", "--length", "0"], "--length is 0"),
    "negative T": (["--length", "-3"], "--length is -3"),
    "V = 0": (["--corpus", "tiny.txt", "--vocab", "0"], "--vocab is 0"),
    "unknown target": (["nosuch"], "no target 'nosuch'"),
    "unknown module": (["py:nosuch:thing"], "cannot be imported"),
    "unknown attribute": (["py:json:nosuch"], "no attribute 'nosuch'"),
    "broken program": (["cmd:/bin/false"], "asked to describe itself, ended with exit status 1"),
    "no program": (["cmd:no-such-program"], "cannot be started"),
    "checkpoint without its rate": (["weights:w.npz"], "give --rate and --steps"),
    "pickled checkpoint": (["weights:w.pt", "--rate", "1", "--steps", "2"], "w.pt is a pickle"),
    "missing checkpoint": (["weights:w.npz", "--rate", "1", "--steps", "2"], "no checkpoint w.npz"),
    "missing expectations": (["--xfail", "no.toml"], "There is no file of expected failures no.toml"),
    "unknown tokenizer": (["--tokenizer", "wrds"], "no tokenizer 'wrds'"),
    "unknown check": (["--check", "nosuch"], "no check 'nosuch'"),
    "missing folder": (["--json", "no/where.jsonl"], "There is no folder"),
    "folder for a file": (["--json", "."], "is a folder"),
    "unknown option": (["--lenght", "3"], "--length"),
    "no number": (["--length", "many"], "valid integer"),
    "unknown layout": (["--layout", "poem"], "poem"),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_bad_input_is_told_in_a_sentence(tmp_path, name):
    for file, content in BAD_FILES.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(content)
    before = sorted(tmp_path.iterdir())
    arguments, told = BAD_CALLS[name]
    if "--json" not in arguments:
        arguments = [*arguments, "--json", tmp_path / "out.jsonl"]
    # Once as a person does, and then in this process, which tells the same in no time.
    done = (leadterms if name == "missing.txt" else called)("verify", *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert told in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_verify_writes_results_and_a_table_of_eighty_columns(tmp_path):
    (tmp_path / "a corpus é.txt").write_text(STORIES, encoding="utf-8")
    done = leadterms(
        "verify", "reference", "--corpus", "a corpus é.txt", "--length", "5", "--check", "statistics",
        "--check", "theory.gram", "--json", "out.jsonl", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) <= 80
    run = read_run(tmp_path / "out.jsonl")
    assert run.ok
    assert run.header["corpus"]["sequences"] == 2
    assert {result.target for result in run.results} == {"theory", "reference"}
    assert "2 sequences of 5 positions" in done.stdout.replace("\n", " ")


def test_a_failing_implementation_exits_with_1_and_is_explained(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from reference.statistics import statistics as right\n"
        "class Mine:\n"
        "    def statistics(self, tokens, vocab_size):\n"
        "        found = right(tokens, vocab_size)\n"
        "        return {**found, 'Q_bar': found['Q_bar'].T}\n"
    )
    some = ("--check", "statistics.Q_bar", "--check", "statistics.B_bar")
    done = leadterms("verify", "py:mine:Mine", *some, "--json", "out.jsonl", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    told = done.stdout
    assert "statistics.Q_bar on py:mine:Mine: failed" in told
    assert "It is transposed: right with its two axes swapped." in " ".join(told.split())
    assert "leadterms verify py:mine:Mine --check statistics.Q_bar --seed 0" in told
    assert "Traceback" not in told + done.stderr
    failed = {r.check for r in read_run(tmp_path / "out.jsonl").results if r.result == "failed"}
    assert "statistics.Q_bar" in failed
    assert "statistics.B_bar" not in failed


def test_expected_failures_are_no_news_and_unexpected_passes_are(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from reference.statistics import statistics as right\n"
        "class Mine:\n"
        "    def statistics(self, tokens, vocab_size):\n"
        "        return {'B_bar': right(tokens, vocab_size)['B_bar'].T}\n"
    )
    entry = '[[xfail]]\ncheck = "statistics.{}"\nreason = "known"\nlink = "https://example.org"\n'
    call = ["py:mine:Mine", "--check", "statistics.B_bar", "--check", "statistics.reordered", "--length", "5"]
    (tmp_path / "known.toml").write_text(entry.format("B_bar"))
    done = leadterms("verify", *call, "--xfail", "known.toml", "--json", "out.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert [r.result for r in read_run(tmp_path / "out.jsonl").results] == ["xfailed", "passed"]
    (tmp_path / "known.toml").write_text(entry.format("reordered") + entry.format("B_baz"))
    done = leadterms("verify", *call, "--xfail", "known.toml", "--json", "out.jsonl", cwd=tmp_path)
    assert done.returncode == 1
    assert [r.result for r in read_run(tmp_path / "out.jsonl").results] == ["failed", "xpassed", "errored"]
    assert "it passes, but was expected to fail: known (https://example.org)" in done.stdout.replace(
        "\n", " "
    )
    assert "Did you mean statistics.B_bar?" in done.stdout.replace("\n", " ")


def test_two_runs_with_one_seed_differ_in_times_only(tmp_path):
    runs = []
    for name in ("a.jsonl", "b.jsonl"):
        checks = ("--check", "projection", "--check", "statistics.Q_bar", "--check", "theory.gram")
        leadterms("verify", "reference", *checks, "--json", name, cwd=tmp_path)
        lines = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        runs.append([{k: v for k, v in line.items() if k not in ("seconds", "started")} for line in lines])
    assert runs[0] == runs[1]


def test_stats_writes_arrays_with_their_vocabulary(tmp_path):
    from safetensors import safe_open

    (tmp_path / "s.txt").write_text(STORIES)
    done = called("stats", "s.txt", "--length", "5", "-o", "s.safetensors", "--json", "s.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with safe_open(tmp_path / "s.safetensors", "np") as file:
        assert set(file.keys()) == {"B_bar", "Phi_bar", "Sigma_B", "G_bar", "Q_bar", "Delta_bar"}
        vocabulary = json.loads(file.metadata()["vocabulary"])
        B_bar = file.get_tensor("B_bar")
    assert vocabulary[0] == "."
    told = json.loads((tmp_path / "s.json").read_text())
    assert told["statistics"]["B_bar"]["shape"] == list(B_bar.shape)
    day, one = vocabulary.index("day"), vocabulary.index("one")
    assert B_bar[one, day] == B_bar.max()


def test_help_shows_an_example():
    for command in ("verify", "report", "stats", "train"):
        done = called(command, "--help", cwd=ROOT)
        assert done.returncode == 0
        assert "Example: leadterms" in done.stdout


def test_a_reader_who_goes_away_leaves_no_traceback(tmp_path):
    call = "from paper_checks.command_line import main; main()"
    command = f"{sys.executable} -c '{call}' verify reference --check projection | head -1"
    environment = dict(os.environ)
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=120
    )
    assert "Traceback" not in done.stderr


def test_the_printed_command_reruns_a_failure_on_the_same_corpus():
    from pathlib import Path

    from paper_checks.commands.verify import rerun_options
    from paper_checks.options import LayoutOption

    default = (None, "words", LayoutOption.document)
    assert rerun_options(None, None, *default) == ""
    told = rerun_options(Path("a b.txt"), 30, 200, "chars", LayoutOption.stream)
    assert told == " --corpus 'a b.txt' --vocab 30 --length 200 --tokenizer chars --layout stream"


def test_stats_does_not_write_over_its_own_input(tmp_path):
    (tmp_path / "s.txt").write_text(STORIES)
    for arguments in (["-o", "s.txt"], ["-o", "x.st", "--json", "x.st"]):
        done = called("stats", "s.txt", "--length", "5", *arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert "must be different files" in done.stderr
    assert (tmp_path / "s.txt").read_text() == STORIES


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "--list"],
        ["verify", "--list", "--check", "theory.gram"],
        ["claims", "random-diagonal-baseline"],
        ["--help"],
        ["stats", "--help"],
    ],
)
def test_a_reader_that_goes_away_is_no_failed_check(tmp_path, arguments):
    """What fills a pipe more than once is cut off while it is printed, a few lines at the end."""
    code = "from paper_checks.command_line import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_an_error_that_nobody_reads_is_no_failed_check(tmp_path):
    call = f"{sys.executable} -m paper_checks stats none.txt -o s.safetensors"
    command = f"{call} 2>&1 | true; exit ${{PIPESTATUS[0]}}"
    assert subprocess.run(["bash", "-c", command], cwd=tmp_path, timeout=120, check=False).returncode == 2


def test_what_an_encoding_lacks_is_shown_by_its_number(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    (tmp_path / "été.txt").write_text("the cat sat on the mat\n" * 9)
    done = leadterms("neighbours", "cat", "--corpus", "été.txt", "--length", "4", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("\\xe9t\\xe9.txt: 'cat'")


def test_checks_cannot_be_chosen_for_a_checkpoint_alone(tmp_path):
    done = called("verify", "weights:w.npz", "--check", "projection", cwd=tmp_path)
    assert done.returncode == 2
    assert "Leave --check out, or name an implementation." in done.stderr


def test_a_pipe_and_a_length_beyond_reason_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    done = leadterms("verify", "--corpus", "pipe", cwd=tmp_path, timeout=30)
    assert (done.returncode, "pipe; give a regular text file" in done.stderr) == (2, True)
    (tmp_path / "s.txt").write_text(STORIES)
    done = called("verify", "--corpus", "s.txt", "--length", "9" * 23, cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_an_implementation_is_held_to_laws_and_not_to_the_mathematics():
    """That is the same whoever is tried; without a target, with a name, and in a report it is there."""
    laws = [check for check in CHECKS if check.needs]
    assert Suite.chosen(["reference"], []).checks == tuple(laws)
    assert Suite.chosen([], []).checks == Suite.whole(["py:m:A"]).checks == CHECKS
    assert [one.id for one in Suite.chosen(["reference"], ["theory.gram"]).checks] == ["theory.gram"]
    assert Suite.chosen(["weights:w.npz"], []).checks == ()
    assert "py:m:A" in Suite.whole(["py:m:A"]).implementations
    assert "reference" in Suite.whole(["py:m:A"]).implementations


def test_the_checks_can_be_listed_without_running_one(tmp_path):
    asked = ("verify", "--list", "--check", "projection", "--check", "theory.gram", "--json")
    done = called(*asked, "list.json", cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert lines[0].startswith("theory.gram (exact): ")
    law = "Removing a projection twice is removing it once."
    assert f"projection.idempotent (property) [remove_projection]: {law}" in lines
    assert len(lines) == 1 + len([check for check in CHECKS if check.id.startswith("projection.")])
    rows = json.loads((tmp_path / "list.json").read_text())
    assert [f"{row['check']} ({row['evidence']})" for row in rows] == [
        line.partition(")")[0] + ")" for line in lines
    ]


def test_a_list_is_quiet_and_written_where_it_is_asked_for(tmp_path):
    for command in ("verify", "experiments"):
        done = called(command, "--list", "--quiet", "--json", f"{command}.json", cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert json.loads((tmp_path / f"{command}.json").read_text())


def test_a_narrow_terminal_shows_the_verdicts_too():
    printed = io.StringIO()
    results = tuple(
        Result("statistics.sequence_by_sequence", name, "passed", "S.", "s", "property", cases=13)
        for name in ("reference", "gpu")
    )
    show(replace(sample_run(), results=results), Console(file=printed, width=40))
    shown = printed.getvalue().partition("A number")[0]
    assert shown.count("ok") == 2
    assert max(map(len, shown.splitlines())) <= 40

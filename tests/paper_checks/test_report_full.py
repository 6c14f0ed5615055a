"""The report with what was measured, in tiny sizes: experiments, explorer, a run beside its predictions."""

import json
import re
import sys
from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="a full report trains models")

import explored
from test_report_page import Page, page_of
from test_report_sample import HOSTILE, sample_run

from paper_checks import measured, on_corpus, report
from paper_checks.command_line import main
from paper_checks.commands import report as command
from paper_checks.commands import reproduce
from paper_checks.experiments import registry
from paper_checks.experiments.result import Observation, Quantity, read_outcomes, write_outcomes
from paper_checks.experiments.setting import SCALES
from paper_checks.explorer import data
from paper_checks.explorer import page as explorer_page
from paper_checks.ledger import decide
from paper_checks.ledger.book import claims
from paper_checks.measured import POEMS_MISSING, Measured, beside_its_laws, together, with_measured
from paper_checks.prediction import beside
from paper_checks.report import write
from paper_checks.reproduction import plan
from paper_checks.reproduction.write import read_lines
from properties.evidence_ladder import Step
from properties.results import read_run, write_run
from reference.errors import InputError

TINY = replace(
    SCALES["quick"],
    name="full",
    models=2,
    random_models=3,
    stories=60,
    steps=3,
    windows=6,
    context=10,
    width=16,
    blocks_steps=16,
    blocks_width=16,
    blocks_context=32,
    probe_windows=6,
    directions=3,
    poem_steps=2,
    poem_contexts=(4, 5, 6),
    poem_characters=8,
)
SMALL_PLAN = {"sequences": 32, "sample": 8, "layers": 1, "steps": 4, "most_steps": 4, "short_steps": 4}
OUTCOME = replace(
    explored.OUTCOME,
    quantities=(Quantity("a number", 0.25, 0.125, 0.5), Quantity("another", 3.0)),
    observations=(
        Observation("heads differ", Step.one_input, True),
        Observation("heads differ", Step.many_inputs, False),
    ),
    claims=("wrong", "not-in-the-ledger"),
    settings={"profile": "full", "seed": 3, "text": "generated stories", "width": 16},
    seconds=12.3,
)
ROW = {
    "kind": "row",
    "part": "main run",
    "quantity": "norm",
    "weight": "W_O",
    "leading": 2.0,
    "predicted": 1.5,
    "float64": 1.8,
    "float32": None,
    "low": None,
    "high": None,
    "reliable": True,
    "apart": 0.2,
}
REPRODUCTION = {
    "corpus": "300 stories",
    "scaled_down": {"length": [200, 24]},
    "plan": {},
    "rows": [ROW, {**ROW, "part": "2 layers", "predicted": None, "apart": None}],
}


def section(page, name):
    return page.split(f'id="{name}"')[1].split("</section>")[0]


@pytest.fixture
def called(monkeypatch, capsys, tmp_path):
    """Call `leadterms report` in this process, in a folder of its own, with a suite that has been run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "run_suite", lambda *all, **more: replace(sample_run(), claims=()))
    monkeypatch.setattr(on_corpus, "readings", lambda corpus, seed, progress: {})
    monkeypatch.setattr(write, "write_notebook", lambda run, folder: None)
    chosen = [one for one in claims() if one.id in ("trained-cyclic-score", "profile-table")]
    monkeypatch.setattr(decide, "claims", lambda: chosen)
    monkeypatch.setitem(SCALES, "full", TINY)
    few = ("heads.sizes", "induction.random_period", "poems.context")
    monkeypatch.setattr(registry, "EXPERIMENTS", {name: registry.EXPERIMENTS[name] for name in few})
    monkeypatch.setattr(reproduce, "DEFAULT_LENGTH", 6)
    monkeypatch.setattr(data, "WRITTEN", 2)
    monkeypatch.setattr(plan, "QUICK", plan.Plan(**SMALL_PLAN))
    monkeypatch.setattr(plan, "QUICK_LENGTH", 6)
    monkeypatch.setattr(plan.Plan, "__init__", tiny_plan(plan.Plan.__init__))

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["leadterms", "report", *arguments])
        with pytest.raises(SystemExit) as done:
            main()
        return (done.value.code, *capsys.readouterr())

    return call


def tiny_plan(init):
    def made(self, *given, **named):
        init(self, *given, **{**({} if given else SMALL_PLAN), **named})

    return made


def test_a_full_report_trains_decides_and_shows(called, tmp_path):
    code, _, complaint = called("--profile", "full", "--out", "r")
    assert code == 1, complaint  # the sample has failures
    names = {str(path.relative_to(tmp_path / "r")) for path in (tmp_path / "r").rglob("*")}
    assert names >= {"index.html", "explorer.html", "experiments.jsonl", "results.jsonl"}
    run = read_run(tmp_path / "r" / "results.jsonl")
    assert run.header["profile"] == "full"
    assert POEMS_MISSING in run.header["left_out"]
    shown = [one["experiment"] for one in run.header["experiments"]]
    assert "induction.random_period" in shown
    assert "poems.heads" not in shown
    by_id = {claim["id"]: claim for claim in run.claims}
    decided = by_id["trained-cyclic-score"]
    assert decided["verdict"] in ("holds", "refuted")
    assert decided["command"].endswith("--experiments r/experiments.jsonl")
    assert decided["strength"].startswith("a two-layer model has an induction head: ")
    assert by_id["profile-table"]["verdict"] == "not_run"
    page = (tmp_path / "r" / "index.html").read_text(encoding="utf-8")
    assert len(page) < 6_000_000
    links = set(re.findall(r'href="([^"#]+?)"', section(page, "experiments")))
    assert links == {"explorer.html"}
    assert "norm" in section(page, "reproduced")
    assert run.header["reproduced"]["plan"]["sequences"] == 32
    # What it decided is decided again from the file that it wrote, and a report without it has no explorer.
    # Beside an earlier run in which it was undecided, that is a change, and what came out alike is none.
    told = f"is {decided['verdict']} (measured: {decided['computed']})."
    earlier = [{**one, "verdict": "inconclusive"} if one is decided else one for one in run.claims]
    write_run(tmp_path / "old.jsonl", replace(run, claims=tuple(earlier)))
    code, shown, _ = called(*("--out", "r", "--experiments", "r/experiments.jsonl", "--compare", "old.jsonl"))
    shown = " ".join(shown.split())
    assert f"Claim trained-cyclic-score was inconclusive (measured: {decided['computed']}), {told}" in shown
    assert "profile-table was" not in shown
    again = read_run(tmp_path / "r" / "results.jsonl")
    assert [one["verdict"] for one in again.claims] == [one["verdict"] for one in run.claims]
    assert again.header["experiments"] == run.header["experiments"]
    assert not (tmp_path / "r" / "explorer.html").exists()
    assert (tmp_path / "r" / "experiments.jsonl").exists()


def test_what_was_done_before_a_stop_is_kept_and_not_done_again(called, tmp_path, monkeypatch):
    def stopped(setting):
        raise InputError("The loss is nan.")

    monkeypatch.setattr(data, "explorer_data", lambda setting, outcomes: {})
    monkeypatch.setattr(explorer_page, "render", lambda found: "a page")
    monkeypatch.setattr(measured, "beside_its_laws", lambda *given: Measured())
    first, then = "heads.sizes", "induction.random_period"
    right = dict(registry.EXPERIMENTS)
    monkeypatch.setitem(registry.EXPERIMENTS, then, stopped)
    code, _, complaint = called("--profile", "full", "--out", "r")
    kept = "r/experiments.partial.jsonl"
    assert (code, f"go on with --experiments {kept}" in complaint) == (2, True)
    assert "0% done" in complaint  # piped, long work says how far it is
    assert [one.experiment for one in read_outcomes(tmp_path / kept)[1]] == [first]
    assert [path.name for path in (tmp_path / "r").iterdir()] == ["experiments.partial.jsonl"]
    monkeypatch.setattr(registry, "EXPERIMENTS", {**right, first: stopped})
    code, _, complaint = called("--profile", "full", "--out", "r", "--experiments", kept)
    assert code == 1, complaint  # the sample has failures
    assert [one.experiment for one in read_outcomes(tmp_path / "r" / "experiments.jsonl")[1]] == [first, then]
    assert not (tmp_path / kept).exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--poems", "p.txt"], "give --profile full too"),
        (["--profile", "full", "--poems", "none.txt"], "no corpus file none.txt"),
        (["--reproduction", "none.jsonl"], "no reproduction none.jsonl"),
        (["--reproduction", "p.txt"], "is not JSON"),
        (["--experiments", "none.jsonl"], "no file of experiments none.jsonl"),
    ],
)
def test_a_wrong_file_is_told_before_anything_runs(called, tmp_path, monkeypatch, arguments, told):
    (tmp_path / "p.txt").write_text("poems")
    monkeypatch.setattr(command, "run_suite", None)
    code, _, complaint = called(*arguments)
    assert code == 2
    assert told in " ".join(complaint.split())


def test_outcomes_and_their_steps_are_on_the_page():
    run = with_measured(sample_run(), Measured((OUTCOME,)))
    shown = section(page_of(run), "experiments")
    for part in ("Do heads differ?", "No: they do not.", "A criterion.", "not met", "0.125 to 0.5", "12 s"):
        assert part in shown
    assert "which 0 of 1 met" in " ".join(shown.split())
    assert 'href="#claim-wrong"' in shown
    assert "an anecdote" in shown
    assert (shown.count("✓ shown"), shown.count("✗ not so"), shown.count(">missing<")) == (1, 1, 4)
    assert "explorer.html" not in shown
    assert 'id="experiments"' not in page_of(sample_run())


def test_predicted_stands_beside_measured_with_what_the_next_order_explains():
    run = with_measured(sample_run(), Measured(reproduction=REPRODUCTION))
    shown = section(page_of(run), "reproduced")
    assert "-10.0%" in shown  # 1.8 of the 2 that the leading term gives
    assert "+20.0%" in shown
    assert "length 200 to 24" in shown
    assert "the farthest, norm W_O, within 20.0%" in " ".join(shown.split())
    assert shown.count("<details") == 2
    assert shown.count("<details open") == 1


def test_a_draw_stands_beside_its_interval_and_is_off_by_nothing():
    for high, word in ((2.0, "inside"), (1.75, "outside")):
        row = {**ROW, "low": 1.25, "high": high, "apart": None}
        shown = section(
            page_of(with_measured(sample_run(), Measured(reproduction={**REPRODUCTION, "rows": [row]}))),
            "reproduced",
        )
        assert f"{word} <span" in shown
        assert f"1.25 to {high:g}<" in shown
        assert "+20.0%" not in shown


def test_last_steps_are_one_line_a_weight():
    rows = [
        {
            **ROW,
            "part": "rate 0.5",
            "quantity": f"last step with a cosine of {level}",
            "weight": weight,
            **steps,
        }
        for weight, levels in (
            (
                "W_O",
                {"0.99": {"predicted": 1064.0, "float64": 39}, "0.7": {"predicted": 2000, "float64": None}},
            ),
            (
                "V 0",
                {
                    "0.99": {"predicted": 40, "float64": 38},
                    "0.7": {"predicted": None, "float64": 77, "reliable": False},
                },
            ),
        )
        for level, steps in levels.items()
    ]
    run = with_measured(sample_run(), Measured(reproduction={**REPRODUCTION, "rows": [ROW, *rows]}))
    shown = section(page_of(run), "reproduced")
    assert "how long each weight stays along its leading term" in shown
    dash = "\N{EN DASH}"
    for weight, cells in (("W_O", ["1,064", "39", "2,000", dash]), ("V 0", ["40", "38", f"{dash} ?", "77"])):
        row = shown.split(f'<th scope="row">{weight}</th>')[-1].split("</tr>")[0]
        assert re.findall(r">([^<]+)</td>", row) == cells


def test_hostile_words_are_shown_and_not_obeyed():
    outcome = replace(OUTCOME, question=HOSTILE, verdict=HOSTILE, claims=(HOSTILE,))
    rows = [{**ROW, "part": HOSTILE, "quantity": HOSTILE, "weight": HOSTILE}]
    measured = Measured((outcome,), {**REPRODUCTION, "corpus": HOSTILE, "rows": rows})
    text = page_of(with_measured(sample_run(), measured))
    page = Page(text)
    assert page.tags.count("script") == 1
    assert HOSTILE not in text
    assert HOSTILE in "".join(page.text)


def test_the_digest_covers_what_was_measured_and_not_the_times():
    from paper_checks.report.summary import digest

    plain = digest(sample_run())
    run = with_measured(sample_run(), Measured((OUTCOME,)))
    assert digest(run) != plain
    assert digest(with_measured(sample_run(), Measured((replace(OUTCOME, seconds=99.0),)))) == digest(run)
    assert digest(with_measured(sample_run(), Measured((replace(OUTCOME, met=True),)))) != digest(run)


def test_an_experiment_that_was_run_twice_is_shown_once():
    newer = replace(OUTCOME, met=True)
    assert together([Measured((OUTCOME,)), Measured((newer,))]).outcomes == (newer,)


def test_a_run_beside_its_laws_is_read_back_as_it_was(tmp_path):
    from paper_checks.reproduction.write import as_lines

    path = tmp_path / "r.jsonl"
    head = {key: value for key, value in REPRODUCTION.items() if key != "rows"}
    path.write_text(as_lines({"kind": "header", **head}, [], 1.0))
    assert read_lines(path)["rows"] == []
    whole = [json.dumps(one) for one in ({"kind": "header", **head}, ROW, {"kind": "footer", "rows": 1})]
    path.write_text("\n".join(whole))
    assert read_lines(path)["rows"] == [ROW]
    for broken, told in (
        (whole[:-1], "no footer"),
        (whole[1:], "is not what"),
        ([whole[0], '{"kind": "row"}', whole[2]], "line 2 lacks"),
        (['{"kind": "header"}', *whole[1:]], "the header lacks"),
    ):
        path.write_text("\n".join(broken))
        with pytest.raises(InputError, match=told):
            read_lines(path)


def test_a_corpus_that_is_too_small_for_a_run_is_said():
    from paper_checks.corpora import load_corpus

    corpus = load_corpus(None, vocab_size=None, length=24, tokenizer_name="words", layout="stream", seed=0)
    few = replace(corpus, tokens=corpus.tokens[:12])
    (sentence,) = beside_its_laws(few, plan.Plan(), lambda *told: None).left_out
    assert "There are 12 sequences, and 32 or more are needed" in sentence, "no option that report has not"


def test_an_older_file_of_experiments_is_read_without_outcomes(tmp_path):
    write_outcomes(tmp_path / "new.jsonl", {}, [OUTCOME])
    (tmp_path / "old.jsonl").write_text('{"name": "pythia-drift", "holds": true}\n')
    assert command.read_parts(tmp_path / "new.jsonl", None).outcomes == (OUTCOME,)
    assert command.read_parts(tmp_path / "old.jsonl", None).outcomes == ()


def test_the_page_names_the_command_that_made_it(called, tmp_path, monkeypatch):
    monkeypatch.setattr(beside, "published_beside", lambda corpus, seed, progress: [])
    monkeypatch.setattr(measured, "beside_its_laws", lambda corpus, plan, progress: Measured())
    monkeypatch.setattr(decide, "with_claims", lambda run, *how: run)
    made = []
    monkeypatch.setattr(report, "write_report", lambda run, *where: made.append(run))
    (tmp_path / "a.txt").write_text("a b c d\n" * 4)
    options = ["--seed", "2", "--corpus", "a.txt", "--length", "3", "--tokenizer", "chars"]
    called("--out", "r", *options, "--layout", "stream", "--quiet")
    assert made[0].header["command"] == " ".join(["leadterms report", *options, "--layout stream"])


def test_what_a_full_report_trains_on_is_the_field_that_was_named(monkeypatch):
    read = {}

    def load(place, **how):
        read.update(how)
        raise InputError("That is enough.")

    monkeypatch.setattr("paper_checks.corpora.load_corpus", load)
    monkeypatch.setattr("paper_checks.provenance.has_torch", lambda: False)
    nothing = measured.Measured()
    parts = command.run_parts(
        "a.jsonl", "words", "story", 0, None, nothing, lambda *told: None, lambda all: None
    )
    assert read["field"] == "story"
    assert parts[-1].left_out == ("No run beside its predictions: That is enough.",)

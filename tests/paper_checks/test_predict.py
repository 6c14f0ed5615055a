"""`leadterms predict`: numbers without a run, beside the published ones."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from calling import called, leadterms

from paper_checks.command_line import app
from paper_checks.commands.predict import PUBLISHED_SAMPLE, PUBLISHED_TRAINING
from paper_checks.commands.predict import predict as command
from paper_checks.prediction.comparison import TOLD, Compared, Verdict, score, verdict
from paper_checks.prediction.forecast import Prediction
from paper_checks.prediction.published import half_unit, published_entries, published_numbers
from paper_checks.prediction.why import what_would_give_it
from properties.tolerances import CONFIDENCE
from reference.errors import InputError
from reference.statistics import uniform_attention

TINYSTORIES = Path(__file__).resolve().parents[3] / "shared" / "data" / "tinystories.txt"


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    folder = tmp_path_factory.mktemp("predict")
    done = leadterms("predict", "--json", "p.json", "--entry", "V tom was", cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads((folder / "p.json").read_text())


def test_the_table_has_eighty_columns_and_says_what_it_is_of(told):
    shown, _ = told
    assert max(map(len, shown.splitlines())) <= 80
    for part in (
        "300 sequences of 40 positions",
        "320 steps at rate 0.005",
        "24 random groups of 12 sequences, each left out in turn",
        "Squares of statistics hold noise: those from 300 sequences",
        "V 2['tom'",
    ):
        assert part in shown


def test_the_json_holds_every_kind_of_prediction(told):
    _, found = told
    kinds = {one["id"].split(".")[0] for one in found["predictions"]}
    assert kinds >= {
        "norm", "next_order", "beyond", "turn", "last_step", "spread", "sampling", "cosine", "entry", "loss",
        "ablation", "float32", "score", "attention",
    }  # fmt: skip
    assert found["confidence"] == CONFIDENCE
    assert found["sampling"]["groups"] == 24
    at = {one["id"]: one for one in found["predictions"]}
    # The first-order fall of the loss is the effect of removing B_bar.
    curve = found["loss_curve"]
    fall = curve[0]["first_order"] - curve[-1]["first_order"]
    assert at["ablation.W_O"]["value"] == pytest.approx(fall)
    assert [point["step"] for point in curve] == sorted({point["step"] for point in curve})
    for one in found["predictions"]:
        if one["low"] is not None and not one["id"].startswith("float32"):
            assert one["low"] <= one["value"] <= one["high"], one["id"]


def test_the_same_call_gives_the_same_bytes(told, tmp_path):
    called("predict", "--json", "again.json", "--entry", "V tom was", cwd=tmp_path)
    assert json.loads((tmp_path / "again.json").read_text()) == told[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rate", "0"], "--rate is 0"),
        (["--rate", "1e300"], "--rate is 1e+300"),
        (["--steps", "0"], "--steps is 0"),
        (["--layers", "0"], "--layers is 0"),
        (["--statistics-sample", "0"], "--statistics-sample is 0"),
        (["--statistics-sample", "6", "--training-sample", "5"], "is not part of a training sample of 5"),
        (["--groups", "1"], "1 random groups"),
        (["--entry", "W_O tom"], "two words"),
        (["--entry", "P tom was"], "two words"),
        (["--entry", "W_O tom qqq"], "'qqq' is not among"),
        (["missing.txt"], "no corpus file missing.txt"),
        (["--json", "no/where.json"], "no folder"),
    ],
)
def test_a_bad_call_is_told_in_a_sentence(arguments, said):
    with pytest.raises(InputError, match=re.escape(said)):
        app(["predict", *arguments], standalone_mode=False)


@pytest.mark.parametrize("text", ["a b a b c\n", "a a a a a\n<|endoftext|>\na a a a a\n"])
@pytest.mark.parametrize("length", ["1", "3"])
def test_corpora_that_have_nothing_to_predict_are_predicted(tmp_path, text, length):
    """One sequence, one position, one word: what is not determined is null, and nothing fails."""
    (tmp_path / "few.txt").write_text(text)
    app(
        ["predict", str(tmp_path / "few.txt"), "--length", length, "--json", str(tmp_path / "p.json")],
        standalone_mode=False,
    )
    found = json.loads((tmp_path / "p.json").read_text())
    assert not any(one["id"].startswith("cosine") and one["value"] for one in found["predictions"])
    assert {one["verdict"] for one in found["published"]} == {"other sizes"}


def test_every_published_number_has_a_source_claims_and_a_prediction_that_exists(told):
    _, found = told
    known = {one["id"] for one in found["predictions"]}
    for number in published_numbers():
        assert number.source
        assert number.says
        assert number.claims
        assert number.prediction in known, number.prediction
    assert published_entries() == (("W_O", ".", "he"),)


def test_published_claims_are_claims(told):
    claims = TINYSTORIES.parents[1] / "claims.yaml"
    if not claims.is_file():
        pytest.skip("the claims are not here")
    ids = {line.split()[-1] for line in claims.read_text().splitlines() if line.startswith("- id:")}
    assert {claim for number in published_numbers() for claim in number.claims} <= ids


@pytest.mark.parametrize(
    ("printed", "half"), [("0.998223", 5e-7), ("1.91e-3", 5e-6), ("0.0140", 5e-5), ("8.00", 5e-3)]
)
def test_a_printed_number_stands_for_what_rounds_to_it(printed, half):
    assert half_unit(printed) == pytest.approx(half)


@pytest.mark.parametrize(
    ("low", "high", "reliable", "said"),
    [
        (0.998, 0.999, True, "inside"),
        (0.9983, 0.999, True, "outside"),
        (0.9982233, 0.999, True, "inside"),  # within half a unit of the last digit
        (0.99, 0.997, True, "outside"),
        (0.998, 0.999, False, "out of reach"),
    ],
)
def test_verdicts(low, high, reliable, said):
    number = published_numbers()[0]
    assert number.value == 0.998223
    prediction = Prediction("cosine.W_O", "", (low + high) / 2, "", low, high, reliable)
    assert verdict(number, prediction) == said
    assert verdict(number, None) == "not predicted"


def test_the_score_counts_every_verdict():
    number = published_numbers()[0]
    verdicts = (
        "outside",
        "inside",
        "inside",
        "out of reach",
        "holds",
        "fails",
        "not predicted",
        "other sizes",
    )
    assert score([Compared(number, None, one) for one in verdicts]) == (
        "Score of 8 published numbers: inside the interval 2, outside 1, a bound that holds 1, "
        "a bound that fails 1, out of reach 1, not predicted 1, of other sizes 1."
    )
    assert set(TOLD) == set(get_args(Verdict))
    assert score([]) == "Score of 0 published numbers: none."


@pytest.mark.parametrize(
    ("id_", "value", "said"),
    [
        # 1.53e-7 (1 / 1.1)^4, 1.91e-3 1.25^2 and 0.0140 / 0.8: 10% larger, 20% and 20% smaller.
        ("ablation.V", 1.53e-7 / 1.1**4, "the fourth power of the statistics, and those 10.0% larger"),
        ("ablation.W_O", 1.91e-3 * 1.25**2, "the square of the statistics, and those 20.0% smaller"),
        ("entry.W_O[., he]", 0.0140 / 0.8, "the first power of the statistics, and those 20.0% smaller"),
        ("entry.W_O[., he]", -0.0140, ""),
        ("loss.start", math.log(3000), "8.00 is the prediction cut short after the last digit"),
        ("loss.start", 8.0149, ""),
        ("loss.start", 7.994, ""),
    ],
)  # fmt: skip
def test_a_number_that_misses_is_told_what_would_give_it(id_, value, said):
    number = next(one for one in published_numbers() if one.prediction == id_)
    missed = Compared(number, Prediction(id_, "", value, ""), "outside")
    assert said in what_would_give_it(missed)
    assert bool(what_would_give_it(missed)) == bool(said)
    assert what_would_give_it(replace(missed, verdict="inside")) == ""


def test_the_degree_of_a_number_is_the_power_of_the_statistics_that_it_goes_with():
    """Rises go with |B_bar|^2 and |Phi_bar^T B_bar^T|^2, an entry with B_bar."""
    assert {one.prediction: one.degree for one in published_numbers() if one.degree} == {
        "ablation.W_O": 2,
        "ablation.V": 4,
        "entry.W_O[., he]": 1,
        "statistic.B_bar[., he]": 1,
    }


def test_the_defaults_are_the_published_run():
    import inspect

    defaults = {name: p.default for name, p in inspect.signature(command).parameters.items()}
    run = published_numbers()[0].setting
    assert (defaults["rate"], defaults["steps"], defaults["layers"]) == (run.rate, run.steps, run.layers)
    assert (run.statistics_sample, run.training_sample) == (PUBLISHED_SAMPLE, PUBLISHED_TRAINING)


@pytest.mark.deep
def test_the_published_numbers_on_tinystories(tmp_path):
    if not TINYSTORIES.is_file():
        pytest.skip("the stories are not here")
    done = leadterms(
        "predict",
        TINYSTORIES,
        "--vocab",
        "3000",
        "--length",
        "200",
        "--json",
        "p.json",
        cwd=tmp_path,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "p.json").read_text())["published"]
    missed = {one["prediction"] for one in found if one["verdict"] in ("outside", "fails")}
    assert missed == {"cosine.W_O", "ablation.V", "loss.start"}


@pytest.mark.deep
def test_the_choice_of_stories_moves_the_effect_of_values_as_far_as_it_is_off():
    """What `left_out` says of ablation.V: thirds of the stories by full stops, draws and positions."""
    if not TINYSTORIES.is_file():
        pytest.skip("the stories are not here")
    from paper_checks.corpora import load_corpus
    from paper_checks.fastest import statistics_of
    from properties.predictions.ablation import factors
    from properties.predictions.sampling import leading_directions

    corpus = load_corpus(
        TINYSTORIES, vocab_size=3000, length=200, tokenizer_name="words", layout="document", seed=0
    )
    tokens, V = corpus.tokens, corpus.vocab_size
    published = next(one for one in published_numbers() if one.prediction == "ablation.V")
    amount = factors(published.setting.rate, published.setting.steps)["V"]

    def rise(some):
        return amount * float((leading_directions(some, statistics_of(some, V))["V"] ** 2).sum())

    stops = (tokens == corpus.number(".")).mean(axis=1)
    ranked = tokens[stops.argsort(kind="stable")]
    third, all_of_them = len(tokens) // 3, rise(tokens)
    assert rise(ranked[:third]) < 0.9 * all_of_them
    assert rise(ranked[-third:]) > 1.4 * all_of_them > published.value
    assert all_of_them < published.value

    # The parts of the stories, and of their positions, by what each adds to the whole.
    found = statistics_of(tokens, V)
    A0 = uniform_attention(tokens.shape[1] - 1)
    own = amount * np.array([(A0 * found["G_bar"][s[1:, None], s[None, :-1]]).sum(axis=1) for s in tokens])
    assert own.mean() == pytest.approx(all_of_them)
    off = published.value - all_of_them
    draws = (
        np.random.default_rng(0).permuted(np.tile(own.mean(axis=1), (200, 1)), axis=1)[:, :64].mean(axis=1)
    )
    assert (np.abs(draws - all_of_them) < off).all()
    until = own.mean(axis=0).cumsum() / np.arange(1, own.shape[1] + 1)
    assert (np.abs(until[49:] - all_of_them) < off).all()


def test_an_alignment_is_told_with_its_nulls(tmp_path):
    done = called("alignment", "--samples", "3", "--json", "a.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    found = json.loads((tmp_path / "a.json").read_text())
    assert set(found["reports"]) == {"W_O", "V", "W", "P"}
    for name, report in found["reports"].items():
        assert report["cosine"] == pytest.approx(1)
        assert set(report["controls"]) == {"tokens shuffled", "another corpus"}
        assert len(report["samples"]) == 3
        assert all(one[0] < 1 for one in report["samples"]), name
        # The table shows what the file has.
        rows = iter(done.stdout.split(f"\n{name} ")[1].splitlines())
        mean, least = next(line for line in rows if ", mean" in line), next(rows)
        for row, of in ((mean, lambda one: sum(one) / len(one)), (least, min)):
            values = [of(one) for one in zip(*report["samples"], strict=True) if None not in one]
            shown = row.split(", mean" if row is mean else "of them")[1].split()
            assert shown == [f"{v:.6f}" if v > 1 - 1 / 64 else f"{v:.4f}" for v in values]
    for name, kept in found["kept"].items():
        report = found["reports"][name]
        every = zip(*report["samples"], strict=True)
        means = [0 if None in one else sum(one) / len(one) for one in every]
        lost = next((n for n, mean in enumerate(means) if not mean >= 0.99), len(means))
        assert kept == (report["removed"][lost - 1] if lost else None)
        if kept is not None:
            assert f"{kept} of {name}" in " ".join(done.stdout.split())
    # The grammar's own stories, newly generated, are the nearest of the controls.
    controls = found["reports"]["W_O"]["controls"]
    assert controls["another corpus"] > controls["tokens shuffled"]


def test_another_text_is_matched_by_word_or_by_rank(tmp_path):
    from paper_checks.corpora import load_corpus
    from paper_checks.corpus_controls import other_corpus
    from reference.corpus import shuffled

    corpus = load_corpus(None, vocab_size=None, length=10, tokenizer_name="words", layout="document", seed=0)
    known = other_corpus(None, corpus, "words", seed=1)
    assert known.tokens.shape[1] == 11
    assert "100% of its words are known" in known.told
    (tmp_path / "foreign.txt").write_text("aa bb aa cc " * 30)
    foreign = other_corpus(tmp_path / "foreign.txt", corpus, "words", seed=1)
    assert "by rank of frequency" in foreign.told
    assert sorted(set(foreign.tokens.ravel())) == [0, 1, 2]
    (tmp_path / "short.txt").write_text("aa bb")
    with pytest.raises(InputError, match="shorter than one window"):
        other_corpus(tmp_path / "short.txt", corpus, "words", seed=1)
    mixed = shuffled(corpus.tokens, 0)
    assert sorted(mixed.ravel()) == sorted(corpus.tokens.ravel())
    assert (mixed != corpus.tokens).any()


@pytest.mark.parametrize("command", ["alignment", "behaviour"])
def test_another_text_is_read_by_the_tokenizer_that_is_named_for_it(command, tmp_path, monkeypatch):
    def other(path, corpus, tokenizer_name, seed):
        raise InputError(f"The other text is of {tokenizer_name}.")

    monkeypatch.setattr("paper_checks.corpus_controls.other_corpus", other)
    done = called(command, "--length", "4", "--other-tokenizer", "chars", cwd=tmp_path)
    assert (done.returncode, "is of chars." in done.stderr) == (2, True)


def test_statistics_of_other_sequences_turn_further_from_what_is_trained_on(tmp_path):
    """What the noise has in common does not turn one from the other."""
    cosines = []
    for more in ([], ["--disjoint"]):
        sizes = ["--length", "6", "--layers", "1", "--statistics-sample", "60", "--training-sample", "240"]
        assert called("predict", *sizes, *more, "--json", "p.json", cwd=tmp_path).returncode == 0
        made = json.loads((tmp_path / "p.json").read_text())
        assert made["setting"]["nested"] is not bool(more)
        cosines.append({p["id"]: p["value"] for p in made["predictions"] if p["id"].startswith("cosine.")})
    of_parts, of_others = cosines
    assert of_parts.keys() == of_others.keys() >= {"cosine.W_O"}
    assert all(of_others[name] < of_parts[name] for name in of_parts)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--samples", "0"], "--samples is 0; give 1 to 300"),
        (["--sample", "0"], "--sample is 0"),
        (["--weights", "none.npz"], "no checkpoint none.npz"),
        (["--other", "none.txt"], "no corpus file none.txt"),
    ],
)
def test_a_bad_call_of_alignment_is_told_in_a_sentence(arguments, said):
    with pytest.raises(InputError, match=re.escape(said)):
        app(["alignment", *arguments], standalone_mode=False)

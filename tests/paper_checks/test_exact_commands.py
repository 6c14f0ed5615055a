"""`leadterms series` and `leadterms prove`: exact numbers in files, proofs and their check."""

import json
from fractions import Fraction

import pytest
from calling import called
from test_manners import call

from theory.step_sums import named, readable

__all__ = ["call"]

TOKENS = {"tokens": [[0, 0, 1, 2], [2, 1, 0, 1]], "vocab_size": 3}


def test_the_series_of_one_step_is_the_bigram_table(tmp_path):
    (tmp_path / "tokens.json").write_text(json.dumps(TOKENS))
    done = called(
        "series",
        "tokens.json",
        "--layers",
        "2",
        "--steps",
        "4",
        "--order",
        "5",
        "--json",
        "s.json",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "s.json").read_text())
    B_bar, Q_bar = (
        [[Fraction(x) for x in row] for row in found["statistics"][n]] for n in ("B_bar", "Q_bar")
    )
    assert [[Fraction(x) for x in row] for row in found["W_O"][1]] == [[4 * x for x in row] for row in B_bar]
    for layer in range(2):
        # c_4 = 3 C(4,4) + 2 C(4,3) = 11.
        W = [[Fraction(x) for x in row] for row in found["W"][layer][4]]
        assert [[11 * x for x in row] for row in Q_bar] == W
        assert [Fraction(x) for x in found["P"][layer][4]] == [
            11 * Fraction(x) for x in found["statistics"]["Delta_bar"]
        ]
        assert {x for row in found["V"][layer][1] for x in row} == {"0"}
    # The 6 transitions hold 0 -> 0 once, and 0 stands 3 times in front: 1/6 - (3/6)/3.
    assert B_bar[0][0] == Fraction(1, 6) - Fraction(3, 6) / 3


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "is not JSON"),
        ("[1]", "has no tokens and vocab_size"),
        ('{"tokens": [], "vocab_size": 2}', "no list of sequences"),
        ('{"tokens": [[0, 1], [0]], "vocab_size": 2}', "Sequence 1"),
        ('{"tokens": [[0]], "vocab_size": 2}', "Sequence 0"),
        ('{"tokens": [[0, "a"]], "vocab_size": 2}', "tokens[0][1]"),
        ('{"tokens": [[0, 5]], "vocab_size": 2}', "sequence 0 has 5"),
        ('{"tokens": [[0, 1]], "vocab_size": 2.5}', "vocab_size"),
        ('{"tokens": [[0, 1]], "vocab_size": 99999999999999999999999999}', "go up to 1000"),
        (f'{{"tokens": [[0, {"7" * 4000}]], "vocab_size": 2}}', f"tokens[0][1] in t.json is {'7' * 40}...;"),
        ('{"tokens": [[0, 1]], "vocab_size": 2, "weights": [1]}', '"weights" too, of which nothing is known'),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_bad_tokens_are_told_in_a_sentence(tmp_path, content, told):
    (tmp_path / "t.json").write_text(content)
    done = called("series", "t.json", "--json", "out.json", cwd=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize("option", ["--layers", "--steps", "--order"])
def test_a_series_beyond_reach_is_refused_at_once(tmp_path, option):
    (tmp_path / "t.json").write_text(json.dumps(TOKENS))
    done = called("series", "t.json", option, "1000000000", cwd=tmp_path)
    assert done.returncode == 2
    assert f"{option} is 1000000000" in done.stderr


def test_a_size_written_with_a_point_is_that_size(tmp_path, call):
    (tmp_path / "tokens.json").write_text('{"tokens": [[0, 1, 1]], "vocab_size": 2}', encoding="utf-8")
    for layers, out in (("2", "a.json"), ("2.0", "b.json")):
        assert call("series", "tokens.json", "--layers", layers, "--steps", "2", "--json", out)[0] == 0
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    status, _, told = call("series", "tokens.json", "--layers", "2.5")
    assert status == 2
    assert "valid integer" in told


def test_a_proof_is_written_checked_and_told_from_a_tampered_one(tmp_path):
    made = called("prove", "--vocab", "2", "--length", "2", "--layers", "2", "--json", "c.json", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "Proved. For every corpus of sequences of 3 tokens" in made.stdout.replace("\n", " ")
    assert "(C(s,2) = s (s - 1)/2) Phi_bar^T B_bar^T" in made.stdout
    assert called("prove", "--check", "c.json", cwd=tmp_path).returncode == 0

    certificate = json.loads((tmp_path / "c.json").read_text())
    certificate["identities"][1]["coefficients"][0][1] = "-1/3"
    (tmp_path / "tampered.json").write_text(json.dumps(certificate))
    done = called("prove", "--check", "tampered.json", cwd=tmp_path)
    assert done.returncode == 1
    assert "does not hold" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--vocab", "9", "--length", "9"], "3486784401 symbols and"),
        (["--vocab", "0"], "a vocabulary of 1 or more is needed, not 0"),
        (["--length", "0"], "a length of 1 or more"),
        (["--layers", "-1"], "a number of layers of 1 or more"),
        (["--layers", "300"], "300 layers are more than can be; up to 100 are"),
        (["--layers", "1000000000"], "up to 100 are"),
        (["--length", "100000"], "there are 2^100001 sequences"),
        (["--length", "1000000000"], "too many by far"),
        (["--vocab", "1000000000"], "too many by far"),
        (["--vocab", "1", "--length", "100000"], "would take about 11 days; up to 4 hours is begun"),
        (["--vocab", "1", "--length", "10000"], "about 5 GiB; up to 4 GiB are"),
        (["--vocab", "1", "--length", "9" * 400], "would take about"),
        (["--check", "missing.json"], "no certificate missing.json"),
        (["--kind", "best"], "best"),
    ],
)
def test_a_proof_that_cannot_be_is_told(tmp_path, call, arguments, told):
    status, printed, complaint = call("prove", *arguments, "--json", "out.json")
    assert (status, printed) == (2, "")
    assert told in " ".join(complaint.split())
    assert list(tmp_path.iterdir()) == []


def test_the_most_layers_are_proved(tmp_path, call):
    """The deepest that Python's stack is used for."""
    assert call("prove", "--vocab", "2", "--length", "1", "--layers", "100", "--quiet") == (0, "", "")


@pytest.mark.parametrize("option", ["--vocab", "--length", "--layers", "--kind"])
def test_an_option_that_a_certificate_answers_is_refused(tmp_path, call, option):
    assert call("prove", "--vocab", "2", "--length", "1", "--json", "c.json", "--quiet")[0] == 0
    status, _, complaint = call("prove", "--check", "c.json", option, "next" if option == "--kind" else "2")
    assert (status, complaint.count("\n")) == (2, 1)
    assert f"leave out {option}" in complaint


ORDER = '"order": 2'


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        (ORDER, '"order": 4.0', "identities[1].order is 4.0"),
        (ORDER, '"order": "4"', 'identities[1].order is "4"'),
        (ORDER, '"order": null', "identities[1].order is null"),
        (ORDER, '"order": -5', "identities[1].order is -5"),
        (ORDER, '"order": 1e9', "identities[1].order is 1000000000.0"),
        (ORDER, f'"order": {"9" * 5000}', "is not JSON"),
        (ORDER, f'"order": {"9" * 4000}', "identities[1].order is 9999"),
        (ORDER, '"order": 2, "order": 2', "an object has the key 'order' twice"),
        (ORDER, '"order": 2, "more": 2', "identities[1].more is no field of a certificate"),
        ('"layers": 1\n', '"layers": 1000000000\n', "sizes.layers is 1000000000"),
        ('"vocab_size": 2', '"vocab_size": Infinity', "sizes.vocab_size is Infinity"),
        ('"vocab_size": 2', '"vocab_size": NaN', "sizes.vocab_size is NaN"),
        ('"vocab_size": 2', '"vocab_size": 5', "corpora would have to be run"),
        ('"length": 2', '"length": 1000', "too many by far"),
        ('"name": "B_bar"', '"name": 3', "identities[0].directions[0].name is 3"),
        ('"name": "B_bar",', "", "identities[0].directions[0].name is missing"),
        ('"steps_compared"', '"steps"', "identities[0].steps_compared is missing"),
        ('"directions"', '"direction"', "identities[0].directions is missing"),
    ],
)
def test_a_certificate_of_another_form_is_told_with_its_file_and_field(tmp_path, call, right, wrong, told):
    assert call("prove", "--json", "c.json", "--quiet")[0] == 0
    text = (tmp_path / "c.json").read_text()
    assert right in text
    (tmp_path / "odd.json").write_text(text.replace(right, wrong, 1))
    status, printed, complaint = call("prove", "--check", "odd.json", "--json", "verdict.json")
    assert (status, printed, complaint.count("\n")) == (2, "", 1)
    assert complaint.startswith("leadterms: odd.json is ")
    assert told in complaint
    assert not (tmp_path / "verdict.json").exists()


def test_what_says_nothing_is_said_to(tmp_path, call):
    """One position: W and P do not move, and a certificate about them is an empty one."""
    made = call("prove", "--length", "1", "--json", "c.json")[1]
    assert made.count("[zero for every corpus]") == 2
    status, told, _ = call("prove", "--check", "c.json", "--json", "v.json")
    assert status == 0
    assert "Of W, P it says nothing but" in told
    assert json.loads((tmp_path / "v.json").read_text())["empty"] == ["W", "P"]


def test_a_series_whose_sizes_are_too_large_together_is_refused(tmp_path, call):
    (tmp_path / "t.json").write_text(json.dumps({"tokens": [[0, 999]] * 10, "vocab_size": 1000}))
    for words, told in (
        ("--layers 100 --steps 9999 --order 64", "would take about"),
        ("--layers 50 --steps 40 --order 4", "GiB; up to 4 GiB are"),
    ):
        status, printed, complaint = call("series", "t.json", *words.split(), "--json", "out.json")
        assert (status, printed, complaint.count("\n")) == (2, "", 1)
        assert told in complaint
        assert "10 sequences of 1 positions, 1000 words" in complaint
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    ("coefficients", "text"),
    [
        (["0", "1"], "s"),
        (["0", "-1/2", "1/2"], "s (s - 1)/2"),
        (["0", "-1/12", "3/8", "-5/12", "1/8"], "s (s - 2) (s - 1) (3 s - 1)/24"),
        (["3", "0", "-1"], "3 - s^2"),
        ([], "0"),
        (["1"], "1"),
    ],
)
def test_a_polynomial_reads_as_a_person_writes_it(coefficients, text):
    assert readable(coefficients) == text


@pytest.mark.parametrize(
    ("coefficients", "text"),
    [
        (["0", "1"], "s"),
        (["0", "-1/2", "1/2"], "C(s,2) = s (s - 1)/2"),
        (["0", "1/3", "-1/2", "1/6"], "C(s,3) = s (s - 2) (s - 1)/6"),
        (["0", "-1/12", "3/8", "-5/12", "1/8"], "c_s = s (s - 2) (s - 1) (3 s - 1)/24"),
        (["0", "-1/12", "3/8", "-5/12", "1/4"], readable(["0", "-1/12", "3/8", "-5/12", "1/4"])),
        ([], "0"),
    ],
)
def test_a_polynomial_that_the_theory_has_a_symbol_for_is_told_with_it(coefficients, text):
    assert named(coefficients) == text

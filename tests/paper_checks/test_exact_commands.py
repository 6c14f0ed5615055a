"""`leadterms series` and `leadterms prove`: exact numbers in files, proofs and their check."""

import json
from fractions import Fraction

import pytest
from test_command_line import leadterms

from paper_checks.commands.prove import polynomial

TOKENS = {"tokens": [[0, 0, 1, 2], [2, 1, 0, 1]], "vocab_size": 3}


def test_the_series_of_one_step_is_the_bigram_table(tmp_path):
    (tmp_path / "tokens.json").write_text(json.dumps(TOKENS))
    done = leadterms(
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
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_bad_tokens_are_told_in_a_sentence(tmp_path, content, told):
    (tmp_path / "t.json").write_text(content)
    done = leadterms("series", "t.json", "--json", "out.json", cwd=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize("option", ["--layers", "--steps", "--order"])
def test_a_series_beyond_reach_is_refused_at_once(tmp_path, option):
    (tmp_path / "t.json").write_text(json.dumps(TOKENS))
    done = leadterms("series", "t.json", option, "1000000000", cwd=tmp_path, timeout=30)
    assert done.returncode == 2
    assert f"{option} is 1000000000" in done.stderr


def test_a_proof_is_written_checked_and_told_from_a_tampered_one(tmp_path):
    made = leadterms(
        "prove", "--vocab", "2", "--length", "2", "--layers", "2", "--json", "c.json", cwd=tmp_path
    )
    assert made.returncode == 0, made.stderr
    assert "Proved. For every corpus of sequences of 3 tokens" in made.stdout.replace("\n", " ")
    assert "(1/2 s^2 - 1/2 s) Phi_bar^T B_bar^T" in made.stdout
    assert leadterms("prove", "--check", "c.json", cwd=tmp_path).returncode == 0

    certificate = json.loads((tmp_path / "c.json").read_text())
    certificate["identities"][1]["coefficients"][0][1] = "-1/3"
    (tmp_path / "tampered.json").write_text(json.dumps(certificate))
    done = leadterms("prove", "--check", "tampered.json", cwd=tmp_path)
    assert done.returncode == 1
    assert "does not hold" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--vocab", "9", "--length", "9"], "a proof is possible up to"),
        (["--vocab", "0"], "1 or more"),
        (["--check", "missing.json"], "no certificate missing.json"),
        (["--kind", "best"], "best"),
    ],
)
def test_a_proof_that_cannot_be_is_told(tmp_path, arguments, told):
    done = leadterms("prove", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("coefficients", "text"),
    [
        (["0", "1"], "s"),
        (["0", "-1/2", "1/2"], "1/2 s^2 - 1/2 s"),
        (["3", "0", "-1"], "- s^2 + 3"),
        (["0"], "0"),
        (["1"], "1"),
    ],
)
def test_a_polynomial_reads_as_a_person_writes_it(coefficients, text):
    assert polynomial(coefficients) == text

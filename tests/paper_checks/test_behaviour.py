"""`leadterms behaviour`: effects far below the rounding of a loss, beside what is predicted and controls."""

import json
import re

import numpy as np
import pytest
from calling import called
from typer.testing import CliRunner

from paper_checks import behaviour
from paper_checks.command_line import app
from properties.tolerances import exponent, gamma, unit_roundoff
from reference.effects import loss_change
from reference.errors import InputError
from reference.model import loss
from reference.stories import stories


def test_every_weight_is_told_with_its_effect_and_controls(tmp_path):
    done = called(
        "behaviour", "--length", "8", "--steps", "8", "--rate", ".01", "--json", "b.json", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    found = json.loads((tmp_path / "b.json").read_text())["weights_found"]
    assert list(found) == ["W_O", "V 0", "V 1", "W 0", "W 1", "P 0", "P 1"]
    for name, one in found.items():
        (row,) = (line for line in done.stdout.splitlines() if line.startswith(f"{name} "))
        largest = max(one["random"], key=abs)
        assert row.removeprefix(name).split() == [
            f"{one['cosine']:.6f}",
            *(f"{value:+.2e}" for value in (one["predicted"], one["measured"], largest)),
            *(f"{value:+.1e}" for value in one["controls"].values()),
        ]
        if not name.startswith("P"):  # eight entries have no random direction to speak of
            assert max(map(abs, one["random"])) < one["measured"] / 4
        assert abs(one["controls"]["tokens shuffled"]) < one["measured"]
    # A loss has no digits at this size; the effect has them.
    assert found["W 0"]["measured"] < np.finfo(float).eps


def test_sequences_that_are_taken_together_count_as_one_by_one(monkeypatch):
    """Five, two at a time: the last is alone, and counts as each of the others."""
    T, V, sizes = 6, 4, []

    def mean_of_first_words(weights, change, part):
        sizes.append(len(part))
        return float(part[:, 0].mean())

    monkeypatch.setattr(behaviour, "AT_ONCE", 2 * T * max(T, V))
    monkeypatch.setattr(behaviour, "loss_change", mean_of_first_words)
    tokens = np.tile([[3], [0], [2], [3], [1]], T + 1)
    assert behaviour._loss_change({"W_O": np.zeros((V, V))}, {}, tokens) == 9 / 5
    assert sizes == [2, 2, 1]


def test_the_law_leaves_out_what_goes_with_the_rate(tmp_path, monkeypatch):
    """The effect is off to first order and 1 - cos to second, so that both vanish with the rate.

    On a part of the corpus it is for that part that the effect is predicted.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.txt").write_text("\n<|endoftext|>\n".join(stories(6, 0)))
    call = [
        "behaviour",
        "s.txt",
        "--layers",
        "1",
        "--length",
        "8",
        "--steps",
        "8",
        "--sequences",
        "3",
        "--json",
        "b.json",
    ]
    off = {}
    for halvings in range(4):
        done = CliRunner().invoke(app, [*call, "--rate", str(0.01 / 2**halvings)])
        assert "on 3 of 6 sequences" in done.output
        assert done.exit_code == 0, done.output
        for name, one in json.loads((tmp_path / "b.json").read_text())["weights_found"].items():
            off.setdefault(("effect", name, 1), []).append(abs(one["measured"] / one["predicted"] - 1))
            off.setdefault(("1 - cos", name, 2), []).append(1 - one["cosine"])
    for (what, name, order), sizes in off.items():
        fit = exponent(sizes, gamma(1000, unit_roundoff("float64")) / min(sizes))
        assert fit.value + fit.half_width >= order, (what, name, sizes)


def test_no_change_of_the_weights_is_no_change_of_the_loss():
    rng = np.random.default_rng(0)
    parameters = {
        "W_O": rng.normal(size=(4, 4)),
        "V": rng.normal(size=(2, 4, 4)) / 4,
        "W": rng.normal(size=(2, 4, 4)),
        "P": rng.normal(size=(2, 5)),
    }
    tokens = rng.integers(0, 4, (3, 6))
    assert loss_change(parameters, {}, tokens) == 0
    change = {"V": rng.normal(size=(2, 4, 4))}
    moved = {**parameters, "V": parameters["V"] + change["V"]}
    np.testing.assert_allclose(
        loss_change(parameters, change, tokens), loss(moved, tokens) - loss(parameters, tokens)
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rate", "-1"], "--rate is -1"),
        (["--steps", "0"], "--steps is 0"),
        (["--sequences", "0"], "--sequences is 0"),
        (["--weights", "none.npz"], "no checkpoint none.npz"),
    ],
)
def test_a_bad_call_is_told_in_a_sentence(arguments, said):
    with pytest.raises(InputError, match=re.escape(said)):
        app(["behaviour", *arguments], standalone_mode=False)

"""Checkpoints that are what the theory predicts, and ones that are not; files that are none."""

import io
import pickle
import zipfile

import numpy as np
import pytest
from safetensors.numpy import save_file

from properties.checkpoint import Training, _explained, judge
from properties.checkpoint_bands import (
    known_terms,
    truncation,
)
from properties.parameter_names import OWN, Source, read_names, renamed
from properties.predictions.alignment import deviation
from properties.predictions.expansion import GROUPS, amounts, expansion
from properties.tolerances import GEOMETRIC, rounding
from reference.corpus import Corpus
from reference.descent import train
from reference.errors import InputError
from reference.sequences import build_corpus
from reference.stories import stories
from reference.tokenizers import words
from theory.alignment import relative_error_squared
from theory.next_order import gram, next_order

RATE, STEPS, LAYERS = 0.05, 6, 2
LATE = 2.7


@pytest.fixture(scope="module")
def corpus():
    return build_corpus(stories(60, seed=0), words, length=20)


@pytest.fixture(scope="module")
def trained(corpus):
    return train(corpus.tokens, corpus.vocab_size, LAYERS, RATE, STEPS)


def saved(folder, weights):
    path = folder / "weights.npz"
    np.savez(path, **weights)
    return path


def verdicts(path, corpus, **changes):
    training = Training(**{"rate": RATE, "steps": STEPS, **changes})
    return {r.check.removeprefix("checkpoint."): r for r in judge(path, corpus, training, seed=0)}


def states(found):
    return {name: result.result for name, result in found.items()}


def test_the_terms_are_those_of_the_exact_derivation():
    tokens = np.array([[0, 0, 1, 2, 1, 3], [3, 1, 0, 2, 2, 0], [1, 1, 3, 0, 3, 2]])
    found, exact = expansion(tokens, 5), next_order(tokens.tolist(), 5, 7)
    for group in GROUPS:
        expected = np.array([int(x.p) / int(x.q) for x in exact[group].entries()])
        # Four nested products over V words: each may cancel a magnitude V times its result.
        operations = tokens.size * 5**4
        _, following = known_terms(group, found[group], 1.0, 7, 0, 1)
        error = np.abs(following.ravel() - expected)
        assert (error <= rounding(np.abs(expected).max(), operations, "float64")).all()
        exactly = relative_error_squared(group, gram(tokens.tolist(), 5)[group], 1, 7)
        first = 1 + len(found[group].following)
        measured = relative_error_squared(group, found[group].gram[:first, :first].tolist(), 1, 7)
        exactly = int(exactly.p) / int(exactly.q)
        assert abs(measured - exactly) <= rounding(exactly, operations, "float64")


def test_a_trained_model_passes_in_every_weight_and_layer(tmp_path, corpus, trained):
    found = verdicts(saved(tmp_path, trained), corpus)
    assert states(found) == dict.fromkeys(["W_O", "V_0", "V_1", "W_0", "W_1", "P_0", "P_1"], "passed")
    measured = found["W_1"].measurements["W of layer 1"]
    assert measured["relative error to the leading term"] < 0.01
    assert measured["cosine with the leading term"] > 0.9999
    assert {result.evidence for result in found.values()} == {"measured"}
    terms = expansion(corpus.tokens, corpus.vocab_size)
    for layer in range(LAYERS):
        told = found[f"W_{layer}"].measurements[f"W of layer {layer}"]
        assert told["band"]["truncation"] == truncation("W", terms, RATE, STEPS, layer, LAYERS)
        loss = deviation("W", terms["W"], RATE, STEPS, layer, LAYERS).cosine_loss
        assert told["cosine predicted"] == 1 - loss
        leading, following = known_terms("W", terms["W"], RATE, STEPS, layer, LAYERS)
        predicted = np.linalg.norm(following) / np.linalg.norm(leading)
        assert told["relative error predicted"] == predicted


def test_float32_weights_are_given_their_own_rounding(tmp_path, corpus, trained):
    rounded = {name: value.astype(np.float32) for name, value in trained.items()}
    found = verdicts(saved(tmp_path, rounded), corpus)
    assert set(states(found).values()) == {"passed"}
    bands = [r.measurements["W of layer 0"]["band"] for r in found.values() if r.check == "checkpoint.W_0"]
    assert bands[0]["rounding"] > 1e-6


@pytest.mark.parametrize("group", GROUPS)
def test_a_wrong_weight_fails_and_the_others_pass(tmp_path, corpus, trained, group):
    wrong = {name: value.copy() for name, value in trained.items()}
    last = wrong[group] if group == "W_O" else wrong[group][1]
    last *= -1
    name = group if group == "W_O" else f"{group}_1"
    found = verdicts(saved(tmp_path, wrong), corpus)
    assert {n for n, r in found.items() if r.result == "failed"} == {name}
    assert found[name].counterexample["looks_like"] == "negated"
    assert found[name].error_over_bound > 1


@pytest.mark.parametrize("group", ["W_O", "V", "W"])
def test_a_transposed_weight_is_told_as_such(tmp_path, corpus, trained, group):
    wrong = {**trained, group: trained[group].swapaxes(-1, -2)}
    found = verdicts(saved(tmp_path, wrong), corpus)
    slips = {n: r.counterexample["looks_like"] for n, r in found.items() if r.result == "failed"}
    assert set(slips.values()) == {"transposed"}
    assert {name.removesuffix("_0").removesuffix("_1") for name in slips} == {group}


def test_another_rate_or_corpus_fails(tmp_path, corpus, trained):
    path = saved(tmp_path, trained)
    found = verdicts(path, corpus, rate=RATE * 1.01)
    assert set(states(found).values()) == {"failed"}
    assert all("check --rate and --steps" in r.counterexample["diagnosis"] for r in found.values())
    assert set(states(verdicts(path, corpus, steps=STEPS + 1)).values()) == {"failed"}
    other = Corpus(corpus.tokens[:, ::-1].copy(), corpus.vocabulary, "backwards")
    assert set(states(verdicts(path, other)).values()) == {"failed"}


@pytest.mark.parametrize("asked", [{"rate": RATE / 2}, {"steps": STEPS + 2}])
def test_the_rate_and_the_steps_that_explain_every_weight_are_told(tmp_path, corpus, trained, asked):
    found = verdicts(saved(tmp_path, trained), corpus, **asked)
    told = {r.counterexample["diagnosis"] for r in found.values()}
    assert told == {
        f"It is what is predicted for the rate {RATE:g} and {STEPS} steps: check --rate and --steps."
    }


def test_a_factor_that_no_training_makes_is_no_matter_of_the_rate(tmp_path, corpus, trained):
    found = verdicts(saved(tmp_path, {**trained, "W_O": 2 * trained["W_O"]}), corpus)
    assert {n for n, r in found.items() if r.result == "failed"} == {"W_O"}
    assert "no other --rate or --steps explains" in found["W_O"].counterexample["diagnosis"]


def test_statistics_of_a_sample_get_the_error_of_sampling(tmp_path, corpus, trained):
    path = saved(tmp_path, trained)
    half = Corpus(corpus.tokens[::2], corpus.vocabulary, "every other")
    assert "passed" not in states(verdicts(path, half)).values()
    found = verdicts(path, half, trained_on=corpus.sequences)
    assert set(states(found).values()) == {"passed"}
    # The band of sampling is no blank cheque.
    off = states(verdicts(path, half, trained_on=corpus.sequences, rate=2 * RATE))
    assert "passed" not in off.values()


def test_weights_that_cannot_have_moved_yet_are_held_to_zero(tmp_path, corpus):
    weights = train(corpus.tokens, corpus.vocab_size, 1, RATE, 1)
    path = saved(tmp_path, weights)
    assert set(states(verdicts(path, corpus, steps=1)).values()) == {"passed"}
    weights["W"][0, 1, 2] = 1e-30
    found = verdicts(saved(tmp_path, weights), corpus, steps=1)
    assert {n for n, r in found.items() if r.result == "failed"} == {"W_0"}


def test_beyond_the_beginning_of_training_nothing_is_said(tmp_path, corpus):
    weights = train(corpus.tokens, corpus.vocab_size, 1, 20.0, 6)
    found = verdicts(saved(tmp_path, weights), corpus, rate=20.0, steps=6)
    assert set(states(found).values()) == {"not_applicable"}
    assert all("no longer shrink" in result.note for result in found.values())
    # What has no band is no number, and JSON can hold it.
    assert all(next(iter(r.measurements.values()))["band"] is None for r in found.values())


def test_a_band_wider_than_half_the_leading_term_says_nothing(tmp_path, corpus):
    weights = train(corpus.tokens, corpus.vocab_size, LAYERS, LATE, STEPS)
    found = verdicts(saved(tmp_path, weights), corpus, rate=LATE)
    notes = {name: result.note for name, result in found.items() if result.result == "not_applicable"}
    assert "W_0" in notes
    assert all("too wide to say anything" in note for note in notes.values())
    assert found["W_O"].result == "passed"


@pytest.mark.parametrize(
    ("rate", "steps", "growth"), [(RATE, STEPS, GEOMETRIC), (2.5, STEPS, None), (0.05, 3, GEOMETRIC)]
)
def test_the_truncation_is_the_one_derived_layer_by_layer(corpus, rate, steps, growth):
    """Every size is added by itself: |sum| could cancel, and the norm of the sizes is smaller."""
    terms, layers = expansion(corpus.tokens, corpus.vocab_size), 3

    def sizes(group, layer):
        c = amounts(group, rate, steps, layer, layers)
        lengths = [float(np.linalg.norm(a * x)) for a, x in zip(c, terms[group].all, strict=True)]
        last = 1 + len(terms[group].following)
        return sum(lengths[1:last]) / lengths[0], sum(lengths[last:]) / lengths[0]

    logit = rate * steps * np.abs(terms["W_O"].leading).max()
    own = [sizes("W_O", 0), *(sizes("V", layer) for layer in range(layers))]
    ratio = max(GEOMETRIC * max(second for _, second in own), logit)
    expected_growth = growth or 1 / (1 - ratio)
    assert (ratio > 1 / GEOMETRIC) == (growth is None)
    for group, layer in [("W_O", 0), *((group, n) for group in "VWP" for n in range(layers))]:
        if not amounts(group, rate, steps, layer, layers)[0]:
            continue
        following, second = sizes(group, layer)
        expected = expected_growth * (second + following * (following + logit))
        operations = sum(x.size for x in terms[group].all)
        got = truncation(group, terms, rate, steps, layer, layers)
        assert abs(got - expected) <= rounding(expected_growth * expected, operations, "float64")


def test_a_weight_without_what_the_theory_adds_fails(tmp_path, corpus, trained):
    """The leading term alone is not what a run gives: the band is narrower than the next order."""
    terms = expansion(corpus.tokens, corpus.vocab_size)
    alone = {
        group: np.array([known_terms(group, terms[group], RATE, STEPS, n, LAYERS)[0] for n in range(LAYERS)])
        for group in ("V", "W", "P")
    }
    alone["W_O"] = known_terms("W_O", terms["W_O"], RATE, STEPS, 0, LAYERS)[0]
    assert set(states(verdicts(saved(tmp_path, alone), corpus)).values()) == {"failed"}


def test_names_may_differ_and_layers_have_arrays_of_their_own(tmp_path, corpus, trained):
    arrays = {"head": trained["W_O"].T.copy(), "qk": trained["W"], "P": trained["P"]}
    arrays |= {f"block.{n}.value": trained["V"][n] for n in range(LAYERS)}
    path = tmp_path / "weights.safetensors"
    save_file(arrays, path)
    mapping = tmp_path / "names.toml"
    mapping.write_text('W_O = {name = "head", transpose = true}\nV = "block.{layer}.value"\n')
    names = renamed(read_names(mapping), ["qk=W"])
    assert names["W_O"] == Source("head", transpose=True)
    assert names["W"] == Source("qk")
    assert set(states(verdicts(path, corpus, names=names)).values()) == {"passed"}


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("something was unpickled",))


def npz_of(shape, dtype="<f8", data=b""):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": dtype, "fortran_order": False, "shape": shape})
    return header.getvalue() + data


def test_what_is_no_checkpoint_is_told(tmp_path, corpus, trained):
    V = corpus.vocab_size

    def refused(name, told, **changes):
        with pytest.raises(InputError, match=told) as refusal:
            verdicts(tmp_path / name, corpus, **changes)
        assert "\n" not in str(refusal.value)

    (tmp_path / "a.pt").write_bytes(pickle.dumps(Trap()))
    refused("a.pt", "safetensors.torch.save_file")
    refused("a.csv", "give a .npz or a .safetensors")
    refused("missing.npz", "There is no checkpoint")
    for name in ("noise.npz", "noise.safetensors"):
        (tmp_path / name).write_bytes(bytes(range(256)))
        refused(name, "that can be read")
        (tmp_path / name).write_bytes(b"")
        refused(name, "that can be read")
    (tmp_path / "huge.safetensors").write_bytes(b"\xff" * 8 + b"{}")
    refused("huge.safetensors", "that can be read")

    np.savez(tmp_path / "objects.npz", **{**trained, "V": np.array([Trap()], dtype=object)})
    refused("objects.npz", "'V' in .* holds Python objects")
    # An array that says it is enormous is refused by its header, without room being made for it.
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w") as archive:
        archive.writestr("W_O.npy", npz_of((10**6, 10**6)))
    refused("bomb.npz", "not as long as its header says")
    with zipfile.ZipFile(tmp_path / "large.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("W_O.npy", npz_of((V, V), data=bytes(8 * V * V)))
        archive.writestr("V.npy", npz_of((1, 2000, 200), data=bytes(8 * 400_000)))
        archive.writestr("W.npy", npz_of((1, V, V), data=bytes(8 * V * V)))
        archive.writestr("P.npy", npz_of((1, 20), data=bytes(160)))
    refused("large.npz", r"'V' in .* has shape \[1, 2000, 200\]; for this corpus V must be \[L, ")

    def without(name, told, **weights):
        np.savez(tmp_path / name, **{**trained, **weights})
        refused(name, told)

    without("nan.npz", "NaN or infinities", P=trained["P"] * np.nan)
    without("half.npz", "'P' in .* is float16; save it as", P=trained["P"].astype(np.float16))
    without("layers.npz", "differing numbers of layers", P=trained["P"][:1])
    without("empty.npz", "must be", V=trained["V"][:0])
    np.savez(tmp_path / "lacks.npz", W_o=trained["W_O"], V=trained["V"])
    refused("lacks.npz", "has no 'W_O' for W_O; it has V, W_o. Did you mean W_o?")
    path = saved(tmp_path, trained)
    for change, told in (
        ({"rate": 0.0}, "--rate is 0"),
        ({"rate": np.nan}, "--rate is nan"),
        ({"steps": 0}, "--steps"),
    ):
        refused(path.name, told, **change)
    refused(path.name, "is less than the", trained_on=3)
    with pytest.raises(InputError, match="says nothing about its own error"):
        verdicts(path, Corpus(corpus.tokens[:7], corpus.vocabulary, "few"), trained_on=60)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("W_O =", "is not TOML"),
        ('X = "a"', "none of W_O, V, W, P"),
        ("V = 3", "gives V no name"),
        ('V = {name = "a", transposed = true}', "gives V no name"),
        ('W_O = "a{layer}"', "gives W_O a layer"),
    ],
)
def test_a_mapping_file_that_is_none_is_told(tmp_path, text, told):
    (tmp_path / "names.toml").write_text(text)
    with pytest.raises(InputError, match=told):
        read_names(tmp_path / "names.toml")


def test_other_names_that_are_none_are_told(tmp_path):
    with pytest.raises(InputError, match="There is no mapping file"):
        read_names(tmp_path / "missing.toml")
    for text, told in (("a", "FROM=TO"), ("=W", "FROM=TO"), ("a=B", "ends in none of")):
        with pytest.raises(InputError, match=told):
            renamed(OWN, [text])


def test_a_factor_that_the_theory_leaves_out_is_not_blamed_on_the_rate():
    """Layers differ by as much as the orders left out: exchanged ones are off by a factor near to 1."""
    predicted, bound, following = np.array([1.0, 2.0, -1.0]), 1e-6, 1e-3
    assert _explained(predicted * (1 + 1e-4), predicted, bound, following) is None
    assert "1.01 times" in _explained(predicted * 1.01, predicted, bound, following).sentence


@pytest.mark.parametrize(
    ("scale", "off", "explained"), [(4, 3, True), (4, 5, False), (1 / 4, 1 / 2, False), (1 / 4, 1 / 8, True)]
)
def test_a_factor_scales_what_a_weight_may_be_off_by_too(scale, off, explained):
    """What is off by `off` of the bound, at right angles to what is predicted, is so by its own scale."""
    predicted, aside, bound = np.array([1.0, 2.0, -1.0]), np.array([1.0, 0.0, 1.0]), 1e-3
    weight = scale * predicted + off * bound * aside / np.linalg.norm(aside)
    found = _explained(weight, predicted, bound, 1e-6)
    assert (found is not None) == explained


def told(result):
    return str(result.counterexample)


def test_a_factor_below_the_next_order_is_not_told_as_one(tmp_path, corpus, trained):
    right = verdicts(saved(tmp_path, trained), corpus)["W_O"].measurements["W_O"]
    following, band = right["relative error predicted"], sum(right["band"].values())
    for share, expected in ((0.75, False), (2.0, True)):
        assert share * following > 2 * band
        scaled = trained | {"W_O": trained["W_O"] * (1 + share * following)}
        found = verdicts(saved(tmp_path, scaled), corpus)["W_O"]
        assert found.result == "failed"
        assert ("times what is predicted" in told(found)) == expected


def test_a_training_of_which_nothing_can_be_said_explains_nothing(tmp_path, corpus, trained):
    """At 400 times the rate every verdict is "not applicable", and none speaks for that rate."""
    found = verdicts(saved(tmp_path, trained | {"W_O": 400 * trained["W_O"]}), corpus)["W_O"]
    assert found.result == "failed"
    assert "check --rate and --steps" not in told(found)

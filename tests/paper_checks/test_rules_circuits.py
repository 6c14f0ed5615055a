"""What experiments make of circuits whose measurements are planted: each criterion, clause by clause."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from planted_models import HEADS, MODELS, SETTING, numbers_of, plant, returns, steps_of, swinging

pytest.importorskip("torch", reason="experiments are of models in torch")

from paper_checks.experiments import circuits, subspaces
from reference.composition import composition_excess
from reference.multi_head import Heads

KNOWN = np.tile([False, True, True], (6, 1))
TOKENS = np.zeros((6, 4), dtype=int)
MODEL = SimpleNamespace(
    seeds=(0, 1, 2), config=SimpleNamespace(width=16, heads=HEADS), only=lambda number: number
)
HELD = {
    "score": 0.9,
    "key": [0.1, 0.6],
    "query": [0.0, 0.2],
    "value": [0.0, 0.0],
    "by score": [0.2, 0.4],
    "previous": [0.1, 0.6],
}


def composition_of(monkeypatch, models, excess=2.0, chance=0.1, known=KNOWN):
    """Return the outcome for planted findings of three models; the last untrained one has the excess."""

    def of_one(setting, number, weights):
        one = models[number]
        rows = [{"role": role, "writer": (0, w)} for role in ("query", "key", "value") for w in (0, 1)]
        lost = {role: one[role] for role in ("query", "key", "value")}
        return {
            "rows": rows,
            "lost": lost,
            "key score": one["by score"],
            "score": one["score"],
            "previous": one["previous"],
        }

    plant(
        monkeypatch,
        circuits,
        circuit_models=returns(MODEL),
        layer_heads=lambda model, number: (model, number),
        untrained_like=returns("untrained"),
        unseen_blocks=returns((TOKENS, None, known)),
        head_scores=returns({"induction": np.full((MODELS, 2, HEADS), chance)}),
        _of_one=of_one,
        _largest_excess=lambda weights: {("untrained", 2): excess}.get(weights, 0.0),
    )
    return circuits.composition(SETTING)


@pytest.mark.parametrize(
    ("odd", "met", "decided"),
    [
        ({}, True, True),
        ({"key": [0.1, 0.49]}, False, False),  # the cut at the keys takes too little away
        ({"query": [0.0, 0.26]}, False, True),  # the same head is read by the queries
        ({"value": [0.0, 0.26]}, False, True),
        ({"query": [0.9, 0.2]}, True, True),  # it is another head that they read
        ({"score": 0.49}, False, False),  # there is no induction head to cut anything from
        ({"score": 0.11, "key": [0.1, 40.0]}, False, False),  # a share of next to nothing
    ],
)
def test_every_model_has_to_lose_its_head_by_the_cut_at_the_keys_alone(monkeypatch, odd, met, decided):
    found = composition_of(monkeypatch, [HELD, HELD, HELD | odd])
    steps = steps_of(found, circuits.ABOUT)
    assert (found.met, steps["targeted"]) == (met, met)
    assert steps_of(found, circuits.INDUCTION) == {"targeted": met}
    assert (steps["one_input"], steps["many_inputs"]) == (True, decided)
    assert found.verdict.startswith("Yes, by intervention" if met else "Not in every model")
    assert f"only there in {2 + met} of 3 models" in found.verdict
    numbers = numbers_of(found)
    assert numbers["models where the cut decides and only at the keys"] == 2 + met
    assert numbers["models where the score names the same head"] == 3
    assert numbers["chance composition, 1/sqrt(d)"] == 0.25


def test_the_score_may_name_another_head_than_the_cut(monkeypatch):
    found = composition_of(monkeypatch, [HELD, HELD, HELD | {"by score": [0.4, 0.2]}])
    assert found.met
    assert numbers_of(found)["models where the score names the same head"] == 2


@pytest.mark.parametrize("previous", [[0.1, 0.6], [0.6, 0.5]])
def test_the_writer_is_called_a_previous_token_head_only_where_it_is_one_in_every_model(
    monkeypatch, previous
):
    """The head that the cut names is the second; that the other one looks back more does not count."""
    found = composition_of(monkeypatch, [HELD, HELD, HELD | {"previous": previous}])
    assert found.met
    assert found.verdict.endswith(
        ": a previous-token head." if previous[1] > 0.5 else ", too little for a previous-token head."
    )
    assert "previous-token" not in circuits.ABOUT
    numbers, T = numbers_of(found), SETTING.scale.blocks_context
    assert numbers["previous-token weight of the writer, model 2"] == previous[1]
    even = (sum(1 / n for n in range(1, T + 1)) - 1) / T
    assert numbers["previous-token weight of uniform attention"] == pytest.approx(even)


@pytest.mark.parametrize(
    ("excess", "chance", "absent"), [(5.0, 0.24, True), (5.1, 0.1, False), (2.0, 0.25, False)]
)
def test_untrained_models_have_neither_the_composition_nor_the_head(monkeypatch, excess, chance, absent):
    found = composition_of(monkeypatch, [HELD] * 3, excess, chance)
    assert steps_of(found, circuits.ABOUT)["absent_in_random"] == absent
    assert numbers_of(found)["best induction score of untrained heads"] == chance


def test_the_largest_excess_is_of_what_the_first_layer_writes_and_the_keys_of_the_second():
    """Of two heads a layer with other matrices each: key sides read with the transpose of W_Q W_K^T."""
    d, k, rng = 6, 2, np.random.default_rng(1)

    def drawn():
        return Heads(*rng.normal(size=(3, HEADS, d, k)), rng.normal(size=(HEADS, k, d)))

    first, second = drawn(), drawn()
    found = [
        composition_excess(first.W_V[w] @ first.W_O[w], second.W_K[r] @ second.W_Q[r].T)
        for w, r in itertools.product(range(HEADS), repeat=2)
    ]
    assert circuits._largest_excess((first, second)) == pytest.approx(max(found))


@pytest.mark.parametrize("repeats", [True, False])
def test_there_has_to_be_a_repetition_in_every_sequence(monkeypatch, repeats):
    known = KNOWN if repeats else np.vstack([KNOWN[:5], [[False] * 3]])
    found = composition_of(monkeypatch, [HELD] * 3, known=known)
    assert steps_of(found, circuits.ABOUT)["in_the_data"] == repeats


def removal_of(monkeypatch, models, noise=0.0):
    """Return the outcome for models with a loss and what it rises by without writer, reader and both."""

    def losses(number, tokens, removed=()):
        base, *rises = models[number]
        rise = dict(zip((((0, 1),), ((1, 0),), ((0, 1), (1, 0))), rises, strict=True))
        moved = noise * swinging(6)[:, None] if removed else 0
        found = np.full((6, 3), base + rise.get(tuple(removed), 0.0)) + moved
        return np.where(KNOWN, found, 99.0)[None]  # rows before a repetition do not count

    scores = {
        "induction": np.tile([[0.0, 0.0], [0.9, 0.1]], (3, 1, 1)),
        "previous": np.tile([0.1, 0.9], (3, 2, 1)),
    }
    plant(
        monkeypatch,
        circuits,
        circuit_models=returns(MODEL),
        unseen_blocks=returns((TOKENS, None, KNOWN)),
        head_scores=returns(scores),
        losses=losses,
        removing=lambda heads: heads,
    )
    return circuits.removal(SETTING)


CHAIN = (0.1, 1.0, 1.5, 1.7)


@pytest.mark.parametrize(
    ("odd", "noise", "met", "holds"),
    [
        (CHAIN, 0.0, True, True),
        ((0.1, 1.0, 1.5, 2.6), 0.0, False, True),  # each covers for the other
        ((0.1, 1.0, 1.5, 2.5), 0.0, False, True),  # they have nothing to do with each other
        ((0.1, 0.1, 1.5, 1.5), 0.0, False, False),  # the writer hardly matters
        ((0.1, 1.0, 0.1, 1.0), 0.0, False, False),  # nor does the reader
        # Sequences up and down by 2 have a deviation of the mean of .8: 1 is no more than they differ.
        (CHAIN, 2.0, False, False),
    ],
)
def test_a_chain_costs_less_together_than_the_sum_in_every_model(monkeypatch, odd, noise, met, holds):
    found = removal_of(monkeypatch, [CHAIN, CHAIN, odd], noise)
    assert found.met == met
    assert steps_of(found, circuits.ABOUT) == {"ablation": holds}
    assert steps_of(found, circuits.INDUCTION) == {"ablation": holds}
    assert found.verdict.startswith("Yes" if met else "Not in every model")
    base, first, second, both = odd
    row = found.tables["models"][2]
    assert (row["writer"], row["reader"]) == ((0, 1), (1, 0))
    assert row["loss"] == pytest.approx(base)
    assert row["without writer"] == pytest.approx(first)
    assert numbers_of(found)["interaction of model 2, nats"] == pytest.approx(both - first - second)
    assert f"worth 20%, 20%, {(both - second) / first:.0%} of what" in found.verdict


def subspaces_of(monkeypatch, query, key, value):
    """Return the outcome for heads that read so much of positions, the rest of tokens, with each side.

    Positions vary in the first two of four features, tokens in the others; what varies alike in all its
    features is read with |p| / sqrt(2 (p^2 + t^2)) where a circuit takes p of positions and t of tokens.
    """

    def reads(share):
        return np.diag([share, share, 1 - share, 1 - share])

    sides = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    parts = {"positions": np.hstack([sides, 0 * sides]), "tokens": np.hstack([0 * sides, sides])}
    # What every token has in common, or every position, tells none from another.
    parts = {"positions": parts["positions"] + [0, 0, 9, 0], "tokens": parts["tokens"] + [9, 0, 0, 0]}
    # W_QK of one head: rows are read by the query, columns by the key, so each needs its own head.
    same = query == key
    qk = (
        reads(query) if same else np.outer([query, query, 1 - query, 1 - query], [key, key, 1 - key, 1 - key])
    )
    heads = SimpleNamespace(qk=np.stack([reads(0.5), qk]), ov=np.stack([reads(0.5), reads(value)]))
    plant(
        monkeypatch,
        subspaces,
        circuit_models=returns(MODEL),
        unseen_blocks=returns((TOKENS, None, KNOWN)),
        head_scores=returns({"previous": np.tile([0.1, 0.9], (MODELS, 2, 1))}),
        layer_heads=returns((heads,)),
        embeddings=returns(parts),
    )
    return subspaces.subspaces(SETTING)


@pytest.mark.parametrize(
    ("query", "key", "value", "met"),
    [
        (0.9, 0.9, 0.1, True),
        (0.1, 0.9, 0.1, False),  # its queries read tokens
        (0.9, 0.1, 0.1, False),  # its keys do
        (0.9, 0.9, 0.9, False),  # it moves positions
        (0.5, 0.5, 0.1, False),  # it reads both alike
    ],
)
def test_the_previous_token_head_has_to_look_by_position_and_move_tokens(monkeypatch, query, key, value, met):
    found = subspaces_of(monkeypatch, query, key, value)
    assert found.met == met
    assert found.verdict.startswith("Yes" if met else "Not in every model")
    sides = 3 * ((query > 0.5) + (key > 0.5))
    assert f"first on {sides} of 6 query and key sides, tokens on {3 * (value < 0.5)} of 3" in found.verdict
    (row,) = [
        one for one in found.tables["sides"] if (one["model"], one["head"], one["side"]) == (0, 1, "value")
    ]
    both = math.sqrt(2 * (value**2 + (1 - value) ** 2))
    assert row["positions"] == pytest.approx(value / both)
    assert row["tokens"] == pytest.approx((1 - value) / both)


@pytest.mark.parametrize(
    ("trained", "untrained", "met"),
    [([4, 4, 4], [8, 8, 8], True), ([4, 4, 8], [8, 8, 8], False), ([4, 4, 4], [8, 8, 4], False)],
)
def test_positions_have_to_lie_in_fewer_directions_in_every_model(monkeypatch, trained, untrained, met):
    """Of k directions with equal parts of the variance 80% takes 0.8 k, rounded up."""

    def embeddings(model, number):
        k = (trained if model is MODEL else untrained)[number]
        rows = np.vstack([np.eye(16)[:k], -np.eye(16)[:k]])
        return {"positions": rows, "tokens": np.vstack([np.eye(16), -np.eye(16)])}

    plant(
        monkeypatch,
        subspaces,
        circuit_models=returns(MODEL),
        untrained_like=returns(SimpleNamespace(seeds=(0, 1, 2))),
        embeddings=embeddings,
    )
    found = subspaces.spectra(SETTING)
    assert found.met == met
    assert found.verdict.startswith("Yes" if met else "No")
    numbers = numbers_of(found)
    assert numbers["directions of positions, trained"] == pytest.approx(
        np.mean(np.ceil(0.8 * np.array(trained)))
    )
    assert numbers["directions of positions, untrained"] == pytest.approx(
        np.mean(np.ceil(0.8 * np.array(untrained)))
    )
    assert numbers["directions of tokens, trained"] == 13
    curves = {(one["models"], one["of"]): one["explained"] for one in found.tables["spectra"]}
    assert curves["trained", "positions"][:4] == pytest.approx([0.25] * 4)

"""Decisions on ablations change their verdict when the case that they compute on does."""

import numpy as np
import pytest
from planted import finding, of_poems, plant_in_table, verdict

from paper_checks.ledger.constructions import heads
from paper_checks.ledger.decisions import ablation_code, ablation_pairs
from paper_checks.ledger.finding import NotGiven
from paper_checks.ledger.runs import one_more
from reference.errors import InputError


def run(ratio=6.1, sign=-1, scale=1.0):
    """Return a run of heads whose layers' effects have a ratio and whose interactions have a sign."""
    single = [0.16 * scale] * 4 + [0.16 * scale / ratio] * 4
    pairs = [single[i] + single[j] + sign * 0.01 for i in range(8) for j in range(i + 1, 8)]
    by_position = [scale * (0.0236 + d) for d in (-0.0434, 0.0407, *[0.00027] * 10)]
    # The most diffuse head of the second layer is its third here; the others have no effect at any position.
    profiles = [[{"entropy": 0.1 * (head == 2)} for head in range(4)] for _ in range(2)]
    return {
        "loss": 4.1489 + (scale % 1) / 10,
        "effects": [single[:4], single[4:]],
        "pair_effects": pairs,
        "profiles": profiles,
        "effects_by_position": [[by_position if head == 2 else [0.0] * 12 for head in range(4)]] * 2,
    }


def test_zero_weights_that_left_something_would_be_wrong(monkeypatch):
    monkeypatch.setattr(heads.Layer, "without_map", lambda layer, head: layer)
    assert verdict("zeroing-A") == "holds"


def test_a_hook_behind_a_block_diagonal_projection_removes_the_head(monkeypatch):
    def blocks(seed):
        layer = heads.random_layer(seed)
        return heads.replace(layer, projection=np.kron(np.eye(2, dtype=int), layer.projection[:3, :3]))

    monkeypatch.setattr(ablation_code, "random_layer", blocks)
    assert verdict("forward-hook-ablates-output") == "holds"


def test_the_index_that_is_right_for_other_axes():
    assert "here number 2." in finding("four-index-on-3d").derivation
    other = finding("four-index-on-3d", axes=["B", "T", "heads", "d_head"])
    assert (other.verdict, other.computed) == (
        "holds",
        "IndexError with 3 axes; with (B, T, heads, d_head) it zeroes head 1",
    )
    assert "here number 3." in other.derivation


def test_a_head_that_wrote_nothing_shows_no_way_of_removing_it(monkeypatch):
    def silent(seed):
        layer = heads.random_layer(seed)
        return heads.replace(layer, values=layer.values * np.array([1, 0])[:, None, None])

    assert verdict("zeroing-A") == "refuted"
    monkeypatch.setattr(ablation_code, "random_layer", silent)
    assert verdict("zeroing-A") == "holds"  # its removal is no change, so that nothing refutes the claim


def test_every_head_has_its_own_slice(monkeypatch):
    right = finding("head-slice-layout")
    assert right.computed == "head 0: features [0, 1, 2]; head 1: features [3, 4, 5]"
    assert right.derivation.endswith("merged without that, heads mix.")
    # The first head where it should be, and nothing of the second.
    lost = np.array([0, 0, 0, 7, 7, 7])
    monkeypatch.setattr(ablation_code, "side_by_side", lambda x: np.tile(lost, (x.shape[1], 1)))
    assert verdict("head-slice-layout") == "refuted"


def test_heads_merged_without_moving_their_axis_are_found(monkeypatch):
    monkeypatch.setattr(ablation_code, "side_by_side", lambda x: x.reshape(x.shape[1], -1))
    assert verdict("head-slice-layout") == "refuted"


def test_a_weight_stored_the_other_way_needs_another_slice():
    assert verdict("weight-slice-equals-input-slice", axes=["in", "out"]) == "holds"


def test_calls_that_fit_are_let_through():
    calls = ["head_profile(model, stoi, texts, 2, 4)", "eval_loss(model, val, cfg)"]
    found = finding("dissect-code-signatures", calls=calls)
    assert (found.verdict, found.computed) == ("holds", "all 2 calls fit")


@pytest.mark.parametrize(
    ("call", "fits"), [("f()", False), ("f(x)", True), ("f(x, y)", True), ("f(x, y, z)", False)]
)
def test_parameters_with_a_default_may_be_left_out_and_no_others(call, fits):
    definitions = ["def f(a, b=1): pass"]
    found = finding("dissect-code-signatures", definitions=definitions, calls=[call], called_elsewhere=[])
    assert found.verdict == ("holds" if fits else "refuted")
    assert (found.computed == "all 1 calls fit") == fits


def test_the_sign_the_other_way_round_holds():
    assert verdict("negative-means-redundancy", negative="complementary", positive="redundant") == "holds"


def test_a_definition_that_sees_interactions_where_there_are_none_is_refuted(monkeypatch):
    monkeypatch.setitem(ablation_pairs.RELATIONS, "independent", ablation_pairs.RELATIONS["redundant"])
    assert verdict("pairwise-definition") == "refuted"


def test_joint_effects_that_are_sums_would_show_no_ablation(monkeypatch):
    sums = ["0.2042", "0.1693", "0.2008", "0.1968", "0.1999"]
    plant_in_table(monkeypatch, "poem-model", "pairs", joint=sums)
    assert verdict("pairs-done-or-not") == "holds"


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        ("per-position-few-drive-mean", {"deviation": "0.2"}),
        ("per-position-unreliable-mean", {"mean": "0.002"}),
    ],
)
def test_other_effects_by_position_would_bear_the_reading_out(monkeypatch, claim, change):
    assert verdict(claim) == "refuted"
    plant_in_table(monkeypatch, "poem-model", "effect_by_position", **change)
    assert verdict(claim) == "holds"


def test_noise_estimated_where_it_is_said_to_be_needs_the_model():
    with pytest.raises(NotGiven):
        verdict("sigma-0003", estimated_in="4.4.4")


@pytest.mark.parametrize(
    ("claim", "good", "bad"),
    [
        ("layer0-six-times-real-heads", [run(6.08), run(6.12)], [run(2.0), run(2.1)]),
        ("pairwise-all-negative", [run(), run()], [run(sign=1), run(sign=1)]),
        ("per-position-list", [run(), run(scale=1.001)], [run(scale=9), run(scale=9.001)]),
    ],
)
def test_training_runs_decide(claim, good, bad):
    assert verdict(claim, of_poems("poems.heads", good)) == "holds_to_rounding"
    assert verdict(claim, of_poems("poems.heads", bad)) == "refuted"


def test_runs_that_differ_too_much_do_not_decide():
    """Six times is one more of these, and so is none: nothing is told."""
    runs = of_poems("poems.heads", [run(2.0), run(9.0)])
    assert verdict("layer0-six-times-real-heads", runs) == "inconclusive"


def test_one_run_says_nothing_of_another():
    with pytest.raises(InputError, match="two or more"):
        one_more([1.0])

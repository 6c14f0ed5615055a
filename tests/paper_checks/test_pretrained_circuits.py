"""What is found of heads set by hand, and the verdicts on claims that follow from it."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (the extra gpu)")

from hand_set_circuits import HEADS, PERIOD, TOKENS, WIDTH, hand_set  # noqa: E402

from gpu.pretrained.attention_only import AttentionOnlyModel  # noqa: E402
from gpu.pretrained.circuits import circuits, directions_for, variance_shares  # noqa: E402
from paper_checks.ledger.decide import found  # noqa: E402
from paper_checks.ledger.setting import Setting  # noqa: E402
from paper_checks.pretrained.experiment import NotDecided  # noqa: E402
from paper_checks.pretrained.told import DECISIONS, claims_by_id, experiments  # noqa: E402
from properties.tolerances import gamma, unit_roundoff  # noqa: E402
from reference.composition import composition_score  # noqa: E402

CLAIMS = claims_by_id()


def examined(positions="shortformer", begin=0, **options):
    model = AttentionOnlyModel(hand_set(**options), positions, begin, "set by hand")
    return SimpleNamespace(sizes=model.sizes, circuits=circuits(model, seed=0), comparison=None), model


def verdict(claim_id, study, numbers=None, **given):
    """Return the ledger's verdict on a claim about the study's model."""
    claim = CLAIMS[claim_id]
    sizes = {"d_model": str(WIDTH), "heads": str(HEADS), "layers": "2"}
    claim = replace(claim, given={**claim.given, **sizes, **given}, numbers=numbers or claim.numbers)
    lines, left_out = experiments(study, {**CLAIMS, claim_id: claim})
    (line,) = [one for one in lines if one["name"] in (claim_id, "embedding_spectrum")]
    assert left_out, "the other claims are about a model of other sizes"
    return found(claim, Setting(experiments={line["name"]: line})).verdict


def test_the_heads_do_what_they_were_set_to_do():
    study, _ = examined()
    behaviour = study.circuits.behaviour
    assert study.circuits.period == PERIOD
    # The first row has no token before it, and counts as 0.
    assert round(behaviour[0][7].previous, 6) == round(PERIOD / (PERIOD + 1), 6)
    for head in (4, 10):
        assert round(behaviour[1][head].induction, 4) == 1
        assert round(behaviour[1][head].first, 4) == 1
    uniform = behaviour[1][0]
    assert round(uniform.induction, 3) == round(study.circuits.uniform_induction, 3)


def test_composition_scores_are_those_of_the_whole_matrices():
    study, model = examined()
    W_E, W_pos = (one.numpy() for one in model.embeddings())
    first, second = (model.heads(layer) for layer in (0, 1))
    bound = gamma(4 * WIDTH**2, unit_roundoff("float64"))
    for head in (4, 7, 0):
        reading = study.circuits.reading[1][head]
        QK = (second.W_Q[head] @ second.W_K[head].T).numpy()
        OV = (second.W_V[head] @ second.W_O[head]).numpy()
        written = {"tokens": W_E, "positions": W_pos}
        written |= {f"0.{h}": (first.W_V[h] @ first.W_O[h]).numpy() for h in range(HEADS)}
        for name, A in written.items():
            for got, B in ((reading.query, QK), (reading.key, QK.T), (reading.value, OV)):
                assert abs(got[name] - composition_score(A, B)) <= bound, name
    assert composition_score(written["0.7"], QK) != composition_score(written["0.7"], QK.T)


def test_variance_is_counted_by_principal_components():
    rows = torch.diag(torch.tensor([4.0, 2.0, 1.0], dtype=torch.float64))
    shares = variance_shares(torch.cat([rows, -rows]))
    assert [round(21 * one, 12) for one in shares] == [16, 4, 1]
    assert [directions_for([0.5, 0.25, 0.25], part) for part in (0.5, 0.51, 0.75, 0.76)] == [1, 2, 2, 3]


VERDICTS = {
    "previous token head": ("head-0-7-previous", {}, "holds"),
    "another head": ("head-0-7-previous", {"head": "0.6"}, "refuted"),
    "induction heads": ("induction-heads-1-4-1-10", {}, "holds"),
    "another induction head": ("induction-heads-1-4-1-10", {"induction": ["1.4", "1.9"]}, "refuted"),
    "another writer": ("induction-heads-1-4-1-10", {"previous": "0.4", "also_high": "0.7"}, "refuted"),
    "first token": ("induction-default-first-token", {}, "holds"),
    "first token of others": ("induction-default-first-token", {"induction": ["1.5"]}, "refuted"),
    "values of layer 0": ("layer0-ov-two-options", {}, "refuted"),
}


@pytest.fixture(scope="module")
def study():
    return examined()[0]


@pytest.mark.parametrize("name", VERDICTS)
def test_claims_follow_what_the_heads_do(study, name):
    claim_id, given, expected = VERDICTS[name]
    assert verdict(claim_id, study, **given) == expected


def test_a_head_that_scores_low_is_not_among_the_high_ones(study):
    keys = study.circuits.reading[1][4].key
    lowest = min((name for name in keys if name.startswith("0.")), key=keys.get)
    assert verdict("induction-heads-1-4-1-10", study, also_high=lowest) == "refuted"


def test_positions_in_the_stream_give_values_two_options():
    study, _ = examined(positions="standard")
    assert verdict("layer0-ov-two-options", study) == "holds"


def test_without_a_default_the_first_token_is_one_of_many():
    study, _ = examined(default=0.0)
    assert verdict("induction-default-first-token", study) == "refuted"


def test_the_spectrum_is_compared_with_the_printed_numbers(study):
    """Eleven equal directions for twelve tokens, ten for eleven places: 80% is nine and eight of them."""
    assert verdict("embedding-pca", study, {"tokens": "9", "positions": "8"}) == "holds"
    assert verdict("embedding-pca", study, {"tokens": "8", "positions": "8"}) == "refuted"


def test_another_model_decides_nothing(study):
    lines, left_out = experiments(study, CLAIMS)
    assert lines == []
    assert sum(claim_id in sentence for claim_id in DECISIONS for sentence in left_out) == len(DECISIONS)
    with pytest.raises(NotDecided, match=f"d_model 768, and this one has {WIDTH}"):
        DECISIONS["embedding-pca"](CLAIMS["embedding-pca"], study)


def test_a_model_without_a_beginning_repeats_all_the_same():
    study, _ = examined(begin=None)
    assert study.circuits.period == min(PERIOD, TOKENS)
    assert study.circuits.behaviour[1][4].induction > study.circuits.uniform_induction

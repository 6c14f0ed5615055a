"""Verdicts on alignment and drift, from cosines that are planted layer by layer."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

pytest.importorskip("torch", reason="torch is not installed (the extra gpu)")

from gpu.pretrained.alignment import KINDS, LayerAlignment
from gpu.pretrained.token_model import Sizes
from paper_checks.ledger.decide import found
from paper_checks.ledger.setting import Setting
from paper_checks.pretrained.pythia_claims import medians
from paper_checks.pretrained.study import Checkpoint, Comparison
from paper_checks.pretrained.told import claims_by_id, experiments

CLAIMS = claims_by_id()
GIVEN = CLAIMS["pythia-drift"].given
LAYERS, HEADS = 6, 4
FEW = {"layers": str(LAYERS), "heads": str(HEADS)}
SIZES = Sizes(GIVEN["kind"], LAYERS, HEADS, int(GIVEN["d_model"]), 50_000, 2048, 0)


def layer(full=0.9, less_1=0.5, shuffled=0.6, shuffled_less_1=0.2, spread=0.0):
    own = {"full": full, "less_1": less_1, "less_10": less_1}
    own |= {"shuffled": shuffled, "shuffled_less_1": shuffled_less_1}
    heads = [full + spread * (1 if head % 2 else -1) for head in range(HEADS)]
    return LayerAlignment({**own, "transposed": 0.3, "as_read": full}, heads, dict(own), dict(own))


RANDOM = layer(full=0.3, less_1=0.1, spread=0.01)
FIRST_OUT = layer(full=0.1, less_1=0.0)
EARLY = [FIRST_OUT] + [layer()] * (LAYERS - 1)
MIDDLE = [layer(full=0.8, spread=0.05 if 2 <= i < 4 else 0.02) for i in range(LAYERS)]
LATE = [layer(full=0.5, spread=0.2)] * LAYERS


def studied(**checkpoints):
    comparison = Comparison(
        [Checkpoint(name, layers) for name, layers in checkpoints.items()],
        [RANDOM] * LAYERS,
        dict.fromkeys(KINDS, 0.99),
        {"full": 0.5},
        {},
        3,
        1.0,
    )
    return SimpleNamespace(sizes=SIZES, comparison=comparison)


def verdict(claim_id, study):
    claim = replace(CLAIMS[claim_id], given={**CLAIMS[claim_id].given, **FEW})
    lines, _ = experiments(study, {**CLAIMS, claim_id: claim})
    by_name = {line["name"]: line for line in lines}
    return found(claim, Setting(experiments=by_name)).verdict if claim_id in by_name else "left out"


def spoilt(kind=None, **values):
    """Return early layers with the values of one kind, or all, changed."""
    changed = []
    for one in EARLY:
        kinds = KINDS if kind is None else (kind,)
        changed.append(replace(one, **{name: {**getattr(one, name), **values} for name in kinds}))
    return changed


ALIGNMENT = {
    "aligned": ({"step1": [RANDOM] * LAYERS, "step256": EARLY}, "holds"),
    "the first layer's attention does not count": ({"step64": EARLY}, "holds"),
    "not above the shuffled corpus": ({"step64": spoilt("output", shuffled=0.95)}, "refuted"),
    "not above random weights": ({"step64": spoilt("attention", full=0.3)}, "refuted"),
    "one direction and no more": ({"step64": spoilt("no_mlp", less_1=0.1)}, "refuted"),
    "as the shuffled corpus beyond one direction": ({"step64": spoilt(shuffled_less_1=0.6)}, "refuted"),
    "no cosine at all": ({"step64": spoilt(full=None)}, "refuted"),
    "half of the layers": ({"step64": EARLY[:3] + [RANDOM] * 3}, "refuted"),
    "late checkpoints alone": ({"step1000": EARLY}, "left out"),
    "untrained": ({"step0": EARLY, "main": EARLY}, "left out"),
}


@pytest.mark.parametrize("name", ALIGNMENT)
def test_early_alignment_needs_every_kind_and_every_control(name):
    checkpoints, expected = ALIGNMENT[name]
    assert verdict("paper-pythia-alignment", studied(**checkpoints)) == expected


THIRDS = [layer(full=0.8, spread=0.05 if i < 2 else 0.02) for i in range(LAYERS)]
DRIFT = {
    "drift, heads in the middle": ({"step256": EARLY, "step1000": MIDDLE, "step9000": LATE}, "holds"),
    "in any order": ({"step9000": LATE, "step256": EARLY, "step1000": MIDDLE}, "holds"),
    "never aligned": ({"step256": [RANDOM] * LAYERS, "step1000": MIDDLE, "step9000": LATE}, "refuted"),
    "no drift": ({"step256": EARLY, "step1000": MIDDLE, "step9000": EARLY[:1] + EARLY[1:]}, "refuted"),
    "heads first in the first layers": (
        {"step256": EARLY, "step1000": THIRDS, "step9000": LATE},
        "refuted",
    ),
    "heads alike for ever": ({"step256": EARLY, "step9000": [layer(full=0.5)] * LAYERS}, "refuted"),
    "nothing later": ({"step256": EARLY, "step512": EARLY}, "left out"),
}


@pytest.mark.parametrize("name", DRIFT)
def test_drift_needs_alignment_before_and_heads_in_the_middle(name):
    checkpoints, expected = DRIFT[name]
    assert verdict("pythia-drift", studied(**checkpoints)) == expected


def test_the_first_layers_attention_is_left_out_of_medians_and_nothing_else():
    """Of six layers with one outlier a median does not move; of two it does."""
    two = [FIRST_OUT, layer()]
    assert medians(two)["attention"] == 0.9
    assert medians(two)["output"] == (0.9 + 0.1) / 2
    assert medians(two[:1])["attention"] == 0.1


def test_a_model_that_is_not_the_claims_decides_nothing():
    lines, left_out = experiments(studied(step64=EARLY), CLAIMS)
    assert lines == []
    assert any("about a model with layers 24, and this one has 6" in sentence for sentence in left_out)

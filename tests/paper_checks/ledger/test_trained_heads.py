"""Claims on trained heads are held to runs: heads by role and rank, values as one more run could have."""

import pytest
from planted import claim_of, of_poems, verdict

from paper_checks.ledger.decisions.trained_heads import EXPERIMENT
from paper_checks.ledger.finding import NotGiven

CLAIMS = ("profile-table", "punctuation-ablation-table", "similarity-table", "l0h0-copy-hypothesis")
# How runs differ, and a shift of one statistic that no such run has.
SPREAD, SHIFT = 0.00002, 0.2


def run_like_the_chapter(moved, **shifted):
    """Return a run with the printed values moved a little, the heads of each layer in the opposite order."""
    profile = claim_of("profile-table").numbers
    heads = [{name: float(column[k]) + moved for name, column in profile.items()} for k in range(8)]
    layers = [heads[3::-1], heads[:3:-1]]
    effects = [[[0.0] * 3 for _ in layer] for layer in layers]
    parts = claim_of("punctuation-ablation-table").numbers
    # L0H0, L0H1 and L1H3, in the opposite order.
    for place, (layer, head) in enumerate(((0, 3), (0, 2), (1, 0))):
        effects[layer][head] = [float(column[place]) + moved for column in parts.values()]
    cosines = [float(one) + moved for one in claim_of("similarity-table").numbers["cosines"]]
    run = {
        "loss": 4.1489 + 10 * moved,
        "profiles": layers,
        "effects_by_punctuation": effects,
        "map_cosines": cosines[::-1] + [0.4] * 17,
        "output_cosines": [[0.1, 0.1, 0.1, 0.9], [0.1] * 4],
        "untrained_cosines": [0.2] * 8,
    }
    return {**run, **shifted}


def given(*runs):
    return of_poems(EXPERIMENT, list(runs))


ALIKE = given(*(run_like_the_chapter(moved) for moved in (-SPREAD, 0.0, SPREAD)))
UNLIKE = given(
    *(
        run_like_the_chapter(
            moved + SHIFT,
            loss=4.1489 + moved,
            output_cosines=[[0.9, 0.1, 0.1, 0.1], [0.1] * 4],
            untrained_cosines=[0.2] * 8,
        )
        for moved in (-SPREAD, 0.0, SPREAD)
    )
)


@pytest.mark.parametrize("claim_id", CLAIMS)
def test_runs_decide(claim_id):
    with pytest.raises(NotGiven):
        verdict(claim_id)
    assert verdict(claim_id, ALIKE) in ("holds", "holds_to_rounding")
    assert verdict(claim_id, UNLIKE) == "refuted"
    wide = given(*(run_like_the_chapter(moved) for moved in (-0.1, 0.0, 0.1)))
    assert verdict(claim_id, wide) in ("holds", "inconclusive")


@pytest.mark.parametrize("claim_id", CLAIMS[:3])
def test_tables_of_a_model_are_not_decided_by_others(claim_id):
    unlike = given(*(run_like_the_chapter(moved + SHIFT, loss=5.0 + moved) for moved in (-SPREAD, SPREAD)))
    assert verdict(claim_id, unlike) == "inconclusive"


def test_models_of_other_sizes_decide_nothing():
    runs = ALIKE[EXPERIMENT]["runs"]
    with pytest.raises(NotGiven, match="width 64 where the claim has 128"):
        verdict("profile-table", of_poems(EXPERIMENT, runs, width=64))
    with pytest.raises(NotGiven, match="runs of the experiment"):
        verdict("profile-table", of_poems(EXPERIMENT, []))

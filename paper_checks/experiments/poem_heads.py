"""The heads of models of poems: every number that was printed of one such model, of several."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from gpu.small_gpt.ablation import all_heads, effects, losses
from gpu.small_gpt.heads import attention_maps, profiles
from gpu.small_gpt.model import SmallGPT
from paper_checks.experiments.models import untrained_like
from paper_checks.experiments.poems import beginnings, poem_models, poem_windows, poems, punctuation
from paper_checks.experiments.result import Observation, Outcome, Quantity
from paper_checks.experiments.setting import Setting
from properties.evidence_ladder import Step
from reference.head_similarity import head_similarity

PROFILE = ("entropy", "diagonal", "previous", "distance")
ABOUT = "in models of poems the heads of layer 0 matter more than later ones"
LAYERS_CLAIM = "layer0-six-times-real-heads"


def heads(setting: Setting) -> Outcome:
    """Remove heads, alone, in pairs and by position, and profile them, in every model.

    A run has what the ledger's decisions on these claims take:

    - loss: of the whole model, nats a character;
    - profiles [L][H]: a mapping of PROFILE, means over the first characters of a few poems of its own;
    - map_cosines: of the attention maps to these of two heads, in the order of itertools.combinations of the
      heads counted through the layers;
    - effects [L][H]: loss increases in nats without the head's features before the output projection;
    - pair_effects: without those of two heads, in the order of map_cosines;
    - effects_by_position [L][H][T]: effects at each position of a window;
    - effects_by_punctuation [L][H][3]: removed where the character is punctuation, elsewhere, everywhere;
    - output_cosines [L][H]: of what a head writes with the stream that it reads; untrained_cosines, the same
      as one list, of the model before training.
    """
    model, windows = poem_models(setting), poem_windows(setting)
    singles = [[head] for head in all_heads(model)]
    couples = [list(pair) for pair in itertools.combinations(all_heads(model), 2)]
    marked = punctuation(poems(setting))[windows[:, :-1]]
    whole = effects(model, windows, singles)  # [K, M, N, T]
    found = {
        "single": whole.mean(axis=(2, 3)),
        "pairs": effects(model, windows, couples).mean(axis=(2, 3)),
        "by_position": whole.mean(axis=2),
        "marks": effects(model, windows, singles, marked).mean(axis=(2, 3)),
        "elsewhere": effects(model, windows, singles, ~marked).mean(axis=(2, 3)),
        "loss": losses(model, windows).mean(axis=(1, 2)),
        "copying": profiles(model, windows[:, :-1])["copying"].mean(axis=3),
    }
    start = SmallGPT(model.config, model.seeds)
    untrained = profiles(start, windows[:, :-1])["copying"].mean(axis=3)
    runs = [
        {**_run(found, m, model.config.layers), **_maps(setting, model.only(m), m)}
        | {"untrained_cosines": untrained[m].ravel().tolist()}
        for m in range(len(model.seeds))
    ]
    by_layer = found["single"].T.reshape(len(runs), model.config.layers, -1).mean(axis=2)  # [M, L]
    pairs = np.array([_interactions(run) for run in runs])  # [M, P]
    more, negative = by_layer[:, 0] > by_layer[:, 1:].max(axis=1), pairs < 0
    ratio = by_layer[:, 0] / by_layer[:, 1:].mean(axis=1)
    met = bool(more.all() and negative.all())
    chance = _gap(effects(untrained_like(model), windows, singles).mean(axis=(1, 2, 3)), setting)
    known = (LAYERS_CLAIM,)
    return Outcome(
        experiment="poems.heads",
        question="Do the heads of layer 0 cost most, and do all pairs interact negatively, in every model?",
        criterion=(
            "In every model the mean effect of layer 0's heads is above that of every later layer's, and "
            "Delta_ij - Delta_i - Delta_j is negative for every pair."
        ),
        met=met,
        verdict=(
            f"{'Yes' if met else 'Not both'}: layer 0 costs more in {int(more.sum())} of {len(more)} models, "
            f"{', '.join(f'{one:.1f}' for one in ratio)} times as much; "
            f"{', '.join(str(int(row.sum())) for row in negative)} of {pairs.shape[1]} pairs are negative."
        ),
        quantities=(
            *(Quantity(f"loss of model {m}, nats", float(one)) for m, one in enumerate(found["loss"])),
            *(Quantity(f"layer 0 over later layers, model {m}", float(one)) for m, one in enumerate(ratio)),
            Quantity("share of negative pairs", float(negative.mean())),
            Quantity("layer 0 less later layers, untrained, nats", chance),
            Quantity("share of positions with punctuation", float(marked.mean())),
        ),
        observations=(
            Observation(ABOUT, Step.one_input, bool(more.any()), known),
            Observation(ABOUT, Step.many_inputs, bool(more.all()), known),
            Observation(
                ABOUT, Step.absent_in_random, abs(chance) < float(np.ptp(by_layer, axis=1).min()), known
            ),
            Observation(ABOUT, Step.ablation, bool(more.all()), known),
        ),
        claims=(
            "profile-table",
            "punctuation-ablation-table",
            "similarity-table",
            "l0h0-copy-hypothesis",
            LAYERS_CLAIM,
            "pairwise-all-negative",
            "per-position-list",
        ),
        runs=tuple(runs),
    )


def _run(found: dict[str, np.ndarray], m: int, layers: int) -> dict[str, Any]:
    def by_layer(values: np.ndarray) -> Any:
        return values.reshape(layers, -1, *values.shape[1:]).tolist()

    single = found["single"][:, m]
    parts = np.stack([found["marks"][:, m], found["elsewhere"][:, m], single], axis=-1)
    return {
        "loss": float(found["loss"][m]),
        "effects": by_layer(single),
        "pair_effects": found["pairs"][:, m].tolist(),
        "effects_by_position": by_layer(found["by_position"][:, m]),
        "effects_by_punctuation": by_layer(parts),
        "output_cosines": found["copying"][m].tolist(),
    }


def _maps(setting: Setting, model: SmallGPT, number: int) -> dict[str, Any]:
    """Return what a model's attention to the beginnings of a few poems says."""
    begun = beginnings(setting, number)
    values = {
        name: value[0].mean(axis=2) for name, value in profiles(model, begun).items() if name in PROFILE
    }
    L, H = values["entropy"].shape
    maps = attention_maps(model, begun)[0]  # [L, H, N, T, T]
    cosines = head_similarity(maps.reshape(L * H, *maps.shape[2:]))
    return {
        "profiles": [
            [{name: float(value[layer, head]) for name, value in values.items()} for head in range(H)]
            for layer in range(L)
        ],
        "map_cosines": cosines[np.triu_indices(L * H, 1)].tolist(),
    }


def _interactions(run: dict[str, Any]) -> list[float]:
    single = [one for layer in run["effects"] for one in layer]
    pairs = zip(itertools.combinations(range(len(single)), 2), run["pair_effects"], strict=True)
    return [both - single[i] - single[j] for (i, j), both in pairs]


def _gap(of_heads: np.ndarray, setting: Setting) -> float:
    by_layer = of_heads.reshape(setting.scale.layers, -1).mean(axis=1)
    return float(by_layer[0] - by_layer[1:].mean())

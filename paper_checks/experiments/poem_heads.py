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
from paper_checks.experiments.result import Observation, Outcome, Quantity, quantity
from paper_checks.experiments.setting import Setting
from properties.evidence_ladder import Step
from reference.head_similarity import head_similarity
from reference.resampling import holm, over_sequences, two_sided_p

FALSE_FINDINGS = 0.05
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
    together = effects(model, windows, couples).mean(axis=3)  # [P, M, N]
    found = {
        "single": whole.mean(axis=(2, 3)),
        "pairs": together.mean(axis=2),
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
    gaps = [over_sequences(one, setting.seed) for one in _gaps(whole.mean(axis=3), setting)]
    more = np.array([bool(one.low > 0) for one in gaps])
    pairs = _interactions(whole.mean(axis=3), together)  # [P, M, N]
    negative = pairs.mean(axis=2) < 0
    p = np.array([holm(column) for column in two_sided_p(np.moveaxis(pairs, 2, 0)).T]).T
    positive = ~negative & (p < FALSE_FINDINGS)
    met = bool(more.all() and negative.all())
    chance = _gaps(effects(untrained_like(model), windows, singles).mean(axis=3), setting).mean(axis=1)
    by_layer = found["single"].T.reshape(len(runs), model.config.layers, -1).mean(axis=2)  # [M, L]
    known = (LAYERS_CLAIM,)
    return Outcome(
        experiment="poems.heads",
        question="Do the heads of layer 0 cost most, and do all pairs interact negatively, in every model?",
        criterion=(
            "In every model the interval over windows of the mean effect of layer 0's heads less that of the "
            "later layers' lies above zero, and Delta_ij - Delta_i - Delta_j is negative for every pair."
        ),
        met=met,
        verdict=(
            f"{'Yes' if met else 'Not both'}: layer 0 costs more in {int(more.sum())} of {len(more)} models, "
            f"{', '.join(f'{first:.3f}' for first in by_layer[:, 0])} nats a head against "
            f"{', '.join(f'{rest:.3f}' for rest in by_layer[:, 1:].mean(axis=1))}; "
            f"{', '.join(str(int(column.sum())) for column in negative.T)} of {len(pairs)} pairs are "
            f"negative, {', '.join(str(int(column.sum())) for column in positive.T)} positive after "
            "correction."
        ),
        quantities=(
            *(Quantity(f"loss of model {m}, nats", float(one)) for m, one in enumerate(found["loss"])),
            *(quantity(f"layer 0 less later layers, model {m}, nats", one) for m, one in enumerate(gaps)),
            Quantity("share of negative pairs", float(negative.mean())),
            Quantity("share of positive pairs, after correction", float(positive.mean())),
            Quantity("layer 0 less later layers, untrained, nats, at most", float(chance.max())),
            Quantity("share of positions with punctuation", float(marked.mean())),
        ),
        observations=(
            Observation(ABOUT, Step.one_input, bool(more.any()), known),
            Observation(ABOUT, Step.many_inputs, bool(more.all()), known),
            Observation(
                ABOUT, Step.absent_in_random, float(chance.max()) < min(float(one.low) for one in gaps), known
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


def _interactions(single: np.ndarray, both: np.ndarray) -> np.ndarray:
    """Return Delta_ij - Delta_i - Delta_j [P, M, N] from effects [K, M, N] and those of pairs [P, M, N]."""
    pairs = itertools.combinations(range(len(single)), 2)
    return np.stack([both[k] - single[i] - single[j] for k, (i, j) in enumerate(pairs)])


def _gaps(of_heads: np.ndarray, setting: Setting) -> np.ndarray:
    """Return by how much layer 0's heads cost more than the later layers' [M, N], from effects [K, M, N]."""
    by_layer = of_heads.reshape(setting.scale.layers, -1, *of_heads.shape[1:]).mean(axis=1)
    return np.asarray(by_layer[0] - by_layer[1:].mean(axis=0))

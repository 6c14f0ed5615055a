"""What the explorer shows, as plain values: maps, profiles, removals, written text, spectra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpu.small_gpt.ablation import all_heads, effects, losses, removing
from gpu.small_gpt.export import embeddings
from gpu.small_gpt.generate import continued
from gpu.small_gpt.heads import attention_maps, profiles
from gpu.small_gpt.model import SmallGPT
from paper_checks.experiments.models import text, text_models, unseen_windows, untrained_like
from paper_checks.experiments.result import Outcome, assessments
from paper_checks.experiments.setting import Setting
from reference.attention_metrics import head_profile
from reference.resampling import benjamini_hochberg, over_sequences, two_sided_p
from reference.spectrum import explained

TEXTS = 3
# Weights travel as whole thousandths.
PARTS = 1000
WRITTEN = 24


def explorer_data(setting: Setting, outcomes: Sequence[Outcome] = ()) -> dict[str, Any]:
    """Return what the page shows of the setting's first model, beside one as it was initialised."""
    windows = unseen_windows(setting)  # a text that is too short is told before anything is trained
    trained = text_models(setting).only(0)
    models = {"trained": trained, "untrained": untrained_like(trained)}
    shown = windows[:TEXTS]
    words = text(setting)
    T = windows.shape[1] - 1
    return {
        "setting": setting.told(),
        "layers": trained.config.layers,
        "heads": trained.config.heads,
        "texts": [words.text(row.tolist()) for row in shown],
        "models": {
            name: {
                "maps": _maps(model, shown[:, :-1]),
                "profiles": _profiles(model, windows[:, :-1]),
                "spectra": {kind: _rounded(explained(rows)) for kind, rows in embeddings(model, 0).items()},
            }
            for name, model in models.items()
        },
        "uniform": _rounded_mapping(head_profile(np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None])),
        "removal": _removal(trained, windows, setting.seed),
        "losses": _losses(trained, shown),
        "written": _written(setting, trained, shown),
        "outcomes": [
            {name: getattr(o, name) for name in ("experiment", "question", "criterion", "met", "verdict")}
            for o in outcomes
        ],
        "evidence": [{"about": about, "says": str(one)} for about, one in assessments(outcomes).items()],
    }


def _maps(model: SmallGPT, inputs: np.ndarray) -> list[list[list[list[int]]]]:
    """Return [layer][head][text] the lower triangle of a map, row by row, in thousandths."""
    maps = attention_maps(model, inputs)[0]  # [L, H, N, T, T]
    rows, columns = np.tril_indices(maps.shape[-1])
    thousandths: list[list[list[list[int]]]] = np.rint(PARTS * maps[..., rows, columns]).astype(int).tolist()
    return thousandths


def _profiles(model: SmallGPT, inputs: np.ndarray) -> list[list[dict[str, float]]]:
    """Return [layer][head] the profile over all test windows."""
    found = {name: value[0].mean(axis=2) for name, value in profiles(model, inputs).items()}
    layers, heads = next(iter(found.values())).shape
    return [
        [
            _rounded_mapping({name: value[layer, head] for name, value in found.items()})
            for head in range(heads)
        ]
        for layer in range(layers)
    ]


def _removal(model: SmallGPT, windows: np.ndarray, seed: int) -> dict[str, Any]:
    """Return the loss, and what removing each head adds to it over all windows, in all and by position."""
    found = effects(model, windows, [[head] for head in all_heads(model)])[:, 0]  # [K, N, T]
    by_window = found.mean(axis=2).T
    interval = over_sequences(by_window, seed)
    adjusted = benjamini_hochberg(two_sided_p(by_window))
    base = losses(model, windows)[0]
    return {
        "loss": round(float(base.mean()), 4),
        "by position": _rounded(base.mean(axis=0)),
        "heads": [
            {
                "layer": layer,
                "head": head,
                "effect": float(interval.value[k]),
                "low": float(interval.low[k]),
                "high": float(interval.high[k]),
                "adjusted p": float(adjusted[k]),
                "better without": float((found[k].mean(axis=0) < 0).mean()),
                "by position": _rounded(found[k].mean(axis=0)),
            }
            for k, (layer, head) in enumerate(all_heads(model))
        ],
    }


def _losses(model: SmallGPT, shown: np.ndarray) -> list[list[list[float]]]:
    """Return [text][none, then each head removed][position] the loss."""
    runs = [losses(model, shown)[0]]
    runs += [losses(model, shown, removing([head]))[0] for head in all_heads(model)]
    return [[_rounded(run[n]) for run in runs] for n in range(len(shown))]


def _written(setting: Setting, model: SmallGPT, shown: np.ndarray) -> list[dict[str, Any]]:
    """Return for each text its beginning and what the model writes after it, whole and without each head."""
    words, begun = text(setting), max(2, setting.scale.context // 4)
    found = []
    for row in shown:
        beginning = row[:begun].tolist()
        removed = [None, *(removing([head]) for head in all_heads(model))]
        written = [words.text(continued(model, beginning, WRITTEN, edits)[0]) for edits in removed]
        found.append({"beginning": words.text(beginning), "written": written})
    return found


def _rounded(values: np.ndarray) -> list[float]:
    return [round(float(value), 4) for value in values]


def _rounded_mapping(values: dict[str, Any]) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in values.items()}

"""What removing two heads does beyond the two alone: covering for each other, or a chain."""

from __future__ import annotations

import itertools

import numpy as np

from gpu.small_gpt.ablation import all_heads, effects, losses, removing_after_projection
from paper_checks.experiments.models import text_models, unseen_windows
from paper_checks.experiments.result import Outcome, Quantity, quantity
from paper_checks.experiments.setting import Setting
from reference.resampling import benjamini_hochberg, over_models, over_sequences, two_sided_p

FALSE_FINDINGS = 0.05


def pairs(setting: Setting) -> Outcome:
    """Measure by how much removing two heads costs more or less than the sum of the two."""
    model, windows = text_models(setting), unseen_windows(setting)
    heads = all_heads(model)
    couples = list(itertools.combinations(range(len(heads)), 2))
    right = _interactions(
        effects(model, windows, [[head] for head in heads]).mean(axis=3),
        effects(model, windows, [[heads[i], heads[j]] for i, j in couples]).mean(axis=3),
        couples,
    )
    wrong = _interactions(*_wrong_effects(setting, couples), couples)
    p = np.array(
        [benjamini_hochberg(column) for column in two_sided_p(np.moveaxis(right, 2, 0)).T]
    ).T  # [P, M]
    mean = right.mean(axis=2)
    of_windows = over_sequences(np.moveaxis(right, 2, 0), setting.seed)
    negative, positive = ((p < FALSE_FINDINGS) & (mean < 0)), ((p < FALSE_FINDINGS) & (mean > 0))
    all_negative = bool((mean < 0).all())
    answer = "Yes" if all_negative else "No" if positive.any() else "Not shown"
    same = np.array([heads[i][0] == heads[j][0] for i, j in couples])
    return Outcome(
        experiment="ablation.pairs",
        question="Are all pairs of heads sub-additive, as published?",
        criterion="The interaction Delta_ij - Delta_i - Delta_j is negative for every pair in every model.",
        met=all_negative,
        verdict=(
            f"{answer}: {(mean < 0).mean():.0%} of the pairs are negative; after "
            f"correction {int(positive.sum())} of {p.size} are positive (each covers for the other) and "
            f"{int(negative.sum())} negative (a chain, or saturation). Zeroing slices of the projection's "
            f"output instead makes {(wrong.mean(axis=2) < 0).mean():.0%} negative."
        ),
        quantities=(
            Quantity("share of negative pairs", float((mean < 0).mean())),
            Quantity("share of negative pairs, wrong place", float((wrong.mean(axis=2) < 0).mean())),
            quantity("mean interaction within a layer, nats", over_models(right[same].mean(axis=0))),
            quantity("mean interaction between layers, nats", over_models(right[~same].mean(axis=0))),
            Quantity("positive after correction", int(positive.sum())),
            Quantity("negative after correction", int(negative.sum())),
        ),
        tables={
            "pairs": [
                {
                    "model": m,
                    "first": heads[i],
                    "second": heads[j],
                    "interaction": float(mean[k, m]),
                    "low": float(of_windows.low[k, m]),
                    "high": float(of_windows.high[k, m]),
                    "adjusted p": float(p[k, m]),
                }
                for k, (i, j) in enumerate(couples)
                for m in range(mean.shape[1])
            ]
        },
        claims=(
            "pairwise-all-negative",
            "negative-means-redundancy",
            "redundancy-additivity",
            "pairwise-table",
        ),
    )


def _interactions(single: np.ndarray, double: np.ndarray, couples: list[tuple[int, int]]) -> np.ndarray:
    """Return Delta_ij - Delta_i - Delta_j [P, M, N] from single [K, M, N] and double [P, M, N] effects."""
    return np.stack([double[k] - single[i] - single[j] for k, (i, j) in enumerate(couples)])


def _wrong_effects(setting: Setting, couples: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    model, windows = text_models(setting), unseen_windows(setting)
    heads, width, base = all_heads(model), model.config.head_width, losses(model, windows)

    def effect(removed: list[tuple[int, int]]) -> np.ndarray:
        after = losses(model, windows, removing_after_projection(removed, width))
        return np.asarray((after - base).mean(axis=2))

    single = np.stack([effect([head]) for head in heads])
    return single, np.stack([effect([heads[i], heads[j]]) for i, j in couples])

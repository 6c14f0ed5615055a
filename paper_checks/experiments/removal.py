"""What removing single heads does: in the right place and in the wrong one, and by layer."""

from __future__ import annotations

import math

import numpy as np

from gpu.small_gpt.ablation import all_heads, effects, losses, removing_after_projection
from gpu.small_gpt.model import SmallGPT
from paper_checks.experiments.models import text_models, unseen_windows, untrained_like
from paper_checks.experiments.result import Observation, Outcome, Quantity, quantity
from paper_checks.experiments.setting import Setting
from properties.evidence_ladder import Step
from reference.resampling import benjamini_hochberg, holm, over_models, over_sequences, two_sided_p

FALSE_FINDINGS = 0.05
ABOUT = "the heads of layer 0 matter more than later ones"


def place(setting: Setting) -> Outcome:
    """Compare zeroing a head before the output projection with zeroing a slice of what comes out."""
    model, windows = text_models(setting), unseen_windows(setting)
    heads = all_heads(model)
    right = effects(model, windows, [[head] for head in heads]).mean(axis=3)  # [K, M, N]
    base = losses(model, windows)
    width = model.config.head_width
    wrong = np.stack(
        [
            (losses(model, windows, removing_after_projection([head], width)) - base).mean(axis=2)
            for head in heads
        ]
    )
    difference = np.moveaxis(wrong - right, 2, 0)  # [N, K, M]
    p = np.array([holm(column) for column in two_sided_p(difference).T]).T
    of_windows = over_sequences(difference, setting.seed)
    differ = p < FALSE_FINDINGS
    met = bool((differ.mean(axis=0) > 0.5).all())
    cost = np.abs(right.mean(axis=2))  # [K, M]
    ratio = np.abs(wrong.mean(axis=2)) / cost
    apart = float(np.abs((wrong - right).mean(axis=2)).sum() / cost.sum())
    order = [
        _rank_correlation(right[:, m].mean(axis=1), wrong[:, m].mean(axis=1)) for m in range(right.shape[1])
    ]
    return Outcome(
        experiment="ablation.place",
        question="Is zeroing a slice of the projection's output another thing than removing the head?",
        criterion=(
            "For most heads of every model the loss after zeroing the slice of the output differs from that "
            f"after zeroing the head before the projection, at {FALSE_FINDINGS:g} after Holm's correction."
        ),
        met=met,
        verdict=(
            f"{'Yes' if met else 'Not shown for most'}: the two differ for {int(differ.sum())} of {p.size} "
            f"heads, by {apart:.0%} of what heads cost; the wrong effect is {np.median(ratio):.2g} times the "
            f"right one in the median, with a rank correlation of {np.mean(order):.2f}."
        ),
        quantities=(
            Quantity("largest adjusted p", float(p.max())),
            Quantity("sum of differences over sum of effects", apart),
            Quantity("wrong effect over right one, median", float(np.median(ratio))),
            Quantity("rank correlation of the two over heads", float(np.mean(order))),
        ),
        tables={
            "heads": [
                {
                    "model": m,
                    "layer": layer,
                    "head": head,
                    "before the projection": float(right[k, m].mean()),
                    "slice of its output": float(wrong[k, m].mean()),
                    "difference, low": float(of_windows.low[k, m]),
                    "difference, high": float(of_windows.high[k, m]),
                }
                for k, (layer, head) in enumerate(heads)
                for m in range(right.shape[1])
            ]
        },
        claims=("forward-hook-ablates-output", "single-ablation-deltas"),
    )


def layers(setting: Setting) -> Outcome:
    """Compare the mean effect of removing a head of layer 0 with that of the later layers' heads."""
    model, windows = text_models(setting), unseen_windows(setting)
    heads = all_heads(model)
    found = effects(model, windows, [[head] for head in heads]).mean(axis=3)
    by_layer = np.stack(
        [
            found[[k for k, (at, _) in enumerate(heads) if at == layer]].mean(axis=0)
            for layer in range(setting.scale.layers)
        ],
        axis=-1,
    )  # [M, N, L]
    later = by_layer[..., 1:].mean(axis=-1)
    means, of_later, gap = over_models(by_layer), over_models(later), over_models(by_layer[..., 0] - later)
    more = over_models((by_layer[..., 0] > later).astype(np.float64))
    met = bool(gap.low > 0)
    untrained = _untrained_gaps(model, windows)
    # What heads of later layers do may be nothing, and a multiple of that says nothing.
    ratio = float(means.value[0] / of_later.value) if of_later.low > 0 else math.nan
    times = "" if math.isnan(ratio) else f", {ratio:.1f} times as much in these models"
    p = np.array([benjamini_hochberg(column) for column in two_sided_p(np.moveaxis(found, 2, 0)).T]).T
    return Outcome(
        experiment="ablation.layers",
        question="Do the heads of layer 0 matter more than those of later layers?",
        criterion="The interval of layer 0's mean effect less the later layers' lies above zero.",
        met=met,
        verdict=(
            f"{'Yes' if met else 'No' if gap.high < 0 else 'Not shown'}: {means.value[0]:.4f} nats a head "
            f"against {float(of_later.value):.4f}{times}; "
            f"{int((p < FALSE_FINDINGS).sum())} of {p.size} single heads matter after correction."
        ),
        quantities=(
            quantity("layer 0 less later layers, nats", gap),
            Quantity("the same in untrained models, nats, at most", float(untrained.max())),
            quantity("share of windows where layer 0 matters more", more),
            Quantity("ratio", ratio),
        ),
        tables={
            "layers": [
                {
                    "layer": layer,
                    "effect": float(means.value[layer]),
                    "low": float(means.low[layer]),
                    "high": float(means.high[layer]),
                }
                for layer in range(setting.scale.layers)
            ]
        },
        observations=(
            Observation(ABOUT, Step.one_input, bool(gap.value > 0)),
            Observation(ABOUT, Step.many_inputs, met),
            Observation(ABOUT, Step.absent_in_random, bool(untrained.max() < gap.low)),
            Observation(ABOUT, Step.in_the_data, bool(more.low > 0.5)),
            Observation(ABOUT, Step.ablation, met),
        ),
        claims=("layer-means", "layer0-six-times-real-heads", "layer-vs-head-spread"),
    )


def _untrained_gaps(model: SmallGPT, windows: np.ndarray) -> np.ndarray:
    """Return the same of each of as many untrained models [M]."""
    heads = all_heads(model)
    found = effects(untrained_like(model), windows, [[head] for head in heads]).mean(axis=(2, 3))
    first = np.array([layer == 0 for layer, _ in heads])
    gaps: np.ndarray = found[first].mean(axis=0) - found[~first].mean(axis=0)
    return gaps


def _rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(first, second).statistic)

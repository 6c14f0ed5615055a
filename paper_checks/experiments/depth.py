"""How much of a model hangs on its first layer, in models of several depths."""

from __future__ import annotations

import itertools

import numpy as np

from gpu.small_gpt.ablation import all_heads, effects
from paper_checks.experiments.models import text_models, unseen_windows
from paper_checks.experiments.result import Outcome, Quantity, quantity
from paper_checks.experiments.setting import Setting
from reference.resampling import over_models, ratio_of_means


def first_layer(setting: Setting) -> Outcome:
    """Train models of several depths on one text and compare a head of layer 0 with the average head.

    Layer 0's share of all effects is no measure: it is 1/L where heads are alike, and falls with L by itself.
    The share times L, what a head of layer 0 costs over what the average head does, is 1 there at any depth;
    it is L where layer 0 is all there is.
    """
    windows = unseen_windows(setting)
    each: dict[int, np.ndarray] = {}  # what each window [M, N] says of the share times the depth
    for depth in setting.scale.depths:
        model = text_models(setting, depth)
        found = effects(model, windows, [[head] for head in all_heads(model)]).mean(axis=3)  # [K, M, N]
        parts = zip(found[: setting.scale.heads].sum(axis=0), found.sum(axis=0), strict=True)
        each[depth] = np.stack([depth * ratio_of_means(first, whole) for first, whole in parts])
    times = {depth: of_windows.mean(axis=1) for depth, of_windows in each.items()}  # [M] each
    intervals = {depth: over_models(of_windows) for depth, of_windows in each.items()}
    met = all(times[b].max() < times[a].min() for a, b in itertools.pairwise(setting.scale.depths))
    return Outcome(
        experiment="depth.first_layer",
        question="Do the heads of layer 0 matter less beside the average head as models get deeper?",
        criterion=(
            "With every step in depth, the effect of a head of layer 0 over that of the average head is "
            "smaller in every deeper model than in every shallower one."
        ),
        met=met,
        verdict=(
            f"{'Yes' if met else 'No'}: a head of layer 0 matters "
            + ", ".join(f"{one.mean():.1f} ({one.min():.1f} to {one.max():.1f})" for one in times.values())
            + f" times as much as the average head at {', '.join(map(str, times))} layers, and layer 0 holds "
            + ", ".join(f"{one.mean() / depth:.0%}" for depth, one in times.items())
            + " of all effects."
        ),
        quantities=(
            *(quantity(f"head of layer 0 over average, {n} layers", one) for n, one in intervals.items()),
            *(Quantity(f"share of layer 0 at {n} layers", float(x.mean()) / n) for n, x in times.items()),
        ),
        claims=("layer0-six-times-real-heads",),
    )

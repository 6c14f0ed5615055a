"""How much of a model hangs on its first layer, in models of several depths."""

from __future__ import annotations

import itertools

import numpy as np

from gpu.small_gpt.ablation import all_heads, effects
from paper_checks.experiments.models import text_models, unseen_windows
from paper_checks.experiments.result import Outcome, Quantity
from paper_checks.experiments.setting import Setting


def first_layer(setting: Setting) -> Outcome:
    """Train models of several depths on one text and compare a head of layer 0 with the average head.

    Layer 0's share of all effects is no measure: it is 1/L where heads are alike, and falls with L by itself.
    The share times L, what a head of layer 0 costs over what the average head does, is 1 there at any depth;
    it is L where layer 0 is all there is.
    """
    windows = unseen_windows(setting)
    share = {}
    for depth in setting.scale.depths:
        model = text_models(setting, depth)
        found = effects(model, windows, [[head] for head in all_heads(model)]).mean(axis=(2, 3))  # [K, M]
        share[depth] = found[: setting.scale.heads].sum(axis=0) / found.sum(axis=0)
    times = {depth: depth * each for depth, each in share.items()}  # [M] each
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
            + ", ".join(
                f"{each.mean():.1f} ({each.min():.1f} to {each.max():.1f})" for each in times.values()
            )
            + f" times as much as the average head at {', '.join(map(str, times))} layers, and layer 0 holds "
            + ", ".join(f"{each.mean():.0%}" for each in share.values())
            + " of all effects."
        ),
        quantities=(
            *(
                Quantity(f"head of layer 0 over average, {n} layers", float(np.mean(x)))
                for n, x in times.items()
            ),
            *(Quantity(f"share of layer 0 at {n} layers", float(np.mean(x))) for n, x in share.items()),
        ),
        claims=("layer0-six-times-real-heads",),
    )

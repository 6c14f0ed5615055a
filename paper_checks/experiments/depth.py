"""How much of a model hangs on its first layer, in models of several depths."""

from __future__ import annotations

import itertools

import numpy as np

from gpu.small_gpt.ablation import all_heads, effects
from paper_checks.experiments.models import text_models, unseen_windows
from paper_checks.experiments.result import Outcome, Quantity
from paper_checks.experiments.setting import Setting
from reference.resampling import over_models


def first_layer(setting: Setting) -> Outcome:
    """Train models of several depths on one text and compare their first layers' share of the effects."""
    windows = unseen_windows(setting)
    shares = {}
    for depth in setting.scale.depths:
        model = text_models(setting, depth)
        found = effects(model, windows, [[head] for head in all_heads(model)]).mean(axis=3)  # [K, M, N]
        first = found[: setting.scale.heads].mean(axis=0)
        shares[depth] = over_models(np.stack([first, found.mean(axis=0)], axis=-1))
    ratio = {depth: float(one.value[0] / one.value[1]) for depth, one in shares.items()}
    # A model of L layers of equal weight has the ratio 1; at L, layer 0 is all there is.
    relative = {depth: value / depth for depth, value in ratio.items()}
    falling = [relative[depth] for depth in setting.scale.depths]
    met = all(later < earlier for earlier, later in itertools.pairwise(falling))
    return Outcome(
        experiment="depth.first_layer",
        question="Does the first layer's share of the effects fall as models get deeper?",
        criterion="Layer 0's share of the sum of all single-head effects falls with every step in depth.",
        met=met,
        verdict=(
            f"{'Yes' if met else 'No'}: layer 0 holds "
            + ", ".join(f"{relative[depth]:.0%} at {depth} layers" for depth in setting.scale.depths)
            + "; a head of it matters "
            + ", ".join(f"{ratio[depth]:.1f}" for depth in setting.scale.depths)
            + " times as much as the average head."
        ),
        quantities=tuple(
            Quantity(f"share of layer 0 at {depth} layers", relative[depth]) for depth in setting.scale.depths
        ),
        claims=("layer0-six-times-real-heads",),
    )

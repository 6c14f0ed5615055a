"""How far a single layer gets on blocks of random period, held to floors that were derived."""

from __future__ import annotations

import math

import numpy as np

from gpu.small_gpt.ablation import losses
from paper_checks.experiments.models import (
    Blocks,
    block_models,
    random_periods,
    spaced_periods,
    unseen_blocks,
)
from paper_checks.experiments.result import Outcome, Quantity, quantity
from paper_checks.experiments.setting import Setting
from reference.one_layer_floor import bag_entropy, one_head_floor, one_head_rows
from reference.resampling import Interval, over_models


def one_layer(setting: Setting) -> Outcome:
    """Train single layers on blocks of random period and hold them to the floors that were derived."""
    found: dict[str, Interval] = {}
    floors: dict[str, float] = {}
    for name, (blocks, rows, floor) in _one_layer_kinds(setting).items():
        model = block_models(setting, blocks, setting.scale.blocks_steps).model
        tokens = unseen_blocks(setting, blocks.periods)[0]
        found[name] = over_models(losses(model, tokens)[:, :, rows].mean(axis=2))
        if floor is not None:
            floors[name] = floor
    log_v = math.log(setting.scale.blocks_vocab - 1)
    met = all(
        low <= float(found[name].low) and float(found[name].high) < log_v for name, low in floors.items()
    )
    told = "; ".join(
        f"{name} {float(one.value):.2f} ({f'floor {floors[name]:.2f}' if name in floors else 'no floor'})"
        for name, one in found.items()
    )
    return Outcome(
        experiment="induction.one_layer",
        question="How far does one layer get on blocks of random period, and is it stuck at log V?",
        criterion=(
            "The interval of the loss lies above the derived floor and below log V, for a layer without "
            "positions and for one with one head."
        ),
        met=met,
        verdict=(
            f"{'Above its floors and below log V' if met else 'Not as predicted'}: {told} nats, log(V-1) = "
            f"{log_v:.2f}. Two heads a period have no floor: weights set by hand predict every row."
        ),
        quantities=(
            *(quantity(f"loss, {name}", one) for name, one in found.items()),
            *(Quantity(f"floor, {name}", floor) for name, floor in floors.items()),
        ),
        claims=("one-layer-stuck-at-logV", "induction-two-layers"),
    )


def _one_layer_kinds(setting: Setting) -> dict[str, tuple[Blocks, np.ndarray, float | None]]:
    """Return the layers to train, by name, with the rows on which each has its floor, and the floor.

    The last has none: held to 0, which no loss is below, it could not fail.
    """
    many, few = random_periods(setting), spaced_periods(setting)
    tokens, period, _ = unseen_blocks(setting, many)
    late = np.arange(max(many), tokens.shape[1] - 1)  # rows on which every period has repeated
    placed = np.broadcast_to(late, (len(tokens), len(late)))
    bag = float(bag_entropy(placed, np.broadcast_to(period[:, None], placed.shape)).mean())
    spaced = unseen_blocks(setting, few)[1]
    kinds: dict[str, tuple[Blocks, np.ndarray, float | None]] = {
        "no positions": (Blocks(1, 2, False, many), late, bag),
        "one head": (Blocks(1, 1, True, few), np.array(one_head_rows(spaced)), one_head_floor(spaced)),
    }
    if setting.scale.name == "full":
        kinds["two heads a period"] = (
            Blocks(1, 2 * len(few), True, few),
            np.array(one_head_rows(spaced)),
            None,
        )
    return kinds

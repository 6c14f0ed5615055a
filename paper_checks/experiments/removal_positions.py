"""What removing a head does only before marks and only elsewhere, in total and for each position removed."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.small_gpt.ablation import all_heads, effects
from paper_checks.experiments.models import text, text_models, unseen_windows
from paper_checks.experiments.result import Outcome, Quantity
from paper_checks.experiments.setting import Setting
from reference.resampling import holm, over_models, ratio_of_means, two_sided_p

FALSE_FINDINGS = 0.05


def positions(setting: Setting) -> Outcome:
    """Remove each head only before marks and only elsewhere, and set each effect against its positions.

    That one of two unlike numbers is the larger one is no finding: with enough heads some are, by chance. So
    both comparisons are tests over the windows of a model, and a head counts when the weaker of the two
    holds after Holm's correction over the heads.
    """
    model, windows = text_models(setting), unseen_windows(setting)
    marked = text(setting).is_mark[windows[:, 1:]]
    singles = [[head] for head in all_heads(model)]
    whole = effects(model, windows, singles)  # [K, M, N, T]
    totals = {
        "marks": effects(model, windows, singles, marked).mean(axis=3),
        "others": effects(model, windows, singles, ~marked).mean(axis=3),
    }  # [K, M, N]
    shares = {"marks": marked.mean(axis=1), "others": (~marked).mean(axis=1)}  # [N]
    each = {name: ratio_of_means(totals[name], shares[name]) for name in totals}  # per removed position
    smaller = _above(totals["others"] - totals["marks"])  # p-values [K, M]
    larger = _above(each["marks"] - each["others"])
    reversed_there = _adjusted(np.maximum(smaller, larger)) < FALSE_FINDINGS
    fewer = _adjusted(smaller) < FALSE_FINDINGS
    met = bool(reversed_there.any(axis=0).all())
    gap = whole.mean(axis=(1, 2, 3)) - totals["marks"].mean(axis=(1, 2)) - totals["others"].mean(axis=(1, 2))
    negative = float((whole.mean(axis=2) < 0).mean())  # over heads, models and positions
    share = float(shares["marks"].mean())
    return Outcome(
        experiment="ablation.positions",
        question="Does a small effect at marks mean that a head is unimportant there?",
        criterion=(
            "In every model there is a head whose removal before marks costs less in total than elsewhere "
            f"and more per removed position, both at {FALSE_FINDINGS:g} after Holm's correction over heads."
        ),
        met=met,
        verdict=(
            f"{'No' if met else 'Not shown otherwise'}: {share:.0%} of the positions are before a mark; the "
            f"total is smaller there for {int(fewer.sum())} of {fewer.size} heads, and for "
            f"{int(reversed_there.sum())} of these larger per position removed. Without a head "
            f"{negative:.0%} of the places in a window are predicted better on average."
        ),
        quantities=(
            Quantity("share of positions before a mark", share),
            Quantity("heads with a smaller total before marks", int(fewer.sum())),
            Quantity("of these with a larger effect per position", int(reversed_there.sum())),
            Quantity("largest gap between the whole and its two parts, nats", float(np.abs(gap).max())),
            Quantity("share of heads and positions with a negative effect", negative),
        ),
        tables={
            "heads": _by_head(totals, each, gap, all_heads(model)),
            "by position": _by_position(whole.mean(axis=0)),
        },
        claims=("punctuation-ablation-18x", "punctuation-ablation-sums", "per-position-few-drive-mean"),
    )


def _above(values: np.ndarray) -> np.ndarray:
    """Return the one-sided p-values [K, M] that means over windows of [K, M, N] are not above 0."""
    p = two_sided_p(np.moveaxis(values, 2, 0)) / 2
    return np.where(values.mean(axis=2) > 0, p, 1 - p)


def _adjusted(p: np.ndarray) -> np.ndarray:
    return np.array([holm(of_model) for of_model in p.T]).T


def _by_head(
    totals: dict[str, np.ndarray], each: dict[str, np.ndarray], gap: np.ndarray, heads: list[tuple[int, int]]
) -> list[dict[str, Any]]:
    found = {name: over_models(np.moveaxis(total, 0, 2)) for name, total in totals.items()}
    per_position = {name: over_models(np.moveaxis(ratio, 0, 2)) for name, ratio in each.items()}
    return [
        {
            "layer": layer,
            "head": head,
            **{f"{name}, total": float(found[name].value[k]) for name in found},
            **{f"{name}, low": float(found[name].low[k]) for name in found},
            **{f"{name}, high": float(found[name].high[k]) for name in found},
            **{f"{name}, per position": float(per_position[name].value[k]) for name in found},
            **{f"{name}, per position, low": float(per_position[name].low[k]) for name in found},
            **{f"{name}, per position, high": float(per_position[name].high[k]) for name in found},
            "whole less parts": float(gap[k]),
        }
        for k, (layer, head) in enumerate(heads)
    ]


def _by_position(whole: np.ndarray) -> list[dict[str, float]]:
    found = over_models(whole)  # [M, N, T]
    return [
        {
            "position": t,
            "effect": float(found.value[t]),
            "low": float(found.low[t]),
            "high": float(found.high[t]),
        }
        for t in range(len(found.value))
    ]

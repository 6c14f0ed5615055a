"""What removing heads does: in the right place and in the wrong one, by layer, in pairs, by position."""

from __future__ import annotations

import itertools

import numpy as np

from gpu.small_gpt.ablation import all_heads, effects, losses, removing_after_projection
from gpu.small_gpt.model import SmallGPT
from paper_checks.experiments.models import text, text_models, unseen_windows, untrained_like
from paper_checks.experiments.result import Observation, Outcome, Quantity, quantity
from paper_checks.experiments.setting import Setting
from properties.evidence_ladder import Step
from reference.resampling import Interval, benjamini_hochberg, holm, over_models, two_sided_p

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
    differ = p < FALSE_FINDINGS
    met = bool((differ.mean(axis=0) > 0.5).all())
    ratio = np.abs(wrong.mean(axis=2)) / np.abs(right.mean(axis=2))
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
            f"heads; the wrong effect is {np.median(ratio):.2g} times the right one in the median, "
            f"{ratio.min():.2g} to {ratio.max():.2g}, with a rank correlation of {np.mean(order):.2f}."
        ),
        quantities=(
            Quantity("largest adjusted p", float(p.max())),
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
            for layer in _layers(setting)
        ],
        axis=-1,
    )  # [M, N, L]
    means = over_models(by_layer)
    gap = over_models(by_layer[..., 0] - by_layer[..., 1:].mean(axis=-1))
    met = bool(gap.low > 0)
    untrained = _untrained_gap(model, windows)
    common = float((by_layer[..., 0] > by_layer[..., 1:].mean(axis=-1)).mean())
    ratio = float(means.value[0] / means.value[1:].mean())
    per_head = np.moveaxis(found, 2, 0)  # [N, K, M]
    p = np.array([benjamini_hochberg(column) for column in two_sided_p(per_head).T]).T
    return Outcome(
        experiment="ablation.layers",
        question="Do the heads of layer 0 matter more than those of later layers?",
        criterion="The interval of layer 0's mean effect less the later layers' lies above zero.",
        met=met,
        verdict=(
            f"{'Yes' if met else 'No'}: {means.value[0]:.4f} nats a head against "
            f"{means.value[1:].mean():.4f}, {ratio:.1f} times as much in these models; "
            f"{int((p < FALSE_FINDINGS).sum())} of {p.size} single heads matter after correction."
        ),
        quantities=(
            quantity("layer 0 less later layers, nats", gap),
            Quantity("the same in untrained models, nats", untrained),
            Quantity("share of windows where layer 0 matters more", common),
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
                for layer in _layers(setting)
            ]
        },
        observations=(
            Observation(ABOUT, Step.one_input, bool(gap.value > 0)),
            Observation(ABOUT, Step.many_inputs, met),
            Observation(ABOUT, Step.absent_in_random, untrained < float(gap.low)),
            Observation(ABOUT, Step.in_the_data, common > 0.5),
            Observation(ABOUT, Step.ablation, met),
        ),
        claims=("layer-means", "layer0-six-times-real-heads", "layer-vs-head-spread"),
    )


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
    negative, positive = ((p < FALSE_FINDINGS) & (mean < 0)), ((p < FALSE_FINDINGS) & (mean > 0))
    all_negative = bool((mean < 0).all())
    same = np.array([heads[i][0] == heads[j][0] for i, j in couples])
    return Outcome(
        experiment="ablation.pairs",
        question="Are all pairs of heads sub-additive, as published?",
        criterion="The interaction Delta_ij - Delta_i - Delta_j is negative for every pair in every model.",
        met=all_negative,
        verdict=(
            f"{'Yes' if all_negative else 'No'}: {(mean < 0).mean():.0%} of the pairs are negative; after "
            f"correction {int(positive.sum())} of {p.size} are positive (each covers for the other) and "
            f"{int(negative.sum())} negative (a chain, or saturation). Zeroing slices of the projection's "
            f"output instead makes {(wrong.mean(axis=2) < 0).mean():.0%} negative."
        ),
        quantities=(
            Quantity("share of negative pairs", float((mean < 0).mean())),
            Quantity("share of negative pairs, wrong place", float((wrong.mean(axis=2) < 0).mean())),
            Quantity("mean interaction within a layer, nats", float(mean[same].mean())),
            Quantity("mean interaction between layers, nats", float(mean[~same].mean())),
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


def positions(setting: Setting) -> Outcome:
    """Remove each head only before marks and only elsewhere, and set each effect against its positions."""
    model, windows = text_models(setting), unseen_windows(setting)
    marked = text(setting).is_mark[windows[:, 1:]]
    singles = [[head] for head in all_heads(model)]
    whole = effects(model, windows, singles)  # [K, M, N, T]
    shares = {"marks": float(marked.mean()), "others": float((~marked).mean())}
    parts = {
        "marks": effects(model, windows, singles, marked).mean(axis=3),
        "others": effects(model, windows, singles, ~marked).mean(axis=3),
    }
    found = {name: over_models(np.moveaxis(part, 0, 2)) for name, part in parts.items()}
    each = {name: parts[name].mean(axis=(1, 2)) / shares[name] for name in parts}  # nats per removed position
    smaller = parts["marks"].mean(axis=(1, 2)) < parts["others"].mean(axis=(1, 2))
    reversed_there = smaller & (each["marks"] >= each["others"])
    met = bool(reversed_there.any())
    negative = float((whole.mean(axis=2) < 0).mean())  # over heads, models and positions
    gap = whole.mean(axis=(1, 2, 3)) - parts["marks"].mean(axis=(1, 2)) - parts["others"].mean(axis=(1, 2))
    by_position = over_models(np.moveaxis(whole.mean(axis=0), 1, 1))
    return Outcome(
        experiment="ablation.positions",
        question="Does a small effect at marks mean that a head is unimportant there?",
        criterion=(
            "For at least one head the effect of removing it before marks is smaller in total than elsewhere "
            "and not smaller per removed position."
        ),
        met=met,
        verdict=(
            f"{'No' if met else 'In these models yes'}: {shares['marks']:.0%} of the positions are before a "
            f"mark; the total is smaller there for {int(smaller.sum())} of {len(smaller)} heads, and for "
            f"{int(reversed_there.sum())} of these larger per position removed. Without a head "
            f"{negative:.0%} of the positions are predicted better."
        ),
        quantities=(
            Quantity("share of positions before a mark", shares["marks"]),
            Quantity("largest gap between the whole and its two parts, nats", float(np.abs(gap).max())),
            Quantity("share of heads and positions with a negative effect", negative),
        ),
        tables={
            "heads": [
                {
                    "layer": layer,
                    "head": head,
                    **{f"{name}, total": float(found[name].value[k]) for name in found},
                    **{f"{name}, low": float(found[name].low[k]) for name in found},
                    **{f"{name}, high": float(found[name].high[k]) for name in found},
                    **{f"{name}, per position": float(each[name][k]) for name in found},
                    "whole less parts": float(gap[k]),
                }
                for k, (layer, head) in enumerate(all_heads(model))
            ],
            "by position": _by_position(by_position),
        },
        claims=("punctuation-ablation-18x", "punctuation-ablation-sums", "per-position-few-drive-mean"),
    )


def _layers(setting: Setting) -> range:
    return range(setting.scale.layers)


def _untrained_gap(model: SmallGPT, windows: np.ndarray) -> float:
    untrained, heads = untrained_like(model), all_heads(model)
    found = effects(untrained, windows, [[head] for head in heads]).mean(axis=(1, 2, 3))
    first = np.array([layer == 0 for layer, _ in heads])
    return float(found[first].mean() - found[~first].mean())


def _rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(first, second).statistic)


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


def _by_position(found: Interval) -> list[dict[str, float]]:
    return [
        {
            "position": t,
            "effect": float(found.value[t]),
            "low": float(found.low[t]),
            "high": float(found.high[t]),
        }
        for t in range(len(found.value))
    ]

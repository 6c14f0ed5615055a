"""Circuits of two-layer attention-only models: how their heads compose, and whether it matters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gpu.small_gpt.ablation import losses, removing
from gpu.small_gpt.export import embeddings, layer_heads
from gpu.small_gpt.heads import head_scores
from gpu.small_gpt.model import SmallGPT
from gpu.small_gpt.paths import ROLES, attention_of, cut
from paper_checks.experiments.induction import ABOUT as INDUCTION
from paper_checks.experiments.induction import CLAIM as INDUCTION_CLAIM
from paper_checks.experiments.models import (
    Blocks,
    block_models,
    random_periods,
    unseen_blocks,
    untrained_like,
)
from paper_checks.experiments.result import Observation, Outcome, Quantity
from paper_checks.experiments.setting import Setting
from properties.evidence_ladder import Step
from reference.attention_metrics import head_profile
from reference.composition import composition_excess, composition_score, subspace_scores
from reference.induction import copy_targets, weight_on
from reference.multi_head import Heads
from reference.spectrum import directions_for, explained

# Cutting a path decides the score when it takes away this share of what lies above uniform attention, and
# leaves it alone when it takes away at most the other.
DECIDES, LEAVES = 0.5, 0.25
# Untrained circuits compose by chance: their largest squared score stays within so many deviations of 1/d.
DEVIATIONS_OF_CHANCE = 5
ABOUT = "the previous-token head makes the keys of the induction head"


def composition(setting: Setting) -> Outcome:
    """Find the induction head and the writer whose key path it needs; compare scores with cut paths."""
    model = _models(setting)
    rows, met_all, scores_agree, decisive = [], [], [], []
    for m in range(len(model.seeds)):
        found = _of_one(setting, model.only(m), layer_heads(model, m))
        rows += [{"model": m, **row} for row in found["rows"]]
        lost = found["lost"]  # [role][writer]: share of the score above uniform that the cut takes away
        writer = int(np.argmax(lost["key"]))
        decisive.append(lost["key"][writer])
        elsewhere = max(lost["query"][writer], lost["value"][writer])
        met_all.append(decisive[-1] >= DECIDES and elsewhere <= LEAVES)
        scores_agree.append(int(np.argmax(found["key score"])) == writer)
    met = all(met_all)
    untrained = untrained_like(model)
    by_chance = max(_largest_excess(layer_heads(untrained, m)) for m in range(len(model.seeds)))
    known = unseen_blocks(setting, random_periods(setting))[2]
    lost_key = [row["score lost"] for row in rows if row["role"] == "key"]
    return Outcome(
        experiment="circuits.composition",
        question="Does the induction head read its keys from a head of layer 0, and does the score tell?",
        criterion=(
            "In every model hiding one head of layer 0 from the keys of the best induction head takes away "
            f"{DECIDES:.0%} or more of its score above uniform attention, and hiding the same head from its "
            f"queries or values {LEAVES:.0%} at most."
        ),
        met=met,
        verdict=(
            f"{'Yes, by intervention' if met else 'Not in every model'}: cut at the keys takes away up to "
            f"{max(lost_key):.0%}. The composition score names the same head in {sum(scores_agree)} of "
            f"{len(scores_agree)} models."
        ),
        quantities=(
            Quantity("models where the cut decides and only at the keys", float(sum(met_all))),
            Quantity("models where the score names the same head", float(sum(scores_agree))),
            Quantity("chance composition, 1/sqrt(d)", 1 / math.sqrt(model.config.width)),
            Quantity("largest key composition of untrained heads, deviations above chance", by_chance),
        ),
        tables={"paths": rows},
        observations=(
            Observation(ABOUT, Step.one_input, max(decisive) >= DECIDES),
            Observation(ABOUT, Step.many_inputs, all(value >= DECIDES for value in decisive)),
            Observation(ABOUT, Step.absent_in_random, by_chance <= DEVIATIONS_OF_CHANCE),
            Observation(ABOUT, Step.in_the_data, bool(known.any(axis=1).all())),
            Observation(ABOUT, Step.targeted, met),
            Observation(INDUCTION, Step.targeted, met, INDUCTION_CLAIM),
        ),
        claims=("composition-score", "induction-heads-1-4-1-10", "composition-rotate-180"),
    )


def subspaces(setting: Setting) -> Outcome:
    """Compare how strongly layer 0 reads positions and tokens, for its patterns and for what it moves."""
    model = _models(setting)
    tokens = unseen_blocks(setting, random_periods(setting))[0]
    previous = head_scores(model, tokens)["previous"][:, 0]  # [M, H]
    rows: list[dict[str, Any]] = []
    for m in range(len(model.seeds)):
        heads = layer_heads(model, m)[0]
        sources = {name: part - part.mean(axis=0) for name, part in embeddings(model, m).items()}
        for side, circuits in (("query", heads.qk), ("key", heads.qk.swapaxes(-1, -2)), ("value", heads.ov)):
            scores = subspace_scores(sources, circuits)
            rows += [
                {
                    "model": m,
                    "head": head,
                    "its previous-token weight": float(previous[m, head]),
                    "side": side,
                    **{name: float(np.asarray(score)[head]) for name, score in scores.items()},
                }
                for head in range(model.config.heads)
            ]
    best = {(m, int(previous[m].argmax())) for m in range(len(previous))}
    of_best = [row for row in rows if (row["model"], row["head"]) in best]
    patterns = [row["positions"] > row["tokens"] for row in of_best if row["side"] != "value"]
    moved = [row["tokens"] > row["positions"] for row in of_best if row["side"] == "value"]
    met = all(patterns) and all(moved)
    return Outcome(
        experiment="circuits.subspaces",
        question="Does the previous-token head find its key by position and move the token?",
        criterion=(
            "In every model the head of layer 0 with the largest previous-token weight reads positions more "
            "strongly than tokens with its queries and keys, and tokens more strongly with its values."
        ),
        met=met,
        verdict=(
            f"{'Yes' if met else 'Not in every model'}: positions come first on {sum(patterns)} of "
            f"{len(patterns)} query and key sides, tokens on {sum(moved)} of {len(moved)} value sides; "
            f"chance is {1 / math.sqrt(model.config.width):.3f}."
        ),
        tables={"sides": rows},
        claims=("head-0-7-previous", "layer0-ov-two-options"),
    )


def removal(setting: Setting) -> Outcome:
    """Remove the two heads of the circuit, alone and together: a chain interacts negatively."""
    model = _models(setting)
    tokens, _, known = unseen_blocks(setting, random_periods(setting))
    scores = head_scores(model, tokens)
    rows, chains, holds = [], [], []
    for m in range(len(model.seeds)):
        one = model.only(m)
        reader = (1, int(scores["induction"][m, 1].argmax()))
        writer = (0, int(scores["previous"][m, 0].argmax()))
        base = losses(one, tokens)[0][known].mean()
        first, second, both = (
            losses(one, tokens, removing(heads))[0][known].mean() - base
            for heads in ([writer], [reader], [writer, reader])
        )
        chains.append(both - first - second)
        holds.append(min(first, second) > base)
        rows.append(
            {
                "model": m,
                "writer": writer,
                "reader": reader,
                "loss": float(base),
                "without writer": float(first),
                "without reader": float(second),
                "without both": float(both),
                "interaction": float(chains[-1]),
            }
        )
    met = all(interaction < 0 for interaction in chains) and all(holds)
    return Outcome(
        experiment="circuits.removal",
        question="Do the previous-token head and the induction head form a chain?",
        criterion=(
            "In every model removing either raises the loss by more than it was, and removing both costs "
            "less than the sum of the two."
        ),
        met=met,
        verdict=(
            f"{'Yes' if met else 'Not in every model'}: the interaction is "
            f"{', '.join(f'{interaction:+.2f}' for interaction in chains)} nats."
        ),
        tables={"models": rows},
        observations=(
            Observation(ABOUT, Step.ablation, all(holds)),
            Observation(INDUCTION, Step.ablation, all(holds), INDUCTION_CLAIM),
        ),
        claims=("negative-means-redundancy", "head-0-7-previous"),
    )


def spectra(setting: Setting) -> Outcome:
    """Compare how many directions token and position embeddings take, trained and not."""
    model = _models(setting)
    untrained = untrained_like(model)
    counts: dict[tuple[str, str], list[int]] = {}
    curves = []
    for name, models in (("trained", model), ("untrained", untrained)):
        for m in range(len(models.seeds)):
            for kind, rows in embeddings(models, m).items():
                counts.setdefault((name, kind), []).append(directions_for(rows, 0.8))
                if m == 0:
                    curves.append({"models": name, "of": kind, "explained": explained(rows).tolist()})
    mean = {key: float(np.mean(value)) for key, value in counts.items()}
    met = max(counts["trained", "positions"]) < min(counts["untrained", "positions"])
    return Outcome(
        experiment="circuits.spectra",
        question="Do position embeddings come to lie in few directions?",
        criterion="In every trained model 80% of their variance takes fewer directions than untrained.",
        met=met,
        verdict=(
            f"{'Yes' if met else 'No'}: positions take {mean['trained', 'positions']:.1f} directions "
            f"(untrained {mean['untrained', 'positions']:.1f}), tokens {mean['trained', 'tokens']:.1f} "
            f"({mean['untrained', 'tokens']:.1f}), of {model.config.width}."
        ),
        quantities=tuple(
            Quantity(f"directions of {kind}, {name}", value) for (name, kind), value in mean.items()
        ),
        tables={"spectra": curves},
        claims=("embedding-pca",),
    )


def _largest_excess(weights: tuple[Heads, ...]) -> float:
    """Return by how many deviations the strongest key composition of two layers' heads exceeds chance."""
    writers, readers = weights[0].ov[:, None], weights[1].qk[None].swapaxes(-1, -2)
    return float(np.max(composition_excess(writers, readers)))


def _models(setting: Setting) -> SmallGPT:
    blocks = Blocks(2, 2, True, random_periods(setting))
    return block_models(setting, blocks, setting.scale.blocks_steps).model


def _of_one(setting: Setting, model: SmallGPT, weights: tuple[Heads, ...]) -> dict[str, Any]:
    """Return for one model the rows of its paths into the best induction head, and what their cuts take."""
    tokens, _, known = unseen_blocks(setting, random_periods(setting))
    inputs = tokens[:, :-1]
    scores = head_scores(model, tokens)
    reader = (1, int(scores["induction"][0, 1].argmax()))
    targets = copy_targets(inputs)
    uniform = np.tril(np.ones(targets.shape[1:])) / np.arange(1, targets.shape[1] + 1)[:, None]
    zero = weight_on(np.broadcast_to(uniform, targets.shape), targets).mean()
    plain = weight_on(attention_of(model, inputs, reader)[0], targets).mean()
    base = losses(model, tokens)[0][known].mean()
    rows: list[dict[str, Any]] = []
    lost: dict[str, list[float]] = {role: [] for role in ROLES}
    circuits = {
        "query": weights[1].qk[reader[1]],
        "key": weights[1].qk[reader[1]].T,
        "value": weights[1].ov[reader[1]],
    }
    for writer in range(model.config.heads):
        previous = float(head_profile(attention_of(model, inputs, (0, writer))[0])["previous"].mean())
        for role in ROLES:
            edits = cut(model, inputs, (0, writer), reader, role)
            left = weight_on(attention_of(model, inputs, reader, edits)[0], targets).mean()
            taken = float((plain - left) / (plain - zero))
            lost[role].append(taken)
            rows.append(
                {
                    "writer": (0, writer),
                    "its previous-token weight": previous,
                    "reader": reader,
                    "role": role,
                    "composition": float(composition_score(weights[0].ov[writer], circuits[role])),
                    "deviations above chance": float(
                        composition_excess(weights[0].ov[writer], circuits[role])
                    ),
                    "score lost": taken,
                    "loss gained": float(losses(model, tokens, edits)[0][known].mean() - base),
                }
            )
    by_key = [row["composition"] for row in rows if row["role"] == "key"]
    return {"rows": rows, "lost": lost, "key score": by_key}

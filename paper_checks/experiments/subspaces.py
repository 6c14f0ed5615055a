"""What layer 0 reads of positions and tokens, and in how many directions their embeddings lie."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gpu.small_gpt.export import embeddings, layer_heads
from gpu.small_gpt.heads import head_scores
from paper_checks.experiments.circuits import circuit_models
from paper_checks.experiments.models import random_periods, unseen_blocks, untrained_like
from paper_checks.experiments.result import Outcome, Quantity
from paper_checks.experiments.setting import Setting
from reference.composition import subspace_scores
from reference.spectrum import directions_for, explained


def subspaces(setting: Setting) -> Outcome:
    """Compare how strongly layer 0 reads positions and tokens, for its patterns and for what it moves."""
    model = circuit_models(setting)
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
        question="Does the head that looks back most find its key by position and move the token?",
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


def spectra(setting: Setting) -> Outcome:
    """Compare how many directions token and position embeddings take, trained and not."""
    model = circuit_models(setting)
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

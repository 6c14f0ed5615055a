"""Circuits of two-layer attention-only models: how their heads compose, and whether it matters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gpu.small_gpt.ablation import losses, removing
from gpu.small_gpt.export import layer_heads
from gpu.small_gpt.heads import head_scores
from gpu.small_gpt.model import SmallGPT
from gpu.small_gpt.paths import ROLES, attention_of, cut
from paper_checks.experiments.induction import ABOUT as INDUCTION
from paper_checks.experiments.induction import CLAIM as INDUCTION_CLAIM
from paper_checks.experiments.induction import FOUND, sequence_losses
from paper_checks.experiments.models import (
    Blocks,
    block_models,
    random_periods,
    unseen_blocks,
    untrained_like,
)
from paper_checks.experiments.result import Observation, Outcome, Quantity, quantity
from paper_checks.experiments.setting import Setting
from properties.evidence_ladder import Step
from reference.attention_metrics import head_profile
from reference.composition import composition_excess, composition_score
from reference.induction import copy_targets, weight_on
from reference.multi_head import Heads
from reference.resampling import over_sequences, ratio_of_means

# Cutting a path decides the score when it takes away this share of what lies above uniform attention, and
# leaves it alone when it takes away at most the other.
DECIDES, LEAVES = 0.5, 0.25
# Untrained circuits compose by chance: their largest squared score stays within so many deviations of 1/d.
DEVIATIONS_OF_CHANCE = 5
ABOUT = "a head of layer 0 makes the keys of the induction head"


def composition(setting: Setting) -> Outcome:
    """Find the induction head and the writer whose key path it needs; compare scores with cut paths."""
    model = circuit_models(setting)
    rows, met_all, scores_agree, decides, taken, looks_back = [], [], [], [], [], []
    for m in range(len(model.seeds)):
        found = _of_one(setting, model.only(m), layer_heads(model, m))
        rows += [{"model": m, **row} for row in found["rows"]]
        lost = found["lost"]  # [role][writer]: share of the score above uniform that the cut takes away
        writer = int(np.argmax(lost["key"]))
        elsewhere = max(lost["query"][writer], lost["value"][writer])
        # Shares of next to nothing are anything: there has to be an induction head.
        decides.append(found["score"] > FOUND and lost["key"][writer] >= DECIDES)
        met_all.append(decides[-1] and elsewhere <= LEAVES)
        taken.append(lost["key"][writer])
        looks_back.append(found["previous"][writer])
        scores_agree.append(int(np.argmax(found["key score"])) == writer)
    met = all(met_all)
    even = uniform_previous(setting)
    untrained = untrained_like(model)
    by_chance = max(_largest_excess(layer_heads(untrained, m)) for m in range(len(model.seeds)))
    tokens, _, known = unseen_blocks(setting, random_periods(setting))
    score_by_chance = float(head_scores(untrained, tokens)["induction"].max())
    return Outcome(
        experiment="circuits.composition",
        question="Does the induction head read its keys from a head of layer 0, and does the score tell?",
        criterion=(
            f"In every model a head of layer 1 scores above {FOUND:g}, hiding one head of layer 0 from its "
            f"keys takes away {DECIDES:.0%} or more of its score above uniform attention, and hiding the "
            f"same head from its queries or values {LEAVES:.0%} at most."
        ),
        met=met,
        verdict=(
            f"{'Yes, by intervention' if met else 'Not in every model'}: the cut at the keys takes away "
            f"{', '.join(f'{one:.0%}' for one in taken)}, and only there in {sum(met_all)} of {len(met_all)} "
            f"models. The composition score names the same head in {sum(scores_agree)} of "
            f"{len(scores_agree)} models. That head has {', '.join(f'{one:.2f}' for one in looks_back)} of "
            f"its weight on the token before, uniform attention {even:.2f}: {_called(looks_back)}."
        ),
        quantities=(
            Quantity("models where the cut decides and only at the keys", float(sum(met_all))),
            Quantity("models where the score names the same head", float(sum(scores_agree))),
            *(
                Quantity(f"previous-token weight of the writer, model {m}", one)
                for m, one in enumerate(looks_back)
            ),
            Quantity("previous-token weight of uniform attention", even),
            Quantity("best induction score of untrained heads", score_by_chance),
            Quantity("chance composition, 1/sqrt(d)", 1 / math.sqrt(model.config.width)),
            Quantity("largest key composition of untrained heads, deviations above chance", by_chance),
        ),
        tables={"paths": rows},
        observations=(
            Observation(ABOUT, Step.one_input, any(decides)),
            Observation(ABOUT, Step.many_inputs, all(decides)),
            Observation(
                ABOUT,
                Step.absent_in_random,
                by_chance <= DEVIATIONS_OF_CHANCE and score_by_chance < FOUND / 2,
            ),
            Observation(ABOUT, Step.in_the_data, bool(known.any(axis=1).all())),
            Observation(ABOUT, Step.targeted, met),
            Observation(INDUCTION, Step.targeted, met, INDUCTION_CLAIM),
        ),
        claims=("composition-score", "induction-heads-1-4-1-10", "composition-rotate-180"),
    )


def _called(looks_back: list[float]) -> str:
    """Say whether writers with these weights on the token before may be called previous-token heads."""
    if min(looks_back) > FOUND:
        return "a previous-token head"
    return f"not above {FOUND:g} in every model, too little for a previous-token head"


def uniform_previous(setting: Setting) -> float:
    """Return the previous-token weight of uniform attention to the models' context."""
    T = setting.scale.blocks_context
    return float(head_profile(np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None])["previous"])


def removal(setting: Setting) -> Outcome:
    """Remove the two heads of the circuit, alone and together: a chain interacts negatively.

    The writer is the head of layer 0 with the most weight on the token before, however much that is.
    """
    model = circuit_models(setting)
    tokens, _, known = unseen_blocks(setting, random_periods(setting))
    scores = head_scores(model, tokens)
    rows, chains, holds, left = [], [], [], []
    for m in range(len(model.seeds)):
        one = model.only(m)
        reader = (1, int(scores["induction"][m, 1].argmax()))
        writer = (0, int(scores["previous"][m, 0].argmax()))
        whole = sequence_losses(losses(one, tokens)[0], known)
        alone, other, together = (
            sequence_losses(losses(one, tokens, removing(heads))[0], known) - whole
            for heads in ([writer], [reader], [writer, reader])
        )
        base, first, second, both = (float(of.mean()) for of in (whole, alone, other, together))
        chains.append(over_sequences(together - alone - other, setting.seed))
        holds.append(all(over_sequences(of - whole, setting.seed).low > 0 for of in (alone, other)))
        left.append((both - second) / first)
        rows.append(
            {
                "model": m,
                "writer": writer,
                "reader": reader,
                "loss": base,
                "without writer": first,
                "without reader": second,
                "without both": both,
                "interaction": float(chains[-1].value),
            }
        )
    met = all(one.high < 0 for one in chains) and all(holds)
    return Outcome(
        experiment="circuits.removal",
        question="Do the head that looks back most and the induction head form a chain?",
        criterion=(
            "In every model removing either raises the loss by more than it was, and removing both costs "
            "less than the sum of the two, by intervals over sequences."
        ),
        met=met,
        verdict=(
            f"{'Yes' if met else 'Not in every model'}: the interaction is "
            f"{', '.join(f'{float(one.value):+.2f}' for one in chains)} nats; without the reader the writer "
            f"is worth {', '.join(f'{one:.0%}' for one in left)} of what it is with it. Two heads that each "
            "spoil all there is to lose would do the same, and a cut path tells them apart."
        ),
        quantities=tuple(quantity(f"interaction of model {m}, nats", one) for m, one in enumerate(chains)),
        tables={"models": rows},
        observations=(
            Observation(ABOUT, Step.ablation, all(holds)),
            Observation(INDUCTION, Step.ablation, all(holds), INDUCTION_CLAIM),
        ),
        claims=("negative-means-redundancy", "head-0-7-previous"),
    )


def _largest_excess(weights: tuple[Heads, ...]) -> float:
    """Return by how many deviations the strongest key composition of two layers' heads exceeds chance."""
    writers, readers = weights[0].ov[:, None], weights[1].qk[None].swapaxes(-1, -2)
    return float(np.max(composition_excess(writers, readers)))


def circuit_models(setting: Setting) -> SmallGPT:
    """Return the two-layer attention-only models of blocks of random period."""
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
    zero = np.asarray(weight_on(np.broadcast_to(uniform, targets.shape), targets))  # [N]
    plain = np.asarray(weight_on(attention_of(model, inputs, reader)[0], targets))
    base = losses(model, tokens)[0][known].mean()
    rows: list[dict[str, Any]] = []
    lost: dict[str, list[float]] = {role: [] for role in ROLES}
    looks_back: list[float] = []
    circuits = {
        "query": weights[1].qk[reader[1]],
        "key": weights[1].qk[reader[1]].T,
        "value": weights[1].ov[reader[1]],
    }
    for writer in range(model.config.heads):
        previous = float(head_profile(attention_of(model, inputs, (0, writer))[0])["previous"].mean())
        looks_back.append(previous)
        for role in ROLES:
            edits = cut(model, inputs, (0, writer), reader, role)
            left = weight_on(attention_of(model, inputs, reader, edits)[0], targets)
            taken = over_sequences(ratio_of_means(plain - left, plain - zero), setting.seed)
            lost[role].append(float(taken.value))
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
                    "score lost": float(taken.value),
                    "low": float(taken.low),
                    "high": float(taken.high),
                    "loss gained": float(losses(model, tokens, edits)[0][known].mean() - base),
                }
            )
    by_key = [row["composition"] for row in rows if row["role"] == "key"]
    return {
        "rows": rows,
        "lost": lost,
        "key score": by_key,
        "score": float(plain.mean()),
        "previous": looks_back,
    }

"""What the heads of an attention-only model say of the claims on circuits.

The criteria, fixed before any run, are in the functions' descriptions.
"""

from __future__ import annotations

import math
from typing import Any

from gpu.pretrained.circuits import MOST_VARIANCE, HeadBehaviour, directions_for
from paper_checks.ledger.claim import Claim
from paper_checks.pretrained.experiment import Experiment, require_model, shown
from paper_checks.pretrained.study import Study

# More weight than on all other places together.
MOST_WEIGHT = 0.5
# "High" is among the highest three of a layer's scores, a quarter of twelve.
HIGHEST = 3


def embedding_spectrum(claim: Claim, study: Study) -> dict[str, Any]:
    """Return the line that `circuits.embedding_spectrum` of the ledger reads."""
    require_model(claim, study.sizes)
    shares = study.circuits.spectra
    few = int(claim.numbers["positions"])
    return {
        "name": "embedding_spectrum",
        "part": MOST_VARIANCE,
        "tokens": directions_for(shares["tokens"], MOST_VARIANCE),
        "positions": directions_for(shares["positions"], MOST_VARIANCE),
        "held_by_few_positions": sum(shares["positions"][:few]),
    }


def first_values(claim: Claim, study: Study) -> Experiment:
    """Decide whether the values of layer 0 have two subspaces to choose from.

    Criterion: what the value matrices are applied to differs between two places of the same token.
    """
    require_model(claim, study.sizes)
    sees = study.circuits.values_see_positions
    scores = [one.value for one in study.circuits.reading[0] if "positions" in one.value]
    tokens = sum(one["tokens"] > one["positions"] for one in scores)
    return Experiment(
        claim.id,
        sees,
        "tokens and positions" if sees else "tokens alone: the values of layer 0 see no positions",
        f"The values of one token at two places are {'not ' if sees else ''}made of the same. By composition "
        f"scores {tokens} of {len(scores)} heads read tokens more than positions.",
    )


def previous_token_head(claim: Claim, study: Study) -> Experiment:
    """Decide whether a head attends to the previous token by positions, and copies tokens.

    Criterion: more than half of its weight is on the token before, more than of any other head of its layer;
    on both sides of its QK circuit positions have the higher composition score, in its OV circuit tokens.
    """
    require_model(claim, study.sizes)
    layer, head = numbered(claim.given["head"])
    behaviour, reading = study.circuits.behaviour[layer], study.circuits.reading[layer][head]
    weight = behaviour[head].previous
    most = max(one.previous for one in behaviour)
    sides = {"query": reading.query, "key": reading.key, "value": reading.value}
    told = "; ".join(
        f"{name}: tokens {shown(one['tokens'])}, positions {shown(one['positions'])}"
        for name, one in sides.items()
    )
    by_position = all(one["positions"] > one["tokens"] for one in (reading.query, reading.key))
    return Experiment(
        claim.id,
        weight > MOST_WEIGHT
        and weight == most
        and by_position
        and reading.value["tokens"] > reading.value["positions"],
        f"weight {shown(weight)} on the token before, the layer's largest is {shown(most)}; {told}",
        "Over half of the weight and the most of its layer; positions above tokens in both sides of QK, "
        "tokens above positions in OV, by composition scores.",
    )


def induction_heads(claim: Claim, study: Study) -> Experiment:
    """Decide which heads are induction heads, and through which heads of the first layer.

    Criterion: the named heads have the highest induction scores of all, each nearer, in ratio, to a perfect
    head's 1 than to what uniform attention scores; their K-composition is strongest with the previous-token
    head, and the other head that the claim names is among the highest three.
    """
    require_model(claim, study.sizes)
    heads, previous, other = claim.given["induction"], claim.given["previous"], claim.given["also_high"]
    scores = _induction(study)
    ranked = sorted(scores, key=lambda name: -scores[name])
    least = math.sqrt(study.circuits.uniform_induction)
    found = set(ranked[: len(heads)]) == set(heads) and min(scores[name] for name in heads) > least
    strongest = {name: _readers_of(study, name) for name in heads}
    composed = all(ranks[0] == previous and other in ranks[:HIGHEST] for ranks in strongest.values())
    told = ", ".join(f"{name} {shown(scores[name])}" for name in ranked[: len(heads) + 1])
    keys = "; ".join(f"{name} by {', '.join(ranks[:HIGHEST])}" for name, ranks in strongest.items())
    return Experiment(
        claim.id,
        found and composed,
        f"highest induction scores {told}; strongest K-composition: {keys}",
        f"The named heads score highest, each above {shown(least)} (uniform attention: "
        f"{shown(study.circuits.uniform_induction)}), through {previous} most, {other} in the "
        f"highest {HIGHEST}.",
    )


def first_token(claim: Claim, study: Study) -> Experiment:
    """Decide whether induction heads attend to the first token where nothing repeats.

    Criterion: over half of the weight, for each of the named heads.
    """
    require_model(claim, study.sizes)
    weights = {name: _of(study, name).first for name in claim.given["induction"]}
    begins = "the token that begins a sequence" if study.sizes.begin is not None else "a random token"
    return Experiment(
        claim.id,
        min(weights.values()) > MOST_WEIGHT,
        ", ".join(f"{name} {shown(weight)}" for name, weight in weights.items()),
        f"Mean weight on the first token, {begins}, of queries among {study.circuits.period} distinct "
        "tokens; over half is the default.",
    )


def numbered(head: str) -> tuple[int, int]:
    """Return the layer and the number of a head such as 0.7."""
    layer, number = head.split(".")
    return int(layer), int(number)


def _of(study: Study, head: str) -> HeadBehaviour:
    layer, number = numbered(head)
    return study.circuits.behaviour[layer][number]


def _induction(study: Study) -> dict[str, float]:
    return {
        f"{layer}.{head}": one.induction
        for layer, heads in enumerate(study.circuits.behaviour)
        for head, one in enumerate(heads)
    }


def _readers_of(study: Study, head: str) -> list[str]:
    """Return the heads of the first layer, those first that the keys of `head` read most."""
    layer, number = numbered(head)
    scores = study.circuits.reading[layer][number].key
    return sorted((name for name in scores if name.startswith("0.")), key=lambda name: -scores[name])

"""The predictions as JSON: one object, the same for the same corpus, setting and seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from paper_checks.prediction.comparison import Compared
from paper_checks.prediction.facts import Facts
from paper_checks.prediction.forecast import Prediction, json_number, loss_curve
from paper_checks.prediction.setting import Setting
from paper_checks.prediction.why import what_would_give_it
from properties.predictions.sampling import Noise
from properties.tolerances import CONFIDENCE


def as_json(
    facts: Facts, setting: Setting, predictions: Sequence[Prediction], compared: Sequence[Compared]
) -> dict[str, Any]:
    """Return everything that was predicted, how, and what was published."""
    corpus = facts.corpus
    return {
        "corpus": {
            "name": corpus.name,
            "digest": corpus.digest,
            "sequences": corpus.sequences,
            "length": corpus.length,
            "vocab_size": corpus.vocab_size,
        },
        "setting": asdict(setting),
        "confidence": CONFIDENCE,
        "sampling": _sampling(facts),
        "corrections_from": facts.corrections,
        "predictions": [_prediction(one) for one in predictions],
        "loss_curve": loss_curve(facts, setting),
        "published": [compared_as_json(one) for one in compared],
    }


def _prediction(one: Prediction) -> dict[str, Any]:
    numbers = {name: json_number(getattr(one, name)) for name in ("value", "low", "high")}
    return {
        "id": one.id,
        "title": one.title,
        **numbers,
        "ends": one.ends,
        "law": one.law,
        "reliable": one.reliable,
    }


def compared_as_json(one: Compared) -> dict[str, Any]:
    """Return a published number, its prediction and how they agree."""
    number = one.published
    return {
        "prediction": number.prediction,
        "published": number.value,
        "printed": number.printed,
        "relation": number.relation,
        "says": number.says,
        "source": number.source,
        "claims": list(number.claims),
        "setting": asdict(number.setting),
        "vocab_size": number.vocab_size,
        "length": number.length,
        "predicted": None if one.prediction is None else _prediction(one.prediction),
        "verdict": one.verdict,
        "left_out": number.left_out,
        "would_give_it": what_would_give_it(one),
    }


def _sampling(facts: Facts) -> dict[str, Any]:
    closed = {
        "sample": facts.sample,
        "B_bar_rho_of_positions": json_number(facts.bigram.positions),
        "B_bar_rho_of_sequences": json_number(facts.bigram.sequences),
        "design_effect": json_number(facts.bigram.design_effect),
    }
    if facts.dealt is None:
        return closed
    return {
        **closed,
        "groups": facts.dealt.groups,
        "group_size": facts.dealt.group_size,
        "left_out": facts.dealt.left_out,
        "seed": facts.dealt.seed,
        "excess": {group: json_number(scatter.excess) for group, scatter in facts.dealt.scatter.items()},
        "rho": {group: _noise(scatter.noise(facts.sample)) for group, scatter in facts.dealt.scatter.items()},
    }


def _noise(noise: Noise) -> dict[str, float | int | None]:
    ends = {"rho": noise.rho, "low": noise.low, "high": noise.high}
    return {name: json_number(value) for name, value in {**ends, **asdict(noise.ratio)}.items()}

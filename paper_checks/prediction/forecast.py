"""Every prediction for one setting, from the facts of a corpus: each with its law and, where one follows, an
interval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from paper_checks.prediction.facts import Facts
from paper_checks.prediction.setting import Setting
from properties.predictions.ablation import ablation_effects
from properties.predictions.alignment import (
    Deviation,
    both_turns,
    deviation,
    horizon_is_known,
    last_step_aligned,
    layer_spread,
)
from properties.predictions.attention import FLOAT32_BLIND, first_step_seen, score_scale
from properties.predictions.expansion import GROUPS, amounts
from properties.predictions.loss import loss_terms
from properties.predictions.sampling import entry_deviation
from properties.tolerances import CONFIDENCE, UNIT_ROUNDOFF, WIDEST_BAND

# The cosines whose last step is predicted.
COSINES = (0.99, 0.9, 0.7)
# Half the width of a normal interval, in standard deviations.
REACH = float(ndtri((1 + CONFIDENCE) / 2))

# What the ends of a prediction are. Only the first is about chance.
INTERVAL, SIZES, SEEN = "95% interval", "rms and largest value", "what float32 shows of the 95% interval"

Entry = tuple[str, str, str]
"""A group, and two words: the row and the column."""


@dataclass(frozen=True)
class Prediction:
    """One predicted number.

    Attributes:
        id: `kind.weight`, permanent.
        title: what it is, for people.
        value: the number; nan where the corpus does not determine it.
        law: the law that gives it.
        low: the lower of its two ends, None where none follow.
        high: the upper one.
        reliable: whether the terms of its series shrink at this setting.
        ends: what they are: an interval at the stated confidence, or something else.
    """

    id: str
    title: str
    value: float
    law: str
    low: float | None = None
    high: float | None = None
    reliable: bool = True
    ends: str = INTERVAL


def forecast(facts: Facts, setting: Setting, entries: tuple[Entry, ...] = ()) -> list[Prediction]:
    """Return all predictions of a setting."""
    return [
        *_weights(facts, setting),
        *_cosines(facts, setting),
        *_entries(facts, setting, entries),
        *_losses(facts, setting),
        *_effects(facts, setting),
        *_scores(facts, setting),
    ]


def weights(setting: Setting) -> list[tuple[str, int, str]]:
    """Return (group, layer, name) of every weight: W_O, V 0, V 1, ..."""
    layers = range(setting.layers)
    return [("W_O", 0, "W_O"), *((g, layer, f"{g} {layer}") for g in GROUPS[1:] for layer in layers)]


def deviations(facts: Facts, setting: Setting) -> dict[str, Deviation]:
    """Return how each weight differs from its leading term."""
    return {
        name: deviation(group, facts.directions[group], setting.rate, setting.steps, layer, setting.layers)
        for group, layer, name in weights(setting)
    }


def _weights(facts: Facts, setting: Setting) -> Iterator[Prediction]:
    next_law = "next order; terms that a large vocabulary leaves"
    found = deviations(facts, setting)
    for name, one in found.items():
        half = _half_width_of_norm(facts, setting, name)
        norm = one.norm * math.sqrt(_square_ratio(facts, setting, name.split()[0], facts.corrections))
        low, high = (None, None) if half is None else (norm * (1 - half), norm * (1 + half))
        yield Prediction(f"norm.{name}", f"|{name}|", norm, f"Theorem 4.1; {next_law}", low, high, one.said)
        yield Prediction(
            f"next_order.{name}", f"|next order of {name}| / |leading term|", one.following, "next order"
        )
        yield Prediction(
            f"beyond.{name}", f"|terms beyond of {name}| / |leading term|", one.second, "large vocabulary"
        )
        yield Prediction(
            f"turn.{name}",
            f"1 - cos of {name}, full batch",
            one.cosine_loss,
            next_law,
            reliable=one.shrinking,
        )
    for group, layer, name in weights(setting):
        never = math.nan if facts.directions[group].vanish else math.inf
        for least in COSINES:
            last = last_step_aligned(
                group, facts.directions[group], setting.rate, layer, setting.layers, least
            )
            yield Prediction(
                f"last_step.{least:g}.{name}",
                f"last step with a cosine of {least:g}, {name}, full batch",
                never if last is None else last,
                next_law,
                reliable=horizon_is_known(
                    group, facts.directions[group], setting.rate, last, layer, setting.layers
                ),
            )
    for group in GROUPS[1:]:
        spread = layer_spread(group, facts.directions[group], setting.rate, setting.steps, setting.layers)
        yield Prediction(
            f"spread.{group}",
            f"largest distance of a layer of {group} from their mean",
            spread,
            "layer separation",
            reliable=_shrinks(found, group),
        )


def _shrinks(found: Mapping[str, Deviation], *groups: str) -> bool:
    """Whether in every layer the terms beyond the leading one are well below it, or all are zero."""
    return all(one.said for name, one in found.items() if name.split()[0] in groups)


def _half_width_of_norm(facts: Facts, setting: Setting, name: str) -> float | None:
    """Return the relative half-width of a norm's interval: half that of its square."""
    return None if facts.dealt is None else _half_width_of_square(facts, setting, name.split()[0]) / 2


def _half_width_of_square(facts: Facts, setting: Setting, group: str) -> float:
    """Return the relative half-width for |x|^2 of what is trained on; 0 where it is not known.

    The corpus that it is computed from is a draw, and so are the sequences trained on: variances add up.
    """
    if facts.dealt is None:
        return 0.0
    both = 1 / (1 / facts.corpus.sequences + 1 / setting.training_sample)
    return facts.dealt.scatter[group].half_width_of_square(both)


def _square_ratio(facts: Facts, setting: Setting, group: str, known: int) -> float:
    """Return the |x|^2 to expect of what is trained on over that of `known` sequences; 1 if not known."""
    if facts.dealt is None:
        return 1.0
    return facts.dealt.scatter[group].square_ratio(setting.training_sample, known)


def _loss_terms(facts: Facts, setting: Setting, steps: int) -> tuple[float, ...]:
    """Return the loss's terms after some steps, the first with the |B_bar|^2 of what is trained on."""
    start, first, *others = loss_terms(facts.loss, setting.rate, steps, setting.layers)
    return start, first * _square_ratio(facts, setting, "W_O", facts.corpus.sequences), *others


def _cosines(facts: Facts, setting: Setting) -> Iterator[Prediction]:
    """Of each group the worst layer: a sample's noise, and what the terms beyond add to it."""
    if facts.dealt is None:
        return
    found, all_of_them = deviations(facts, setting), []
    for group in GROUPS:
        of_layers = [found[name] for g, _, name in weights(setting) if g == group]
        noise = facts.dealt.scatter[group].noise(setting.statistics_sample)
        expected, least, most = noise.cosine(
            setting.statistics_sample, setting.training_sample, nested=setting.nested
        )
        law = "sampling, by random groups"
        yield Prediction(
            f"sampling.{group}", f"cosine of {group}, sampling alone", 1 - expected, law, 1 - most, 1 - least
        )
        turns = [one.cosine_loss for one in of_layers]
        if any(map(math.isnan, turns)):  # a weight that is zero has no direction
            expected = least = most = math.nan
        all_of_them.append(
            Prediction(
                f"cosine.{group}",
                f"cosine of {group} with its statistic",
                1 - both_turns(expected, max(turns)),
                f"{law}; terms beyond",
                1 - both_turns(most, max(turns)),
                1 - both_turns(least, min(turns)),
                all(one.shrinking for one in of_layers),
            )
        )
    yield from all_of_them
    matrices = [one for one in all_of_them if one.id != "cosine.P"]
    # A weight without a direction is left out of them.
    worst = min(matrices, key=lambda one: math.inf if math.isnan(one.value) else one.value)
    yield replace(worst, id="cosine.least", title="least cosine of W_O, V and W")


def _entries(facts: Facts, setting: Setting, entries: tuple[Entry, ...]) -> Iterator[Prediction]:
    corpus, N, found = facts.corpus, facts.corpus.sequences, deviations(facts, setting)
    for group, first, second in entries:
        i, j = corpus.number(first), corpus.number(second)
        for g, layer, name in weights(setting):
            if g != group or group == "P":
                continue
            c = amounts(group, setting.rate, setting.steps, layer, setting.layers)
            each = [float(d[i, j]) for d in facts.directions[group].all]
            leading = _leading_entry(facts, group, i, j)
            corrections = sum(a * d for a, d in zip(c[1:], each[1:], strict=True))
            value, title = float(c[0] * leading + corrections), f"{name}['{first}', '{second}']"
            low = high = None
            if group == "W_O":
                own = entry_deviation(corpus.tokens, i, j, corpus.vocab_size)
                half = REACH * own * c[0] * math.sqrt(1 / N + 1 / setting.training_sample)
                low, high = value - half, value + half
            known = found[name].said
            yield Prediction(
                f"entry.{name}[{first}, {second}]", title, value, "Theorem 4.1", low, high, known
            )
        if group == "W_O":
            own = entry_deviation(corpus.tokens, i, j, corpus.vocab_size)
            half = REACH * own * math.sqrt(1 / N + 1 / setting.statistics_sample)
            value = _leading_entry(facts, group, i, j)
            yield Prediction(
                f"statistic.B_bar[{first}, {second}]",
                f"B_bar['{first}', '{second}'], {setting.statistics_sample:,} sequences",
                value,
                "eq. 9; sampling",
                value - half,
                value + half,
            )


def _leading_entry(facts: Facts, group: str, i: int, j: int) -> float:
    """Return an entry of the leading direction on the whole corpus."""
    statistics = facts.statistics
    if group == "V":
        return float(statistics["Phi_bar"][:, i] @ statistics["B_bar"][j])
    return float(statistics["B_bar" if group == "W_O" else "Q_bar"][i, j])


def _losses(facts: Facts, setting: Setting) -> Iterator[Prediction]:
    yield Prediction("loss.start", "loss before the first step", math.log(facts.corpus.vocab_size), "uniform")
    terms = _loss_terms(facts, setting, setting.steps)
    # What the next order adds is not known; the last known one says whether the series converges here.
    shrinking = all(abs(term) < WIDEST_BAND * abs(terms[1]) or not any(terms[1:]) for term in terms[2:])
    yield Prediction("loss.end", "loss after the last step", sum(terms), "loss, to eta^3", reliable=shrinking)


def loss_curve(facts: Facts, setting: Setting, points: int = 9) -> list[dict[str, float | int | bool]]:
    """Return the loss at steps spread evenly from 0 to the last, to first order and to third."""
    curve: list[dict[str, float | int | bool]] = []
    for s in sorted({round(setting.steps * k / (points - 1)) for k in range(points)}):
        terms = _loss_terms(facts, setting, s)
        curve.append(
            {
                "step": s,
                "first_order": sum(terms[:2]),
                "loss": sum(terms),
                "reliable": not any(terms[1:]) or abs(terms[3]) + abs(terms[2]) < WIDEST_BAND * abs(terms[1]),
            }
        )
    return curve


def _effects(facts: Facts, setting: Setting) -> Iterator[Prediction]:
    effects = ablation_effects(facts.squares, facts.own, setting.rate, setting.steps)
    found = deviations(facts, setting)
    # The spacing of float32 at the loss's starting value: differences below half of it round away.
    blind = math.log(facts.corpus.vocab_size) * UNIT_ROUNDOFF["float32"]
    for group, effect in effects.items():
        rise = effect.rise * _square_ratio(facts, setting, group, facts.corpus.sequences)
        # The sequences evaluated on are a draw, and so is the corpus.
        of_corpus = rise * _half_width_of_square(facts, setting, group)
        half = math.hypot(REACH * effect.deviation / math.sqrt(setting.evaluated_on), of_corpus)
        of = group if group == "W_O" else f"{group} of one layer"
        shrinking = _shrinks(found, group)
        yield Prediction(
            f"ablation.{group}",
            f"rise of the loss without {of}'s leading term",
            rise,
            "ablation",
            rise - half,
            rise + half,
            reliable=shrinking,
        )
        value, low, high = (one if one > blind else 0.0 for one in (rise, rise - half, rise + half))
        yield Prediction(
            f"float32.ablation.{group}",
            f"the same in float32, {of}, on one token",
            value,
            f"rounding: below {blind:.1e} a float32 loss does not change",
            low,
            high,
            shrinking,
            ends=SEEN,
        )


def _scores(facts: Facts, setting: Setting) -> Iterator[Prediction]:
    scale = score_scale(facts.statistics, facts.evaluated, setting.rate, setting.steps)
    law, known = "attention's departure", _shrinks(deviations(facts, setting), "W", "P")
    yield Prediction(
        "score.size",
        "scores by token, each row less its mean: rms",
        scale.token_score_rms,
        law,
        scale.token_score_rms,
        scale.token_score_largest,
        known,
        ends=SIZES,
    )
    yield Prediction("attention.departure", "largest |A - A0|", scale.departure_largest, law, reliable=known)
    yield Prediction("attention.departure_rms", "rms of A - A0", scale.departure_rms, law, reliable=known)
    seen = scale.departure_largest if scale.float32_sees else 0.0
    yield Prediction(
        "float32.attention",
        "largest |A - A0| that float32 sees",
        seen,
        f"rounding: scores within {FLOAT32_BLIND:.0e} of each other have equal weights",
        reliable=known,
    )
    first = first_step_seen(scale, setting.steps)
    yield Prediction(
        "float32.first_step",
        "first step at which float32 attention can move",
        math.inf if first is None else first,
        "rounding; attention's departure",
    )


def json_number(value: float | None) -> float | int | None:
    """Return a number that JSON has: None for nan and infinity."""
    if value is None or not math.isfinite(value):
        return None
    return value if isinstance(value, int) else float(np.float64(value))

"""Neighbours of a word under the three maps, ranked on a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, NotGiven
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting
from paper_checks.prediction.published import published_numbers
from reference.corpus import Corpus

# Draws of random word lists that a category's hit rate is compared with, and the share it must exceed.
DRAWS = 500
EXCEEDED = 0.99


def _require(text: Corpus, words: Sequence[str]) -> None:
    """Refuse a text without a word that a claim is about.

    Raises:
        NotGiven: a word is not in the vocabulary.
    """
    missing = [word for word in words if word not in text.vocabulary]
    if missing:
        raise NotGiven(f"a text with the word {missing[0]}")


def ranks(text: Corpus, scores: np.ndarray, words: Sequence[str]) -> dict[str, int]:
    """Return the rank of each word by descending score [V], from 1."""
    _require(text, words)
    order = np.argsort(-scores, kind="stable")
    place = np.empty(len(order), dtype=int)
    place[order] = np.arange(1, len(order) + 1)
    return {word: int(place[text.number(word)]) for word in words}


def _without_frequency(setting: Setting) -> np.ndarray:
    """Return the square roots of the words' shares: dividing by them takes half of the frequency out."""
    text = setting.given_text()
    counts = np.bincount(text.tokens[:, :-1].ravel(), minlength=text.vocab_size)
    shares: np.ndarray = np.sqrt(np.maximum(counts, 1) / counts.sum())
    return shares


def listed(claim: Claim, text: Corpus, readings: Mapping[str, Mapping[str, int]]) -> Finding:
    """Judge lists whose ranking is not stated: they hold if a reading puts every word in the top.

    Where none does, they are refuted if every reading ranks a word in the lower half, among what it speaks
    against, and otherwise open, since the text is not the one that was counted. A text of fewer sequences
    than the published statistics are of refutes nothing: there ranks are a matter of which were drawn.

    Args:
        claim: gives `top`, the last rank that counts.
        text: whose words are ranked.
        readings: from how words are ranked to the rank of each listed word.
    """
    counted = published_numbers()[0].setting.statistics_sample
    top, size, enough = int(claim.given["top"]), text.vocab_size, len(text.tokens) >= counted
    outside = {
        words: [f"{word} {rank}" for word, rank in found.items() if rank > top]
        for words, found in readings.items()
    }
    fitting = [words for words, missing in outside.items() if not missing]
    first = next(iter(readings))
    judged_by = fitting[0] if fitting else first
    against = [[word for word, rank in found.items() if 2 * rank > size] for found in readings.values()]
    opposed = against[0]
    told = [f"Ranked by {judged_by}."]
    for words, missing in outside.items():
        if words != judged_by:
            told.append(f"By {words} {'all are in' if not missing else 'outside are ' + ', '.join(missing)}.")
    return Finding(
        "holds" if fitting else "refuted" if all(against) and enough else "inconclusive",
        "measured",
        "ranks " + ", ".join(f"{word} {rank}" for word, rank in readings[judged_by].items()),
        derivation=f"Outside of the top {top}: {', '.join(outside[judged_by]) or 'none'}."
        + (
            ""
            if enough
            else f" The text has {len(text.tokens):,} sequences, the published count {counted:,}."
        )
        + (f" Of {size:,} words, these are in the lower half: {', '.join(opposed)}." if opposed else ""),
        convention=" ".join(told),
    )


@decides("fish-neighbours")
def three_maps_of_a_word(claim: Claim, setting: Setting) -> Finding:
    """Rank by B_bar, Sigma_B and Phi_bar."""
    text, found, given = setting.given_text(), setting.text_statistics, claim.given
    _require(text, [given["word"]])
    word = text.number(given["word"])
    near = {
        **ranks(text, found["B_bar"][word], given["bigram"]),
        **ranks(text, found["Sigma_B"][word], given["roles"]),
    }
    context = found["Phi_bar"][word]
    return listed(
        claim,
        text,
        {
            "the maps' entries": {**near, **ranks(text, context, given["context"])},
            "context entries over the root of the context word's share": {
                **near,
                **ranks(text, context / _without_frequency(setting), given["context"]),
            },
        },
    )


@decides("birds-context")
def contexts_of_a_word(claim: Claim, setting: Setting) -> Finding:
    """Rank by Phi_bar."""
    text = setting.given_text()
    _require(text, [claim.given["word"]])
    context = setting.text_statistics["Phi_bar"][text.number(claim.given["word"])]
    words = claim.given["context"]
    return listed(
        claim,
        text,
        {
            "the map's entries": ranks(text, context, words),
            "entries over the root of the context word's share": ranks(
                text, context / _without_frequency(setting), words
            ),
        },
    )


@decides("template-bias-path")
def path_through_roles(claim: Claim, setting: Setting) -> Finding:
    """Rank by Sigma_B and by Sigma_B Phi_bar."""
    text, found, given = setting.given_text(), setting.text_statistics, claim.given
    _require(text, [given["word"]])
    word = text.number(given["word"])
    roles = ranks(text, found["Sigma_B"][word], given["roles"])
    composed = found["Sigma_B"][word] @ found["Phi_bar"]

    def with_roles(scores: np.ndarray) -> dict[str, int]:
        return {
            **{f"{name} (role)": rank for name, rank in roles.items()},
            **ranks(text, scores, given["composed"]),
        }

    return listed(
        claim,
        text,
        {
            "the maps' entries": with_roles(composed),
            "the size of the entries, of either sign": with_roles(np.abs(composed)),
        },
    )


@decides("paper-fig5-neighbours")
def figure_of_the_paper(claim: Claim, setting: Setting) -> Finding:
    """Rank each list by its map."""
    text, found, given = setting.given_text(), setting.text_statistics, claim.given
    _require(text, [given[f"{name}_of"] for name in ("bigram", "roles", "context")])
    rows = {
        name: found[which][text.number(given[f"{name}_of"])]
        for name, which in (("bigram", "B_bar"), ("roles", "Sigma_B"), ("context", "Phi_bar"))
    }
    near = {**ranks(text, rows["bigram"], given["bigram"]), **ranks(text, rows["roles"], given["roles"])}
    lighter = rows["context"] / _without_frequency(setting)
    return listed(
        claim,
        text,
        {
            "the maps' entries": {**near, **ranks(text, rows["context"], given["context"])},
            "context entries over the root of the context word's share": {
                **near,
                **ranks(text, lighter, given["context"]),
            },
        },
    )


def hit_rate(best: np.ndarray, numbers: Sequence[int]) -> float:
    """Return the share of hits: `best` [V, n + 1] are each word's best, itself perhaps among them."""
    inside, nearest = set(numbers), best.shape[1] - 1
    hits = sum(
        len(inside.intersection([other for other in best[word].tolist() if other != word][:nearest]))
        for word in numbers
    )
    return float(hits / (nearest * len(numbers)))


@decides("category-hit-rates", tried="one text, beside random lists of words")
def categories(claim: Claim, setting: Setting) -> Finding:
    """Count hits in each category and in random lists of the same length."""
    text, nearest = setting.given_text(), int(claim.given["nearest"])
    Sigma_B = setting.text_statistics["Sigma_B"]
    best = np.argsort(-Sigma_B, axis=1, kind="stable")[:, : nearest + 1]
    rng = np.random.default_rng(setting.seed)
    rates, beaten = {}, {}
    for name in claim.numbers:
        _require(text, claim.given[name])
        numbers = [text.number(word) for word in claim.given[name]]
        rates[name] = hit_rate(best, numbers)
        draws = [rng.choice(text.vocab_size, len(numbers), replace=False).tolist() for _ in range(DRAWS)]
        beaten[name] = float(np.mean([hit_rate(best, draw) < rates[name] for draw in draws]))
    stated = sorted(claim.numbers, key=lambda name: -float(claim.numbers[name].rstrip("%")))
    order_met = sorted(rates, key=lambda name: -rates[name]) == stated
    above = [name for name, share in beaten.items() if share >= EXCEEDED]
    return Finding(
        "holds" if order_met and above and stated[-1] not in above else "inconclusive",
        "measured",
        ", ".join(f"{name} {rate:.1%}" for name, rate in rates.items()),
        derivation=f"Above {EXCEEDED:.0%} of {DRAWS} random lists: {', '.join(above) or 'none'}; chance is "
        f"(n - 1)/(V - 1).",
    )

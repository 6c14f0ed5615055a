"""Each published number beside what is predicted for the run that it comes from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from paper_checks.prediction.facts import Facts
from paper_checks.prediction.forecast import Prediction, forecast
from paper_checks.prediction.published import Published, published_entries, published_numbers
from paper_checks.prediction.setting import Setting
from reference.errors import counted

Verdict = Literal["inside", "outside", "holds", "fails", "out of reach", "not predicted", "other sizes"]


@dataclass(frozen=True)
class Compared:
    """A published number, the prediction for its run on this corpus, and how they agree.

    `verdict` is "inside" or "outside" the interval for a number; "holds" or "fails" for one that is only
    bounded from below; "out of reach" where the series of the prediction does not converge; "not predicted"
    where the corpus gives no prediction; and "other sizes" where its vocabulary or length is not the run's.
    """

    published: Published
    prediction: Prediction | None
    verdict: Verdict


def compare(facts: Facts) -> list[Compared]:
    """Compare every published number, each at its own setting.

    A named entry is left out where its words are not in the vocabulary.
    """
    known = set(facts.corpus.vocabulary)
    entries = tuple(e for e in published_entries() if known >= {e[1], e[2]})
    made: dict[Setting, dict[str, Prediction]] = {}
    found = []
    for number in published_numbers():
        if not known >= set(number.words):
            continue
        if number.setting not in made:
            made[number.setting] = {p.id: p for p in forecast(facts, number.setting, entries)}
        prediction = made[number.setting].get(number.prediction)
        same = (facts.corpus.vocab_size, facts.corpus.length) == (number.vocab_size, number.length)
        found.append(Compared(number, prediction, verdict(number, prediction) if same else "other sizes"))
    return found


# How the score tells each verdict, in its order.
TOLD: dict[Verdict, str] = {
    "inside": "inside the interval",
    "outside": "outside",
    "holds": "a bound that holds",
    "fails": "a bound that fails",
    "out of reach": "out of reach",
    "not predicted": "not predicted",
    "other sizes": "of other sizes",
}


def score(compared: Sequence[Compared]) -> str:
    """Return in a sentence how many published numbers have each verdict."""
    found = Counter(one.verdict for one in compared)
    parts = ", ".join(f"{words} {found[name]}" for name, words in TOLD.items() if found[name])
    return f"Score of {counted(len(compared), 'published number')}: {parts or 'none'}."


def verdict(number: Published, prediction: Prediction | None) -> Verdict:
    """Return how a published number and a prediction agree."""
    if prediction is None or not math.isfinite(prediction.value):
        return "not predicted"
    if not prediction.reliable:
        return "out of reach"
    if number.relation == "above":
        return "holds" if prediction.value > number.value else "fails"
    low = prediction.value if prediction.low is None else prediction.low
    high = prediction.value if prediction.high is None else prediction.high
    # A printed number stands for all that round to it.
    return "inside" if low - number.half_unit <= number.value <= high + number.half_unit else "outside"


def matching(compared: Sequence[Compared], setting: Setting) -> dict[str, Compared]:
    """Return the comparisons of the run that is asked for, by the id of the prediction."""
    return {
        one.published.prediction: one
        for one in compared
        if one.published.setting == setting and one.published.relation != "above"
    }

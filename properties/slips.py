"""What slips are called, and what a failure says of them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from properties.sizes import Power

KINDS = {
    "transposed": "It is transposed: right with its two axes swapped. Look for a transpose that is missing "
    "or one too many, or declare `orientation`.",
    "negated": "It is negated: right with the other sign. Look for a gradient where its negative is meant, "
    "or a difference taken the wrong way round.",
    "not divided by NT": "It is not divided by NT: a sum over all positions where their mean is meant.",
    "uniform part not subtracted": "The uniform part is not subtracted: look for the 1/V in Y - 1/V.",
    "divided by N": "It is divided by the number of sequences N: the mean is over all NT positions.",
    "1/t missing": "The 1/t is missing: a sum over the prefix of position t where its mean is meant.",
    "position t excluded": "Position t is excluded from its own prefix: look for k < t where k <= t is "
    "meant.",
    "no causal mask": "There is no causal mask: position t reads words 1..t, none after it.",
    "target off by one": "The target is off by one: that of position t is word t + 1, no other.",
    "padding counted": "Padding is counted: N sequences of T + 1 words have NT targets; neither a sum nor "
    "its divisor may hold more.",
    "float32": "It is float32 where float64 is declared: look for an array made in float32, or declare "
    "dtype float32.",
    "float32 inside": "It is off by no more than float32 rounds: look for a step that is computed "
    "in float32.",
    "not repeatable": "It answers otherwise when it is asked the same again: look for dropout that is "
    "left on, a start that is random, or an array that is kept from call to call.",
    "changed in place": "It changes what it is given: look for `+=`, `out=` or an assignment into "
    "an argument, and work on a copy.",
    "not from zero": "It does not start from zero: before any step not all that it answers is zero. Look for "
    "a start that is drawn, parameters that are kept from the call before, or what is added to an answer.",
    "of another length": "It is along what is right, and of another length in each case: look for what is "
    "clipped or normalised, or a factor that goes with the corpus.",
    "transposed and negated": "It is transposed and negated: right with its axes swapped and the other sign.",
    "reversed": "It is reversed: its first entry is that of the farthest key, not of the position itself.",
    "all zero": "Every entry is zero: look for what is never written to, or a step that is never made.",
}

STATISTICS = ("B_bar", "Phi_bar", "Sigma_B", "G_bar", "Q_bar", "Delta_bar")

# More slips than this that explain an answer explain nothing.
MOST_SLIPS = 3


@dataclass(frozen=True)
class Slip:
    """A known slip: its name, and what the failure says of it."""

    name: str
    sentence: str

    def made_in(self, places: Collection[str], compared: str) -> Slip:
        """Return the slip with where it is made, where what is compared follows from other statistics."""
        if not places or any(place in compared for place in places):
            return self
        where = " and ".join(place for place in STATISTICS if place in places)
        return replace(self, sentence=f"{self.sentence} It is made in {where}, from which this follows.")

    @property
    def shown(self) -> dict[str, str]:
        """The slip as a counterexample shows it."""
        return {"looks_like": self.name, "diagnosis": self.sentence}


def known(name: str) -> Slip:
    """Return the slip of a kind, or one that is told by its own clause."""
    return Slip(name, KINDS.get(name, f"It is right but for one slip: {name}."))


def scaled(factor: float) -> Slip:
    """Return the slip of a constant factor."""
    told = f"multiplied by {_as_text(factor)}"
    return Slip(told, f"It is {told}, in every entry: look for a constant factor{_meaning(factor)}.")


def sized(powers: Collection[Power]) -> Slip | None:
    """Return the slip of a factor that is a size of the corpus, which may be one of a few; None for many."""
    told = {f"multiplied by {power.text}": power.text for power in powers}
    if not 0 < len(told) <= MOST_SLIPS:
        return None
    sizes = " or ".join(told.values())
    return Slip(" or ".join(told), f"It is multiplied by {sizes}, in every entry: look for a sum or a mean.")


def _as_text(factor: float) -> str:
    for whole, text in ((factor, "{}"), (1 / factor, "1/{}")):
        if round(whole) >= 2 and math.isclose(whole, round(whole)):
            return text.format(round(whole))
    return f"{factor:.6g}"


def _meaning(factor: float) -> str:
    meanings = {1 / math.log(2): "bits where nats are meant", math.log(2): "nats where bits are meant"}
    return "".join(f", such as {why}" for known, why in meanings.items() if math.isclose(factor, known))


def either(slips: Mapping[str, Slip]) -> Slip | None:
    """Return the one slip, or that it is one of a few which nothing tells apart; None for many."""
    if len(slips) == 1:
        return next(iter(slips.values()))
    if len(slips) > MOST_SLIPS:
        return None
    names = sorted(slips)
    return Slip(" or ".join(names), f"It is right but for one slip: either {', or '.join(names)}.")

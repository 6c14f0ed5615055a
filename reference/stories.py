"""Small stories from a probabilistic grammar: the corpus that is there when no file is given.

The stories show on a small scale what the theory speaks of. Openings repeat ("once upon a time"), so that
frequent contexts have something to dominate; each place has its animals, so that a word early in a story
says which animal follows much later (Phi_bar); feelings share the frame "was ..." and colours stand beside
sizes, so that words are exchangeable without being alike in meaning (Sigma_B).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import TypeVar

Option = TypeVar("Option")

PLACES: dict[str, tuple[str, ...]] = {
    "pond": ("fish", "frog", "duck"),
    "forest": ("fox", "bear", "owl"),
    "farm": ("pig", "cow", "hen"),
    "garden": ("bee", "snail", "robin"),
}
FEELINGS = ("happy", "sad", "proud", "scared", "tired", "angry")
COLOURS = ("red", "blue", "green", "yellow")
SIZES = ("big", "small", "tiny")
NAMES = (("lily", "she"), ("tom", "he"), ("mia", "she"), ("ben", "he"))
MOVES = ("ran", "walked", "went", "came")
THINGS = ("ball", "boat", "hat", "kite")
OPENINGS = ("once upon a time , there was", "one day , there was", "long ago , there was")
ENDINGS = ("they were friends ever after .", "then they went home .", "it was a good day .")


def stories(count: int, seed: int) -> list[str]:
    """Return `count` stories, the same for the same seed on every machine.

    Only `random.Random.random` is drawn from, whose numbers Python specifies to the bit for a given seed.
    """
    chance = random.Random(seed)
    return [" ".join(_story(chance)) for _ in range(count)]


def _story(chance: random.Random) -> Iterator[str]:
    place = _pick(chance, tuple(PLACES))
    name, pronoun = _pick(chance, NAMES)
    yield f"{_pick(chance, OPENINGS)} a {_pick(chance, SIZES)} {place} ."
    yield f"{name} {_pick(chance, MOVES)} to the {place} . {pronoun} was {_pick(chance, FEELINGS)} ."
    for _ in range(_pick(chance, (2, 3, 4))):
        yield _pick(chance, (_animal, _thing, _feeling))(chance, place, pronoun)
    yield _pick(chance, ENDINGS)


def _animal(chance: random.Random, place: str, pronoun: str) -> str:
    animal = _pick(chance, PLACES[place])
    return f"in the {place} {pronoun} saw a {_pick(chance, SIZES)} {_pick(chance, COLOURS)} {animal} ."


def _thing(chance: random.Random, place: str, pronoun: str) -> str:
    owner = _pick(chance, PLACES[place])
    thing = f"{_pick(chance, COLOURS)} {_pick(chance, THINGS)}"
    return f"the {owner} had a {thing} and {pronoun} was {_pick(chance, FEELINGS)} ."


def _feeling(chance: random.Random, place: str, pronoun: str) -> str:
    return f"the {_pick(chance, PLACES[place])} was {_pick(chance, FEELINGS)} and {pronoun} was too ."


def _pick(chance: random.Random, options: Sequence[Option]) -> Option:
    return options[int(chance.random() * len(options))]

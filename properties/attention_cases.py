"""Attention maps and sequences to try metrics on: causal rows that sum to 1 exactly, in any precision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from properties.cases import Cases

# Weights are whole numbers of this part of 1, so that float32 holds a row and its sum exactly.
PARTS = 64


@dataclass(frozen=True)
class MapsCase:
    """Two causal attention maps [T, T], their mixing share and a period in 1..T-1 (1 where T is 1)."""

    first: np.ndarray
    second: np.ndarray
    share: float
    period: int


@dataclass(frozen=True)
class SequenceCase:
    """Tokens [T] in which one recurs, and a causal attention map [T, T]."""

    tokens: np.ndarray
    attention: np.ndarray


@dataclass(frozen=True)
class LogitsOfHeadsCase:
    """Heads with independent Gaussian logits: how many, of T positions, of what variance, from which seed."""

    heads: int
    length: int
    variance: float
    seed: int


def causal_map(length: int, seed: int) -> np.ndarray:
    """Return a [T, T] causal map of weights in parts of 64; some rows lie on one key, some are spread."""
    rng = np.random.default_rng(seed)
    attention = np.zeros((length, length))
    for t in range(length):
        liking = rng.dirichlet(np.full(t + 1, rng.choice([0.05, 1.0, 20.0])))
        attention[t, : t + 1] = rng.multinomial(PARTS, liking) / PARTS
    return attention


@st.composite
def _maps(draw: st.DrawFn) -> MapsCase:
    length = draw(st.integers(1, 9))
    seeds = st.integers(0, 2**16)
    return MapsCase(
        causal_map(length, draw(seeds)),
        causal_map(length, draw(seeds)),
        share=draw(st.sampled_from([0.0, 0.25, 0.5, 1.0])),
        period=draw(st.integers(1, max(1, length - 1))),
    )


@st.composite
def _sequences(draw: st.DrawFn) -> SequenceCase:
    words = draw(st.integers(1, 4))
    # One token more than there are words: some token recurs.
    tokens = draw(st.lists(st.integers(0, words - 1), min_size=words + 1, max_size=9))
    attention = causal_map(len(tokens), draw(st.integers(0, 2**16)))
    return SequenceCase(np.array(tokens, dtype=np.int64), attention)


MAPS = Cases(_maps(), MapsCase(causal_map(7, 1), causal_map(7, 2), share=0.25, period=3))
_RECURRING = np.array([0, 1, 2, 1, 0, 1, 2, 2])
RECURRING = Cases(_sequences(), SequenceCase(_RECURRING, causal_map(len(_RECURRING), 3)))
LOGITS_OF_HEADS = Cases(
    st.builds(
        LogitsOfHeadsCase,
        heads=st.just(48),
        length=st.integers(2, 16),
        variance=st.sampled_from([2.0**-8, 2.0**-6, 2.0**-4]),
        seed=st.integers(0, 3),
    ),
    LogitsOfHeadsCase(heads=48, length=24, variance=2.0**-4, seed=0),
)

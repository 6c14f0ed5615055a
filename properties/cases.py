"""What checks are tried on: Hypothesis strategies, and the same kinds of case taken from a given corpus.

Cases are valid by construction and biased to the awkward: one position, one sequence, one word, words that
never occur, repeats and ties. Every number in them is a small dyadic fraction, so that float32 and float64
implementations are given exactly the same input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from hypothesis import strategies as st

from reference.corpus import Corpus


@dataclass(frozen=True)
class CorpusCase:
    """Tokens [N, T+1] over a vocabulary of V."""

    tokens: np.ndarray
    vocab_size: int


@dataclass(frozen=True)
class DescentCase(CorpusCase):
    """A full-batch descent from zero on those tokens."""

    layers: int
    rate: float
    steps: int


@dataclass(frozen=True)
class ModelCase(CorpusCase):
    """Those tokens, and parameters away from zero: W_O [V, V], V and W [L, V, V], P [L, T]."""

    W_O: np.ndarray
    V: np.ndarray
    W: np.ndarray
    P: np.ndarray

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        """The parameters as the protocol's mapping, fresh arrays each time."""
        return {name: getattr(self, name).copy() for name in ("W_O", "V", "W", "P")}

    @property
    def layers(self) -> int:
        """L."""
        return len(self.V)


@dataclass(frozen=True)
class LengthCase:
    """A number of positions T and a period that goes into it."""

    length: int
    period: int


@dataclass(frozen=True)
class LengthsCase:
    """Numbers of positions T, to see a law along."""

    lengths: tuple[int, ...]


@dataclass(frozen=True)
class MatrixCase:
    """Two square matrices [n, n] and a scale."""

    first: np.ndarray
    second: np.ndarray
    scale: float


@dataclass(frozen=True)
class StepsCase:
    """A number of steps, and of layers."""

    steps: int
    layers: int


@dataclass(frozen=True)
class SizesCase:
    """The size of all corpora at once: V words, T positions; and a number of layers."""

    vocab_size: int
    length: int
    layers: int


@dataclass(frozen=True)
class UpdatesCase(CorpusCase):
    """Steps with rates (quarters of eta) and batches that differ: a whole-number weight a sequence."""

    layers: int
    rates: tuple[int, ...]
    batches: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class EdgeCase(CorpusCase):
    """A descent at or near the edge of a theorem's window."""

    layers: int
    rate: float
    steps: int


@dataclass(frozen=True)
class SettingCase:
    """Sizes and a rate numerator / T, at least 1 / T, that a theorem may speak of."""

    vocab_size: int
    length: int
    layers: int
    numerator: int
    steps: int


@dataclass(frozen=True)
class TableCase:
    """A table of the package that is held as a whole, by its file name."""

    file: str


@dataclass(frozen=True)
class RoomsCase:
    """Two rooms that are to be independent of each other, and a module that is a third route."""

    rooms: tuple[str, str]
    third: str


@dataclass(frozen=True)
class LogitsCase:
    """A vector of logits [d]."""

    z: np.ndarray


@dataclass(frozen=True)
class Cases:
    """How to draw a kind of case, one that is always tried, and how to make one of a corpus.

    The ordinary case is in general position: several layers, sequences, words and positions, nothing
    symmetric. A few drawn cases alone can all be degenerate in the one way that hides a slip.
    """

    strategy: st.SearchStrategy[Any]
    ordinary: Any
    of_corpus: Callable[[Corpus], Any] | None = None


def describe(case: Any) -> dict[str, Any]:
    """Return a case as plain JSON values; arrays of more than 400 entries by their shape."""
    return {field.name: _plain(getattr(case, field.name)) for field in fields(case)}


def _plain(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    return value.tolist() if value.size <= 400 else f"array of shape {list(value.shape)}"


@st.composite
def _tokens(draw: st.DrawFn, *, most_words: int = 5, most_positions: int = 6) -> CorpusCase:
    vocab_size = draw(st.integers(1, most_words))
    positions = draw(st.integers(1, most_positions))
    sequences = draw(st.integers(1, 4))
    # Words above the largest drawn one stay unseen.
    word = st.integers(0, draw(st.integers(0, vocab_size - 1)))
    row = st.lists(word, min_size=positions + 1, max_size=positions + 1)
    rows = draw(st.lists(row, min_size=sequences, max_size=sequences))
    return CorpusCase(np.array(rows, dtype=np.int64), vocab_size)


@st.composite
def _descents(draw: st.DrawFn, *, steps: st.SearchStrategy[int]) -> DescentCase:
    corpus = draw(_tokens(most_words=4, most_positions=5))
    rate = 2.0 ** -draw(st.integers(1, 8))
    layers = draw(st.integers(1, 3))
    return DescentCase(corpus.tokens, corpus.vocab_size, layers, rate, draw(steps))


_TWENTY_FOUR_BITS = st.integers(-16, 16).map(lambda n: n / 16)


@st.composite
def _models(draw: st.DrawFn) -> ModelCase:
    corpus = draw(_tokens(most_words=4, most_positions=5))
    V, T, L = corpus.vocab_size, corpus.tokens.shape[1] - 1, draw(st.integers(1, 3))
    return ModelCase(
        corpus.tokens,
        V,
        W_O=_array(draw, V, V),
        V=_array(draw, L, V, V),
        W=_array(draw, L, V, V),
        P=_array(draw, L, T),
    )


def _array(draw: st.DrawFn, *shape: int) -> np.ndarray:
    size = int(np.prod(shape))
    # A seed draws most entries, so that large arrays stay cheap; shrinking ends in the explicit small one.
    if draw(st.booleans()):
        return np.array(draw(st.lists(_TWENTY_FOUR_BITS, min_size=size, max_size=size))).reshape(shape)
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    return rng.integers(-16, 17, shape) / 16


@st.composite
def _updates(draw: st.DrawFn) -> UpdatesCase:
    corpus = draw(_tokens(most_words=3, most_positions=3))
    sequences, steps = len(corpus.tokens), draw(st.integers(2, 4))
    batch = st.lists(st.integers(0, 2), min_size=sequences, max_size=sequences).filter(any).map(tuple)
    return UpdatesCase(
        corpus.tokens,
        corpus.vocab_size,
        layers=draw(st.integers(1, 2)),
        rates=draw(st.lists(st.integers(1, 8), min_size=steps, max_size=steps).map(tuple)),
        batches=draw(st.lists(batch, min_size=steps, max_size=steps).map(tuple)),
    )


@st.composite
def _short_descents(draw: st.DrawFn) -> DescentCase:
    corpus = draw(_tokens(most_words=3, most_positions=4))
    layers, steps = draw(st.integers(1, 2)), draw(st.integers(1, 4))
    return DescentCase(corpus.tokens, corpus.vocab_size, layers, rate=2.0**-5, steps=steps)


@st.composite
def _matrices(draw: st.DrawFn) -> MatrixCase:
    size = draw(st.integers(1, 5))
    scale = draw(st.sampled_from([-3.0, 0.25, 0.5, 2.0, 1024.0]))
    return MatrixCase(_array(draw, size, size), _array(draw, size, size), scale)


@st.composite
def _lengths(draw: st.DrawFn) -> LengthCase:
    period = draw(st.integers(1, 12))
    return LengthCase(length=period * draw(st.integers(2, 5)), period=period)


def edges(*, steps: tuple[int, ...], vocab_size: int, ends: Mapping[int, tuple[int, float]]) -> Cases:
    """Return descents with `steps` * rate up to the end of a window, the end itself included.

    `ends` gives for each number of layers the number of positions T and the largest s eta. Few words occur,
    in a cycle, by chance or alone, so that the statistics are as large as they can be.
    """

    def descent(words: int, seed: int, layer_count: int, step_count: int, share: float) -> EdgeCase:
        length, progress = ends[layer_count]
        rng = np.random.default_rng(seed)
        tokens = (
            rng.integers(0, words, (2, length + 1))
            if seed % 2
            else (np.add.outer(np.arange(2), np.arange(length + 1)) % words)
        )
        # Rounded down to 20 bits: inside the window, and the same number in every precision.
        rate = np.floor(share * progress / step_count * 2**20) / 2**20
        return EdgeCase(tokens.astype(np.int64), vocab_size, layer_count, float(rate), step_count)

    strategy = st.builds(
        descent,
        words=st.integers(1, 6),
        seed=st.integers(0, 100),
        layer_count=st.sampled_from(sorted(ends)),
        step_count=st.sampled_from(steps),
        share=st.sampled_from([1.0, 1.0, 0.5, 0.125]),
    )
    return Cases(strategy, descent(5, 1, max(ends), steps[-1], 1.0))


@st.composite
def _logits(draw: st.DrawFn) -> LogitsCase:
    size, scale = draw(st.integers(1, 8)), draw(st.sampled_from([2.0**-10, 0.25, 1.0, 4.0]))
    return LogitsCase(scale * _array(draw, size))


def _whole(corpus: Corpus) -> CorpusCase:
    return CorpusCase(corpus.tokens, corpus.vocab_size)


def _slice(corpus: Corpus) -> Corpus:
    return corpus.slice(sequences=8, length=min(corpus.length, 24))


def _exact_slice(corpus: Corpus) -> CorpusCase:
    """Two sequences at full length: long prefixes, and still few enough words for exact arithmetic."""
    return _whole(corpus.slice(sequences=2, length=corpus.length))


def _descent_on(corpus: Corpus, steps: int = 4) -> DescentCase:
    part = _slice(corpus)
    return DescentCase(part.tokens, part.vocab_size, layers=2, rate=2.0**-6, steps=steps)


def _model_on(corpus: Corpus) -> ModelCase:
    part = _slice(corpus)
    V, T, L = part.vocab_size, part.length, 2
    rng = np.random.default_rng(0)
    shapes = {"W_O": (V, V), "V": (L, V, V), "W": (L, V, V), "P": (L, T)}
    # Entries of size 1/V keep the activations of the size of the one-hot rows.
    drawn = {name: rng.integers(-16, 17, shape) / 16 / 2 ** V.bit_length() for name, shape in shapes.items()}
    return ModelCase(part.tokens, V, **drawn)


# a b a d c d / c a a d d d / d c b a d c, in general position: every statistic has the rank V - 1, which is
# the highest that centring leaves, none has a zero entry, and none is symmetric but Sigma_B.
_TOKENS = np.array([[0, 1, 0, 3, 2, 3], [2, 0, 0, 3, 3, 3], [3, 2, 1, 0, 3, 2]])
_ORDINARY = CorpusCase(_TOKENS, 4)


def _ordinary_descent(steps: int, layers: int = 3) -> DescentCase:
    return DescentCase(_TOKENS, 4, layers, rate=2.0**-5, steps=steps)


def _ordinary_model() -> ModelCase:
    rng = np.random.default_rng(32)  # a seed with no two distances alike, and of those the sharpest bounds
    shapes = {"W_O": (4, 4), "V": (3, 4, 4), "W": (3, 4, 4), "P": (3, 5)}
    return ModelCase(
        _TOKENS, 4, **{name: rng.integers(-16, 17, shape) / 32 for name, shape in shapes.items()}
    )


def _ordinary_matrices() -> MatrixCase:
    rng = np.random.default_rng(2)
    return MatrixCase(rng.integers(-16, 17, (4, 4)) / 16, rng.integers(-16, 17, (4, 4)) / 16, scale=-3.0)


_CORPUS = _tokens()
CORPORA = Cases(_CORPUS, _ORDINARY, _whole)
SMALL_CORPORA = Cases(_CORPUS, _ORDINARY)
EXACT_CORPORA = Cases(_CORPUS, _ORDINARY, _exact_slice)
ONE_STEP = Cases(_descents(steps=st.just(1)), _ordinary_descent(1), lambda corpus: _descent_on(corpus, 1))
TWO_STEPS = Cases(_descents(steps=st.just(2)), _ordinary_descent(2), lambda corpus: _descent_on(corpus, 2))
DESCENTS = Cases(_descents(steps=st.integers(1, 5)), _ordinary_descent(4), _descent_on)
LATER_STEPS = Cases(_descents(steps=st.integers(3, 6)), _ordinary_descent(4), _descent_on)
MODELS = Cases(_models(), _ordinary_model(), _model_on)
SMALL_DESCENTS = Cases(_descents(steps=st.integers(3, 5)), _ordinary_descent(4, layers=2))
SHORT_DESCENTS = Cases(_short_descents(), _ordinary_descent(4))
UPDATES = Cases(_updates(), UpdatesCase(_TOKENS, 4, 2, (4, 1, 6), ((1, 0, 1), (0, 2, 1), (1, 1, 1))))
_SIZES = st.sampled_from([SizesCase(1, 1, 1), SizesCase(1, 3, 2), SizesCase(2, 1, 2)])
SIZES = Cases(_SIZES, SizesCase(2, 2, 2))
# One order further the check of a certificate runs many more corpora; a layer less keeps it to seconds.
SIZES_NEXT = Cases(_SIZES, SizesCase(2, 2, 1))
LENGTHS = Cases(_lengths(), LengthCase(length=24, period=6))
LOGITS = Cases(_logits(), LogitsCase(np.array([1.5, -0.25, 0.75, -2.0])))
SETTINGS = Cases(
    st.builds(
        SettingCase,
        vocab_size=st.integers(1, 5000),
        length=st.integers(1, 2000),
        layers=st.integers(1, 12),
        numerator=st.integers(1, 50),
        steps=st.integers(1, 5000),
    ),
    SettingCase(3000, 200, 3, 1, 5),
)
# At 150 digits a parameter costs a forward pass: two layers, two words, and one corpus for all runs.
_TWO_WORDS = DescentCase(
    np.array([[0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 0, 1]]), 2, layers=2, rate=2.0**-8, steps=3
)
THIRD_ROUTE = Cases(st.just(_TWO_WORDS), _TWO_WORDS)
_LADDER = LengthsCase(tuple(2**k for k in range(1, 8)))
LADDER = Cases(st.just(_LADDER), _LADDER)
_STATEMENTS = TableCase("statements.toml")
STATEMENTS = Cases(st.just(_STATEMENTS), _STATEMENTS)
_ROOMS = RoomsCase(("theory", "reference"), "properties.arbitrary_precision")
ROOMS = Cases(st.just(_ROOMS), _ROOMS)
MATRICES = Cases(_matrices(), _ordinary_matrices())
STEPS = Cases(st.builds(StepsCase, steps=st.integers(0, 60), layers=st.integers(1, 8)), StepsCase(7, 3))

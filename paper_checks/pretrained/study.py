"""A pretrained model at some checkpoints, compared with the theory of a corpus, and its heads examined."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from gpu.pretrained.alignment import LayerAlignment, Theory, alignments, theory_of
from gpu.pretrained.circuits import Circuits, circuits
from gpu.pretrained.loading import load_model, model_folder
from gpu.pretrained.text import model_tokenizer, token_sequences, tokenizer_file
from gpu.pretrained.token_blocks import most_frequent, token_blocks
from gpu.pretrained.token_model import Sizes, TokenModel
from reference.corpus import shuffled
from reference.errors import InputError
from reference.sources import find_source

Told = Callable[[str, int, int], None]
MAIN = "main"


@dataclass(frozen=True)
class CorpusOptions:
    """The text that the theory is computed from, and how it is cut."""

    path: Path
    length: int
    layout: Literal["document", "stream"]
    tokenizer: Path | None
    most_tokens: int


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint's cosines, layer by layer, with the training step that its name tells, if it does."""

    revision: str
    layers: list[LayerAlignment]

    @property
    def step(self) -> int | None:
        """The number of steps in a name such as step512."""
        found = re.search(r"step_?(\d+)", self.revision)
        return int(found[1]) if found else None


@dataclass(frozen=True)
class Comparison:
    """A model's checkpoints beside the theory.

    Attributes:
        checkpoints: in the order given.
        untrained: the same architecture with random weights.
        best_rank_one: the largest cosine that rank one can have, by kind.
        orientation: the cosines of the covariances of Q_bar and of its transpose, see `Theory`.
        corpus: facts about the text, for people.
        tokens: n, the tokens that are compared.
        megabytes: what the comparison holds at once, besides the model's weights.
    """

    checkpoints: list[Checkpoint]
    untrained: list[LayerAlignment]
    best_rank_one: dict[str, float | None]
    orientation: dict[str, float | None]
    corpus: dict[str, Any]
    tokens: int
    megabytes: float


@dataclass(frozen=True)
class Study:
    """What was found of a model.

    Attributes:
        model: its name or folder, as given.
        revisions: the checkpoints' names; the heads are those of the last.
        sizes: what it is made of.
        circuits: what its heads do and read.
        comparison: with the theory, if a corpus was given.
        seed: of random sequences, weights and the shuffled corpus.
        device: where it was computed.
    """

    model: str
    revisions: list[str]
    sizes: Sizes
    circuits: Circuits
    comparison: Comparison | None
    seed: int
    device: str


def study(
    place: str,
    revisions: Sequence[str],
    corpus: CorpusOptions | None,
    *,
    device: str,
    seed: int,
    told: Told = lambda what, done, of: None,
) -> Study:
    """Examine a model.

    Args:
        place: a folder or a name on the hub, see `gpu.pretrained.loading`.
        revisions: the checkpoints; the model as it is when there are none.
        corpus: what to compare it with; the last checkpoint's heads alone are examined when there is none.
        device: "cpu", "cuda" or "cuda:NUMBER".
        seed: of all that is random.
        told: called with what is being done, how much of it is done, and of how much.

    Raises:
        InputError: the model, the tokenizer or the corpus cannot be had.
    """
    names: list[str | None] = list(dict.fromkeys(revisions)) or [None]
    names = names if corpus is not None else names[-1:]
    for name in names:
        model_folder(place, name)  # before any work is done
    tokens = None if corpus is None else _tokens(place, names[0], corpus)
    theory: Theory | None = None
    ids = np.zeros(0, dtype=np.int64)
    checkpoints, model, sizes = [], None, None
    for done, name in enumerate(names):
        told(f"loading {name or MAIN}", done, len(names))
        model = load_model(place, name, device)
        if sizes not in (None, model.sizes):
            raise InputError(f"{place} at {name} is a model of other sizes than at {names[0]}; run it alone.")
        sizes = model.sizes
        if tokens is None or corpus is None:
            continue
        if theory is None:
            ids = most_frequent(tokens, corpus.most_tokens)
            theory = _theory(tokens, ids, sizes.vocab_size, device, seed, told)
        checkpoints.append(Checkpoint(name or MAIN, _aligned(model, ids, theory, name or MAIN, told)))
    assert model is not None
    assert sizes is not None
    found = circuits(model, seed)
    comparison = None
    if theory is not None and corpus is not None and tokens is not None:
        untrained = _aligned(model.untrained(seed), ids, theory, "random weights", told)
        comparison = Comparison(
            checkpoints,
            untrained,
            theory.best_rank_one,
            theory.orientation,
            _facts(corpus, tokens),
            len(ids),
            _megabytes(len(ids), sizes),
        )
    revised = [name or MAIN for name in names]
    return Study(place, revised, sizes, found, comparison, seed, device)


def _tokens(place: str, revision: str | None, corpus: CorpusOptions) -> np.ndarray:
    documents = list(find_source(str(corpus.path)).documents())
    if corpus.tokenizer is not None:
        numbers = tokenizer_file(corpus.tokenizer)
    else:
        numbers = model_tokenizer(place, revision)
    return token_sequences(
        documents, numbers, length=corpus.length, layout=corpus.layout, name=corpus.path.name
    )


def _theory(
    tokens: np.ndarray, ids: np.ndarray, vocab_size: int, device: str, seed: int, told: Told
) -> Theory:
    if int(tokens.max()) >= vocab_size:
        raise InputError(
            f"The tokenizer gives the number {tokens.max()}, and the model has {vocab_size:,} tokens; "
            "give the tokenizer that the model was trained with."
        )

    def passes(what: str) -> Callable[[int, int], None]:
        return lambda which, done: told(f"{what}, pass {which} of 2", done, len(tokens))

    blocks = token_blocks(tokens, vocab_size, ids, passes("counting"))
    control = token_blocks(shuffled(tokens, seed), vocab_size, ids, passes("counting, shuffled"))
    return theory_of(blocks, control, device)


def _aligned(
    model: TokenModel, ids: np.ndarray, theory: Theory, name: str, told: Told
) -> list[LayerAlignment]:
    return alignments(model, ids, theory, lambda done, of: told(f"{name}: layers", done, of))


def _facts(corpus: CorpusOptions, tokens: np.ndarray) -> dict[str, Any]:
    return {
        "name": corpus.path.name,
        "sequences": tokens.shape[0],
        "length": tokens.shape[1] - 1,
        "layout": corpus.layout,
        "digest": hashlib.sha256(tokens.astype("<i8").tobytes()).hexdigest(),
    }


def _megabytes(n: int, sizes: Sizes) -> float:
    """Return the size of the five covariances, the streams, and what is at hand of one layer."""
    d, L = sizes.width, sizes.layers
    return (5 * 8 * n * n + 4 * n * d * (2 * L + 1) + 8 * n * (n + 3 * d)) / 1e6

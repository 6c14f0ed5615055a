"""What experiments run on: how large, from which seed, on which text. Equal settings train once."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reference.errors import InputError
from reference.memory import physical_memory


@dataclass(frozen=True)
class Scale:
    """The sizes of a profile.

    Attributes:
        models: how many seeds are trained.
        random_models: how many untrained ones are measured beside them.
        stories: how many are generated where no text is given.
        vocab_size, context, layers, heads, width, deviation: of the models of text.
        steps, batch, rate: of their training.
        windows: test windows that effects are measured on.
        blocks_vocab, blocks_context, blocks_width, blocks_steps, blocks_rate: of the models of repeated
            blocks.
        probe_windows: windows whose activations probes are fitted to.
        directions: random directions that a removal is compared with.
        depths: numbers of layers to compare; none leaves that experiment out.
        poem_steps: of training models of poems like the published one.
        poem_contexts: context lengths to compare on poems.
        poems, poem_characters: how many poems profiles of heads are of, and how much of each.
    """

    name: str
    models: int
    random_models: int
    stories: int
    vocab_size: int
    context: int
    layers: int
    heads: int
    width: int
    deviation: float
    steps: int
    batch: int
    rate: float
    windows: int
    blocks_vocab: int
    blocks_context: int
    blocks_width: int
    blocks_steps: int
    blocks_rate: float
    probe_windows: int
    directions: int
    depths: tuple[int, ...]
    poem_steps: int
    poem_contexts: tuple[int, ...]
    poems: int
    poem_characters: int


SCALES = {
    "quick": Scale(
        name="quick",
        models=2,
        random_models=20,
        stories=1500,
        vocab_size=200,
        context=24,
        layers=2,
        heads=4,
        width=48,
        deviation=0.05,
        steps=250,
        batch=16,
        rate=5e-3,
        windows=128,
        blocks_vocab=32,
        blocks_context=32,
        blocks_width=64,
        blocks_steps=300,
        blocks_rate=8e-3,
        probe_windows=160,
        directions=40,
        depths=(),
        poem_steps=250,
        poem_contexts=(4, 8, 24),
        poems=3,
        poem_characters=12,
    ),
    "full": Scale(
        name="full",
        models=3,
        random_models=40,
        stories=12000,
        vocab_size=1202,
        context=64,
        layers=2,
        heads=4,
        width=128,
        deviation=0.02,
        steps=1000,
        batch=16,
        rate=2e-3,
        windows=256,
        blocks_vocab=48,
        blocks_context=40,
        blocks_width=96,
        blocks_steps=800,
        blocks_rate=5e-3,
        probe_windows=400,
        directions=100,
        depths=(2, 4, 8),
        poem_steps=4000,
        poem_contexts=(8, 16, 128),
        poems=3,
        poem_characters=24,
    ),
}


@dataclass(frozen=True)
class Setting:
    """A scale, the first seed, and the text: a file with its tokenizer, or the generated stories."""

    scale: Scale
    seed: int = 0
    corpus: Path | None = None
    tokenizer: str = "words"

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the trained models."""
        return tuple(range(self.seed, self.seed + self.scale.models))

    def told(self) -> dict[str, Any]:
        """Return the setting as plain values."""
        text = "generated stories" if self.corpus is None else self.corpus.name
        return {"profile": self.scale.name, "seed": self.seed, "text": text, **asdict(self.scale)}


def check_memory(scale: Scale) -> None:
    """Refuse models of text of which a step of training cannot fit into the memory there is.

    Counted is what a step keeps in float32 whatever else it does: weights, gradients and the two moments of
    Adam, 12 d^2 numbers a layer and more; and scores and weights of attention, L H T^2 of each a sequence.

    Raises:
        InputError: they are more; it says which is.
    """
    there = physical_memory()
    L, H, T, d, V = scale.layers, scale.heads, scale.context, scale.width, scale.vocab_size
    weights = 4 * 4 * scale.models * (12 * L * d**2 + (2 * V + T) * d)
    maps = 4 * 2 * scale.models * scale.batch * L * H * T**2
    if there is not None and weights + maps > there:
        told = "--width" if weights > maps else "--context"
        raise InputError(
            f"{scale.models} models of {L} layers of {H} heads, {d} features and {T} tokens need "
            f"{(weights + maps) / 2**30:,.0f} GiB to train, and there are {there / 2**30:,.0f}; give a "
            f"smaller {told}, or fewer --layers."
        )


def scale_of(profile: str) -> Scale:
    """Return the sizes of a profile.

    Raises:
        InputError: there is no such profile.
    """
    if profile not in SCALES:
        raise InputError(f"There is no profile '{profile}' of experiments; give {' or '.join(SCALES)}.")
    return SCALES[profile]

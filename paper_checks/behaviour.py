"""Direction beside effect: how far each weight is along its leading term, and what that part of it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from paper_checks.alignment_nulls import OTHER, SHUFFLED
from paper_checks.corpus_controls import OtherCorpus
from paper_checks.fastest import statistics_of
from properties.predictions.ablation import factors, of_sequence
from properties.predictions.sampling import leading_directions
from reference.alignment import cosine
from reference.corpus import Corpus, shuffled
from reference.effects import along, loss_change

GROUPS = ("W_O", "V", "W", "P")
RANDOM_DRAWS = 8
# Numbers of one array of activations or scores: 16 MiB.
AT_ONCE = 2**21

Told = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Behaviour:
    """One weight.

    Attributes:
        cosine: with its leading term.
        predicted: rise of the loss on the sequences when that part is removed, by the law, in nats a token.
        measured: the same on the model, in float64.
        random: the same for parts of equal length along random directions, one a draw.
        controls: for the projection on other corpora's leading terms, by name.
    """

    cosine: float
    predicted: float
    measured: float
    random: tuple[float, ...]
    controls: dict[str, float]


def trained_weights(
    corpus: Corpus, layers: int, rate: float, steps: int, told: Told = lambda what, done, of: None
) -> dict[str, np.ndarray]:
    """Return the weights after full-batch descent from zero in float64, with torch where it is installed.

    `told` hears of each step with torch, and of the first without.
    """
    told("training", 0, steps)
    if find_spec("torch") is None:
        from reference.descent import train

        return train(corpus.tokens, corpus.vocab_size, layers, rate, steps)
    from gpu.training import Outputs, train_model
    from gpu.training_settings import Settings

    settings = Settings(
        corpus.vocab_size, layers, rate, steps, corpus.sequences, dtype="float64", shuffled=False
    )
    outputs = Outputs(told=lambda entry: told("training", entry.step, steps))
    return train_model(corpus.tokens, settings, outputs=outputs)


def behaviour(
    corpus: Corpus,
    weights: Mapping[str, np.ndarray],
    other: OtherCorpus,
    *,
    rate: float,
    steps: int,
    sequences: int,
    seed: int,
    told: Told,
) -> dict[str, Behaviour]:
    """Return what removing each of the weights' part along its leading term does, W_O, V 0, V 1, ...

    The loss is that of `sequences` sequences of the corpus, drawn at random; random directions come from the
    same seed.
    """
    chance = np.random.default_rng(seed)
    tokens = corpus.tokens[chance.permutation(corpus.sequences)[:sequences]]
    statistics = statistics_of(corpus.tokens, corpus.vocab_size)
    directions = {
        "": leading_directions(corpus.tokens, statistics),
        SHUFFLED: _leading(shuffled(corpus.tokens, seed), corpus.vocab_size),
        OTHER: _leading(other.tokens, corpus.vocab_size),
    }
    # What these sequences lose, which is not what the whole corpus does.
    own = np.mean([of_sequence(statistics, sequence) for sequence in tokens], axis=0)
    amount, squares = factors(rate, steps), dict(zip(GROUPS, own, strict=True))
    names = [
        (group, layer) for group in GROUPS for layer in range(1 if group == "W_O" else len(weights["V"]))
    ]
    found = {}
    for n, (group, layer) in enumerate(names):
        name = group if group == "W_O" else f"{group} {layer}"
        told(name, n, len(names))
        weight = weights[group] if group == "W_O" else weights[group][layer]

        def rise(part: np.ndarray, group: str = group, layer: int = layer) -> float:
            """By how much the loss rises without a part of the weight."""
            change = np.zeros_like(weights[group])
            change[... if group == "W_O" else layer] = -part
            return _loss_change(weights, {group: change}, tokens)

        leading = directions[""][group]
        part = along(weight, leading)
        size = float(np.linalg.norm(part))
        found[name] = Behaviour(
            cosine=cosine(weight, leading),
            predicted=amount[group] * float(squares[group]),
            measured=rise(part),
            random=tuple(
                rise(_of_length(chance.normal(size=weight.shape), size)) for _ in range(RANDOM_DRAWS)
            ),
            controls={
                control: rise(along(weight, directions[control][group]))
                for control in (SHUFFLED, OTHER)
                if directions[control][group].shape == weight.shape
            },
        )
    return found


def _leading(tokens: np.ndarray, vocab_size: int) -> dict[str, np.ndarray]:
    return leading_directions(tokens, statistics_of(tokens, vocab_size))


def _loss_change(
    weights: Mapping[str, np.ndarray], change: Mapping[str, np.ndarray], tokens: np.ndarray
) -> float:
    """The mean over sequences, as many at a time as AT_ONCE holds: what is of all weights is done for all."""
    T, V = tokens.shape[1] - 1, len(weights["W_O"])
    each = max(1, AT_ONCE // (T * max(T, V)))
    parts = [tokens[n : n + each] for n in range(0, len(tokens), each)]
    return sum(loss_change(weights, change, part) * len(part) for part in parts) / len(tokens)


def _of_length(direction: np.ndarray, length: float) -> np.ndarray:
    return np.asarray(direction * (length / np.linalg.norm(direction)))

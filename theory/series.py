"""Full-batch descent from zero as power series in eta over the rationals, for one corpus.

After s steps each parameter is a power series in eta with rational coefficients: all gradients are
polynomials in the parameters and in softmax maps, and softmax of a series without constant term needs only
rational arithmetic. Nothing is approximated: coefficient k here is the k-th derivative at eta = 0 of what a
run with rate eta would give, over k!.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq, fmpq_mat

from theory import descent
from theory.corpus import ExactCorpus, Rows, check_corpus
from theory.one_hot import constants

_ONE, _NONE = fmpq(1), fmpq(0)

Progress = Callable[[int, int], None]

Kept = Mapping[str, int]
"""The highest order to keep in each group: keys W_O, V, W, P."""


@dataclass(frozen=True)
class SeriesParameters:
    """Coefficients of eta^0..eta^K: W_O[order], V and W[layer][order] are [V, V]; P[layer][order] is [T].

    P is by distance. The orders kept may differ between the groups.
    """

    W_O: list[fmpq_mat]
    V: list[list[fmpq_mat]]
    W: list[list[fmpq_mat]]
    P: list[list[list[fmpq]]]

    def group(self, name: str) -> list[list[fmpq_mat]]:
        """[layer][order] of one group as matrices: P as [T, 1], and W_O as if it had a single layer."""
        if name == "W_O":
            return [self.W_O]
        if name == "P":
            return [[fmpq_mat(len(d), 1, d) for d in layer] for layer in self.P]
        return {"V": self.V, "W": self.W}[name]


def descend(
    tokens: Rows,
    vocab_size: int,
    layers: int,
    steps: int,
    order: int,
    weights: Sequence[Any] | None = None,
    progress: Progress | None = None,
) -> SeriesParameters:
    """The series of all parameters to eta^order after `steps` full-batch steps from zero (Theorem 4.1).

    `tokens` [N, T+1] with ids below `vocab_size`; `weights` [N] gives each sequence's share (1/N by default).
    `progress(done, steps)` is called before each step. Nothing is refused for its cost; see `theory.cost`.

    Raises:
        ValueError: a bad corpus, layers < 1, steps < 0 or order < 0.
    """
    return trajectory(tokens, vocab_size, layers, steps, order, weights, progress)[-1]


@dataclass(frozen=True)
class Update:
    """One step of a general descent: its rate in units of eta, and the weight [N] of each sequence.

    A weight of 0 leaves a sequence out; the weights of a mean over the batch sum to one. None is the whole
    corpus.
    """

    rate: fmpq = _ONE
    weights: Sequence[fmpq] | None = None


def descend_by(
    tokens: Rows,
    vocab_size: int,
    layers: int,
    updates: Sequence[Update],
    order: int | Kept,
    *,
    momentum: fmpq = _NONE,
    start: SeriesParameters | None = None,
) -> list[SeriesParameters]:
    """The series before the first update and after each, for any rates, batches, momentum and start.

    The velocity is u <- momentum u + gradient. `start` gives the parameters as series of eta (so a start of
    size eta^2 is a coefficient at order 2; order 0 must vanish), kept at least to `order`; None is zero.

    Raises:
        ValueError: a bad corpus or a start that does not vanish at eta = 0.
    """
    corpus = check_corpus(tokens, vocab_size)
    kept = kept_orders(order)
    first = descent.zero_start(layers, kept) if start is None else _cut(start, kept)
    if any(coefficients[0] for _, coefficients in first.groups()):
        raise ValueError("the series engine needs a start that vanishes at eta = 0")
    steps = [batch(corpus, update) for update in updates]
    history = descent.run(constants(corpus), first, steps, momentum)
    return [in_full(at, corpus.vocab_size, corpus.length) for at in history]


def batch(corpus: ExactCorpus, update: Update) -> descent.Step[fmpq_mat]:
    """The update as a step with shares w_i / T.

    Raises:
        ValueError: there are not N weights.
    """
    weights = corpus.weights if update.weights is None else update.weights
    if len(weights) != len(corpus.rows):
        raise ValueError(f"there are {len(corpus.rows)} sequences but {len(weights)} weights")
    return descent.Step({i: fmpq(w) / corpus.length for i, w in enumerate(weights) if w}, update.rate)


def as_truncated(p: SeriesParameters) -> descent.Truncated[fmpq_mat]:
    """The engine's form of the same coefficients, to compute with."""
    W_O, V, W, P = ([[c or None for c in layer] for layer in p.group(g)] for g in ("W_O", "V", "W", "P"))
    return descent.Truncated(W_O[0], V, W, P)


def _cut(p: SeriesParameters, kept: Mapping[str, int]) -> descent.Truncated[fmpq_mat]:
    full = as_truncated(p)

    def cut(group: str, coefficients: list[fmpq_mat | None]) -> list[fmpq_mat | None]:
        if len(coefficients) <= kept[group]:
            raise ValueError(
                f"the start of {group} is known to eta^{len(coefficients) - 1}, not to eta^{kept[group]}"
            )
        return coefficients[: kept[group] + 1]

    return descent.Truncated(
        cut("W_O", full.W_O),
        [cut("V", c) for c in full.V],
        [cut("W", c) for c in full.W],
        [cut("P", c) for c in full.P],
    )


def trajectory(
    tokens: Rows,
    vocab_size: int,
    layers: int,
    steps: int,
    order: int | Kept,
    weights: Sequence[Any] | None = None,
    progress: Progress | None = None,
) -> list[SeriesParameters]:
    """`descend` after 0, 1, ..., `steps` steps.

    `order` may be a mapping that gives each group its own last order. Keeping each group to the same number
    of orders past its leading one always suffices.

    Raises:
        ValueError: a bad corpus, layers < 1, steps < 0 or an order < 0.
        LookupError: a group is kept too short for what another needs.
    """
    if steps < 0:
        raise ValueError(f"steps must be 0 or more, not {steps}")
    corpus = check_corpus(tokens, vocab_size, weights)
    start = descent.zero_start(layers, kept_orders(order))
    history = descent.run(constants(corpus), start, _told([full_batch(corpus)] * steps, progress))
    return [in_full(at, corpus.vocab_size, corpus.length) for at in history]


def _told(
    steps: Sequence[descent.Step[fmpq_mat]], progress: Progress | None
) -> Iterator[descent.Step[fmpq_mat]]:
    for done, step in enumerate(steps):
        if progress is not None:
            progress(done, len(steps))
        yield step


def kept_orders(order: int | Kept) -> dict[str, int]:
    """The last order of each group, from one for all or from a mapping.

    Raises:
        ValueError: one is negative.
    """
    kept = {g: order if isinstance(order, int) else order[g] for g in ("W_O", "V", "W", "P")}
    if min(kept.values()) < 0:
        raise ValueError(f"orders must be 0 or more, not {min(kept.values())}")
    return kept


def full_batch(corpus: ExactCorpus) -> descent.Step[fmpq_mat]:
    """A step of rate eta on the whole corpus."""
    return descent.Step({i: w / corpus.length for i, w in enumerate(corpus.weights)})


def in_full(at: descent.Truncated[fmpq_mat], V: int, T: int) -> SeriesParameters:
    """The same coefficients with every zero written out."""

    def square(kept: list[fmpq_mat | None]) -> list[fmpq_mat]:
        return [fmpq_mat(V, V) if c is None else c for c in kept]

    return SeriesParameters(
        square(at.W_O),
        [square(c) for c in at.V],
        [square(c) for c in at.W],
        [[[fmpq(0)] * T if c is None else c.entries() for c in layer] for layer in at.P],
    )


def summed(coefficients: Sequence[fmpq_mat], rate: fmpq) -> fmpq_mat:
    """The truncated series at a rational rate: sum_k coefficient_k rate^k, by Horner's rule.

    All coefficients are of one shape. `theory.truncation` bounds what is missing.
    """
    total = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = total * rate + coefficient
    return total

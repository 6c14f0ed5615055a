"""What the loss loses when a weight's leading-term projection is removed: orders 1, 3, 7, 7. Derived here.

Removing from a weight its projection on its leading direction x leaves the part orthogonal to x, which starts
one order higher, or more. The change of the loss is then, at its lowest order, minus the gradient times what
was removed, and each weight reaches the logits through W_O:

    W_O             -E<U, X W_O>                    s eta |B_bar|^2                           order 1
    V of one layer  -E<U, A0 X V W_O>               s C(s,2) eta^3 |Phi_bar^T B_bar^T|^2      order 3 = 1+2
    W of one layer  -E<U, J0[X W X^T] X V W_O>      s C(s,2) c_s eta^7 |Q_bar|^2              order 7 = 1+2+4
    P of one layer  -E<U, J0[D(P)] X V W_O>         s C(s,2) c_s eta^7 |Delta_bar|^2          order 7 = 1+2+4

with J0 the softmax Jacobian at uniform attention.

So for W_O alone the order of the effect is that of the weight; the other weights have the orders 2, 4 and 4:
a value matrix acts through W_O, a score through V and W_O. Lower orders of the change vanish. All layers have
the same effect at these orders, so the loss alone cannot tell which one was changed: of every layer the check
also holds its part along x, gone where the projection is removed and as it was elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from flint import fmpq, fmpq_mat

from theory.corpus import ExactCorpus, Rows, check_corpus
from theory.laws.leading_terms import layers_of
from theory.laws.loss import scalar
from theory.loss_series import loss_above_uniform
from theory.model_series import ParameterSeries
from theory.next_order import inner
from theory.orders import GROUPS
from theory.power_series import Series, image
from theory.series import as_truncated, descend
from theory.statistics import exact_statistics, leading_directions
from theory.step_coefficients import step_coefficients
from theory.verdict import Statement, Verdict, compare

ORDER = {"W_O": 1, "V": 3, "W": 7, "P": 7}
"""The order in eta at which removing the projection first raises the loss."""

Claim = Callable[[dict[str, fmpq_mat], str, int], fmpq]
"""(statistics, group, steps) to the claimed coefficient at `ORDER[group]`."""


def rise(statistics: dict[str, fmpq_mat], group: str, steps: int) -> fmpq:
    """The coefficient of eta^ORDER[group] by which the loss rises when one weight of a group is projected."""
    c = step_coefficients(steps)
    through = {"W_O": 1, "V": c["W_O"], "W": c["W_O"] * c["V"], "P": c["W_O"] * c["V"]}
    direction = leading_directions(statistics)[group]
    return fmpq(through[group] * c[group]) * inner(direction, direction)


def check(
    tokens: Rows,
    vocab_size: int,
    layers: int,
    steps: int,
    *,
    groups: Sequence[str] = GROUPS,
    weights: Sequence[Any] | None = None,
    claim: Claim = rise,
) -> Verdict:
    """Holds the claim, and that lower orders vanish, against the loss with each weight projected in turn.

    A group whose leading direction vanishes on this corpus has nothing to remove and is left out.

    Raises:
        ValueError: a bad corpus or sizes.
    """
    corpus = check_corpus(tokens, vocab_size, weights)
    statistics = exact_statistics(tokens, vocab_size, weights)
    directions = {g: d for g, d in leading_directions(statistics).items() if g in groups and d}
    highest = max((ORDER[g] for g in directions), default=1)
    at = as_truncated(descend(tokens, vocab_size, layers, steps, highest, weights)).as_series()
    whole = loss_above_uniform(corpus, at, highest)
    found: dict[tuple[str, int | None], list[fmpq]] = {}
    along: list[Statement[fmpq_mat]] = []
    for group, direction in directions.items():
        for layer in layers_of(group, layers):
            ablated = without_projection(at, group, layer or 0, direction)
            found[group, layer] = _differences(corpus, ablated, whole, ORDER[group])
            name = f"<{group}, x> less its part in layer {layer or 0}"
            parts = _parts(ablated, group, direction, highest)
            for other, (kept, part) in enumerate(
                zip(_parts(at, group, direction, highest), parts, strict=True)
            ):
                found[name, other] = part
                removed = other == (layer or 0)
                along += [
                    Statement(name, other, order, None if removed else scalar(kept[order]), steps)
                    for order in range(1, highest + 1)
                ]
    statements = [*_statements(statistics, directions, layers, steps, claim), *along]
    return compare("ablation", statements, lambda s: scalar(found[s.quantity, s.layer][s.order]))


def _parts(at: ParameterSeries[fmpq_mat], group: str, direction: fmpq_mat, highest: int) -> list[list[fmpq]]:
    """<weight, direction> by layer and order."""
    layers = {"W_O": (at.W_O,), "V": at.V, "W": at.W, "P": at.P}[group]
    return [
        [fmpq(0) if c is None else inner(c, direction) for c in (series[k] for k in range(highest + 1))]
        for series in layers
    ]


def without_projection(
    at: ParameterSeries[fmpq_mat], group: str, layer: int, direction: fmpq_mat
) -> ParameterSeries[fmpq_mat]:
    """The parameters with W <- W - (<W, x> / <x, x>) x for one weight: each coefficient is projected.

    x has the shape of the weight, [V, V] or, of P, [T, 1].
    """
    norm = inner(direction, direction)

    def projected(series: Series[fmpq_mat]) -> Series[fmpq_mat]:
        return image(series, lambda m: m - direction * (inner(m, direction) / norm))

    def in_layer(many: tuple[Series[fmpq_mat], ...]) -> tuple[Series[fmpq_mat], ...]:
        return tuple(projected(s) if n == layer else s for n, s in enumerate(many))

    match group:
        case "W_O":
            return replace(at, W_O=projected(at.W_O))
        case "V":
            return replace(at, V=in_layer(at.V))
        case "W":
            return replace(at, W=in_layer(at.W))
        case _:
            return replace(at, P=in_layer(at.P))


def _differences(
    corpus: ExactCorpus, ablated: ParameterSeries[fmpq_mat], whole: list[fmpq], order: int
) -> list[fmpq]:
    after = loss_above_uniform(corpus, ablated, order)
    return [a - b for a, b in zip(after, whole[: order + 1], strict=True)]


def _statements(
    statistics: dict[str, fmpq_mat],
    groups: Iterable[str],
    layers: int,
    steps: int,
    claim: Claim,
) -> Iterator[Statement[fmpq_mat]]:
    for group in groups:
        for layer in layers_of(group, layers):
            for order in range(ORDER[group]):
                yield Statement(group, layer, order, None, steps)
            yield Statement(group, layer, ORDER[group], scalar(claim(statistics, group, steps)), steps)

"""How much a truncated series can miss: a rigorous bound on the tail, for every corpus at once. Derived here.

The descent is followed by the scalars of `theory.majorants`. At a given eta these are numbers, and the tail
of theta beyond order K is at most M(eta) - sum_{k<=K} M_k eta^k. The first is rounded up, the second exact.
Valid while every e^z stays below 2.
"""

from __future__ import annotations

from flint import fmpq, fmpq_poly

from theory.majorants import combined, equal_sizes, in_numbers, in_series, step
from theory.orders import GROUPS


def tail_bounds(
    layers: int, steps: int, rate: fmpq, order: int, vocab_size: int = 1
) -> dict[str, list[fmpq]]:
    """For each group and layer (W_O has one): a bound on |sum_{k>order} theta_k eta^k|, for any corpus.

    Full-batch descent from zero with weights that sum to one, `steps` steps at the rational rate eta > 0; for
    corpora of `vocab_size` words or more. Frobenius norms; P's bound also holds for each entry.

    Raises:
        ValueError: the rate is not positive, or eta and the number of steps are so large (s eta near
            log 2) that the dominating series need not converge.
    """
    if rate <= 0:
        raise ValueError(f"the rate must be positive, not {rate}")
    numbers, series = in_numbers(vocab_size), in_series(order, vocab_size)
    whole, kept = equal_sizes(layers, fmpq(0)), equal_sizes(layers, fmpq_poly([]))
    for _ in range(steps):
        whole, kept = step(whole, rate, numbers), step(kept, fmpq_poly([0, 1]), series)
    tails = combined(lambda total, partial: total - partial(rate), whole, kept)
    return {group: tails.group(group) for group in GROUPS}

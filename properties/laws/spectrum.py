"""Full-batch training aligns with its leading terms in every direction, not only in the first (derived here).

A leading term is often nearly of rank one, and a cosine then sees little but its first singular direction.
Project the first k directions out of the weight and of its leading term (`reference.alignment`): what is left
of the one is what is left of the other, up to a relative error of the order eta, for each k below the rank. A
matrix of rank one leaves nothing, an error of order one.

And sampling is what ends this in practice: `reference.alignment` reports where.
"""

from __future__ import annotations

import numpy as np

from properties.cases import SMALL_DESCENTS, DescentCase
from properties.check import Check, Law, NotAdmitted, Outcome
from properties.fitting import Sized, fit
from properties.laws.descent import leading_term, order_of, trained
from properties.target import Target
from reference.alignment import singular_directions

# A direction this much weaker than the first is rounding, or nearly so, in a corpus of a few words.
WEAKEST = 2.0**-6


def _every_direction(group: str) -> Law:
    def law(target: Target, case: DescentCase) -> Outcome:
        V = case.vocab_size
        singular = singular_directions(leading_term(case, group, 1.0), V)
        strong = singular.sigma > WEAKEST * singular.sigma[0]
        rank = int(strong.sum()) if singular.sigma[0] > 0 else 0
        if rank < 2:
            raise NotAdmitted(f"the leading term of {group} has one direction at most")
        for k in range(1, rank):
            left, right = singular.U[:, :k], singular.Vt[:k].T

            def outside(M: np.ndarray, left: np.ndarray = left, right: np.ndarray = right) -> np.ndarray:
                without = M - left @ (left.T @ M)
                return np.asarray(without - (without @ right) @ right.T)

            def error(rate: float, outside=outside) -> Sized:  # type: ignore[no-untyped-def]
                got, bound = trained(target, case, group, rate)
                leading = leading_term(case, group, rate)
                size = np.linalg.norm(outside(leading))
                rest = [outside(one.reshape(V, V) - leading) for one in got]
                # A projection does not lengthen; its own rounding is far below that of a training.
                return Sized(np.linalg.norm(rest, axis=(1, 2)) / size, np.linalg.norm(bound, axis=1) / size)

            for layer, fitted in enumerate(fit(error).orders):
                name = f"the relative error of {group}, layer {layer}, without its first {k} directions"
                yield order_of(name, fitted, 1)

    return law


CHECKS = tuple(
    Check(
        id=f"spectrum.{group}",
        statement=f"Without its first directions {group} is its leading term without them, up to O(eta).",
        source="derived here",
        cases=SMALL_DESCENTS,
        law=_every_direction(group),
        needs=("train",),
        cost=8,
    )
    for group in ("W_O", "V", "W")
)

"""The main run direction by direction: exact training aligns in all of them, and a sample stops somewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from paper_checks.fastest import statistics_of
from paper_checks.reproduction.descent import Parameters
from paper_checks.reproduction.main_run import Laboratory, chosen_sample, turned
from paper_checks.reproduction.plan import Plan
from paper_checks.reproduction.rows import Row
from properties.checkpoint_bands import by_layer
from properties.predictions.expansion import amounts
from properties.predictions.sampling import leading_directions
from reference.alignment import REMOVED, Singular, singular_directions

PART = "main run, without the first directions"


def rows(lab: Laboratory, plan: Plan, both: dict[str, Parameters]) -> Iterator[Row]:
    """Yield for each matrix 1 - cos of what the first k singular directions leave of it and its leading term.

    Beside the trained weight, whose terms beyond the leading one predict it, stands the leading term of a
    sample, which has no law here: how far it is off says where sampling stops the alignment. A number that
    is no more than rounding is nan.
    """
    tokens = chosen_sample(lab, plan)
    of_sample = leading_directions(tokens, statistics_of(tokens, lab.V))
    for group in ("W_O", "V", "W"):
        X, name = lab.leading[group], group if group == "W_O" else f"{group} 0"
        singular = singular_directions(X, max(REMOVED))
        predicted = lab.directions[group].combined(amounts(group, plan.rate, plan.steps, 0, plan.layers))
        trained = [by_layer(group, p[group])[0].astype(np.float64) for p in both.values()]
        for k in REMOVED:
            # Of directions that rounding made nothing can be said.
            if not 0 < k < len(X) or not _is_there(X, singular, k):
                continue

            def off(weight: np.ndarray, k: int = k, X: np.ndarray = X, by: Singular = singular) -> float:
                return turned(left_of(weight, by, k), left_of(X, by, k))

            yield Row(PART, f"1 - cos without {k}", name, 0.0, off(predicted), *map(off, trained))
            yield Row(PART, f"  of {plan.sample} sequences", name, None, math.nan, off(of_sample[group]))


def left_of(matrix: np.ndarray, singular: Singular, k: int) -> np.ndarray:
    """Return (1 - U U^T) M (1 - V V^T) [V, V] for the first k singular directions U, V of another matrix."""
    U, Vt = singular.U[:, :k], singular.Vt[:k]
    rest = matrix - U @ (U.T @ matrix)
    return np.asarray(rest - (rest @ Vt.T) @ Vt)


def _is_there(X: np.ndarray, singular: Singular, k: int) -> bool:
    rounding = len(X) * float(np.finfo(np.float64).eps)
    return singular.left_over(k) > rounding

"""Is W aligned from the largest start that Theorem D.13 allows? Decided for draws that are shown.

`bounds.D13` runs an implementation from such a start and measures the cosine; here no run is needed.
"""

from __future__ import annotations

import numpy as np
from flint import fmpq

from properties.cases import EdgeCase, edges
from properties.check import Check, Measurement, NotAdmitted, Outcome
from properties.laws.bounds import GAUSSIAN, setting
from properties.laws.mathematics import equal
from properties.laws.statistics_exact import to_exact, to_float
from properties.target import Target
from theory.balls import certainly_at_most
from theory.bounds import largest_start
from theory.laws.start_alignment import cosine_within, rest_of_W
from theory.next_order import inner
from theory.orders import leading_orders
from theory.seen_words import attention_statistics
from theory.step_coefficients import step_coefficients

ALIGNED = fmpq(1, 2)
"""A cosine that would still be far from the alignment that the theorem is about."""


def _start_alignment(target: Target, case: EdgeCase) -> Outcome:
    """Entries are drawn with the variance v^2 / V^2; in floating point each is a rational."""
    at = setting(case)
    v, seed = largest_start(at), case.steps
    words, Q, _ = attention_statistics(case.tokens.tolist(), at.vocab_size)
    if not Q:
        raise NotAdmitted("W has no leading term")
    if at.rate * at.length < 1:
        raise NotAdmitted("Theorem D.13 asks for eta >= 1/T")
    amount = step_coefficients(at.steps)["W"] * at.rate ** leading_orders(at.layers)["W"]
    Z = np.random.default_rng(seed).normal(0.0, to_float(v) / at.vocab_size, (at.vocab_size, at.vocab_size))
    size = _sum_of_squares(Z)
    yield equal(f"|Z| <= 2v for the draw of seed {seed} (Lemma D.12)", size <= 4 * v**2, True)
    seen = Z[np.ix_(words, words)].ravel()
    along = sum((to_exact(z) * q for z, q in zip(seen, Q.entries(), strict=True)), fmpq(0)) * amount
    low, high = cosine_within(along, size, inner(Q, Q) * amount**2, rest_of_W(at, 2 * v))
    told = f"cosine of W with Q_bar, between {float(low.mid()):.3f} and {float(high.mid()):.3f}"
    yield equal(f"{told}, is at most {ALIGNED}", certainly_at_most(high, ALIGNED), True)
    yield Measurement("cosine of W, at least", float(low.mid()))
    yield Measurement("cosine of W, at most", float(high.mid()))


def _sum_of_squares(a: np.ndarray) -> fmpq:
    """Return it exactly: times a power of two every entry is a whole number."""
    shift = 53 - int(np.frexp(a)[1].min())
    return fmpq(sum(int(x) ** 2 for x in np.ldexp(a, shift).ravel().tolist()), 4**shift)


CHECKS = (
    Check(
        "bounds.start_alignment",
        "From a drawn start of the largest size that Theorem D.13 allows, W is certainly not along Q_bar.",
        "derived here",
        edges(steps=(3,), vocab_size=500, ends=GAUSSIAN),
        _start_alignment,
        evidence="exact",
        cost=100,
    ),
)

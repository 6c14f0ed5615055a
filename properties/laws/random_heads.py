"""What heads score before they have learned anything: the zero points, and how far chance alone goes.

The logits of an untrained head are small and nearly independent. Were they independent and of one variance v,
its weights would be exchangeable: every metric that is linear in them keeps the expectation of uniform
attention at every v, and the entropy of row n falls by v (n-1)/(2n) nats on average, to first order in v. The
published values of untrained heads are these closed forms, each for one length only.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from flint import fmpq
from hypothesis import strategies as st

from properties.attention_cases import LOGITS_OF_HEADS, LogitsOfHeadsCase
from properties.cases import MATRICES, Cases, MatrixCase, SizesCase
from properties.check import Check, Comparison, Measurement, NotAdmitted, Outcome
from properties.laws.mathematics import equal
from properties.target import Target, require
from properties.tolerances import DEVIATIONS, ELEMENTARY_ULPS, rounding
from reference.random_heads import expected_profile, initial_logit_variance
from theory import composition_null, published_baselines, softmax_moments
from theory.published_baselines import Setting

_KEYS = Cases(
    st.builds(SizesCase, vocab_size=st.integers(1, 6), length=st.just(1), layers=st.just(1)),
    SizesCase(vocab_size=4, length=1, layers=1),
)
_ONCE = Cases(st.just(SizesCase(1, 1, 1)), SizesCase(1, 1, 1))
# All signed permutations of so many dimensions: 48 calls.
MOST_DIMENSIONS = 3


def _moments(target: Target, case: SizesCase) -> Outcome:
    from sympy import Rational

    from theory import softmax_moments_symbolic as expanded

    # Polynomials in 1/n of degree two that agree at three n agree at all; the case adds one more.
    for n in sorted({1, 2, 3, case.vocab_size}):
        for name in ("entropy_deficit", "excess_collision"):
            closed = tuple(Rational(int(c.p), int(c.q)) for c in getattr(softmax_moments, name)(n))
            yield equal(f"{name} of {n} keys", closed, getattr(expanded, name)(n))


def _published(target: Target, case: SizesCase) -> Outcome:
    """One length each for .958, .157 and .0284; none for .115 alone; five for a distance of about 6."""
    printed = {"entropy": "0.958", "diagonal": "0.157", "induction": "0.0284", "distance": "6"}
    found = {name: published_baselines.settings_of(name, value) for name, value in printed.items()}
    yield equal("settings of entropy .958", found["entropy"], [Setting(24, True)])
    yield equal("settings of diagonal .157", found["diagonal"], [Setting(24, True)])
    yield equal("settings of induction .0284", found["induction"], [Setting(64, True, 16)])
    yield equal("settings of previous .115", published_baselines.settings_of("previous", "0.115"), [])
    previous = published_baselines.settings_of("previous", "0.116")
    yield equal("settings of previous .116", previous, [Setting(24, True)])
    counted = [setting.length for setting in found["distance"] if setting.row_0]
    yield equal("lengths with a distance of about 6", counted, [23, 24, 25, 26, 27])
    pooled = published_baselines.pooled_entropy((24, 24, 23))
    yield equal("71 positions can reach .9578", pooled >= fmpq(95775, 100000), False)
    yield Measurement(
        "settings", {name: [setting.__dict__ for setting in settings] for name, settings in found.items()}
    )


def _initial_entropy(target: Target, case: SizesCase) -> Outcome:
    """The published .9578-.9579 lie below (T-1)/T = .9583 by what the initial logits' variance predicts."""
    variance = initial_logit_variance(width=128, deviation=0.02)
    expected = expected_profile(24, variance)["entropy"]
    yield equal("variance of the logits, to four digits", f"{variance:.4f}", "0.0026")
    # The published table prints 0.9578 or 0.9579 for every head.
    yield equal("entropy of heads as initialised, to four digits", f"{expected.mean:.4f}", "0.9578")
    yield Measurement("variance of the logits", variance)
    yield Measurement("expected entropy", expected.mean)


def _logits(target: Target, case: LogitsOfHeadsCase) -> Outcome:
    rng = np.random.default_rng(case.seed)
    T = case.length
    logits = rng.normal(0.0, math.sqrt(case.variance), (case.heads, T, T))
    weights = np.tril(np.exp(logits))
    maps = weights / weights.sum(axis=-1, keepdims=True)
    profiles = [target.head_profile(A) for A in maps]
    n = np.arange(2, T + 1)
    # What the expansion leaves out is below its last term, v^2 of the entropy.
    left_out = float((3 * case.variance**2 * (n - 1) / (4 * n**2) / np.log(n)).sum() / T)
    for name, expected in expected_profile(T, case.variance).items():
        if name == "relative_diagonal":
            continue
        got = float(np.mean([require(profile, name, "head_profile") for profile in profiles]))
        own = float(rounding(float(T), T * T + 4 + 2 * ELEMENTARY_ULPS, target.dtype))
        chance = DEVIATIONS * expected.deviation / math.sqrt(case.heads)
        bound = own + chance * (1 + case.variance) + (left_out if name == "entropy" else 0.0)
        yield Comparison(f"mean {name} of random heads", got, expected.mean, bound)


def _composition(target: Target, case: MatrixCase) -> Outcome:
    A, B = case.first[:, :MOST_DIMENSIONS], case.second[:MOST_DIMENSIONS]
    b = A.shape[1]
    if not A.any() or not B.any():
        raise NotAdmitted("a circuit of zeros composes with nothing")
    squares = []
    for order in itertools.permutations(range(b)):
        for signs in itertools.product((1.0, -1.0), repeat=b):
            R = np.eye(b)[list(order)] * np.array(signs)
            score = float(target.composition_score(A @ R, B))
            squares.append(score * score)  # a power of what is too large would raise
    bound = rounding(1.0, 8 * A.size + 8 * B.size + 16, target.dtype)
    yield Comparison("mean squared score over all changes of basis", np.mean(squares), 1 / b, bound)


def _composition_exact(target: Target, case: MatrixCase) -> Outcome:
    A = (16 * case.first[:, :MOST_DIMENSIONS]).astype(int).tolist()
    B = (16 * case.second[:MOST_DIMENSIONS]).astype(int).tolist()
    if not np.any(A) or not np.any(B):
        raise NotAdmitted("a circuit of zeros composes with nothing")
    b = len(B)
    mean = composition_null.signed_permutation_mean(A, B)
    yield equal(f"mean over the signed permutations of {b}", mean, composition_null.mean_square(b))


CHECKS = (
    Check(
        id="random.softmax_moments",
        statement=(
            "For any n independent Gaussian logits of variance v the mean entropy and collision are the "
            "closed forms to order v^2."
        ),
        source="derived here",
        cases=_KEYS,
        law=_moments,
        evidence="proved",
        proof="identity",
    ),
    Check(
        id="random.published_values",
        statement="The published .958, .157 and .0284 are uniform attention at one length and period each.",
        source="attention-chapter, sec. 4.3.1, 4.11 and 4.16.2; derived here",
        cases=_ONCE,
        law=_published,
        evidence="exact",
    ),
    Check(
        id="random.initial_entropy",
        statement="Weights of deviation .02 at width 128 give logits of variance .0026: entropy .9578.",
        source="attention-chapter, sec. 4.11.2 and 4.12.1; derived here",
        cases=_ONCE,
        law=_initial_entropy,
    ),
    Check(
        id="random.logits",
        statement="Heads with independent Gaussian logits score the predicted means, entropy below uniform.",
        source="derived here",
        cases=LOGITS_OF_HEADS,
        law=_logits,
        needs=("head_profile",),
        cost=6,
    ),
    Check(
        id="random.composition",
        statement="Over all signed permutations between two circuits the squared score averages 1/b.",
        source="derived here",
        cases=MATRICES,
        law=_composition,
        needs=("composition_score",),
        cost=4,
    ),
    Check(
        id="random.composition_exact",
        statement="The average of |A R B|^2 over the signed permutations R is |A|^2 |B|^2 / b, exactly.",
        source="derived here",
        cases=MATRICES,
        law=_composition_exact,
        evidence="exact",
        cost=4,
    ),
)

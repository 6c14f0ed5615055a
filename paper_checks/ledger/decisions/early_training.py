"""Orders and coefficients of the first steps, as the post on the paper states them."""

from __future__ import annotations

import numpy as np
from flint import fmpq, fmpq_mat

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, by_readings, compared, judged
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import TINY, Setting
from reference.statistics import statistics
from theory.corpus import check_corpus
from theory.laws import ablation
from theory.next_order import inner
from theory.one_hot import constants
from theory.orders import leading_orders
from theory.series import descend
from theory.statistics import exact_statistics, leading_directions
from theory.step_coefficients import step_coefficients

# Below this a direction would not be called reproduced.
REPRODUCED = 0.99
# Coefficients within this factor of each other are not orders of magnitude apart.
APART = 10


@decides("merged-qk-identifiability", tried="a drawn head")
def merged_query_key(claim: Claim, setting: Setting) -> Finding:
    """Compare scores before and after a change of basis, in fractions."""
    rng = np.random.default_rng(setting.seed)
    x, W_Q, W_K = (_integers(rng, shape) for shape in ((3, 4), (4, 2), (4, 2)))
    M = fmpq_mat(2, 2, [2, 1, 1, 1]) * fmpq(3)
    before = x * W_Q * (x * W_K).transpose()
    W_K_moved = W_K * M.inv().transpose()
    after = x * (W_Q * M) * (x * W_K_moved).transpose()
    return judged(
        before == after and W_Q * M != W_Q,
        "the scores are equal, the factors are not" if before == after else "the scores differ",
        derivation="(W_Q M)(W_K M^-T)^T = W_Q M M^-1 W_K^T.",
    )


@decides("wo-before-step-index", tried=TINY)
def output_before_step(claim: Claim, setting: Setting) -> Finding:
    """Run the descent as a series and read off the multiple of B_bar before each step."""
    tokens, V = setting.tiny
    B_bar = exact_statistics(tokens, V)["B_bar"]

    def before(updates: int) -> fmpq:
        if not updates:
            return fmpq(0)
        (coefficients,) = descend(tokens, V, 1, updates, 1).group("W_O")
        return inner(coefficients[1], B_bar) / inner(B_bar, B_bar)

    steps = [int(step) for step in claim.given["steps"]]
    readings = {
        "steps numbered from 1, as the post's headings do": {"multiples": [before(r - 1) for r in steps]},
        "steps numbered from 0": {"multiples": [before(r) for r in steps]},
    }
    return by_readings(
        claim, readings, derivation="Before the first step W_O is 0; every step adds eta B_bar."
    )


@decides("score-gradient-core", tried=TINY)
def score_gradient_core(claim: Claim, setting: Setting) -> Finding:
    """Multiply both sides out on every sequence of a small corpus."""
    tokens, V = setting.tiny
    found = exact_statistics(tokens, V)
    W_O, value = found["B_bar"], leading_directions(found)["V"]
    same = all(
        one.U * W_O.transpose() * value.transpose() * one.X.transpose()
        == one.U * found["Sigma_B"] * found["Phi_bar"] * one.X.transpose()
        for one in constants(check_corpus(tokens, V))
    )
    return judged(
        same,
        "both sides are equal on every sequence" if same else "the sides differ",
        derivation="W_O^T V^T = B_bar^T (Phi_bar^T B_bar^T)^T = B_bar^T B_bar Phi_bar.",
    )


@decides("score-jacobian-one-over-t", tried="the rows of a drawn corpus")
def jacobian_without_factor(claim: Claim, setting: Setting) -> Finding:
    """Differentiate a softmax at equal scores and compare with masking and subtracting alone."""
    T = len(setting.tiny[0][0]) - 1
    factors = []
    for t in range(2, T + 1):
        p = fmpq(1, t)
        jacobian = p - p * p  # a diagonal entry of diag(p) - p p^T
        centring = 1 - p  # the same entry of I - 11^T/t
        factors.append(jacobian / centring)
    same = all(factor == 1 for factor in factors)
    return judged(
        same,
        f"a further factor {', '.join(map(str, factors))} in rows 2 to {T}",
        derivation="The Jacobian at p = 1/t is diag(p) - p p^T = (I - 11^T/t)/t: row t is divided by t as "
        "well, so early rows weigh more.",
    )


@decides("qk-coefficient-at-3", "qk-coefficient-numeric")
def score_coefficients(claim: Claim, setting: Setting) -> Finding:
    """Run the recursion of the leading terms."""
    steps = [int(s) for s in claim.given["steps"]]
    return compared(
        claim,
        {"coefficients": [step_coefficients(s)["W"] for s in steps]},
        evidence="proved",
        derivation="sum over r < s of r C(r, 2) = 3 C(s, 4) + 2 C(s, 3).",
    )


@decides("ablation-order-of-loss", tried="corpora trained exactly")
def ablation_order_of_loss(claim: Claim, setting: Setting) -> Finding:
    """Take the orders of the ablation law, which the named check holds exactly."""
    return ablation_orders(claim)


def ablation_orders(claim: Claim) -> Finding:
    """Compare stated orders in eta with those at which removals act on the loss."""
    own = leading_orders(1)
    shares = {"W_O": own["W_O"], "V": own["W_O"] + own["V"], "W": own["W_O"] + own["V"] + own["W"]}
    return compared(
        claim,
        {group: ablation.ORDER[group] for group in claim.numbers},
        evidence="exact",
        derivation="A weight acts on the loss through those after it: "
        + ", ".join(f"{group} at order {order}" for group, order in shares.items())
        + ".",
    )


@decides("leading-coefficients-at-run")
def coefficients_at_run(claim: Claim, setting: Setting) -> Finding:
    """Evaluate the amounts of the leading terms after the run's steps."""
    steps, rate = int(claim.given["steps"]), claim.given_number("rate")
    amounts = step_coefficients(steps)
    orders = leading_orders(1)
    sizes = {group: float(amounts[group] * rate ** orders[group]) for group in ("W_O", "V", "W")}
    return judged(
        max(sizes.values()) >= APART * min(sizes.values()),
        "coefficients " + ", ".join(f"{size:.2f} of {group}" for group, size in sizes.items()),
        derivation=f"At s eta = {float(steps * rate)} the steps make up for the powers: s eta, C(s,2) eta^2 "
        "and c_s eta^4 are all near 1. The gap is that of |B_bar|^2, |Phi_bar^T B_bar^T|^2 and |Q_bar|^2.",
    )


@decides("full-batch-vs-sgd", tried="one corpus of generated stories")
def batches_against_full(claim: Claim, setting: Setting) -> Finding:
    """Compare the leading terms of batched descent, sums over ordered steps, with those of the full batch."""
    epochs, count = int(claim.given["epochs"]), int(claim.given["batches"])
    corpus = setting.small
    parts = [statistics(part, corpus.vocab_size) for part in np.array_split(corpus.tokens, count)]
    steps = [parts[r % count] for r in range(epochs * count)]
    held = np.zeros_like(parts[0]["B_bar"])
    value = np.zeros_like(held)
    for batch in steps:
        value += batch["Phi_bar"].T @ held.T
        held += batch["B_bar"]
    full = statistics(corpus.tokens, corpus.vocab_size)
    cosines = {
        "W_O": _cosine(held, full["B_bar"]),
        "V": _cosine(value, full["Phi_bar"].T @ full["B_bar"].T),
    }
    return judged(
        min(cosines.values()) >= REPRODUCED,
        "cosines with a full batch: "
        + ", ".join(f"{group} {cosine:.4f}" for group, cosine in cosines.items()),
        evidence="measured",
        derivation="W_O is eta times the sum of the batches' B_r, V is eta^2 times the sum over q < r of "
        f"Phi_r^T B_q^T; over {epochs} epochs the order of {count} batches hardly counts.",
    )


def _cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float((a * b).sum() / np.linalg.norm(a) / np.linalg.norm(b))


def _integers(rng: np.random.Generator, shape: tuple[int, int]) -> fmpq_mat:
    return fmpq_mat(*shape, [int(one) for one in rng.integers(-4, 5, shape).ravel()])

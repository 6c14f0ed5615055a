"""The paper's experiments: what arithmetic and the statistics of a text say before anything is trained."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from mpmath import floor, log, mp, mpf
from scipy.sparse.linalg import svds

from paper_checks.fastest import statistics_of
from paper_checks.ledger.claim import Claim
from paper_checks.ledger.decisions.early_training import ablation_orders
from paper_checks.ledger.finding import Finding, NotGiven, by_readings, compared, judged
from paper_checks.ledger.printed import rounds_to
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting

# A constant is negligible when it changes what is removed by less than a thousandth.
NEGLIGIBLE = 1e-3
# As many batches as show how much a null varies.
MOST_BATCHES = 6


@decides("paper-steps-run")
def steps_run(claim: Claim, setting: Setting) -> Finding:
    """Divide and multiply."""
    sequences, batch, epochs, rate = (
        claim.given_number(name) for name in ("sequences", "batch", "epochs", "rate")
    )
    updates = sequences / batch * epochs
    return compared(
        claim,
        {"updates": updates, "progress": updates * rate},
        derivation=f"{sequences / batch} batches an epoch; {updates} updates of {float(rate)}.",
    )


@decides("paper-loss-start")
def loss_start(claim: Claim, setting: Setting) -> Finding:
    """Evaluate log V; beside it, what a log says that begins after an epoch, or that cuts digits.

    To leading order the loss falls by s eta |B_bar|^2, which is also what removing W_O's leading term costs:
    the post prints that at its s eta.
    """
    sequences, batch, rate, fall, at = (
        claim.given_number(name) for name in ("sequences", "batch", "rate", "fall", "fall_at")
    )
    updates = sequences / batch
    progress = updates * rate
    with mp.workdps(50):
        loss = log(mpf(claim.given["V"]))
        later = loss - mpf(float(fall * progress / at))
        cut = floor(100 * loss) / 100
    return by_readings(
        claim,
        {
            "the loss before any update": {"loss": loss},
            f"the loss after an epoch, s eta = {float(progress):g}": {"loss": later},
            "digits cut after two decimals, not rounded": {"loss": cut},
        },
        derivation=f"A uniform prediction over V words has the loss log V = {float(loss):.5f}. After an "
        f"epoch of {updates} updates at {float(rate):g} it is {float(later):.5f}, by the fall of "
        f"{float(fall):.5f} that the post prints at s eta = {float(at):g}.",
    )


@decides("paper-table3-hierarchy", tried="corpora trained exactly")
def hierarchy(claim: Claim, setting: Setting) -> Finding:
    """Take the orders at which removals act on the loss."""
    return ablation_orders(claim)


@decides("paper-value-cosine-null")
def value_rank_one(claim: Claim, setting: Setting) -> Finding:
    """Compare the stated cosine with that of the best matrix of rank one."""
    return _rank_one(claim, setting, lambda found: found["Phi_bar"].T @ found["B_bar"].T)


@decides("paper-attention-cosine-null")
def attention_rank_one(claim: Claim, setting: Setting) -> Finding:
    """Compare the stated cosine with that of the best matrix of rank one."""
    return _rank_one(claim, setting, lambda found: found["Q_bar"])


def _rank_one(
    claim: Claim, setting: Setting, leading: Callable[[dict[str, np.ndarray]], np.ndarray]
) -> Finding:
    """Judge whether the stated cosine is above what the first singular direction alone reaches in each batch.

    Raises:
        NotGiven: there is no text, or it holds fewer than two batches of the published size.
    """
    text, size = setting.given_text(), int(claim.given["sample"])
    batches = [text.tokens[i : i + size] for i in range(0, text.sequences - size + 1, size)][:MOST_BATCHES]
    if len(batches) < 2:
        raise NotGiven(f"a text of at least {2 * size:,} sequences, this one has {text.sequences:,}")
    nulls = [best_rank_one(leading(statistics_of(one, text.vocab_size))) for one in batches]
    low, high = min(nulls), max(nulls)
    return judged(
        float(claim.given_number("cosine")) > high,
        f"a matrix of rank one has the cosine {low:.6f} to {high:.6f}, over {len(batches)} batches",
        evidence="measured",
        derivation=f"One singular direction holds {low**2:.2%} to {high**2:.2%} of the squared norm; its "
        "cosine is the root of that share, and a cosine must exceed it to say more.",
    )


def best_rank_one(leading: np.ndarray) -> float:
    """Return the cosine of [V, V] with the best matrix of rank one, sigma_1 u v^T: sigma_1 over its norm."""
    start = np.ones(min(leading.shape))
    largest = float(svds(leading, k=1, v0=start, return_singular_vectors=False)[0])
    return largest / float(np.linalg.norm(leading))


@decides("paper-authors-projection-epsilon")
def projection_constant(claim: Claim, setting: Setting) -> Finding:
    """Compare the added constant with the squared norms of the leading directions."""
    constant = float(claim.given_number("constant"))
    text, found = setting.given_text(), setting.text_statistics
    count = text.sequences * text.length
    directions = {
        "W_O": found["B_bar"],
        "V": found["Phi_bar"].T @ found["B_bar"].T,
        "W": found["Q_bar"],
    }
    squared = {group: float((one**2).sum()) for group, one in directions.items()}
    shares = {group: constant / (constant + size) for group, size in squared.items()}
    summed = constant / (constant + squared["W"] * count**2)
    return judged(
        max(shares.values()) <= NEGLIGIBLE,
        ", ".join(f"{group} keeps {share:.1%} of it" for group, share in shares.items()),
        evidence="measured",
        derivation=f"|Q_bar|^2 is {squared['W']:.1e} beside the constant {constant:g}: that share of the "
        "projection stays in.",
        convention=f"Judged with T = Q_bar. With the scripts' sum over N T = {count:,} positions, W keeps "
        f"{summed:.1%}.",
    )


@decides("paper-table1", "paper-table2")
def smallest_cosines(claim: Claim, setting: Setting) -> Finding:
    """Compare with the smallest cosines of a training run of that set-up."""
    name = {"paper-table1": "tinystories_100", "paper-table2": "tinystories_subwords"}[claim.id]
    smallest = setting.experiment(name)["smallest"]
    return compared(
        claim,
        {group: smallest[group] for group in claim.numbers},
        evidence="measured",
        derivation="The smallest over layers and epochs.",
    )


@decides("paper-large-lr")
def at_a_large_rate(claim: Claim, setting: Setting) -> Finding:
    """Compare the cosines and the loss of a training run at the large rate."""
    found = setting.experiment("tinystories_large_rate")
    met = (
        found["smallest_after_30"] >= float(claim.given_number("after_30"))
        and found["smallest_after_100"] > float(claim.given_number("after_100"))
        and rounds_to(claim.given["loss_before"], found["loss_before"])
        and rounds_to(claim.given["loss_after"], found["loss_after"])
    )
    return judged(
        met,
        f"smallest cosines {found['smallest_after_30']:.3f} after 30 epochs and "
        f"{found['smallest_after_100']:.3f} after 100, a loss from "
        f"{found['loss_before']:.2f} to {found['loss_after']:.2f}",
        evidence="measured",
        derivation="The smallest cosines over layers and weights, and the training loss.",
    )

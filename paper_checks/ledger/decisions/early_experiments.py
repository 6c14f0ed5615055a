"""The post's reproduction: its arithmetic, and its numbers as the laws give them from a text."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np

from paper_checks.ledger.book import tables
from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, by_readings, compared, judged
from paper_checks.ledger.printed import rounds_to
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting
from reference.tokenizers import tokenizer
from theory.step_coefficients import step_coefficients

# A stated value is in agreement within so many standard deviations of its sampling.
DEVIATIONS = 3
# "About 1e-9" is met within this power of ten.
ABOUT = 0.5
# Windows over which the size of scores is averaged.
WINDOWS = 64


@decides("steps-per-run")
def steps_of_run(claim: Claim, setting: Setting) -> Finding:
    """Divide and multiply."""
    steps = claim.given_number("sequences") / claim.given_number("batch") * claim.given_number("epochs")
    progress = float(steps * claim.given_number("rate"))
    return compared(
        claim,
        {"steps": steps},
        derivation=f"{claim.given['sequences']} / {claim.given['batch']} batches in each of "
        f"{claim.given['epochs']} epochs; s eta = {progress:g}.",
    )


@decides("microbatch")
def accumulated_batch(claim: Claim, setting: Setting) -> Finding:
    """Multiply."""
    batch = claim.given_number("micro") * claim.given_number("accumulated")
    return compared(
        claim, {"batch": batch}, derivation="The mean of means over equal parts is the mean over all."
    )


@decides("story-fish-positions")
def first_position(claim: Claim, setting: Setting) -> Finding:
    """Tokenise the quoted opening and look the word up."""
    words = tokenizer("words")(claim.given["opening"])
    first = words.index(claim.given["word"])
    return by_readings(
        claim,
        {"positions counted from 0": {"first": first}, "positions counted from 1": {"first": first + 1}},
        derivation=f"The opening has {len(words)} tokens, with . and , among them.",
    )


@decides("wo-dot-he", tried="what is printed, which is of a sample")
def weight_of_a_pair(claim: Claim, setting: Setting) -> Finding:
    """Compare the weight with s eta B_bar, B_bar being known from a sample of the pairs only."""
    weight, entry = float(claim.given_number("weight")), float(claim.given_number("entry"))
    progress = float(claim.given_number("steps") * claim.given_number("rate"))
    pairs = int(claim.given["sample"]) * int(claim.given["length"])
    leading = progress * entry
    deviation = progress * math.sqrt(entry / pairs)
    away = (weight - leading) / deviation
    return judged(
        abs(away) <= DEVIATIONS,
        f"s eta B_bar = {leading:.5f} +- {deviation:.5f}; the weight is {away:+.1f} deviations off",
        evidence="measured",
        derivation=f"A share p of n = {pairs:,} pairs is known to sqrt(p/n): the {1 - weight / leading:.1%} "
        "that are missing are of that size. The next order takes less than a ten-thousandth.",
        missing="the run itself",
    )


@decides("score-scale-float32", tried="a drawn row of each length")
def softmax_in_float32(claim: Claim, setting: Setting) -> Finding:
    """Add changes of that size to equal scores of every prefix, in float32."""
    change, length = np.float32(claim.given["change"]), int(claim.given["length"])
    rng = np.random.default_rng(setting.seed)
    moved = 0
    for visible in range(1, length + 1):
        scores = (change * rng.uniform(-1, 1, visible)).astype(np.float32)
        moved += int((_softmax(scores) != _softmax(np.zeros(visible, np.float32))).any())
    return judged(
        moved == 0,
        f"{moved} of {length} rows of the softmax change",
        evidence="property",
        derivation=f"exp(x) is 1 + x, and 1 + {change:g} rounds to 1 in float32, whose spacing above 1 is "
        f"{np.finfo(np.float32).eps:.1e}.",
    )


def _softmax(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores - scores.max())
    shares: np.ndarray = raised / raised.sum(dtype=np.float32)
    return shares


def _amounts(claim: Claim) -> tuple[dict[str, int], float]:
    """Return the step coefficients of the run and its rate."""
    return step_coefficients(int(claim.given["steps"])), float(claim.given_number("rate"))


@decides("score-scale")
def size_of_scores(claim: Claim, setting: Setting) -> Finding:
    """Gather c_s eta^4 Q_bar over the visible pairs of some windows, and centre each row."""
    amounts, rate = _amounts(claim)
    Q_bar = setting.text_statistics["Q_bar"] * (amounts["W"] * rate**4)
    tokens = setting.given_text().tokens[:WINDOWS, :-1]
    visible = np.tril(np.ones((tokens.shape[1],) * 2, dtype=bool))
    counts = np.arange(1, tokens.shape[1] + 1)[:, None]
    squares, largest = 0.0, []
    for x in tokens:
        scores = np.where(visible, Q_bar[np.ix_(x, x)], 0.0)
        centred = np.where(visible, scores - scores.sum(axis=1, keepdims=True) / counts, 0.0)
        squares += float((centred**2).sum())
        largest.append(float(np.abs(centred).max()))
    size = float(np.median(largest))
    mean_square = math.sqrt(squares / (len(tokens) * visible.sum()))
    stated = float(claim.given_number("size"))
    return judged(
        abs(math.log10(size / stated)) <= ABOUT,
        f"scores of about {size:.1e}",
        evidence="measured",
        derivation=f"c_s eta^4 = {amounts['W'] * rate**4:.4f} times the entries of Q_bar, gathered by query "
        "and key and centred.",
        convention=f"The root mean square over all visible pairs is {mean_square:.1e}.",
    )


@decides("ablation-nll-output")
def rise_without_output(claim: Claim, setting: Setting) -> Finding:
    """A sequence loses s eta times the mean of B_bar over its own pairs; the corpus s eta |B_bar|^2."""
    amounts, rate = _amounts(claim)
    B_bar, tokens = setting.text_statistics["B_bar"], setting.given_text().tokens
    by_sequence = amounts["W_O"] * rate * B_bar[tokens[:, :-1], tokens[:, 1:]].mean(axis=1)
    return _within_sampling(claim, by_sequence, "s eta |B_bar|^2")


@decides("ablation-nll-value")
def rise_without_value(claim: Claim, setting: Setting) -> Finding:
    """A sequence loses s C(s,2) eta^3 times the mean over positions of the prefix mean of G_bar[y_t, x_k]."""
    amounts, rate = _amounts(claim)
    found, tokens = setting.text_statistics, setting.given_text().tokens
    value = found["Phi_bar"].T @ found["B_bar"].T
    G_bar = (value @ found["B_bar"]).T
    counts = np.arange(1, tokens.shape[1])
    means = np.empty(len(tokens))
    for i, row in enumerate(tokens):
        pulls = np.tril(G_bar[np.ix_(row[1:], row[:-1])]).sum(axis=1) / counts
        means[i] = pulls.mean()
    return _within_sampling(
        claim, amounts["W_O"] * amounts["V"] * rate**3 * means, "s C(s,2) eta^3 |Phi_bar^T B_bar^T|^2"
    )


def _within_sampling(claim: Claim, by_sequence: np.ndarray, law: str) -> Finding:
    """Judge a stated mean over some samples by the law's mean and its spread over sequences."""
    samples = int(claim.given["samples"])
    mean = float(by_sequence.mean())
    error = float(by_sequence.std(ddof=1)) / math.sqrt(samples)
    low, high = mean - DEVIATIONS * error, mean + DEVIATIONS * error
    stated = float(claim.given_number("rise"))
    return Finding(
        "holds" if low <= stated <= high else "inconclusive",
        "measured",
        f"a rise of {mean:.2e} nats a token; over {samples} samples {low:.2e} to {high:.2e}",
        derivation=f"{law} is {mean:.2e} on this text; the mean of {samples} sequences varies by "
        f"{error:.1e}.",
    )


@decides("ablation-nll-qk")
def rise_without_scores(claim: Claim, setting: Setting) -> Finding:
    """Compare the law's rise with the spacing of float32 numbers near the loss."""
    amounts, rate = _amounts(claim)
    norm = float((setting.text_statistics["Q_bar"] ** 2).sum())
    rise = amounts["W_O"] * amounts["V"] * amounts["W"] * rate**7 * norm
    loss = math.log(setting.given_text().vocab_size)
    spacing = float(np.spacing(np.float32(loss)))
    return judged(
        rise < spacing / 2,
        f"a rise of {rise:.0e}, which is not zero",
        evidence="measured",
        derivation=f"s C(s,2) c_s eta^7 |Q_bar|^2 = {rise:.0e}; float32 numbers near log V = {loss:.2f} are "
        f"{spacing:.0e} apart.",
    )


@decides("paper-ablation-losses")
def quoted_ablations(claim: Claim, setting: Setting) -> Finding:
    """Compare what is quoted with the table it is quoted from."""
    value, attention = ([Fraction(one) for one in claim.given[name]] for name in ("value", "attention"))
    return compared(
        claim,
        {
            "original": claim.given_number("original"),
            "output": claim.given_number("output"),
            "value": [min(value), max(value)],
            "attention": [min(attention), max(attention)],
        },
        evidence="quoted",
        derivation=f"The smallest and the largest of the three layers in {claim.given['citation']}.",
    )


@decides("learned-wo-top-transitions")
def strongest_transitions(claim: Claim, setting: Setting) -> Finding:
    """Rank the listed pairs among all pairs of the text by B_bar."""
    text, B_bar = setting.given_text(), setting.text_statistics["B_bar"]
    pairs = np.unique(text.tokens[:, :-1].ravel() * text.vocab_size + text.tokens[:, 1:].ravel())
    strengths = np.sort(B_bar.ravel()[pairs])[::-1]
    limit = float(claim.given_number("share")) * len(strengths)
    ranks = {}
    for first, second in claim.given["pairs"]:
        entry = B_bar[text.number(first), text.number(second)]
        ranks[f"{first} {second}"] = int(np.searchsorted(-strengths, -entry)) + 1
    return judged(
        max(ranks.values()) <= limit,
        "ranks " + ", ".join(f"{pair} {rank:,}" for pair, rank in ranks.items()),
        evidence="measured",
        derivation=f"Among {len(strengths):,} pairs that occur in the text, by B_bar.",
    )


@decides("translation-numbers-agree")
def same_numbers(claim: Claim, setting: Setting) -> Finding:
    """Compare the two versions' decimals, each with how often it occurs."""
    versions = {name: Counter(tables()["early-decimals"][name]) for name in ("english", "chinese")}
    english, chinese = versions["english"], versions["chinese"]
    differ = sorted(set((english - chinese) + (chinese - english)))
    return judged(
        not differ,
        f"the same {english.total()} decimals in each"
        if not differ
        else f"they differ in {', '.join(differ)}",
        derivation=f"Counted with repetition; {len(english)} and {len(chinese)} of them are different.",
    )


@decides("pythia-training-data")
def training_data(claim: Claim, setting: Setting) -> Finding:
    """Compare with the model's own publication."""
    record = claim.given["record"]
    return judged(
        claim.stated.casefold() == record.casefold(),
        f"trained on {record}",
        evidence="quoted",
        derivation="OpenWebText is what the paper estimates statistics from.",
    )


@decides("cos-output", "cos-value", "cos-qk")
def cosines_of_reproduction(claim: Claim, setting: Setting) -> Finding:
    """Compare with the last cosines of a training run of the published set-up."""
    group = {"cos-output": "W_O", "cos-value": "V", "cos-qk": "W"}[claim.id]
    cosines = setting.experiment("tinystories")["cosines"][group]
    met = all(rounds_to(claim.numbers["cosine"], cosine) for cosine in cosines)
    return judged(
        met,
        f"cosines of {group} by layer: " + ", ".join(f"{cosine:.6f}" for cosine in cosines),
        evidence="measured",
        derivation="The last cosines of the run, a layer each.",
    )


@decides("three-layers-coincide")
def spread_over_layers(claim: Claim, setting: Setting) -> Finding:
    """Compare the layers' cosines of V and of W in a training run."""
    cosines = setting.experiment("tinystories")["cosines"]
    spread = {group: max(cosines[group]) - min(cosines[group]) for group in ("V", "W")}
    room = {group: 1 - min(cosines[group]) for group in spread}
    return judged(
        all(spread[group] <= room[group] / 10 for group in spread),
        ", ".join(f"cosines of {group} differ by {size:.1e}" for group, size in spread.items()),
        evidence="measured",
        derivation=", ".join(f"1 - cosine of {group} is {size:.1e}" for group, size in room.items()) + ".",
    )


@decides("cos-after-100-epochs")
def cosines_after_100_epochs(claim: Claim, setting: Setting) -> Finding:
    """Take the smallest cosines of V and W over a run of 100 epochs."""
    smallest = setting.experiment("tinystories_100")["smallest"]
    found = {group: float(smallest[group]) for group in ("V", "W")}
    return judged(
        min(found.values()) > float(claim.given_number("least")),
        ", ".join(f"smallest cosine of {group} {cosine:.4f}" for group, cosine in found.items()),
        evidence="measured",
        derivation="The smallest over layers and epochs.",
    )

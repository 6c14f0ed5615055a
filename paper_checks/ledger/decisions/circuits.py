"""Circuits of attention-only models: shapes, ranks and identities in fractions; a constructed head."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, by_readings, compared, judged, verdict_if
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting
from reference.composition import composition_score
from reference.tokenizers import tokenizer
from theory.next_order import inner

# How many repeated sequences the constructed head is tried on, their vocabulary and their length.
SEQUENCES, VOCABULARY, PERIOD = 20, 9, 7
# Sizes of the random circuits.
WIDE, NARROW = 5, 2


def _random(rng: np.random.Generator, rows: int, columns: int) -> fmpq_mat:
    return fmpq_mat(rows, columns, [int(one) for one in rng.integers(-5, 6, rows * columns)])


@decides("residual-stream-memory")
def stream_width(claim: Claim, setting: Setting) -> Finding:
    """Multiply the heads by their width."""
    width = claim.given_number("heads") * claim.given_number("d_head")
    return compared(
        claim,
        {"d_model": width},
        evidence="quoted",
        derivation="Heads read and write heads times d_head dimensions.",
    )


@decides("attention-row-example")
def example_rows(claim: Claim, setting: Setting) -> Finding:
    """Add the rows up."""
    sums = [sum(Fraction(one) for one in row) for row in claim.given["rows"]]
    return compared(claim, {"sums": sums}, derivation="The entries are not negative and add up to 1.")


@decides("frozen-attention-linear", tried="a drawn model of two layers")
def frozen_attention(claim: Claim, setting: Setting) -> Finding:
    """Superpose two streams through two layers with given attention, and with attention from the scores."""
    rng = np.random.default_rng(setting.seed)
    V1, V2 = _random(rng, 3, 3), _random(rng, 3, 3)
    A1, A2 = (fmpq_mat(2, 2, [1, 0, fmpq(k), 1 - fmpq(k)]) for k in (fmpq(1, 3), fmpq(1, 2)))
    h, g = _random(rng, 2, 3), _random(rng, 2, 3)

    def frozen(x: fmpq_mat) -> fmpq_mat:
        x = x + A1 * x * V1
        return x + A2 * x * V2

    def scored(x: fmpq_mat) -> fmpq_mat:  # attention that follows the stream, here a rational function of it
        score = inner(x, x)
        return x + fmpq_mat(2, 2, [1, 0, score / (1 + score), 1 / (1 + score)]) * x * V1

    linear = frozen(h + g * fmpq(7)) == frozen(h) + frozen(g) * fmpq(7)
    control = scored(h + g) == scored(h) + scored(g)
    return judged(
        linear and not control,
        f"the outputs {'' if linear else 'do not '}superpose",
        derivation="h + A h V is linear in h for a fixed A, and so is what follows; with an A that depends "
        "on h it is not.",
    )


@decides("qk-bilinear-ov-linear", tried="a drawn head")
def bilinear_and_linear(claim: Claim, setting: Setting) -> Finding:
    """Superpose in each argument."""
    rng = np.random.default_rng(setting.seed)
    W_QK, W_OV = (_random(rng, WIDE, NARROW) * _random(rng, NARROW, WIDE) for _ in range(2))
    q, p, k = (_random(rng, 1, WIDE) for _ in range(3))

    def score(a: fmpq_mat, b: fmpq_mat) -> fmpq_mat:
        return a * W_QK * b.transpose()

    bilinear = score(q + p, k) == score(q, k) + score(p, k) and score(k, q + p) == score(k, q) + score(k, p)
    quadratic = score(q + p, q + p) != score(q, q) + score(p, p)
    linear = (q + p) * W_OV == q * W_OV + p * W_OV
    return judged(
        bilinear and quadratic and linear,
        "QK is linear in each of its two streams, OV in its one",
        derivation="q W_QK k^T is linear in q and in k; with both from one stream it is quadratic in that.",
    )


def _shape(rows: Fraction, inner_size: Fraction, columns: Fraction) -> list[int]:
    """Return the shape of a product of a [rows, inner] and an [inner, columns] matrix, by multiplying two."""
    left, right = np.zeros((int(rows), int(inner_size))), np.zeros((int(inner_size), int(columns)))
    return list((left @ right).shape)


@decides("qk-shape")
def shape_of_query_key(claim: Claim, setting: Setting) -> Finding:
    """Multiply W_Q by W_K^T."""
    model, head = claim.given_number("d_model"), claim.given_number("d_head")
    return compared(
        claim,
        {"shape": _shape(model, head, model)},
        derivation="W_Q and W_K are (d_model, d_head); W_Q W_K^T pairs two streams: (d_model, d_model).",
    )


@decides("ov-shape")
def shape_of_output_value(claim: Claim, setting: Setting) -> Finding:
    """Multiply W_V by W_O."""
    model, head = claim.given_number("d_model"), claim.given_number("d_head")
    return compared(
        claim,
        {"shape": _shape(model, head, model)},
        derivation="(d_model, d_head) times (d_head, d_model) is (d_model, d_model).",
    )


@decides("qk-rank", tried=f"{SEQUENCES} drawn products")
def low_rank(claim: Claim, setting: Setting) -> Finding:
    """Compute the exact rank of random products."""
    rng = np.random.default_rng(setting.seed)
    found = [(_random(rng, WIDE, NARROW) * _random(rng, NARROW, WIDE)).rank() for _ in range(SEQUENCES)]
    return judged(
        max(found) <= NARROW < WIDE,
        f"ranks of at most {max(found)} where d_head is {NARROW} and d_model {WIDE}",
        derivation="A product through d_head dimensions has a rank of at most d_head.",
    )


def _rotation(m: int) -> fmpq_mat:
    """Return a rational rotation of the plane, by the parametrisation of the circle."""
    c, s = fmpq(1 - m * m, 1 + m * m), fmpq(2 * m, 1 + m * m)
    return fmpq_mat(2, 2, [c, -s, s, c])


@decides("composition-svd-identity", tried="a constructed pair of matrices")
def singular_vectors(claim: Claim, setting: Setting) -> Finding:
    """Build two matrices from rational singular vectors and compare both sides squared."""
    U, Q, R, S = (_rotation(m) for m in (2, 3, 4, 5))
    sigma, tau = [fmpq(3), fmpq(1)], [fmpq(5), fmpq(2)]
    A = U * fmpq_mat(2, 2, [sigma[0], 0, 0, sigma[1]]) * Q.transpose()
    B = R * fmpq_mat(2, 2, [tau[0], 0, 0, tau[1]]) * S.transpose()
    cosines = Q.transpose() * R
    weighed = sum(
        ((sigma[i] * tau[j] * cosines[i, j]) ** 2 for i in range(2) for j in range(2)), start=fmpq(0)
    )
    product = A * B
    return judged(
        inner(product, product) == weighed,
        "both sides are equal" if inner(product, product) == weighed else "the sides differ",
        derivation="|U S Q^T R T S^T|_F^2 = sum over i, j of sigma_i^2 tau_j^2 (q_i . r_j)^2.",
    )


@decides("composition-rotate-180", tried="a drawn circuit")
def rotation_by_180(claim: Claim, setting: Setting) -> Finding:
    """Turn every vector by 180 degrees; and, as another reading, the array by 180 degrees."""
    rng = np.random.default_rng(setting.seed)
    shared = rng.normal(size=(NARROW, WIDE))
    positions = rng.normal(size=(2 * WIDE, NARROW)) @ shared
    reader = shared.T @ rng.normal(size=(NARROW, WIDE))
    before = float(composition_score(positions, reader))
    turned = float(composition_score(-positions, reader))
    flipped = float(composition_score(positions[::-1, ::-1], reader))
    return judged(
        turned < before,
        f"a score of {before:.3f} before and {turned:.3f} after",
        evidence="property",
        derivation="A rotation by 180 degrees is -1 in every plane, and |-A B| = |A B|. The score sees only "
        "subspaces, not signs.",
        convention=f"Turning the array by 180 degrees instead reverses the stream's coordinates too, "
        f"{flipped:.3f}: that is another basis, and lowers what is aligned.",
        readings={"the array turned by 180 degrees": verdict_if(flipped < before)},
    )


@decides("shortformer-positions")
def shortformer(claim: Claim, setting: Setting) -> Finding:
    """Compare with the method's own publication."""
    entered = claim.given["entered"]
    return judged(
        "every layer" not in entered,
        f"added to {entered}",
        evidence="quoted",
        derivation="So layer 1 sees positions, in its scores only.",
    )


@decides("subspace-count")
def subspaces(claim: Claim, setting: Setting) -> Finding:
    """Add."""
    return compared(
        claim,
        {"subspaces": claim.given_number("embeddings") + claim.given_number("heads")},
        derivation="Both embeddings and the output of each head of the layer before.",
    )


@decides("induction-token-10-to-4")
def tokens_of_the_example(claim: Claim, setting: Setting) -> Finding:
    """Tokenise and look up the second occurrence and what followed the first."""
    words = tokenizer("words")(claim.given["sentence"])
    first = words.index(claim.given["repeated"])
    second = words.index(claim.given["repeated"], first + 1)
    following = words.index(claim.given["next"], first)
    return by_readings(
        claim,
        {
            "a token for the beginning before the sentence": {"query": second + 1, "key": following + 1},
            "no such token": {"query": second, "key": following},
        },
        derivation=f"{claim.given['repeated']} is at {first} and {second}, "
        f"{claim.given['next']} at {following}.",
    )


def predictions(tokens: np.ndarray) -> np.ndarray:
    """Return what two attention-only layers with hand-set one-hot weights copy at each position of [T].

    Layer 1 writes each token's predecessor into a second part of the stream; layer 2 matches the current
    token against those and copies the token found, or -1 where nothing matches.
    """
    length = len(tokens)
    previous = np.concatenate([[-1], tokens[:-1]])
    found = np.full(length, -1)
    for i in range(length):
        matches = np.flatnonzero(previous[: i + 1] == tokens[i])
        if len(matches):
            found[i] = tokens[matches[-1]]
    return found


@decides("induction-content-free", tried=f"{SEQUENCES} drawn sequences")
def renamed_tokens(claim: Claim, setting: Setting) -> Finding:
    """Rename the vocabulary of repeated sequences: the constructed head's answers are renamed alike."""
    rng = np.random.default_rng(setting.seed)
    same = right = total = 0
    for _ in range(SEQUENCES):
        tokens = np.tile(rng.permutation(VOCABULARY)[:PERIOD], 2)
        renaming = rng.permutation(VOCABULARY)
        before, after = predictions(tokens), predictions(renaming[tokens])
        same += bool((np.where(before < 0, -1, renaming[before]) == after).all())
        right += int((before[PERIOD:-1] == tokens[PERIOD + 1 :]).sum())
        total += PERIOD - 1
    return judged(
        same == SEQUENCES and right == total,
        f"answers renamed alike in {same} of {SEQUENCES} sequences, {right} of {total} predictions right",
        derivation="Matching asks whether two tokens are equal, which no renaming changes.",
    )


@decides("embedding-pca")
def embedding_spectrum(claim: Claim, setting: Setting) -> Finding:
    """Compare with the numbers of directions that hold 80% of each embedding's variance in a given model."""
    found = setting.experiment("embedding_spectrum")
    return compared(
        claim,
        {"tokens": found["tokens"], "positions": found["positions"]},
        evidence="measured",
        derivation=f"Directions, by principal components, that hold {found['part']:.0%} of the variance.",
        convention=f"The first {claim.numbers['positions']} directions of positions hold "
        f"{found['held_by_few_positions']:.1%}.",
    )


@decides(
    "layer0-ov-two-options",
    "head-0-7-previous",
    "induction-heads-1-4-1-10",
    "induction-default-first-token",
    "pythia-drift",
    "paper-pythia-alignment",
)
def measured_on_a_model(claim: Claim, setting: Setting) -> Finding:
    """Take what an examination of a model's heads found under the claim's name."""
    found = setting.experiment(claim.id)
    holds, computed = bool(found["holds"]), str(found["computed"])
    return judged(holds, computed, evidence="measured", derivation=str(found["why"]))

"""Slips that change nothing: each is proved to answer the same, or it would have to be caught.

A proof speaks of exact arithmetic; that the code does what was proved is what the checks named with it show,
which must stay green.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from properties.mutants import proofs
from properties.mutants.mutant import Mutant
from theory.verdict import Verdict


@dataclass(frozen=True)
class Equivalent:
    """A mutant that is right after all.

    Attributes:
        mutant: the slip; the checks it names must stay green.
        because: why nothing changes, in one sentence.
        proof: compares what the slip makes with what is right, in exact arithmetic.
    """

    mutant: Mutant
    because: str
    proof: Callable[[], Verdict]


_statistics = partial(Mutant, method="statistics")
_EXACT = tuple(
    f"statistics.{name}" for name in ("B_bar", "Phi_bar", "Sigma_B", "G_bar", "Q_bar", "Delta_bar")
)

EQUIVALENTS = (
    Equivalent(
        _statistics(
            "same_uniform_part_of_the_pull",
            slip="1/V is not subtracted from the target where it meets G_bar",
            function="evidence",
            right="np.eye(vocab_size)[target] - 1 / vocab_size",
            wrong="np.eye(vocab_size)[target]",
            caught_by=_EXACT,
        ),
        because="the rows of B_bar sum to zero, so (1/V) 1^T Sigma_B and with it (1/V) 1^T G_bar are zero",
        proof=partial(proofs.for_every_corpus, "the evidence of the targets", proofs.pull_of_targets),
    ),
    Equivalent(
        _statistics(
            "same_uniform_part_of_the_context",
            slip="G_bar is composed of the shares before the even spread is subtracted",
            function="statistics",
            right="Sigma_B @ Phi_bar",
            wrong="Sigma_B @ shares(tokens, vocab_size)",
            caught_by=_EXACT,
        ),
        because="what is subtracted is the same for every target, and Sigma_B 1 is zero",
        proof=partial(proofs.for_every_corpus, "G_bar of the shares", proofs.composed_with_shares),
    ),
    Equivalent(
        _statistics(
            "same_without_the_first_position",
            slip="the first position, which sees itself alone, is left out of the evidence",
            function="evidence",
            right="range(len(sequence) - 1)",
            wrong="range(1, len(sequence) - 1)",
            caught_by=_EXACT,
        ),
        because="a single pull is its own mean",
        proof=partial(
            proofs.for_every_corpus, "the evidence of the later positions", proofs.without_the_first_position
        ),
    ),
    Equivalent(
        _statistics(
            "same_Sigma_B_transposed",
            slip="Sigma_B is transposed",
            function="statistics",
            right="B_bar.T @ B_bar",
            wrong="(B_bar.T @ B_bar).T",
            caught_by=_EXACT,
        ),
        because="B_bar^T B_bar is symmetric",
        proof=partial(proofs.for_every_corpus, "Sigma_B transposed", proofs.transposed_Sigma_B),
    ),
    Equivalent(
        Mutant(
            "same_scores_shifted",
            method="attention",
            slip="the score of the first key is subtracted from its row",
            function="forward",
            right="np.where(visible, scores, -np.inf)",
            wrong="np.where(visible, scores - scores[:, :1], -np.inf)",
            caught_by=("model.attention", "model.attention_rows", "zero.attention", "softmax.large_scores"),
        ),
        because="a factor exp(-c) cancels between a weight and the sum of its row",
        proof=proofs.softmax_of_shifted,
    ),
    Equivalent(
        Mutant(
            "same_mean_of_means",
            method="loss",
            slip="the mean is taken within each sequence first",
            function="loss",
            right="np.mean(losses)",
            wrong="np.mean(np.reshape(losses, (len(tokens), -1)).mean(axis=1))",
            caught_by=("model.loss", "zero.loss", "softmax.large_logits_loss"),
        ),
        because="all sequences have the same length",
        proof=proofs.mean_of_means,
    ),
    Equivalent(
        Mutant(
            "same_keys_shifted",
            method="gradients",
            slip="the pull of the first key is subtracted from its row",
            function="gradients",
            right="M = G @ V.T @ x.T",
            wrong="M = G @ V.T @ (x - x[:1]).T",
            caught_by=tuple(f"gradients.{group}" for group in ("W_O", "V", "W", "P")),
        ),
        because="the softmax Jacobian sends what is constant along a row to zero",
        proof=proofs.softmax_jacobian_of_shifted,
    ),
    Equivalent(
        Mutant(
            "same_P_centred",
            method="train",
            slip="the mean over distances is subtracted from the gradient of P",
            function="train",
            right="rate * slope[name]",
            wrong="rate * (slope[name] - (name == 'P') * slope[name].mean(axis=-1, keepdims=True))",
            caught_by=("descent.parameters", "descent.series", "conserved.P_sum"),
        ),
        because="the softmax Jacobian's rows sum to zero, and the gradient of P with them",
        proof=proofs.softmax_jacobian_sums_to_zero,
    ),
    Equivalent(
        Mutant(
            "same_removed_twice",
            method="remove_projection",
            slip="the projection is removed a second time from what is left",
            function="remove_projection",
            right="return weight - along * direction",
            wrong="rest = weight - along * direction\n"
            "    return rest - (rest * direction).sum() / square * direction",
            caught_by=("projection.formula", "projection.orthogonal", "projection.idempotent"),
        ),
        because="what is left has no part along the direction",
        proof=proofs.nothing_left_along_the_direction,
    ),
    Equivalent(
        Mutant(
            "same_entropy_in_bits",
            method="head_profile",
            slip="the entropy and its largest value are both in bits",
            function="head_profile",
            right="nats / math.log(t + 1)",
            wrong="(nats / math.log(2)) / math.log2(t + 1)",
            caught_by=("uniform.head_profile", "heads.one_hot_maps", "heads.profile"),
        ),
        because="a ratio of logarithms does not depend on their base",
        proof=proofs.ratio_of_logarithms,
    ),
    Equivalent(
        Mutant(
            "same_product_transposed",
            method="composition_score",
            slip="the transposed factors are multiplied in the other order",
            function="composition_score",
            right="first @ second",
            wrong="second.T @ first.T",
            caught_by=("composition.formula", "composition.scale_free", "composition.basis_free"),
        ),
        because="this is the product transposed, and a matrix has the norm of its transpose",
        proof=proofs.norm_of_the_transposed_product,
    ),
)

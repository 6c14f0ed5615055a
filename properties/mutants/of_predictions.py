"""Slips in the logits and the loss."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from properties.mutants.mutant import Mutant
from properties.mutants.of_attention import ATTENTION

_logits = partial(Mutant, method="logits", function="forward")
_loss = partial(Mutant, method="loss", function="loss")

_OF_LOGITS = (
    _logits(
        "logits_without_residual",
        slip="a layer replaces what it reads, it is not added to it",
        right="h[-1] + A @ h[-1] @ V",
        wrong="A @ h[-1] @ V",
        caught_by=("model.logits",),
    ),
    _logits(
        "logits_values_doubled",
        slip="what the heads move is added twice",
        right="h[-1] + A @ h[-1] @ V",
        wrong="h[-1] + 2 * A @ h[-1] @ V",
        caught_by=("model.logits",),
    ),
    _logits(
        "logits_V_transposed",
        slip="V is transposed",
        right="A @ h[-1] @ V",
        wrong="A @ h[-1] @ V.T",
        caught_by=("model.logits",),
    ),
    _logits(
        "logits_values_of_embeddings",
        slip="every layer moves the embeddings, not what the layer below has left",
        right="A @ h[-1] @ V",
        wrong="A @ h[0] @ V",
        caught_by=("model.logits",),
    ),
    _logits(
        "logits_attention_transposed",
        slip="attention carries information from queries to keys",
        right="A @ h[-1] @ V",
        wrong="A.T @ h[-1] @ V",
        caught_by=("model.logits", "model.causal", "explanation.sum"),
    ),
    _logits(
        "logits_without_the_mask",
        slip="there is no causal mask",
        right="np.where(visible, scores, -np.inf)",
        wrong="scores",
        kind="no causal mask",
        caught_by=("model.logits", "model.causal"),
    ),
    _logits(
        "logits_read_the_target",
        slip="the inputs are not shifted: position t reads word t + 1",
        right="sequence[:-1]",
        wrong="sequence[1:]",
        caught_by=("model.logits", "model.causal"),
    ),
    _logits(
        "logits_P_multiplied",
        slip="P multiplies the scores, it is not added to them",
        right="scores + P[distance]",
        wrong="scores * P[distance]",
        caught_by=("model.logits", "softmax.P_shift_logits"),
    ),
    _logits(
        "logits_layers_reversed",
        slip="the layers are applied from the last to the first",
        right="for layer in layers:",
        wrong="for layer in reversed(layers):",
        caught_by=("model.logits",),
    ),
    _logits(
        "logits_last_layer_dropped",
        slip="the last layer is left out of the logits",
        right="range(len(parameters",
        wrong="range(-1 + len(parameters",
        caught_by=("model.logits",),
    ),
    Mutant(
        "logits_W_O_transposed",
        method="logits",
        slip="W_O is transposed",
        function="logits",
        right='parameters["W_O"]',
        wrong='parameters["W_O"].T',
        caught_by=("model.logits",),
    ),
    Mutant(
        "logits_are_probabilities",
        method="logits",
        slip="the softmax of the logits is answered",
        function="logits",
        right="return np.array(F)",
        wrong="return softmax(np.array(F))",
        caught_by=("model.logits",),
    ),
    Mutant(
        "logits_are_log_probabilities",
        method="logits",
        slip="the logarithm of the softmax of the logits is answered",
        function="logits",
        right="return np.array(F)",
        wrong="return np.log(softmax(np.array(F)))",
        caught_by=("model.logits",),
    ),
    Mutant(
        "logits_are_centred",
        method="logits",
        slip="the mean over words is subtracted from the logits",
        function="logits",
        right='@ parameters["W_O"]',
        wrong='@ (parameters["W_O"] - parameters["W_O"].mean(axis=1, keepdims=True))',
        caught_by=("model.logits",),
    ),
    Mutant(
        "logits_overflow",
        method="logits",
        slip="the largest score of a row is not subtracted before the exponential, which overflows",
        function="softmax",
        right="scores - scores.max(axis=-1, keepdims=True)",
        wrong="scores",
        caught_by=("softmax.large_scores_logits",),
    ),
)


def _seen_in_the_logits(slip: Mutant) -> Mutant:
    """Return a slip of a layer's attention as one of the logits: all that some implementations answer.

    Maps whose rows hold weight on what comes later, or are no distribution over what came before, let the
    logits depend on it.
    """
    causal = ("model.causal",) if "model.attention_rows" in slip.caught_by else ()
    id = f"logits_{slip.id.removeprefix('attention_')}"
    return replace(slip, id=id, method="logits", caught_by=("model.logits", *causal))


_TAKEN = {(one.right, one.wrong) for one in _OF_LOGITS}
LOGITS = (
    *_OF_LOGITS,
    *(
        _seen_in_the_logits(slip)
        for slip in ATTENTION
        # What is answered, not what is computed, is no slip of the logits.
        if slip.function != "attention"
        and "maps" not in slip.right
        and (slip.right, slip.wrong) not in _TAKEN
    ),
)

LOSS = (
    _loss(
        "loss_target_off_by_one",
        slip="the target of position t is word t, not word t + 1",
        right="sequence[t + 1]",
        wrong="sequence[t]",
        kind="target off by one",
        caught_by=("model.loss",),
    ),
    _loss(
        "loss_in_bits",
        slip="the loss is in bits, not in nats",
        right="np.mean(losses)",
        wrong="np.mean(losses) / np.log(2)",
        caught_by=("model.loss", "zero.loss", "softmax.equal_logits"),
    ),
    _loss(
        "loss_log_2",
        slip="the logarithm is to the base 2, the exponential to the base e",
        right="np.log(",
        wrong="np.log2(",
        caught_by=("model.loss", "zero.loss"),
    ),
    _loss(
        "loss_summed",
        slip="the loss is summed over all positions, not divided by NT",
        right="np.mean(losses)",
        wrong="np.sum(losses)",
        kind="not divided by NT",
        caught_by=("model.loss", "zero.loss"),
    ),
    _loss(
        "loss_summed_over_a_sequence",
        slip="the loss is divided by the number of sequences, not of positions",
        right="np.mean(losses)",
        wrong="np.sum(losses) / len(tokens)",
        kind="divided by N",
        caught_by=("model.loss", "zero.loss"),
    ),
    _loss(
        "loss_padding_counted",
        slip="the sum is divided by the padded length T + 1, not by T",
        right="np.mean(losses)",
        wrong="np.sum(losses) / tokens.size",
        kind="padding counted",
        caught_by=("model.loss", "zero.loss"),
    ),
    _loss(
        "loss_without_the_first_position",
        slip="the first position is left out of the loss",
        right="range(len(F))",
        wrong="range(min(1, len(F) - 1), len(F))",
        caught_by=("model.loss",),
    ),
    _loss(
        "loss_without_the_only_position",
        slip="the first position is left out of the loss",
        right="range(len(F))",
        wrong="range(1, len(F))",
        caught_by=("model.loss", "zero.loss"),
    ),
    _loss(
        "loss_ignores_word_0",
        slip="word 0 is taken for padding and left out of the loss",
        right="losses.append(-log_probability[target])",
        wrong="losses += [-log_probability[target]] * int(target > 0)",
        caught_by=("model.loss", "zero.loss"),
    ),
    _loss(
        "loss_without_the_last_position",
        slip="the last position is left out of the loss",
        right="range(len(F))",
        wrong="range(max(1, len(F) - 1))",
        caught_by=("model.loss",),
    ),
    _loss(
        "loss_is_perplexity",
        slip="the perplexity exp(loss) is answered",
        right="np.mean(losses)",
        wrong="np.exp(np.mean(losses))",
        caught_by=("model.loss", "zero.loss"),
    ),
    _loss(
        "loss_negated",
        slip="the loss is the mean log-probability",
        right="-log_probability[target]",
        wrong="log_probability[target]",
        kind="negated",
        caught_by=("model.loss", "zero.loss"),
    ),
    _loss(
        "loss_without_softmax",
        slip="the logit of the target is taken for its log-probability",
        right="log_probability[target]",
        wrong="F[t][target]",
        caught_by=("model.loss", "zero.loss", "behaviour.change"),
    ),
    _loss(
        "loss_with_epsilon",
        slip="a small constant is added inside the logarithm",
        right="np.exp(F[t] - top).sum()",
        wrong="np.exp(F[t] - top).sum() + 1e-9",
        caught_by=("model.loss", "zero.loss"),
    ),
    _loss(
        "loss_overflows",
        slip="the largest logit is not subtracted before the exponential, which overflows",
        right="F[t].max()",
        wrong="0.0",
        caught_by=("softmax.large_logits_loss",),
    ),
    _loss(
        "loss_of_probability",
        slip="the logarithm is taken of a probability that underflows",
        right="F[t] - top - np.log(np.exp(F[t] - top).sum())",
        wrong="np.log(softmax(F[t]))",
        caught_by=("softmax.large_logits_loss",),
    ),
    _loss(
        "loss_float32",
        slip="the loss is added up in float32",
        right="np.mean(losses)",
        wrong="np.mean(np.float32(losses))",
        kind="float32",
        caught_by=("model.loss", "zero.loss"),
    ),
)

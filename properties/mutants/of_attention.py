"""Slips in attention."""

from __future__ import annotations

from functools import partial

from properties.mutants.mutant import Mutant

_attention = partial(Mutant, method="attention", function="forward")

ATTENTION = (
    _attention(
        "attention_W_transposed",
        slip="W is transposed: keys ask and queries answer",
        right="h[-1] @ W @ h[-1].T",
        wrong="h[-1] @ W.T @ h[-1].T",
        caught_by=("model.attention", "softmax.W_row_shift"),
    ),
    _attention(
        "attention_scaled",
        slip="the scores are divided by the root of the width, as in scaled dot-product attention",
        right="h[-1] @ W @ h[-1].T",
        wrong="h[-1] @ W @ h[-1].T / np.sqrt(len(W))",
        caught_by=("model.attention",),
    ),
    _attention(
        "attention_softmax_over_queries",
        slip="the softmax runs over the queries, not over the keys",
        right="softmax(np.where(visible, scores, -np.inf))",
        wrong="softmax(np.where(visible, scores, -np.inf).T).T",
        caught_by=("model.attention", "model.attention_rows", "zero.attention"),
    ),
    _attention(
        "attention_mask_off_by_one",
        slip="the mask lets position t see position t + 1",
        right="distance >= 0",
        wrong="distance >= -1",
        caught_by=("model.attention_rows", "zero.attention", "uniform.model_diagonal"),
    ),
    _attention(
        "attention_excludes_t",
        slip="the mask hides position t from itself",
        right="distance >= 0",
        wrong="distance >= 1",
        kind="position t excluded",
        caught_by=("model.attention", "zero.attention"),
    ),
    _attention(
        "attention_without_the_mask",
        slip="there is no causal mask",
        right="np.where(visible, scores, -np.inf)",
        wrong="scores",
        caught_by=("model.attention_rows", "zero.attention", "uniform.model_diagonal"),
    ),
    _attention(
        "attention_hidden_scores_zero",
        slip="the scores of hidden positions are set to 0, not to minus infinity",
        right="-np.inf",
        wrong="0.0",
        caught_by=("model.attention_rows", "zero.attention"),
    ),
    _attention(
        "attention_masked_after_softmax",
        slip="the mask comes after the softmax, so that rows no longer sum to 1",
        right="softmax(np.where(visible, scores, -np.inf))",
        wrong="softmax(scores) * visible",
        caught_by=("model.attention_rows", "zero.attention"),
    ),
    _attention(
        "attention_without_P",
        slip="P is left out of the scores",
        right="scores + P[distance]",
        wrong="scores",
        caught_by=("model.attention",),
    ),
    _attention(
        "attention_P_by_position",
        slip="P is read by the key's position, not by its distance",
        right="P[distance]",
        wrong="P[positions]",
        caught_by=("model.attention",),
    ),
    _attention(
        "attention_P_reversed",
        slip="the distance is taken as k - t, which counts from the end of P",
        right="P[distance]",
        wrong="P[-distance]",
        caught_by=("model.attention",),
    ),
    _attention(
        "attention_P_multiplied",
        slip="P multiplies the scores, it is not added to them",
        right="scores + P[distance]",
        wrong="scores * P[distance]",
        caught_by=("model.attention", "softmax.P_shift"),
    ),
    _attention(
        "attention_of_embeddings",
        slip="every layer asks with the embeddings, not with what the layer below has left",
        right="h[-1] @ W @ h[-1].T",
        wrong="h[0] @ W @ h[0].T",
        caught_by=("model.attention",),
    ),
    _attention(
        "attention_reads_the_target",
        slip="the inputs are not shifted: position t reads word t + 1",
        right="sequence[:-1]",
        wrong="sequence[1:]",
        caught_by=("model.attention", "softmax.ties"),
    ),
    _attention(
        "attention_layers_reversed",
        slip="the layers are applied from the last to the first",
        right="for layer in layers:",
        wrong="for layer in reversed(layers):",
        caught_by=("model.attention",),
    ),
    _attention(
        "attention_layers_share_W",
        slip="every layer has the W, P and V of the first",
        right="parameters[name][layer]",
        wrong="parameters[name][0]",
        caught_by=("model.attention",),
    ),
    Mutant(
        "attention_base_2",
        method="attention",
        slip="the softmax has powers of 2, not of e",
        function="softmax",
        right="np.exp(",
        wrong="np.exp2(",
        caught_by=("model.attention",),
    ),
    Mutant(
        "attention_overflows",
        method="attention",
        slip="the largest score of a row is not subtracted before the exponential, which overflows",
        function="softmax",
        right="scores - scores.max(axis=-1, keepdims=True)",
        wrong="scores",
        caught_by=("softmax.large_scores",),
    ),
    Mutant(
        "attention_transposed",
        method="attention",
        slip="the attention maps are answered as [key, query]",
        function="attention",
        right=".swapaxes(0, 1)",
        wrong=".swapaxes(0, 1).swapaxes(2, 3)",
        kind="transposed",
        caught_by=("model.attention", "model.attention_rows", "zero.attention"),
    ),
    _attention(
        "attention_float32",
        slip="the attention maps are kept in float32",
        right="maps.append(A)",
        wrong="maps.append(A.astype(np.float32))",
        kind="float32",
        caught_by=("model.attention", "zero.attention"),
    ),
)

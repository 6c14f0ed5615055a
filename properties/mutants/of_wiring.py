"""Slips in how the parts of the model and of its gradients are joined."""

from __future__ import annotations

from functools import partial

from properties.mutants.mutant import Mutant

_logits = partial(Mutant, method="logits", function="forward", caught_by=("model.logits",))
_gradients = partial(Mutant, method="gradients", function="gradients")

LOGITS_WIRING = (
    _logits(
        "logits_residual_of_embeddings",
        slip="every layer adds to the embeddings, not to what the layer below has left",
        right="h[-1] + A @",
        wrong="h[0] + A @",
    ),
    _logits(
        "logits_without_attention",
        slip="the values are each position's own: A does not gather them",
        right="A @ h[-1] @ V",
        wrong="h[-1] @ V",
    ),
    _logits(
        "logits_first_layer_dropped",
        slip="the first layer is left out",
        right="range(len(parameters",
        wrong="range(1, len(parameters",
    ),
    _logits(
        "logits_V_and_W_swapped",
        slip="V and W change places",
        right='("W", "P", "V")',
        wrong='("V", "P", "W")',
    ),
    _logits(
        "logits_W_symmetrised",
        slip="W is the sum of itself and its transpose",
        right="h[-1] @ W @ h[-1].T",
        wrong="h[-1] @ (W + W.T) @ h[-1].T",
    ),
    _logits(
        "logits_P_from_distance_1",
        slip="P begins with distance 1, which distance 0 shares",
        right="P[distance]",
        wrong="P[np.maximum(distance - 1, 0)]",
    ),
    _logits(
        "logits_P_a_distance_too_far",
        slip="P is read one distance too far, at the end twice",
        right="P[distance]",
        wrong="P[np.minimum(np.maximum(distance + 1, 0), len(P) - 1)]",
    ),
    _logits(
        "logits_inputs_one_back",
        slip="the inputs begin with a word 0: position t reads word t - 1",
        right="sequence[:-1]",
        wrong="np.append(0, sequence[:-2])",
    ),
    _logits(
        "logits_without_softmax",
        slip="the scores weigh the values themselves: there is no softmax",
        right="softmax(np.where(visible, scores, -np.inf))",
        wrong="np.where(visible, scores, 0.0)",
    ),
    Mutant(
        "logits_of_what_layers_add",
        method="logits",
        slip="the logits read what the layers add, without the embeddings",
        function="logits",
        right="forward(parameters, sequence)[0][-1] @",
        wrong="np.subtract(*[forward(parameters, sequence)[0][i] for i in (-1, 0)]) @",
        caught_by=("model.logits",),
    ),
    Mutant(
        "logits_without_W_O",
        method="logits",
        slip="the activations are answered, without W_O",
        function="logits",
        right=' @ parameters["W_O"]',
        wrong="",
        caught_by=("model.logits",),
    ),
    Mutant(
        "loss_of_the_last_position",
        method="loss",
        slip="the loss is that of the last position alone",
        function="loss",
        right="range(len(F))",
        wrong="range(len(F) - 1, len(F))",
        caught_by=("model.loss",),
    ),
)
GRADIENTS_WIRING = (
    _gradients(
        "gradients_of_V_without_attention",
        slip="the gradient of V leaves out the attention",
        right="x.T @ A.T @ G",
        wrong="x.T @ G",
        caught_by=("gradients.V",),
    ),
    _gradients(
        "gradients_without_attention",
        slip="attention is taken for a constant: only the values carry a gradient",
        right="S = A * (M - centre)",
        wrong="S = 0 * A",
        caught_by=("gradients.W", "gradients.P"),
    ),
    Mutant(
        "gradients_layers_reversed",
        method="gradients",
        slip="the gradients of the layers come in the reverse order",
        function="gradients",
        right="{name: value / tokens[:, 1:].size for",
        wrong="{name: value[:: 1 if name == 'W_O' else -1] / tokens[:, 1:].size for",
        caught_by=("gradients.V",),
    ),
    _gradients(
        "gradients_of_P_reversed",
        slip="the gradient of P begins with the farthest distance",
        right="for d in range(len(S))]",
        wrong="for d in range(len(S))][::-1]",
        kind="reversed",
        caught_by=("gradients.P",),
    ),
)

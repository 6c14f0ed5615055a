"""Slips in descent from zero."""

from __future__ import annotations

from functools import partial

from properties.mutants.mutant import Mutant

_train = partial(Mutant, method="train", function="train")

TRAIN = (
    _train(
        "train_uphill",
        slip="descent goes uphill",
        kind="negated",
        right="- rate * slope[name]",
        wrong="+ rate * slope[name]",
        caught_by=("first_step.W_O", "descent.parameters", "scaling.W_O"),
    ),
    _train(
        "train_last_step_dropped",
        slip="the last step is not made",
        right="range(steps)",
        wrong="range(steps - 1)",
        caught_by=("first_step.W_O", "scaling.W_O", "scaling.V", "scaling.W", "scaling.P"),
    ),
    _train(
        "train_one_step_more",
        slip="one step too many is made",
        right="range(steps)",
        wrong="range(steps + 1)",
        caught_by=("first_step.others", "first_step.W_and_P_wait", "descent.series"),
    ),
    _train(
        "train_rate_twice",
        slip="the rate is applied twice",
        right="rate * slope[name]",
        wrong="rate * rate * slope[name]",
        caught_by=("first_step.W_O", "scaling.W_O", "spectrum.W_O"),
    ),
    _train(
        "train_without_rate",
        slip="the rate is not applied",
        right="rate * slope[name]",
        wrong="slope[name]",
        caught_by=("first_step.W_O", "bounds.D5", "bounds.D6", "bounds.D7"),
    ),
    _train(
        "train_rate_of_V_doubled",
        slip="V is moved at twice the rate",
        right="rate * slope[name]",
        wrong="(2 if name == 'V' else 1) * rate * slope[name]",
        caught_by=(
            "descent.parameters",
            "scaling.V",
            "scaling.halves",
            "next_order.V",
            "next_order.relative_error",
            "spectrum.V",
        ),
    ),
    _train(
        "train_rate_decays",
        slip="the rate falls as one over the step",
        right="rate * slope[name]",
        wrong="rate / (_step + 1) * slope[name]",
        caught_by=("scaling.W_O", "scaling.halves", "next_order.cosine", "next_order.lost_step"),
    ),
    _train(
        "train_momentum",
        slip="every step also repeats half of the way made so far",
        right="parameters[name] - rate",
        wrong="1.5 * parameters[name] - rate",
        caught_by=("descent.parameters", "scaling.W_O", "behaviour.ablation"),
    ),
    _train(
        "train_gradients_added_up",
        slip="a step goes along the gradients of all steps so far: they are not set to zero between steps",
        right="""for _step in range(steps):
        slope = gradients(parameters, tokens)
""",
        wrong="""slope = dict.fromkeys(parameters, 0)
    for _step in range(steps):
        slope = {name: slope[name] + value for name, value in gradients(parameters, tokens).items()}
""",
        caught_by=("descent.parameters", "scaling.W_O", "scaling.V"),
    ),
    _train(
        "train_at_least_one_step",
        slip="one step is made even where none is asked for",
        right="range(steps)",
        wrong="range(max(steps, 1))",
        caught_by=("first_step.start",),
    ),
    _train(
        "train_weight_decay",
        slip="the weights decay a little in every step",
        right="parameters[name] - rate",
        wrong="(1 - rate) * parameters[name] - rate",
        caught_by=("descent.parameters", "descent.series", "next_order.W_O"),
    ),
    _train(
        "train_gradient_normalised",
        slip="the gradient is normalised to length 1",
        right="rate * slope[name]",
        wrong="rate * slope[name] / max(np.linalg.norm(slope[name]), 1e-300)",
        caught_by=("first_step.W_O", "scaling.V", "scaling.W"),
    ),
    _train(
        "train_adam",
        slip="the steps are those of Adam, not of plain descent",
        right="""for _step in range(steps):
        slope = gradients(parameters, tokens)
        for name in ("W_O", "V", "W", "P"):
            parameters[name] = parameters[name] - rate * slope[name]
""",
        wrong="""mean, square = dict.fromkeys(parameters, 0), dict.fromkeys(parameters, 0)
    for step in range(1, steps + 1):
        slope = gradients(parameters, tokens)
        for name in ("W_O", "V", "W", "P"):
            mean[name] = 0.9 * mean[name] + 0.1 * slope[name]
            square[name] = 0.999 * square[name] + 0.001 * slope[name] ** 2
            size = np.sqrt(square[name] / (1 - 0.999**step)) + 1e-8
            parameters[name] = parameters[name] - rate * mean[name] / (1 - 0.9**step) / size
""",
        caught_by=("first_step.W_O", "descent.parameters", "scaling.V"),
    ),
    _train(
        "train_gradient_summed",
        slip="the gradient is that of the summed loss, not divided by NT",
        kind="not divided by NT",
        right="rate * slope[name]",
        wrong="rate * tokens[:, 1:].size * slope[name]",
        caught_by=("first_step.W_O", "bounds.D10"),
    ),
    _train(
        "train_one_group_after_the_other",
        slip="a group's gradient is taken after the groups before it have moved",
        right="rate * slope[name]",
        wrong="rate * gradients(parameters, tokens)[name]",
        caught_by=("first_step.others", "first_step.W_and_P_wait", "scaling.V"),
    ),
    _train(
        "train_one_sequence_at_a_time",
        slip="a step sees one sequence, not the whole corpus",
        right="gradients(parameters, tokens)",
        wrong="gradients(parameters, tokens[_step % len(tokens)][None])",
        caught_by=("first_step.W_O", "descent.parameters"),
    ),
    _train(
        "train_layers_share_a_gradient",
        slip="every layer moves by the gradient of the first",
        right="slope[name]",
        wrong="(slope[name] if name == 'W_O' else slope[name][:1])",
        caught_by=("descent.parameters", "layers.V", "layers.W", "layers.P"),
    ),
    _train(
        "train_last_layer_only",
        slip="the layers below the last do not move",
        right="parameters[name] - rate * slope[name]",
        wrong="parameters[name] - rate * slope[name]\n"
        "            if name != 'W_O':\n"
        "                parameters[name][:-1] = 0.0",
        caught_by=("descent.parameters", "scaling.V", "scaling.W"),
    ),
    _train(
        "train_W_transposed",
        slip="W moves by the transpose of its gradient",
        right="slope[name]",
        wrong="(slope[name].swapaxes(1, 2) if name == 'W' else slope[name])",
        caught_by=(
            "descent.parameters",
            "scaling.W",
            "scaling.halves",
            "conserved.first_W_rows",
            "next_order.W",
            "spectrum.W",
        ),
    ),
    _train(
        "train_P_frozen",
        slip="P does not move",
        right='("W_O", "V", "W", "P")',
        wrong='("W_O", "V", "W")',
        caught_by=("descent.parameters", "scaling.P", "scaling.halves", "next_order.P"),
    ),
    _train(
        "train_P_drifts",
        slip="a constant is added to P in every step",
        right="parameters[name] - rate",
        wrong="parameters[name] + 1e-9 * (name == 'P') - rate",
        caught_by=("first_step.others", "conserved.P_sum"),
    ),
    _train(
        "train_W_O_biased",
        slip="W_O learns the frequency of the next word as a bias",
        right="parameters[name] - rate",
        wrong="parameters[name] + rate**3 * (name == 'W_O') - rate",
        caught_by=("descent.parameters", "conserved.W_O_rows"),
    ),
    Mutant(
        "train_from_a_random_start",
        method="train",
        slip="the start is small and random, not zero",
        kind="not from zero",
        function="start",
        right="np.zeros(shape)",
        wrong="np.random.default_rng(0).normal(0, 1e-6, shape)",
        caught_by=("first_step.start", "first_step.others", "descent.parameters"),
    ),
    _train(
        "train_float32",
        slip="the parameters are kept in float32",
        right="parameters[name] - rate * slope[name]",
        wrong="np.float32(parameters[name] - rate * slope[name])",
        kind="float32",
        caught_by=("first_step.W_O", "descent.parameters"),
    ),
)

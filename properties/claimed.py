"""Which published claims each check decides, by the ids of both.

The claims themselves name their checks as well; a test holds the two against each other.
"""

from __future__ import annotations

CLAIMS: dict[str, tuple[str, ...]] = {
    "theory.step_coefficients": (
        "value-coefficient",
        "qk-coefficient-identity",
        "qk-coefficient-at-3",
        "qk-coefficient-numeric",
        "paper-coefficients",
    ),
    "theory.orders": (
        "orders-in-eta",
        "position-order",
    ),
    "theory.baselines": (
        "random-diagonal-baseline",
        "induction-random-baseline",
        "random-entropy-baseline",
        "random-previous-baseline",
    ),
    "theory.baselines_summed": ("random-diagonal-baseline",),
    "theory.centring": (
        "paper-rows-of-bbar",
        "paper-columns-of-phibar",
    ),
    "theory.uniform_part_drops_out": ("paper-uniform-part-of-q",),
    "theory.gram": ("gram-dcd",),
    "series.leading_terms": (
        "second-step-value",
        "orders-in-eta",
        "qk-coefficient-numeric",
        "layers-share-leading-term",
        "three-basis-functions",
        "paper-positional-leading-term",
        "paper-layers-uniform",
        "paper-q-construction-factor",
    ),
    "series.ablation": (
        "ablation-nll-output",
        "ablation-nll-value",
        "ablation-nll-qk",
        "ablation-order-of-loss",
        "paper-table3-hierarchy",
    ),
    "series.general_descent": ("full-batch-vs-sgd",),
    "series.accumulation": ("microbatch",),
    "proof.leading_terms": (
        "paper-positional-leading-term",
        "paper-layers-uniform",
    ),
    "bounds.softmax": (
        "paper-lemma-d2-jacobian",
        "paper-lemma-d2-lipschitz",
    ),
    "bounds.uniform_attention": (
        "paper-hardy-a0",
        "paper-jacobian-norm",
    ),
    "bounds.step_sums": ("paper-coefficient-bound",),
    "bounds.norms": (
        "pond-frog-attainable",
        "paper-bbar-norm",
        "paper-phibar-norm",
    ),
    "bounds.gaussian_norms": ("paper-gaussian-norms",),
    "bounds.zero_passes": ("paper-thm-bounds-informative",),
    "bounds.impostors_pass": ("paper-zero-passes-bounds",),
    "bounds.windows": (
        "window-of-validity",
        "paper-thm-window-steps",
        "paper-window-large-rate",
    ),
    "statistics.B_bar": ("bbar-definition",),
    "statistics.Q_bar": ("qbar-aggregation",),
    "statistics.Sigma_B_is_DCD": ("gram-dcd",),
    "first_step.W_O": ("first-step-output",),
    "first_step.others": ("first-step-output",),
    "first_step.W_and_P_wait": (
        "second-step-value",
        "paper-lemma-d5-zero",
    ),
    "scaling.W_O": (
        "orders-in-eta",
        "layers-share-leading-term",
    ),
    "scaling.V": (
        "orders-in-eta",
        "layers-share-leading-term",
    ),
    "scaling.W": (
        "orders-in-eta",
        "layers-share-leading-term",
    ),
    "scaling.P": (
        "orders-in-eta",
        "layers-share-leading-term",
    ),
    "bounds.D5": (
        "paper-lemma-d5-output",
        "paper-lemma-d5-value",
    ),
    "bounds.D6": ("paper-lemma-d6",),
    "bounds.D10": (
        "window-of-validity",
        "paper-thm-bound-output",
        "paper-thm-bound-value",
        "paper-thm-bound-attention",
        "paper-thm-bound-position",
    ),
    "bounds.D13": (
        "paper-gaussian-theorem",
        "paper-gaussian-alignment",
    ),
    "model.attention": (
        "score-form",
        "toy-architecture",
    ),
    "model.logits": (
        "residual-stream-memory",
        "toy-architecture",
    ),
    "zero.loss": (
        "zero-init-uniform",
        "paper-loss-start",
    ),
    "zero.attention": ("zero-init-uniform",),
    "gradients.slope": (
        "gradient-map",
        "paper-d8-backward",
    ),
    "softmax.P_shift": ("softmax-shift-invariance",),
    "softmax.W_row_shift": ("softmax-shift-invariance",),
    "softmax.P_shift_logits": ("softmax-shift-invariance",),
    "softmax.P_gradient_sum": ("softmax-shift-invariance",),
    "softmax.W_gradient_rows": ("softmax-shift-invariance",),
    "uniform.induction_score": ("induction-score-definition",),
    "heads.induction_extremes": (
        "induction-score-definition",
        "ideal-induction-score",
    ),
    "projection.formula": (
        "frobenius-projection-ablation",
        "probe-projection",
    ),
    "projection.orthogonal": (
        "frobenius-projection-ablation",
        "probe-projection",
    ),
    "composition.formula": ("composition-score",),
}

"""Which published claims each check decides, by the ids of both.

The claims themselves name their checks as well; a test holds the two against each other.
"""

from __future__ import annotations

CLAIMS: dict[str, tuple[str, ...]] = {
    "theory.step_coefficients": (
        "paper-coefficients",
        "value-coefficient",
        "qk-coefficient-identity",
        "qk-coefficient-at-3",
        "qk-coefficient-numeric",
    ),
    "theory.orders": (
        "orders-in-eta",
        "position-order",
    ),
    "theory.baselines": (
        "random-diagonal-baseline",
        "random-entropy-baseline",
    ),
    "theory.baselines_summed": (
        "random-diagonal-baseline",
        "uniform-mean-distance",
        "induction-random-baseline",
        "random-previous-baseline",
    ),
    "theory.centring": (
        "paper-rows-of-bbar",
        "paper-columns-of-phibar",
    ),
    "theory.uniform_part_drops_out": ("paper-uniform-part-of-q",),
    "theory.gram": ("gram-dcd",),
    "series.leading_terms": (
        "paper-positional-leading-term",
        "paper-layers-uniform",
        "paper-q-construction-factor",
        "second-step-value",
        "orders-in-eta",
        "position-order",
        "qk-coefficient-numeric",
        "layers-share-leading-term",
        "three-basis-functions",
    ),
    "series.ablation": (
        "paper-table3-hierarchy",
        "ablation-nll-output",
        "ablation-nll-value",
        "ablation-nll-qk",
        "ablation-order-of-loss",
    ),
    "series.general_descent": ("full-batch-vs-sgd",),
    "series.accumulation": ("microbatch",),
    "proof.leading_terms": (
        "paper-positional-leading-term",
        "paper-layers-uniform",
        "layers-share-leading-term",
    ),
    "bounds.uniform_attention": (
        "paper-hardy-a0",
        "paper-jacobian-norm",
    ),
    "bounds.step_sums": ("paper-coefficient-bound",),
    "bounds.norms": (
        "paper-bbar-norm",
        "paper-phibar-norm",
        "pond-frog-attainable",
    ),
    "bounds.softmax": (
        "paper-lemma-d2-jacobian",
        "paper-lemma-d2-lipschitz",
    ),
    "bounds.gaussian_norms": ("paper-gaussian-norms",),
    "bounds.D6_proved": ("paper-lemma-d6",),
    "bounds.D10_proved": (
        "paper-thm-bound-output",
        "paper-thm-bound-value",
        "paper-thm-bound-attention",
        "paper-thm-bound-position",
        "window-of-validity",
    ),
    "bounds.D13_proved": ("paper-gaussian-theorem",),
    "bounds.zero_passes": ("paper-thm-bounds-informative",),
    "bounds.impostors_pass": ("paper-zero-passes-bounds",),
    "bounds.windows": (
        "paper-thm-window-steps",
        "paper-window-large-rate",
    ),
    "statistics.B_bar": ("bbar-definition",),
    "statistics.Q_bar": ("qbar-aggregation",),
    "statistics.Sigma_B_is_DCD": ("gram-dcd",),
    "propagation.expansion": (
        "kernel-propagation-expansion",
        "negative-cosine-inhibits",
        "sigma-phi-row-convention",
    ),
    "propagation.column_norms": (
        "column-norm-formula",
        "rows-vs-columns",
    ),
    "propagation.limits": ("pond-frog-attainable",),
    "propagation.example": (
        "pond-frog-product",
        "pond-frog-attainable",
    ),
    "first_step.W_O": ("first-step-output",),
    "first_step.others": ("first-step-output",),
    "first_step.W_and_P_wait": (
        "paper-lemma-d5-zero",
        "second-step-value",
    ),
    "scaling.W_O": ("orders-in-eta",),
    "scaling.V": ("orders-in-eta",),
    "scaling.W": ("orders-in-eta",),
    "scaling.P": ("orders-in-eta",),
    "predictions.layer_spread": ("three-layers-coincide",),
    "predictions.ablation": (
        "ablation-order-of-loss",
        "leading-coefficients-at-run",
    ),
    "predictions.batches": ("full-batch-vs-sgd",),
    "spectrum.V": ("paper-value-cosine-null",),
    "spectrum.W": ("paper-attention-cosine-null",),
    "bounds.D5": (
        "paper-lemma-d5-output",
        "paper-lemma-d5-value",
    ),
    "bounds.start_alignment": ("paper-gaussian-alignment",),
    "model.attention": (
        "score-form",
        "toy-architecture",
    ),
    "model.attention_rows": ("first-row-is-one",),
    "model.logits": (
        "toy-architecture",
        "residual-stream-memory",
    ),
    "model.causal": ("sentence-summary-at-position0",),
    "zero.loss": (
        "paper-loss-start",
        "zero-init-uniform",
    ),
    "zero.attention": ("zero-init-uniform",),
    "explanation.sum": (
        "one-layer-output-form",
        "score-form",
    ),
    "explanation.message": (
        "value-row-coordinates",
        "message-to-logits",
    ),
    "gradients.slope": (
        "paper-d8-backward",
        "gradient-map",
    ),
    "gradients.series": ("gradient-map",),
    "softmax.P_shift": ("softmax-shift-invariance",),
    "softmax.W_row_shift": ("softmax-shift-invariance",),
    "softmax.P_shift_logits": ("softmax-shift-invariance",),
    "softmax.P_gradient_sum": ("softmax-shift-invariance",),
    "softmax.W_gradient_rows": ("softmax-shift-invariance",),
    "uniform.head_profile": (
        "normalised-entropy",
        "diag-prev-distance",
    ),
    "uniform.induction_score": (
        "context-64-or-128",
        "induction-score-definition",
    ),
    "heads.induction_extremes": (
        "induction-score-definition",
        "ideal-induction-score",
    ),
    "heads.one_hot_maps": (
        "normalised-entropy",
        "diag-prev-distance",
    ),
    "heads.profile": (
        "normalised-entropy",
        "diag-prev-distance",
    ),
    "heads.relative_diagonal": ("relative-diagonal",),
    "heads.induction": ("induction-score-definition",),
    "random.softmax_moments": ("random-entropy-deficit",),
    "random.published_values": (
        "random-diagonal-baseline",
        "context-64-or-128",
        "entropy-bound-71",
        "induction-random-baseline",
        "induction-baseline-guessable",
        "random-entropy-baseline",
        "random-previous-baseline",
    ),
    "random.initial_entropy": ("random-entropy-deficit",),
    "random.composition": ("composition-score",),
    "induction.uniform": ("induction-uniform-1-over-i",),
    "induction.renamed": ("induction-content-free",),
    "induction.walk_through": (
        "induction-definition",
        "induction-extra-offset",
        "induction-key-xi-minus-1",
        "induction-walkthrough",
        "induction-walkthrough-neighbours",
    ),
    "ablation.all_heads": (
        "qk-ov-decomposition",
        "attention-definition",
    ),
    "ablation.one_head": (
        "forward-hook-ablates-output",
        "head-slice-layout",
        "weight-slice-equals-input-slice",
    ),
    "ablation.basis_free": ("merged-qk-identifiability",),
    "probe.whole_sequences": ("sequence-level-split",),
    "probe.shares": ("sequence-level-split",),
    "probe.repeatable": ("sequence-level-split",),
    "projection.formula": (
        "frobenius-projection-ablation",
        "probe-projection",
    ),
    "projection.orthogonal": (
        "frobenius-projection-ablation",
        "probe-projection",
    ),
    "behaviour.digits": ("ablation-nll-qk",),
    "behaviour.ablation": (
        "paper-table3-hierarchy",
        "ablation-order-of-loss",
    ),
    "composition.formula": ("composition-score",),
}

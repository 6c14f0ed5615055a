"""Every check of the suite, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from properties.check import Check
from properties.claimed import CLAIMS
from properties.laws import (
    attention_evidence,
    attention_maps,
    behaviour,
    bound_facts,
    bound_lemmas,
    bound_windows,
    bounds,
    certificates,
    composition,
    conservation,
    corpus_changes,
    degenerate_corpora,
    descent,
    explanation,
    finite_differences,
    first_step,
    general_descent,
    gradient_series,
    head_ablation,
    impostors,
    induction,
    interchangeability,
    interventions,
    known_maps,
    large_scores,
    layer_agreement,
    mathematics,
    model,
    next_order,
    predictions,
    probe_split,
    proof_routes,
    proof_sources,
    propagation,
    proved_bounds,
    random_heads,
    series,
    softmax_shift,
    spectrum,
    start_alignment,
    stated_bounds,
    statistics_exact,
    statistics_sums,
    third_route,
    ties,
    uniform_attention,
)
from reference.errors import InputError, meant

_LAWS: tuple[Check, ...] = (
    *mathematics.CHECKS,
    *series.CHECKS,
    *general_descent.CHECKS,
    *third_route.CHECKS,
    *certificates.CHECKS,
    *proof_routes.CHECKS,
    *proof_sources.CHECKS,
    *bound_facts.CHECKS,
    *bound_lemmas.CHECKS,
    *stated_bounds.CHECKS,
    *proved_bounds.CHECKS,
    *impostors.CHECKS,
    *bound_windows.CHECKS,
    *statistics_exact.CHECKS,
    *statistics_sums.CHECKS,
    *interchangeability.CHECKS,
    *propagation.CHECKS,
    *attention_evidence.CHECKS,
    *corpus_changes.CHECKS,
    *degenerate_corpora.CHECKS,
    *first_step.CHECKS,
    *descent.CHECKS,
    *next_order.CHECKS,
    *layer_agreement.CHECKS,
    *predictions.CHECKS,
    *spectrum.CHECKS,
    *conservation.CHECKS,
    *bounds.CHECKS,
    *start_alignment.CHECKS,
    *model.CHECKS,
    *explanation.CHECKS,
    *finite_differences.CHECKS,
    *gradient_series.CHECKS,
    *softmax_shift.CHECKS,
    *large_scores.CHECKS,
    *ties.CHECKS,
    *uniform_attention.CHECKS,
    *known_maps.CHECKS,
    *attention_maps.CHECKS,
    *random_heads.CHECKS,
    *induction.CHECKS,
    *head_ablation.CHECKS,
    *probe_split.CHECKS,
    *interventions.CHECKS,
    *behaviour.CHECKS,
    *composition.CHECKS,
)
CHECKS = tuple(replace(check, claims=CLAIMS.get(check.id, ())) for check in _LAWS)
BY_ID = {check.id: check for check in CHECKS}


def select(names: Sequence[str]) -> tuple[Check, ...]:
    """Return the checks with these ids, or in these families; all of them for no names.

    Raises:
        InputError: a name is neither the id of a check nor a family.
    """
    if not names:
        return CHECKS
    ids = {check.id for check in CHECKS}
    families = {check.id.split(".")[0] for check in CHECKS}
    for name in names:
        if name not in ids | families:
            hint = meant(name, [*ids, *families])
            raise InputError(
                f"There is no check '{name}'; give an id or one of the families "
                f"{', '.join(sorted(families))}.{hint}"
            )
    return tuple(check for check in CHECKS if check.id in names or check.id.split(".")[0] in names)

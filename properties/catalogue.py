"""Every check of the suite, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from properties.check import Check
from properties.laws import (
    attention_evidence,
    behaviour,
    bound_facts,
    bounds,
    certificates,
    composition,
    conservation,
    corpus_changes,
    descent,
    explanation,
    finite_differences,
    first_step,
    interchangeability,
    interventions,
    mathematics,
    model,
    next_order,
    predictions,
    propagation,
    series,
    softmax_shift,
    spectrum,
    statistics_exact,
    statistics_sums,
    third_route,
    uniform_attention,
)
from reference.errors import InputError

CHECKS: tuple[Check, ...] = (
    *mathematics.CHECKS,
    *series.CHECKS,
    *third_route.CHECKS,
    *certificates.CHECKS,
    *bound_facts.CHECKS,
    *statistics_exact.CHECKS,
    *statistics_sums.CHECKS,
    *interchangeability.CHECKS,
    *propagation.CHECKS,
    *attention_evidence.CHECKS,
    *corpus_changes.CHECKS,
    *first_step.CHECKS,
    *descent.CHECKS,
    *next_order.CHECKS,
    *predictions.CHECKS,
    *spectrum.CHECKS,
    *conservation.CHECKS,
    *bounds.CHECKS,
    *model.CHECKS,
    *explanation.CHECKS,
    *finite_differences.CHECKS,
    *softmax_shift.CHECKS,
    *uniform_attention.CHECKS,
    *interventions.CHECKS,
    *behaviour.CHECKS,
    *composition.CHECKS,
)


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
            close = get_close_matches(name, [*ids, *families], n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise InputError(
                f"There is no check '{name}'; give an id or one of the families "
                f"{', '.join(sorted(families))}.{hint}"
            )
    return tuple(check for check in CHECKS if check.id in names or check.id.split(".")[0] in names)

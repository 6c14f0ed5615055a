"""By how much a published number misses its prediction: what would give it."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal

from paper_checks.prediction.comparison import Compared


def what_would_give_it(one: Compared) -> str:
    """Return in sentences what would give a published number that lies outside; empty for others."""
    if one.verdict != "outside":
        return ""
    return " ".join(sentence for sentence in (_statistics_that_would(one), _cut_short(one)) if sentence)


def scale_of_statistics(one: Compared) -> float | None:
    """Return the factor of the statistics that would make the prediction the published number, if one does.

    A prediction of degree d in the statistics is multiplied by c^d when each of them is multiplied by c, so
    that the published number x needs c = (x / predicted)^(1/d): derived here.
    """
    degree, prediction = one.published.degree, one.prediction
    if degree == 0 or prediction is None or prediction.value * one.published.value <= 0:
        return None
    return float((one.published.value / prediction.value) ** (1 / degree))


def _statistics_that_would(one: Compared) -> str:
    scale = scale_of_statistics(one)
    if scale is None:
        return ""
    power = {1: "with the first power", 2: "with the square", 4: "with the fourth power"}
    larger = "larger" if scale > 1 else "smaller"
    return (
        f"A remark after the verdict, which stands: it goes {power[one.published.degree]} of the statistics, "
        f"and those {abs(scale - 1):.1%} {larger} would give what was published."
    )


def _cut_short(one: Compared) -> str:
    if one.prediction is None:
        return ""
    printed, predicted = Decimal(one.published.printed), Decimal(one.prediction.value)
    unit = Decimal((0, (1,), int(printed.as_tuple().exponent)))
    rounded = predicted.quantize(unit)
    if predicted.quantize(unit, ROUND_DOWN) != printed or rounded == printed:
        return ""
    return f"{printed} is the prediction cut short after the last digit; rounded it is {rounded}."

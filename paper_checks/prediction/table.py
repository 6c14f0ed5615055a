"""The predictions as tables of at most 80 columns."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from paper_checks.prediction.comparison import Compared, matching, score
from paper_checks.prediction.facts import Facts
from paper_checks.prediction.forecast import COSINES, SIZES, Prediction, loss_curve, weights
from paper_checks.prediction.setting import Setting
from paper_checks.prediction.why import what_would_give_it
from properties.predictions.expansion import GROUPS
from reference.errors import counted

# Kinds that the table of weights shows in columns of its own.
OF_WEIGHTS = ("norm", "next_order", "beyond", "turn", "last_step")
# What stands in place of a number that its series does not give, and what that means.
NONE = "none"
NO_NUMBER = (
    "none: there the terms beyond the leading one are as large as half of it, so that those after them count "
    "too, and the series gives no number."
)
VERDICTS = {"inside": "green", "holds": "green", "outside": "yellow", "fails": "yellow"}


def show(
    console: Console,
    facts: Facts,
    setting: Setting,
    predictions: Sequence[Prediction],
    compared: Sequence[Compared],
    *,
    of_other_sizes: bool = False,
) -> None:
    """Print what is predicted of the run, and what was published, `of_other_sizes` too if asked for."""
    corpus = facts.corpus
    console.print(
        f"{corpus.name}: {counted(corpus.sequences, 'sequence')} of {counted(corpus.length, 'position')}, "
        f"{counted(corpus.vocab_size, 'word')}."
    )
    console.print(
        f"Full-batch descent from zero: {counted(setting.layers, 'layer')}, "
        f"{counted(setting.steps, 'step')} at rate "
        f"{setting.rate:g}."
    )
    console.print(_of_weights(setting, predictions))
    console.print(
        "next order: one power of the rate further, which shrinks as the vocabulary grows; beyond: two. "
        "norm: Frobenius."
    )
    console.print(_horizons(setting, predictions))
    console.print(
        "Steps of the full batch. ?: there the terms beyond the leading one are as large as half of it, so "
        "that those after them count too; the run may turn away earlier or later."
    )
    console.print(_of_the_run(setting, predictions, matching(compared, setting)))
    curve = loss_curve(facts, setting)
    console.print(_loss(curve))
    shown = [one for one in compared if of_other_sizes or one.verdict != "other sizes"]
    told = [*predictions, *(one.prediction for one in shown if one.prediction is not None)]
    if any(one.ends == SIZES and one.reliable for one in told):
        console.print("*: no interval; to the largest of the scores, since a size may be any of them.")
    numbers = [one for one in told if not one.id.startswith("last_step.")]
    still = [g for g in GROUPS if facts.directions[g].vanish]
    if still:
        console.print(
            f"{', '.join(still)}: this corpus gives no leading term, and so no cosine and no last step."
        )
    if any(map(_beyond, numbers)) or not all(point["reliable"] for point in curve):
        console.print(NO_NUMBER)
    _sampling(console, facts, setting)
    if shown:
        console.print(_published(shown))
        console.print(score(shown))
    for one in shown:
        said = f"{one.published.left_out} {what_would_give_it(one)}".strip()
        if one.verdict in ("outside", "fails", "out of reach") and said:
            console.print(f"{one.published.prediction}: {said}", style="dim")
    for sizes in sorted({(one.published.vocab_size, one.published.length) for one in compared}):
        if (corpus.vocab_size, corpus.length) != sizes:
            words, length = sizes
            console.print(
                f"The published runs have {words:,} words and {length} positions, which this corpus has not: "
                f"their numbers are not comparable with these{'' if shown else '; --published shows them'}.",
                style="dim",
            )


def number(value: float | None) -> str:
    """Return a number for a narrow column."""
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "never"
    if isinstance(value, int):
        return f"{value:,}"
    if value == 0:
        return "0"
    if 0.5 <= abs(value) < 100:
        return f"{value:.6f}"
    mantissa, power = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(power)}"


def _of_weights(setting: Setting, predictions: Sequence[Prediction]) -> Table:
    at = {one.id: one for one in predictions}
    table = _table("Weights, and how the next terms change them (relative to the leading one)")
    for column in ("weight", "norm", "next order", "beyond", "1 - cos"):
        table.add_column(column, justify="left" if column == "weight" else "right", no_wrap=True)
    for _, _, name in weights(setting):
        table.add_row(name, *(_value(at[f"{kind}.{name}"]) for kind in OF_WEIGHTS[:4]))
    return table


def _horizons(setting: Setting, predictions: Sequence[Prediction]) -> Table:
    at = {one.id: one for one in predictions}
    table = _table(f"How long a weight stays along its leading term: the last step, at rate {setting.rate:g}")
    table.add_column("weight", no_wrap=True)
    for cosine in COSINES:
        table.add_column(f"cosine of {cosine:g}", justify="right", no_wrap=True)
    for _, _, name in weights(setting):
        steps = [at[f"last_step.{cosine:g}.{name}"] for cosine in COSINES]
        table.add_row(name, *(number(one.value) + " ?" * _beyond(one) for one in steps))
    return table


def _of_the_run(setting: Setting, predictions: Sequence[Prediction], published: dict[str, Compared]) -> Table:
    table = _table("What the run would show")
    table.add_column("")
    # Those of other sizes are in the table of published numbers, which says so.
    published = {id: one for id, one in published.items() if one.verdict != "other sizes"}
    for column in ("predicted", "95% interval", *(["published"] if published else [])):
        table.add_column(column, justify="right", no_wrap=True)
    for one in predictions:
        if one.id.split(".")[0] in OF_WEIGHTS:
            continue
        other = published.get(one.id)
        table.add_row(
            one.title,
            _value(one),
            _interval(one),
            *(
                []
                if not published
                else ["" if other is None else Text(other.published.printed, _style(other))]
            ),
        )
    return table


def _loss(curve: Sequence[dict[str, float | int | bool]]) -> Table:
    table = _table("The loss, in nats a token")
    for column in ("after steps", "to first order", "to third order"):
        table.add_column(column, justify="right")
    for point in curve:
        loss = f"{point['loss']:.6f}" if point["reliable"] else NONE
        table.add_row(f"{point['step']:,}", f"{point['first_order']:.6f}", loss)
    return table


def _sampling(console: Console, facts: Facts, setting: Setting) -> None:
    kind = "some of" if setting.nested else "none of"
    console.print(
        f"Cosines compare weights trained on {setting.training_sample:,} sequences with statistics of "
        f"{setting.statistics_sample:,}, {kind} the same: of the layer that turns most, and with an interval "
        "that reaches to the one that turns least."
    )
    if facts.dealt is not None:
        dealt, left_out = facts.dealt, ", each left out in turn" if facts.dealt.left_out else ""
        effect = facts.bigram.design_effect
        closed_form = (
            f" In closed form, 1 - cos of B_bar is {effect:.2f} times what independent positions would give."
        )
        console.print(
            f"Their noise: {dealt.groups} random groups of {dealt.group_size:,} sequences{left_out}, seed "
            f"{dealt.seed}.{closed_form if math.isfinite(effect) else ''}"
        )
        larger = {
            name: 1 / one.square_ratio(setting.training_sample, facts.corpus.sequences) - 1
            for name, one in dealt.scatter.items()
        }
        if any(larger.values()):
            told = ", ".join(f"{name} {x:+.1%}" for name, x in larger.items())
            console.print(
                f"Squares of statistics hold noise: those from {facts.corpus.sequences:,} sequences differ "
                f"({told}) from those from {setting.training_sample:,}, for which norms, effects and the "
                "loss are told."
            )
        noises = {name: one.noise(setting.statistics_sample) for name, one in dealt.scatter.items()}
        unknown = [name for name, noise in noises.items() if math.isnan(noise.low)]
        if unknown:
            console.print(
                f"No interval for {', '.join(unknown)}: too few sequences to have a direction, one of them "
                "outweighs all others, or they do not differ."
            )
    else:
        console.print("No cosines: there are fewer sequences than random groups; give fewer --groups.")


def _published(compared: Sequence[Compared]) -> Table:
    table = _table("Published numbers, each predicted on this corpus for its own run")
    table.add_column("", no_wrap=True)
    for column in ("published", "predicted", "95% interval"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    run: Setting | None = None
    for one in compared:
        number_of = one.published
        if number_of.setting != run:
            run = number_of.setting
            table.add_row(f"rate {run.rate:g}, {run.steps:,} steps", style="italic")
        above = "> " if number_of.relation == "above" else ""
        table.add_row(
            number_of.prediction,
            f"{above}{number_of.printed}",
            "" if one.prediction is None else _value(one.prediction),
            "" if one.prediction is None else _interval(one.prediction),
            Text(one.verdict, _style(one)),
        )
    return table


def _style(one: Compared) -> str:
    return VERDICTS.get(one.verdict, "dim")


def _value(one: Prediction) -> str:
    return NONE if _beyond(one) else number(one.value)


def _beyond(one: Prediction) -> bool:
    """Whether its series does not give a number; one that the corpus does not determine has none."""
    return not one.reliable and not math.isnan(one.value)


def _interval(one: Prediction) -> str:
    # The sampling's interval says nothing where the series does not.
    if (
        not one.reliable
        or one.low is None
        or one.high is None
        or not (math.isfinite(one.low) and math.isfinite(one.high))
    ):
        return ""
    if one.low == one.high:
        return ""
    if one.ends == SIZES:
        return f"to {_short(one.high)} *"
    return f"{_short(one.low)}..{_short(one.high)}"


def _short(value: float) -> str:
    return f"{value:.5f}"[1:] if 0.5 <= value < 1 else number(value)


def _table(title: str) -> Table:
    return Table(
        box=None,
        pad_edge=False,
        header_style="bold",
        title=title,
        title_justify="left",
        title_style="bold",
    )

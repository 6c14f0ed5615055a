"""`leadterms experiments`: what can be read from attention, tried on small trained models."""

from __future__ import annotations

from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paper_checks import completion, options

if TYPE_CHECKING:
    from rich.console import Console

    from paper_checks.experiments.result import Outcome


class ProfileOption(StrEnum):
    """How large the models are."""

    quick = "quick"
    full = "full"


def experiments(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Experiments or groups of them; all by default.",
            autocompletion=completion.experiment_names,
        ),
    ] = None,
    profile: Annotated[
        ProfileOption, typer.Option(help="quick trains for about a minute, full for most of an hour.")
    ] = ProfileOption.quick,
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", metavar="FILE", help="The text to train on; generated stories by default."),
    ] = None,
    tokenizer: options.TokenizerName = "words",
    seed: options.Seed = 0,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the outcomes as JSON lines to FILE.")
    ] = None,
    have: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Outcomes of an earlier run; its experiments are not run again."),
    ] = None,
    list_them: Annotated[bool, typer.Option("--list", help="Name the experiments and stop.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Train small models and ask what their attention, heads, circuits and activations show.

    Each experiment has its criterion fixed beforehand. One that is not met is an answer and no error: the
    exit is 0 as long as all of them ran.

    Example: leadterms experiments induction --profile quick --json experiments.jsonl
    """
    from rich.padding import Padding
    from rich.text import Text

    from gpu.terminal import terminal
    from paper_checks.experiments.registry import EXPERIMENTS, check_same, run_experiments
    from reference.errors import InputError

    console = terminal(quiet=quiet)
    if list_them:
        for name, experiment in EXPERIMENTS.items():
            console.print(name, Padding(Text(experiment.asks), (0, 0, 0, 2)))
        if json is not None:
            from paper_checks.finite import write_json

            rows = [{"experiment": name, "asks": experiment.asks} for name, experiment in EXPERIMENTS.items()]
            write_json(json, rows)
        return
    from paper_checks.provenance import has_torch

    if not has_torch():
        raise InputError("Experiments train models, which needs torch: pip install 'leadterms[gpu]'.")
    from paper_checks.experiments.kept import kept
    from paper_checks.experiments.result import assessments, read_outcomes, write_outcomes
    from paper_checks.experiments.setting import Setting, scale_of
    from paper_checks.progress import progress_bar

    earlier = read_outcomes(have)[1] if have else []
    if have:
        check_same(earlier, Setting(scale_of(profile.value), seed, corpus, tokenizer), have)
    header = {"profile": profile.value, "seed": seed}
    with ExitStack() as stack:
        keep = stack.enter_context(kept(json, header, "--have")) if json else lambda new: None
        progress = stack.enter_context(progress_bar(not quiet, lines=True))
        outcomes = earlier + run_experiments(
            profile.value,
            seed,
            names or [],
            corpus=corpus,
            tokenizer=tokenizer,
            progress=progress,
            keep=lambda new: keep([*earlier, *new]),
            have={one.experiment for one in earlier},
        )
        if json is not None:
            write_outcomes(json, header, outcomes)
    _show(console, outcomes)
    console.print("\nStrength of evidence", style="bold")
    for about, strength in assessments(outcomes).items():
        console.print(f"  {about}: {strength}", soft_wrap=True)


def _show(console: Console, outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        state = "met" if outcome.met else "not met"
        console.print(f"\n{outcome.experiment} ({state}, {outcome.seconds:.1f} s)", style="bold")
        for line in (outcome.question, f"Criterion: {outcome.criterion}", outcome.verdict):
            console.print(f"  {line}", soft_wrap=True)

"""What a report can show besides checks and claims: experiments, a page to explore, a run beside its laws.

Each is read from a file that its own command wrote, or run here: `leadterms report --profile full`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_checks.experiments.result import Outcome, as_lines, assessments
from paper_checks.finite import finite
from paper_checks.report.write import EXPLORER
from paper_checks.reproduction import write
from paper_checks.reproduction.plan import Plan, sized
from properties.evidence_ladder import Assessment, Step
from properties.results import Run
from reference.errors import InputError

if TYPE_CHECKING:
    from paper_checks.experiments.setting import Setting
    from reference.corpus import Corpus

Progress = Callable[[str, float, float], None]
EXPERIMENTS_FILE = "experiments.jsonl"
POEMS_MISSING = "Experiments on poems, and the claims that they decide, need --poems FILE."
# Of an experiment's setting, what a reader of its outcome needs; the file has the rest.
TOLD = ("profile", "seed", "text")


@dataclass(frozen=True)
class Measured:
    """What was measured.

    Attributes:
        outcomes: of experiments.
        reproduction: the runs beside their predictions, header and rows; None where there are none.
        explorer: the page to explore a model on; "" where there is none.
        header: of the file of experiments.
        left_out: a sentence for each thing that could not be run.
    """

    outcomes: tuple[Outcome, ...] = ()
    reproduction: dict[str, Any] | None = None
    explorer: str = ""
    header: Mapping[str, Any] | None = None
    left_out: tuple[str, ...] = ()

    def records(self) -> dict[str, dict[str, Any]]:
        """Return the outcomes as the ledger's decisions take them, by name."""
        return {one.experiment: finite(asdict(one)) for one in self.outcomes}

    def files(self) -> dict[str, str]:
        """Return what belongs beside the report, by name."""
        found = {}
        if self.header is not None:
            found[EXPERIMENTS_FILE] = as_lines(dict(self.header), self.outcomes)
        if self.explorer:
            found[EXPLORER] = self.explorer
        return found


def with_measured(run: Run, measured: Measured) -> Run:
    """Return `run` with what a reader should see of these measurements in its header."""
    more: dict[str, Any] = {}
    if measured.outcomes:
        more["experiments"] = [_told(one) for one in measured.outcomes]
        more["evidence"] = [_ladder(about, one) for about, one in assessments(measured.outcomes).items()]
    if measured.reproduction is not None:
        more["reproduced"] = measured.reproduction
    if measured.explorer:
        more["explorer"] = EXPLORER
    left_out = [*run.header.get("left_out", ()), *measured.left_out]
    return replace(run, header={**run.header, "left_out": left_out, **more})


def trained(
    setting: Setting,
    poems: Path | None,
    progress: Progress,
    keep: Callable[[list[Outcome]], None] = lambda outcomes: None,
    have: Sequence[Outcome] = (),
) -> Measured:
    """Run the experiments, on poems too where there are any, and make the page to explore their model on.

    Args:
        setting: what they are run on.
        poems: a text for those on poems.
        progress: told how far they are.
        keep: given all that is there after each of them, so that it is not lost.
        have: outcomes of an earlier run; those experiments are not run again.

    Raises:
        InputError: the poems cannot be used.
    """
    from paper_checks.experiments.poems import poems as read_poems
    from paper_checks.experiments.registry import EXPERIMENTS, run_on
    from paper_checks.explorer.data import explorer_data
    from paper_checks.explorer.page import render

    of_poems = replace(setting, corpus=poems, tokenizer="chars") if poems else None
    if of_poems:
        read_poems(of_poems)
    names = {one.experiment for one in have}
    outcomes = [*have]
    outcomes += run_on(setting, (), progress, lambda new: keep([*have, *new]), names)
    if of_poems:
        before = list(outcomes)
        outcomes += run_on(of_poems, ("poems",), progress, lambda new: keep([*before, *new]), names)
    order = list(EXPERIMENTS)  # the same, whatever was there before
    outcomes.sort(key=lambda one: order.index(one.experiment) if one.experiment in order else len(order))
    progress("explorer", len(outcomes), len(outcomes))
    page = render(explorer_data(setting, outcomes))
    header = {"profile": setting.scale.name, "seed": setting.seed}
    left_out = () if any(one.experiment.startswith("poems.") for one in outcomes) else (POEMS_MISSING,)
    return Measured(tuple(outcomes), explorer=page, header=header, left_out=left_out)


def beside_its_laws(corpus: Corpus, plan: Plan, progress: Progress) -> Measured:
    """Train at a small size beside the predictions, on as many sequences as there are up to the plan's.

    Where there are too few of them, `left_out` says so.
    """
    from paper_checks.reproduction.whole import reproduced

    try:
        smaller = sized(plan, None, None, corpus.sequences)
        head, rows = reproduced(corpus, smaller, progress)
    except InputError as error:
        return Measured(left_out=(f"No run beside its predictions: {error}",))
    return Measured(reproduction=write.as_mapping(head, rows))


def together(parts: Iterable[Measured]) -> Measured:
    """Return all parts as one; of what is there twice, such as an experiment, the last."""
    found = Measured()
    for part in parts:
        outcomes = {one.experiment: one for one in (*found.outcomes, *part.outcomes)}
        found = Measured(
            tuple(outcomes.values()),
            part.reproduction or found.reproduction,
            part.explorer or found.explorer,
            part.header or found.header,
            (*found.left_out, *part.left_out),
        )
    return found


def _told(one: Outcome) -> dict[str, Any]:
    plain: dict[str, Any] = finite(asdict(one))
    kept = ("experiment", "question", "criterion", "met", "verdict", "quantities", "claims", "seconds")
    return {
        **{name: plain[name] for name in kept},
        "setting": {name: one.settings[name] for name in TOLD if name in one.settings},
    }


def _ladder(about: str, found: Assessment) -> dict[str, Any]:
    """Return each step's state for something observed: holds, against, or "" where nothing was found."""
    against = {one.step for one in found.against}
    holding = {*found.climbed, *found.ahead}
    states = {
        step.words: "against" if step in against else "holds" if step in holding else "" for step in Step
    }
    return {"about": about, "strength": found.strength, "says": str(found), "steps": states}

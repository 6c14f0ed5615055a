"""A small model as the explorer shows it, made once for the tests of its numbers and of its page."""

from dataclasses import replace
from functools import cache

from gpu.threads import threads_worth
from paper_checks.experiments.result import Observation, Outcome
from paper_checks.experiments.setting import SCALES, Setting
from paper_checks.explorer.data import explorer_data
from properties.evidence_ladder import Step

# Its weights are far from zero, so that heads, positions and texts differ: it need not learn anything.
SMALL = replace(
    SCALES["quick"],
    name="small",
    models=1,
    stories=60,
    steps=0,
    deviation=0.4,
    windows=6,
    context=10,
    width=16,
)
SETTING = Setting(SMALL)
OUTCOME = Outcome(
    "heads.structure",
    "Do heads differ?",
    "A criterion.",
    False,
    "No: they do not.",
    observations=(Observation("heads differ", Step.one_input, True),),
)


@cache
def explored():
    """Return what the explorer shows; nobody may change it."""
    with threads_worth(0):  # models this small are fastest on one thread
        return explorer_data(SETTING, [OUTCOME])

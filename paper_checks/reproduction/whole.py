"""All runs of a plan on a corpus: the main one, to failure, from other starts, batches and depths."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from paper_checks.reproduction import by_direction, main_run, orders, other_runs, write
from paper_checks.reproduction.curves import Recorder
from paper_checks.reproduction.descent import available
from paper_checks.reproduction.plan import Plan
from paper_checks.reproduction.rows import Row
from reference.corpus import Corpus
from reference.errors import InputError

Progress = Callable[[str, int, int], None]


def reproduced(
    corpus: Corpus, plan: Plan, told: Progress = lambda what, done, of: None
) -> tuple[dict[str, Any], list[Row]]:
    """Return the header of the runs, and every measured number beside its prediction.

    Raises:
        InputError: the corpus has fewer sequences than the plan.
    """
    if corpus.sequences < plan.sequences:
        raise InputError(
            f"{corpus.name} has {corpus.sequences:,} sequences; give --sequences {corpus.sequences} or less."
        )
    chosen = np.random.default_rng(plan.seed).permutation(corpus.sequences)[: plan.sequences]
    lab = main_run.Laboratory(corpus.tokens[np.sort(chosen)], corpus.vocab_size)
    kinds = [dtype for dtype in ("float64", "float32") if available(dtype)]
    both = {}
    for n, dtype in enumerate(kinds):
        told(f"main run, {dtype}", n, len(kinds))
        both[dtype] = main_run.final(lab, plan.layers, plan.rate, plan.steps, dtype)
    rows = [*main_run.rows(lab, plan, both), *by_direction.rows(lab, plan, both)]
    recorder = Recorder(lab, plan)
    for runs in (
        partial(other_runs.until_failure, watch=recorder.watch),
        other_runs.small_starts,
        other_runs.changing_batches,
        other_runs.other_depths,
    ):
        rows += runs(lab, plan, told)
    told("orders left out", 0, 1)
    through = orders.last_steps_through(lab, plan, other_runs.LEVELS[0])
    head = write.header(corpus, plan, "float32" in kinds)
    return {**head, "curves": recorder.as_mapping(through)}, rows

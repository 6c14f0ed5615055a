"""The published numbers beside their predictions from a corpus, as plain data for a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paper_checks.prediction import NOISE_GROUPS
from paper_checks.prediction.comparison import compare
from paper_checks.prediction.facts import gather
from paper_checks.prediction.published import published_numbers
from paper_checks.prediction.told import compared_as_json
from reference.corpus import Corpus


def published_beside(
    corpus: Corpus, seed: int, told: Callable[[str, int, int], None] = lambda what, done, of: None
) -> list[dict[str, Any]]:
    """Return each published number with its prediction on `corpus`, as `predict --json` writes them.

    Raises:
        InputError: the corpus gives no statistics.
    """
    run = published_numbers()[0].setting
    facts = gather(
        corpus,
        sample=run.statistics_sample,
        groups=NOISE_GROUPS,
        evaluated_on=run.evaluated_on,
        seed=seed,
        told=told,
    )
    return [compared_as_json(one) for one in compare(facts)]

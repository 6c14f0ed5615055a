"""Claims on the heads of the trained model of poems, which is not published: from training runs like it.

What a run of the experiment `poems.heads` has is said in `paper_checks.experiments.poem_heads`. The heads of
a layer are interchangeable: a head is found by its role or its rank, not by its number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding
from paper_checks.ledger.printed import exact, shown
from paper_checks.ledger.registry import decides
from paper_checks.ledger.runs import (
    DIFFER_LESS,
    Run,
    agreed,
    beside_published,
    of_like_models,
    one_more,
    place_of,
    poem_runs,
    verdict_of,
)
from paper_checks.ledger.setting import Setting

EXPERIMENT = "poems.heads"


def beside_runs(
    stated: Mapping[str, Sequence[str]], measured: Mapping[str, Sequence[Sequence[float]]], derivation: str
) -> Finding:
    """Ask of each printed value whether one more run could have it.

    Args:
        stated: lists of printed values by name.
        measured: by the same names, a list of as many values for each run, in the same order.
        derivation: how runs and print were put into one order.
    """
    outside, places = [], []
    numbers = sum(map(len, stated.values()))
    for name, column in stated.items():
        for place, printed in enumerate(column):
            low, high = one_more([values[place] for values in measured[name]], numbers)
            places.append(place_of(float(exact(printed)), low, high))
            if places[-1] == "outside":
                outside.append(f"{name} {printed} not in {shown(low)} to {shown(high)}")
    untold = places.count("untold")
    told = [f"{places.count('inside')} of {len(places)} values could be those of one more run"]
    told += [f"of {untold} the runs differ too much to say"] * bool(untold)
    computed = "; ".join([*told, *outside])
    return Finding(verdict_of(places), "measured", computed, derivation=derivation, missing=DIFFER_LESS)


@decides("profile-table")
def profile_table(claim: Claim, setting: Setting) -> Finding:
    """Compare each column with runs, the heads of a layer in the order of that column."""
    runs = poem_runs(setting, EXPERIMENT)
    size = len(runs[0]["profiles"][0])
    stated = {
        name: [one for k in range(0, len(column), size) for one in sorted(column[k : k + size], key=exact)]
        for name, column in claim.numbers.items()
    }
    measured = {
        name: [[x for layer in run["profiles"] for x in sorted(head[name] for head in layer)] for run in runs]
        for name in stated
    }
    return of_like_models(beside_runs(stated, measured, "Each measure by rank within its layer."), runs)


def by_role(run: Run, layer: int, measure: str) -> int:
    """Return which head of a layer has the most of a measure."""
    heads = run["profiles"][layer]
    return max(range(len(heads)), key=lambda head: heads[head][measure])


# The chapter's three heads: the one that looks at itself, at the previous position, and everywhere.
ROLES = ((0, "diagonal"), (0, "previous"), (1, "entropy"))


@decides("punctuation-ablation-table")
def ablation_by_punctuation(claim: Claim, setting: Setting) -> Finding:
    """Compare the heads of the same roles in each run."""
    runs = poem_runs(setting, EXPERIMENT)
    effects = [
        [run["effects_by_punctuation"][layer][by_role(run, layer, measure)] for layer, measure in ROLES]
        for run in runs
    ]
    measured = {
        name: [[head[place] for head in run] for run in effects] for place, name in enumerate(claim.numbers)
    }
    finding = beside_runs(
        claim.numbers,
        measured,
        "The heads of layer 0 that look most at themselves and at the previous position, and the most "
        "diffuse of layer 1.",
    )
    return of_like_models(finding, runs)


@decides("similarity-table")
def similarity_of_maps(claim: Claim, setting: Setting) -> Finding:
    """Compare the highest and the lowest cosines of each run, by rank."""
    stated, dots = claim.numbers["cosines"], int(claim.given["printed_above_the_dots"])

    def ranked(run: Run) -> list[float]:
        cosines = sorted(run["map_cosines"], reverse=True)
        return cosines[:dots] + cosines[len(cosines) - (len(stated) - dots) :]

    runs = poem_runs(setting, EXPERIMENT)
    finding = beside_runs(
        {"cosine": stated}, {"cosine": [ranked(run) for run in runs]}, "The highest and the lowest, by rank."
    )
    return of_like_models(finding, runs)


@decides("l0h0-copy-hypothesis")
def copying_head(claim: Claim, setting: Setting) -> Finding:
    """Compare, in each run, the head of layer 0 that looks at itself most with untrained heads."""
    found, runs = [], poem_runs(setting, EXPERIMENT)
    for run in runs:
        cosine = run["output_cosines"][0][by_role(run, 0, "diagonal")]
        found.append((cosine, max(run["untrained_cosines"])))
    told = [f"{shown(cosine)} beside {shown(control)}" for cosine, control in found]
    finding = Finding(
        agreed([cosine > control for cosine, control in found]),
        "measured",
        f"cosines of its output with its input, and the highest of untrained heads: {'; '.join(told)}",
        derivation="A head that copies what it reads has an output along its input.",
        missing=DIFFER_LESS,
    )
    return beside_published(finding, runs)

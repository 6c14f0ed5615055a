"""The printed accuracies of a probe: what they are shares of, and how sure they are."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import count
from math import log2

from paper_checks.ledger.book import tables
from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, by_readings, compared, judged
from paper_checks.ledger.printed import decimal, fractions, rounds_to
from paper_checks.ledger.registry import decides
from paper_checks.ledger.runs import against_runs, of_like_models, one_more_share, poem_runs
from paper_checks.ledger.setting import Setting

Confusion = tuple[tuple[int, int], tuple[int, int]]


def printed(name: str) -> str:
    """Return a printed share."""
    share: str = tables()["poem-probes"]["accuracy"][name]
    return share


def share_of(stated: str, positions: int) -> int | None:
    """Return k if k of so many positions is printed as this share; None if no k is."""
    k = round(float(decimal(stated)) * positions)
    return k if rounds_to(stated, Fraction(k, positions)) else None


def smallest_positions() -> int:
    """Return the smallest number of positions of which all printed shares are whole parts."""
    shares = tables()["poem-probes"]["accuracy"].values()
    return next(n for n in count(1) if all(share_of(one, n) is not None for one in shares))


def counted(name: str) -> int:
    """Return a printed share as a number of positions, of the smallest number of them."""
    k = share_of(printed(name), smallest_positions())
    assert k is not None
    return k


def confusions(right: int, positive: int, total: int) -> list[Confusion]:
    """Return every table ((yes and yes, yes and no), (no and yes, no and no)) with so many right.

    The answer comes first, then what the probe says.
    """
    found = []
    for hits in range(positive + 1):
        rejected = right - hits
        if 0 <= rejected <= total - positive:
            found.append(((hits, positive - hits), (total - positive - rejected, rejected)))
    return found


def information(table: Confusion) -> float:
    """Return the mutual information of answer and prediction in bits."""
    total = sum(map(sum, table))
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    return sum(
        n / total * log2(n * total / (rows[i] * columns[j]))
        for i, row in enumerate(table)
        for j, n in enumerate(row)
        if n
    )


@decides("probe-table")
def retrained_probe(claim: Claim, setting: Setting) -> Finding:
    """Take the accuracies of probes on other models.

    A run of the experiment `poems.probe` has `embedding`, `layer1`, `layer2` and `majority`, shares of test
    positions in sequences that the probe was not trained on.
    """
    runs = poem_runs(setting, "poems.probe")
    measured = {name: [run[name] for run in runs] for name in claim.numbers}
    positions = smallest_positions()
    alone = against_runs(claim, measured, "")
    finding = against_runs(
        claim,
        measured,
        "Held-out accuracy, run by run, with what a sample of the published size adds to how runs differ.",
        partial(one_more_share, positions=positions),
    )
    told = replace(
        finding,
        convention=f"{finding.convention} The published test set is taken to have {positions} positions, the "
        f"fewest with these shares; of a large one the verdict would be: {alone.verdict.replace('_', ' ')} "
        f"({alone.computed}).",
    )
    return of_like_models(told, runs)


@decides("probe-granularity")
def smallest_test_set(claim: Claim, setting: Setting) -> Finding:
    """Find the smallest common denominator of the printed shares."""
    n = smallest_positions()
    shares = tables()["poem-probes"]["accuracy"]
    return compared(
        claim,
        {"counts": [share_of(one, n) for one in shares.values()], "positions": n},
        derivation=f"No smaller number of positions has all of {', '.join(shares.values())} as shares.",
    )


@decides("probe-significance")
def interval_of_the_accuracy(claim: Claim, setting: Setting) -> Finding:
    """Test the accuracy against the majority's share, and find how many positions would tell them apart."""
    from scipy.stats import binomtest  # takes most of a second to import

    n, hits, majority = smallest_positions(), counted("layer1"), counted("majority")
    test = binomtest(hits, n, majority / n, alternative="greater")
    paired = binomtest(hits - majority, hits - majority, alternative="greater").pvalue
    interval = binomtest(hits, n).proportion_ci()
    enough = next(m * n for m in count(1) if binomtest(m * hits, m * n).proportion_ci().low > majority / n)
    return judged(
        bool(interval.low > majority / n),
        f"{hits} of {n} right, interval {interval.low:.2f} to {interval.high:.2f}, against {majority} of "
        f"{n}; p = {test.pvalue:.2f}",
        derivation=f"By the binomial distribution, {hits - majority} more of {n} happen by chance with "
        f"probability {test.pvalue:.2f}; the same shares of {enough} positions would be clear.",
        convention=f"The test set has {n} positions, the smallest that gives the printed shares. Where both "
        f"are compared position by position, {hits - majority} to 0 at best has p = {paired:.3f}.",
    )


@decides("probe-majority-complement")
def complement(claim: Claim, setting: Setting) -> Finding:
    """Subtract the majority's share from 1."""
    (majority,) = fractions([printed("majority")])
    return compared(
        claim,
        {"positive": 1 - majority},
        derivation=f"1 - {printed('majority')}; in positions, {smallest_positions() - counted('majority')} "
        f"of {smallest_positions()}.",
    )


@decides("probe-embed-which-version")
def first_version(claim: Claim, setting: Setting) -> Finding:
    """Look up what the chapter gives for each version, where it introduces them."""
    versions = tables()["poem-probes"]["embedding_by_version"]
    return compared(
        claim,
        {"embedding": fractions([versions["first"]])[0]},
        evidence="quoted",
        derivation=f"4.18.2 gives {versions['first']} to the first version, whose answer is a function of "
        f"the character, and {versions['second']} to the second, for the next character.",
    )


@decides("probe-five-percent")
def rare_positives(claim: Claim, setting: Setting) -> Finding:
    """Compare the accuracy with that of always saying no."""
    positive, accuracy = fractions([claim.given["positive"], claim.given["accuracy"]])
    finding = compared(
        claim,
        {"always_no": 1 - positive},
        derivation=f"Saying no is right whenever the answer is no: 1 - {claim.given['positive']}.",
    )
    return finding if accuracy < 1 - positive else judged(False, finding.computed, derivation="Not below it.")


@decides("probe-below-baseline-inference")
def information_below_the_majority(claim: Claim, setting: Setting) -> Finding:
    """Look for predictions of the same accuracy that tell something of the answer."""
    from scipy.stats import fisher_exact  # takes most of a second to import

    n, right, positive = smallest_positions(), counted("embedding"), counted("positive")
    best = max(confusions(right, positive, n), key=information)
    (hits, missed), (false, _) = best
    p = fisher_exact(best, alternative="greater").pvalue
    return judged(
        information(best) == 0,
        f"{right} of {n} right with {hits} of {hits + missed} positives found and {false} false alarms: "
        f"{information(best):.2f} bits, p = {p:.3f}",
        derivation="Accuracy weighs a false alarm as much as a positive that is missed. A probe can be below "
        "the majority and still tell the classes apart better than chance.",
    )


@decides("punctuation-period")
def places_of_punctuation(claim: Claim, setting: Setting) -> Finding:
    """Write lines with their marks and look where the marks are."""
    line, marks = int(claim.given["line"]), len(claim.numbers["positions"])
    text = ("x" * line + ",") * marks
    at = [i for i, character in enumerate(text) if character == ","]
    characters = [i - sum(j < i for j in at) for i in at]
    readings = {
        "positions of the sequence counted from 0, as 4.4.4 counts them": at,
        "positions counted from 1": [i + 1 for i in at],
        "only the characters of the verse counted, without the marks": characters,
    }
    return by_readings(
        claim,
        {words: {"positions": found, "period": found[1] - found[0]} for words, found in readings.items()},
        derivation=f"A mark follows every {line} characters and takes a position itself: the period is "
        f"{at[1] - at[0]}.",
    )

"""How many positions were measured, which ones count, and what the entropy by position says of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, by_readings, compared, judged
from paper_checks.ledger.printed import Range, as_printed, decimal, exact, rounds_to, shown
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting
from theory.baselines import harmonic, induction_score


def group_counts(positions: int, poems: int, groups: int, size: int) -> list[int]:
    """Return how many positions each group of `size` has, in all poems, without their first positions.

    All poems reach into the last group, so that the others are full.
    """
    full = [poems * (size - 1)] + [poems * size] * (groups - 2)
    return [*full, positions - poems - sum(full)]


def mean_entropy(group: list[str], counts: list[int], over: int) -> Range:
    """Return the mean over `over` positions of printed group means, as far as their digits say."""
    ranges = [as_printed(one) for one in group]
    return Range(
        sum((c * one.low for c, one in zip(counts, ranges, strict=True)), Fraction(0)) / over,
        sum((c * one.high for c, one in zip(counts, ranges, strict=True)), Fraction(0)) / over,
    )


def agreeing(claim: Claim, positions: int, *, first_counts: bool) -> int:
    """Return for how many heads the groups' entropies average to the profile's, over so many positions.

    Args:
        claim: gives the groups, the profile and the number of poems.
        positions: of all poems.
        first_counts: whether the profile counts the first position of each poem, as entropy 0.
    """
    poems = int(claim.given["poems"])
    over = positions if first_counts else positions - poems
    found = 0
    for head, stated in zip(claim.given["heads"], claim.given["profile"], strict=True):
        group = claim.given["buckets"][head]
        counts = group_counts(positions, poems, len(group), int(claim.given["group"]))
        found += rounds_to(stated, mean_entropy(group, counts, over))
    return found


def possible_positions(claim: Claim) -> range:
    """Return how many positions the poems can have if each ends in the last group."""
    poems, size = int(claim.given["poems"]), int(claim.given["group"])
    groups = len(next(iter(claim.given["buckets"].values())))
    return range(poems * (size * (groups - 1) + 1), poems * size * groups + 1)


def consistent_positions(claim: Claim, *, first_counts: bool) -> list[int]:
    """Return the numbers of positions with which every head's groups average to its profile."""
    heads = len(claim.given["heads"])
    return [n for n in possible_positions(claim) if agreeing(claim, n, first_counts=first_counts) == heads]


@decides("positions-71")
def positions_of_the_profile(claim: Claim, setting: Setting) -> Finding:
    """Ask with how many positions the two tables of entropies fit; and multiply the poems out."""
    fitting = consistent_positions(claim, first_counts=True)
    poems, length = int(claim.given["poems"]), int(claim.given["length"])
    if len(fitting) != 1:
        return Finding("inconclusive", "exact", f"{fitting} fit", "The two tables of entropies do not say.")
    stated = int(decimal(claim.numbers["positions"]))
    about = rounds_to(claim.given["length"], Fraction(stated, poems))
    return by_readings(
        claim,
        {
            "the only number with which the entropies by position average to the profile": {
                "positions": fitting[0]
            },
            f"{poems} poems of {length} characters, as 4.12 has them": {"positions": poems * length},
            f"{poems} poems of {length} characters in the mean, rounded": {
                "positions": stated if about else poems * length
            },
        },
        derivation=(
            f"Weighted by their positions, {length} a poem, the groups' entropies give the profile of all "
            f"{len(claim.given['heads'])} heads; over {stated} positions of "
            f"{agreeing(claim, stated, first_counts=True)}."
        ),
    )


@decides("profile-excludes-position0")
def first_position(claim: Claim, setting: Setting) -> Finding:
    """Hold the profile against the entropies by position, with position 0 counted and left out."""
    heads = len(claim.given["heads"])
    best = {
        counts: max(agreeing(claim, n, first_counts=counts) for n in possible_positions(claim))
        for counts in (True, False)
    }
    T = int(claim.given["length"])
    H = harmonic(T)
    without = (H - 1) / (T - 1)
    near = [exact(one) for one in claim.given["random_diagonal"]]
    return judged(
        best[False] == heads,
        f"position 0 counted as 0 makes both tables agree for {best[True]} of {heads} heads; left out, for "
        f"{best[False]}",
        derivation=(
            f"Untrained heads have diagonals of {shown(min(near))} to {shown(max(near))}: H_T/T = "
            f"{shown(H / T)} with position 0, and {shown(without)} without it (T = {T})."
        ),
    )


@decides("context-64-or-128")
def context_length(claim: Claim, setting: Setting) -> Finding:
    """Look for the context at which uniform attention has the untrained heads' induction score."""
    repeats = int(claim.given["repeats"])
    stated = [int(decimal(one)) for one in claim.numbers.values()]
    scores = {T: induction_score(T // repeats, repeats) for T in stated}
    measured = sorted(exact(one) for one in claim.given["scores"])
    middle = measured[len(measured) // 2]
    # The score falls with the context, so the nearest is unique; it need not be one of the two stated.
    lengths = range(2 * repeats, 4 * max(stated), repeats)
    fits = min(lengths, key=lambda T: abs(_fraction(induction_score(T // repeats, repeats)) - middle))
    total = sum(int(decimal(one)) for one in claim.given["positions"])
    whole = [f"{total / Fraction(T)} of {T}" for T in sorted(set(stated))]
    return compared(
        claim,
        dict.fromkeys(claim.numbers, fits),
        derivation=(
            f"Untrained heads score {shown(middle, 4)}: uniform attention over "
            + ", ".join(f"{T} gives {shown(score, 4)}" for T, score in scores.items())
            + f". The {total:,} validation positions are sequences: {' or '.join(whole)}."
        ),
    )


def _fraction(value: object) -> Fraction:
    return Fraction(str(value))


@decides("entropy-buckets-vs-profile")
def buckets_and_profile(claim: Claim, setting: Setting) -> Finding:
    """Average the groups over poems of one length, and over the number of positions that is stated."""
    heads = len(claim.given["heads"])
    all_alike = int(claim.given["poems"]) * int(claim.given["length"])
    stated = int(claim.given["positions"])
    fits = agreeing(claim, all_alike, first_counts=True)
    return judged(
        fits == heads,
        f"the groups average to the profile for {fits} of {heads} heads, over {all_alike} positions",
        derivation="A profile is the mean of the groups' means by their positions, position 0 adding 0.",
        convention=(
            f"Over {stated} positions: {agreeing(claim, stated, first_counts=True)} of {heads} heads. With "
            f"position 0 left out of both: {agreeing(claim, all_alike, first_counts=False)} of {heads}."
        ),
    )


@decides("l1h3-only-monotone-bucket")
def falling_entropy(claim: Claim, setting: Setting) -> Finding:
    """Take the differences of neighbouring groups."""
    rows = {head: [exact(one) for one in group] for head, group in claim.given["buckets"].items()}
    falling = [head for head, row in rows.items() if all(a > b for a, b in pairwise(row))]
    return judged(
        falling == [claim.given["head"]],
        f"of {len(rows)} heads the entropy falls from group to group in {', '.join(falling) or 'none'}",
        derivation="Every other head rises from some group to the next.",
    )


@decides("first-bucket-high")
def highest_group(claim: Claim, setting: Setting) -> Finding:
    """Look for each head's highest group."""
    rows = {head: [exact(one) for one in group] for head, group in claim.given["buckets"].items()}
    elsewhere = [head for head, row in rows.items() if max(row) > row[0]]
    first = len(rows) - len(elsewhere)
    return judged(
        2 * first > len(rows),
        f"it has the highest in {first} of {len(rows)} heads, not in {' and '.join(elsewhere) or 'none'}",
        derivation="Rows near the start have few keys, and their entropy is divided by a small log(i + 1).",
    )


@decides("bucket-punctuation-story")
def punctuation_in_groups(claim: Claim, setting: Setting) -> Finding:
    """Put the places of punctuation into the groups."""
    places = [int(one) for one in claim.given["punctuation"]]

    def inside(group: list[str]) -> list[int]:
        return [place for place in places if int(group[0]) <= place <= int(group[1])]

    low = {"-".join(group): inside(group) for group in claim.given["low"]}
    high = {"-".join(group): inside(group) for group in claim.given["high"]}
    told = [f"{group}: {', '.join(map(str, found)) or 'none'}" for group, found in (low | high).items()]
    return judged(
        not any(low.values()) and all(high.values()),
        "positions of marks by group: " + "; ".join(told),
        derivation=(
            f"With punctuation at {', '.join(map(str, places))} some is in {sum(map(bool, low.values()))} of "
            f"{len(low)} low groups and in {sum(map(bool, high.values()))} of {len(high)} high ones."
        ),
    )


@decides("shortest-text-12")
def shortest_text(claim: Claim, setting: Setting) -> Finding:
    """Ask whether the other texts can make up the positions, given that none goes beyond the last group."""
    shortest, poems = int(claim.given["shortest"]), int(claim.given["poems"])
    longest, positions = int(claim.given["last"]) + 1, int(claim.given["positions"])
    most = shortest + (poems - 1) * longest
    least = positions - (poems - 1) * longest
    return judged(
        most >= positions,
        f"with one text of {shortest} there are at most {most} positions, not {positions}",
        derivation=(
            f"{shortest} + {poems - 1} x {longest} = {most}. For {positions} positions each text needs "
            f"{least}, and so reaches the last group; {claim.given['elsewhere']} each is possible."
        ),
    )


@decides("last-bucket-size")
def last_group(claim: Claim, setting: Setting) -> Finding:
    """Count the positions of a text that lie in the group."""
    group = range(int(claim.given["first"]), int(claim.given["last"]) + 1)

    def inside(length: int) -> int:
        return sum(position < length for position in group)

    length, longer = int(claim.given["length"]), int(claim.given["longer"])
    return by_readings(
        claim,
        {
            f"texts of {length} characters, as 4.12 has them": {"positions": inside(length)},
            f"a text of {longer} characters or more": {"positions": inside(longer)},
        },
        derivation=f"A text of {length} characters has the positions 0 to {length - 1}.",
    )


@decides("entropy-bound-71")
def largest_entropy(claim: Claim, setting: Setting) -> Finding:
    """Compare with the most that a mean can be in which some rows count as 0 and none is above 1."""
    poems, positions = int(claim.given["poems"]), int(claim.given["positions"])
    ranges = [as_printed(one) for one in claim.given["between"]]
    most = Fraction(positions - poems, positions)
    full = poems * int(claim.given["length"])
    more = Fraction(full - poems, full)
    return judged(
        all(one.low <= most for one in ranges),
        f"an entropy of at most {positions - poems}/{positions} = {shown(most, 4)}",
        derivation=(
            f"A row's normalised entropy is at most 1, and {poems} of {positions} rows count as 0. Over "
            f"{full}, {claim.given['length']} a poem, the most would be {shown(more, 4)}."
        ),
    )

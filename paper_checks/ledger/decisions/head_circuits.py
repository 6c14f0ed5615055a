"""The two halves of a head: what is linear in it, what an effective rank says, one softmax or several."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import accumulate
from math import isqrt

from flint import fmpq, fmpq_mat

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, judged, verdict_if
from paper_checks.ledger.printed import exact, shown
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting

CASES = 10
POSITIONS, WIDTH, HEADS = 4, 6, 3
ENTRY = 5


def _matrix(rows: int, columns: int, rng: random.Random) -> fmpq_mat:
    return fmpq_mat([[fmpq(rng.randint(-ENTRY, ENTRY)) for _ in range(columns)] for _ in range(rows)])


def _attention(positions: int, rng: random.Random) -> fmpq_mat:
    """Return causal rows of positive fractions that sum to 1."""
    rows = [[rng.randint(1, ENTRY) for _ in range(i + 1)] for i in range(positions)]
    return fmpq_mat(
        [[fmpq(one, sum(row)) for one in row] + [fmpq(0)] * (positions - len(row)) for row in rows]
    )


def _side_by_side(blocks: list[fmpq_mat]) -> fmpq_mat:
    return fmpq_mat(
        [[one for block in blocks for one in block.tolist()[i]] for i in range(blocks[0].nrows())]
    )


def concatenated(
    x: fmpq_mat, attention: list[fmpq_mat], W_V: list[fmpq_mat], W_O: list[fmpq_mat]
) -> fmpq_mat:
    """Return what a layer computes, [T, d]: the heads' means of values side by side, times the output."""
    stacked = fmpq_mat([row for block in W_O for row in block.tolist()])
    return _side_by_side([A * (x * V) for A, V in zip(attention, W_V, strict=True)]) * stacked


def by_heads(x: fmpq_mat, attention: list[fmpq_mat], W_V: list[fmpq_mat], W_O: list[fmpq_mat]) -> fmpq_mat:
    """Return the sum over heads of A x W_V W_O, [T, d], with the two matrices multiplied first."""
    terms = [A * (x * (value * output)) for A, value, output in zip(attention, W_V, W_O, strict=True)]
    total = terms[0]
    for term in terms[1:]:
        total += term
    return total


def layer_norm(x: list[Fraction]) -> list[Fraction]:
    """Return x less its mean over its standard deviation, which must be a whole number.

    Raises:
        ValueError: it is none.
    """
    mean = sum(x) / Fraction(len(x))
    variance = sum((one - mean) ** 2 for one in x) / len(x)
    deviation = isqrt(int(variance))
    if deviation**2 != variance:
        raise ValueError(f"the standard deviation of {x} is no whole number")
    return [(one - mean) / deviation for one in x]


@decides("qk-ov-decomposition", tried=f"{CASES} drawn layers")
def sum_over_heads(claim: Claim, setting: Setting) -> Finding:
    """Compute layers of several heads both ways, in fractions; and see what LayerNorm does to a sum."""
    rng = random.Random(setting.seed)
    size = WIDTH // HEADS
    equal = 0
    for _ in range(CASES):
        x = _matrix(POSITIONS, WIDTH, rng)
        attention = [_attention(POSITIONS, rng) for _ in range(HEADS)]
        W_V = [_matrix(WIDTH, size, rng) for _ in range(HEADS)]
        W_O = [_matrix(size, WIDTH, rng) for _ in range(HEADS)]
        equal += concatenated(x, attention, W_V, W_O) == by_heads(x, attention, W_V, W_O)
    x1 = [Fraction(-1), Fraction(1)]
    twice = layer_norm([2 * one for one in x1])
    linear = twice == [2 * one for one in layer_norm(x1)]
    return judged(
        equal < CASES,
        f"the sum is exact in {equal} of {CASES} layers of {HEADS} heads, entry by entry",
        derivation=(
            "A (x W_V) W_O = A x (W_V W_O) by associativity, and side by side times stacked blocks is their "
            "sum. With A and the head's input given nothing is left out; GELU comes after the heads."
        ),
        convention=(
            "Judged with x as what the head reads, after its LayerNorm. With x before it the sum is "
            f"{'still' if linear else 'not'} linear in x: LN{_pair(x1)} = {_pair(layer_norm(x1))}, and twice "
            f"that input gives {_pair(twice)}."
        ),
        readings={"x before its LayerNorm": verdict_if(not linear)},
    )


def _pair(x: list[Fraction]) -> str:
    return f"({', '.join(str(one) for one in x)})"


def rank_by_count(squares: list[Fraction], share: Fraction) -> int:
    """Return the chapter's count: how many cumulative shares are below `share`, plus one."""
    return sum(energy / sum(squares) < share for energy in accumulate(squares)) + 1


def rank_by_sum(squares: list[Fraction], share: Fraction) -> int | None:
    """Return the fewest of the (descending) squares whose sum is at least `share` of all, if any are."""
    enough = [k for k in range(1, len(squares) + 1) if sum(squares[:k]) >= share * sum(squares)]
    return enough[0] if enough else None


@decides("rank90", tried=f"{CASES} drawn spectra and one on the edge")
def effective_rank(claim: Claim, setting: Setting) -> Finding:
    """Count both ways on generated spectra, and on one whose share is met exactly."""
    share, rng = exact(claim.given["share"]), random.Random(setting.seed)
    on_the_edge = [share, 1 - share]
    spectra = [on_the_edge] + [
        sorted((Fraction(rng.randint(1, 4**ENTRY)) for _ in range(WIDTH)), reverse=True) for _ in range(CASES)
    ]
    same = [rank_by_count(one, share) == rank_by_sum(one, share) for one in spectra]
    return judged(
        all(same),
        f"both counts agree on {sum(same)} of {len(same)} spectra",
        derivation=(
            "Cumulative shares grow, so those below come first, and the next is the first to hold enough; "
            f"shares of {shown(on_the_edge[0], 1)} and {shown(on_the_edge[1], 1)} count as "
            f"{rank_by_count(on_the_edge, share)}."
        ),
    )


@decides("rank90-one-fixed-direction", tried="a constructed head")
def direction_at_rank_one(claim: Claim, setting: Setting) -> Finding:
    """Take W_V W_O = diag(1, t) with the largest t that keeps the rank 1, and feed both axes."""
    share = exact(claim.given["share"])
    second = (1 - share) / share  # t^2: then 1 / (1 + t^2) is the share itself
    rank = rank_by_count([Fraction(1), second], share)
    fixed = second == 0
    return judged(
        fixed or rank > 1,
        f"singular values 1 and t with t^2 = {second} have rank {rank}, and two output directions",
        derivation=(
            f"W_V W_O = diag(1, t): the first's share is 1/(1 + {second}) = {1 / (1 + second)}. (1, 0) gives "
            "(1, 0) and (0, 1) gives (0, t), at a right angle; only an exact rank of 1 fixes a line."
        ),
    )


def rank_over_positions(heads: int, positions: int, rng: random.Random) -> int:
    """Return the rank of (position, entry of the linear map from there), heads looking at one position each.

    A row of attention and a value-output matrix a head: from position j the output gets sum_h A_h[j] OV_h.
    Flattened, that is a sum of `heads` products of a vector over positions and a matrix.
    """
    maps = [_matrix(POSITIONS, POSITIONS, rng).tolist() for _ in range(heads)]
    rows = [[fmpq(0)] * POSITIONS**2 for _ in range(positions)]
    for h, one in enumerate(maps):
        rows[h % positions] = [entry for line in one for entry in line]
    return int(fmpq_mat(rows).rank())


@decides("wide-head-vs-many", tried="drawn heads, where one case is enough")
def one_head_or_many(claim: Claim, setting: Setting) -> Finding:
    """Compare the ranks that one head and several can reach."""
    heads = int(claim.given["heads"])
    many = rank_over_positions(heads, heads, random.Random(setting.seed))
    one = rank_over_positions(1, heads, random.Random(setting.seed))
    return judged(
        many > one,
        f"{heads} heads reach rank {many} over {heads} positions, a single head rank {one}",
        derivation=(
            "From position j a row's output gets sum_h A_h[j] OV_h. With one head these are all multiples of "
            "one matrix, however wide it is: rank 1 over positions. Each further softmax can add one."
        ),
        missing="nothing",
    )

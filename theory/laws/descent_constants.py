"""The constants of general descent: what optimisers hold of one batch, and their reduction to binomials.

`theory.laws.general_descent.counts` sums amounts a(r, q) over ordered steps. Another route to the same
numbers: with one constant batch every leading term is a number times a fixed matrix, so descent on the
numbers alone,

    u_O <- m u_O + 1,        w <- w + rho_r u_O
    u_V <- m u_V + w,        v <- v + rho_r u_V
    u_S <- m u_S + w v,      a <- a + rho_r u_S       (w, v as they were before the step)

with the velocities u of momentum m and the rate rho_r of step r, must gather them. Without momentum and at
rate one they are s, C(s,2) and 3 C(s,4) + 2 C(s,3) (Theorem 4.1). Derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import comb

from flint import fmpq, fmpq_mat

from theory.laws.general_descent import counts
from theory.orders import GROUPS, leading_orders
from theory.series import Update
from theory.verdict import Statement, Verdict, compare

Claim = Callable[[Sequence[Update], fmpq], list[dict[str, fmpq]]]
"""(updates, momentum) to the constants of each group after 0, 1, ... steps."""

Numbers = Mapping[str, fmpq]


def heavy_ball(updates: Sequence[Update], momentum: fmpq) -> list[dict[str, fmpq]]:
    """The same constants by running the descent on numbers, as above."""
    held = dict.fromkeys(GROUPS, fmpq(0))
    velocity = dict.fromkeys(GROUPS, fmpq(0))
    history = [held]
    for update in updates:
        score = held["W_O"] * held["V"]
        gained = {"W_O": fmpq(1), "V": held["W_O"], "W": score, "P": score}
        velocity = {g: momentum * velocity[g] + gained[g] for g in GROUPS}
        held = {g: held[g] + update.rate * velocity[g] for g in GROUPS}
        history.append(held)
    return history


def binomials(steps: int) -> dict[str, fmpq]:
    """s, C(s,2) and c_s twice, as the theorem writes them."""
    scores = fmpq(3 * comb(steps, 4) + 2 * comb(steps, 3))
    return {"W_O": fmpq(steps), "V": fmpq(comb(steps, 2)), "W": scores, "P": scores}


def check(updates: Sequence[Update], momentum: fmpq, *, claim: Claim = counts) -> Verdict:
    """Holds the claimed constants to descent on numbers, after every step."""
    return _compared("constants of general descent", claim(updates, momentum), heavy_ball(updates, momentum))


def check_binomials(steps: int, *, claim: Claim = counts) -> Verdict:
    """Holds the claimed constants of plain descent at rate one to the binomials, after 0..`steps` steps."""
    found = [binomials(s) for s in range(steps + 1)]
    return _compared("constants of plain descent", claim([Update()] * steps, fmpq(0)), found)


def _compared(law: str, claimed: Sequence[Numbers], found: Sequence[Numbers]) -> Verdict:
    orders = leading_orders(1)

    def statements() -> Iterator[Statement[fmpq_mat]]:
        for s, constants in enumerate(claimed):
            for group in GROUPS:
                yield Statement(group, None, orders[group], fmpq_mat([[constants[group]]]), s)

    return compare(law, statements(), lambda one: fmpq_mat([[found[one.step][one.quantity]]]))

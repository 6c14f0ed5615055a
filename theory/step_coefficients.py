"""How much of each leading term has been gathered after s steps: sums over the recursions of the descent.

At leading order (Theorem 4.1) one step adds to each parameter the product of what its gradient is built of:
W_O gains one B_bar; V gains what W_O holds; W and P gain what W_O holds times what V holds. Starting from
nothing, the amounts after s steps are

    w(s) = sum_{r<s} 1,    v(s) = sum_{r<s} w(r),    a(s) = sum_{r<s} w(r) v(r).

Nothing here states their closed forms: `symbolic` sums them, `step_coefficients` adds them up.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sympy


def step_coefficients(steps: int) -> dict[str, int]:
    """The coefficients of eta in W_O, eta^2 in V, eta^4 in W and P, by running the recursion.

    Source: Theorem 4.1 (s, C(s,2), c_s).

    Raises:
        ValueError: `steps` is negative.
    """
    if steps < 0:
        raise ValueError(f"steps must be 0 or more, not {steps}")
    output, value, attention = 0, 0, 0
    for _ in range(steps):
        # All three gains use what was held before this step.
        output, value, attention = output + 1, value + output, attention + output * value
    return {"W_O": output, "V": value, "W": attention, "P": attention}


def next_step_coefficients(steps: int) -> dict[str, tuple[int, ...]]:
    """How much of each next-order direction there is, by the same recursion one order further.

    In the order of `theory.certificate_format.DIRECTIONS`. In step r, when W_O holds w = r of B and n of its
    own next term, V holds v of the leading term and (p, q) of its two, W_O gains w of the next term, V gains
    n and w^2, and W and P gain w p + n v, w q and w^2 v (derived in `theory.next_order`).

    Raises:
        ValueError: `steps` is negative.
    """
    if steps < 0:
        raise ValueError(f"steps must be 0 or more, not {steps}")
    w = v = n = p = q = 0
    a = b = c = 0
    for _ in range(steps):
        a, b, c = a + w * p + n * v, b + w * q, c + w * w * v
        p, q = p + n, q + w * w
        n, v, w = n + w, v + w, w + 1
    return {"W_O": (n,), "V": (p, q), "W": (a, b, c), "P": (a, b, c)}


@cache
def symbolic() -> dict[str, sympy.Expr]:
    """The same coefficients as factored polynomials in the symbol s, by summing the recursions with SymPy."""
    import sympy  # here, because the integers above must not wait for it

    s = sympy.Symbol("s", integer=True, nonnegative=True)
    r = sympy.Symbol("r", integer=True, nonnegative=True)

    def gathered(gain: sympy.Expr) -> sympy.Expr:
        """The sum over r = 0..s-1 of a gain that is written in r."""
        return sympy.factor(sympy.summation(gain, (r, 0, s - 1)))

    output = gathered(sympy.Integer(1))
    value = gathered(output.subs(s, r))
    attention = gathered(output.subs(s, r) * value.subs(s, r))
    return {"W_O": output, "V": value, "W": attention, "P": attention}

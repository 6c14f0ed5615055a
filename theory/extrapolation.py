"""A coefficient of descent from runs at small rates: how near extrapolation comes, and what that forces.

Let theta(eta) = a eta^k + ... be a weight after s steps, analytic in eta. Through its values over eta^k at n
rates goes one polynomial of degree n - 1; Richardson extrapolation is its value at 0, which is linear in
them with the weights l_i = prod_(j != i) eta_j / (eta_j - eta_i). It is exact for powers below n, so that it
misses a by at most

    sum_i |l_i| R(eta_i) / eta_i^k,     R(eta) >= |sum_(m >= k + n) theta_m eta^m|.

`theory.truncation` bounds the sum of |theta_m| rho^m from above at a larger rate rho; for eta <= rho each
eta^m is at most (eta / rho)^(k + n) rho^m. So R(eta) = (eta / rho)^(k + n) tail(rho), which falls with
eta^(k + n) however coarse the tail at rho is.

*What that forces.* Two fractions with denominators up to Q are 1 / Q^2 apart or more. So when 2 e Q^2 < 1 at
most one of them is within e of any number: a coefficient whose denominator is at most Q is known exactly.

*Its denominator.* With M = N T V and m = lcm(1, ..., T): W_O starts with the average over N T of residuals,
which are multiples of 1/V, so with one of 1/M; V with the average of A0 (1/m), a residual and W_O, of
1/(m M^2); W and P with that of the softmax Jacobian at uniform attention (1/m^2), a residual, W_O and V, of
1/(m^3 M^4). Sums over steps are whole numbers of these, so that each denominator divides m^3 M^4. Derived
here.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm, prod

from flint import fmpq

from theory.truncation import tail_bounds

INSIDE = fmpq(1, 32)
"""The rate rho at which tails are bounded, s rho being far below log 2 for a few steps."""


def weights_at_zero(rates: Sequence[fmpq]) -> list[fmpq]:
    """l_i: the value at rate 0 of the polynomial through values at these rates is the sum of l_i value_i."""
    return [prod((b / (b - a) for b in rates if b != a), start=fmpq(1)) for a in rates]


def remainders(layers: int, steps: int, rate: fmpq, order: int) -> dict[str, list[fmpq]]:
    """For each group and layer: a bound on |sum_{m>order} theta_m rate^m|, for any corpus and rate <= rho.

    Raises:
        ValueError: the rate is not above 0 and at most rho.
    """
    if not 0 < rate <= INSIDE:
        raise ValueError(f"the rate must be above 0 and at most {INSIDE}, not {rate}")
    shrunk = (rate / INSIDE) ** (order + 1)
    tails = tail_bounds(layers, steps, INSIDE, order)
    return {group: [tail * shrunk for tail in of_layers] for group, of_layers in tails.items()}


def extrapolation_errors(layers: int, steps: int, rates: Sequence[fmpq], order: int) -> dict[str, list[fmpq]]:
    """For each group and layer: how far extrapolation over rate^order can miss the coefficient there."""
    missed = [remainders(layers, steps, rate, order + len(rates) - 1) for rate in rates]
    shares = [abs(w) / rate**order for w, rate in zip(weights_at_zero(rates), rates, strict=True)]
    return {
        group: [
            sum((share * at[group][n] for share, at in zip(shares, missed, strict=True)), fmpq(0))
            for n in range(len(missed[0][group]))
        ]
        for group in missed[0]
    }


def largest_denominator(sequences: int, length: int, vocab_size: int) -> int:
    """m^3 M^4: what every coefficient of a leading term has for a denominator divides it."""
    return int(lcm(*range(1, length + 1)) ** 3 * (sequences * length * vocab_size) ** 4)


def only_fraction(value: fmpq, error: fmpq, largest: int) -> fmpq | None:
    """The one fraction with a denominator up to `largest` within the error, None when there is none.

    Raises:
        ValueError: the error is so wide that there may be two.
    """
    if 2 * error * largest**2 >= 1:
        raise ValueError(f"an error of {error} does not tell fractions over {largest} apart")
    near = Fraction(int(value.p), int(value.q)).limit_denominator(largest)
    found = fmpq(near.numerator, near.denominator)
    return found if abs(found - value) <= error else None

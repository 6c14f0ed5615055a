"""Power series in eta in plain fractions: a list of the coefficients of 1, eta, ..., eta^4."""

from fractions import Fraction as F

N = 5  # powers of eta, to the fourth
ZERO, ONE = [F(0)] * N, [F(1)] + [F(0)] * (N - 1)


def plus(a, b, factor=1):
    return [x + y * factor for x, y in zip(a, b)]


def times(a, b):
    if not any(a) or not any(b):
        return ZERO
    return [sum(a[i] * b[k - i] for i in range(k + 1)) for k in range(N)]


def total(series):
    return [sum(column, F(0)) for column in zip(ZERO, *series)]


def exp(z):  # e' = z' e, and z has no constant term
    e = ONE[:]
    for k in range(1, N):
        e[k] = sum(i * z[i] * e[k - i] for i in range(1, k + 1)) / k
    return e


def softmax(scores):
    up, shares = list(map(exp, scores)), []
    whole = total(up)
    for x in up:
        q = []
        for k in range(N):
            q.append((x[k] - sum(q[i] * whole[k - i] for i in range(k))) / whole[0])
        shares.append(q)
    return shares

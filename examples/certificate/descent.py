"""A step of full-batch descent of a model of one layer; its parameters are power series in eta."""

from fractions import Fraction as F

from series import ONE, ZERO, plus, softmax, times, total


def step(at, weighted, V, T):
    """Every group, flat, plus eta times minus its gradient, summed over [(sequence, weight)]."""
    new, R = {group: [x[:] for x in at[group]] for group in at}, range(V)

    def push(group, n, series, share):
        new[group][n] = plus(new[group][n], [F(0), *series[:-1]], share)

    for x, weight in weighted:
        for t in range(T):
            seen, share = x[: t + 1], F(weight, T)
            A = softmax([plus(at["W"][x[t] * V + c], at["P"][t - k]) for k, c in enumerate(seen)])
            read = [total(a for a, c in zip(A, seen) if c == j) for j in R]
            h = [total([ONE] * (x[t] == j) + [times(read[i], at["V"][i * V + j]) for i in R]) for j in R]
            p = softmax([total(times(h[i], at["W_O"][i * V + j]) for i in R) for j in R])
            residual = [plus(ONE if x[t + 1] == j else ZERO, p[j], -1) for j in R]
            g = [total(times(at["W_O"][i * V + j], residual[j]) for j in R) for i in R]
            m = [total(times(at["V"][c * V + j], g[j]) for j in R) for c in seen]
            mean = total(map(times, A, m))
            for k, c in enumerate(seen):
                slope = times(A[k], plus(m[k], mean, -1))
                push("W", x[t] * V + c, slope, share)
                push("P", t - k, slope, share)
            for i in R:
                for j in R:
                    push("W_O", i * V + j, times(h[i], residual[j]), share)
                    push("V", i * V + j, times(read[i], g[j]), share)
    return new

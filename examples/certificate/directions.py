"""The matrices of the leading terms, flat: B_bar, Phi_bar^T B_bar^T, Q_bar and Delta_bar."""

from fractions import Fraction as F


def directions(weighted, V, T):
    """Sums over [(sequence, weight)], with the share weight / T for each of its T positions."""
    R, B, Phi = range(V), [[F(0)] * V for _ in range(V)], [[F(0)] * V for _ in range(V)]
    u = [[F(y == j) - F(1, V) for j in R] for y in R]
    at = [(x[: t + 1], u[x[t + 1]], F(weight, T)) for x, weight in weighted for t in range(T)]
    for seen, pulled, share in at:
        for i in R:
            B[seen[-1]][i] += share * pulled[i]
            for j in R:
                Phi[i][j] += share * pulled[i] * F(seen.count(j), len(seen))
    G = [[sum(B[k][i] * B[k][m] * Phi[m][j] for k in R for m in R) for j in R] for i in R]
    Q, Delta = [F(0)] * (V * V), [F(0)] * T
    for seen, pulled, share in at:
        pull = [sum(pulled[i] * G[i][context] for i in R) for context in seen]
        for k, context in enumerate(seen):
            slope = share * (pull[k] - sum(pull) / len(seen)) / len(seen)
            Q[seen[-1] * V + context] += slope
            Delta[len(seen) - 1 - k] += slope
    PhiB = [sum(Phi[k][i] * B[j][k] for k in R) for i in R for j in R]
    return {"W_O": [b for row in B for b in row], "V": PhiB, "W": Q, "P": Delta}

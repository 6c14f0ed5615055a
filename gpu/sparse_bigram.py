"""B_bar as the sparse matrix plus rank one that it is, and its products.

    B_bar = (J - f 1^T / V) / NT        J: counts of pairs, f: its row sums

On text few pairs of words ever follow each other (2% at V = 3,000), so a product with J costs far less
than a dense one, and adds in a fixed order. Where many do, J is kept dense: then the last bits of
`gram_times` depend on how the library of dense products shares its work out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float64, Int64
from scipy import sparse

# Columns of a dense factor that one product takes: a copy of them stays in a processor's cache.
COLUMNS_AT_ONCE = 128
# Of all pairs, those that occur: above this share a dense product is the faster one.
DENSE_ABOVE = 1 / 20


@dataclass(frozen=True)
class SparseBigram:
    """B_bar [current, next] by its parts.

    Attributes:
        J: counts of pairs [V, V], float64 whole numbers, a SciPy CSR array or a dense one.
        J_T: its transpose, of the same kind.
        f: [V], how often each token is the current one.
        positions: N*T.
    """

    J: Any
    J_T: Any
    f: Float64[np.ndarray, " V"]
    positions: int

    @classmethod
    def from_counts(cls, count: Int64[np.ndarray, "V V"], positions: int) -> SparseBigram:
        """Return the parts for counts of pairs [current, next]."""
        J = count.astype(np.float64)
        f = J.sum(axis=1)
        if np.count_nonzero(J) > DENSE_ABOVE * J.size:
            return cls(J, J.T, f, positions)
        return cls(sparse.csr_array(J), sparse.csr_array(J.T), f, positions)

    def gram(self) -> Float64[np.ndarray, "V V"]:
        """Sigma_B = B_bar^T B_bar: [J^T J - (u 1^T + 1 u^T) / V + f.f / V^2] / (NT)^2 with u = J^T f.

        The three terms are whole numbers, and exact up to 2^53 in any order of summation.
        """
        V = len(self.f)
        u = self.J_T @ self.f
        product = self.J_T @ self.J
        centred = (product.toarray() if sparse.issparse(product) else product) - (u[:, None] + u) / V
        centred += self.f @ self.f / V**2
        return np.asarray(centred / float(self.positions) ** 2)

    def gram_times(self, Phi_bar: Float64[np.ndarray, "V n"]) -> Float64[np.ndarray, "V n"]:
        """Sigma_B Phi_bar for some columns of Phi_bar, by two products with J.

        Columns of Phi_bar sum to zero, so the even share of B_bar drops out of B_bar Phi_bar.
        """
        product = np.empty_like(Phi_bar)
        for start in range(0, Phi_bar.shape[1], COLUMNS_AT_ONCE):
            some = slice(start, start + COLUMNS_AT_ONCE)
            H = (self.J @ np.ascontiguousarray(Phi_bar[:, some])) / self.positions
            product[:, some] = (self.J_T @ H - self.f @ H / len(self.f)) / self.positions
        return product

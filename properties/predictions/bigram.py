"""B_bar as a factor of products: counts, which are sparse in text, less an even share of each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float64, Int64


@dataclass(frozen=True)
class Bigram:
    """B_bar = (J - f 1^T / V) / k [current, next], of k positions.

    Attributes:
        J: how often each pair occurs [current, next], a SciPy CSR array.
        J_T: its transpose.
        f: [V], how often each token is the current one.
        positions: k = N*T.
    """

    J: Any
    J_T: Any
    f: Float64[np.ndarray, " V"]
    positions: int

    @classmethod
    def of(cls, tokens: Int64[np.ndarray, "N T_plus_1"], vocab_size: int) -> Bigram:
        """Count the pairs of a corpus."""
        x, y = tokens[:, :-1].ravel(), tokens[:, 1:].ravel()
        pairs = scipy.sparse.coo_array((np.ones(x.size), (x, y)), shape=(vocab_size, vocab_size))
        J = scipy.sparse.csr_array(pairs)
        return cls(J, scipy.sparse.csr_array(J.T), np.bincount(x, minlength=vocab_size).astype(float), x.size)

    @property
    def frequency(self) -> Float64[np.ndarray, " V"]:
        """P(i), the share of the current tokens."""
        return self.f / self.positions

    def dense(self) -> Float64[np.ndarray, "V V"]:
        """B_bar as an array."""
        return np.asarray((self.J.toarray() - self.f[:, None] / len(self.f)) / self.positions)

    def times(self, M: Float64[np.ndarray, "V n"]) -> Float64[np.ndarray, "V n"]:
        """B_bar M."""
        even = np.outer(self.f / len(self.f), M.sum(axis=0))
        return np.asarray((self.J @ M - even) / self.positions)

    def T_times(self, M: Float64[np.ndarray, "V n"]) -> Float64[np.ndarray, "V n"]:
        """B_bar^T M."""
        return np.asarray((self.J_T @ M - self.f @ M / len(self.f)) / self.positions)

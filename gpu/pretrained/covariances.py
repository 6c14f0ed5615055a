"""Covariances of tokens: how alike the rows of a map from tokens are, and the cosine of two of them.

The covariance of a map M [n, m] with a row for each token is C = M_c M_c^T, where M_c has the mean of each
row taken off (paper, sec. 5.2; the factor 1/(m-1) cancels in a cosine). It compares tokens by what they do,
in whatever space they do it: rows of Q_bar over n tokens are compared with rows of a stream of d dimensions.

A map of a model is a product, and so is its covariance: with rows X [n, d] and factors W [d, r], S [r, r],

    C = X W S W^T X^T,  <C, T> = tr(S W^T Z W),  |C|^2 = tr((S W^T G W)^2),  Z = X^T T X,  G = X^T X,

by the cyclic trace. So no [n, n] map is built for a head: Z and G [d, d] serve all heads of a layer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import scipy.linalg
import torch
from jaxtyping import Float64
from torch import Tensor

Square = Float64[Tensor, "n n"]
# How many of the theory's first directions are taken out: the cosine as it is, and what others hold of it.
REMOVED = (0, 1, 10)


@dataclass(frozen=True)
class TokenCovariance:
    """The covariance T of a map of the theory, with its first directions.

    Attributes:
        matrix: [n, n], symmetric.
        directions: [n, k], unit eigenvectors of the largest eigenvalues, the largest first.
        values: [k], those eigenvalues.
        norms: for each number in REMOVED the Frobenius norm without so many first directions; 0 where
            rounding is all that there is.
    """

    matrix: Square
    directions: Float64[Tensor, "n k"]
    values: Float64[Tensor, " k"]
    norms: Mapping[int, float]

    @property
    def best_rank_one(self) -> float | None:
        """The largest cosine that any covariance of rank one has with this one: its eigenvalue over |T|."""
        return float(self.values[0]) / self.norms[0] if self.norms[0] > 0 else None

    def cosine(self, other: TokenCovariance, removed: int = 0) -> float | None:
        """Return the cosine with another, both without this one's first directions; None if one is zero."""
        U = self.directions[:, :removed]

        def rest(T: Square) -> Square:
            left = T - U @ (U.T @ T)
            return left - (left @ U) @ U.T

        one, two = rest(self.matrix), rest(other.matrix)
        size = self.norms[removed] * float(torch.linalg.matrix_norm(two))
        return float((one * two).sum()) / size if size > 0 else None


def row_normalised(rows: Float64[Tensor, "n m"]) -> Float64[Tensor, "n m"]:
    """Return the rows divided by their lengths; rows of zeros stay."""
    length = torch.linalg.vector_norm(rows, dim=1, keepdim=True)
    return torch.where(length > 0, rows / torch.where(length > 0, length, 1.0), 0.0)


def row_centred(rows: Float64[Tensor, "n m"]) -> Float64[Tensor, "n m"]:
    """Return the rows less their means."""
    return rows - rows.mean(dim=1, keepdim=True)


def token_covariance(rows: Float64[Tensor, "n m"]) -> TokenCovariance:
    """Return the covariance of a map of the theory, its rows divided by their lengths first."""
    centred = row_centred(row_normalised(rows))
    T = centred @ centred.T
    n = len(T)
    most = min(n, max(REMOVED))
    values, vectors = scipy.linalg.eigh(T.cpu().numpy(), subset_by_index=[n - most, n - 1])
    largest = torch.tensor(values[::-1].copy(), device=T.device)
    U = torch.tensor(vectors[:, ::-1].copy(), device=T.device)
    norms = {k: float(torch.linalg.matrix_norm(T - (U[:, :k] * largest[:k]) @ U[:, :k].T)) for k in REMOVED}
    # The symmetric eigenproblem is solved to within n units in the last place of the norm.
    known = n * torch.finfo(torch.float64).eps * norms[0]
    return TokenCovariance(T, U, largest, {k: norm if norm > known else 0.0 for k, norm in norms.items()})


@dataclass(frozen=True)
class Compared:
    """The rows X [n, d] of a model's map, ready to be compared with covariances of the theory.

    Attributes:
        G: X^T X.
        Z: X^T T X for each covariance T by name.
        V: X^T U for each, U its first directions.
        theory: the covariances.
    """

    G: Float64[Tensor, "d d"]
    Z: Mapping[str, Float64[Tensor, "d d"]]
    V: Mapping[str, Float64[Tensor, "d k"]]
    theory: Mapping[str, TokenCovariance]

    @classmethod
    def of(cls, X: Float64[Tensor, "n d"], theory: Mapping[str, TokenCovariance]) -> Compared:
        """Return the products of the rows with each covariance."""
        Z = {name: X.T @ (T.matrix @ X) for name, T in theory.items()}
        return cls(X.T @ X, Z, {name: X.T @ T.directions for name, T in theory.items()}, theory)

    def cosine(
        self, name: str, W: Float64[Tensor, "d r"], S: Float64[Tensor, "r r"], removed: int = 0
    ) -> float | None:
        """Return the cosine of X W S W^T X^T with a covariance of the theory; None where one is zero.

        Args:
            name: which covariance.
            W: the factor between the rows and S.
            S: symmetric, positive semidefinite.
            removed: how many of the theory's first directions U, with eigenvalues D, are taken out of both, a
                number in REMOVED: P C P and P T P with P = I - U U^T. As P U = 0 and T U = U D, G becomes
                G - V V^T and Z becomes Z - V D V^T.
        """
        T, V = self.theory[name], self.V[name][:, :removed]
        G, Z = self.G - V @ V.T, self.Z[name] - (V * T.values[:removed]) @ V.T
        inner = float((S * (W.T @ Z @ W).T).sum())
        product = S @ (W.T @ G @ W)
        own = max(0.0, float((product * product.T).sum())) ** 0.5
        # What the sums of d terms may leave of a model's map that has no other direction.
        known = len(G) * torch.finfo(torch.float64).eps * float(S.norm() * (W.T @ self.G @ W).norm())
        return inner / (T.norms[removed] * own) if own > known and T.norms[removed] > 0 else None

    def cosines(
        self, name: str, W: Float64[Tensor, "d r"], S: Float64[Tensor, "r r"]
    ) -> dict[str, float | None]:
        """Return the cosines of `cosine` for each number in REMOVED, named by `less`."""
        return {less(removed): self.cosine(name, W, S, removed) for removed in REMOVED}


def less(removed: int) -> str:
    """Return the name of the cosine without so many first directions: full, less_1, less_10."""
    return f"less_{removed}" if removed else "full"

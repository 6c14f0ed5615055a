"""One table of the symbols: what each is, its axes, where the paper defines it, what others call it.

Most of these matrices are [V, V], so a transpose hides in plain sight; this table is the one place
where the orientation of each is fixed.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Symbol:
    """A named array: shape and axes in the order in which it is indexed.

    `other_names` maps the name someone else uses to how theirs relates to ours.
    """

    name: str
    meaning: str
    shape: tuple[str, ...]
    axes: tuple[str, ...]
    source: str
    other_names: tuple[tuple[str, str], ...] = ()


SIZES: dict[str, str] = {
    "V": "vocabulary size",
    "T": "predicted positions in a sequence (a sequence has T + 1 tokens)",
    "N": "sequences",
    "L": "layers",
    "s": "steps of gradient descent",
    "eta": "learning rate, also called rate",
}

STATISTICS: dict[str, Symbol] = {
    symbol.name: symbol
    for symbol in (
        Symbol(
            "B_bar",
            "centred bigram frequency: P(current) P(next | current) - P(current) / V",
            ("V", "V"),
            ("current", "next"),
            "eq. 9",
            (
                ("B_bar in the authors' TinyStories scripts", "the same"),
                ("B_bar in the authors' Pythia scripts", "its transpose: they accumulate (Y - U)^T X"),
            ),
        ),
        Symbol(
            "Sigma_B",
            "B_bar^T B_bar: how alike two next tokens are in what precedes them",
            ("V", "V"),
            ("next", "next"),
            "eq. 10, exact with centring",
            (("D C D", "column norms D of B_bar, column cosines C"),),
        ),
        Symbol(
            "Phi_bar",
            "centred share of a context token in the prefix of a target",
            ("V", "V"),
            ("target", "context"),
            "eq. 11, 39, 49-62",
        ),
        Symbol(
            "G_bar",
            "Sigma_B Phi_bar: the context map carried to interchangeable targets",
            ("V", "V"),
            ("target", "context"),
            "inside eq. 15",
            (
                ("G_bar in the authors' scripts", "its transpose"),
                ("B_bar Phi_bar B_bar in the authors' per-head script", "its transpose"),
            ),
        ),
        Symbol(
            "Q_bar",
            "evidence that attending from a query token to a key token lowers the loss",
            ("V", "V"),
            ("query", "key"),
            "eq. 14, 17",
            (
                ("Q in the authors' TinyStories scripts", "N T times ours: they do not divide"),
                ("Q in the authors' Pythia scripts", "key by query, the transpose"),
            ),
        ),
        Symbol(
            "Delta_bar",
            "the same evidence by distance from query back to key",
            ("T",),
            ("distance",),
            "eq. 16, 82",
        ),
    )
}

PARAMETERS: dict[str, Symbol] = {
    symbol.name: symbol
    for symbol in (
        Symbol("W_O", "output: logits are h_L W_O", ("V", "V"), ("residual", "next"), "eq. 4"),
        Symbol(
            "V",
            "value of each layer: h gains A h V[l]",
            ("L", "V", "V"),
            ("layer", "attended", "written"),
            "eq. 3",
        ),
        Symbol(
            "W",
            "attention scores of each layer: h W[l] h^T",
            ("L", "V", "V"),
            ("layer", "query", "key"),
            "eq. 2",
            (("W_QK, W_Q W_K^T", "the same"),),
        ),
        Symbol(
            "P",
            "relative position of each layer: P[l, d] is added to the score of a key d positions back",
            ("L", "T"),
            ("layer", "distance"),
            "eq. 2",
            (("D(P)", "the [T, T] matrix with P[d] on its d-th sub-diagonal"),),
        ),
    )
}

SYMBOLS: dict[str, Symbol] = STATISTICS | PARAMETERS

LEADING_TERMS: dict[str, str] = {
    "W_O": "B_bar",
    "V": "Phi_bar^T B_bar^T",
    "W": "Q_bar",
    "P": "Delta_bar",
}
"""The statistic that each parameter group is proportional to at its first order in eta (Theorem 4.1)."""

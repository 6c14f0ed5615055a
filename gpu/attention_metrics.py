"""What can be read off attention maps: where each row of weights lies, and how its heads compare.

A map is causal, with rows that sum to 1; row t (0-based) attends to k <= t. Leading axes of maps become axes
of the scores. Ranges, what row 0 does and the values at uniform attention: `reference.attention_metrics`,
`reference.induction` and `reference.head_similarity`.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from reference.errors import InputError


def row_profile(attention: Float[Tensor, "*heads T T"]) -> dict[str, Float[Tensor, "*heads T"]]:
    """Return entropy, diagonal, previous, distance and relative_diagonal of each row."""
    T = attention.shape[-1]
    place = torch.arange(T, dtype=attention.dtype, device=attention.device)
    # Row 0 has entropy 0 over log 1; any other divisor leaves it at 0.
    most = place.log1p().clamp(min=place.new_tensor(2.0).log())
    diagonal = attention.diagonal(dim1=-2, dim2=-1)
    return {
        "entropy": torch.special.entr(attention).sum(dim=-1) / most,
        "diagonal": diagonal,
        "previous": torch.nn.functional.pad(attention.diagonal(-1, dim1=-2, dim2=-1), (1, 0)),
        "distance": (attention * (place[:, None] - place)).sum(dim=-1),
        "relative_diagonal": diagonal * (place + 1),
    }


def head_profile(attention: Float[Tensor, "*heads T T"]) -> dict[str, Float[Tensor, "*heads"]]:
    """Return the same numbers as means over all T rows."""
    return {name: rows.mean(dim=-1) for name, rows in row_profile(attention).items()}


def profile_spread(attention: Float[Tensor, "*heads T T"]) -> dict[str, dict[str, Float[Tensor, "*heads"]]]:
    """Return the mean, deviation, least and largest of the same numbers over rows 1..T-1, by name.

    Raises:
        InputError: the map has one row only.
    """
    if attention.shape[-1] < 2:
        raise InputError("A map of one row has no row besides the first; give at least two positions.")
    later = {name: rows[..., 1:] for name, rows in row_profile(attention).items()}
    return {
        name: {
            "mean": rows.mean(dim=-1),
            "deviation": rows.std(dim=-1, correction=0),
            "least": rows.amin(dim=-1),
            "largest": rows.amax(dim=-1),
        }
        for name, rows in later.items()
    }


def induction_score(attention: Float[Tensor, "*heads T T"], period: int) -> Float[Tensor, "*heads"]:
    """Return the mean weight of row t on t - period + 1, over t = period..T-1.

    That sub-diagonal is where a perfect induction head has weight 1 on a sequence repeating with `period`.

    Raises:
        InputError: the period is not in 1..T-1.
    """
    T = attention.shape[-1]
    if not 1 <= period < T:
        raise InputError(f"The period {period} does not fit a map of {T} rows; give 1 to {T - 1}.")
    # With period 1 the sub-diagonal is the diagonal itself, whose first row lies before the range.
    return attention.diagonal(1 - period, dim1=-2, dim2=-1)[..., -(T - period) :].mean(dim=-1)


def copy_targets(tokens: Int64[Tensor, "*batch T"]) -> Bool[Tensor, "*batch T T"]:
    """Return for each row t which keys k in 1..t follow an earlier occurrence of its token."""
    following = tokens[..., :, None] == tokens[..., None, :-1]
    return torch.nn.functional.pad(following, (1, 0)).tril()


def match_targets(tokens: Int64[Tensor, "*batch T"]) -> Bool[Tensor, "*batch T T"]:
    """Return for each row t which keys k < t hold the same token."""
    return (tokens[..., :, None] == tokens[..., None, :]).tril(-1)


def weight_on(
    attention: Float[Tensor, "*heads N T T"], targets: Bool[Tensor, "N T T"]
) -> Float[Tensor, "*heads N"]:
    """Return the mean weight on the targets over the rows that have one, per sequence.

    Raises:
        InputError: no row of some sequence has a target.
    """
    rows = targets.any(dim=-1)
    if not bool(rows.any(dim=-1).all()):
        raise InputError("A sequence in which no token recurs has no induction score; give a longer one.")
    on_targets = (attention * targets).sum(dim=-1)
    return (on_targets * rows).sum(dim=-1) / rows.sum(dim=-1)


def sequence_induction_score(
    attention: Float[Tensor, "*heads N T T"], tokens: Int64[Tensor, "N T"]
) -> Float[Tensor, "*heads N"]:
    """Return the mean weight on what followed earlier occurrences, per sequence; raises as `weight_on`."""
    return weight_on(attention, copy_targets(tokens))


def head_similarity(maps: Float[Tensor, "H *batch T T"]) -> Float[Tensor, "H H"]:
    """Return the cosine between every two heads' flattened maps; 0 for maps of zeros."""
    rows = torch.nn.functional.normalize(maps.flatten(1), dim=1, eps=torch.finfo(maps.dtype).tiny)
    return rows @ rows.mT


def centred_head_similarity(maps: Float[Tensor, "H *batch T T"]) -> Float[Tensor, "H H"]:
    """Return the same after subtracting uniform attention from every map."""
    T = maps.shape[-1]
    seen = torch.arange(1, T + 1, dtype=maps.dtype, device=maps.device)
    return head_similarity(maps - torch.ones_like(maps[0]).tril() / seen[:, None])

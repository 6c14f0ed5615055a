"""What the heads of a pretrained model do and read: attention on random tokens, and composition scores.

Sequences are random: a period of distinct tokens, twice, after the token that begins a sequence if the model
has one. So what a head does there follows from places and from repetition, and not from words.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from gpu.attention_metrics import head_profile, induction_score
from gpu.composition import composition_score
from gpu.precision import full_precision
from gpu.pretrained.token_model import Heads, TokenModel
from gpu.threads import threads_for
from reference.errors import InputError

SEQUENCES, LONGEST_PERIOD = 16, 50
# The part of an embedding's variance for which directions are counted.
MOST_VARIANCE = 0.8


@dataclass(frozen=True)
class HeadBehaviour:
    """Means over random sequences for one head, in 0..1.

    Attributes:
        previous: weight on the token before, in the first period; row 0 counts as 0.
        induction: weight on the token after the earlier occurrence, in the second period.
        first: weight on the first token of the sequence where nothing repeats, its own row left out.
    """

    previous: float
    induction: float
    first: float


@dataclass(frozen=True)
class Reading:
    """Composition scores of a head's three inputs with what may be there to read, by its name.

    Attributes:
        query, key: of the two sides of W_Q W_K^T.
        value: of W_V W_O.
    """

    query: dict[str, float]
    key: dict[str, float]
    value: dict[str, float]


@dataclass(frozen=True)
class Circuits:
    """What was found of a model's heads.

    Attributes:
        period: of the random sequences.
        uniform_induction: what uniform attention scores for induction on them.
        behaviour: layer by layer, head by head.
        reading: of the heads of the first layer, what they read of tokens and positions; of the second, of
            tokens, positions and each head of the first layer, "0.h".
        values_see_positions: whether the first layer's values differ between places of the same token.
        spectra: for tokens and positions the shares of variance of their principal components.
    """

    period: int
    uniform_induction: float
    behaviour: list[list[HeadBehaviour]]
    reading: list[list[Reading]]
    values_see_positions: bool
    spectra: dict[str, list[float]]


@torch.no_grad()
def circuits(model: TokenModel, seed: int) -> Circuits:
    """Return what a model's heads do and read.

    Raises:
        InputError: its sequences are too short, or its vocabulary too small, for a period of two tokens.
    """
    tokens, period = repeated_tokens(model, seed)
    with full_precision(), threads_for(tokens, model.sizes.width):
        begun = tokens.shape[1] - 2 * period
        behaviour = [
            [_behaviour(one, period, begun) for one in maps.double().mean(dim=0)]
            for maps in model.attention(tokens)
        ]
        W_E, W_pos = model.embeddings()
        T = 2 * period
        return Circuits(
            period=period,
            uniform_induction=sum(1 / (t + 1 + begun) for t in range(period, T)) / period,
            behaviour=behaviour,
            reading=_readings(model, W_E, W_pos),
            values_see_positions=_values_see_positions(model, tokens[:, -1]),
            spectra={
                name: variance_shares(rows)
                for name, rows in (("tokens", W_E), ("positions", W_pos))
                if rows is not None
            },
        )


def repeated_tokens(model: TokenModel, seed: int) -> tuple[Int64[Tensor, "N T"], int]:
    """Return random sequences, each a period of distinct tokens twice, and the period.

    Raises:
        InputError: the model has no room for a period of two tokens, twice.
    """
    sizes = model.sizes
    begin = [] if sizes.begin is None else [sizes.begin]
    period = min(LONGEST_PERIOD, (sizes.longest - len(begin)) // 2, sizes.vocab_size - len(begin))
    if period < 2:
        raise InputError(
            f"A model of {sizes.longest} positions and {sizes.vocab_size} tokens has no room for a "
            "repetition of two tokens; its heads cannot be examined."
        )
    random = torch.Generator().manual_seed(seed)
    words = torch.tensor([word for word in range(sizes.vocab_size) if word not in begin])
    rows = [words[torch.randperm(len(words), generator=random)[:period]] for _ in range(SEQUENCES)]
    first = torch.tensor(begin, dtype=torch.int64).repeat(SEQUENCES, 1)
    return torch.cat([first, torch.stack(rows), torch.stack(rows)], dim=1), period


def variance_shares(rows: Float[Tensor, "n d"]) -> list[float]:
    """Return the shares of the rows' variance along their principal components, largest first."""
    centred = rows.double() - rows.double().mean(dim=0)
    variances = torch.linalg.eigvalsh(centred.T @ centred).flip(0).clamp(min=0)
    total = variances.sum()
    return [float(one / total) if total > 0 else 0.0 for one in variances]


def directions_for(shares: list[float], part: float) -> int:
    """Return how many of the first directions hold at least this part of the variance."""
    held = torch.tensor(shares, dtype=torch.float64).cumsum(0)
    return int((held < part).sum()) + 1


def _behaviour(mean: Float[Tensor, "T T"], period: int, begun: int) -> HeadBehaviour:
    """Return what a head does, by its mean map over sequences, in which these numbers are linear.

    Args:
        mean: the map.
        period: of the sequences.
        begun: 1 if a token for the beginning comes first, else 0.
    """
    fresh = begun + period  # up to here nothing repeats
    return HeadBehaviour(
        previous=float(head_profile(mean[:fresh, :fresh])["previous"]),
        induction=float(induction_score(mean[begun:, begun:], period)),
        first=float(mean[1:fresh, 0].mean()),
    )


def _readings(model: TokenModel, W_E: Tensor, W_pos: Tensor | None) -> list[list[Reading]]:
    """Return what the heads of the first two layers read."""
    written = {"tokens": _triangle(W_E)}
    if W_pos is not None:
        written["positions"] = _triangle(W_pos)
    first = model.heads(0)
    found = [_read_by(first, written)]
    if model.sizes.layers > 1:
        for head, (W_V, W_O) in enumerate(zip(first.W_V.double(), first.W_O.double(), strict=True)):
            written[f"0.{head}"] = _triangle(W_V) @ W_O
        found.append(_read_by(model.heads(1), written))
    return found


def _read_by(heads: Heads, written: dict[str, Tensor]) -> list[Reading]:
    """Return the scores of each head with what was written.

    |A B C^T| is that of A B R^T with C = U R, U^T U = I: so a head's matrices stay [d, k].
    """
    found = []
    parts = (heads.W_Q, heads.W_K, heads.W_V, heads.W_O)
    for W_Q, W_K, W_V, W_O in zip(*(one.double() for one in parts), strict=True):
        sides = (W_Q @ _triangle(W_K).T, W_K @ _triangle(W_Q).T, W_V @ _triangle(W_O.T).T)
        scores = [{name: float(composition_score(A, side)) for name, A in written.items()} for side in sides]
        found.append(Reading(*scores))
    return found


def _triangle(matrix: Float[Tensor, "n d"]) -> Float[Tensor, "r d"]:
    """Return R with R^T R = M^T M, which stands for M wherever M is the left factor of a norm."""
    R: Tensor = torch.linalg.qr(matrix.double(), mode="r")[1]
    return R


def _values_see_positions(model: TokenModel, tokens: Int64[Tensor, " N"]) -> bool:
    """Return whether what the first layer's values are made of differs between two places of a token.

    A difference of d units in the last place of the largest entry is rounding: a norm sums d numbers.
    """
    seen = model.first_values(tokens[:, None].repeat(1, 2))
    rounding = seen.shape[-1] * torch.finfo(seen.dtype).eps * float(seen.abs().max())
    return float((seen[:, 0] - seen[:, 1]).abs().max()) > rounding

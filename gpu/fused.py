"""The sums of `gpu.statistics` over pairs (t, k) by the fused kernels, on a CUDA device.

Queries come in bands of doubling lengths, since short prefixes need few lanes. Terms are added
to their cells atomically, in no fixed order: repeated calls differ by the rounding of one reordered
summation. `properties.statistics_bounds` counts what is done to a pair's terms: a reciprocal and a product
stand in place of a division by t+1, one rounding more each time, for which it has room; the product with the
number of copies is another and saves an addition or more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float64, Int32, Int64

from gpu import fused_kernels
from reference.errors import InputError

# Keys of a warp, eight for each of its threads; programs, about as many as the largest GPUs have room for.
KEYS_OF_A_WARP, MOST_WARPS, PROGRAMS = 256, 32, 4096
SHORTEST_BAND, LONGEST = 64, 1 << 15
# Positions of a corpus: the kernels number them in 32 bits, and for the last program a run beyond the end.
MOST_POSITIONS = 1 << 30

Tokens = Int64[torch.Tensor, "N T_plus_1"]
Matrix = Float64[torch.Tensor, "V V"]


def prefix_shares(tokens: Tokens, vocab_size: int) -> Matrix:
    """Sum 1/(t+1) over the pairs (t, k) by [target, context]; see `gpu.statistics.prefix_shares`.

    Raises:
        InputError: the sequences are longer than LONGEST, or have more than MOST_POSITIONS in all.
    """
    corpus = Corpus.of(tokens)
    share = torch.zeros(vocab_size, vocab_size, dtype=torch.float64, device=tokens.device)
    for band in bands(corpus.T):
        given = (*corpus.arrays, share, *corpus.sizes, vocab_size, band.first, band.stop)
        launch(fused_kernels.add_shares, band.programs(len(tokens)), *given, longest=band.stop)
    return share


def evidence_sums(tokens: Tokens, G_bar: Matrix) -> tuple[Matrix, Float64[torch.Tensor, " T"]]:
    """Sum the entries of Q_i over the pairs (t, k) by [query, key], and by distance t - k.

    See `gpu.statistics.evidence_sums`.

    Raises:
        InputError: the sequences are longer than LONGEST, or have more than MOST_POSITIONS in all.
    """
    corpus, G_bar = Corpus.of(tokens), G_bar.contiguous()
    by_cell, by_distance = torch.zeros_like(G_bar), G_bar.new_zeros(corpus.T)
    for band in bands(corpus.T):
        by_program = G_bar.new_zeros(band.programs(len(tokens)), corpus.T)
        sums = (G_bar, by_cell, by_program)
        given = (*corpus.arrays, *sums, *corpus.sizes, len(G_bar), band.first, band.stop)
        launch(fused_kernels.add_evidence, len(by_program), *given, longest=band.stop)
        by_distance += by_program.sum(dim=0)
    return by_cell, by_distance


@dataclass(frozen=True)
class Band:
    """The queries first <= t < stop of all sequences."""

    first: int
    stop: int

    def programs(self, sequences: int) -> int:
        """Return how many programs share the queries of so many sequences."""
        return min(PROGRAMS, sequences * (self.stop - self.first))


def bands(length: int) -> Iterator[Band]:
    """Cut the positions 0..length-1 into bands that end at 64, 128, 256, ... and at `length`."""
    first, stop = 0, SHORTEST_BAND
    while first < length:
        yield Band(first, min(stop, length))
        first, stop = stop, 2 * stop


def launch(kernel: Any, programs: int, *given: Any, longest: int) -> None:
    """Start a kernel on the device of the first tensor given; Triton would take the current one."""
    with torch.cuda.device_of(given[0]):  # type: ignore[no-untyped-call]
        kernel[(programs,)](*given, **how(longest))


def how(length: int) -> dict[str, Any]:
    """Return what the kernels are compiled for, of prefixes up to a length: a lane for each key.

    Products and sums round apart, as they do on a CPU.
    """
    lanes = 1 << (length - 1).bit_length()
    warps = min(MOST_WARPS, max(1, lanes // KEYS_OF_A_WARP))
    return {"LANES": lanes, "num_warps": warps, "enable_fp_fusion": False}


@dataclass(frozen=True)
class Corpus:
    """Sequences as the kernels take them.

    Attributes:
        tokens: the tokens, x and the last target.
        later: for each position k of x, the next one of the same token, T if there is none.
        copies: how often the token of a position occurs in x[0..k].
        inverse: 1/(t+1).
    """

    tokens: Int32[torch.Tensor, "N T_plus_1"]
    later: Int32[torch.Tensor, "N T"]
    copies: Int32[torch.Tensor, "N T"]
    inverse: Float64[torch.Tensor, " T"]

    @classmethod
    def of(cls, tokens: Tokens) -> Corpus:
        """Return these sequences.

        Raises:
            InputError: they are longer than LONGEST, or have more than MOST_POSITIONS in all.
        """
        N, T = tokens.shape[0], tokens.shape[1] - 1
        if T > LONGEST:
            raise InputError(
                f"The fused engine takes at most {LONGEST:,} positions, not {T:,}; choose torch."
            )
        if N * T > MOST_POSITIONS:
            raise InputError(
                f"The fused engine takes at most {MOST_POSITIONS:,} positions at a time, not {N * T:,}; give "
                "the corpus in parts."
            )
        numbers = tokens.to(torch.int32).contiguous()
        later, copies = numbers.new_empty(N, T), numbers.new_empty(N, T)
        launch(fused_kernels.mark_repeats, N, numbers, later, copies, T, longest=T)
        lengths = torch.arange(1, T + 1, dtype=torch.float64, device=tokens.device)
        return cls(numbers, later, copies, 1 / lengths)

    @property
    def arrays(self) -> tuple[torch.Tensor, ...]:
        """All of them, [N, T+1], twice [N, T] and [T], in the order in which the kernels take them."""
        return self.tokens, self.later, self.copies, self.inverse

    @property
    def sizes(self) -> tuple[int, int]:
        """N and T."""
        return len(self.tokens), len(self.inverse)

    @property
    def T(self) -> int:
        """The predicted positions of each."""
        return len(self.inverse)

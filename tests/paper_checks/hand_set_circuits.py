"""A two-layer attention-only model set by hand: a previous-token head, and two induction heads on top of it.

The stream has a part for tokens, one for positions and one for the token before; positions are shortformer.
"""

import math

import torch

TOKENS, PERIOD, HEADS = 12, 5, 12
PLACES = 1 + 2 * PERIOD
TOKEN, PLACE, BEFORE = 0, TOKENS, TOKENS + PLACES
WIDTH = BEFORE + TOKENS
# Scores of a match, and of what is attended to by default.
MATCH, DEFAULT = 30.0, 15.0
PREVIOUS, ALSO, INDUCTION = 7, 4, (4, 10)


def hand_set(default=DEFAULT):
    """Return the parameters in TransformerLens's names, float64; the other heads are small and random."""
    random = torch.Generator().manual_seed(0)

    def noise(*shape):
        return 1e-3 * torch.randn(shape, generator=random, dtype=torch.float64)

    W = {
        "embed.W_E": torch.eye(TOKENS, WIDTH, dtype=torch.float64),
        "pos_embed.W_pos": torch.eye(WIDTH, dtype=torch.float64)[PLACE : PLACE + PLACES].clone(),
    }
    for layer in range(2):
        for group in ("W_Q", "W_K", "W_V"):
            W[f"blocks.{layer}.attn.{group}"] = noise(HEADS, WIDTH, TOKENS)
        W[f"blocks.{layer}.attn.W_O"] = noise(HEADS, TOKENS, WIDTH)
    side = math.sqrt(MATCH * math.sqrt(TOKENS))
    tokens, places = torch.arange(TOKENS), torch.arange(PLACES)

    def set_head(layer, head, **weights):
        for group, entries in weights.items():
            matrix = W[f"blocks.{layer}.attn.{group}"][head]
            matrix.zero_()
            for rows, columns, value in entries:
                matrix[rows, columns] = value

    set_head(
        0,
        PREVIOUS,
        W_Q=[(PLACE + places, places, side)],
        W_K=[(PLACE + places, places + 1, side)],
        W_V=[(TOKEN + tokens, tokens, 1.0)],
        W_O=[(tokens, BEFORE + tokens, 1.0)],
    )
    # It writes mostly where the previous-token head writes, but so little that nothing comes of it.
    set_head(
        0,
        ALSO,
        W_V=[(TOKEN + tokens, tokens, 1.0)],
        W_O=[(tokens, BEFORE + tokens, 1e-3), (tokens, TOKEN + tokens, 0.5e-3)],
    )
    for head in INDUCTION:
        set_head(
            1,
            head,
            W_Q=[(TOKEN + tokens, tokens, side)],
            W_K=[(BEFORE + tokens, tokens, side), (PLACE, tokens, side * default / MATCH)],
            W_V=[(TOKEN + tokens, tokens, 1.0)],
            W_O=[(tokens, TOKEN + tokens, 1.0)],
        )
    return W

"""Pretrained models: their heads and streams in one notation, and how far they are along the theory's."""

"""`leadterms predict`: what a run will show, from its corpus alone, beside what was published."""

NOISE_GROUPS = 24
"""Random groups of sequences that the sampling noise is measured with."""

"""A small GPT: several models trained at once, open at every point that an experiment needs."""

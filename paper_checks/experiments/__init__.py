"""Experiments on small trained models: each asks one question, with its criterion fixed before it runs."""

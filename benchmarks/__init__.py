"""Measurements as commands: each prints its figures, writes them as JSON, and exits 1 if it misses a target.

Ratios are between two measurements of one run on one machine. Run one with `python -m benchmarks.NAME`.
"""

"""Counts statistics as one of several processes, in small parts, saving after each."""

import sys
from pathlib import Path

import numpy as np

from gpu.command_line import run_command
from gpu.streaming import stream_statistics
from gpu.team import joined_team
from gpu.tokens import Parts
from gpu.two_passes import kept_until_written

PARTS = 14


def main():
    tokens, saved, out = sys.argv[1:]
    run_command(lambda: count(np.load(tokens), Path(saved), Path(out)), "count")


def count(tokens, saved, out):
    run = -(-len(tokens) // PARTS) * (tokens.shape[1] - 1)
    with joined_team("cpu") as team, kept_until_written(saved.with_suffix(f".{team.rank}"), team):
        found = stream_statistics(
            Parts(tokens, run),
            int(tokens.max()) + 1,
            saved=saved.with_suffix(f".{team.rank}"),
            seconds_between_saves=0.0,
            team=team,
        )
        if team.leads:
            np.savez(out, **found)

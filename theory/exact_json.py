"""Exact results as JSON: every rational as text "p/q", or "p" when it is whole (`theory.rational_text`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import fmpq_mat

from theory.series import SeriesParameters


def matrix_as_text(a: fmpq_mat) -> list[list[str]]:
    """[i][j] of a matrix."""
    return [[str(x) for x in row] for row in a.tolist()]


def column_as_text(a: fmpq_mat) -> list[str]:
    """The entries of a [T, 1] matrix."""
    return [str(x) for x in a.entries()]


def statistics_as_text(statistics: Mapping[str, fmpq_mat]) -> dict[str, Any]:
    """Each statistic as [i][j], Delta_bar as [distance]."""
    return {
        name: column_as_text(a) if name == "Delta_bar" else matrix_as_text(a)
        for name, a in statistics.items()
    }


def series_as_text(parameters: SeriesParameters) -> dict[str, Any]:
    """W_O[order][i][j]; V, W[layer][order][i][j]; P[layer][order][distance]."""
    return {
        "W_O": [matrix_as_text(c) for c in parameters.W_O],
        "V": [[matrix_as_text(c) for c in layer] for layer in parameters.V],
        "W": [[matrix_as_text(c) for c in layer] for layer in parameters.W],
        "P": [[[str(x) for x in c] for c in layer] for layer in parameters.P],
    }

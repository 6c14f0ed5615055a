"""The streaming statistics as an implementation under test: what the compiled loops say, without torch."""

from __future__ import annotations

from gpu.streaming import statistics


class Compiled:
    """The statistics of the compiled engine, or of torch on a machine without numba."""

    name = "compiled"
    dtype = "float64"
    statistics = staticmethod(statistics)


implementation = Compiled()

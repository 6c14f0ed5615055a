"""The laws of the first steps, one a file: statement, derivation, exact check against the power series.

Every check returns a `theory.verdict.Verdict`. What it claims can be replaced, so that a wrong claim can be
shown to be refuted, with the first order and entry that differ.
"""

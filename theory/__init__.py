"""Exact mathematics of the first steps of training: rational arithmetic and symbolic derivations, no floats.

Modules are imported one by one (``from theory.statistics import exact_statistics``), so that a caller who
needs only integers never pays for SymPy.
"""

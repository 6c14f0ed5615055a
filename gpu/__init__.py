"""The objects of `reference` at scale: corpora, statistics, the model, training, interventions and metrics.

An independent route to the same numbers: gradients come from autograd, and no formula is shared with
`reference` but the paper's. Importing this package imports neither torch nor a compiler; its modules do.
"""

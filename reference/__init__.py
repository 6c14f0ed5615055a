"""The objects of the theory in plain NumPy float64, written to be read.

Corpora, statistics, the model with its gradients by hand, descent, interventions and attention metrics.
Nothing here imports another room, so that it stays an independent derivation of what `theory` proves.
"""

"""The laws of `theory` evaluated in float64 on the statistics of a corpus of any size.

One file a law; each names the exact law that it evaluates, and `properties.laws.predictions` holds it to that
law on small corpora. Nothing here is trained.
"""

"""`leadterms reproduce`: runs at a size for a processor, each number measured beside its prediction."""

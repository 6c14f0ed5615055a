"""Wrong implementations, one slip each, that the checks must catch: the test of the checks themselves."""

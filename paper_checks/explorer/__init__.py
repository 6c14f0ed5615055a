"""The explorer: one page on which to look at attention, remove heads, and read what the numbers say of it."""

"""Small constructed cases that decisions compute on: they import NumPy and the rooms, and know no claim."""

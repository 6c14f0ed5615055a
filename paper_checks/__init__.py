"""The command line, the claims with their checks, and the report."""

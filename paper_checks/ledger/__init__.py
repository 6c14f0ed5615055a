"""The ledger: what the sources state, claim by claim, and what a computation says of each.

Data flows one way: `claims/*.toml` -> `book` -> `decide` (with the functions of `decisions/` and the suite's
checks) -> what `leadterms claims` and the report show. No verdict is written down anywhere: it is what a
computation returns.
"""

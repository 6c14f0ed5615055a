"""A module a topic; each function decides the claims that it names, from their numbers and a setting."""

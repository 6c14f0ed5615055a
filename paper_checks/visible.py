"""Tokens as a line of a terminal can show them."""


def visible(token: str) -> str:
    """Return a token with line breaks and the like as escapes, and spaces as open boxes."""
    shown = token if token.isprintable() else repr(token)[1:-1]
    return shown.replace(" ", "\N{OPEN BOX}")

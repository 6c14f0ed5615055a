"""Token sequences as JSON: {"tokens": [[...], ...], "vocab_size": V}."""

from __future__ import annotations

import json
from pathlib import Path

from reference.errors import InputError
from reference.small_files import parsed, read_small

# Exact [V, V] matrices of fractions: memory and time end well before this many words do.
MOST_WORDS = 1_000
# Of any number that is repeated to a reader in a sentence.
_MOST_BITS = 128
FORM = '{"tokens": [[0, 1, 2], [1, 1, 0]], "vocab_size": 3}'


def read_tokens(path: Path) -> tuple[list[list[int]], int]:
    """Return the sequences and the vocabulary size of a tokens file.

    Raises:
        InputError: the file is missing, not JSON, or not of just the form above, or its sequences do not fit.
    """
    hint = f"give a JSON file like {FORM}"
    data = parsed(read_small(path, "tokens file", hint=hint), str(path), hint)
    if not isinstance(data, dict) or "tokens" not in data or "vocab_size" not in data:
        raise InputError(f"{path} has no tokens and vocab_size; give a file like {FORM}.")
    for name in sorted(data.keys() - {"tokens", "vocab_size"}):
        raise InputError(f"{path} has {json.dumps(name)[:40]} too, of which nothing is known; leave it out.")
    vocab_size = _whole(path, "vocab_size", data["vocab_size"])
    if vocab_size > MOST_WORDS:
        raise InputError(f"vocab_size in {path} is {vocab_size}; exact matrices go up to {MOST_WORDS}.")
    return _sequences(path, data["tokens"]), vocab_size


def _sequences(path: Path, tokens: object) -> list[list[int]]:
    if not isinstance(tokens, list) or not tokens or not all(isinstance(row, list) for row in tokens):
        raise InputError(f"The tokens in {path} are no list of sequences; give a file like {FORM}.")
    lengths = {len(row) for row in tokens}
    if len(lengths) > 1 or min(lengths) < 2:
        odd = next((i for i, row in enumerate(tokens) if len(row) != len(tokens[0]) or len(row) < 2), 0)
        raise InputError(
            f"Sequence {odd} in {path} has {len(tokens[odd])} tokens; give all the same number, two or more."
        )
    return [
        [_whole(path, f"tokens[{n}][{t}]", token) for t, token in enumerate(row)]
        for n, row in enumerate(tokens)
    ]


def _whole(path: Path, what: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(f"{what} in {path} is {json.dumps(value)[:40]}; give a whole number.")
    if value.bit_length() > _MOST_BITS:
        raise InputError(f"{what} in {path} is {str(value)[:40]}...; give a whole number of fewer digits.")
    return value

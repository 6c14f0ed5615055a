"""Documents as the numbers of a pretrained model's tokens, cut into sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Literal

import numpy as np
from jaxtyping import Int64

from gpu.pretrained.loading import NEEDS, model_folder, quiet_transformers
from reference.errors import InputError, no_such_file

# Documents that are tokenized at once.
DOCUMENTS_AT_ONCE = 1000

Numbers = Callable[[Sequence[str]], list[list[int]]]


def model_tokenizer(place: str, revision: str | None) -> Numbers:
    """Return the tokenizer that comes with a model: from documents to lists of token numbers.

    No special token is added: a sequence holds what its text says.

    Raises:
        InputError: there is none, or transformers is not installed.
    """
    folder = model_folder(place, revision)
    if folder is not None and revision is not None and not any(folder.glob("tokenizer*")):
        folder = Path(place)  # one tokenizer for all revisions
    with quiet_transformers() as transformers:
        try:
            found = transformers.AutoTokenizer.from_pretrained(
                place if folder is None else str(folder),
                revision="main" if folder is not None or revision is None else revision,
            )
        except Exception as error:  # the library raises errors of many kinds for a tokenizer that it lacks
            line = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
            raise InputError(
                f"The tokenizer of {place} cannot be loaded: {line}; give one with --tokenizer FILE.json."
            ) from None

    def numbers(documents: Sequence[str]) -> list[list[int]]:
        with quiet_transformers():
            return list(found(list(documents), add_special_tokens=False)["input_ids"])

    return numbers


def tokenizer_file(path: Path) -> Numbers:
    """Return the tokenizer in a JSON file of the `tokenizers` library, as `model_tokenizer` does.

    Raises:
        InputError: the file is missing or no tokenizer, or the library is not installed.
    """
    if not path.is_file():
        raise no_such_file("tokenizer file", path, "check the path given to --tokenizer")
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise InputError(f"Reading {path} needs the package tokenizers; run: {NEEDS}.") from None
    try:
        found = Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except Exception as error:  # the library raises bare Exception for a file that it cannot read
        raise InputError(f"{path} is not a Hugging Face tokenizer file: {error}.") from None
    return lambda documents: [
        list(one.ids) for one in found.encode_batch(list(documents), add_special_tokens=False)
    ]


def token_sequences(
    documents: Sequence[str],
    numbers: Numbers,
    *,
    length: int,
    layout: Literal["document", "stream"],
    name: str,
) -> Int64[np.ndarray, "N T_plus_1"]:
    """Return the sequences of `documents`, of `length` + 1 tokens each.

    With layout `document` the first `length` + 1 tokens of each document that has as many; with `stream` the
    documents are joined in order and cut into consecutive windows, the rest left out.

    Raises:
        InputError: no sequence results.
    """
    if length < 1:
        raise InputError(f"A sequence needs at least one predicted position; --length is {length}.")
    size = length + 1
    tokenized = chain.from_iterable(
        numbers(documents[start : start + DOCUMENTS_AT_ONCE])
        for start in range(0, len(documents), DOCUMENTS_AT_ONCE)
    )
    if layout == "document":
        kept = [one[:size] for one in tokenized if len(one) >= size]
        tokens = np.array(kept, dtype=np.int64).reshape(-1, size)
    else:
        stream = np.fromiter(chain.from_iterable(tokenized), dtype=np.int64)
        tokens = stream[: len(stream) // size * size].reshape(-1, size)
    if not len(tokens):
        raise InputError(
            f"{name} gives no sequence of {size} of the model's tokens; give a smaller --length, more text, "
            "or --layout stream."
        )
    return tokens

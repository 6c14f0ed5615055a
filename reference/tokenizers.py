"""Text to token strings: the paper's words, characters, whitespace, or a Hugging Face tokenizer file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import chain, pairwise
from pathlib import Path

from reference.errors import InputError, meant, no_such_file, reason

Tokenizer = Callable[[str], list[str]]

_ASCII_WORD = re.compile(r"[a-z]+|\S")


def words(text: str) -> list[str]:
    """Return the paper's tokens: lower-cased runs of letters; every other visible character by itself.

    Digits, punctuation, apostrophes and underscores are one token each; white space separates and is
    dropped. The text in lower case is put into Unicode's composed form (not before: a capital may lack one
    that its small letter has), and a combining mark that is left after a letter belongs to it (Devanagari
    vowels, Hebrew points): written either way, a word is one token. Scripts without spaces give a token a
    run of letters; `chars` cuts those.

    Source: paper, appendix on the TinyStories experiments ("natural words").
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return _word_with_marks().findall(unicodedata.normalize("NFC", text.lower()))


@cache
def _word_with_marks() -> re.Pattern[str]:
    """Compile: a letter with the letters and combining marks after it, or one visible character."""
    letter = r"[^\W\d_]"
    return re.compile(rf"{letter}(?:{letter}|[{_combining_marks()}])*|\S")


def _combining_marks() -> str:
    """Return all combining marks of Unicode, as ranges for a regular expression; they lie in three planes."""
    places = chain(range(0x20000), range(0xE0000, 0xE1000))
    marks = [code for code in places if unicodedata.category(chr(code)).startswith("M")]
    first = [code for before, code in pairwise([-1, *marks]) if code != before + 1]
    last = [code for code, after in pairwise([*marks, -1]) if after != code + 1]
    return "".join(f"{chr(begin)}-{chr(end)}" for begin, end in zip(first, last, strict=True))


def characters(text: str) -> list[str]:
    """Return every character of `text` as a token, spaces and line breaks included, its outer ones not."""
    return list(unicodedata.normalize("NFC", text).strip())


def whitespace(text: str) -> list[str]:
    """Return the pieces of `text` between white space, as they are."""
    return text.split()


def from_file(path: Path) -> Tokenizer:
    """Return the tokenizer of a Hugging Face `tokenizers` JSON file; its tokens are the pieces' strings.

    No special token (begin, end, padding) is added: a sequence holds only what its text says.

    Raises:
        InputError: the file is missing or no tokenizer, or the `tokenizers` package is not installed; from
            what is returned: a text has what the file has no token for, not even an unknown one.
    """
    if not path.is_file():
        raise no_such_file("tokenizer file", path, "give words, chars, whitespace or a .json file")
    try:
        from tokenizers import Tokenizer as HuggingFaceTokenizer
    except ImportError:
        raise InputError(
            f"Reading {path} needs the package tokenizers; run: pip install 'leadterms[tokenizers]'."
        ) from None
    try:
        model = HuggingFaceTokenizer.from_str(path.read_text(encoding="utf-8"))
    except Exception as error:  # the library raises bare Exception for a file that it cannot read
        raise InputError(f"{path} is not a Hugging Face tokenizer file: {reason(error)}.") from None

    def pieces(text: str) -> list[str]:
        try:
            return list(model.encode(text, add_special_tokens=False).tokens)
        except Exception as error:  # bare again, where a text meets what its file lacks
            raise InputError(
                f"{path} cannot split this text: {reason(error)}; give another tokenizer."
            ) from None

    return pieces


# White space separates these: the tokens of a text are those of its pieces, one after the other.
BY_PIECE: frozenset[Tokenizer] = frozenset({words, whitespace})
BY_NAME: dict[str, Tokenizer] = {"words": words, "chars": characters, "whitespace": whitespace}


def tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer called `name`: words, chars, whitespace, or the path of a .json file.

    Raises:
        InputError: there is no such tokenizer.
    """
    if name in BY_NAME:
        return BY_NAME[name]
    if name.endswith(".json"):
        return from_file(Path(name))
    raise InputError(
        f"There is no tokenizer '{name}'; give one of {', '.join(BY_NAME)} or a .json file."
        f"{meant(name, BY_NAME)}"
    )

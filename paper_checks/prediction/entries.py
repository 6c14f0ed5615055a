"""Entries of weights named by two words, as people write them."""

from __future__ import annotations

from paper_checks.prediction.forecast import Entry
from paper_checks.prediction.published import published_entries
from reference.corpus import Corpus
from reference.errors import InputError

GROUPS = ("W_O", "V", "W")


def read_entry(text: str, corpus: Corpus) -> Entry:
    """Return the entry that "W_O FIRST SECOND" names.

    Raises:
        InputError: it does not name a weight and two words of the vocabulary.
    """
    words = text.split()
    if len(words) != 3 or words[0] not in GROUPS:
        raise InputError(
            f"--entry '{text}' is not one of {', '.join(GROUPS)} and two words, as 'W_O in the'."
        )
    group, first, second = words
    for word in (first, second):
        corpus.number(word)
    return group, first, second


def default_entries(corpus: Corpus) -> tuple[Entry, ...]:
    """Return the entries with a published value whose words the corpus has."""
    known = set(corpus.vocabulary)
    return tuple(entry for entry in published_entries() if known >= {entry[1], entry[2]})

"""Corpora by name, loaded through Hugging Face `datasets`; each is pinned to a revision."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from reference.errors import InputError
from reference.text import unix_lines

ROWS_AT_ONCE = 1024


@dataclass(frozen=True)
class HubCorpus:
    """A split of a data set on the hub.

    Attributes:
        repository: its owner and name.
        revision: the commit, which determines its content.
        split: the part that is read.
        field: the column of text.
    """

    repository: str
    revision: str
    split: str
    field: str

    @property
    def digest(self) -> str:
        """What determines the documents."""
        return f"hub {self.repository} {self.revision} {self.split} {self.field}"

    def documents(self) -> Iterator[str]:
        """Yield the documents in their order.

        Raises:
            InputError: `datasets` is not installed, or the data set cannot be loaded.
        """
        try:
            from datasets import load_dataset
        except ImportError:
            raise InputError(
                f"{self.repository} is loaded with the package datasets; "
                "run: pip install 'leadterms[hub]', or give a file."
            ) from None
        try:
            with _retries_untold():
                rows = load_dataset(self.repository, revision=self.revision, split=self.split)
            for batch in rows.iter(batch_size=ROWS_AT_ONCE):
                yield from map(unix_lines, batch[self.field])
        except Exception as error:  # the network, the hub and the disk each raise errors of their own
            reason = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            raise InputError(
                f"{self.repository} cannot be loaded from the Hugging Face hub ({reason}); "
                "check the network, or give a file."
            ) from None


@contextmanager
def _retries_untold() -> Iterator[None]:
    """Keep the hub's client from logging each attempt: the outcome is told in one sentence."""
    client = logging.getLogger("huggingface_hub")
    before = client.level
    client.setLevel(logging.ERROR)
    try:
        yield
    finally:
        client.setLevel(before)


HUB_CORPORA = {
    "tinystories": HubCorpus(
        "roneneldan/TinyStories", "f54c09fd23315a6f9c86f9dc80f725de7d8f9c64", "train", "text"
    )
}

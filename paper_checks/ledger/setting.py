"""What a decision may look at: the seed, a text if one was given, results of checks and of experiments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from paper_checks.fastest import statistics_of
from paper_checks.ledger.book import tables
from paper_checks.ledger.finding import NotGiven
from properties.catalogue import CHECKS
from properties.connectors import connect
from properties.evidence_ladder import Finding as Seen
from properties.evidence_ladder import Step
from properties.results import Result
from properties.runner import run, run_mathematics
from reference.corpus import Corpus
from reference.sequences import build_corpus
from reference.stories import stories
from reference.tokenizers import tokenizer

SMALL_STORIES = 60
SMALL_LENGTH = 16
TINY_SHAPE = (4, 6)
TINY_VOCABULARY = 3
TINY = f"a drawn corpus of {TINY_SHAPE[0]} sequences over {TINY_VOCABULARY} words"  # for a reader


@dataclass
class Setting:
    """What is there to decide claims with.

    Attributes:
        seed: where generated cases start from.
        text: a corpus of real text, or None.
        experiments: results of training experiments by name, as `leadterms experiments` writes them.
        origins: the files that hold them, by their names.
        results: results of the suite's checks on the reference, by id; those missing are run when asked for.
        read: names of the experiments that were asked for and there, in order.
    """

    seed: int = 0
    text: Corpus | None = None
    experiments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    results: dict[str, Result] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)

    def result(self, check_id: str) -> Result:
        """Return the result of a check of the suite on the reference implementation, run if need be."""
        if check_id not in self.results:
            (check,) = [check for check in CHECKS if check.id == check_id]
            if check.needs:
                found = list(run(connect("reference"), [check], profile="quick", seed=self.seed))
            else:
                found = list(run_mathematics([check], profile="quick", seed=self.seed))
            self.results[check_id] = found[0]
        return self.results[check_id]

    @cached_property
    def small(self) -> Corpus:
        """A small corpus of generated stories, the same for the same seed."""
        return build_corpus(
            stories(SMALL_STORIES, self.seed),
            tokenizer("words"),
            vocab_size=None,
            length=SMALL_LENGTH,
            layout="stream",
            name=f"{SMALL_STORIES} generated stories, seed {self.seed}",
        )

    @cached_property
    def tiny(self) -> tuple[list[list[int]], int]:
        """Four random sequences over three words, for exact arithmetic: tokens [4, 6], vocabulary size."""
        tokens = np.random.default_rng(self.seed).integers(0, TINY_VOCABULARY, TINY_SHAPE)
        tokens[0, :TINY_VOCABULARY] = range(TINY_VOCABULARY)  # so that every word occurs
        return tokens.tolist(), TINY_VOCABULARY

    @cached_property
    def text_statistics(self) -> dict[str, np.ndarray]:
        """The statistics of the text in float64.

        Raises:
            NotGiven: there is none.
        """
        text = self.given_text()
        return statistics_of(text.tokens, text.vocab_size)

    def given_text(self) -> Corpus:
        """Return the text, for claims that are about one.

        Raises:
            NotGiven: there is none.
        """
        if self.text is None:
            raise NotGiven("a text, such as TinyStories")
        return self.text

    def check_text(self, like: Mapping[str, Any]) -> None:
        """Refuse a text that is not like the one that a claim is about; see `Claim.text`.

        Raises:
            NotGiven: it has other sizes, or other tokens.
        """
        if (text := self.text) is None:
            return
        if like.get("by") == "character" and max(map(len, text.vocabulary)) > 1:
            raise NotGiven(f"a text by character, as was counted; {text.name} is by word")
        has, words, positions = (text.vocab_size, text.length), like.get("words"), like.get("positions")
        if words is not None and has != (words, positions or text.length):
            unit = like.get("by", "word")
            raise NotGiven(
                f"a text of {words:,} {unit}s{f' in sequences of {positions}' if positions else ''}, as was "
                f"counted; {text.name} has {has[0]:,}{f' in sequences of {has[1]}' if positions else ''}"
            )

    def experiment(self, name: str) -> Mapping[str, Any]:
        """Return the result of a training experiment.

        Raises:
            NotGiven: it was not run.
        """
        if name not in self.experiments:
            raise NotGiven(_needed(name))
        self.read.append(name)
        return self.experiments[name]

    def seen(self, claim_id: str) -> dict[str, list[Seen]]:
        """Return what experiments found on the steps of evidence for a claim, by what they observed."""
        seen: dict[str, list[Seen]] = {}
        for name, found in self.experiments.items():
            for one in found.get("observations", ()):
                if claim_id in one.get("claims", ()):
                    step = Seen(Step(one["step"]), bool(one["holds"]), name)
                    seen.setdefault(str(one["about"]), []).append(step)
        return seen


def _needed(name: str) -> str:
    """Return what a person has to provide so that there is a result of that name."""
    if name in tables()["published-runs"]:
        return "a training run of the published sizes"
    if "." in name:
        return f"the experiment '{name}'"
    return "a pretrained model, examined by leadterms pretrained"

"""A claim of a source: what it says, where, and what a decision on it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, get_args

from paper_checks.ledger.printed import decimal

# What sort of sentence a claim is. A definition or a rule is not true or false; it is shown to be usable.
Kind = Literal["statement", "definition", "method"]
# What must be there before a claim can be decided.
Needs = Literal["nothing", "small corpus", "text", "training run", "pretrained model"]
KINDS: tuple[Kind, ...] = get_args(Kind)
NEEDS: tuple[Needs, ...] = get_args(Needs)


@dataclass(frozen=True)
class Source:
    """Where claims come from.

    Attributes:
        key: what options and claims name it by, such as "paper".
        name: what a reader calls it, in a few words.
        title: as published.
        about: authors, language, licence, in a few words.
        url: where it can be read, if that is known.
    """

    key: str
    name: str
    title: str
    about: str
    url: str = ""


@dataclass(frozen=True)
class Claim:
    """One statement of a source.

    Attributes:
        id: permanent.
        source: the key of its source; `also` are the keys of others that say the same.
        section: where in the source.
        topic: what it is about, the name of its file.
        statement: what is stated, in this project's words.
        stated: the stated value as a reader would quote it.
        implied: by what the source implies it, where it nowhere says so ("by the scripts"); "" if it is said.
        numbers: what is stated, number by number, as printed ("0.450", not 0.45), alone or in (nested) lists.
        words: how a number is told where it was computed: by its name, a phrase with {} in its place.
        given: what the source computes them from, taken as it is: numbers as printed, or words.
        quoted: what a decision takes from others and nothing here computes: a `fact` or a `theorem`, in a
            sentence, and the `work` that it stands in. Its evidence is then "quoted", whatever else was done.
        kind: a statement, a definition or a method.
        needs: what a decision needs.
        text: what a text must have to be like the one that was counted, since another says nothing of the
            claim: `words`, the size of its vocabulary, with `positions` in a sequence where these count; and
            `by` "character" where it is of those.
        convention: how the claim was read, where it can be read in more than one way.
        why: why it is so, where checks of the suite alone decide it: they hold it and do not say. A
            computation of the ledger's own says it with what it finds.
        checks: ids of the checks of the suite and of the ledger's own computations that decide it.
        run_with: the command that decides it when what it needs is not there; "" for `leadterms claims ID`.
    """

    id: str
    source: str
    section: str
    topic: str
    statement: str
    stated: str
    checks: tuple[str, ...]
    numbers: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    quoted: Mapping[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    implied: str = ""
    kind: Kind = "statement"
    needs: Needs = "nothing"
    text: Mapping[str, Any] = field(default_factory=dict)
    convention: str = ""
    why: str = ""
    run_with: str = ""

    def told(self, name: str, shown: str) -> str:
        """Return a computed number for a reader: in the claim's words for it, else after its name."""
        return self.words.get(name, f"{name.replace('_', ' ')} {{}}").replace("{}", shown)

    def given_number(self, name: str) -> Fraction:
        """Return a number that the source gives, exactly as printed.

        Raises:
            KeyError: there is none.
        """
        return Fraction(decimal(self.given[name]))

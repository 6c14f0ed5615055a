"""`leadterms neighbours`: a word under the three maps, and the path through its roles."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from paper_checks import options
from paper_checks.visible import visible

if TYPE_CHECKING:
    from rich.console import Console

    from paper_checks.neighbourhood import Reproduced
    from paper_checks.published_agreement import Agreement


class RankingOption(StrEnum):
    """How neighbours are ranked."""

    raw = "raw"
    standardised = "standardised"


def neighbours(
    word: Annotated[str, typer.Argument(metavar="WORD", help="The word whose neighbours are asked for.")],
    corpus: options.CorpusFile = None,
    ranking: Annotated[
        RankingOption,
        typer.Option(help="raw: the statistic itself, common words first; standardised: without frequency."),
    ] = RankingOption.standardised,
    all_words: Annotated[
        bool, typer.Option("--all-words", help="Show function words and marks as well.")
    ] = False,
    context: Annotated[
        str | None,
        typer.Option(metavar="WORD", help="Show which roles carry this context to the word."),
    ] = None,
    top: Annotated[int, typer.Option(metavar="N", help="How many neighbours to show.")] = 10,
    vocab: options.VocabSize = None,
    length: options.Length = None,
    tokenizer: options.TokenizerName = "words",
    layout: options.Layout = options.LayoutOption.document,
    field: options.Field = options.DEFAULT_FIELD,
    seed: options.Seed = 0,
    json: options.JsonFile = None,
    quiet: options.Quiet = False,
) -> None:
    """List what follows a word, what can stand for it and what came before it, by a corpus's statistics.

    Example: leadterms neighbours fish --corpus stories.txt --vocab 3000 --length 200 --context pond
    """
    from gpu.terminal import terminal
    from paper_checks import neighbourhood, published_agreement
    from paper_checks.corpora import load_corpus
    from paper_checks.labelled import labelled
    from reference.errors import InputError

    if top < 1:
        raise InputError(f"--top is {top}; give 1 or more.")
    loaded = load_corpus(
        corpus,
        matrices=10,
        vocab_size=vocab,
        length=length,
        tokenizer_name=tokenizer,
        layout=layout.value,
        seed=seed,
        field=field,
    )
    for asked in (word, context):
        if asked is not None:
            loaded.number(asked)
    maps = neighbourhood.maps_of(loaded)
    found = neighbourhood.neighbours(loaded, maps, word, ranking.value, not all_words, top)
    roles, supported, whole = neighbourhood.path(loaded, maps, word, top)
    every = neighbourhood.reproduced(loaded, maps)
    lists = [one for one in every if one.published.word == word]
    carried = None if context is None else neighbourhood.propagated(loaded, maps, word, context, top)
    if json is not None:
        from dataclasses import asdict

        from paper_checks.finite import write_json

        whole_answer = {
            "corpus": {"name": loaded.name, "digest": loaded.digest},
            "word": word,
            "ranking": ranking.value,
            "neighbours": found,
            "roles": roles,
            "contexts_of_supporting_roles": supported,
            "contexts_of_all_roles": whole,
            "context": context,
            "propagated": None if carried is None else [carried[0], [asdict(term) for term in carried[1]]],
            "published": [asdict(one) | {"found": one.found} for one in lists],
            "agreement": [asdict(one) for one in published_agreement.agreements(every)],
        }
        write_json(json, whole_answer)

    console = terminal(quiet=quiet)
    console.print(f"{loaded.name}: '{visible(word)}', {ranking.value} ranking")
    console.print(labelled({kind: _above_zero(nearest) for kind, nearest in found.items()}))
    console.print("Through its roles to their contexts (Sigma_B Phi_bar, content words):")
    signs = " ".join(f"{visible(name)}{'+' if value > 0 else '-'}" for name, value in whole)
    by_roles = {
        "roles": " ".join(map(visible, roles)),
        "their contexts": _above_zero(supported),
        "with all roles": signs,
    }
    console.print(labelled(by_roles))
    if carried is not None:
        console.print(f"From '{context}' to '{word}': G_bar = {carried[0]:+.2e}, by the roles")
        console.print(labelled({visible(term.role): f"{term.part:+.2e}" for term in carried[1]}))
    if lists:
        _show_lists(console, lists)
    if every:
        _show_agreement(console, published_agreement.agreements(every))


def _show_agreement(console: Console, agreements: list[Agreement]) -> None:
    """Show how many of the published words each ranking finds, by source and map; the most of a row bold."""
    from rich.table import Table
    from rich.text import Text

    from paper_checks.neighbourhood import AMONG

    console.print(f"Published words among the first {AMONG} by each ranking, of all or of content words")
    rankings = sorted(agreements[0].found)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("source", "map"):
        table.add_column(column, no_wrap=True)
    for column in ("of", *(name.removesuffix(" words").replace(" of ", "\n") for name in rankings)):
        table.add_column(column, justify="right")
    for one in agreements:
        rows = dict(one.by_kind) if len(one.by_kind) == 1 else {**one.by_kind, "all": (one.found, one.of)}
        for kind, (found, of) in rows.items():
            most = max(found.values())
            cells = [Text(str(found[name]), "bold" if found[name] == most else "") for name in rankings]
            table.add_row(one.source, kind, str(of), *cells)
    console.print(table)
    for one in agreements:
        if one.unknown:
            console.print(f"{one.source}, not in this vocabulary: {one.unknown} of {one.of}")
        if one.never:
            console.print(f"{one.source}, by no ranking: {', '.join(one.never)}")


def _above_zero(nearest: list[tuple[str, float]]) -> str:
    """Return the words that score above zero: those below are the least unlikely, and no neighbours."""
    return " ".join(visible(name) for name, score in nearest if score > 0) or "(no word more than by chance)"


def _show_lists(console: Console, lists: list[Reproduced]) -> None:
    from rich.table import Table

    from paper_checks.neighbourhood import AMONG

    console.print(f"Published neighbours among the first {AMONG}, and the place of the last of them")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("map", "source", "words", "ranking", "among", "last"):
        table.add_column(column, justify="right" if column in ("among", "last") else "left")
    for one in lists:
        known = [place for place in one.places.values() if place is not None]
        table.add_row(
            one.published.kind,
            one.published.source,
            "content" if one.content_only else "all",
            one.ranking,
            f"{one.found}/{len(one.places)}",
            f"{max(known):,}" if known else "",
        )
    console.print(table)

"""`leadterms probe`: do words of one kind lie together, and would any words do so."""

from __future__ import annotations

from typing import Annotated

import typer

from paper_checks import options
from reference.errors import counted


def probe(
    corpus: options.CorpusArgument = None,
    draws: Annotated[int, typer.Option(metavar="N", help="Sets of other words, for chance.")] = 200,
    vocab: options.VocabSize = None,
    length: options.Length = None,
    tokenizer: options.TokenizerName = "words",
    layout: options.Layout = options.LayoutOption.document,
    field: options.Field = options.DEFAULT_FIELD,
    seed: options.Seed = 0,
    json: options.JsonFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Count how many of the ten nearest words of feelings, motion, animals and colours are of the same kind.

    Example: leadterms probe stories.txt --vocab 3000 --length 200
    """
    from rich.table import Table

    from gpu.terminal import terminal
    from paper_checks.category_probe import FEWEST_WORDS, PUBLISHED, probe_categories
    from paper_checks.corpora import load_corpus
    from paper_checks.progress import progress_bar
    from reference.categories import CATEGORIES
    from reference.errors import InputError

    if draws < 1:
        raise InputError(f"--draws is {draws}; give 1 or more.")
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
    with progress_bar(not quiet) as told:
        found = probe_categories(loaded, draws=draws, seed=seed, told=told)
    if not found:
        raise InputError(
            f"Of no kind of words does {loaded.name} have {FEWEST_WORDS} or more among its "
            f"{loaded.vocab_size:,} words, so there is nothing to count; give a longer text or a larger "
            "--vocab. The words are listed in reference/categories.py."
        )
    if json is not None:
        from dataclasses import asdict

        from paper_checks.finite import write_json

        write_json(json, [asdict(one) for one in found])
    console = terminal(quiet=quiet)
    console.print(
        f"{loaded.name}: {counted(loaded.sequences, 'sequence')}, {counted(loaded.vocab_size, 'word')}"
    )
    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    table.title = "Of the ten nearest words, those of the same kind"
    for column in ("map", "kind", "words", "rate", "chance", "(n-1)/(V-1)", "p", "published"):
        table.add_column(column, justify="left" if column in ("map", "kind") else "right")
    for one in found:
        published = PUBLISHED.get(one.category) if one.map == "Sigma_B" else None
        table.add_row(
            one.map,
            one.category,
            str(one.hits.members),
            f"{one.hits.rate:.1%}",
            f"{one.hits.chance:.1%}",
            f"{one.hits.uniform:.1%}",
            f"{one.hits.p_value:.3f}",
            "" if published is None else f"{published:.1%}",
        )
    console.print(table)
    console.print(
        f"chance: {draws} sets of words with frequencies like the members', seed {seed}. p: the share "
        f"of them with as many hits, itself counted, at least {1 / (draws + 1):.3f}. The published lists of "
        "words are not known; these are in reference/categories.py."
    )
    shown = {one.category for one in found}
    if few := [category for category in CATEGORIES if category not in shown]:
        console.print(f"Left out, with fewer than {FEWEST_WORDS} words in this vocabulary: {', '.join(few)}.")

"""`leadterms explain`: a sentence through the one-layer model, each token's supply and demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from paper_checks import options
from paper_checks.visible import visible
from reference.errors import counted

if TYPE_CHECKING:
    import numpy as np
    from rich.console import Console

    from paper_checks.explained import Read
    from reference.corpus import Corpus


def explain(
    sentence: Annotated[str, typer.Argument(metavar="SENTENCE", help="What the model has read.")],
    target: Annotated[
        str | None,
        typer.Option(metavar="WORD", help="The next word to explain; the likeliest by default."),
    ] = None,
    rate: Annotated[float, typer.Option(metavar="ETA", help="The learning rate.")] = 0.005,
    steps: Annotated[int, typer.Option(metavar="S", help="Full-batch steps from zero.")] = 320,
    top: Annotated[int, typer.Option(metavar="N", help="How many next words to show.")] = 5,
    corpus: options.CorpusFile = None,
    vocab: options.VocabSize = None,
    length: options.Length = None,
    tokenizer: options.TokenizerName = "words",
    layout: options.Layout = options.LayoutOption.document,
    seed: options.Seed = 0,
    json: options.JsonFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Show what each word of a sentence adds to the logits of the next, by the leading terms of a corpus.

    Example: leadterms explain "once upon a time , there was a small pond . in the" --target pond
    """
    from gpu.terminal import terminal
    from paper_checks.corpora import load_corpus
    from paper_checks.explained import read
    from paper_checks.prediction.setting import Setting
    from reference.errors import InputError
    from reference.tokenizers import tokenizer as named

    setting = Setting(rate, steps, 1, 1, 1)
    if top < 1:
        raise InputError(f"--top is {top}; give 1 or more.")
    loaded = load_corpus(
        corpus,
        matrices=12,
        vocab_size=vocab,
        length=length,
        tokenizer_name=tokenizer,
        layout=layout.value,
        seed=seed,
    )
    found = read(loaded, named(tokenizer)(sentence), setting.rate, setting.steps)
    ranked = [int(i) for i in (-found.parts.logits).argsort(kind="stable")]
    chosen = ranked[0] if target is None else loaded.number(target)
    if json is not None:
        from paper_checks.finite import write_json

        write_json(json, _as_json(found, loaded, chosen, rate, steps))
    console = terminal(quiet=quiet)
    _show_next(console, found, loaded, ranked[:top])
    _show_tokens(console, found, loaded, chosen)
    raise typer.Exit(0 if found.adds_up else 1)


def _show_next(console: Console, found: Read, corpus: Corpus, ranked: list[int]) -> None:
    from rich.table import Table

    console.print(
        f"{corpus.name}: {counted(corpus.sequences, 'sequence')}, {counted(corpus.vocab_size, 'word')}. "
        f"One layer, W_O = {found.amounts['W_O']:.4g} B_bar, V = {found.amounts['V']:.4g} Phi_bar^T B_bar^T, "
        f"W = {found.amounts['W']:.4g} Q_bar, P = {found.amounts['P']:.4g} Delta_bar.",
    )
    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    table.title = f"After '{visible(found.words[-1])}', the largest logits"
    for column in ("next word", "from the last word", "from attention", "logit"):
        table.add_column(column, justify="left" if column == "next word" else "right")
    for j in ranked:
        added = float(found.parts.contributions[:, j].sum())
        numbers = (float(found.parts.current[j]), added, float(found.parts.logits[j]))
        table.add_row(visible(corpus.vocabulary[j]), *(f"{number:+.3e}" for number in numbers))
    console.print(table)


def _show_tokens(console: Console, found: Read, corpus: Corpus, j: int) -> None:
    from rich.table import Table

    parts, n = found.parts, len(found.words)
    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    table.title = f"The logit of '{visible(corpus.vocabulary[j])}': each word's supply, and the demand for it"
    table.add_column("word")
    for column in ("demand: words", "distance", "attention", "minus 1/n", "message", "adds"):
        table.add_column(column, justify="right")
    for k, word in enumerate(found.words):
        table.add_row(
            visible(word),
            f"{parts.demand_by_token[k]:+.1e}",
            f"{parts.demand_by_distance[k]:+.1e}",
            f"{parts.attention[k]:.4f}",
            f"{parts.attention[k] - 1 / n:+.1e}",
            f"{parts.messages[k, j]:+.2e}",
            f"{parts.contributions[k, j]:+.3e}",
        )
    table.add_row(
        "all of them", "", "", f"{parts.attention.sum():.4f}", "", "", _sum(parts.contributions[:, j])
    )
    table.add_row(f"'{visible(found.words[-1])}' alone", "", "", "", "", "", f"{parts.current[j]:+.3e}")
    table.add_row("logit", "", "", "", "", "", f"{parts.logits[j]:+.3e}")
    console.print(table)
    console.print(
        f"minus 1/n: the attention beyond an even share among the {counted(n, 'word')} that "
        f"{'is' if n == 1 else 'are'} read."
    )
    apart = float(abs(parts.logits - found.logits).max())
    verdict = "They add up to" if found.adds_up else "They do NOT add up to"
    console.print(
        f"{verdict} the logits of the model's forward pass: {apart:.1e} apart at most, "
        f"{found.bound.max():.1e} admitted for rounding."
    )


def _sum(values: np.ndarray) -> str:
    return f"{values.sum():+.3e}"


def _as_json(found: Read, corpus: Corpus, j: int, rate: float, steps: int) -> dict[str, Any]:
    parts = found.parts
    return {
        "corpus": {"name": corpus.name, "digest": corpus.digest},
        "rate": rate,
        "steps": steps,
        "amounts": found.amounts,
        "words": list(found.words),
        "target": corpus.vocabulary[j],
        "current": float(parts.current[j]),
        "demand_by_token": parts.demand_by_token.tolist(),
        "demand_by_distance": parts.demand_by_distance.tolist(),
        "attention": parts.attention.tolist(),
        "messages": parts.messages[:, j].tolist(),
        "contributions": parts.contributions[:, j].tolist(),
        "logit": float(parts.logits[j]),
        "logit_of_forward_pass": float(found.logits[j]),
        "bound": float(found.bound[j]),
        "adds_up": found.adds_up,
    }

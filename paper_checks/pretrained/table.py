"""A study as tables for the terminal, 80 columns wide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gpu.pretrained.alignment import KINDS, LayerAlignment
from gpu.pretrained.circuits import MOST_VARIANCE, directions_for
from gpu.pretrained.covariances import REMOVED, less
from paper_checks.pretrained.experiment import middle, shown
from paper_checks.pretrained.pythia_claims import counted, medians
from paper_checks.pretrained.study import Checkpoint, Comparison, Study

# Cosines without the theory's first directions.
LESS = tuple(less(removed) for removed in REMOVED if removed)
# Heads that are listed, the highest first.
HEADS_SHOWN = 8


def show(study: Study, decided: Sequence[dict[str, Any]], left_out: Sequence[str], console: Console) -> None:
    """Print the cosines, the heads, what each claim comes to, and what was left out."""
    sizes = study.sizes
    console.print(
        Text(
            f"{study.model}: {sizes.kind}, {sizes.layers} layers of {sizes.heads} heads, width "
            f"{sizes.width}, {sizes.vocab_size:,} tokens; seed {study.seed}, {study.device}",
            style="bold",
        )
    )
    if study.comparison is not None:
        _show_comparison(study.comparison, console)
    else:
        console.print(
            Text("Left out: the comparison with the theory, which needs --corpus FILE.", style="dim")
        )
    console.print(Text(_about_heads(study)))
    console.print(_heads(study))
    for one in decided:
        if "holds" in one:
            verdict = "holds" if one["holds"] else "refuted"
            console.print(Text(f"{one['name']}: {verdict}. {one['computed']}. {one['why']}"))
    for sentence in left_out:
        console.print(Text(f"Left out: {sentence}", style="dim"))


def _show_comparison(found: Comparison, console: Console) -> None:
    corpus = found.corpus
    console.print(
        Text(
            f"{corpus['name']}: {corpus['sequences']:,} sequences of {corpus['length']} positions. Compared "
            f"are its {found.tokens:,} most frequent tokens, in the statistics of the whole vocabulary; "
            f"{found.megabytes:,.0f} MB besides the model's weights."
        )
    )
    turned = ", ".join(f"{_words(name)} {shown(value)}" for name, value in found.orientation.items())
    console.print(
        Text(
            f"Cosines of covariances of tokens; medians of attention leave out layer 0. Q_bar "
            f"[query, key] and its transpose have: {turned}."
        )
    )
    for one in found.checkpoints:
        console.print(_cosines(one, found))


def _words(name: str) -> str:
    """Return the name of a cosine in words: full, less 10 directions."""
    number = name.removeprefix("less_")
    return name if number == name else f"less {number} direction{'s' * (number != '1')}"


def _cosines(checkpoint: Checkpoint, found: Comparison) -> Table:
    """Return a row a layer, and below the medians with their controls."""
    table = Table(
        box=None, pad_edge=False, header_style="bold", title=checkpoint.revision, title_justify="left"
    )
    table.add_column("layer", no_wrap=True)
    for column in ("attention", "its heads", "without MLP", "output"):
        table.add_column(column, justify="right", no_wrap=True)
    for number, layer in enumerate(checkpoint.layers):
        cells = [shown(getattr(layer, kind)["full"]) for kind in KINDS]
        table.add_row(str(number), cells[0], _range(layer), *cells[1:])
    layers = checkpoint.layers
    rows = [
        ("median", medians(layers)),
        *((f"  {_words(name)}", medians(layers, name)) for name in LESS),
        ("random weights", medians(found.untrained)),
        *((f"  {_words(name)}", medians(found.untrained, name)) for name in LESS),
        ("shuffled corpus", medians(layers, "shuffled")),
        (f"  {_words(LESS[0])}", medians(layers, f"shuffled_{LESS[0]}")),
        ("best rank one", found.best_rank_one),
    ]
    for name, values in rows:
        cells = [shown(values[kind]) for kind in KINDS]
        table.add_row(name, cells[0], "", *cells[1:], style="bold" if name == "median" else "dim")
    for name, which in (("Q_bar transposed", "transposed"), ("as the heads read it", "as_read")):
        table.add_row(name, shown(_attention(layers, which)), "", "", "", style="dim")
    return table


def _attention(layers: list[LayerAlignment], which: str) -> float | None:
    return middle([one.attention[which] for one in counted(layers, "attention")])


def _range(layer: LayerAlignment) -> str:
    known = [value for value in layer.heads if value is not None]
    return f"{min(known):.3f} to {max(known):.3f}" if known else "none"


def _heads(study: Study) -> Table:
    """Return the heads with the highest induction scores or weights on the token before."""
    found = study.circuits
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("head", "previous", "induction", "first"):
        table.add_column(column, justify="right", no_wrap=True)
    every = [
        (f"{layer}.{head}", one)
        for layer, heads in enumerate(found.behaviour)
        for head, one in enumerate(heads)
    ]
    ranked = sorted(every, key=lambda pair: -max(pair[1].induction, pair[1].previous))
    for name, one in ranked[:HEADS_SHOWN]:
        table.add_row(name, shown(one.previous), shown(one.induction), shown(one.first))
    return table


def _about_heads(study: Study) -> str:
    found = study.circuits
    counts = [
        f"{directions_for(shares, MOST_VARIANCE)} of {len(shares)} directions for {name}"
        for name, shares in found.spectra.items()
    ]
    return (
        f"Heads at {study.revisions[-1]}, the highest {HEADS_SHOWN}, on random tokens with a period of "
        f"{found.period}; uniform attention scores {shown(found.uniform_induction)} for induction. "
        f"{MOST_VARIANCE:.0%} of an embedding's variance lies in {', '.join(counts)}."
    )

"""`leadterms pretrained`: a pretrained model's maps beside the theory of a corpus, and its heads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paper_checks import options

DEFAULT_LENGTH, DEFAULT_TOKENS = 128, 3000


def pretrained(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A folder, or a name on the Hugging Face hub: OWNER/MODEL.")
    ],
    revision: Annotated[
        list[str] | None,
        typer.Option(
            metavar="R",
            help="A checkpoint: a branch on the hub, such as step512, or a subfolder; may be repeated.",
        ),
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The text to compare with; the heads alone without one."),
    ] = None,
    vocab: Annotated[
        int, typer.Option("--vocab", metavar="V", help="Compare the V most frequent tokens of the corpus.")
    ] = DEFAULT_TOKENS,
    length: Annotated[
        int, typer.Option("--length", metavar="T", help="Predicted positions.")
    ] = DEFAULT_LENGTH,
    layout: options.Layout = options.LayoutOption.document,
    tokenizer: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A tokenizers .json; the model's own by default.")
    ] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda or cuda:NUMBER.")] = "cpu",
    seed: Annotated[
        int, typer.Option(min=0, help="Of random tokens, random weights and the shuffled corpus.")
    ] = 0,
    json: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", help="Write JSON lines, for `leadterms claims --experiments`."
        ),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Compare a pretrained model with the theory's covariances, and examine its heads.

    GPT-NeoX, Llama-type and GPT-2 models through transformers, attention-only models of TransformerLens from
    a folder, in float32. Memory: the weights, 48 V^2 bytes, and the stream of V tokens at every layer.

    Example: leadterms pretrained EleutherAI/pythia-1.4b --revision step512 --corpus web.txt --json out.jsonl
    """
    from gpu.terminal import terminal
    from paper_checks.provenance import has_torch
    from reference.atomic_files import write_text
    from reference.errors import InputError

    if not has_torch():
        raise InputError("leadterms pretrained needs torch; run: pip install 'leadterms[gpu,hub]'.")
    from paper_checks.pretrained.study import CorpusOptions, study
    from paper_checks.pretrained.table import show
    from paper_checks.pretrained.told import as_text, claims_by_id, experiments
    from paper_checks.progress import progress_bar

    if vocab < 2:
        raise InputError(f"A covariance needs two tokens or more; --vocab is {vocab}.")
    text = None
    if corpus is not None:
        text = CorpusOptions(corpus, length, layout.value, tokenizer, vocab)
    with progress_bar(not quiet) as progress:
        found = study(model, revision or [], text, device=device, seed=seed, told=progress)
    decided, left_out = experiments(found, claims_by_id())
    if json is not None:
        write_text(json, as_text(found, decided))
    show(found, decided, left_out, terminal(quiet=quiet))

"""`leadterms story`: what the statistics see in one story of a corpus."""

from __future__ import annotations

from typing import Annotated

import typer

from paper_checks import options
from paper_checks.visible import visible


def story(
    corpus: options.CorpusArgument = None,
    index: Annotated[int, typer.Option(metavar="N", help="Which sequence, from 0.")] = 0,
    having: Annotated[
        str | None, typer.Option("--find", metavar="WORDS", help="The first sequence with these words.")
    ] = None,
    word: Annotated[
        str | None, typer.Option(metavar="WORD", help="Whose occurrences; the most repeated one by default.")
    ] = None,
    rate: Annotated[float, typer.Option(metavar="ETA", help="The learning rate.")] = 0.005,
    steps: Annotated[int, typer.Option(metavar="S", help="Full-batch steps from zero.")] = 320,
    layers: Annotated[int, typer.Option(metavar="L", help="Layers of the model.")] = 3,
    top: Annotated[int, typer.Option(metavar="N", help="How many words and transitions to show.")] = 6,
    vocab: options.VocabSize = None,
    length: options.Length = None,
    tokenizer: options.TokenizerName = "words",
    layout: options.Layout = options.LayoutOption.document,
    field: options.Field = options.DEFAULT_FIELD,
    seed: options.Seed = 0,
    json: options.JsonFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Show which earlier words support a story's later ones, its skeleton, and its score maps by layer.

    Example: leadterms story stories.txt --vocab 3000 --length 200 --find "a small pond" --word fish
    """
    from gpu.terminal import terminal
    from paper_checks import story_reading
    from paper_checks.corpora import load_corpus
    from paper_checks.fastest import pair_sums_of
    from paper_checks.neighbourhood import maps_of
    from paper_checks.prediction.facts import SEQUENCES_FOR_CORRECTIONS
    from paper_checks.prediction.setting import Setting
    from properties.predictions.expansion import expansion
    from reference.errors import InputError
    from reference.tokenizers import tokenizer as named

    Setting(rate, steps, layers, 1, 1)
    if top < 1:
        raise InputError(f"--top is {top}; give 1 or more.")
    loaded = load_corpus(
        corpus,
        matrices=36,
        vocab_size=vocab,
        length=length,
        tokenizer_name=tokenizer,
        layout=layout.value,
        seed=seed,
        field=field,
    )
    n = index if having is None else story_reading.find(loaded, named(tokenizer)(having))
    if not 0 <= n < loaded.sequences:
        raise InputError(f"--index is {n}; give 0 to {loaded.sequences - 1}.")
    asked = story_reading.most_repeated(loaded, n) if word is None else word
    maps = maps_of(loaded)
    found = story_reading.evidence(loaded, maps, n, asked, top)
    bones = story_reading.skeleton(loaded, maps, n, top)
    some = loaded.tokens[:SEQUENCES_FOR_CORRECTIONS]
    W = expansion(some, loaded.vocab_size, pair_sums_of())["W"]
    seen = story_reading.score_maps(loaded, n, W, rate=rate, steps=steps, layers=layers)
    if json is not None:
        from dataclasses import asdict

        from paper_checks.finite import write_json

        whole = {
            "corpus": {"name": loaded.name, "digest": loaded.digest},
            "sequence": n,
            "word": asked,
            "evidence": [asdict(one) for one in found],
            "skeleton": [asdict(one) for one in bones],
            "score_maps": asdict(seen),
        }
        write_json(json, whole)
    console = terminal(quiet=quiet)
    text = " ".join(visible(loaded.vocabulary[x]) for x in loaded.tokens[n])
    console.print(f"{loaded.name}, sequence {n}: {text}")
    console.print(
        f"Earlier words of this story that support '{visible(asked)}' (+ or -: the sign of Phi_bar):"
    )
    for one in found:
        words = " ".join(f"{visible(name)}{'+' if raw > 0 else '-'}" for name, _, raw in one.words)
        console.print(f"  at {one.position:4}  {words or 'none'}")
    pairs = ", ".join(f"'{visible(one.first)} {visible(one.second)}'" for one in bones)
    console.print(f"Transitions that W_O supports most, first {story_reading.FIRST_TOKENS} tokens: {pairs}")
    if seen.largest == 0:
        console.print("Scores have not moved: the story, or the corpus, gives attention nothing to learn.")
        return
    console.print(
        f"Score maps after {steps} steps at rate {rate:g}, before the softmax, rows less their means: rms "
        f"{seen.rms:.1e}, largest {seen.largest:.1e}; the least cosine of two of {layers} layers is 1 - "
        f"{1 - seen.least_cosine:.1e}."
    )

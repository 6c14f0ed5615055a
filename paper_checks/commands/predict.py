"""`leadterms predict`: what a run would show, computed from its corpus, beside what was published."""

from __future__ import annotations

from typing import Annotated

import typer

from paper_checks import options
from paper_checks.prediction import NOISE_GROUPS
from paper_checks.reproduction.plan import PUBLISHED

# Of the published run (toy-model, 5): sequences of a batch, which its statistics are of, and in all.
PUBLISHED_SAMPLE, PUBLISHED_TRAINING = PUBLISHED["batch"], PUBLISHED["sequences"]


def predict(
    corpus: options.CorpusArgument = None,
    rate: Annotated[float, typer.Option(metavar="ETA", help="The learning rate.")] = 0.005,
    steps: Annotated[int, typer.Option(metavar="S", help="Full-batch steps from zero.")] = 320,
    layers: Annotated[int, typer.Option(metavar="L", help="Layers of the model.")] = 3,
    statistics_sample: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Sequences that the statistics are computed on; those of the published run, "
            f"{PUBLISHED_SAMPLE:,}, or all that are trained on if fewer, by default.",
        ),
    ] = None,
    training_sample: Annotated[
        int | None,
        typer.Option(
            metavar="M",
            help="Sequences trained on; those of the published run, "
            f"{PUBLISHED_TRAINING:,}, or as many as N if more, by default.",
        ),
    ] = None,
    disjoint: Annotated[
        bool, typer.Option("--disjoint", help="The statistics' sequences are not among those trained on.")
    ] = False,
    entry: Annotated[
        list[str] | None,
        typer.Option(metavar="'W_O FIRST SECOND'", help="Predict an entry of W_O, V or W, by its two words."),
    ] = None,
    groups: Annotated[
        int, typer.Option(metavar="K", help="Random groups that the sampling noise is measured with.")
    ] = NOISE_GROUPS,
    published: Annotated[
        bool, typer.Option("--published", help="Show published numbers of runs of other sizes too.")
    ] = False,
    vocab: options.VocabSize = None,
    length: options.Length = None,
    tokenizer: options.TokenizerName = "words",
    layout: options.Layout = options.LayoutOption.document,
    field: options.Field = options.DEFAULT_FIELD,
    seed: options.Seed = 0,
    json: options.JsonFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Predict norms, cosines, losses and effects of a run without training anything.

    Example: leadterms predict stories.txt --vocab 3000 --length 200 --rate .005 --steps 320 --layers 3
    """
    from gpu.terminal import terminal
    from paper_checks.corpora import load_corpus
    from paper_checks.prediction.comparison import compare
    from paper_checks.prediction.entries import default_entries, read_entry
    from paper_checks.prediction.facts import gather
    from paper_checks.prediction.forecast import forecast
    from paper_checks.prediction.setting import Setting
    from paper_checks.prediction.table import show
    from paper_checks.prediction.told import as_json
    from paper_checks.progress import progress_bar

    if training_sample is None:
        training_sample = max(PUBLISHED_TRAINING, statistics_sample or 0)
    if statistics_sample is None:
        statistics_sample = min(PUBLISHED_SAMPLE, training_sample)
    setting = Setting(rate, steps, layers, statistics_sample, training_sample, nested=not disjoint)
    loaded = load_corpus(
        corpus,
        matrices=40,
        vocab_size=vocab,
        length=length,
        tokenizer_name=tokenizer,
        layout=layout.value,
        seed=seed,
        field=field,
    )
    asked = [read_entry(text, loaded) for text in entry or ()]
    entries = tuple(dict.fromkeys([*asked, *default_entries(loaded)]))
    with progress_bar(not quiet) as told:
        facts = gather(
            loaded,
            sample=statistics_sample,
            groups=groups,
            evaluated_on=setting.evaluated_on,
            seed=seed,
            told=told,
        )
    predictions, compared = forecast(facts, setting, entries), compare(facts)
    if json is not None:
        from paper_checks.finite import write_json

        write_json(json, as_json(facts, setting, predictions, compared))
    show(terminal(quiet=quiet), facts, setting, predictions, compared, of_other_sizes=published)

"""What the attention chapter concludes, counts and refers to, counted again."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np

from paper_checks.ledger.book import tables
from paper_checks.ledger.claim import Claim
from paper_checks.ledger.decisions.ablation_effects import MODEL, by_layer
from paper_checks.ledger.decisions.random_heads import of_model
from paper_checks.ledger.finding import Finding, NotGiven, by_readings, compared, judged
from paper_checks.ledger.printed import fraction, fractions
from paper_checks.ledger.registry import decides
from paper_checks.ledger.runs import DIFFER_LESS, against_runs, agreed, of_like_contexts, poem_runs
from paper_checks.ledger.setting import Setting
from properties.tolerances import ELEMENTARY_ULPS, rounding
from reference.model import loss, zero_parameters
from theory import baselines

MILLION = 10**6
BILLION = 10**9


@decides("chance-800")
def false_positives(claim: Claim, setting: Setting) -> Finding:
    """Multiply; beside it, how likely at least one is among the smaller number of heads."""
    heads, level = fractions([claim.given["heads"], claim.given["level"]])
    fewer = int(claim.given["layers"]) * int(claim.given["heads_a_layer"])
    one = 1 - (1 - level) ** fewer
    return compared(
        claim,
        {"by_chance": heads * level, "heads": fewer},
        derivation=f"Means add up, independent or not. Among {fewer} independent heads at least one shows it "
        f"with probability 1 - {float(1 - one):.0e}.",
    )


@decides("ablation-confirms-bigram")
def effect_and_pattern(claim: Claim, setting: Setting) -> Finding:
    """Order the first layer's heads by effect and by pattern, and see what a bigram table needs."""
    table = tables()[MODEL]
    heads: list[str] = table["heads"]
    effects = by_layer(fractions(table["ablation"]["effect"]))[0]
    previous = by_layer(fractions(table["profile"]["previous"]))[0]
    orders = [
        [heads[k] for k in sorted(range(len(values)), key=values.__getitem__, reverse=True)]
        for values in (effects, previous)
    ]
    least = orders[1][-1]
    share = effects[heads.index(least)] / max(effects)
    return judged(
        orders[0] == orders[1],
        f"heads by cost {', '.join(orders[0])}; by previous-token weight {', '.join(orders[1])}",
        derivation=f"{least}, which sees the previous character least, costs {float(share):.0%} of the most: "
        "a cost says that a head matters, not what it does."
        f"{' Nor does a bigram table need a head: W_O alone holds it.' * bigram_needs_no_head()}",
    )


def bigram_needs_no_head() -> bool:
    """Return whether W_O = log P(next | current), with V = 0, has the loss of the bigram table itself."""
    tokens = np.array([[0, 1, 0, 2, 1, 0], [1, 2, 2, 0, 1, 0]])
    current, following = tokens[:, :-1].ravel(), tokens[:, 1:].ravel()
    counts = np.zeros((3, 3))
    np.add.at(counts, (current, following), 1)
    shares = (counts + 1) / (counts + 1).sum(axis=1, keepdims=True)
    model = zero_parameters(3, tokens.shape[1] - 1, layers=1)
    model["W_O"] = np.log(shares)
    expected = float(-np.log(shares[current, following]).mean())
    bound = rounding(expected, tokens.size + len(counts) + 4 * ELEMENTARY_ULPS, "float64")
    return abs(loss(model, tokens) - expected) <= float(bound)


@decides("l0h1-39x")
def weight_over_baseline(claim: Claim, setting: Setting) -> Finding:
    """Divide by the measured baseline and by the closed form."""
    weight, untrained = fractions([claim.given["weight"], claim.given["untrained"]])
    exact = fraction(baselines.mean_previous(of_model("length")))
    return by_readings(
        claim,
        {
            "the printed weight of untrained heads": {"ratio": weight / untrained},
            "the closed form (H_T - 1)/T": {"ratio": weight / exact},
        },
        derivation=f"{claim.given['weight']} over {claim.given['untrained']}, or over {float(exact):.4f}.",
    )


@decides("l0h1-pool-mixup")
def mean_of_one_sentence(claim: Claim, setting: Setting) -> Finding:
    """Bound the sentence's mean by the rows that are printed of it."""
    printed, (mean,) = fractions(claim.given["printed"]), fractions([claim.given["mean"]])
    rows, known = int(claim.given["characters"]), sum(printed, Fraction(0))
    unknown = rows - 1 - len(printed)
    low, high = known / rows, (known + unknown) / rows
    told = f"a mean of {float(low):.2f} to {float(high):.2f}; the {len(printed)} printed rows average "
    told += f"{float(known / len(printed)):.3f}"
    if not low <= mean <= high:
        return judged(False, told, derivation="No values of the other rows give that mean.")
    needed = (mean * rows - known) / unknown
    return Finding(
        "inconclusive",
        "quoted",
        told,
        derivation=f"{claim.given['mean']} is given as the mean over {of_model('positions')} positions of "
        f"{of_model('poems')} poems; for this sentence it needs {float(needed):.2f} on average in {unknown} "
        "rows that are not printed.",
    )


def block_parameters(width: int) -> int:
    """Return the weights, biases and normalisations of a block."""
    return 12 * width**2 + 13 * width


@decides("parameter-count")
def parameters(claim: Claim, setting: Setting) -> Finding:
    """Count them with the embedding shared, apart, and left out."""
    (characters,) = fractions([tables()[MODEL]["model"]["characters"]])
    width, layers = of_model("width"), of_model("layers")
    body = layers * block_parameters(width) + 2 * width + of_model("context") * width
    embedding = int(characters) * width
    counts = {
        "an embedding that the output shares": body + embedding,
        "embedding and output apart": body + 2 * embedding,
        "neither counted": body,
    }
    (elsewhere,) = fractions([claim.given["elsewhere"]])
    return by_readings(
        claim,
        {words: {"millions": Fraction(count, MILLION)} for words, count in counts.items()},
        derivation=f"{layers} blocks, {of_model('context')} positions and {int(characters)} characters of "
        f"width {width}: {', '.join(f'{count:,}' for count in counts.values())}. {int(elsewhere):,} is "
        f"{float(elsewhere / max(counts.values())):.1f} times the largest.",
    )


@decides("deep-variants-params")
def deep_variants(claim: Claim, setting: Setting) -> Finding:
    """Count the blocks at the chapter's width, and the widest model that stays below."""
    (below,), (characters,) = (
        fractions([one]) for one in (claim.given["below"], tables()[MODEL]["model"]["characters"])
    )
    depths = [int(one) for one in claim.given["layers"]]

    def total(layers: int, width: int) -> int:
        return layers * block_parameters(width) + int(characters) * width

    counts = [total(layers, of_model("width")) for layers in depths]
    widest = [max(w for w in range(1, int(characters)) if total(layers, w) < below) for layers in depths]
    return judged(
        max(counts) < below,
        ", ".join(f"{count / MILLION:.1f}" for count in counts) + " million parameters",
        derivation="Layers times 12 d^2 + 13 d, and the shared embedding; to stay below, the widths could be "
        f"at most {', '.join(map(str, widest))}.",
    )


@decides("attn-memory")
def size_of_maps(claim: Claim, setting: Setting) -> Finding:
    """Multiply."""
    context, heads, size, layers = (
        int(claim.given[name]) for name in ("context", "heads", "bytes", "layers")
    )
    total = context**2 * heads * size
    return compared(
        claim,
        {"gigabytes": Fraction(total, BILLION), "heads": layers * heads, "pairs": comb(heads, 2)},
        derivation=f"{context}^2 x {heads} x {size} = {total:,} bytes, {total / 2**30:g} GiB.",
    )


@decides("context-8-to-128")
def longer_contexts(claim: Claim, setting: Setting) -> Finding:
    """Compare losses by context length, run by run.

    A run of the experiment `poems.context` has `loss`, test losses in nats a character by context length.

    Raises:
        NotGiven: it was not run with these lengths.
    """
    runs = poem_runs(setting, "poems.context", ("layers", "heads", "width"))
    losses = [run["loss"] for run in runs]
    short, middle, long = claim.given["contexts"]
    if any({short, middle, long} - set(one) for one in losses):
        raise NotGiven(f"the experiment 'poems.context' with contexts of {short}, {middle} and {long}")
    lower = [one[short] - one[long] for one in losses]
    worse = [one[middle] > one[short] for one in losses]
    told = f"Of {len(losses)} runs {sum(worse)} have a higher loss with {middle} than with {short}."
    rises = agreed(worse)
    if rises == "holds":
        finding = against_runs(claim, {"lower": lower}, told)
    else:
        finding = Finding(rises, "measured", told, derivation=told, missing=DIFFER_LESS)
    return of_like_contexts(finding, runs, short, long)


@decides("section-references")
def references(claim: Claim, setting: Setting) -> Finding:
    """Look every reference up among the headings, and count the traps."""
    headings: dict[str, str] = tables()["attention-chapter"]["headings"]
    place = {subject: number for number, subject in headings.items()}
    wrong = [(said, place[meant]) for said, meant in claim.given["references"] if place[meant] != said]
    missing = [said for said, _ in wrong if said not in headings]
    traps = sum(subject.startswith("trap:") for subject in headings.values())
    return judged(
        not wrong and traps == int(claim.given["traps"]),
        f"{len(wrong)} of {len(claim.given['references'])} references lead elsewhere: "
        + ", ".join(f"{said} is {right}" for said, right in wrong)
        + f"; {traps} traps",
        evidence="quoted",
        derivation=f"Headings compared by what they are about; {', '.join(missing)} do not exist. The traps "
        "go on under later headings.",
    )


@decides("papers-nine")
def reading_list(claim: Claim, setting: Setting) -> Finding:
    """Count the papers of all entries, each once."""
    entries: dict[str, list[str]] = tables()["attention-chapter"]["reading"]
    papers = {paper for entry in entries.values() for paper in entry}
    again = [number for number, entry in entries.items() if len(entry) > 1]
    return compared(
        claim,
        {"papers": len(papers)},
        evidence="quoted",
        derivation=f"Of {len(entries)} entries, number {', '.join(again)} goes over two of the others again.",
    )

"""Induction by rule and by hand-set weights: what is matched and attended to, how many layers it takes."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.constructions import induction
from paper_checks.ledger.finding import Finding, by_readings, judged
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting

SYMBOLS = 8
LENGTH = 24
PERIOD = 6
REPEATS = 4

# Four sequences that end in the same token: b followed it in two of them, c in the other two. Both pairs have
# the same tokens at the same positions.
WANT_B = ("abdca", "dcaba")
WANT_C = ("acdba", "dbaca")


@cache
def random_case(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return random tokens [N, T+1], and what induction predicts [N, T] where the current one is not new."""
    tokens = induction.unrelated(seed, SYMBOLS, LENGTH)
    return tokens, induction.wanted(tokens)


@cache
def repeated_case(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return copies of random blocks [N, T+1], and what comes next [N, T] from the second copy on."""
    tokens = induction.repeated(seed, SYMBOLS, PERIOD, REPEATS)
    return tokens, induction.wanted(tokens)


def attended(x: list[int], key: str, offset: int) -> int | None:
    """Return the token at the latest position whose previous token matches, moved by `offset`.

    Args:
        x: the tokens up to the current one.
        key: "current" to match x_i, "previous" to match x_{i-1}.
        offset: how far behind the match the head attends.
    """
    i = len(x) - 1
    if i == 0:
        return None
    # The position itself has x_{i-1} before it: as a match for the current token it counts, for x_{i-1} not.
    wanted, end = (x[i], i + 1) if key == "current" else (x[i - 1], i)
    matches = [p for p in range(1, end) if x[p - 1] == wanted]
    if not matches:
        return None
    at = matches[-1] + offset
    return x[at] if at <= i else None


def rule_accuracy(tokens: np.ndarray, right: np.ndarray, key: str, offset: int) -> float:
    """Return the share of the positions [N, T] with an answer where the rule finds it."""
    hits = [
        attended(list(x[: t + 1]), key, offset) == right[n, t]
        for n, x in enumerate(tokens)
        for t in range(right.shape[1])
        if right[n, t] >= 0
    ]
    return float(np.mean(hits))


@decides("induction-definition", tried="drawn sequences")
def rule_on_random_tokens(claim: Claim, setting: Setting) -> Finding:
    """Hold a model with hand-set weights to the definition on random tokens, which it leaves no choice."""
    tokens, right = random_case(setting.seed)
    model = induction.two_layers(SYMBOLS, LENGTH, latest=True)
    share = induction.model_accuracy(model, tokens, right)
    return judged(
        share == 1,
        f"the rule holds at {share:.0%} of {int((right >= 0).sum())} positions with an earlier occurrence",
        evidence="property",
        derivation="Where x_i occurred before, the latest j and so x_{j+1} are unique; elsewhere nothing is "
        "predicted. A model of two layers with hand-set weights follows the rule on random tokens.",
    )


@decides("induction-discovery-year")
def first_description(claim: Claim, setting: Setting) -> Finding:
    """Take the year of the earliest work that describes them, and of the one that the chapter cites."""
    described, cited = (int(claim.given[name]) for name in ("described", "cited"))
    return by_readings(
        claim,
        {
            "the first publication that describes them": {"discovered": described},
            "the publication that the chapter cites": {"discovered": cited},
        },
        evidence="quoted",
    )


@decides("induction-extra-offset", "induction-key-xi-minus-1", tried="drawn sequences")
def key_and_offset(claim: Claim, setting: Setting) -> Finding:
    """Try the rule, and the others that differ from it in one respect, on repeated and on random tokens."""
    key, offset = claim.given["key"], int(claim.given["offset"])
    cases = (repeated_case(setting.seed), random_case(setting.seed))
    found = {
        (k, o): [rule_accuracy(tokens, right, k, o) for tokens, right in cases]
        for k in ("current", "previous")
        for o in (0, 1)
    }
    names = {"current": "x_i", "previous": "x_(i-1)"}
    own, (best, best_shares) = found[key, offset], max(found.items(), key=lambda item: item[1])
    both = found["previous", 1]
    return judged(
        own == best_shares,
        f"the head is right at {own[0]:.0%} of positions in repeated blocks, {own[1]:.0%} in random tokens",
        evidence="property",
        derivation=f"The position after the last {names[best[0]]} has that before it: matching it and "
        f"attending {'there' if best[1] == 0 else 'behind it'} is right at {best_shares[0]:.0%} and "
        f"{best_shares[1]:.0%}.",
        convention=f"Both slips together, x_(i-1) and the position after, are right at {both[0]:.0%} in "
        f"repeated blocks, where they cancel, and {both[1]:.0%} in random tokens.",
    )


@decides("induction-walkthrough")
def walkthrough(claim: Claim, setting: Setting) -> Finding:
    """Apply the definition to the printed sequence."""
    sequence, i = claim.given["sequence"].split(), int(claim.given["position"])
    numbers = [ord(token) for token in sequence[: i + 1]]
    j = max(k for k in range(i) if sequence[k] == sequence[i])
    found = induction.after_latest(numbers)
    right = chr(found) if found is not None else "nothing"
    return judged(
        right == claim.given["output"],
        f"the head outputs {right}",
        derivation=f"The last {sequence[i]} before position {i} is at {j}; {sequence[j + 1]} follows it. "
        f"The position with {sequence[j]} before it is {j + 1} itself, not {j + 2}.",
    )


@decides("induction-walkthrough-neighbours")
def walkthrough_neighbours(claim: Claim, setting: Setting) -> Finding:
    """Look the printed positions up."""
    sequence, stated = claim.given["sequence"].split(), claim.given["tokens"]
    tokens = {position: sequence[int(position)] for position in stated}
    after = claim.given["after"]
    first = next(p for p in range(1, len(sequence)) if sequence[p - 1] == after)
    return judged(
        tokens == stated and str(first) == claim.given["position"],
        "; ".join(f"position {at} is {token}" for at, token in tokens.items())
        + f"; {after} stands before position {first}",
        derivation=f"Positions {', '.join(stated)} are {', '.join(tokens.values())}; {after} is at "
        f"{first - 1}, so that the position with {after} before it is {first}.",
    )


@decides("induction-two-layers", tried="sequences that no single head tells apart")
def one_layer(claim: Claim, setting: Setting) -> Finding:
    """Check sequences that no single head can tell apart as it must, and a layer of many heads that can."""
    at_positions = [Counter(pair for s in pairs for pair in enumerate(s)) for pairs in (WANT_B, WANT_C)]
    answers = [{_after(s) for s in pairs} for pairs in (WANT_B, WANT_C)]
    impossible = at_positions[0] == at_positions[1] and all(len(one) == 1 for one in answers)
    impossible &= answers[0] != answers[1]
    tokens, right = random_case(setting.seed)
    many = induction.accuracy(induction.many_heads(tokens, SYMBOLS), right)
    told = f"no single head gets {', '.join(WANT_B + WANT_C)} right" if impossible else "no obstacle found"
    return judged(
        impossible,
        told,
        evidence="proved",
        derivation="One head: logit b beats c where a sum over positions of functions of (query, token, "
        "position) is above 0. Two of the sequences need it above, two below, and their sums are the same.",
        convention="One head in the layer. The bound is on heads, too: one layer of 2 (T - 1) heads, a pair "
        f"a distance, with hand-set weights is right at {many:.0%} of positions in random tokens.",
    )


@decides("two-layer-construction", tried="drawn sequences")
def constructed_heads(claim: Claim, setting: Setting) -> Finding:
    """Run the construction on random tokens, with and without its first head."""
    tokens, right = random_case(setting.seed)
    model = induction.two_layers(SYMBOLS, LENGTH, latest=True)
    alone = {**model, "P": model["P"] * np.array([[0.0], [1.0]])}
    share, without = (induction.model_accuracy(one, tokens, right) for one in (model, alone))
    return judged(
        share == 1 and without < 1,
        f"the two are right at {share:.0%} of positions, at {without:.0%} when the first attends uniformly",
        evidence="property",
        derivation="Layer 1 writes x_(k-1) beside x_k; layer 2 scores query x_i with key x_(k-1), so that it "
        "attends to the position after an occurrence of x_i, and copies x_k from the residual stream.",
    )


@decides("induction-needs-large-model", tried="drawn sequences")
def smallest_model(claim: Claim, setting: Setting) -> Finding:
    """Count the layers of a model with hand-set weights that does induction."""
    tokens, right = random_case(setting.seed)
    model = induction.two_layers(SYMBOLS, LENGTH, latest=True)
    layers = len(model["P"])
    built = induction.model_accuracy(model, tokens, right) == 1
    return judged(
        not built or layers >= int(claim.given["needed"]),
        f"{layers} layers {'are enough' if built else 'are not shown to be enough'}",
        evidence="property",
        derivation=f"With hand-set weights, {layers} layers predict all of random tokens that followed an "
        "earlier occurrence of the current one.",
    )


def _after(sequence: str) -> str:
    found = induction.after_latest([ord(token) for token in sequence])
    return "" if found is None else chr(found)

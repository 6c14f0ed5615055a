"""Ways of removing a head, compared in whole numbers on a layer, and the listed code held to itself."""

from __future__ import annotations

import ast
import inspect

import numpy as np

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.constructions.heads import Layer, random_layer, side_by_side, zeroed
from paper_checks.ledger.finding import Finding, judged, verdict_if
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting

REMOVED = 1


def removed_before_projection(layer: Layer, head: int) -> np.ndarray:
    """Return the layer's output [T, d] without a head, by definition: features zero, then the projection."""
    kept: np.ndarray = zeroed(layer.features(), slice(None), layer.slice(head)) @ layer.projection
    return kept


@decides("zeroing-A", tried="a drawn layer of two heads")
def zeroing_the_weights(claim: Claim, setting: Setting) -> Finding:
    """Compare the output without the head's weights with that without its features."""
    layer = random_layer(setting.seed)
    by_weights = layer.without_map(REMOVED).output()
    same = np.array_equal(by_weights, removed_before_projection(layer, REMOVED))
    changed = not np.array_equal(by_weights, layer.output())
    # Zero scores, before the softmax, are uniform weights: the head then gives the means of its values.
    prefix_means = np.cumsum(layer.values[REMOVED], axis=0)
    return judged(
        not (same and changed),
        f"{'the same output' if same else 'another output'} of the layer as without the head's features",
        derivation="Zero weights give 0 V = 0, the head's features zero; what follows reads no row sum.",
        convention="Weights are what the softmax returns. With the scores before it set to zero the head "
        f"averages instead, and its features are {'not ' * bool(prefix_means.any())}zero.",
    )


@decides("forward-hook-ablates-output", tried="a drawn layer of two heads")
def hook_behind_the_projection(claim: Claim, setting: Setting) -> Finding:
    """Zero the head's columns of the projection's output, as the hook does, and compare."""
    layer = random_layer(setting.seed)
    full, without = layer.output(), removed_before_projection(layer, REMOVED)
    hooked = zeroed(full, slice(None), layer.slice(REMOVED))
    kept = np.delete(np.arange(full.shape[1]), np.r_[layer.slice(REMOVED)])
    left = int((hooked != without)[:, kept].sum())
    lost = int((hooked != without)[:, layer.slice(REMOVED)].sum())
    return judged(
        bool(np.array_equal(hooked, without)),
        f"the code leaves the head in {left} of {full[:, kept].size} entries of the other columns, and takes "
        f"what the other heads wrote to {lost} entries",
        derivation="The hook edits the projection's output, where every head has written to every column; "
        "the two agree only if the projection is block diagonal. What was removed is d_head output features.",
    )


@decides("four-index-on-3d", tried="a drawn layer of two heads")
def four_indices(claim: Claim, setting: Setting) -> Finding:
    """Index arrays with distinct axes, and see on which of the four axes the entries go."""
    layer = random_layer(setting.seed)
    joined, by_head = layer.features()[None], (layer.maps @ layer.values)[None]
    third = (slice(None), slice(None), REMOVED, slice(None))
    try:
        zeroed(joined, *third)
        error = "nothing"
    except IndexError as raised:
        error = type(raised).__name__
    axes: list[str] = claim.given["axes"]
    order = [("B", "heads", "T", "d_head").index(axis) for axis in axes]
    got = zeroed(by_head.transpose(order), *third).transpose(np.argsort(order))
    removed = np.array_equal(got, zeroed(by_head, slice(None), REMOVED))
    what = f"head {REMOVED}" if removed else f"what is at {axes[2]} = {REMOVED}, of every head"
    return judged(
        error == IndexError.__name__ and removed,
        f"{error} with 3 axes; with ({', '.join(axes)}) it zeroes {what}",
        derivation=f"The third axis is {axes[2]}. The index of a head belongs to the axis of the heads, here "
        f"number {axes.index('heads') + 1}.",
    )


@decides("head-slice-layout", tried="a drawn layer of two heads")
def head_slice(claim: Claim, setting: Setting) -> Finding:
    """Number every entry by its head and see where the numbers go."""
    layer = random_layer(setting.seed)
    heads, T, width = layer.values.shape
    marked = np.broadcast_to(np.arange(heads)[:, None, None], (heads, T, width))
    found = {head: np.flatnonzero((side_by_side(marked) == head).all(axis=0)) for head in range(heads)}
    right = all(np.array_equal(at, np.r_[layer.slice(head)]) for head, at in found.items())
    without_transpose = marked.reshape(T, heads * width)
    mixed = not all((without_transpose[:, layer.slice(head)] == head).all() for head in range(heads))
    return judged(
        right,
        "; ".join(f"head {head}: features {at.tolist()}" for head, at in found.items()),
        derivation="The head's axis is moved next to the features' before both are merged"
        f"{'; merged without that, heads mix' if mixed else ''}.",
    )


@decides("weight-slice-equals-input-slice", tried="a drawn layer of two heads")
def weight_slice(claim: Claim, setting: Setting) -> Finding:
    """Zero a slice of the last axis of the weight, stored either way, and compare with zeroing the input."""
    layer = random_layer(setting.seed)
    definition = removed_before_projection(layer, REMOVED)
    last = (slice(None), layer.slice(REMOVED))
    outputs = {
        ("out", "in"): layer.features() @ zeroed(layer.projection.T, *last).T,
        ("in", "out"): layer.features() @ zeroed(layer.projection, *last),
    }
    same = {axes: np.array_equal(output, definition) for axes, output in outputs.items()}
    stored = tuple(claim.given["axes"])
    (other,) = set(outputs) - {stored}
    words = {True: "the same output", False: "another output"}
    return judged(
        not same[stored],
        f"{words[same[stored]]} as from zeroing the input's slice",
        derivation="Column c of a weight [out, in] multiplies feature c of the input, so either may be zero: "
        "the input of the projection holds the heads side by side there too.",
        convention=f"Stored as [{', '.join(other)}], the same index gives {words[same[other]]}.",
        readings={f"a weight stored as [{', '.join(other)}]": verdict_if(not same[other])},
    )


@decides("dissect-code-signatures")
def calls_that_fit(claim: Claim, setting: Setting) -> Finding:
    """Bind the arguments of each call to the parameters of the definition, or to those of another call."""
    signatures = dict(map(_defined, claim.given["definitions"]))
    elsewhere = {name: len(arguments) for name, arguments in map(_called, claim.given["called_elsewhere"])}
    wrong = []
    for name, arguments in map(_called, claim.given["calls"]):
        if name not in signatures:
            if len(arguments) != elsewhere[name]:
                wrong.append(f"{name}: {len(arguments)} arguments here, {elsewhere[name]} elsewhere")
            continue
        try:
            signatures[name].bind(*arguments)
        except TypeError as error:
            wrong.append(f"{name}: {error}")
    return judged(
        not wrong,
        "; ".join(wrong) or f"all {len(claim.given['calls'])} calls fit",
        derivation="Each call's arguments are bound to the parameters of its definition as Python would.",
    )


def _called(code: str) -> tuple[str, list[str]]:
    """Return the name and the arguments of a call."""
    call = ast.parse(code, mode="eval").body
    assert isinstance(call, ast.Call)
    return ast.unparse(call.func), [ast.unparse(argument) for argument in call.args]


def _defined(code: str) -> tuple[str, inspect.Signature]:
    """Return the name and the signature of a definition."""
    (function,) = ast.parse(code).body
    assert isinstance(function, ast.FunctionDef)
    names = [argument.arg for argument in function.args.args]
    required = len(names) - len(function.args.defaults)
    kinds = [
        inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=inspect.Parameter.empty if index < required else None,
        )
        for index, name in enumerate(names)
    ]
    return function.name, inspect.Signature(kinds)

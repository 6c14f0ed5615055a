"""What checkpoints of a trained transformer say of the claims on early alignment and drift.

The criteria, fixed before any run:

- A layer is *aligned* in a kind (attention, no_mlp, output) when its cosine is above that of random weights
  and above that of the shuffled corpus, and both also without the first direction of the statistics. A
  checkpoint is aligned in a kind when more than half of its layers are; of attention the first layer is left
  out, as the paper does.
- *Early alignment*: a checkpoint of the first steps, up to those that the claim gives, that is aligned in all
  three kinds.
- *Drift*: early alignment, and in each kind the median over layers is lower at the last checkpoint than at
  the best early one.
- *Heads vary first in the middle*: the variance over heads of their cosines, at the first checkpoint where
  its mean over layers is above that of every layer of random weights, is larger in the mean over the middle
  third of layers than over the first and than over the last third.
"""

from __future__ import annotations

from statistics import fmean, pvariance

from gpu.pretrained.alignment import ATTENTION, KINDS, LayerAlignment
from paper_checks.ledger.claim import Claim
from paper_checks.pretrained.experiment import Experiment, NotDecided, middle, named, require_model, shown
from paper_checks.pretrained.study import Checkpoint, Comparison, Study

CRITERION = (
    "Aligned: in over half of the layers (attention: without the first) above random weights and shuffled "
    "corpus, with and without the first direction of the statistics."
)


def early_alignment(claim: Claim, study: Study) -> Experiment:
    """Decide whether early checkpoints align with the theory's covariances."""
    comparison, early = _early(claim, study)
    best = _first_aligned(comparison, early)
    at = best or early[-1]
    first = at.layers[0].attention["full"]
    return Experiment(
        claim.id,
        best is not None,
        f"{'aligned' if best else 'not aligned'} at {at.revision}, medians {named(medians(at.layers))}; "
        f"attention of the first layer {shown(first)}",
        f"{CRITERION} {_controls(comparison, at)}",
    )


def drift(claim: Claim, study: Study) -> Experiment:
    """Decide whether early alignment is followed by drift, and whether heads vary first in the middle.

    Raises:
        NotDecided: there is no later checkpoint.
    """
    comparison, early = _early(claim, study)
    last = max(_with_steps(comparison), key=lambda one: one.step or 0)
    if last in early:
        raise NotDecided(
            f"needs a later checkpoint too, after step {claim.given['last_early_step']}, such as "
            "--revision step143000."
        )
    best = _first_aligned(comparison, early)
    peak = {kind: max(medians(one.layers)[kind] or 0.0 for one in early) for kind in KINDS}
    end = medians(last.layers)
    drifted = all(value is not None and value < peak[kind] for kind, value in end.items())
    onset = _onset(comparison)
    thirds = None if onset is None else _thirds(onset)
    in_the_middle = thirds is not None and thirds[1] > max(thirds[0], thirds[2])
    heads = (
        "heads never vary more than those of random weights"
        if onset is None or thirds is None
        else f"heads vary first at {onset.revision}, by {_spreads(thirds)} in the thirds of the layers"
    )
    return Experiment(
        claim.id,
        best is not None and drifted and in_the_middle,
        f"{'aligned at ' + best.revision if best else 'never aligned early'}; from {named(peak)} "
        f"to {named(end)} at {last.revision}; {heads}",
        f"{CRITERION} Drift: each median is lower at the last checkpoint than at its best early one. The "
        "variance over heads is told at the first checkpoint where it is above that of random weights.",
    )


def medians(layers: list[LayerAlignment], which: str = "full") -> dict[str, float | None]:
    """Return by kind the median over layers, of attention without the first."""
    return {kind: middle([getattr(one, kind)[which] for one in counted(layers, kind)]) for kind in KINDS}


def counted(layers: list[LayerAlignment], kind: str) -> list[LayerAlignment]:
    """Return the layers that count: of attention all but the first, unless that is the only one."""
    return layers[1:] if kind == ATTENTION and len(layers) > 1 else layers


def aligned(layers: list[LayerAlignment], untrained: list[LayerAlignment], kind: str) -> bool:
    """Return whether more than half of the layers that count are aligned."""
    pairs = zip(counted(layers, kind), counted(untrained, kind), strict=True)
    found = [_is_aligned(getattr(one, kind), getattr(control, kind)) for one, control in pairs]
    return 2 * sum(found) > len(found)


def _is_aligned(own: dict[str, float | None], random: dict[str, float | None]) -> bool:
    def above(value: float | None, control: float | None) -> bool:
        return value is not None and (control is None or value > control)

    return (
        above(own["full"], own["shuffled"])
        and above(own["full"], random["full"])
        and above(own["less_1"], own["shuffled_less_1"])
        and above(own["less_1"], random["less_1"])
    )


def _early(claim: Claim, study: Study) -> tuple[Comparison, list[Checkpoint]]:
    require_model(claim, study.sizes)
    if study.comparison is None:
        raise NotDecided("needs a text, --corpus FILE.")
    most = int(claim.given_number("last_early_step"))
    early = [one for one in _with_steps(study.comparison) if 1 <= (one.step or 0) <= most]
    if not early:
        raise NotDecided(f"needs a checkpoint of steps 1 to {most}, such as --revision step{most}.")
    return study.comparison, early


def _with_steps(comparison: Comparison) -> list[Checkpoint]:
    """Return the checkpoints whose names tell a step, in the order of steps."""
    found = [one for one in comparison.checkpoints if one.step is not None]
    return sorted(found, key=lambda one: one.step or 0)


def _first_aligned(comparison: Comparison, early: list[Checkpoint]) -> Checkpoint | None:
    for one in early:
        if all(aligned(one.layers, comparison.untrained, kind) for kind in KINDS):
            return one
    return None


def _controls(comparison: Comparison, at: Checkpoint) -> str:
    return (
        f"Random weights: {named(medians(comparison.untrained))}; shuffled: "
        f"{named(medians(at.layers, 'shuffled'))}; best rank one: {named(comparison.best_rank_one)}."
    )


def _spread(layer: LayerAlignment) -> float:
    """Return the variance over a layer's heads of their cosines."""
    known = [value for value in layer.heads if value is not None]
    return pvariance(known) if known else 0.0


def _onset(comparison: Comparison) -> Checkpoint | None:
    most = max(_spread(layer) for layer in comparison.untrained)
    for one in _with_steps(comparison):
        if fmean(_spread(layer) for layer in one.layers) > most:
            return one
    return None


def _thirds(checkpoint: Checkpoint) -> tuple[float, float, float] | None:
    """Return the mean variance over heads in the first, middle and last third of the layers."""
    third = len(checkpoint.layers) // 3
    if not third:
        return None
    spreads = [_spread(layer) for layer in checkpoint.layers]
    return fmean(spreads[:third]), fmean(spreads[third:-third]), fmean(spreads[-third:])


def _spreads(thirds: tuple[float, float, float]) -> str:
    return ", ".join(f"{value:.2e}" for value in thirds)

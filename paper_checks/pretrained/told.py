"""A study as JSON lines: what was measured, and an experiment for each claim that the model decides."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from gpu.pretrained.alignment import LayerAlignment
from paper_checks.ledger.book import claims
from paper_checks.ledger.claim import Claim
from paper_checks.pretrained import circuit_claims, pythia_claims
from paper_checks.pretrained.experiment import Experiment, NotDecided
from paper_checks.pretrained.study import Study

Decide = Callable[[Claim, Study], Experiment | dict[str, Any]]
DECISIONS: dict[str, Decide] = {
    "paper-pythia-alignment": pythia_claims.early_alignment,
    "pythia-drift": pythia_claims.drift,
    "embedding-pca": circuit_claims.embedding_spectrum,
    "layer0-ov-two-options": circuit_claims.first_values,
    "head-0-7-previous": circuit_claims.previous_token_head,
    "induction-heads-1-4-1-10": circuit_claims.induction_heads,
    "induction-default-first-token": circuit_claims.first_token,
}


def experiments(study: Study, by_id: dict[str, Claim]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return a line for each claim that the study decides, and a sentence for each reason why others not."""
    lines: list[dict[str, Any]] = []
    reasons: dict[str, list[str]] = {}
    for name, decide in DECISIONS.items():
        try:
            found = decide(by_id[name], study)
        except NotDecided as reason:
            reasons.setdefault(str(reason), []).append(name)
        else:
            lines.append(found.as_line() if isinstance(found, Experiment) else found)
    return lines, [f"{', '.join(names)}: {reason}" for reason, names in reasons.items()]


def claims_by_id() -> dict[str, Claim]:
    """Return the ledger's claims that pretrained models decide."""
    return {claim.id: claim for claim in claims() if claim.id in DECISIONS}


def lines(study: Study, decided: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the study's lines, each with a `name` of its own: facts, heads, cosines, then the claims."""
    yield {
        "name": "pretrained",
        "model": study.model,
        "revisions": study.revisions,
        "device": study.device,
        "seed": study.seed,
        **asdict(study.sizes),
    }
    yield {"name": "heads", "revision": study.revisions[-1], **asdict(study.circuits)}
    if study.comparison is not None:
        found = study.comparison
        yield {
            "name": "theory",
            "corpus": found.corpus,
            "tokens": found.tokens,
            "megabytes": round(found.megabytes, 1),
            "best_rank_one": found.best_rank_one,
            "cosines_of_Q_bar_and_its_transpose": found.orientation,
        }
        for one in found.checkpoints:
            yield {"name": f"alignment {one.revision}", "step": one.step, "layers": _layers(one.layers)}
        yield {"name": "alignment random weights", "layers": _layers(found.untrained)}
    yield from decided


def as_text(study: Study, decided: list[dict[str, Any]]) -> str:
    """Return the lines as a file holds them."""
    return "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines(study, decided))


def _layers(layers: list[LayerAlignment]) -> list[dict[str, Any]]:
    return [asdict(one) for one in layers]

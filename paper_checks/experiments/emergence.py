"""When in training induction appears, and whether the loss falls with it."""

from __future__ import annotations

import numpy as np

from paper_checks.experiments.induction import FOUND
from paper_checks.experiments.models import Blocks, block_models, random_periods
from paper_checks.experiments.result import Outcome, Quantity
from paper_checks.experiments.setting import Setting


def emergence(setting: Setting) -> Outcome:
    """Follow loss and scores of the two-layer models along their training."""
    run = block_models(setting, Blocks(2, 2, True, random_periods(setting)), setting.scale.blocks_steps)
    steps = np.array([step for step, _ in run.records])
    loss = np.array([record["loss"] for _, record in run.records])  # [R, M]
    score = np.array([record["induction"] for _, record in run.records])[:, :, 1]
    previous = np.array([record["previous"] for _, record in run.records])[:, :, 0]
    falls = [_crossing(steps, -loss[:, m]) for m in range(loss.shape[1])]
    rises = [_crossing(steps, score[:, m]) for m in range(loss.shape[1])]
    every = int(steps[1] - steps[0])
    # What never rises is half way up somewhere too.
    learned = bool((score[-1] > FOUND).all() and (score[0] < FOUND).all() and (loss[-1] < loss[0] / 2).all())
    close = max(abs(fall - rise) for fall, rise in zip(falls, rises, strict=True)) <= every
    together = learned and close
    answer = "Together" if together else "Not together" if learned else "Not learned in every model"
    climb = float(np.diff(score, axis=0).max(axis=0).mean())
    return Outcome(
        experiment="induction.emergence",
        question="When in training does induction appear, and does the loss fall with it?",
        criterion=(
            f"In every model the score of the best head of layer 1 comes to exceed {FOUND:g} and the loss "
            f"halves, and they cross the middle of their way within {every} steps, one record, of each other."
        ),
        met=together,
        verdict=(
            f"{answer}: the score is half way up at step "
            f"{', '.join(f'{rise:.0f}' for rise in rises)}, the loss half way down at "
            f"{', '.join(f'{fall:.0f}' for fall in falls)}; in the steepest {every} steps the score rises by "
            f"{climb:.2f}."
        ),
        quantities=(
            *(Quantity(f"step of half the score, model {m}", float(rise)) for m, rise in enumerate(rises)),
            *(Quantity(f"step of half the loss, model {m}", float(fall)) for m, fall in enumerate(falls)),
        ),
        tables={
            "training": [
                {
                    "step": int(step),
                    "model": m,
                    "loss": float(loss[r, m]),
                    "induction, layer 1": float(score[r, m]),
                    "previous, layer 0": float(previous[r, m]),
                }
                for r, step in enumerate(steps)
                for m in range(loss.shape[1])
            ]
        },
    )


def _crossing(steps: np.ndarray, rising: np.ndarray) -> float:
    """Return where a curve first passes the middle between its first and last value, interpolated."""
    middle = (rising[0] + rising[-1]) / 2
    after = int(np.argmax(rising >= middle))
    before = max(after - 1, 0)
    if rising[after] == rising[before]:
        return float(steps[after])
    share = (middle - rising[before]) / (rising[after] - rising[before])
    return float(steps[before] + share * (steps[after] - steps[before]))

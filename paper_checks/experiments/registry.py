"""Every experiment by its id, and one function that runs them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from paper_checks.experiments.experiment import Experiment
from paper_checks.experiments.setting import Setting, scale_of
from reference.errors import InputError, meant

if TYPE_CHECKING:
    from paper_checks.experiments.result import Outcome

EXPERIMENTS: dict[str, Experiment] = {
    "heads.structure": Experiment("heads", "structure"),
    "heads.by_class": Experiment("heads", "by_class"),
    "heads.sizes": Experiment("heads", "sizes"),
    "ablation.place": Experiment("removal", "place"),
    "ablation.layers": Experiment("removal", "layers"),
    "ablation.pairs": Experiment("removal_pairs", "pairs"),
    "ablation.positions": Experiment("removal_positions", "positions"),
    "induction.fixed_period": Experiment("induction", "fixed_period"),
    "induction.random_period": Experiment("induction", "random_period"),
    "induction.one_layer": Experiment("one_layer", "one_layer"),
    "induction.emergence": Experiment("emergence", "emergence"),
    "induction.in_text": Experiment("induction_text", "in_text"),
    "circuits.composition": Experiment("circuits", "composition"),
    "circuits.subspaces": Experiment("subspaces", "subspaces"),
    "circuits.removal": Experiment("circuits", "removal"),
    "circuits.spectra": Experiment("subspaces", "spectra"),
    "probes.next_mark": Experiment("probes", "next_mark"),
    "probes.removal": Experiment("probe_removal", "removal"),
    "probes.used_or_not": Experiment("probe_removal", "used_or_not"),
    "depth.first_layer": Experiment("depth", "first_layer"),
    "poems.heads": Experiment("poem_heads", "heads"),
    "poems.probe": Experiment("poem_probes", "probe"),
    "poems.context": Experiment("poem_context", "context"),
}

Progress = Callable[[str, float, float], None]
Keep = Callable[["list[Outcome]"], None]
# Processor seconds of the profile full, to say how much is left; the others take some seconds. Of those that
# share models the first trains them.
SECONDS = {
    "heads.structure": 220,
    "ablation.pairs": 90,
    "ablation.positions": 30,
    "induction.fixed_period": 110,
    "induction.random_period": 120,
    "induction.one_layer": 240,
    "depth.first_layer": 1000,
    "poems.heads": 1000,
    "poems.context": 700,
}


def run_experiments(
    profile: str,
    seed: int = 0,
    names: Sequence[str] = (),
    *,
    corpus: Path | None = None,
    tokenizer: str = "words",
    progress: Progress = lambda what, done, of: None,
    keep: Keep = lambda outcomes: None,
    have: Collection[str] = (),
) -> list[Outcome]:
    """Run experiments and return their outcomes; the same profile, seed and text give the same ones on a CPU.

    Args:
        profile: "quick" (about a minute of processor time) or "full".
        seed: of the first model; the others follow.
        names: ids or groups; all by default.
        corpus: a text to train on; generated stories by default.
        tokenizer: of that text.
        progress: told the experiment at hand, how much is done and how much there is.
        keep: given what is done, after each of them.
        have: those that need not be run.

    Raises:
        InputError: there is no such profile or experiment, or the text cannot be used.
    """
    return run_on(Setting(scale_of(profile), seed, corpus, tokenizer), names, progress, keep, have)


def run_on(
    setting: Setting,
    names: Sequence[str] = (),
    progress: Progress = lambda what, done, of: None,
    keep: Keep = lambda outcomes: None,
    have: Collection[str] = (),
) -> list[Outcome]:
    """Run experiments on a setting; otherwise as `run_experiments`."""
    from paper_checks.experiments.models import unseen_windows

    chosen = [name for name in select(names, setting) if name not in have]
    if setting.corpus is not None:
        unseen_windows(setting)  # a text that cannot be used is told before anything is trained
    outcomes: list[Outcome] = []
    shares = [SECONDS.get(name, 2) for name in chosen]
    for number, name in enumerate(chosen):
        progress(name, sum(shares[:number]), sum(shares))
        started = time.process_time()
        outcome = EXPERIMENTS[name](setting)
        seconds = round(time.process_time() - started, 2)
        outcomes.append(replace(outcome, settings=setting.told(), seconds=seconds))
        keep(list(outcomes))
    return outcomes


def select(names: Sequence[str], setting: Setting) -> list[str]:
    """Return the ids of the experiments named, by id or group; all that the setting has what for by default.

    Raises:
        InputError: there is no such experiment, or the setting lacks what it needs.
    """
    groups = {name.split(".")[0] for name in EXPERIMENTS}
    for name in names:
        if name not in EXPERIMENTS and name not in groups:
            hint = meant(name, [*EXPERIMENTS, *groups])
            raise InputError(
                f"There is no experiment '{name}'; give an id or one of {', '.join(sorted(groups))}.{hint}"
            )
    chosen = [name for name in EXPERIMENTS if not names or name in names or name.split(".")[0] in names]
    possible = [name for name in chosen if not lacking(name, setting)]
    if not possible:
        raise InputError(lacking(chosen[0], setting))
    return possible


def check_same(outcomes: Sequence[Outcome], setting: Setting, file: Path) -> None:
    """Hold earlier outcomes to a setting: what was found on others is no part of one run.

    Raises:
        InputError: one is of another profile, seed or text, or does not say of which.
    """
    now = setting.told()
    for outcome in outcomes:
        for what in ("profile", "seed", "text"):
            then = outcome.settings.get(what)
            if then != now[what]:
                raise InputError(
                    f"{file} has {outcome.experiment} of the {what} {then}, and this run is of {now[what]}; "
                    "run with the same, or without that file."
                )


def lacking(name: str, setting: Setting) -> str:
    """Return what an experiment needs that the setting has not, in a sentence; "" where all is there."""
    if name == "depth.first_layer" and not setting.scale.depths:
        return f"{name} has no sizes in the profile {setting.scale.name}; give full."
    if name.startswith("poems.") and (setting.corpus is None or setting.tokenizer != "chars"):
        return f"{name} trains on poems by character; give --corpus FILE --tokenizer chars."
    return ""

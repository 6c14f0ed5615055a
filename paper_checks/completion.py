"""What the shell may complete: names and ids that a person need not remember."""

from __future__ import annotations

from collections.abc import Iterable

from typer import Context


def claim_ids(incomplete: str) -> list[str]:
    """Return the ids of claims that begin so."""
    from paper_checks.ledger.book import claims

    return _beginning((claim.id for claim in claims()), incomplete)


def source_keys(incomplete: str) -> list[str]:
    """Return the keys of sources that begin so."""
    from paper_checks.ledger.book import sources

    return _beginning(sources(), incomplete)


def check_ids(context: Context, incomplete: str) -> list[str]:
    """Return the families and ids of checks that begin so; after --mutants, those of mutants too."""
    from properties.catalogue import CHECKS

    ids = [check.id for check in CHECKS]
    names = dict.fromkeys([*(one.split(".")[0] for one in ids), *ids])
    if context.params.get("mutants"):
        from properties.mutants.trial import names_of_mutants

        names = dict.fromkeys(names_of_mutants())
    return _beginning(names, incomplete)


def experiment_names(incomplete: str) -> list[str]:
    """Return the groups and the names of experiments that begin so."""
    from paper_checks.experiments.registry import EXPERIMENTS

    return _beginning(dict.fromkeys([*(one.split(".")[0] for one in EXPERIMENTS), *EXPERIMENTS]), incomplete)


def targets(incomplete: str) -> list[str]:
    """Return the targets, or kinds of them, that begin so."""
    from properties.connectors import BUILT_IN

    return _beginning((*BUILT_IN, "py:", "torch:", "cmd:", "weights:"), incomplete)


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]

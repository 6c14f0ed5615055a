"""Claims with something wrong planted in them, or in what they are decided from."""

from dataclasses import replace

from paper_checks.ledger.book import claims, tables
from paper_checks.ledger.decide import found
from paper_checks.ledger.setting import Setting


def claim_of(claim_id):
    """Return the claim as the ledger has it."""
    (claim,) = [one for one in claims() if one.id == claim_id]
    return claim


def verdict(claim_id, experiments=None, **given):
    """Return the verdict on a claim with some of its inputs replaced."""
    return finding(claim_id, experiments, **given).verdict


def finding(claim_id, experiments=None, **given):
    """Return what is found of a claim with some of its inputs replaced."""
    claim = claim_of(claim_id)
    planted = replace(claim, given={**claim.given, **given})
    return found(planted, Setting(experiments=experiments or {}))


def of_poems(name, runs, **sizes):
    """Return an experiment on models of poems, of the sizes that claims are about or of others."""
    printed = tables()["poem-model"]["model"]
    settings = {size: int(printed[size]) for size in ("layers", "heads", "width", "context")}
    return {name: {"settings": {**settings, **sizes}, "runs": runs}}


def plant_in_table(monkeypatch, name, table, **values):
    """Replace entries of a shared table for the length of a test."""
    monkeypatch.setitem(tables()[name], table, {**tables()[name][table], **values})

"""Hold mutants to the checks named for them: each must turn red, by an answer that is out of its bound.

A mutant is tried on the cases of a profile until one breaks the check; nothing is shrunk. A check that stays
green lets the slip through. So does a slip that only a check catches which is not named for it: then nobody
has thought about what catches it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from properties.catalogue import CHECKS, select
from properties.check import Check
from properties.mutants.catalogue import MUTANTS
from properties.mutants.equivalent import EQUIVALENTS, Equivalent
from properties.mutants.mutant import Mutant, implementation
from properties.results import Result, State
from properties.runner import first_failure
from properties.target import Target
from reference.errors import InputError, meant

FAMILY = "mutants"


def chosen(names: Sequence[str]) -> tuple[list[Mutant], list[Equivalent]]:
    """Return the mutants of these ids or methods, or that one of these checks or families is named for.

    All of them for no names.

    Raises:
        InputError: a name is none of these.
    """
    equivalents = {one.mutant.id: one for one in EQUIVALENTS}
    wanted = [name.removeprefix(f"{FAMILY}.") for name in names]
    known = names_of_mutants()
    for name in wanted:
        if name not in known:
            hint = meant(name, known)
            raise InputError(
                f"No mutant has the id or method '{name}', or is to be caught by a check '{name}'.{hint}"
            )
    picked = [mutant for mutant in _every() if not wanted or _labels(mutant) & set(wanted)]
    return (
        [mutant for mutant in picked if mutant.id not in equivalents],
        [equivalents[mutant.id] for mutant in picked if mutant.id in equivalents],
    )


def names_of_mutants() -> list[str]:
    """Return the ids of mutants, their methods, and the checks and families that are named for them."""
    return sorted({label for mutant in _every() for label in _labels(mutant)})


def try_mutant(mutant: Mutant, *, profile: str, seed: int) -> Result:
    """Return a result that passed when every check named for the mutant catches it."""
    started = time.perf_counter()
    tried = _tried(mutant, select(mutant.caught_by), profile, seed)
    caught = {check: result.cases + 1 for check, result in tried.items() if _caught(result)}
    note = None
    if not caught:
        others = [check for check in CHECKS if mutant.method in check.needs and check.id not in tried]
        by = [id for id, result in _tried(mutant, others, profile, seed).items() if _caught(result)]
        note = f"it is caught only by {', '.join(by)}, not named for it" if by else "no check catches it"
    elif len(caught) < len(tried):
        green = ", ".join(id for id in tried if id not in caught)
        note = f"{green} should catch it and does not"
    return _result(
        mutant,
        "failed" if note else "passed",
        note=note,
        source=f"{mutant.function}: {mutant.wrong or 'nothing'} for {mutant.right}",
        evidence="property",
        cases=sum(result.cases for result in tried.values()) + len(caught),
        seconds=round(time.perf_counter() - started, 3),
        command=_command(mutant, profile, seed),
        measurements={"caught by, at which case": caught},
    )


def try_equivalent(equivalent: Equivalent, *, profile: str, seed: int) -> Result:
    """Return a result that passed when the slip is proved to change nothing, and changes nothing."""
    started = time.perf_counter()
    mutant, verdict = equivalent.mutant, equivalent.proof()
    tried = _tried(mutant, select(mutant.caught_by), profile, seed)
    red = [id for id, result in tried.items() if result.result != "passed"]
    note = None
    if not verdict.holds:
        note = f"it is not proved to change nothing: {verdict}"
    elif red:
        note = f"it is proved to change nothing, and yet {', '.join(red)} is not green"
    return _result(
        mutant,
        "failed" if note else "passed",
        note=note,
        source=f"derived here: {equivalent.because}",
        evidence="proved",
        proof="identity",
        cases=sum(result.cases for result in tried.values()),
        seconds=round(time.perf_counter() - started, 3),
        command=_command(mutant, profile, seed),
        measurements={"proof": str(verdict)},
    )


def share_caught(results: Sequence[Result]) -> dict[str, int | float]:
    """Return how many mutants are wrong at all, how many of those were caught, and how many are right."""
    wrong = [result for result in results if result.evidence != "proved"]
    caught = sum(result.result == "passed" for result in wrong)
    return {
        "wrong": len(wrong),
        "caught": caught,
        "share": caught / len(wrong) if wrong else 1.0,
        "equivalent": len(results) - len(wrong),
    }


def _every() -> list[Mutant]:
    return [*MUTANTS, *(one.mutant for one in EQUIVALENTS)]


def _labels(mutant: Mutant) -> set[str]:
    families = {check.split(".")[0] for check in mutant.caught_by}
    return {mutant.id, mutant.method, *mutant.caught_by, *families}


def _tried(mutant: Mutant, checks: Sequence[Check], profile: str, seed: int) -> dict[str, Result]:
    target = Target(implementation(mutant))
    return {check.id: first_failure(check, target, profile=profile, seed=seed) for check in checks}


def _caught(result: Result) -> bool:
    """A slip that makes its method raise is told by Python; what a check is for is a wrong answer."""
    return result.result == "failed" and (result.counterexample or {}).get("comparison") != "the call"


def _result(mutant: Mutant, state: State, **fields: object) -> Result:
    return Result(
        check=f"{FAMILY}.{mutant.id}",
        target=mutant.method,
        result=state,
        statement=mutant.sentence,
        **fields,  # type: ignore[arg-type]
    )


def _command(mutant: Mutant, profile: str, seed: int) -> str:
    how = "" if profile == "ci" else f" --profile {profile}"
    return f"leadterms verify --mutants --check {FAMILY}.{mutant.id} --seed {seed}{how}"

"""What this machine has, and what can be run on it: the facts that `leadterms doctor` shows."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any

from gpu.cache_folder import cache_folder
from reference.memory import physical_memory
from reference.processors import usable_processors

CORE = "core"
OWN = "leadterms"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_REQUIREMENT = re.compile(
    r"""(?P<name>[\w.-]+)\s*(\[(?P<extras>[^]]*)])?\s*(>=\s*(?P<least>[\d.]+))?"""
    r"""[^;]*(;.*\bextra\s*==\s*['"](?P<of>[^'"]+)['"].*)?$"""
)


@dataclass
class Extra:
    """A set of packages that are installed together.

    Attributes:
        installed: versions of those that are there, by name.
        missing: those that are not, or too old, each as pip is told it.
        includes: other extras that it is made of.
    """

    installed: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    includes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Ability:
    """Something that can be run, and how to get what it lacks; `get` is empty where it lacks nothing."""

    what: str
    get: str = ""

    @property
    def possible(self) -> bool:
        """Whether it can be run here."""
        return not self.get


def find_browser() -> str | None:
    """Return the path of a browser that can be run without a window; None without one."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def examine() -> dict[str, Any]:
    """Return what this machine has and can run, as data for JSON."""
    extras = installed_extras(requires_of_own())
    cuda, torch_problem = _torch_devices(extras)
    browser, node = find_browser(), shutil.which("node")
    kept = cache_folder()
    parts = {name: vars(extra) for name, extra in extras.items()}
    able = abilities(extras, cuda, torch_problem, browser, node)
    return {
        "leadterms": _version(OWN),
        "python": platform.python_version(),
        "executable": sys.executable,
        "machine": f"{platform.system()} {platform.machine()}",
        "cores": usable_processors(),
        "memory_gib": _memory(),
        "packages": parts,
        "cuda": cuda,
        "torch_problem": torch_problem,
        "browser": browser,
        "node": node,
        "cache": {"folder": str(kept), "writable": _can_write(kept)},
        "can": [{"what": one.what, "possible": one.possible, "get": one.get} for one in able],
        "ok": not extras[CORE].missing,
    }


def requires_of_own() -> list[str]:
    """Return what this package requires, as its metadata says; nothing where it is not installed."""
    try:
        return requires(OWN) or []
    except PackageNotFoundError:
        return []


def installed_extras(requirements: Iterable[str]) -> dict[str, Extra]:
    """Return the core and each extra with what of it is installed here."""
    found: dict[str, Extra] = {CORE: Extra()}
    for requirement in requirements:
        match = _REQUIREMENT.match(requirement)
        if match is None:
            continue
        extra = found.setdefault(match["of"] or CORE, Extra())
        if match["name"] == OWN:
            extra.includes += [name.strip() for name in (match["extras"] or "").split(",")]
            continue
        there, least = _version(match["name"]), match["least"]
        if there is None or (least is not None and _numbers(there) < _numbers(least)):
            extra.missing.append(match["name"] + (f">={least}" if least else ""))
        else:
            extra.installed[match["name"]] = there
    return found


def abilities(
    extras: dict[str, Extra], cuda: list[str], torch_problem: str, browser: str | None, node: str | None
) -> list[Ability]:
    """Return what can be run, from what is there."""

    def needs(*names: str) -> str:
        lacking = [name for name in names if _lacks(extras, name)]
        return f"pip install '{OWN}[{','.join(lacking)}]'" if lacking else ""

    def package(name: str, extra: str) -> str:
        has = name in extras.get(extra, Extra()).installed
        return "" if has else f"pip install '{OWN}[{extra}]'"

    torch = torch_problem or package("torch", "gpu")
    core = extras[CORE].missing
    return [
        Ability("verify reference, cmd: and py: targets, claims, prove, series, stats, predict", _pip(core)),
        Ability("verify gpu, gpu32 and torch: targets, train", torch),
        Ability("statistics and predictions of large corpora, compiled", package("numba", "gpu")),
        Ability("--device cuda", torch or ("" if cuda else "a CUDA device and a torch built for it")),
        Ability("report: page, figures and an executed notebook", needs("report")),
        Ability("--tokenizer FILE.json", needs("tokenizers")),
        Ability("corpora in .parquet", needs("parquet")),
        Ability("corpora and models by name, such as tinystories", needs("hub")),
        Ability(
            "the tests of the page in a browser", "" if browser else f"install one of {', '.join(BROWSERS)}"
        ),
        Ability("the example in JavaScript", "" if node else "install node"),
        Ability("make test, make lint, make docs", needs("dev")),
    ]


def _lacks(extras: dict[str, Extra], name: str) -> bool:
    extra = extras.get(name)
    if extra is None:
        return True
    return bool(extra.missing) or any(_lacks(extras, included) for included in extra.includes)


def _pip(packages: list[str]) -> str:
    return f"pip install {' '.join(repr(one) for one in packages)}" if packages else ""


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _numbers(text: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with."""
    begin = re.match(r"\d+(\.\d+)*", text)
    return tuple(int(part) for part in begin[0].split(".")) if begin else ()


def _torch_devices(extras: dict[str, Extra]) -> tuple[list[str], str]:
    """Return the CUDA devices, and what is wrong with a torch that is installed."""
    if "torch" not in extras.get("gpu", Extra()).installed:
        return [], ""
    from gpu.devices import devices

    try:
        return devices(), ""
    except (ImportError, OSError) as error:
        return (
            [],
            f"torch is installed but cannot be imported ({str(error).splitlines()[0]}); install it again",
        )


def _memory() -> float | None:
    there = physical_memory()
    return None if there is None else round(there / 2**30, 1)


def _can_write(folder: os.PathLike[str]) -> bool:
    """Return whether the folder, or the first one above it that is there, can be written to."""
    place = os.path.abspath(folder)
    while not os.path.exists(place) and place != os.path.dirname(place):
        place = os.path.dirname(place)
    return os.path.isdir(place) and os.access(place, os.W_OK)

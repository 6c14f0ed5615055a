"""The notebook's cells: short code that a reader can follow, change and run again.

They import only the results' schema, NumPy, Matplotlib and the standard library, and read `results.jsonl`
from the folder that the notebook lies in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Cell:
    """One cell; left out without the measurement, part of the header, "claims" or "curves" it `needs`."""

    id: str
    kind: Literal["markdown", "code"]
    source: str
    needs: str = ""


CELLS = (
    Cell(
        "opening",
        "markdown",
        """
# leadterms: the results of one run

To leading order in the learning rate, the theory says, each weight matrix of a transformer at the start of
training is a closed form of statistics of its corpus. leadterms states that theory as laws and tries each of
them. This notebook shows what one run found.

Every cell reads `results.jsonl`, which lies beside this notebook, and computes nothing about the theory.
To run the cells again: `pip install 'leadterms[report]'`, open this notebook in its folder, run all.
""",
    ),
    Cell(
        "setup",
        "code",
        """
%matplotlib inline
from collections import Counter
from html import escape
from itertools import groupby
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from properties.failure import failure_lines, wrapped
from properties.results import BAD, STATES, read_run

plt.style.use("default")
run = read_run(Path("results.jsonl"))
targets = list(dict.fromkeys(result.target for result in run.results))
""",
    ),
    Cell(
        "table",
        "code",
        '''
class Table:
    """Rows under headings: HTML where that can be shown, else text."""

    def __init__(self, headings, rows):
        self.rows = [[str(cell) for cell in row] for row in [headings, *rows]]

    def __repr__(self):
        widths = [max(map(len, column)) for column in zip(*self.rows)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in self.rows]
        return "\\n".join(line.rstrip() for line in lines)

    def _repr_html_(self):
        first, *rest = [[escape(cell) for cell in row] for row in self.rows]
        head = f"<tr><th>{'</th><th>'.join(first)}</th></tr>"
        body = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in rest)
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def ratio(result):
    if result.error_over_bound is None:
        return "equal" if result.result == "passed" else ""
    return f"{result.error_over_bound:.2g}"
''',
    ),
    Cell("verdict-heading", "markdown", "## The verdict at a glance"),
    Cell(
        "verdict",
        "code",
        """
states = Counter(result.result for result in run.results)
print("All is well." if run.ok else "Not all is well.")
Table(["result", "count"], [(state, states[state]) for state in STATES if states[state]])
""",
    ),
    Cell(
        "evidence-heading",
        "markdown",
        """
By what means the laws are held, the surest first. *proved*: for every corpus of a size or every number of
steps, by a certificate that a machine checked, by an identity computed with symbols, or by a derivation on
paper that ends in exact arithmetic. *exact*: against fractions, for each case tried, as many as are told.
*property*: on generated cases, within a bound on rounding. *measured*: from training runs, with their noise.
*quoted*: taken from a source, not checked.
""",
    ),
    Cell(
        "evidence",
        "code",
        """
kinds = ("proved", "exact", "property", "measured", "quoted")
Table(
    ["evidence", "laws", "results", "passed"],
    [
        (
            kind,
            len({result.check for result in run.results if result.evidence == kind}),
            sum(result.evidence == kind for result in run.results),
            sum(result.evidence == kind and result.result == "passed" for result in run.results),
        )
        for kind in kinds
    ],
)
""",
    ),
    Cell(
        "failures-heading",
        "markdown",
        "## What went wrong\n\nEach failure with its smallest counterexample. Without any, nothing follows.",
    ),
    Cell(
        "failures",
        "code",
        """
for result in run.results:
    if result.result in BAD:
        print("\\n".join(map(wrapped, failure_lines(result))))
        print()
""",
    ),
    Cell(
        "families-heading",
        "markdown",
        "## The checks by family\n\nA number is the worst error over its bound; `equal` asked for equality.",
    ),
    Cell(
        "families",
        "code",
        """
rows = []
for check, found in groupby(sorted(run.results, key=lambda r: (r.family, r.check)), key=lambda r: r.check):
    by_target = {result.target: result for result in found}
    first = next(iter(by_target.values()))
    shown = (f"{r.result} {ratio(r)}".strip() if (r := by_target.get(target)) else "" for target in targets)
    held = f"{first.evidence}, by {first.proof}" if first.proof else first.evidence
    if first.evidence == "exact":
        held += f", on {min(result.cases for result in by_target.values())} cases"
    rows.append([first.family, check, held, *shown, first.statement])
Table(["family", "check", "evidence", *targets, "law"], rows)
""",
    ),
    Cell(
        "descent-heading",
        "markdown",
        """
## The theory beside a training run

The norm of weights and how far they have turned away from their leading terms, against the step: measured
in one descent (marks), and in closed form or predicted from the statistics of its corpus (lines).
""",
        needs="curves",
    ),
    Cell(
        "descent",
        "code",
        """
fig, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for number, one in enumerate(run.header["reproduced"]["curves"]["weights"]):
    steps = np.array(one["steps"])
    for ax, measured, law in zip(axes, ("norm", "turned"), ("leading", "predicted")):
        marks, line = (np.array(one[name], dtype=float) for name in (measured, law))
        moved = line > 0
        ax.loglog(steps[moved], line[moved], "--", color=f"C{number}")
        ax.loglog(steps[moved], marks[moved], "o", color=f"C{number}", markersize=3, label=one["weight"])
for ax, what in zip(axes, ("Frobenius norm", "1 - cos with the leading term")):
    ax.set_xlabel("step")
    ax.set_ylabel(what)
    ax.legend(fontsize=8)
plt.show()
""",
        needs="curves",
    ),
    Cell(
        "scaling-heading",
        "markdown",
        """
## What the leading terms leave out

The size of each trained matrix less its leading term, against the learning rate: a straight line on these
axes, whose slope is the order of what is left out. The legend gives the fitted slope and its interval.
""",
        needs="remainders",
    ),
    Cell(
        "scaling",
        "code",
        """
for target in targets:
    drawn = [r for r in run.results if r.target == target and "remainders" in r.measurements]
    if not drawn:
        continue
    fig, ax = plt.subplots(figsize=(5, 3.6), layout="constrained")
    for result in drawn:
        rates = np.array(result.measurements["rates"])
        fits = result.measurements.get("exponents", {})
        for name, sizes in result.measurements["remainders"].items():
            fit = "{:.2f} [{:.2f}, {:.2f}]".format(*fits[name]) if name in fits else ""
            ax.loglog(rates, np.array(sizes), "o-", markersize=4, label=f"{name} {fit}".replace("$", r"\\$"))
    ax.set_xlabel("learning rate")
    ax.set_ylabel("size of the remainder")
    ax.set_title(target, parse_math=False)
    ax.legend(fontsize=8)
    plt.show()
""",
        needs="remainders",
    ),
    Cell(
        "baselines-heading",
        "markdown",
        "## What uniform attention scores\n\nMeasured (marks) and in closed form (line), against the length.",
        needs="closed_form",
    ),
    Cell(
        "baselines",
        "code",
        """
for result in run.results:
    for name, values in result.measurements.get("closed_form", {}).items():
        fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
        ax.plot(result.measurements["T"], values, label="closed form")
        if name in result.measurements.get("measured", {}):
            ax.plot(result.measurements["T"], result.measurements["measured"][name], "o", label=result.target)
        ax.set_xlabel("positions")
        ax.set_title(name, parse_math=False)
        ax.legend(fontsize=8)
        plt.show()
""",
        needs="closed_form",
    ),
    Cell(
        "claims-heading",
        "markdown",
        "## What was claimed, and what came of it\n\nEach verdict is what a computation gave. Where the "
        "evidence is *quoted* it rests on what is printed, there or in a work that the claim names.",
        needs="claims",
    ),
    Cell(
        "claims",
        "code",
        """
verdicts = list(dict.fromkeys(claim["verdict"] for claim in run.claims))
refuted = [claim for claim in run.claims if claim["verdict"] == "refuted"]
counts = Counter((claim["title"], claim["verdict"]) for claim in run.claims)
implied = Counter(claim["title"] for claim in refuted if claim.get("implied"))
otherwise = Counter(claim["title"] for claim in refuted if claim.get("otherwise"))
titles = dict.fromkeys(claim["title"] for claim in run.claims)
Table(
    ["source", *verdicts, "refuted, only implied", "refuted, hold in another reading"],
    [
        (title, *(counts[title, one] for one in verdicts), implied[title], otherwise[title])
        for title in titles
    ],
)
""",
        needs="claims",
    ),
    Cell("errata-heading", "markdown", "### Errata", needs="claims"),
    Cell(
        "errata",
        "code",
        """
refuted.sort(key=lambda claim: claim.get("weight", [0]))  # what was said of every case first, see the page
Table(
    ["claim", "stated", "found", "why"],
    [(claim["id"], claim["stated"], claim["computed"], claim["derivation"]) for claim in refuted],
)
""",
        needs="claims",
    ),
    Cell(
        "predicted-heading",
        "markdown",
        "## Published and predicted\n\nFrom the statistics of the corpus, before anything is trained.",
        needs="predicted",
    ),
    Cell(
        "predicted",
        "code",
        """
def found(one):
    return (one["predicted"] or {}).get("value", "")


Table(
    ["what", "source", "published", "predicted", "verdict"],
    [(o["says"], o["source"], o["printed"], found(o), o["verdict"]) for o in run.header["predicted"]],
)
""",
        needs="predicted",
    ),
    Cell(
        "reproduced-heading",
        "markdown",
        """
## Predicted and measured

A run at a small size, each number beside its prediction from the corpus.
""",
        needs="reproduced",
    ),
    Cell(
        "reproduced",
        "code",
        """
columns = ["part", "quantity", "weight", "leading", "predicted", "float64", "float32"]
Table(columns, [[row[name] for name in columns] for row in run.header["reproduced"]["rows"]])
""",
        needs="reproduced",
    ),
    Cell(
        "by-layer-heading",
        "markdown",
        """
## Alignment and effect, layer by layer

Each weight of a small run: its cosine with its leading term and what scores without knowing it, and by how
much the loss rises, in nats a token, without that part.
""",
        needs="by_layer",
    ),
    Cell(
        "by-layer",
        "code",
        """
rows = run.header["by_layer"]["rows"]
Table(list(rows[0]), [row.values() for row in rows])
""",
        needs="by_layer",
    ),
    Cell(
        "words-heading",
        "markdown",
        "## Words under the three maps\n\nWhat follows a word, what can stand for it, what came before it.",
        needs="words",
    ),
    Cell(
        "words",
        "code",
        """
near = run.header["words"]["nearest"]
Table(["word", *next(iter(near.values()), {})], [(w, *map(" ".join, of.values())) for w, of in near.items()])
""",
        needs="words",
    ),
    Cell("slowest-heading", "markdown", "## The slowest checks"),
    Cell(
        "slowest",
        "code",
        """
longest = sorted(run.results, key=lambda result: -result.seconds)[:10]
Table(["check", "target", "seconds", "cases"], [(r.check, r.target, r.seconds, r.cases) for r in longest])
""",
    ),
    Cell("left-out-heading", "markdown", "## What was not tried, and why"),
    Cell(
        "left-out",
        "code",
        """
left_out = [r for r in run.results if r.result in ("skipped", "not_applicable")]
rows = [(r.check, r.target, r.result, r.note) for r in left_out]
rows += [("", "", "left out", sentence) for sentence in run.header.get("left_out", [])]
Table(["check", "target", "result", "why"], rows)
""",
    ),
    Cell("about-heading", "markdown", "## What this run was made of"),
    Cell(
        "about",
        "code",
        """
facts = {**run.header, **run.header.get("corpus", {}), **run.header.get("versions", {})}
Table(["", ""], [(name, value) for name, value in facts.items() if not isinstance(value, dict)])
""",
    ),
)

"""`leadterms claims`: of which source, of which verdict, and as JSON."""

import io
import json
import re
from collections import Counter
from dataclasses import replace

from calling import called
from rich.console import Console

from paper_checks.commands.claims import choose
from paper_checks.ledger.book import claims, sources
from paper_checks.ledger.counts import HOLDS_OTHERWISE, IMPLIED, REFUTED_OTHERWISE, by_source
from paper_checks.ledger.decide import Decided, decide
from paper_checks.ledger.finding import Finding
from paper_checks.ledger.setting import Setting
from paper_checks.ledger.show import counts, show_table
from paper_checks.ledger.strength import Strength

# How else a claim may be read: not, so that it holds, so that it does not.
READ = ({}, {"steps from 0": "holds"}, {"rows from 1": "refuted"})


def test_the_list_is_of_one_source_and_one_verdict(tmp_path):
    done = called(
        "claims", "--source", "circuits-notes", "--verdict", "refuted", "--json", "c.json", cwd=tmp_path
    )
    rows = json.loads((tmp_path / "c.json").read_text())
    assert done.returncode == 0, done.stderr
    assert {"shortformer-positions"} <= {row["id"] for row in rows} < {one.id for one in claims()}
    assert {(row["source"], row["verdict"]) for row in rows} == {("circuits-notes", "refuted")}
    assert re.search(rf"^claims +{len(rows)}\nrefuted +{len(rows)}\n", done.stdout, re.MULTILINE), done.stdout
    assert re.findall(r"^(\S*-\S*) +refuted", done.stdout, re.MULTILINE) == [row["id"] for row in rows]


def test_a_row_has_the_whole_id_and_the_statement_as_far_as_the_line_goes():
    printed = io.StringIO()
    (one,) = decide([claim for claim in claims() if claim.id == "layer-means"], Setting())
    longest = replace(one.finding, verdict="holds_to_rounding")
    every = [replace(one, claim=replace(claim, numbers={}), finding=longest) for claim in claims()]
    show_table(every, Console(file=printed, width=80))
    lines = printed.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    for one in every:
        (row,) = (line for line in lines if line.startswith(f"{one.claim.id} "))
        shown = row.removeprefix(one.claim.id).strip().removeprefix("holds (rounded)").lstrip(" *†").strip()
        assert one.claim.statement.startswith(shown.removesuffix("…").rstrip()), row
        assert len(shown) > 20
        assert shown.endswith("…") == (shown != one.claim.statement)


def test_a_claim_of_two_sources_is_listed_under_both():
    assert {"summary", "toy-model"} == {
        source for source in sources() if "full-batch-vs-sgd" in {one.id for one in choose([], source)}
    }
    assert [one.id for one in choose(["cos-qk", "cos-qk"], None)] == ["cos-qk"]
    assert len(choose([], None)) == len(claims())


def test_the_counts_are_of_all_claims_each_in_one_source():
    """The table's sums are those of the ledger; what is counted apart is part of its verdict."""
    verdicts = ("holds", "holds_to_rounding", "refuted", "not_run")
    findings = [Finding(verdicts[n % 4], "exact", "", readings=READ[n % 3]) for n in range(len(claims()))]
    decided = [
        Decided(claim, finding, Strength("", ""), 0.0, "")
        for claim, finding in zip(claims(), findings, strict=True)
    ]
    counted = by_source(one.as_row() for one in decided)
    assert [one.key for one in counted] == list(sources())
    assert [one.name for one in counted] == [one.name for one in sources().values()]
    assert [one.total for one in counted] == [sum(c.source == key for c in claims()) for key in sources()]
    assert sum(one.total for one in counted) == len({claim.id for claim in claims()})
    for one in counted:
        assert sum(one.found[name] for name in verdicts) == one.total
        assert max(one.found[IMPLIED], one.found[HOLDS_OTHERWISE]) <= one.found["refuted"]
    whole = sum((one.found for one in counted), Counter())
    assert {name: whole[name] for name in verdicts} == Counter(one.verdict for one in findings)
    apart = [one for one in findings if one.otherwise]
    assert whole[HOLDS_OTHERWISE] == sum(one.verdict == "refuted" for one in apart)
    assert whole[REFUTED_OTHERWISE] == sum(one.verdict != "refuted" for one in apart)

    console = Console(width=80, record=True, file=io.StringIO())
    show_table(decided, console)
    told = console.export_text().split("Claims by source")[1]
    assert re.search(rf"^refuted +.* {whole['refuted']}$", told, re.MULTILINE)
    assert re.search(rf"^  {HOLDS_OTHERWISE} +.* {whole[HOLDS_OTHERWISE]}$", told, re.MULTILINE)
    assert re.search(rf"^  {IMPLIED} +.* {whole[IMPLIED]}$", told, re.MULTILINE)
    assert "…" not in told  # in 80 columns every name and number is whole


def test_no_claim_makes_no_table():
    assert counts([]) == "No claim is like that."

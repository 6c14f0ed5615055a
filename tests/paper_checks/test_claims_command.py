"""`leadterms claims`: of which source, of which verdict, and as JSON."""

import io
import json
import re
from dataclasses import replace

from calling import called
from rich.console import Console

from paper_checks.commands.claims import choose
from paper_checks.ledger.book import claims, sources
from paper_checks.ledger.decide import decide
from paper_checks.ledger.setting import Setting
from paper_checks.ledger.show import show_table


def test_the_list_is_of_one_source_and_one_verdict(tmp_path):
    done = called(
        "claims", "--source", "circuits-notes", "--verdict", "refuted", "--json", "c.json", cwd=tmp_path
    )
    rows = json.loads((tmp_path / "c.json").read_text())
    assert done.returncode == 0, done.stderr
    assert {"shortformer-positions"} <= {row["id"] for row in rows} < {one.id for one in claims()}
    assert {(row["source"], row["verdict"]) for row in rows} == {("circuits-notes", "refuted")}
    assert f"{len(rows)} claims: {len(rows)} refuted." in done.stdout
    assert re.findall(r"^(\S+) +refuted", done.stdout, re.MULTILINE) == [row["id"] for row in rows]


def test_a_row_has_the_whole_id_and_the_statement_as_far_as_the_line_goes():
    printed = io.StringIO()
    (one,) = decide([claim for claim in claims() if claim.id == "layer-means"], Setting())
    longest = replace(one.finding, verdict="holds_to_rounding")
    every = [replace(one, claim=claim, finding=longest) for claim in claims()]
    show_table(every, Console(file=printed, width=80))
    lines = printed.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    for one in every:
        (row,) = (line for line in lines if line.startswith(f"{one.claim.id} "))
        shown = row.removeprefix(one.claim.id).strip().removeprefix("holds (rounded)").strip()
        assert one.claim.statement.startswith(shown.removesuffix("…").rstrip()), row
        assert len(shown) > 20
        assert shown.endswith("…") == (shown != one.claim.statement)


def test_a_claim_of_two_sources_is_listed_under_both():
    assert {"summary", "toy-model"} == {
        source for source in sources() if "full-batch-vs-sgd" in {one.id for one in choose([], source)}
    }
    assert [one.id for one in choose(["cos-qk", "cos-qk"], None)] == ["cos-qk"]
    assert len(choose([], None)) == len(claims())

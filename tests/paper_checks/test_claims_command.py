"""`leadterms claims`: of which source, of which verdict, and as JSON."""

import json
import re

from calling import called

from paper_checks.commands.claims import choose
from paper_checks.ledger.book import claims, sources


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


def test_a_claim_of_two_sources_is_listed_under_both():
    assert {"summary", "toy-model"} == {
        source for source in sources() if "full-batch-vs-sgd" in {one.id for one in choose([], source)}
    }
    assert [one.id for one in choose(["cos-qk", "cos-qk"], None)] == ["cos-qk"]
    assert len(choose([], None)) == len(claims())

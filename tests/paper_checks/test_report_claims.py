"""Claims in a run's file and on the page."""

import re
from dataclasses import replace

import pytest
from test_report_page import page_of
from test_report_sample import CLAIMS, claim, run_of, sample_run, with_claims

from paper_checks.ledger.book import claims
from paper_checks.ledger.weight import ABOUT
from paper_checks.report import verdicts
from paper_checks.report.page import off
from paper_checks.report.summary import digest
from paper_checks.report.verdicts import BEGIN_WITH, read_first
from properties.results import read_run, write_run
from reference.errors import InputError


def test_claims_are_read_as_they_were_written(tmp_path):
    write_run(tmp_path / "run.jsonl", sample_run())
    assert read_run(tmp_path / "run.jsonl").claims == CLAIMS


def test_a_file_that_lost_a_claim_is_refused(tmp_path):
    path = tmp_path / "run.jsonl"
    write_run(path, sample_run())
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"id": "wrong"' not in line))
    with pytest.raises(InputError, match="holds 7 claims, its footer counts 8"):
        read_run(path)


def test_every_claim_has_a_row_and_every_refuted_one_an_erratum():
    page = page_of(sample_run())
    assert len(re.findall(r'<tr role="row" id="claim-', page)) == len(CLAIMS)
    errata = page.split('id="errata"')[1].split("</section>")[0]
    assert re.findall(r"<code>(\w+)</code>", errata) == ["wrong", "other"]
    assert "5.433" in errata
    for name in ("wrong", "other"):
        assert f'id="erratum-{name}"' in errata
        assert f'href="#erratum-{name}"' in row_of(page, name)
    late = page.split('id="claim-late"')[1].split(">")[0]
    assert 'data-evidence=""' in late  # it was not run, so that nothing holds it yet


def row_of(page, name):
    return page.split(f'id="claim-{name}"')[1].split(">", 1)[1].split("</tr>")[0]


def test_a_row_says_why_and_how_a_claim_was_read_where_no_erratum_does():
    read = {"derivation": "So it is.", "convention": "As counted."}
    rows = [claim(name, name, **read) for name in ("holds", "refuted", "inconclusive")]
    page = page_of(with_claims(sample_run(), *rows, claim("late", "not_run", **read, computed="")))
    told = {
        name: ["Why: So it is." in row, "Read as: As counted." in row]
        for name, row in ((name, row_of(page, name)) for name in ("holds", "refuted", "inconclusive", "late"))
    }
    # What was not run has what it needs in the place of what was computed.
    assert told == {"holds": [1, 1], "refuted": [0, 0], "inconclusive": [1, 1], "late": [0, 1]}


def test_a_row_has_the_command_and_what_has_to_be_obtained_for_it():
    waits = claim(
        "late", "not_run", command="leadterms claims late --corpus a.txt", obtain={"a.txt": "a text"}
    )
    row = row_of(page_of(with_claims(sample_run(), waits)), "late")
    assert re.sub("<.*?>", "", row.split('class="command">')[1].split("</code>")[0]) == waits["command"]
    assert "<code>a.txt</code> is a text." in row


def test_the_page_says_what_each_source_is():
    run = with_claims(sample_run(), claim("one", "holds", origin="a post"), claim("two", "holds", source="b"))
    section = page_of(run).split('id="claims"')[1].split("</section>")[0]
    told = re.findall(r'rowheader">(.*?)</th>', section)
    assert told == [
        'A paper <span class="quiet">paper: a post</span>',
        'A paper <span class="quiet">b</span>',
    ]


def test_errata_come_by_weight_and_none_is_lost():
    assert tuple(verdicts.ERRATA) == (*ABOUT, "")
    light, near, far, heavy = (
        claim(name, "refuted", about=ABOUT[kind], weight=[kind, -off], off=off)
        for name, kind, off in (("light", 3, 0.0), ("near", 2, 0.125), ("far", 2, 6.0), ("heavy", 0, 0.0))
    )
    run = with_claims(sample_run(), light, near, far, heavy)
    errata = page_of(run).split('id="errata"')[1].split("</section>")[0]
    assert verdicts.BY_WEIGHT in errata
    assert re.findall(r"<code>(\w+)</code>", errata) == ["heavy", "far", "near", "light"]
    assert re.findall(r"<h3>(.*?) <span", errata) == [verdicts.ERRATA[ABOUT[kind]] for kind in (0, 2, 3)]
    assert re.findall(r"\((off by.*?)\)", errata) == ["off by a factor of 7", "off by 12%"]
    assert [off(share) for share in (1.0, 5768.0, 0.0048)] == [
        "off by a factor of 2",
        "off by a factor of 5,770",
        "off by 0.48%",
    ]


def test_every_claim_says_how_strong_its_evidence_is_and_what_is_missing():
    """In its row and, where it is refuted, in the errata; claims of older results say neither."""
    known = [
        claim("weak", "refuted", strength="a pattern, 2 of 6 steps", missing="present in the data"),
        claim("sure", "refuted", strength="by arithmetic alone", missing="nothing"),
        claim("old", "refuted"),
    ]
    page = " ".join(page_of(with_claims(sample_run(), *known)).split())
    rows = dict(re.findall(r'id="claim-(\w+)".*?data-key="evidence"[^>]*>(.*?)</td>', page))
    held = known[0]["evidence"]
    assert rows == {
        "weak": f'{held}<br><span class="quiet">a pattern, 2 of 6 steps; missing: present in the data</span>',
        "sure": f'{held}<br><span class="quiet">by arithmetic alone</span>',
        "old": held,
    }
    errata = page.split('id="errata"')[1].split("</section>")[0]
    assert ": a pattern, 2 of 6 steps; missing: present in the data)" in errata
    assert ": by arithmetic alone)" in errata


def test_the_counts_add_up():
    run = sample_run()
    counts = verdicts.by_source(run)
    assert [(one.title, one.total) for one in counts] == [("A paper", 6), ("A chapter", 2)]
    assert sum(sum(one.found.values()) for one in counts) == len(CLAIMS)
    (more, _) = verdicts.by_source(with_claims(run, *CLAIMS, claim("again", "holds")))
    assert (more.total, more.found["holds"]) == (7, counts[0].found["holds"] + 1)
    assert verdicts.present(run) == list(verdicts.VERDICTS)
    assert verdicts.present(with_claims(run, claim("one", "holds"))) == ["holds"]
    assert verdicts.in_words(run) == "What came of 8 published claims, of 2 sources, stands below by source."


def test_the_first_table_leaves_no_claim_out():
    run = sample_run()
    for one in verdicts.by_source(run):
        main = sum(one.found[name] for name, _ in verdicts.main_columns(run) if name in verdicts.VERDICTS)
        assert main + verdicts.others(run, one) == one.total
    page = page_of(with_claims(run, claim("a", "definition"), claim("b", "holds"))).split("</header>")[0]
    assert re.findall(r'data-label="other">(.*?)</td>', page) == ["1"]


def test_what_is_only_implied_or_turned_is_counted_apart_at_the_top_and_in_the_claims():
    run = with_claims(
        sample_run(),
        claim("a", "refuted", name="paper", implied="by the scripts"),
        claim("b", "refuted", otherwise=["steps from 0"]),
        claim("c", "refuted"),
        claim("d", "holds", source="b", title="B", implied="by the sizes", otherwise=["a mean"]),
    )
    page = page_of(run)
    refuted = ["Refuted", "Of them only implied", "Of them hold in another reading"]
    first, full = (table.split("</table>")[0] for table in page.split('<table class="verdict-counts"')[1:])
    for table, headings, expected in (
        (first, ["Holds", *refuted, "Other"], [["3", "", "3", "1", "1", ""], ["1", "1", "", "", "", ""]]),
        (
            full,
            ["Holds", "Of them refuted in another reading", *refuted],
            [["3", "", "", "3", "1", "1"], ["1", "1", "1", "", "", ""]],
        ),
    ):
        assert re.findall(r"<th scope=.col.[^>]*>(.*?)</th>", table)[2:] == headings
        assert [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in table.split("<tr")[2:]] == expected
    assert page.count('<table class="verdict-counts"') == 2
    top = page.split("</header>")[0]
    assert ">Paper</th>" in top
    errata = page.split('id="errata"')[1].split("</section>")[0]
    assert "Refuted, by source: paper 3 of 3 (1 only implied, 1 true in another reading)." in errata
    legend = page.split('id="claims"')[1].split('class="legend"')[1].split("</section>")[0]
    assert all(f"<dt>{name}</dt><dd>{means}</dd>" in legend for name, means in verdicts.MEANINGS.items())


def test_the_page_says_by_what_means_the_claims_were_decided():
    assert verdicts.decided_by(sample_run()) == {"proved": 1, "exact": 5}
    table = page_of(sample_run()).split('class="sureness"')[1].split("</table>")[0]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in table.split("<tr")[2:]]
    assert [row[1] for row in rows] == ["1", "5", "none", "none", "none"]
    only_printed = with_claims(run_of(), claim("printed", "holds", evidence="quoted"))
    last = page_of(only_printed).split('class="sureness"')[1].split("</table>")[0].split("<tr")[-1]
    assert 'class="none"' not in last  # no law is held so, and a claim is
    assert "Claims decided" not in page_of(with_claims(sample_run()))


def test_the_page_says_which_verdicts_rest_on_what_others_found():
    assert verdicts.on_others(sample_run()) == []
    quoted = {"fact": "It is seven.", "work": "A work, 1999"}
    wrong = claim("wrong", "refuted", evidence="quoted", quoted=quoted)
    law = claim(
        "law", "holds", evidence="quoted", quoted={"theorem": "It is bounded.", "work": "Another, 2001"}
    )
    section = page_of(with_claims(sample_run(), wrong, law, claim("own", "holds", quoted={}))).split(
        'id="claims"'
    )[1]
    section = " ".join(section.split("</section>")[0].split())
    assert "2 verdicts rest on a fact or a theorem of others" in section
    told = re.findall(
        r"<li><a href=.#claim-(\w+).><code>\w+</code></a>: (.*?) <span class=.quiet.>(.*?)</span>", section
    )
    assert told == [("wrong", "It is seven.", "A work, 1999"), ("law", "It is bounded.", "Another, 2001")]


def test_what_was_not_run_is_held_by_nothing():
    assert verdicts.choices(sample_run())["evidence"] == [
        (one, one) for one in ("proved", "exact", "measured")
    ]


@pytest.mark.parametrize("part", ["verdict", "computed", "derivation", "convention", "missing", "command"])
def test_the_digest_is_of_every_part_of_a_claim_but_its_time(part):
    run = sample_run()
    first, *others = run.claims
    assert digest(with_claims(run, {**first, part: "another"}, *others)) != digest(run)
    assert digest(with_claims(run, {**first, "seconds": 99.0}, *others)) == digest(run)


def test_the_errata_say_how_a_claim_was_read():
    wrong = claim("wrong", "refuted", derivation="So it comes out.", convention="As it is counted.")
    errata = page_of(with_claims(sample_run(), wrong)).split('id="errata"')[1].split("</section>")[0]
    assert "<dt>Why</dt><dd>So it comes out.</dd>" in errata
    assert "<dt>Read as</dt><dd>As it is counted.</dd>" in errata


def test_the_page_says_what_was_only_implied_and_by_what():
    wrong = claim("wrong", "refuted", stated="four", implied="by the scripts")
    page = page_of(with_claims(sample_run(), wrong, claim("said", "refuted", stated="five")))
    errata = page.split('id="errata"')[1].split("</section>")[0]
    told = 'four <span class="quiet">(only implied, by the scripts)</span>'
    assert f"<dt>Implied</dt><dd>{told}</dd>" in errata
    assert "<dt>Stated</dt><dd>five</dd>" in errata
    assert told in row_of(page, "wrong")
    assert "implied" not in row_of(page, "said")


def test_the_page_says_in_which_reading_a_verdict_turns():
    wrong = claim("wrong", "refuted", otherwise=["steps from 0", "rows from 1"])
    page = page_of(with_claims(sample_run(), wrong, claim("right", "holds", otherwise=["a mean"])))
    errata = page.split('id="errata"')[1].split("</section>")[0]
    assert "<dt>Otherwise</dt><dd>holds with steps from 0; with rows from 1</dd>" in errata
    assert "otherwise holds with steps from 0; with rows from 1</span>" in row_of(page, "wrong")
    assert "otherwise refuted with a mean</span>" in row_of(page, "right")


def test_a_run_without_claims_says_nothing_of_them():
    page = page_of(with_claims(sample_run()))
    assert 'id="ledger"' not in page
    assert 'id="errata"' not in page


def test_published_numbers_stand_beside_their_predictions():
    compared = {
        "says": "cosine of W_O",
        "source": "Table 1",
        "setting": {"rate": 0.005, "steps": 3200},
        "relation": "equal",
        "published": 0.998486,
        "printed": "0.9984860",
        "vocab_size": 3000,
        "length": 200,
        "predicted": {"value": 0.9984061, "low": 0.9980112, "high": 0.9987301, "ends": "95% interval"},
        "verdict": "inside",
        "left_out": "",
        "would_give_it": "",
    }
    other = {**compared, "predicted": None, "verdict": "not predicted", "relation": "above"}
    run = sample_run()
    page = page_of(replace(run, header={**run.header, "predicted": [compared, other]}))
    section = page.split('id="predicted"')[1].split("</section>")[0]
    assert "0.998406" in section
    assert "0.998011 to 0.998730" in section
    assert "above 0.9984860" in section
    assert section.count("Run: η 0.005, 3,200 steps") == 1
    assert "other sizes" not in section
    # A series whose terms grow predicts nothing, whatever it adds up to.
    grown = {**compared["predicted"], "value": -0.4678, "reliable": False}
    unknown = {**compared, "predicted": grown, "verdict": "other sizes", "left_out": "Its terms grow."}
    page = page_of(replace(run, header={**run.header, "predicted": [unknown]}))
    section = page.split('id="predicted"')[1].split("</section>")[0]
    assert "0.4678" not in section
    assert "0.998011" not in section
    assert "Its terms grow." in section
    assert "300 embedded stories, seed 0, of 71" in section
    assert "leadterms predict tinystories.txt --vocab 3000 --length 200" in section
    # What stands at the ends, where it is no interval; and nothing where both are one.
    sized = {**compared, "predicted": {**compared["predicted"], "ends": "rms and largest value"}}
    assert "rms and largest value" in of_page(run, sized)
    point = {**compared, "predicted": {**compared["predicted"], "low": 0.0, "high": 0.0}}
    assert " to 0" not in of_page(run, point)
    missed = {**compared, "verdict": "outside", "left_out": "The text.", "would_give_it": "Twice as much."}
    assert "The text. Twice as much." in of_page(run, missed)
    assert "Twice" not in of_page(run, {**missed, "verdict": "inside"})
    assert 'id="predicted"' not in page_of(run)


def of_page(run, one):
    page = page_of(replace(run, header={**run.header, "predicted": [one]}))
    return page.split('id="predicted"')[1].split("</section>")[0]


def test_claims_to_begin_with_are_in_the_ledger_and_shown_with_what_was_found():
    assert set(BEGIN_WITH) <= {one.id for one in claims()}
    second, first, left = BEGIN_WITH[3], BEGIN_WITH[0], BEGIN_WITH[1]
    run = with_claims(
        sample_run(),
        claim(second, "refuted", computed="seven", stated="four"),
        claim(first, "holds", computed="one", stated="one"),
        claim(left, "not_run"),
    )
    assert [one["id"] for one in read_first(run)] == [first, second]
    section = page_of(run).split('id="claims"')[1].split("</section>")[0]
    assert section.index("found:</span> one") < section.index("found:</span> seven") < section.index("<table")
    assert "to begin with" not in page_of(with_claims(sample_run(), claim("another", "holds")))

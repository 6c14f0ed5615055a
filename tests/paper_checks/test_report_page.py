"""The page: complete, closed to the outside, and safe whatever the results hold."""

import base64
import hashlib
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import pytest
from test_report_sample import (
    BASELINES,
    COUNTEREXAMPLE,
    HOSTILE,
    RATES,
    claim,
    hostile_run,
    result,
    run_of,
    sample_run,
    with_claims,
)

from paper_checks.ledger.book import claims
from paper_checks.report import summary
from paper_checks.report.draw import drawn, fit_for_page
from paper_checks.report.families import COME_ALONG, FAMILIES
from paper_checks.report.news import FIRST
from paper_checks.report.page import facts, pretty, render, scientific, template_text
from paper_checks.report.plots import plot_groups
from paper_checks.report.summary import OF_THE_SUITE
from paper_checks.report.typeset import typeset
from properties.catalogue import CHECKS
from properties.connectors import BUILT_IN

VOID = {"meta", "link", "input", "br", "img", "hr"}
LOADS = {"src", "href", "xlink:href", "srcset", "data", "action", "poster", "formaction"}


class Page(HTMLParser):
    """Reads a page, holding it to closed tags; gathers ids, links, what it would load, and rows."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.loads, self.rows, self.tags = [], [], [], [], [], []
        self.text = []
        self.feed(text)
        assert self.open == [], f"left open: {self.open}"

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in found:
            self.ids.append(found["id"])
        assert not any(name.startswith("on") for name in found), f"{tag} has a handler"
        for name in LOADS & set(found):
            target = found[name] or ""
            (self.links if target.startswith("#") else self.loads).append(target)
        if tag == "tr" and "data-family" in found:
            self.rows.append(found)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("script", "style"):
            self.text.append(data)


@cache
def figure_of(plot):
    return fit_for_page(drawn(plot)[0], plot)


def page_of(run):
    groups = plot_groups(run)
    return render(run, groups, {plot.stem: figure_of(plot) for group in groups for plot in group.plots})


@pytest.fixture(scope="module", params=["sample", "hostile"])
def text(request):
    return page_of({"sample": sample_run, "hostile": hostile_run}[request.param]())


def test_links_resolve_ids_are_unique_and_nothing_is_loaded(text):
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert set(page.loads) == {"data:,", "results.jsonl", "report.ipynb"}
    assert re.findall(r"url\((?!#)", text) == []
    assert "@import" not in text
    assert not set(page.tags) & {"img", "iframe", "object", "embed"}
    assert page.tags.count("script") == 1


def test_only_the_pages_own_script_may_run(text):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy
    assert script == template_text("page.js")


def test_every_figure_has_a_name_and_follows_the_pages_colours():
    page = page_of(sample_run())
    for name in re.findall(r'<svg[^>]*aria-labelledby="([^"]*)"', page):
        assert f'<figcaption id="{name}"' in page
    svg = re.search(r"<svg.*?</svg>", page, re.DOTALL)[0]
    assert "currentColor" in svg
    assert not re.search(r"#[0-9a-f]{6}", svg)


def test_hostile_words_are_shown_and_not_obeyed():
    text = page_of(hostile_run())
    shown = " ".join("".join(Page(text).text).split())
    assert " ".join(HOSTILE.split()) in shown
    assert "<img" not in text
    assert "{{ 7*7 }}" in text


def test_a_row_for_every_result_with_what_it_is_filtered_by():
    run = sample_run()
    page = page_of(run)
    rows = Page(page).rows
    told = [
        (row["data-family"], row["data-target"], row["data-result"], row["data-evidence"]) for row in rows
    ]
    assert told == [(one.family, one.target, one.result, one.evidence) for one in run.results]
    text = "".join(Page(page).text)
    for one in run.results:
        assert one.command in text
        assert str(typeset(one.statement)) in page
    for name, choices in {"family": 7, "target": 3, "result": 7, "evidence": 4}.items():
        filters = page.split('id="results"')[1]
        select = re.search(rf'<select name="{name}">(.*?)</select>', filters, re.DOTALL)[1]
        assert select.count("<option") == choices + 1


def test_the_verdict_the_counts_and_the_facts_are_told():
    text = " ".join("".join(Page(page_of(sample_run())).text).split())
    assert "1 failed, 1 passed against expectation and 1 raised an error" in text
    assert "Of 20 results, 14 passed, 1 failed," in text
    assert "proved 1 of 1" in text
    assert "measured none" in text
    for fact in (
        "0123456789abcdef",
        "300 sequences, 40 positions each, 71 words",
        "numpy 2.4.6",
        "ad538353",
    ):
        assert fact in text
    of_the_run = {"Seed": "0", "Profile": "quick", "Device": "cpu", "Command": "leadterms report"}
    assert of_the_run.items() <= dict(facts(sample_run())).items()
    for reason in ("gpu32 needs torch", "needs a model", "has no composition_score"):
        assert reason in text
    good = " ".join("".join(Page(page_of(run_of(result("model.loss")))).text).split())
    assert "Every law that could be tried holds" in good
    assert "What went wrong" not in good


def test_every_family_of_checks_has_a_title():
    assert {check.id.split(".")[0] for check in CHECKS} <= set(FAMILIES)


BY_LAYER = {
    "part": {"sequences": 8, "length": 6, "vocab_size": 9},
    "layers": 2,
    "rate": 0.05,
    "steps": 32,
    "rows": [
        {
            "weight": name,
            "cosine": 1 - apart,
            "best_rank_one": 0.75,
            "shuffled": 0.5,
            "predicted": 3e-6,
            "measured": 4e-6,
            "random": 1e-9,
        }
        for name, apart in (("W_O", 2.0**-20), ("V 0", 2.0**-18), ("V 1", 2.0**-16), ("W 0", 2.0**-19))
    ],
}


def news_of(run):
    return " ".join(page_of(run).split('id="new"')[1].split("</section>")[0].split())


def test_what_is_new_is_read_in_an_order_and_none_of_it_is_lost():
    known = {check.id for check in CHECKS if check.source == "derived here"}
    assert set(FIRST) | OF_THE_SUITE <= known
    new = [
        result(check, "theory", evidence="exact", source="derived here", statement=f"It is {check}.")
        for check in ("series.conserved", "series.ablation", "proof.next_order", "proof.theory_apart")
    ]
    run = run_of(*new)
    section = news_of(run_of(*new, by_layer=BY_LAYER))
    places = [section.index(f"It is {check}.") for check in ("proof.next_order", "series.ablation")]
    assert places == sorted(places)
    assert places[-1] < section.index("<details>") < section.index("It is series.conserved.")
    shaky = [replace(one, evidence=kind) for one, kind in zip(new, ("property", "measured"), strict=False)]
    assert [law.check for law in summary.derived_here(run_of(*shaky, *new[2:]))] == ["proof.next_order"]
    assert "It is proof.theory_apart." not in section  # how the suite is built is no news of the theory
    assert all(FIRST[check][0] in section for check in ("proof.next_order", "series.ablation"))
    # Without a number it is not among the first, and still there.
    without = news_of(run)
    assert without.index("<details>") < without.index("It is series.ablation.")


@pytest.mark.parametrize(
    ("check", "number"),
    [
        ("proof.next_order", "Proved at 10 sizes"),
        (
            "series.relative_error",
            "at the rate 0.05, 1 - cos is 9.5e-07 for W_O and at most 1.5e-05, for V of layer 1.",
        ),
        (
            "series.ablation",
            "rises by 4e-06 nats a token without V of layer 0 (3e-06 predicted, cosine 0.999996) and 4e-06",
        ),
        ("series.layer_separation", "2 layers of V are 1 - cos = 3.8e-06 to 1.5e-05"),
        ("bounds.zero_passes", "At the published rate what came out."),
        (
            "bounds.D10_proved",
            "more than 0.005 of the bound on W_O, 0.00096 of that on V, 1.2e-05 of that on W.",
        ),
        ("predictions.ablation", "have the what came out."),
        ("series.general_descent", "the weights have the what came out."),
        ("random.softmax_moments", "untrained head has what came out."),
    ],
)
def test_each_first_remark_has_its_number_from_the_run(check, number):
    names = {
        "paper-thm-bounds-informative",
        "leading-coefficients-at-run",
        "full-batch-vs-sgd",
        "random-entropy-deficit",
    }
    assert names <= {one.id for one in claims()}
    room = {"L = 3": {"W_O": 0.00497, "V": 0.000951, "W": 1.11e-5, "P": 1e-5}}
    measured = {"error over bound on any corpus, at most": room}
    law = result(check, "theory", evidence="exact", source="derived here", cases=10, measurements=measured)
    decided = [claim(name, "holds", computed="what came out") for name in sorted(names)]
    assert number in news_of(with_claims(run_of(law, by_layer=BY_LAYER), *decided))


def test_the_page_says_how_a_law_is_proved_and_on_how_many_cases_it_is_exact():
    laws = [
        result("proof.one", "theory", evidence="proved", proof="certificate"),
        result("bounds.one", "theory", evidence="proved", proof="derivation"),
        *(result("series.one", name, evidence="exact", cases=n) for name, n in (("a", 9), ("b", 2))),
        result("series.one", "c", "not_applicable", evidence="exact", cases=0),
        result("series.two", "theory", evidence="exact", cases=1, source="derived here"),
        result("model.one", "a"),
    ]
    page = page_of(run_of(*laws))
    held = dict(re.findall(r'id="law-([\w.]+)".*?data-label="held by">(.*?)</td>', page, re.DOTALL))
    assert held == {
        "proof.one": "proved, by certificate",
        "bounds.one": "proved, by derivation",
        "series.one": "exact, on 2 cases",
        "series.two": "exact, on 1 case",
        "model.one": "property",
    }
    assert "Here 1 by certificate, 1 by derivation." in page.split("</header>")[0]
    assert "exact, on 1 case" in news_of(run_of(*laws))
    rows = page.split('id="results-table"')[1]
    assert 'data-label="held by">proved, by derivation</td>' in rows


def test_a_counterexample_is_shown_in_full():
    long = {**COUNTEREXAMPLE, "case": {"tokens": [[i % 7 for i in range(90)] for _ in range(40)]}}
    run = run_of(result("statistics.Q_bar", "gpu", "failed", counterexample=long))
    text = "".join(Page(page_of(run)).text)
    assert text.count(str([i % 7 for i in range(20)])[1:-1]) >= 40
    assert "".join(str(long["case"]["tokens"]).split()) in "".join(text.split())
    for value in ("0.03125", "-0.015625", "-1/64", "multiplied by -2", "[0, 1]"):
        assert value in text


def test_pretty_keeps_every_entry():
    value = {"a": [1, 2, {"b": "text é"}], "c": [[0] * 50, [1] * 50]}
    laid_out = pretty(value, width=40)
    assert laid_out.count("0") == 50
    assert laid_out.count("1") == 51
    assert "text é" in laid_out
    assert pretty([1, 2]) == "[1, 2]"


def test_the_digest_follows_the_results_and_not_the_times():
    slower = run_of(*(result("model.loss", seconds=seconds) for seconds in (9.0,)))
    assert summary.digest(slower) == summary.digest(run_of(result("model.loss")))
    assert summary.digest(run_of(result("model.loss", cases=25))) != summary.digest(slower)
    assert summary.digest(slower) in page_of(slower)


def test_the_plots_are_the_measurements():
    groups = {group.name: group.plots for group in plot_groups(sample_run())}
    assert [plot.what for plot in groups["scaling"]] == ["reference", "gpu"]
    W_O = groups["scaling"][0].series[0]
    assert W_O.label == "W_O: 2.00 [1.99, 2.01]"
    assert W_O.points == tuple((rate, 0.3 * rate**2) for rate in RATES)
    (baseline,) = groups["baselines"]
    assert [series.is_law for series in baseline.series] == [True, False]
    assert baseline.series[1].points == tuple(
        zip(BASELINES["T"], BASELINES["measured"]["diagonal"], strict=True)
    )


@pytest.mark.parametrize(
    "measurements",
    [
        {},
        {"T": 7},
        {"rates": [0.1, 0.2]},
        {"rates": [0.1, 0.2], "remainders": [1, 2]},
        {"rates": [0.1, 0.2], "remainders": {"V": [1.0]}},
        {"rates": [0.1, 0.2], "remainders": {"V": [0.0, -1.0]}},
        {"rates": "many", "remainders": {"V": None}, "exponents": {"V": 3}},
        {"T": [1, 2], "closed_form": {"diagonal": ["a", None]}, "measured": 3},
        {"layers": [0, 1], "cosine": {"V": [True, None]}},
    ],
)
def test_what_cannot_be_drawn_is_left_out(measurements):
    run = run_of(result("scaling.V", measurements=measurements))
    assert plot_groups(run) == []
    assert "<svg" not in page_of(run)


def test_layers_are_drawn_and_like_names_get_files_of_their_own():
    cosines = {"layers": [0, 1, 2], "cosine": {"V": [0.99, 0.98, 0.97]}}
    run = run_of(*(result("alignment.layers", target, measurements=cosines) for target in ("a b", "a-b")))
    ((plots),) = [group.plots for group in plot_groups(run)]
    assert [plot.stem for plot in plots] == [
        "layers-alignment-layers-on-a-b",
        "layers-alignment-layers-on-a-b-2",
    ]


def test_a_law_that_fails_on_one_target_was_tried_and_does_not_hold():
    run = run_of(
        result("a.one"),
        result("a.two", state="failed"),
        result("a.two", target="gpu"),
        result("a.three", state="skipped"),
    )
    found = {law.check: (law.tried, law.holds) for law in summary.laws(run.results)}
    assert found == {"a.one": (True, True), "a.two": (True, False), "a.three": (False, False)}
    (counted,) = [one for one in summary.sureness(run) if one.laws]
    assert (counted.laws, counted.tried, counted.hold) == (3, 2, 1)


def test_the_page_counts_what_is_there_and_names_what_it_shows():
    page = page_of(run_of(*sample_run().results, by_layer=BY_LAYER))
    assert set(COME_ALONG) == set(BUILT_IN)
    opening = " ".join(page.split("</header>")[0].split())
    for name in ("reference", "gpu"):
        assert f"<code>{name}</code> ({COME_ALONG[name]})" in opening
    # No count stands in a heading that is not counted.
    headings = re.findall(r"<h[1-3][^>]*>(.*?)</h", page, re.DOTALL)
    counts = {"two", "four", "five", "six", "seven", "eight", "nine", "ten"}
    assert not counts & {word for heading in headings for word in heading.lower().split()}
    # What stands under a heading of 1 - cosine is that, in every column.
    table = page.split('class="by-layer"')[1].split("</table>")[0]
    assert "1 &minus; cosine with the leading term" in table
    shown = re.findall(r'<td class="number">(.*?)</td>', table)[:6]
    assert shown[:3] == ["9.5e\N{MINUS SIGN}07", "0.25", "0.50"]
    (first, *_) = BY_LAYER["rows"]
    assert first["predicted"] != first["measured"]
    assert shown[3:] == [scientific(first[name]) for name in ("predicted", "measured", "random")]

"""The report under docs/ is the one that its results give, and is not edited by hand."""

import re
from pathlib import Path

from paper_checks.report import summary
from paper_checks.report.page import render
from paper_checks.report.plots import plot_groups
from properties.results import read_run

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "report"


def without_drawings(page):
    """Return the page without its figures, whose bytes depend on the version of what draws them."""
    return re.sub(r"<svg.*?</svg>\s*", "<svg/>", page, flags=re.DOTALL)


def test_the_page_is_a_view_of_the_results_beside_it():
    run = read_run(FOLDER / "results.jsonl")
    page = (FOLDER / "index.html").read_text(encoding="utf-8")
    (digest,) = re.findall(r'<meta name="results-digest" content="(\w+)">', page)
    assert digest == summary.digest(run)
    groups = plot_groups(run)
    again = render(run, groups, {plot.stem: "<svg></svg>" for group in groups for plot in group.plots})
    assert without_drawings(page) == without_drawings(again)


def test_it_is_of_the_embedded_corpus_and_names_no_machine():
    run = read_run(FOLDER / "results.jsonl")
    assert "embedded stories" in run.header["corpus"]["name"]
    assert run.claims
    text = (FOLDER / "results.jsonl").read_text(encoding="utf-8")
    assert not re.search(r"/(home|root|work|Users|tmp)/", text)

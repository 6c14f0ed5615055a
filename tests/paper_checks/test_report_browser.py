"""The page in a real browser: its filters, its width on a phone, and that hostile results do not run."""

import html
import json
import re
import subprocess

import pytest
from test_report_page import page_of
from test_report_sample import CLAIMS, hostile_run, sample_run

from paper_checks.machine import BROWSERS, find_browser

BROWSER = find_browser()
needs_browser = pytest.mark.skipif(
    BROWSER is None, reason=f"no browser here (looked for {', '.join(BROWSERS)})"
)
pytestmark = needs_browser
QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--allow-file-access-from-files",
    "--virtual-time-budget=4000",
]
# A page that opens the report in a frame as wide as a phone, does things to it and writes down what it sees.
HARNESS = """<!DOCTYPE html><meta charset="utf-8">
<iframe width="360" height="800" src="PAGE"></iframe><pre></pre>
<script>
const frame = document.querySelector("iframe");
frame.addEventListener("load", () => {
  const doc = frame.contentDocument;
  const name = "TABLE";
  const form = doc.querySelector(`form[data-table="${name}"]`);
  const rows = () => Array.from(doc.querySelectorAll(`#${name} tbody tr`));
  const checks = () => rows().filter((row) => !row.hidden).map((row) =>
    row.querySelector("code").textContent + "/" + (row.dataset.target ?? row.dataset.source));
  // Nothing of a row has to be scrolled to sideways.
  const within = () => rows().every((row) => Array.from(row.cells).every((cell) =>
    cell.getBoundingClientRect().right <= doc.documentElement.clientWidth));
  const set = (name, value) => {
    form.elements[name].value = value;
    form.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const seen = {};
  let after = () => {};  // what is to be seen once the page has answered
  (() => { SCRIPT })();
  setTimeout(() => { after(); document.querySelector("pre").textContent = JSON.stringify(seen); }, 10);
});
</script>"""


def look(folder, run, script, query="", table="results-table"):
    (folder / "index.html").write_bytes(page_of(run).encode("utf-8", "backslashreplace"))
    harness = HARNESS.replace("PAGE", f"index.html{query}").replace("SCRIPT", script).replace("TABLE", table)
    (folder / "harness.html").write_text(harness, encoding="utf-8")
    call = [BROWSER, *QUIET, f"--user-data-dir={folder / 'profile'}", "--dump-dom"]
    address = (folder / "harness.html").as_uri()
    done = subprocess.run([*call, address], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(html.unescape(re.search(r"<pre>(.*?)</pre>", done.stdout, re.DOTALL)[1]))


def test_filters_search_and_sorting(tmp_path):
    script = """
      seen.all = checks().length;
      seen.room = doc.documentElement.clientWidth - doc.documentElement.scrollWidth;
      seen.within = within();
      set("target", "gpu"); set("family", "scaling");
      seen.filtered = checks();
      seen.told = doc.querySelector(`.shown[data-of="${name}"]`).textContent;
      set("target", ""); set("family", ""); set("q", "LEADING eta^3 reference");
      seen.found = checks();
      set("q", "no such thing");
      seen.none = checks();
      set("q", "");
      const click = (key) => doc.querySelector(`#${name} th[data-key="${key}"] button`).click();
      click("seconds"); click("seconds");
      seen.slowest = rows()[0].querySelector("a").textContent;
      seen.sort = doc.querySelector(`#${name} th[data-key="seconds"]`).getAttribute("aria-sort");
      click("seconds");
      seen.first = rows()[0].querySelector("a").textContent;
    """
    seen = look(tmp_path, sample_run(), script)
    assert seen["all"] == len(sample_run().results)
    assert seen["room"] == 0
    assert seen["within"] is True
    assert seen["filtered"] == [f"scaling.{group}/gpu" for group in ("W_O", "V", "W", "P")]
    assert seen["told"] == "4 of 20 results"
    assert seen["found"] == ["scaling.V/reference"]
    assert seen["none"] == []
    assert seen["slowest"] in ("scaling.W", "scaling.P")
    assert seen["sort"] == "descending"
    assert seen["first"] == "theory.orders"


def test_the_ledger_is_filtered_by_itself(tmp_path):
    script = """
      seen.within = within();
      set("verdict", "refuted"); set("source", "chapter");
      seen.refuted = checks();
      seen.told = doc.querySelector(`.shown[data-of="${name}"]`).textContent;
      seen.results = doc.querySelectorAll("#results-table tbody tr:not([hidden])").length;
      set("verdict", "holds"); set("source", "");
      seen.held = checks();
      set("verdict", ""); set("q", "5.433");
      seen.found = checks();
      seen.address = frame.contentWindow.location.search;
      const click = (key) => doc.querySelector(`#${name} th[data-key="${key}"] button`).click();
      click("id"); click("id");
      seen.sorted = frame.contentWindow.location.search;
      form.reset();
      after = () => { seen.again = checks(); };
    """
    seen = look(tmp_path, sample_run(), script, table="ledger-table")
    assert seen["sorted"] == "?claim-q=5.433&claim-sort=-id"
    assert [one.split("/")[0] for one in seen["again"]] == sorted((one["id"] for one in CLAIMS), reverse=True)
    assert seen["within"] is True
    assert seen["refuted"] == ["other/chapter"]
    assert seen["told"] == "1 of 8 claims"
    assert seen["held"] == ["coefficient/paper"]  # and not what holds to rounding
    assert seen["results"] == len(sample_run().results)
    assert seen["found"] == ["wrong/paper"]
    assert seen["address"] == "?claim-q=5.433"


def test_a_link_to_what_is_folded_away_unfolds_it(tmp_path):
    script = """seen.open = Object.fromEntries(Array.from(doc.querySelectorAll("header details"), (one) =>
      [one.querySelector("h2").textContent, one.open]));"""
    assert look(tmp_path, sample_run(), script, query="#sureness")["open"] == {
        "How sure is that?": True,
        "Contents": False,
    }


def test_an_address_brings_its_filters_and_order_along(tmp_path):
    script = "seen.rows = checks(); seen.kind = form.elements.result.value;"
    seen = look(tmp_path, sample_run(), script, query="?result=passed&q=statistics&sort=-target")
    assert seen["kind"] == "passed"
    assert seen["rows"] == [
        "statistics.B_bar/reference",
        "statistics.Q_bar/reference",
        "statistics.B_bar/gpu",
    ]


def test_hostile_results_run_nothing_and_fit_a_phone(tmp_path):
    script = """
      seen.rows = rows().length;
      seen.room = doc.documentElement.clientWidth - doc.documentElement.scrollWidth;
      seen.images = doc.images.length;
      seen.scripts = doc.scripts.length;
    """
    seen = look(tmp_path, hostile_run(), script)
    assert seen == {"rows": 3, "room": 0, "images": 0, "scripts": 1}

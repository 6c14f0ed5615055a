"""The explorer's page shows its data, holds all that it needs and runs nothing else."""

import html
import json
import re
import shutil
import subprocess

import numpy as np
import pytest

pytest.importorskip("torch", reason="the explorer trains a model")

from explored import SMALL, explored
from test_report_browser import BROWSER, QUIET

from paper_checks.explorer.data import PARTS
from paper_checks.explorer.page import render, write_explorer
from reference.errors import InputError

T = SMALL.context
HEIGHT = 260  # of the drawing of spectra


@pytest.fixture(scope="module")
def data():
    return explored()


def test_the_page_needs_nothing_else(data, tmp_path):
    path = tmp_path / "explorer.html"
    write_explorer(path, data)
    page = path.read_text(encoding="utf-8")
    assert not re.findall(r"""(?:src|href)=["'](?!data:,)""", page)
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    assert "No: they do not." in page
    assert "Criterion, not met: A criterion. <code>heads.structure</code>" in page
    assert re.search(r"<li>heads differ: an anecdote \(1 of 6 steps\); missing: seen on many inputs", page)
    assert "an assumption" not in page
    with pytest.raises(InputError, match="cannot be written"):
        write_explorer(tmp_path / "missing" / "explorer.html", data)


def test_the_table_of_removals_is_that_of_the_data(data):
    page = html.unescape(render(data))
    assert f"The loss is {data['removal']['loss']:.4f} nats a token on 6 unseen windows" in page
    table = re.search(r'<table id="removal">.*?</table>', page, re.DOTALL)[0]
    shown = [
        re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)
        for row in re.findall(r"<tr data.*?</tr>", table, re.DOTALL)
    ]
    assert shown == [
        [
            f"layer {row['layer']}, head {row['head']}",
            f"{data['removal']['loss'] + row['effect']:.4f}",
            f"{row['effect']:+.4f}",
            f"{row['low']:+.4f} to {row['high']:+.4f}",
            f"{row['adjusted p']:.2g}",
            f"{100 * row['better without']:.0f}%",
        ]
        for row in data["removal"]["heads"]
    ]


def hostile(data):
    words = ["</script><script>document.title='run'</script>", "<img src=x onerror=alert(1)>", "\n", "“"]
    texts = [[words[i % 4] for i in range(len(row))] for row in data["texts"]]
    verdict = "<b onclick='alert(1)'>bold</b></script>"
    return {**data, "texts": texts, "outcomes": [{**data["outcomes"][0], "verdict": verdict}]}


def test_words_that_look_like_code_stay_words(data):
    page = render(hostile(data))
    assert page.count("</script>") == 2
    assert "<img" not in page
    assert "<b onclick" not in page


HARNESS = """<!DOCTYPE html><meta charset="utf-8">
<iframe width="WIDTH" height="900" src="explorer.html"></iframe><pre></pre>
<script>
const frame = document.querySelector("iframe");
frame.addEventListener("load", () => {
  const doc = frame.contentDocument;
  const seen = {};
  try { SCRIPT } catch (error) { seen.error = String(error); }
  document.querySelector("pre").textContent = JSON.stringify(seen);
});
</script>"""


def look(folder, page, script, width=1000):
    (folder / "explorer.html").write_text(page, encoding="utf-8")
    harness = HARNESS.replace("WIDTH", str(width)).replace("SCRIPT", script)
    (folder / "harness.html").write_text(harness, encoding="utf-8")
    call = [BROWSER, *QUIET, f"--user-data-dir={folder / 'profile'}", "--dump-dom"]
    address = (folder / "harness.html").as_uri()
    done = subprocess.run([*call, address], capture_output=True, text=True, timeout=60, check=True)
    shutil.rmtree(folder / "profile", ignore_errors=True)
    return json.loads(html.unescape(re.search(r"<pre>(.*?)</pre>", done.stdout, re.DOTALL)[1]))


POINTING = """
  const key = (name) => doc.getElementById("map").dispatchEvent(
    new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  const tiles = () => [...doc.querySelectorAll(".tile")];
  const pressed = (tile) => tile.getAttribute("aria-pressed") === "true";
  const told = (id) => doc.getElementById(id).textContent;
  const style = doc.defaultView.getComputedStyle(doc.documentElement);
  const each = (selector, what) => [...doc.querySelectorAll(selector)].map(what);
  const text = (node) => node.textContent;
  const choose = (name, value) => {
    doc.forms[0].elements[name].value = value;
    doc.forms[0].dispatchEvent(new Event("input", { bubbles: true }));
  };
  const pixels = () => {
    const { width, height } = tiles()[6].firstElementChild;
    const context = tiles()[6].firstElementChild.getContext("2d");
    return [...context.getImageData(0, 0, width, height).data];
  };
  const point = (id) => {
    doc.querySelectorAll(`#${id} .bar`)[2].dispatchEvent(new Event("pointerenter"));
    return told(`${id}-readout`);
  };
  seen.tiles = tiles().length;
  for (let i = 0; i < 4; i++) key("ArrowDown");
  key("ArrowRight");
  seen.read = told("readout");
  seen.raw = pixels();
  choose("view", "excess");
  choose("model", "untrained");
  choose("text", "1");
  seen.title = told("chosen");
  doc.querySelectorAll("#removal tbody tr")[6].click();
  seen.chosen = told("chosen");
  seen.pressed = tiles().findIndex(pressed);
  seen.excess = pixels();
  seen.colours = ["--paper", "--less", "--more"].map((name) => style.getPropertyValue(name).trim());
  for (let i = 0; i < 3; i++) key("ArrowDown");
  seen.readExcess = told("readout");
  seen.profile = each("#profile tbody tr", (row) => [...row.children].map(text));
  seen.bars = ["bars", "mean-bars"].map((id) => doc.querySelectorAll(`#${id} .bar`).length);
  seen.heights = each("#mean-bars .bar:nth-child(3) i", (part) => part.style.height);
  seen.bar = ["bars", "mean-bars"].map(point);
  seen.written = each("#written p", text);
  seen.marked = doc.querySelector("#written mark").textContent;
  seen.spectrum = told("spectrum-readout");
  seen.curves = each("#spectrum polyline", (line) => line.getAttribute("points"));
  seen.layers = each(".layer", (row) => row.querySelectorAll(".tile").length);
  tiles()[2].focus();
  tiles()[2].click();
  seen.focused = tiles().findIndex((tile) => tile === doc.activeElement);
"""


@pytest.fixture(scope="module")
def pointed(data, tmp_path_factory):
    """What the page showed in use: in the end of head 2 of layer 1, the untrained model, and text 1."""
    if BROWSER is None:
        pytest.skip("no browser here")
    seen = look(tmp_path_factory.mktemp("page"), render(data), POINTING)
    assert "error" not in seen, seen["error"]
    return seen


def read_at(data, model, layer, head, n, t, k):
    """Return the readout of a cell: the words, the weight, uniform attention and how far it is from that."""
    weight = data["models"][model]["maps"][layer][head][n][t * (t + 1) // 2 + k] / PARTS
    words, even = data["texts"][n], 1 / (t + 1)
    place = f"“{words[t]}” ({t}) to “{words[k]}” ({k})"
    return f"{place}: {weight:.3f}; uniform {even:.3f}, {weight - even:+.3f}"


def test_pointing_and_choosing(data, pointed):
    assert pointed["read"] == read_at(data, "trained", 0, 0, 0, 4, 1)
    assert pointed["readExcess"] == read_at(data, "untrained", 1, 2, 1, 3, 0)
    assert (pointed["tiles"], pointed["layers"], pointed["focused"]) == (8, [4, 4], 2)
    assert pointed["title"] == "Layer 0, head 0, untrained"
    assert pointed["chosen"] == "Layer 1, head 2, untrained"
    assert pointed["pressed"] == 6


@pytest.mark.parametrize(
    ("view", "model", "n", "less"), [("raw", "trained", 0, 0.0), ("excess", "untrained", 1, 1.0)]
)
def test_a_cell_is_as_strong_as_the_root_of_its_weight_less_uniform_attention(
    data, pointed, view, model, n, less
):
    paper, below, above = (np.array([int(c[i : i + 2], 16) for i in (1, 3, 5)]) for c in pointed["colours"])
    rows, columns = np.tril_indices(T)
    values = np.array(data["models"][model]["maps"][1][2][n]) / PARTS - less / (rows + 1)
    assert (values < 0).any() == (view == "excess")
    strength = np.sqrt(np.abs(values))[:, None]
    shades = paper + strength * (np.where(values[:, None] < 0, below, above) - paper)
    pixels = np.array(pointed[view]).reshape(T, T, 4)
    assert np.abs(pixels[rows, columns, :3] - shades).max() <= 1
    assert (pixels[columns, rows, 3][rows > columns] == 0).all()  # what a row does not see is left blank


def test_the_profile_beside_a_map_is_of_the_head_chosen(data, pointed):
    of = [data["models"][model]["profiles"][1][2] for model in ("trained", "untrained")]
    for name, *shown in pointed["profile"]:
        metric = name.replace(" ", "_")
        told = [f"{one[metric]:.3f}" for one in (*of, data["uniform"]) if metric in one]
        assert [cell for cell in shown if cell] == told
    assert [row[0].replace(" ", "_") for row in pointed["profile"]] == list(of[0])


def test_bars_and_texts_are_without_the_head_chosen(data, pointed):
    base, without = data["losses"][1][0][2], data["losses"][1][7][2]
    words, removed = data["texts"][1], "layer 1, head 2"
    mean, rise = data["removal"]["by position"], data["removal"]["heads"][6]["by position"]
    assert pointed["bars"] == [T, T]
    assert pointed["bar"] == [
        f"“{words[3]}” after “{words[2]}”: {base:.3f} nats, {without:.3f} without {removed} "
        f"({without - base:+.3f})",
        f"Position 2: {mean[2]:.3f} nats, {mean[2] + rise[2]:.3f} without {removed} ({rise[2]:+.3f})",
    ]
    most = max(*mean, *np.add(mean, rise))
    heights = [float(one.removesuffix("%")) for one in pointed["heights"]]
    assert [round(one, 2) for one in heights] == [
        round(100 * one / most, 2) for one in (mean[2], mean[2] + rise[2])
    ]
    told = data["written"][1]
    whole, other = told["written"][0], told["written"][7]
    same = next(i for i, (a, b) in enumerate(zip(whole, other, strict=True)) if a != b)
    beginning = " ".join(told["beginning"])
    assert [one.split() for one in pointed["written"]] == [
        f"The model: {beginning} {' '.join(whole)}".split(),
        f"Without {removed}: {beginning} {' '.join(other)}".split(),
        f"The same for {same} words.".split(),
    ]
    assert pointed["marked"].split() == other[same:]


def test_the_spectra_are_drawn_and_read_as_running_totals(data, pointed):
    spectra = [
        (f"{kind} {model}", shares)
        for model in ("trained", "untrained")
        for kind, shares in data["models"][model]["spectra"].items()
    ]
    read = ", ".join(f"{name} {100 * sum(shares[:5]):.0f}%" for name, shares in spectra)
    assert pointed["spectrum"] == f"5 components: {read}"
    for drawn, (_, shares) in zip(pointed["curves"], spectra, strict=True):
        heights = np.array([float(point.split(",")[1]) for point in drawn.split()])
        up = (heights[0] - heights) / (heights[0] - 10)  # all of the variance is 10 below the top
        assert np.abs(up - [0, *np.cumsum(shares)]).max() <= 0.5 / HEIGHT


@pytest.mark.skipif(BROWSER is None, reason="no browser here")
def test_hostile_words_run_nothing_and_the_page_fits_a_phone(data, tmp_path):
    script = """
      seen.room = doc.documentElement.clientWidth - doc.documentElement.scrollWidth;
      seen.title = doc.title;
      seen.images = doc.images.length;
      seen.tiles = doc.querySelectorAll(".tile").length;
    """
    seen = look(tmp_path, render(hostile(data)), script, width=360)
    assert seen == {"room": 0, "title": "Attention explorer · leadterms", "images": 0, "tiles": 8}

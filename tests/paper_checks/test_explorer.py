"""The explorer: its numbers are those of the model, and its page holds all it needs and runs nothing else."""

import html
import json
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from calling import called

pytest.importorskip("torch", reason="the explorer trains a model")

from test_report_browser import BROWSER, QUIET

from gpu.small_gpt.ablation import all_heads, losses, removing
from gpu.small_gpt.heads import attention_maps
from paper_checks.experiments.models import text_models, unseen_windows
from paper_checks.experiments.result import Outcome
from paper_checks.experiments.setting import SCALES, Setting
from paper_checks.explorer.data import PARTS, TEXTS, explorer_data
from paper_checks.explorer.page import render, write_explorer
from properties.tolerances import gamma, unit_roundoff
from reference.errors import InputError

CLOSE = gamma(1000, unit_roundoff("float64"))
SMALL = replace(SCALES["quick"], name="small", models=1, stories=60, steps=4, windows=6, context=10, width=16)
SETTING = Setting(SMALL)
OUTCOME = Outcome("heads.structure", "Do heads differ?", "A criterion.", False, "No: they do not.")


@pytest.fixture(scope="module")
def data():
    return explorer_data(SETTING, [OUTCOME])


def test_maps_are_the_models_own(data):
    model, windows = text_models(SETTING).only(0), unseen_windows(SETTING)
    maps = attention_maps(model, windows[:TEXTS, :-1])[0]
    rows, columns = np.tril_indices(maps.shape[-1])
    for layer, head, n in np.ndindex(2, 4, TEXTS):
        shown = np.array(data["models"]["trained"]["maps"][layer][head][n]) / PARTS
        assert np.abs(shown - maps[layer, head, n][rows, columns]).max() <= 0.5 / PARTS + CLOSE
    assert [len(words) for words in data["texts"]] == [windows.shape[1]] * TEXTS


def test_removals_and_texts_are_the_models_own(data):
    model, windows = text_models(SETTING).only(0), unseen_windows(SETTING)
    base = losses(model, windows)[0]
    assert data["removal"]["loss"] == round(float(base.mean()), 4)
    for k, head in enumerate(all_heads(model)):
        without = losses(model, windows, removing([head]))[0]
        row = data["removal"]["heads"][k]
        assert (row["layer"], row["head"]) == head
        assert abs(row["effect"] - (without - base).mean()) <= CLOSE
        assert row["low"] <= row["effect"] <= row["high"]
        assert data["losses"][0][1 + k] == [round(float(value), 4) for value in without[0]]
    assert len(data["written"]) == TEXTS
    assert len(data["written"][0]["written"]) == 9


def test_the_page_needs_nothing_else(data, tmp_path):
    path = tmp_path / "explorer.html"
    write_explorer(path, data)
    page = path.read_text(encoding="utf-8")
    assert not re.findall(r"""(?:src|href)=["'](?!data:,)""", page)
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    assert "No: they do not." in page
    assert "Criterion, not met: A criterion. <code>heads.structure</code>" in page
    assert "an assumption" not in page
    with pytest.raises(InputError, match="cannot be written"):
        write_explorer(tmp_path / "missing" / "explorer.html", data)


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


@pytest.mark.skipif(BROWSER is None, reason="no browser here")
def test_pointing_choosing_and_removing(data, tmp_path):
    script = """
      const key = (name) => doc.getElementById("map").dispatchEvent(
        new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
      const tiles = () => [...doc.querySelectorAll(".tile")];
      const pressed = (tile) => tile.getAttribute("aria-pressed") === "true";
      const choose = (name, value) => {
        const input = doc.querySelector(`[name="${name}"][value="${value}"]`);
        input.checked = true;
        input.dispatchEvent(new Event("input", { bubbles: true }));
      };
      seen.tiles = tiles().length;
      for (let i = 0; i < 4; i++) key("ArrowDown");
      key("ArrowRight");
      seen.read = doc.getElementById("readout").textContent;
      choose("view", "excess");
      choose("model", "untrained");
      seen.title = doc.getElementById("chosen").textContent;
      doc.querySelectorAll("#removal tbody tr")[5].click();
      seen.chosen = doc.getElementById("chosen").textContent;
      seen.pressed = tiles().findIndex(pressed);
      seen.bars = doc.querySelectorAll(".bar").length;
      doc.querySelectorAll(".bar")[2].dispatchEvent(new Event("pointerenter"));
      seen.bar = doc.getElementById("bar-readout").textContent;
      seen.written = doc.querySelectorAll("#written p").length;
      seen.spectrum = doc.getElementById("spectrum-readout").textContent;
      seen.layers = [...doc.querySelectorAll(".layer")].map((row) => row.querySelectorAll(".tile").length);
      tiles()[2].focus();
      tiles()[2].click();
      seen.focused = tiles().findIndex((tile) => tile === doc.activeElement);
    """
    seen = look(tmp_path, render(data), script)
    t, k = 4, 1
    weight = data["models"]["trained"]["maps"][0][0][0][t * (t + 1) // 2 + k] / PARTS
    words = data["texts"][0]
    assert seen["read"].startswith(f"“{words[t]}” (4) to “{words[k]}” (1): {weight:.3f}; uniform 0.200")
    assert (seen["tiles"], seen["layers"], seen["focused"]) == (8, [4, 4], 2)
    assert seen["title"] == "Layer 0, head 0, untrained"
    assert seen["chosen"] == "Layer 1, head 1, untrained"
    assert seen["pressed"] == 5
    assert seen["bars"] == SMALL.context
    base, without = data["losses"][0][0][2], data["losses"][0][6][2]
    assert f"{base:.3f} nats, {without:.3f} without layer 1, head 1" in seen["bar"]
    assert seen["written"] == 3
    assert seen["spectrum"].startswith("5 components: tokens trained")


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


def test_the_sizes_of_the_model_are_options(tmp_path, monkeypatch):
    from paper_checks.explorer import data as made

    asked = []
    monkeypatch.setattr(made, "explorer_data", lambda setting, listed: asked.append(setting) or {})
    monkeypatch.setattr("paper_checks.explorer.page.write_explorer", lambda out, data: None)
    sizes = {"layers": 1, "heads": 2, "width": 16, "context": 24}
    words = [word for name, size in sizes.items() for word in (f"--{name}", str(size))]
    assert called("explorer", "-o", "e.html", *words, cwd=tmp_path).returncode == 0
    assert called("explorer", "-o", "e.html", cwd=tmp_path).returncode == 0
    given, own = (setting.scale for setting in asked)
    assert {name: getattr(given, name) for name in sizes} == sizes
    assert replace(given, **{name: getattr(own, name) for name in sizes}) == own

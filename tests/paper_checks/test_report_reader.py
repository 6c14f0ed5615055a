"""The page as a reader meets it: opened from disk without a request or a complaint, printed, and legible."""

import re
import subprocess
from itertools import pairwise

import pytest
from test_report_browser import BROWSER, QUIET, look, needs_browser
from test_report_page import page_of
from test_report_sample import sample_run

from paper_checks.report.page import template_text

# WCAG 2.1, 1.4.3: contrast of text at level AA.
LEGIBLE = 4.5
# Curves are graphical objects: 1.4.11.
VISIBLE = 3.0


def run_browser(folder, *options, page=None):
    text = page or page_of(sample_run())
    (folder / "index.html").write_bytes(text.encode("utf-8", "backslashreplace"))
    call = [BROWSER, *QUIET, f"--user-data-dir={folder / 'profile'}", *options]
    return subprocess.run(
        [*call, (folder / "index.html").as_uri()], capture_output=True, text=True, timeout=60, check=True
    )


@needs_browser
def test_it_opens_without_a_complaint_on_the_console(tmp_path):
    complaining = "<!DOCTYPE html><script>console.error('a complaint')</script>"
    logged = ("--dump-dom", "--enable-logging=stderr")
    assert "a complaint" in run_browser(tmp_path, *logged, page=complaining).stderr
    assert "CONSOLE" not in run_browser(tmp_path, *logged).stderr


@needs_browser
def test_it_asks_for_nothing_but_itself(tmp_path):
    script = """
      const entries = frame.contentWindow.performance.getEntriesByType("resource");
      seen.loaded = Array.from(entries, (entry) => entry.name);
    """
    assert look(tmp_path, sample_run(), script) == {"loaded": []}


@needs_browser
def test_it_prints(tmp_path):
    folded = f"<details><summary>More</summary>{'<p>A line.</p>' * 1000}</details>"
    page = page_of(sample_run()).replace("</main>", f"{folded}</main>")
    run_browser(tmp_path, f"--print-to-pdf={tmp_path / 'page.pdf'}", page=page)
    printed = (tmp_path / "page.pdf").read_bytes()
    assert printed.startswith(b"%PDF")
    # What a reader would unfold is printed too: a page holds some 40 lines.
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) >= 3 + 1000 // 100


def luminance(colour):
    """Return the relative luminance of #rrggbb or #rgb (WCAG)."""
    digits = colour.lstrip("#")
    digits = "".join(2 * one for one in digits) if len(digits) == 3 else digits
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def schemes():
    """Return the colours of the light, the dark and the printed page."""
    blocks = re.findall(r":root \{([^}]*)\}", template_text("page.css"))
    found = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})", block)) for block in blocks]
    light, *others = [block for block in found if block]
    return [light, *({**light, **other} for other in others)]


def test_contrast_is_measured_as_the_standard_says():
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert f"{contrast('#777777', '#fff'):.3f}" == "4.478"


@pytest.mark.parametrize("scheme", range(3), ids=["light", "dark", "print"])
def test_every_colour_can_be_read(scheme):
    colours = schemes()[scheme]
    for name in ("ink", "quiet", "link", "good", "bad", "warn"):
        for ground in ("paper", "wash"):
            assert contrast(colours[name], colours[ground]) >= LEGIBLE, (name, ground)
    for name in (key for key in colours if key.startswith("series")):
        assert contrast(colours[name], colours["paper"]) >= VISIBLE, name


def test_every_control_has_a_name():
    page = page_of(sample_run())
    for control in re.findall(r"<(?:input|select)[^>]*>", page):
        before = page[: page.index(control)]
        inside_label = before.rfind("<label") > before.rfind("</label>")
        assert inside_label or "aria-label" in control, control


def test_headings_go_down_one_level_at_a_time():
    levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", page_of(sample_run()))]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))

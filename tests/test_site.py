"""The documentation as it is read from disk: a word that is searched for is found, without a server."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from paper_checks.machine import BROWSERS, find_browser

pytest.importorskip("material", reason="the site needs leadterms[docs]")

ROOT = Path(__file__).resolve().parents[1]
BROWSER = find_browser()


@pytest.mark.skipif(BROWSER is None, reason=f"no browser here (looked for {', '.join(BROWSERS)})")
def test_a_search_finds_its_page_from_disk(tmp_path):
    """A site of two pages, with what finds things on ours."""
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    (tmp_path / "docs").mkdir()
    for script in settings["extra"]["polyfills"]:
        shutil.copy(ROOT / settings["docs_dir"] / script, tmp_path / "docs")
    (tmp_path / "docs" / "index.md").write_text("# Home\n\nNothing to find.\n")
    (tmp_path / "docs" / "other.md").write_text("# Elsewhere\n\nHere stands interchangeability.\n")
    few = {name: settings[name] for name in ("site_name", "extra", "theme", "use_directory_urls")}
    few["plugins"] = [name for name in settings["plugins"] if isinstance(name, str)]
    (tmp_path / "mkdocs.yml").write_text(yaml.safe_dump(few))
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet"], cwd=tmp_path, check=True, capture_output=True
    )
    page = (tmp_path / "site" / "index.html").as_uri()
    seen = subprocess.run(
        [
            *(BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
            *("--virtual-time-budget=8000", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"),
            f"{page}?q=interchangeability",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout
    assert re.findall(r'href="([^"]*)"[^>]*class="md-search-result__link"', seen) == [
        page.replace("index.html", "other.html")
    ]

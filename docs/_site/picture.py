"""Draw the top of the kept report, as a browser shows it, into docs/report.png: `make picture`."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
REPORT, PICTURE = DOCS / "report" / "index.html", DOCS / "report.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SIZE = "1180,770"
# Nothing of the user's own browser, and nothing over a network.
ALONE = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
]


def main():
    """Draw it; says what is missing where it cannot."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None or not REPORT.is_file():
        sys.exit(f"This needs {REPORT} and a browser: one of {', '.join(BROWSERS)}.")
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "picture.png"
        call = [browser, *ALONE, f"--user-data-dir={folder}/profile", f"--screenshot={drawn}"]
        call += [f"--window-size={SIZE}", REPORT.as_uri()]
        subprocess.run(call, check=True, capture_output=True, timeout=120)
        shutil.move(drawn, PICTURE)
    print(f"{PICTURE} has {PICTURE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

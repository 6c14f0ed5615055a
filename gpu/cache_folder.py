"""Where this user's cache is: tokenized corpora, and what Hypothesis remembers of source files."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path

FOLDER_VARIABLE = "LEADTERMS_CACHE"


def cache_folder() -> Path:
    """Return where things are kept between runs: $LEADTERMS_CACHE, or a folder in the user's cache."""
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named) if named else user_cache_path("leadterms")

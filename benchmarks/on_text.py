"""What the commands print on a whole text, as a page.

python -m benchmarks.on_text TEXT --page docs/tinystories.md

The published numbers are of a text that is not part of this project. The page keeps what was printed where it
was at hand, word by word, so that it can be read, and compared, where it is not.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measuring import machine
from reference.atomic_files import write_text
from reference.text import read_documents

COLUMNS = 80
# Of the page's own lines.
WIDTH = 110
# The sizes of the published runs.
SIZES = "--vocab 3000 --length 200"
HEAD = """# On TinyStories

Written by `make text TEXT=tinystories.txt`; do not edit. It is what these commands print on a text of the
published runs' kind, at their sizes: {size:,} bytes, {documents:,} documents, sha256
`{digest}`. Python {python}, {packages}; {processor}.
{about}"""
# What is known of a text that the page was made of, by its digest.
ABOUT = {
    "a100dd9f3805ed3fa9a378668798954fd5863c5472ebb73dd3952994f5d1cbba": """
The text is an extract of TinyStories (Eldan and Li, 2023), and no random sample of it: most of its stories
are from the head of the data set, some are in lower case, and quotation marks are straight. It is neither of
the published splits, and is not part of this project. The data set is public, under CDLA-Sharing-1.0, as
[roneneldan/TinyStories](https://huggingface.co/datasets/roneneldan/TinyStories). With the extra `hub`,
`tinystories` in place of the file's name stands for its training split.

The published runs had 65,536 stories. Of this text only those stories count that are long enough and have no
rarer word; the first line printed says how many. Norms and effects are corrected for that number, and the
intervals come from random groups of those stories.
""",
}
SCORE = re.compile(r"^Score of .*?\.$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Shown:
    """A command on the text and what to look at in what it prints."""

    title: str
    command: str
    told: str


SHOWN = (
    Shown(
        "The published numbers, predicted",
        f"predict TEXT {SIZES}",
        "Before anything is trained, from the statistics of the text alone. The last table has each "
        "published number with its interval; below it stands why one is outside, or out of reach.",
    ),
    Shown(
        "What a cosine of .999 is worth",
        f"alignment TEXT {SIZES} --layout stream",
        "Each cosine beside what nulls score, direction by direction, and which directions carry neighbours.",
    ),
    Shown(
        "Neighbours of a word, and the published lists",
        f"neighbours fish --corpus TEXT {SIZES} --layout stream",
        "Which of the rankings gives the lists that were published is said below them.",
    ),
)


def printed(shown: Shown, text: Path) -> str:
    """Return what a command prints on a text, 80 columns wide.

    Raises:
        SystemExit: the command did not end well; with what it said.
    """
    words = [text.name if word == "TEXT" else word for word in shlex.split(shown.command)]
    call = [sys.executable, "-m", "paper_checks", *words]
    where = {**os.environ, "COLUMNS": str(COLUMNS), "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    done = subprocess.run(call, cwd=text.parent, env=where, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"leadterms {shlex.join(words)} ended with {done.returncode}:\n{done.stderr}")
    return "\n".join(line.rstrip() for line in done.stdout.splitlines())


def page(text: Path, shown: Sequence[Shown] = SHOWN) -> str:
    """Return the page of what commands print on a text."""
    about, content = machine(), text.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    packages = ", ".join(f"{name} {version}" for name, version in sorted(about["packages"].items()))
    parts = [
        HEAD.format(
            size=len(content),
            documents=sum(1 for _ in read_documents(text)),
            digest=digest,
            about=ABOUT.get(digest, ""),
            python=about["python"],
            packages=packages,
            processor=about["processor"],
        )
    ]
    for one in shown:
        command, told = one.command.replace("TEXT", text.name), printed(one, text)
        parts += [f"{' '.join(score[0].split())}\n" for score in SCORE.finditer(told)]
        parts.append(
            f"## {one.title}\n\n{textwrap.fill(one.told, WIDTH)}\n\n"
            f"<!-- shown only: needs the text -->\n```sh\nleadterms {command}\n```\n\n```text\n{told}\n```\n"
        )
    return "\n".join(parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("text", type=Path, metavar="TEXT", help="documents separated by <|endoftext|>")
    parser.add_argument("--page", type=Path, required=True, metavar="FILE", help="the page to write")
    asked = parser.parse_args(arguments)
    if not asked.text.is_file():
        parser.error(f"there is no text {asked.text}")
    write_text(asked.page, page(asked.text))
    print(f"{asked.page} has {asked.page.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())

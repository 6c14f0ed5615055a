"""The command `leadterms`: one subcommand a file in `paper_checks.commands`."""

from __future__ import annotations

import sys

import typer

from paper_checks.commands.alignment import alignment
from paper_checks.commands.behaviour import behaviour
from paper_checks.commands.explain import explain
from paper_checks.commands.neighbours import neighbours
from paper_checks.commands.predict import predict
from paper_checks.commands.probe import probe
from paper_checks.commands.prove import prove
from paper_checks.commands.report import report
from paper_checks.commands.reproduce import reproduce
from paper_checks.commands.series import series
from paper_checks.commands.stats import stats
from paper_checks.commands.story import story
from paper_checks.commands.verify import verify
from reference.errors import InputError

app = typer.Typer(
    name="leadterms",
    help="Verify the theory of how transformers start to learn.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    verify,
    predict,
    reproduce,
    alignment,
    behaviour,
    explain,
    neighbours,
    probe,
    story,
    prove,
    series,
    stats,
    report,
):
    app.command()(command)


def main() -> None:
    """Run the command line: exit 0 when all is well, 1 when a check fails, 2 when the input is wrong."""
    try:
        app()
    except InputError as error:
        print(f"leadterms: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("leadterms: stopped before the end; nothing was written.", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of a pipe went away; there is nobody left to tell.
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        print(f"leadterms: the output cannot be written: {error.strerror or error}.", file=sys.stderr)
        sys.exit(2)

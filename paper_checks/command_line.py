"""The command `leadterms`: one subcommand a file in `paper_checks.commands`."""

from __future__ import annotations

import os
from inspect import get_annotations

import typer

from gpu.cache_folder import cache_folder
from gpu.command_line import CarefulCommand, run_command
from gpu.stats import stats
from gpu.train import train
from paper_checks.commands.alignment import alignment
from paper_checks.commands.behaviour import behaviour
from paper_checks.commands.claims import claims
from paper_checks.commands.doctor import doctor
from paper_checks.commands.experiments import experiments
from paper_checks.commands.explain import explain
from paper_checks.commands.explorer import explorer
from paper_checks.commands.neighbours import neighbours
from paper_checks.commands.predict import predict
from paper_checks.commands.pretrained import pretrained
from paper_checks.commands.probe import probe
from paper_checks.commands.prove import prove
from paper_checks.commands.report import report
from paper_checks.commands.reproduce import reproduce
from paper_checks.commands.sampling import sampling
from paper_checks.commands.series import series
from paper_checks.commands.story import story
from paper_checks.commands.vectors import vectors
from paper_checks.commands.verify import verify

app = typer.Typer(
    name="leadterms",
    help="Verify the theory of how transformers start to learn.",
    epilog="Exit status: 0 all is well, 1 a check fails, 2 the input or the call is wrong, 130 after Ctrl-C.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
# The panels of the help, in order.
COMMANDS = {
    "Laws and claims": (verify, report, claims, vectors, doctor),
    "A corpus and what training on it does": (
        stats,
        train,
        predict,
        reproduce,
        alignment,
        behaviour,
        sampling,
    ),
    "Words": (neighbours, explain, story, probe),
    "Proofs and exact series": (prove, series),
    "Attention of trained models": (experiments, explorer, pretrained),
}
for panel, commands in COMMANDS.items():
    for command in commands:
        # typer would evaluate what is written of each option three times.
        command.__annotations__ = get_annotations(command, eval_str=True)
        app.command(cls=CarefulCommand, rich_help_panel=panel)(command)


def main() -> None:
    """Run the command line, see `gpu.command_line.run_command`."""
    # Hypothesis would keep what it remembers of source files in the folder that the command is run in.
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(cache_folder() / "hypothesis"))
    run_command(app, "leadterms")

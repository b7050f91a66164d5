"""The command line: its verbs, in the order in which labels go through the stages."""

import sys
from typing import Annotated

import typer

from dissensus.cli.aggregate import aggregate, annotators
from dissensus.cli.convert import convert
from dissensus.cli.count import count
from dissensus.cli.data import data
from dissensus.cli.describe import describe
from dissensus.cli.elicit import elicit
from dissensus.cli.evaluate import evaluate
from dissensus.cli.plan import plan
from dissensus.cli.train import embed, fit, predict

app = typer.Typer(
    name="dissensus", help="Labels on which people disagree, from plan to report.", no_args_is_help=True,
    pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
VERBS = {
    "Plan: which labels to collect": (plan,),
    "Elicit: ask people": (elicit,),
    "Labels: what people said": (data, describe, convert, count),
    "Aggregate: many answers, one distribution per item": (aggregate, annotators),
    "Train: deliver labels to a model": (embed, fit, predict),
    "Evaluate: a model against people": (evaluate,),
}
for stage, verbs in VERBS.items():
    for verb in verbs:
        if isinstance(verb, typer.Typer):
            app.add_typer(verb, rich_help_panel=stage)
        else:
            app.command(rich_help_panel=stage)(verb)


@app.callback(invoke_without_command=True)
def about(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    """Labels on which people disagree, from plan to report."""
    if version:
        from dissensus import __version__

        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    """The `dissensus` command."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # "±" on an ASCII terminal is no reason to fail
    app()

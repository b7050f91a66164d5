"""The command line: its verbs, in the order in which labels go through the stages."""

import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from dissensus.cli.advise import advise
from dissensus.cli.aggregate import aggregate
from dissensus.cli.agreement import agreement
from dissensus.cli.annotators import annotators
from dissensus.cli.convert import convert
from dissensus.cli.count import count
from dissensus.cli.data import data
from dissensus.cli.describe import describe
from dissensus.cli.elicit import elicit
from dissensus.cli.embed import embed
from dissensus.cli.evaluate import evaluate
from dissensus.cli.fit import fit
from dissensus.cli.plan import plan
from dissensus.cli.predict import predict
from dissensus.cli.probe import probe
from dissensus.cli.reading import errors, print_error
from dissensus.cli.repeated_options import OneValueEach
from dissensus.cli.reproduce import reproduce
from dissensus.cli.review import review
from dissensus.cli.study import study
from dissensus.cli.train import train
from dissensus.fronts import advise_install
from dissensus.report.consoles import open_closed_streams, print_nowhere

Verb = typer.Typer | Callable[..., None]
VERBS: dict[str, tuple[Verb, ...]] = {
    "Plan: which labels to collect": (plan,),
    "Elicit: ask people": (elicit,),
    "Labels: what people said": (data, describe, convert, count),
    "Aggregate: many answers, one distribution per item": (aggregate, agreement, annotators, review),
    "Train: deliver labels to a model": (embed, fit, train, predict),
    "Evaluate: a model against people": (evaluate,),
    "Probe: inside the model": (probe,),
    "Study: experiments across all stages": (study, advise, reproduce),
}


INTERRUPTED, UNREAD = 130, 141  # as a shell counts SIGINT and SIGPIPE
EXIT_CODES = (
    "Exit codes: 0 done, 1 a check failed, 2 invalid input or command, 130 interrupted, 141 output pipe closed."
)


class ByStage(TyperGroup):
    """Help lists the verbs as VERBS does; Typer alone would put groups of verbs last."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name_of(verb) for verbs in VERBS.values() for verb in verbs]

    def invoke(self, ctx: Any) -> Any:
        """An interrupt ends a verb without a traceback."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            errors.print("interrupted")
            sys.exit(INTERRUPTED)


def name_of(verb: Verb) -> str:
    return str(verb.info.name if isinstance(verb, typer.Typer) else verb.__name__)


app = typer.Typer(
    name="dissensus",
    cls=ByStage,
    help="Labels on which people disagree, from plan to report.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for stage, verbs in VERBS.items():
    for verb in verbs:
        if isinstance(verb, typer.Typer):
            for command in verb.registered_commands:
                command.cls = OneValueEach
            app.add_typer(verb, rich_help_panel=stage)
        else:
            app.command(cls=OneValueEach, rich_help_panel=stage)(verb)


@app.callback(invoke_without_command=True)
def about(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    """Labels on which people disagree, from plan to report."""
    if version:
        from dissensus import __version__

        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    """The `dissensus` command."""
    open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # do not fail on "±" in an ASCII terminal
    try:
        app()
    except (BrokenPipeError, SystemExit) as end:
        # Typer and rich, which print the help, exit with 1 if the pipe is closed; that would be a failed check.
        if not isinstance(end if isinstance(end, OSError) else end.__context__, BrokenPipeError):
            raise
        print_nowhere(sys.stdout)
        sys.exit(UNREAD)
    except ModuleNotFoundError as missing:
        if advise_install(missing, "this") is None:
            raise
        print_error(missing)
        sys.exit(2)
    except OSError as error:  # the verbs report their own: this is a help or a usage error that could not be printed
        print_error(error)
        sys.exit(2)

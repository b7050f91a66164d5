"""`dissensus study`: write, check, run, watch, report, compare and extend a study."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from dissensus.cli.notices import progress_bar, say_or_warn
from dissensus.cli.printing import AsJson, print_json, print_line
from dissensus.cli.reading import errors, one_line_errors, print_error, say
from dissensus.cli.study_results import diff, print_results, report, status, table
from dissensus.report.numbers import format_count, format_duration
from dissensus.study.engines.catalogue import ENGINES

if TYPE_CHECKING:
    from dissensus.study.run import Ran, StudyProgress


def _list_engines(fact: str) -> str:
    """Describe each engine, such as "ray (Ray), submitit (SLURM)"."""
    facts = {name: getattr(kind, fact) for name, kind in ENGINES.items()}
    return ", ".join(f"{name} ({words})" for name, words in facts.items() if words)


MOST_ERRORS = 5  # different errors that a run lists; `study status` lists all
EVERY = 10.0  # seconds between two lines about progress without a terminal

study = typer.Typer(
    name="study", help="Run experiments across all stages: every arm, every seed, one report.", no_args_is_help=True
)

File = Annotated[Path, typer.Argument(metavar="STUDY.toml", help="Study file; `study init` writes one.")]
Jobs = Annotated[
    int | None,
    typer.Option(
        help="Number of processes on this machine, without effect on the results.", show_default="one per core"
    ),
]


@study.command()
def init(
    file: Annotated[Path, typer.Argument(metavar="STUDY.toml", help="File to write.")],
    labels: Annotated[
        str | None, typer.Option(help="Use these labels: a file or a data set.", show_default="digits")
    ] = None,
    features: Annotated[
        str | None, typer.Option(help="Train heads on these features: a .npy file, a data set of features, or pixels.")
    ] = None,
    images: Annotated[
        str | None, typer.Option(help="Train networks on these images: a data set of images, a folder, a Parquet file.")
    ] = None,
) -> None:
    """Write a commented study to start from; without options it runs on embedded data in under a minute.

    Example: dissensus study init study.toml
    """
    from dissensus.study.init_template import init_study

    with one_line_errors():
        init_study(file, labels=labels, features=features, images=images)
    print_line(f"wrote {file}; next: dissensus study check {file}")


@study.command()
def check(
    file: File,
    folder: Annotated[
        Path | None, typer.Option("--output", "-o", help="Count the cells that this folder of the study already has.")
    ] = None,
    jobs: Jobs = None,
    no_timing: Annotated[
        bool, typer.Option("--no-timing", help="Do not estimate the run time, which trains some cells.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check a study: report errors, the number of cells, existing cells, and the time that the others take.

    Example: dissensus study check study.toml -o runs
    """
    with one_line_errors():
        from dissensus.report import print_document
        from dissensus.study.check_study import check_study
        from dissensus.study.read_data import load_data
        from dissensus.study.read_spec import read_study
        from dissensus.study.reporting.check import describe_check

        wanted = read_study(file)
        with errors.status(Text("checking the study")):
            checked = check_study(wanted, load_data(wanted, say), folder=folder, jobs=jobs, timing=not no_timing)
    if as_json:
        print_json(checked, indent=None)
    else:
        print_document(describe_check(checked))


@study.command()
def run(
    file: File,
    folder: Annotated[Path, typer.Option("--output", "-o", help="Folder of the study; existing cells are reused.")],
    engine: Annotated[str, typer.Option(help=f"Run the cells on {_list_engines('help')}.")] = "local",
    address: Annotated[str | None, typer.Option(help=f"Address for {_list_engines('address')}.")] = None,
    option: Annotated[
        list[str] | None, typer.Option(help=f"Option for {_list_engines('options')}; repeat to add more.")
    ] = None,
    jobs: Jobs = None,
    retry: Annotated[bool, typer.Option("--retry", help="Also run the cells that failed before.")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Stop at the first cell that fails.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run every cell of a study that its folder does not have yet; rerun to resume.

    Example: dissensus study run study.toml -o runs
    """
    with one_line_errors():
        from dissensus.study.engines.choose import make_engine
        from dissensus.study.read_spec import read_study
        from dissensus.study.run import StoppedError, run_study

        wanted = read_study(file)
        chosen = make_engine(engine, folder=folder, address=address, jobs=jobs, options=_pairs(option or []))
        last: list[StudyProgress] = []
        try:
            with _report_progress() as tell:

                def progress(now: StudyProgress) -> None:
                    last[:] = [now]
                    tell(now)

                ran = run_study(
                    wanted, folder, engine=chosen, jobs=jobs, retry=retry, stop=stop, progress=progress, say=say_or_warn
                )
        except StoppedError as problem:
            print_error(problem)
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            if last:
                say(f"{last[0].done} of {last[0].total} cells are in {folder}; rerun the command to resume")
            raise
    if as_json:
        print_json(asdict(ran) | {"folder": str(folder)}, indent=None)
    else:
        print_line(_summary(ran, folder))
        print_results(folder)
    if ran.failures:
        if not as_json:
            from dissensus.study.reporting.status import list_failures

            for count, error, record in list_failures(ran.failures, folder)[:MOST_ERRORS]:
                errors.print(f"{count:,} failed: {error} (traceback: {record})", markup=False, style="red")
            say(f"after fixing the cause: dissensus study run {file} -o {folder} --retry")
        raise typer.Exit(1)
    if not as_json:
        say(f"next: dissensus study report {folder}")


@study.command("add-seeds")
def more_seeds(
    file: File,
    count: Annotated[int, typer.Argument(metavar="N", help="Number of seeds to add.")],
    as_json: AsJson = False,
) -> None:
    """Add seeds to a study's file; the next run trains only the new ones.

    Example: dissensus study add-seeds study.toml 2
    """
    with one_line_errors():
        from dissensus.study.more_seeds import add_seeds

        added = add_seeds(file, count)
    if as_json:
        print_json({"file": str(file), "added": list(added)}, indent=None)
        return
    between = " and " if len(added) == 2 else " to "
    which = f"seed {added[0]}" if len(added) == 1 else f"seeds {added[0]}{between}{added[-1]}"
    print_line(f"added {which} to {file}; `dissensus study run` runs the new cells")


for verb in (status, table, report, diff):
    study.command()(verb)


@contextmanager
def _report_progress() -> Iterator[Callable[[StudyProgress], None]]:
    """Report the progress of a run: a bar on a terminal, else a line now and then."""
    with progress_bar("cells") as move:
        spoken = [time.monotonic(), 0]  # time of the last line, and failures then

        def tell(now: StudyProgress) -> None:
            move(now.done - now.before, now.total - now.before)
            new = now.failed > spoken[1]
            if new:
                say_or_warn(f"warning: {format_count(now.failed, 'cell')} failed so far")
            due = not errors.is_terminal and time.monotonic() - spoken[0] > EVERY
            if due and now.left:
                say(f"{now.done:,} of {now.total:,} cells, about {format_duration(now.left)} left")
            spoken[:] = [time.monotonic() if due else spoken[0], now.failed]

        yield tell


def _pairs(texts: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise ValueError(f"--option {text}: expected NAME=VALUE, such as slurm_partition=short")
        options[name] = int(value) if value.isdecimal() else value
    return options


def _summary(ran: Ran, folder: Path) -> str:
    parts = [f"{format_count(ran.total, 'cell')} in {folder}: {ran.made:,} new, {ran.before:,} reused"]
    parts += [f"{ran.judged_anew:,} rescored for new slices"] if ran.judged_anew else []
    parts += [f"{len(ran.failures):,} failed"] if ran.failures else []
    return ", ".join(parts)

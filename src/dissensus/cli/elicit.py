"""`dissensus elicit`: make, check, serve, rehearse, export and watch a survey."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from dissensus.cli.elicit_results import Database, Folder, describe_override, export, forget, status
from dissensus.cli.printing import AsJson, print_json, print_line
from dissensus.cli.reading import errors, one_line_errors, say, split_classes
from dissensus.cli.seeds import Seed, check_seed
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.survey.settings import SOURCES
from dissensus.labels.progress import ProgressBar

elicit = typer.Typer(name="elicit", help="Collect labels from people in a web app.", no_args_is_help=True)


@elicit.command()
def init(
    folder: Annotated[Path, typer.Argument(help="Folder to create.")],
    kind: Annotated[str | None, typer.Option(help=f"Kind of question: {', '.join(QUESTIONS)}.")] = None,
    classes: Annotated[str | None, typer.Option(help="Classes, separated by commas.")] = None,
    items: Annotated[
        str | None,
        typer.Option(help="Folder or .csv of items inside the survey's folder.", show_default="pictures of digits"),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title that people see.")] = None,
    source: Annotated[str, typer.Option(help=f"Source of the people: {', '.join(SOURCES)}.")] = "open",
    per_person: Annotated[int, typer.Option(help="Items per person.")] = 20,
    per_item: Annotated[int, typer.Option(help="Answers per item.")] = 5,
    option: Annotated[
        list[str] | None,
        typer.Option(help="Set an option of the question, such as wording=collins; may be repeated."),
    ] = None,
) -> None:
    """Create a survey: a commented survey.toml, and example items.

    Example: dissensus elicit init digits --kind choose
    """
    from dissensus.elicit.survey.template import make_survey

    with one_line_errors():
        prompts = sys.stdin is not None and sys.stdin.isatty()
        if kind is None:
            kind = typer.prompt("Kind of question", default="top-two") if prompts else "top-two"
        if title is None:
            title = typer.prompt("Title", default="What do you see?") if prompts else "What do you see?"
        if classes is None and items is not None and prompts and kind in QUESTIONS and QUESTIONS[kind].needs_classes:
            classes = typer.prompt("Classes, separated by commas")
        make_survey(
            folder,
            title=title,
            kind=kind,
            classes=split_classes(classes) or [],
            source=source,
            items=items,
            per_person=per_person,
            per_item=per_item,
            options=_options(option or []),
        )
    print_line(f"created {folder / 'survey.toml'}; next: dissensus elicit serve {folder}")


@elicit.command()
def check(folder: Folder, database: Database = None, as_json: AsJson = False) -> None:
    """Check a survey: report what it asks for, whom it needs, and every problem.

    Example: dissensus elicit check digits
    """
    from dissensus.elicit.database import DATABASE
    from dissensus.elicit.describe import describe_preview
    from dissensus.elicit.survey.preview import check_survey
    from dissensus.report.terminal import print_document

    with one_line_errors():
        facts = {**check_survey(folder), "overridden": []}
        if database is not None or (folder / DATABASE).is_file():  # a new survey has none
            from dissensus.elicit.dashboard.overrides import read_overrides

            facts["overridden"] = read_overrides(folder, database)
            facts["notes"] += [describe_override(override, folder) for override in facts["overridden"]]
    if as_json:
        print_json(facts, indent=None)
        return
    print_document(describe_preview(facts))


@elicit.command()
def serve(
    folder: Folder,
    database: Database = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(help="Server processes.")] = 1,
    https: Annotated[bool, typer.Option("--https", help="People reach the server by https, through a proxy.")] = False,
    proxy: Annotated[str, typer.Option(help="Address or network of the proxy, for --https.")] = "127.0.0.1,::1",
) -> None:
    """Serve a survey. The dashboard is at /dashboard; its key is printed when it is created.

    Example: dissensus elicit serve digits --port 8000
    """
    with one_line_errors():
        from dissensus.elicit.dashboard.overrides import read_overrides
        from dissensus.elicit.server import exit_on_interrupt, prepare_server, run_server

        ready = prepare_server(folder, database, host=host, port=port, workers=workers, https=https, proxy=proxy)
        overridden = read_overrides(folder, database)
    for override in overridden:
        say(f"note: {describe_override(override, folder)}")
    if ready.new_key:
        say(f"key of the dashboard, shown only once: {ready.new_key}")
    with exit_on_interrupt():
        say(f"people start at {ready.start}")
        say(f"dashboard: {ready.dashboard}")
        for warning in ready.warnings:
            say(f"warning: {warning}")
        run_server(ready)


@elicit.command()
def key(
    folder: Folder, ask: Annotated[bool, typer.Option(help="Prompt for the key instead of generating one.")] = False
) -> None:
    """Set a new key for the dashboard; the old key stops working.

    Example: dissensus elicit key digits
    """
    from dissensus.elicit.access import set_key
    from dissensus.elicit.survey.settings import read_survey

    with one_line_errors():
        read_survey(folder)
        typed = typer.prompt("New key", hide_input=True, confirmation_prompt=True) if ask else None
        new = set_key(folder, typed)
    print_line("key set" if ask else f"key of the dashboard, shown only once: {new}")


@elicit.command()
def links(
    folder: Folder,
    count: Annotated[int, typer.Option(help="Number of links.")] = 10,
    address: Annotated[str, typer.Option(help="Public address of the survey.")] = "http://127.0.0.1:8000",
) -> None:
    """Create personal links, signed by the survey, for source = "links".

    Example: dissensus elicit links digits --count 40 --address https://survey.example.org
    """
    from dissensus.elicit.session.arrivals import personal_links

    with one_line_errors():
        urls = personal_links(folder, count, address)
    for url in urls:
        typer.echo(url)


@elicit.command()
def rehearse(
    folder: Folder,
    database: Database = None,
    annotators: Annotated[int, typer.Option(help="Number of simulated people.")] = 50,
    at_once: Annotated[int, typer.Option(help="People who answer at the same time.")] = 50,
    workers: Annotated[int, typer.Option(help="Server processes.")] = 1,
    real_time: Annotated[bool, typer.Option("--real-time", help="Take about 2 s per answer.")] = False,
    leave: Annotated[float, typer.Option(help="Probability that a person leaves early, 0 to 1.")] = 0.0,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Run simulated people with known answers through the real server, in a separate database.

    Example: dissensus elicit rehearse digits --annotators 50
    """
    from dissensus.elicit.describe import describe_rehearsal
    from dissensus.elicit.rehearsal.report import REHEARSAL
    from dissensus.elicit.rehearsal.report import rehearse as run_rehearsal
    from dissensus.report.terminal import print_document

    with one_line_errors():
        check_seed(seed)
    if database is None and (folder / REHEARSAL).exists():
        say(f"replacing the earlier rehearsal in {folder / REHEARSAL}")
    with one_line_errors(), ProgressBar("rehearsing", console=errors) as bar:
        facts = run_rehearsal(
            folder,
            database,
            annotators=annotators,
            at_once=at_once,
            workers=workers,
            seed=seed,
            real_time=real_time,
            leave=leave,
            tick=bar.advance,
        )
    if as_json:
        print_json(facts, indent=None)
        return
    print_document(describe_rehearsal(facts))


for verb in (export, status, forget):
    elicit.command()(verb)


def _options(given: list[str]) -> dict[str, Any]:
    """Parse NAME=VALUE: numbers, true and false as in survey.toml, anything else as a string."""
    options: dict[str, Any] = {}
    for setting in given:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"--option {setting!r}: expected NAME=VALUE, such as layout=form")
        try:
            options[name.strip()] = json.loads(value)
        except json.JSONDecodeError:
            options[name.strip()] = value.strip()
    return options

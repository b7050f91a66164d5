"""`dissensus elicit`: make, check, serve, rehearse, export and watch a survey."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress

from dissensus.cli.printing import AsJson, print_json, print_line, print_result
from dissensus.cli.reading import errors, one_line_errors, say, split_classes
from dissensus.cli.seeds import check_seed
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.survey.settings import SOURCES

elicit = typer.Typer(name="elicit", help="Ask people in a web app, and keep every answer.", no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(help="The survey's folder, with survey.toml in it.")]
Database = Annotated[str | None, typer.Option("--db", help="postgresql://…; without it, an SQLite file in the folder.")]


@elicit.command()
def init(
    folder: Annotated[Path, typer.Argument(help="Folder to make.")],
    kind: Annotated[str | None, typer.Option(help=f"Kind of question: {', '.join(QUESTIONS)}.")] = None,
    classes: Annotated[str | None, typer.Option(help="The classes, as one row of CSV.")] = None,
    items: Annotated[
        str | None,
        typer.Option(
            help="Folder or .csv of items inside the survey's folder; without it, pictures of digits to try it."
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(help="What people see at the top.")] = None,
    source: Annotated[str, typer.Option(help=f"Where people come from: {', '.join(SOURCES)}.")] = "open",
    per_person: Annotated[int, typer.Option(help="Items that one person judges.")] = 20,
    per_item: Annotated[int, typer.Option(help="Answers wanted for each item.")] = 5,
    option: Annotated[
        list[str] | None,
        typer.Option(help="A setting of the question, such as wording=collins; can be given more than once."),
    ] = None,
) -> None:
    """Make a survey: a commented survey.toml, and items to begin with."""
    from dissensus.elicit.survey.template import make_survey

    with one_line_errors():
        asks = sys.stdin is not None and sys.stdin.isatty()
        if kind is None:
            kind = typer.prompt("Kind of question", default="top-two") if asks else "top-two"
        if title is None:
            title = typer.prompt("Title", default="What do you see?") if asks else "What do you see?"
        if classes is None and items is not None and asks and kind in QUESTIONS and QUESTIONS[kind].needs_classes:
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
    print_line(f"made {folder / 'survey.toml'}; next: dissensus elicit serve {folder}")


@elicit.command()
def check(folder: Folder, database: Database = None, as_json: AsJson = False) -> None:
    """Read the whole survey and say what it will do, or what is wrong."""
    from dissensus.elicit.database import DATABASE
    from dissensus.elicit.survey.preview import check_survey

    with one_line_errors():
        facts = {**check_survey(folder), "overridden": []}
        if database is not None or (folder / DATABASE).is_file():  # a survey that is new is checked without any
            from dissensus.elicit.dashboard.overrides import describe_override, read_overrides

            facts["overridden"] = read_overrides(folder, database)
            facts["notes"] += [describe_override(override, folder) for override in facts["overridden"]]
    if as_json:
        print_json(facts, indent=None)
        return
    units, people = facts["shows"].removesuffix("s"), _counted(facts["people_needed"], "person", "people")
    print_line(
        f"{facts['title']}: {facts['kind']} on {_counted(facts['units'], units)}, "
        f"{_counted(facts['answers_wanted'], 'answer')} wanted, by at least {people}"
    )
    for outcome, seen in facts["ends"].items():
        print_line(f"{outcome.replace('_', ' ')}: {seen}")
    for note in facts["notes"]:
        print_line(f"note: {note}")


@elicit.command()
def serve(
    folder: Folder,
    database: Database = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(help="Server processes.")] = 1,
    https: Annotated[bool, typer.Option("--https", help="People reach it by https (a proxy in front of it).")] = False,
    proxy: Annotated[
        str, typer.Option(help="Address or network of the proxy, where it is on another machine; with --https.")
    ] = "127.0.0.1,::1",
) -> None:
    """Serve the survey. The dashboard is at /dashboard; its key is printed when it is made."""
    with one_line_errors():
        from dissensus.elicit.dashboard.overrides import describe_override, read_overrides
        from dissensus.elicit.server import exit_on_interrupt, prepare_server, run_server

        ready = prepare_server(folder, database, host=host, port=port, workers=workers, https=https, proxy=proxy)
        overridden = read_overrides(folder, database)
    for override in overridden:
        say(f"note: {describe_override(override, folder)}")
    if ready.new_key:
        say(f"the dashboard's key, shown only this once: {ready.new_key}")
    with exit_on_interrupt():  # this is how a server is stopped
        say(f"people start at {ready.start}")
        say(f"you watch at {ready.dashboard}")
        for warning in ready.warnings:
            say(f"warning: {warning}")
        run_server(ready)


@elicit.command()
def key(
    folder: Folder, ask: Annotated[bool, typer.Option(help="Ask for the key instead of making one.")] = False
) -> None:
    """Give the dashboard a new key; the old one no longer opens it."""
    from dissensus.elicit.access import set_key
    from dissensus.elicit.survey.settings import read_survey

    with one_line_errors():
        read_survey(folder)
        chosen = typer.prompt("New key", hide_input=True, confirmation_prompt=True) if ask else None
        made = set_key(folder, chosen)
    print_line("the key is set" if ask else f"the dashboard's key, shown only this once: {made}")


@elicit.command()
def links(
    folder: Folder,
    count: Annotated[int, typer.Option(help="How many links.")] = 10,
    address: Annotated[str, typer.Option(help="Where people reach the survey.")] = "http://127.0.0.1:8000",
) -> None:
    """Make personal links, signed by the survey, for source = "links"."""
    from dissensus.elicit.session.arrivals import personal_links

    with one_line_errors():
        made = personal_links(folder, count, address)
    for link in made:
        typer.echo(link)


@elicit.command()
def rehearse(
    folder: Folder,
    database: Database = None,
    annotators: Annotated[int, typer.Option(help="Simulated people.")] = 50,
    at_once: Annotated[int, typer.Option(help="How many of them answer at the same time.")] = 50,
    workers: Annotated[int, typer.Option(help="Server processes.")] = 1,
    real_time: Annotated[bool, typer.Option("--real-time", help="Take about 2 s per answer, as people do.")] = False,
    leave: Annotated[float, typer.Option(help="Share of people who leave in the middle, 0 to 1.")] = 0.0,
    seed: Annotated[int, typer.Option(help="Seed of the true answers and of the people.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Run simulated people with known answers through the real server, in a separate database."""
    from dissensus.elicit.rehearsal.report import REHEARSAL
    from dissensus.elicit.rehearsal.report import rehearse as run_rehearsal
    from dissensus.report.tables import print_facts

    with one_line_errors():
        check_seed(seed)
    if database is None and (folder / REHEARSAL).exists():
        say(f"replacing the earlier rehearsal in {folder / REHEARSAL}")
    with one_line_errors(), Progress(console=errors, transient=True) as bar:
        task = bar.add_task("rehearsing", total=None)
        facts = run_rehearsal(
            folder,
            database,
            annotators=annotators,
            at_once=at_once,
            workers=workers,
            seed=seed,
            real_time=real_time,
            leave=leave,
            tick=lambda: bar.advance(task),
        )
    if as_json:
        print_json(facts, indent=None)
        return
    print_facts(
        (name.replace("_", " "), f"{value:.4g}" if isinstance(value, float) else str(value))
        for name, value in facts.items()
    )


@elicit.command()
def export(
    folder: Folder,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .parquet, .csv or .jsonl.")],
    database: Database = None,
    labels: Annotated[bool, typer.Option("--labels", help="Export votes or beliefs instead of raw answers.")] = False,
    with_excluded: Annotated[bool, typer.Option("--with-excluded", help="Labels of excluded people, too.")] = False,
    people: Annotated[bool, typer.Option("--people", help="Export who came, and their debriefing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Export every raw answer with its times, the labels made from the answers, or the people who gave them."""
    from dissensus.elicit.dashboard.status import survey_status
    from dissensus.elicit.export_files import format_of, write_labels, write_table
    from dissensus.elicit.survey_run import open_survey

    with one_line_errors():
        if labels and people:
            raise ValueError("--labels and --people are two different exports; ask for one after the other")
        what = "people" if people else "answers"
        if not labels:
            format_of(output)
        with open_survey(folder, database) as run:
            if labels:
                rows = write_labels(run, output, with_excluded=with_excluded, say=say)
            else:
                rows = write_table(run, what, output, say=say)
            facts = survey_status(run)
    if facts["surplus"] and not people:
        say(f"note: {_surplus(facts)}")
    done = {what: rows, "output": str(output)}
    written = _counted(rows, "person", "people") if people else _counted(rows, "answer")
    print_result(done, f"{written} -> {output}", as_json)


@elicit.command()
def status(
    folder: Folder,
    database: Database = None,
    settle: Annotated[
        str | None,
        typer.Option(
            help="Let survey.toml hold again where the dashboard decided otherwise: "
            "per_item, or state to take answers again."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show progress, people and time left."""
    from dissensus.elicit.dashboard.decisions import restore_setting
    from dissensus.elicit.dashboard.overrides import describe_override
    from dissensus.elicit.dashboard.status import survey_status
    from dissensus.elicit.survey_run import open_survey

    with one_line_errors(), open_survey(folder, database) as run:
        if settle is not None:
            restore_setting(run, settle)
        facts = survey_status(run)
    if as_json:
        print_json(facts, indent=None)
        return
    left = (
        "not known yet"
        if facts["seconds_left"] is None
        else f"about {_counted(round(facts['seconds_left'] / 60), 'minute')}"
    )
    if facts["share"] == 1:
        left = "none, every item has its answers"
    print_line(f"{facts['title']} is {facts['state']}", style="bold")
    print_line(
        f"{facts['answers']:,} of {_counted(facts['wanted'], 'answer')} ({facts['share']:.0%}) by "
        f"{_counted(facts['people'], 'person', 'people')}, {facts['stages'].get('done', 0):,} of them done; time left: "
        f"{left}"
    )
    if facts["surplus"]:
        print_line(f"note: {_surplus(facts)}")
    for override in facts["overridden"]:
        print_line(f"note: {describe_override(override, folder)}")


@elicit.command()
def forget(
    folder: Folder,
    person: Annotated[str, typer.Argument(help="Their id on the recruiting site or in the export.")],
    database: Database = None,
) -> None:
    """Delete a person and all their answers."""
    from dissensus.elicit.dashboard import decisions
    from dissensus.elicit.survey_run import open_survey

    with one_line_errors(), open_survey(folder, database) as run:
        gone = decisions.forget(run, decisions.find_person(run, person))
    print_line(f"deleted a person and {_counted(gone, 'answer')}")


def _surplus(facts: dict[str, Any]) -> str:
    """How many answers there are beyond those that were asked for."""
    many = _counted(facts["surplus"], "answer")
    return (
        f"{many} more than some items need ({facts['surplus'] / max(facts['wanted'], 1):.1%}): places that seemed left "
        "were given twice, or answered late"
    )


def _options(given: list[str]) -> dict[str, Any]:
    """NAME=VALUE as survey.toml would have it: numbers, true and false are what they look like, all else is a text."""
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


def _counted(number: int, noun: str, nouns: str = "") -> str:
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"

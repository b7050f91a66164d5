"""`dissensus elicit`: make, check, serve, rehearse, export and watch a study."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from dissensus.cli.reading import errors, one_line_errors, say, split_classes

elicit = typer.Typer(name="elicit", help="Ask people in a web app, and keep every answer.", no_args_is_help=True)
out = Console(highlight=False, emoji=False, soft_wrap=True)

Folder = Annotated[Path, typer.Argument(help="The study's folder, with study.toml in it.")]
Database = Annotated[str | None, typer.Option("--db", help="postgresql://… ; without it an SQLite file in the folder.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@elicit.command()
def init(
    folder: Annotated[Path, typer.Argument(help="Folder to make.")],
    kind: Annotated[str | None, typer.Option(help="choose, top-two, sliders, allocate, tokens, typicality, similarity, "
                                             "triplet.")] = None,
    classes: Annotated[str | None, typer.Option(help="The classes, as one row of CSV.")] = None,
    items: Annotated[str | None, typer.Option(help="Folder or .csv of items inside the study's folder; without it, "
                                              "pictures of digits to try it.")] = None,
    title: Annotated[str | None, typer.Option(help="What people see at the top.")] = None,
    source: Annotated[str, typer.Option(help="Where people come from: open, links, prolific or mturk.")] = "open",
    per_person: Annotated[int, typer.Option(help="Items that one person judges.")] = 20,
    per_item: Annotated[int, typer.Option(help="Answers wanted for each item.")] = 5,
) -> None:  # fmt: skip
    """Make a study: a commented study.toml, and items to begin with."""
    from dissensus.elicit.new_survey import make_study

    with one_line_errors():
        asks = sys.stdin.isatty()
        if kind is None:
            kind = typer.prompt("Kind of question", default="top-two") if asks else "top-two"
        if title is None:
            title = typer.prompt("Title", default="What do you see?") if asks else "What do you see?"
        if classes is None and items is not None and asks and kind not in ("similarity", "triplet", "typicality"):
            classes = typer.prompt("Classes, separated by commas")
        make_study(
            folder, title=title, kind=kind, classes=split_classes(classes) or [], source=source, items=items,
            per_person=per_person, per_item=per_item,
        )  # fmt: skip
    out.print(f"made {folder / 'study.toml'}; next: dissensus elicit serve {folder}", markup=False)


@elicit.command()
def check(folder: Folder, as_json: AsJson = False) -> None:
    """Read the whole study and say what it will do, or what is wrong."""
    from dissensus.elicit.survey_check import checked

    with one_line_errors():
        told = checked(folder)
    if as_json:
        typer.echo(json.dumps(told))
        return
    people = f"{told['people_needed']:,} {'person' if told['people_needed'] == 1 else 'people'}"
    out.print(
        f"{told['title']}: {told['kind']} on {told['units']:,} {told['shows']}, {told['answers_wanted']:,} answers "
        f"wanted, by at least {people}", markup=False,
    )  # fmt: skip
    for note in told["notes"]:
        out.print(f"note: {note}", markup=False)


@elicit.command()
def serve(
    folder: Folder,
    database: Database = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(help="Server processes.")] = 1,
    https: Annotated[bool, typer.Option("--https", help="People reach it by https (a proxy in front of it).")] = False,
    proxy: Annotated[str, typer.Option(help="Address or network of the proxy, where it is on another machine; with "
                                       "--https.")] = "127.0.0.1,::1",
) -> None:  # fmt: skip
    """Serve the study. The dashboard is at /dashboard; its key is printed when it is made."""
    import os

    from dissensus.elicit.access import has_key, set_key
    from dissensus.elicit.app import open_study
    from dissensus.elicit.guard import KEEP_ALIVE, trusted_proxies
    from dissensus.elicit.session import LINKS
    from dissensus.elicit.survey_check import check_pictures

    with one_line_errors():
        import uvicorn

        trusted = trusted_proxies(proxy)
        _check_free(host, port)
        run = open_study(folder, database)
        run.store.close()
        check_pictures(run.study, run.units)
        if not has_key(folder):
            say(f"key of the dashboard, shown only now: {set_key(folder)}")
        os.environ |= {
            "DISSENSUS_STUDY": str(folder),
            "DISSENSUS_DB": database or "",
            "DISSENSUS_SECURE": "1" if https else "",
        }
    say(f"people start at http://{host}:{port}/start{LINKS[run.study.people.source]}")
    say(f"you watch at http://{host}:{port}/dashboard")
    uvicorn.run(
        "dissensus.elicit.app:app_from_environment", factory=True, host=host, port=port, workers=workers,
        access_log=False, log_level="warning", proxy_headers=https, forwarded_allow_ips=trusted,
        timeout_keep_alive=KEEP_ALIVE,
    )  # fmt: skip


def _check_free(host: str, port: int) -> None:
    """Whether one can listen there, before anything is promised."""
    import socket

    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as place:
            place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # one that was left a moment ago is free
            place.bind((host, port))
    except (OSError, OverflowError) as error:
        raise ValueError(
            f"cannot listen on {host} port {port}: {error}; choose another with --host and --port"
        ) from None


@elicit.command()
def key(
    folder: Folder, ask: Annotated[bool, typer.Option(help="Ask for the key instead of making one.")] = False
) -> None:
    """Give the dashboard a new key; the old one opens nothing any more."""
    from dissensus.elicit.access import set_key
    from dissensus.elicit.survey import read_study

    with one_line_errors():
        read_study(folder)
        chosen = typer.prompt("New key", hide_input=True, confirmation_prompt=True) if ask else None
        made = set_key(folder, chosen)
    out.print("the key is set" if ask else f"key of the dashboard, shown only now: {made}", markup=False)


@elicit.command()
def links(
    folder: Folder,
    count: Annotated[int, typer.Option(help="How many.")] = 10,
    address: Annotated[str, typer.Option(help="Where people reach the study.")] = "http://127.0.0.1:8000",
) -> None:
    """Personal links, signed by the study, for source = "links"."""
    import secrets

    from dissensus.elicit.identity import signed, study_secret
    from dissensus.elicit.survey import read_study

    with one_line_errors():
        study = read_study(folder)
        if study.people.source != "links":
            raise ValueError(f'people.source is "{study.people.source}"; personal links are for source = "links"')
        secret = study_secret(study.folder)
    for _ in range(count):
        typer.echo(f"{address.rstrip('/')}/start?invite={signed(secret, 'invite', secrets.token_hex(8))}")


@elicit.command()
def rehearse(
    folder: Folder,
    database: Database = None,
    annotators: Annotated[int, typer.Option(help="Simulated people.")] = 50,
    at_once: Annotated[int, typer.Option(help="How many are there at the same time.")] = 50,
    workers: Annotated[int, typer.Option(help="Server processes.")] = 1,
    real_time: Annotated[bool, typer.Option("--real-time", help="They take 2 s an answer, as people do.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the truth and of the people.")] = 0,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Send simulated people with known truth through the real server, into a database of their own."""
    from dissensus.elicit.rehearsal_report import REHEARSAL, rehearsed

    if database is None and (folder / REHEARSAL).exists():
        say(f"the rehearsal that was in {folder / REHEARSAL} is replaced")
    with one_line_errors(), Progress(console=errors, transient=True) as bar:
        task = bar.add_task("rehearsing", total=None)
        told = rehearsed(
            folder, database, annotators=annotators, at_once=at_once, workers=workers, seed=seed, real_time=real_time,
            tick=lambda: bar.advance(task),
        )  # fmt: skip
    if as_json:
        typer.echo(json.dumps(told))
        return
    table = Table.grid(padding=(0, 2))
    for name, value in told.items():
        table.add_row(name.replace("_", " "), f"{value:.4g}" if isinstance(value, float) else str(value))
    out.print(table)


@elicit.command()
def export(
    folder: Folder,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .parquet, .csv or .jsonl.")],
    database: Database = None,
    labels: Annotated[bool, typer.Option("--labels", help="Votes or beliefs, instead of raw answers.")] = False,
    with_excluded: Annotated[bool, typer.Option("--with-excluded", help="Labels of excluded people too.")] = False,
    people: Annotated[bool, typer.Option("--people", help="Everybody with their debriefing instead.")] = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Every raw answer with its times, the labels that the answers make, or the people who gave them."""
    from dissensus.elicit.app import open_study
    from dissensus.elicit.dashboard import DOWNLOADS, FORMATS
    from dissensus.elicit.export import labels_of
    from dissensus.files.whole_files import whole_or_not
    from dissensus.files.write_labels import write

    with one_line_errors():
        made = FORMATS.get(output.suffix.removeprefix("."))
        if labels and people:
            raise ValueError("--labels and --people are two exports; ask for one after the other")
        if not labels and made is None:
            raise ValueError(f"{output}: expected a file that ends with .parquet, .csv or .jsonl")
        run = open_study(folder, database)
        if labels:
            found = labels_of(run, with_excluded=with_excluded)
            write(found, output, say=say)
            rows = found.n_answers
        else:
            table = DOWNLOADS["people" if people else "answers"][2](run)
            body = made[1](table) if made else b""

            def fill(file: Any) -> None:
                file.write(body)

            whole_or_not(output, fill)
            rows = table.num_rows
        run.store.close()
    what = "people" if people else "answers"
    done = {what: rows, "output": str(output)}
    out.print(json.dumps(done) if as_json else f"{rows:,} {what} -> {output}", markup=False)


@elicit.command()
def status(folder: Folder, database: Database = None, as_json: AsJson = False) -> None:
    """Progress, people, cost and time left."""
    from dissensus.elicit.app import open_study
    from dissensus.elicit.status import status_of

    with one_line_errors():
        run = open_study(folder, database)
        told = status_of(run)
        run.store.close()
    if as_json:
        typer.echo(json.dumps(told))
        return
    left = "not known yet" if told["seconds_left"] is None else f"about {told['seconds_left'] / 60:.0f} minutes"
    if told["share"] == 1:
        left = "none, every item has its answers"
    out.print(f"{told['title']} is {told['state']}", markup=False, style="bold")
    out.print(
        f"{told['answers']:,} of {told['wanted']:,} answers ({told['share']:.0%}) by {told['people']:,} people, "
        f"{told['stages'].get('done', 0):,} of them done; time left: {left}", markup=False,
    )  # fmt: skip


@elicit.command()
def forget(folder: Folder, person: Annotated[str, typer.Argument(help="Id of the recruiting site, or of the export.")],
           database: Database = None) -> None:  # fmt: skip
    """Delete one person with everything they gave."""
    import sqlalchemy as sa

    from dissensus.elicit import tables
    from dissensus.elicit.app import open_study
    from dissensus.elicit.decisions import forget as forgotten
    from dissensus.elicit.identity import keyed_hash

    with one_line_errors():
        run = open_study(folder, database)
        names = [person, keyed_hash(run.secret, person)]
        with run.store.reading() as connection:
            found = connection.scalar(sa.select(tables.people.c.id).where(tables.people.c.person.in_(names)))
            begins = connection.scalars(
                sa.select(tables.people.c.id).where(tables.people.c.person.startswith(person, autoescape=True)).limit(2)
            ).all()
        if found is None and len(begins) == 1 and len(person) >= 8:  # as much of an id as the dashboard shows
            found = begins[0]
        if found is None:
            raise ValueError(f"nobody here is called {person!r}, nor is known by its hash")
        gone = forgotten(run, str(found))
        run.store.close()
    out.print(f"deleted one person with {gone} answers", markup=False)

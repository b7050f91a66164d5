"""The answers of a survey: `dissensus elicit export | status | forget`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from dissensus.cli.printing import AsJson, print_json, print_line, print_result
from dissensus.cli.reading import one_line_errors, say

Folder = Annotated[Path, typer.Argument(help="Folder of the survey, which contains survey.toml.")]
Database = Annotated[
    str | None,
    typer.Option("--db", help="Database, postgresql://… or sqlite:///FILE.", show_default="answers.db in the folder"),
]


def export(
    folder: Folder,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .parquet, .csv or .jsonl.")],
    database: Database = None,
    labels: Annotated[bool, typer.Option("--labels", help="Export votes or beliefs instead.")] = False,
    with_excluded: Annotated[
        bool, typer.Option("--with-excluded", help="Include excluded people in the labels.")
    ] = False,
    people: Annotated[bool, typer.Option("--people", help="Export the people and their debriefing instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """Export every raw answer with its times, or the labels, or the people.

    Example: dissensus elicit export digits --labels -o votes.parquet
    """
    from dissensus.elicit.dashboard.status import count_surplus
    from dissensus.elicit.describe import count, describe_surplus
    from dissensus.elicit.export_files import format_of, write_labels, write_table
    from dissensus.elicit.survey_run import open_survey

    with one_line_errors():
        if labels and people:
            raise ValueError("--labels and --people are separate exports; run the command once for each")
        what = "people" if people else "answers"
        if not labels:
            format_of(output)
        with open_survey(folder, database) as run:
            if labels:
                rows = write_labels(run, output, with_excluded=with_excluded, say=say)
            else:
                rows = write_table(run, what, output, say=say)
            surplus, wanted = count_surplus(run)
    if surplus and not people:
        say(f"note: {describe_surplus({'surplus': surplus, 'wanted': wanted})}")
    written = count(rows, "person", "people") if people else count(rows, "answer")
    print_result({what: rows, "output": str(output)}, f"{written} -> {output}", as_json)


def status(
    folder: Folder,
    database: Database = None,
    settle: Annotated[
        str | None,
        typer.Option(
            help="Restore a setting of survey.toml that was changed on the dashboard: per_item, or state to resume."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the progress of a survey, its people and the time left.

    Example: dissensus elicit status digits
    """
    from dissensus.elicit.dashboard.decisions import restore_setting
    from dissensus.elicit.dashboard.status import survey_status
    from dissensus.elicit.describe import describe_status
    from dissensus.elicit.survey_run import open_survey
    from dissensus.report.terminal import print_document

    with one_line_errors(), open_survey(folder, database) as run:
        if settle is not None:
            restore_setting(run, settle)
        facts = survey_status(run)
    if as_json:
        print_json(facts, indent=None)
        return
    print_document(describe_status(facts, [describe_override(override, folder) for override in facts["overridden"]]))


def forget(
    folder: Folder,
    person: Annotated[str, typer.Argument(help="Their id on the recruiting site or in the export.")],
    database: Database = None,
) -> None:
    """Delete a person and all their answers.

    Example: dissensus elicit forget digits 5f3c9a1e
    """
    from dissensus.elicit.dashboard import decisions
    from dissensus.elicit.describe import count
    from dissensus.elicit.survey_run import open_survey

    with one_line_errors(), open_survey(folder, database) as run:
        deleted = decisions.forget(run, decisions.find_person(run, person))
    print_line(f"deleted 1 person and {count(deleted, 'answer')}")


def describe_override(override: dict[str, Any], folder: Path) -> str:
    """Say which value of a setting is used, and how to restore the other."""
    since = (
        ""
        if override["since"] is None
        else f" since {datetime.fromtimestamp(override['since'], UTC):%Y-%m-%d %H:%M} UTC"
    )
    command = f"`dissensus elicit status {folder} --settle {override['setting']}`"
    if override["setting"] == "state":
        return f"paused on the dashboard{since}; to resume, run {command}, or use the dashboard"
    holds, file = override["holds"], override["file"]
    return (
        f"per_item is {holds} on the dashboard{since}, instead of {file} in survey.toml; "
        f"to restore {file}, run {command}; to keep {holds}, set it in survey.toml"
    )

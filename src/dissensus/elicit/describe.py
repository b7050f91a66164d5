"""Documents about a survey, for the terminal: its preview, its progress, and a rehearsal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.report.document import Document, Section, Text
from dissensus.report.tables import Table, Value


def describe_preview(facts: Mapping[str, Any]) -> Document:
    """Describe what a survey will do, from the facts of `check_survey`."""
    unit, kind = facts["shows"].removesuffix("s"), facts["kind"]
    wanted = count(facts["answers_wanted"], "answer")
    people = count(facts["people_needed"], "person", "people")
    cost = [("cost", f"{facts['cost']:,.2f} {facts['currency']}")] if facts["cost"] else []
    ends = [(outcome.replace("_", " "), text) for outcome, text in facts["ends"].items()]
    return Document(
        facts["title"],
        f"{count(facts['units'], unit)} with a {kind} question: {wanted} from at least {people}.",
        facts=[
            ("kind", kind),
            (facts["shows"], facts["units"]),
            ("answers wanted", facts["answers_wanted"]),
            ("people needed", facts["people_needed"]),
            *cost,
        ],
        sections=[
            Section("What people see at the end", [Table(["outcome", "page"], ends)]),
            *_notes(facts["notes"]),
        ],
    )


def describe_status(facts: Mapping[str, Any], notes: Sequence[str] = ()) -> Document:
    """Describe the progress of a survey, from the facts of `survey_status`."""
    return Document(
        facts["title"],
        f"The survey is {facts['state']}: {facts['answers']:,} of {count(facts['wanted'], 'answer')} "
        f"({facts['share']:.0%}) from {count(facts['people'], 'person', 'people')}.",
        facts=[
            ("people finished", facts["stages"].get("done", 0)),
            ("people active", facts["active"]),
            ("people excluded", facts["excluded"]),
            ("time left", _time_left(facts)),
        ],
        sections=_notes([*([describe_surplus(facts)] if facts["surplus"] else []), *notes]),
    )


def describe_rehearsal(facts: Mapping[str, Any]) -> Document:
    """Describe a rehearsal, from the facts of `rehearse`."""
    stored = f"All {count(facts['answers'], 'acknowledged answer')} were stored once."
    if facts["lost"] or facts["twice"]:
        stored = (
            f"Of {count(facts['answers'], 'acknowledged answer')}, {facts['lost']:,} were lost and {facts['twice']:,} "
            "were stored twice."
        )
    failed = f" {count(facts['errors'], 'request')} failed." if facts["errors"] else ""
    rows: list[tuple[str, Value]] = [
        (name.replace("_", " "), f"{value:.4g}" if isinstance(value, float) else value) for name, value in facts.items()
    ]
    return Document("Rehearsal", stored + failed, facts=rows)


def describe_surplus(facts: Mapping[str, Any]) -> str:
    """Say how many answers are beyond those wanted, and why."""
    share = facts["surplus"] / max(facts["wanted"], 1)
    return (
        f"{count(facts['surplus'], 'answer')} beyond those wanted ({share:.1%}): "
        "two people got the same place, or an answer came late"
    )


def count(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: "1 person", "2 people"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def _time_left(facts: Mapping[str, Any]) -> str:
    if facts["share"] == 1:
        return "none"
    if facts["seconds_left"] is None:
        return "unknown"
    return f"about {count(round(facts['seconds_left'] / 60), 'minute')}"


def _notes(notes: Sequence[str]) -> list[Section]:
    return [Section("Notes", [Text("\n".join(notes), "list")])] if notes else []

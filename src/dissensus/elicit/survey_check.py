"""What a survey will do, found out before anybody comes: what it asks for, whom it needs, and what to think about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dissensus.elicit.draws import answers_wanted, check_batches, read_batches
from dissensus.elicit.items import Units, read_units
from dissensus.elicit.new_survey import SHOWN
from dissensus.elicit.protocol import judges
from dissensus.elicit.survey import Survey, read_survey

ROOM = 20  # classes that fit on a page where each has a row of its own
MANY = 500  # pairs or triplets beyond which somebody should have chosen them


def checked(folder: Path) -> dict[str, Any]:
    """The survey in numbers, with notes on what may surprise; ValueError where something is wrong."""
    survey = read_survey(folder)
    units = read_units(survey)
    check_batches(survey, units)
    check_pictures(survey, units)
    settings, each = survey.protocol, judges(survey, units)
    wanted, least = len(units.main) * settings.per_item, settings.per_item
    if settings.draw == "batches":
        listed = read_batches(survey.folder / settings.batches)
        wanted = sum(answers_wanted(listed, settings.per_item).values())
        least = len(listed) * settings.per_item
    people = max(least, -(-wanted // each))
    return {
        "title": survey.title, "kind": survey.question.kind, "classes": list(survey.question.classes),
        "shows": SHOWN[survey.shows], "units": len(units.main), "answers_wanted": wanted, "people_needed": people,
        "cost": people * survey.people.pay_per_person, "currency": survey.people.currency,
        "notes": list(_notes(survey, units)),
    }  # fmt: skip


def check_pictures(survey: Survey, units: Units) -> None:
    """Every picture can be opened: who sees nothing cannot judge it."""
    from PIL import Image, UnidentifiedImageError

    known = Image.registered_extensions()
    for item in units.items.values():
        for part in item.parts:
            path = survey.folder / part.content
            if part.kind != "image" or path.suffix.lower() not in known:
                continue
            try:
                with Image.open(path) as picture:
                    picture.verify()
            except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
                raise ValueError(
                    f"item {item.name!r}: {path} cannot be shown as a picture ({error}); save it anew, or take it out"
                ) from None


def _notes(survey: Survey, units: Units) -> Iterator[str]:
    settings, shown, count = survey.protocol, SHOWN[survey.shows], len(units.main)
    if settings.per_person > count:
        yield f"per_person is {settings.per_person}, but there are {count} {shown}: everybody judges {count}"
    if settings.repeats > judges(survey, units):
        yield f"repeats is {settings.repeats}, more than the {judges(survey, units)} {shown} that one person judges"
    if survey.question.kind in ("sliders", "allocate", "tokens") and len(survey.question.classes) > ROOM:
        yield f"{len(survey.question.classes)} classes make a long page; in top-two they are found by typing"
    if survey.shows > 1 and not survey.units and count > MANY:
        yield f"these are all {shown} of the items; list those you want in a CSV file and name it as `units`"

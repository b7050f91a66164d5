"""What a study will do, found out before anybody comes: what it asks for, whom it needs, and what to think about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dissensus.elicit.draws import answers_wanted, check_batches, read_batches
from dissensus.elicit.items import Units, read_units
from dissensus.elicit.new_survey import SHOWN
from dissensus.elicit.protocol import judges
from dissensus.elicit.survey import Study, read_study

ROOM = 20  # classes that fit on a page where each has a row of its own
MANY = 500  # pairs or triplets beyond which somebody should have chosen them


def checked(folder: Path) -> dict[str, Any]:
    """The study in numbers, with notes on what may surprise; ValueError where something is wrong."""
    study = read_study(folder)
    units = read_units(study)
    check_batches(study, units)
    check_pictures(study, units)
    settings, each = study.protocol, judges(study, units)
    wanted, least = len(units.main) * settings.per_item, settings.per_item
    if settings.draw == "batches":
        listed = read_batches(study.folder / settings.batches)
        wanted = sum(answers_wanted(listed, settings.per_item).values())
        least = len(listed) * settings.per_item
    people = max(least, -(-wanted // each))
    return {
        "title": study.title, "kind": study.question.kind, "classes": list(study.question.classes),
        "shows": SHOWN[study.shows], "units": len(units.main), "answers_wanted": wanted, "people_needed": people,
        "cost": people * study.people.pay_per_person, "currency": study.people.currency,
        "notes": list(_notes(study, units)),
    }  # fmt: skip


def check_pictures(study: Study, units: Units) -> None:
    """Every picture can be opened: who sees nothing cannot judge it."""
    from PIL import Image, UnidentifiedImageError

    known = Image.registered_extensions()
    for item in units.items.values():
        for part in item.parts:
            path = study.folder / part.content
            if part.kind != "image" or path.suffix.lower() not in known:
                continue
            try:
                with Image.open(path) as picture:
                    picture.verify()
            except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
                raise ValueError(
                    f"item {item.name!r}: {path} cannot be shown as a picture ({error}); save it anew, or take it out"
                ) from None


def _notes(study: Study, units: Units) -> Iterator[str]:
    settings, shown, count = study.protocol, SHOWN[study.shows], len(units.main)
    if settings.per_person > count:
        yield f"per_person is {settings.per_person}, but there are {count} {shown}: everybody judges {count}"
    if settings.repeats > judges(study, units):
        yield f"repeats is {settings.repeats}, more than the {judges(study, units)} {shown} that one person judges"
    if study.question.kind in ("sliders", "allocate", "tokens") and len(study.question.classes) > ROOM:
        yield f"{len(study.question.classes)} classes make a long page; in top-two they are found by typing"
    if study.shows > 1 and not study.units and count > MANY:
        yield f"these are all {shown} of the items; list those you want in a CSV file and name it as `units`"

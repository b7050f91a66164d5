"""What a survey will do, found out before anybody comes: what it asks for, whom it needs, and what to think about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dissensus.elicit.questions.question_kinds import QUESTIONS, find_replaced_words
from dissensus.elicit.survey.ends import describe_ends, notes_on_ends
from dissensus.elicit.survey.item_batches import answers_wanted, check_batches, read_batches
from dissensus.elicit.survey.items import UNIT_NAMES, Units, read_units, units_per_person
from dissensus.elicit.survey.settings import Survey, read_survey
from dissensus.fronts import not_installed

ROOM = 20  # classes that fit on a page where each has a row of its own
LONG = 15  # minutes for which nobody keeps a place without a sign of life
MANY = 500  # pairs or triplets beyond which somebody should have chosen them


def check_survey(folder: Path | str) -> dict[str, Any]:
    """The survey in numbers, with notes on what may surprise you; ValueError where something is wrong."""
    survey = read_survey(folder)
    units = read_units(survey)
    check_batches(survey, units)
    check_pictures(survey, units)
    settings, each = survey.protocol, units_per_person(survey, units)
    wanted, least = len(units.main) * settings.per_item, settings.per_item
    if settings.draw == "batches":
        listed = read_batches(survey.folder / settings.batches)
        wanted = sum(answers_wanted(listed, settings.per_item).values())
        least = len(listed) * settings.per_item
    people, outcomes = max(least, -(-wanted // each)), _outcomes(survey)
    return {
        "title": survey.title,
        "kind": survey.question.kind,
        "classes": list(survey.question.classes),
        "shows": UNIT_NAMES[survey.shows],
        "units": len(units.main),
        "answers_wanted": wanted,
        "people_needed": people,
        "cost": people * survey.people.pay_per_person,
        "currency": survey.people.currency,
        "ends": describe_ends(survey.people.source, survey.ends, outcomes),
        "notes": [*_notes(survey, units), *notes_on_ends(survey.people.source, survey.ends, outcomes)],
    }


def check_pictures(survey: Survey, units: Units) -> None:
    """Check that every picture can be opened: nobody can judge what they do not see."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ModuleNotFoundError:
        raise not_installed("checking pictures", "PIL", "elicit") from None

    known = Image.registered_extensions()
    for item in units.items.values():
        for part in item.parts:
            path = survey.folder / part.content
            if part.medium != "image" or path.suffix.lower() not in known:
                continue
            try:
                with Image.open(path) as picture:
                    picture.verify()
            except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
                raise ValueError(
                    f"item {item.name!r}: {path} cannot be shown as a picture ({error}); save it again, or take it out"
                ) from None


def _outcomes(survey: Survey) -> list[str]:
    """The outcomes that somebody can meet in this survey, completion first."""
    asked = {"screened_out": bool(survey.comprehension), "declined": bool(survey.protocol.consent)}
    return [outcome for outcome in survey.ends if asked.get(outcome, True)]


def _notes(survey: Survey, units: Units) -> Iterator[str]:
    settings, shown, count = survey.protocol, UNIT_NAMES[survey.shows], len(units.main)
    if settings.per_person > count:
        there = f"there is {count} {shown.removesuffix('s')}" if count == 1 else f"there are {count} {shown}"
        yield f"per_person is {settings.per_person}, but {there}: everybody judges {count}"
    each = units_per_person(survey, units)
    if settings.repeats > each:
        yield f"repeats is {settings.repeats}, but one person judges only {each}"
    if settings.hold_minutes > LONG:
        yield (
            f"hold_minutes is {settings.hold_minutes:g}: what somebody leaves goes to others only so long after their "
            "browser's last sign of life; 3 is usual"
        )
    if survey.attention and not settings.attention_every:
        yield "[[attention]] is there, but attention_every is 0: nobody meets a check; set it to 10, say"
    if settings.attention_every > each:
        yield f"attention_every is {settings.attention_every}, but one person judges only {each}: nobody meets a check"
    apart = {name for names in survey.extra_units for name in names}
    if apart and survey.shows > 1 and not survey.units:
        yield (
            f"the {len(apart)} items of practice and attention are in no other {shown.removesuffix('s')}; list those "
            "you want in a CSV file and name it as `units` to change that"
        )
    options, texts = find_replaced_words(survey.question)
    if texts:
        named = [f"question.{name}" if name == "prompt" else f"question.texts.{name}" for name in texts]
        stand, them = ("stands", "it") if len(texts) == 1 else ("stand", "them")
        yield (
            f"{', '.join(named)} of survey.toml {stand} in the place of the words of {' and '.join(options)}; "
            f"take {them} out to ask in those"
        )
    if survey.kind.row_per_class and len(survey.question.classes) > ROOM:
        yield f"{len(survey.question.classes)} classes make a long page{_alternative(survey)}"
    if survey.shows > 1 and not survey.units and count > MANY:
        yield f"these are all {shown} of the items; list those you want in a CSV file and name it as `units`"


def _alternative(survey: Survey) -> str:
    """The kinds of question that give the same labels and whose classes are found by typing."""
    kinds = [name for name, kind in QUESTIONS.items() if kind.searchable and kind.gives == survey.kind.gives]
    return f"; in {' and '.join(kinds)} they are found by typing" if kinds else ""

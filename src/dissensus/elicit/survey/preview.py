"""A preview of a survey: the answers and people it needs, and possible surprises."""

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

ROOM = 20  # classes that fit on a page with one row per class
LONG = 15  # minutes: a longer hold_minutes is unusual
MANY = 500  # pairs or triplets: more of them should be chosen by hand


def check_survey(folder: Path | str) -> dict[str, Any]:
    """Check a whole survey and report what it will ask for.

    Parameters
    ----------
    folder : the folder of the survey

    Returns
    -------
    title, kind, classes, shows ("items", "pairs" or "triplets"), units, answers_wanted, people_needed, cost, currency,
    ends (what people see at the end, by outcome) and notes (possible surprises)

    Raises
    ------
    ValueError
        if a setting, an item or a picture is not valid

    Examples
    --------
    >>> from dissensus.elicit.rehearsal.example import example_folder
    >>> facts = check_survey(example_folder())
    >>> facts["units"], facts["answers_wanted"], facts["people_needed"]
    (2, 4, 2)
    """
    survey = read_survey(folder)
    units = read_units(survey)
    check_batches(survey, units)
    check_pictures(survey, units)
    settings, each = survey.protocol, units_per_person(survey, units)
    wanted, least = len(units.main) * settings.per_item, settings.per_item
    if settings.draw == "batches":
        batches = read_batches(survey.folder / settings.batches)
        wanted = sum(answers_wanted(batches, settings.per_item).values())
        least = len(batches) * settings.per_item
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
    """Check that every picture can be opened."""
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
                    f"item {item.name!r}: {path} is not a valid picture ({error}); save it again, or remove it"
                ) from None


def _outcomes(survey: Survey) -> list[str]:
    """The outcomes that are possible in this survey, completion first."""
    possible = {"screened_out": bool(survey.comprehension), "declined": bool(survey.protocol.consent)}
    return [outcome for outcome in survey.ends if possible.get(outcome, True)]


def _notes(survey: Survey, units: Units) -> Iterator[str]:
    settings, shown, count = survey.protocol, UNIT_NAMES[survey.shows], len(units.main)
    if settings.per_person > count:
        unit = shown.removesuffix("s") if count == 1 else shown
        yield f"per_person is {settings.per_person}, but the survey has {count} {unit}, so each person gets {count}"
    each = units_per_person(survey, units)
    if settings.repeats > each:
        yield f"repeats is {settings.repeats}, but a person gets only {each} {shown}"
    if settings.hold_minutes > LONG:
        yield (
            f"hold_minutes is {settings.hold_minutes:g}: others get the items of people who left only after "
            "that time; 3 is usual"
        )
    if survey.attention and not settings.attention_every:
        yield "attention_every is 0, so nobody gets the checks of [[attention]]; set it to 10, for example"
    if settings.attention_every > each:
        yield f"attention_every is {settings.attention_every}, but a person gets only {each} {shown}, so no checks"
    apart = {name for names in survey.extra_units for name in names}
    if apart and survey.shows > 1 and not survey.units:
        yield (
            f"the {len(apart)} items of practice and attention are in no other {shown.removesuffix('s')}; to include "
            f"them, list all {shown} in a CSV file and set `units` to it"
        )
    options, texts = find_replaced_words(survey.question)
    if texts:
        named = [f"question.{name}" if name == "prompt" else f"question.texts.{name}" for name in texts]
        replace, them = ("replaces", "it") if len(texts) == 1 else ("replace", "them")
        yield (
            f"{', '.join(named)} of survey.toml {replace} the text of {' and '.join(options)}; "
            f"remove {them} to use that text"
        )
    if survey.kind.row_per_class and len(survey.question.classes) > ROOM:
        yield f"{len(survey.question.classes)} classes make a long page{_alternative(survey)}"
    if survey.shows > 1 and not survey.units and count > MANY:
        yield f"the survey asks about all {count:,} {shown}; to ask fewer, list them in a file and set `units`"


def _alternative(survey: Survey) -> str:
    """The kinds of question that give the same labels and have a search for classes."""
    kinds = [name for name, kind in QUESTIONS.items() if kind.searchable and kind.gives == survey.kind.gives]
    return f"; {' and '.join(kinds)} let people search for a class" if kinds else ""

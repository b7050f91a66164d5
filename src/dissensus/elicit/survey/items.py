"""The items of a survey with their pictures, texts and sounds, and the units of trials."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from itertools import combinations, permutations
from pathlib import Path
from typing import Literal

from dissensus.elicit.survey.extra_trials import unit_key
from dissensus.elicit.survey.settings import Survey
from dissensus.labels.refusals import one_of

TEXTS = {"text": "", "text_a": "", "text_b": "", "premise": "Premise", "hypothesis": "Hypothesis"}
MOST_UNITS = 20_000
UNIT_NAMES = {1: "items", 2: "pairs", 3: "triplets"}
Medium = Literal["image", "audio", "text"]
MEDIA: dict[str, Medium] = {
    ".png": "image",
    ".jpg": "image",
    ".jpeg": "image",
    ".webp": "image",
    ".gif": "image",
    ".mp3": "audio",
    ".ogg": "audio",
    ".wav": "audio",
    ".m4a": "audio",
    ".txt": "text",
}
MEDIA_COLUMNS: tuple[Medium, ...] = ("image", "audio")


@dataclass(frozen=True)
class Part:
    """A part of an item: a picture, a sound or a text.

    content  the text, or the file relative to the survey's folder
    heading  the heading above it, or ""
    """

    medium: Medium
    content: str
    heading: str = ""


@dataclass(frozen=True)
class Item:
    """An item; `about` is the class that the question asks about, `likely` are classes to list first."""

    name: str
    parts: tuple[Part, ...]
    about: str = ""
    likely: tuple[str, ...] = ()


@dataclass(frozen=True)
class Units:
    """The units of trials: items, pairs or triplets.

    items  every item by name
    main   the units to be answered, each with the names of its items
    """

    items: dict[str, Item]
    main: tuple[tuple[str, ...], ...]


def read_units(survey: Survey) -> Units:
    """Read the items and units of a survey."""
    source = survey.folder / survey.items_from
    if source.is_dir():
        items = _from_folder(survey.folder, source)
    elif source.suffix.lower() == ".csv" and source.is_file():
        items = _from_table(survey.folder, source)
    else:
        raise ValueError(
            f"{source}: not a folder or .csv file; `items` in survey.toml must name the folder or file of items"
        )
    # Items for practice and attention checks are not main items.
    extra = [name for names in survey.extra_units for name in names]
    for name in extra:
        one_of("item", name, items, place=f"{survey.folder / 'survey.toml'}: practice or attention")
    if survey.kind.about:
        without = [item.name for item in items.values() if not item.about]
        if without:
            raise ValueError(
                f"{source}: item {without[0]!r} has no class, which a {survey.question.kind} question needs; fill in "
                "the column class"
            )
    for item in items.values():
        for name in item.likely:  # separated by |
            one_of("likely class", name, survey.question.classes, place=f"{source}: item {item.name!r}")
    kept = [name for name in items if name not in extra]
    if not kept:
        raise ValueError(f"{source}: all items are for practice or attention; add items to be answered")
    return Units(items, _units(survey, items, kept))


def units_per_person(survey: Survey, units: Units) -> int:
    """Return the number of items, pairs or triplets per person."""
    return min(survey.protocol.per_person, len(units.main))


def _from_folder(folder: Path, source: Path) -> dict[str, Item]:
    items = {}
    for path in sorted(source.iterdir()):
        medium = MEDIA.get(path.suffix.lower())
        if not path.is_file() or path.name.startswith("."):
            continue
        if path.suffix.lower() == ".svg":
            raise ValueError(f"{path}: SVG pictures may contain scripts; save it as PNG or WebP")
        if medium is None:
            continue
        if path.stem in items:
            raise ValueError(f"{path}: a second item named {path.stem!r}; items are named by file without extension")
        text = path.read_text(encoding="utf-8") if medium == "text" else _inside(folder, path)
        items[path.stem] = Item(path.stem, (Part(medium, text),))
    if not items:
        raise ValueError(f"{source}: contains no pictures, sounds or .txt files")
    return items


def _from_table(folder: Path, source: Path) -> dict[str, Item]:
    known = {"item", "image", "audio", "class", "gold", "likely", *TEXTS}
    with source.open(newline="", encoding="utf-8-sig") as file:
        table = csv.DictReader(file)
        columns = table.fieldnames or []
        if "item" not in columns or not known & set(columns) - {"item", "class", "gold", "likely"}:
            raise ValueError(
                f"{source}: columns {columns}; expected item, and one or more of image, audio, {', '.join(TEXTS)}"
            )
        items: dict[str, Item] = {}
        for row, cells in enumerate(table, start=2):
            name = (cells["item"] or "").strip()
            if not name or name in items:
                raise ValueError(
                    f"{source} row {row}: item {name!r} is empty or repeated; every item needs its own name"
                )
            parts = [Part("text", cells[c], TEXTS[c]) for c in columns if c in TEXTS and cells[c]]
            for medium in MEDIA_COLUMNS:
                if cells.get(medium):
                    parts.append(Part(medium, _media(folder, cells[medium], medium, f"{source} row {row}")))
            if not parts:
                raise ValueError(f"{source} row {row}: item {name!r} shows nothing")
            likely = [likely.strip() for likely in (cells.get("likely") or "").split("|") if likely.strip()]
            items[name] = Item(name, tuple(parts), (cells.get("class") or "").strip(), tuple(likely))
    if not items:
        raise ValueError(f"{source}: no rows")
    return items


def _media(folder: Path, named: str, medium: Medium, where: str) -> str:
    path = folder / named
    if MEDIA.get(path.suffix.lower()) != medium:
        allowed = ", ".join(ending for ending, shown_as in MEDIA.items() if shown_as == medium)
        raise ValueError(f"{where}: {named!r} is not an {medium} file; expected one of {allowed}")
    if not path.is_file():
        raise ValueError(f"{where}: {path} does not exist")
    return _inside(folder, path)


def _inside(folder: Path, path: Path) -> str:
    """The path relative to the survey's folder; nothing outside it may be shown, not even by a link."""
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"{path}: outside the survey's folder {folder}; copy the file into it")
    return path.resolve().relative_to(folder.resolve()).as_posix()


def _units(survey: Survey, items: dict[str, Item], kept: list[str]) -> tuple[tuple[str, ...], ...]:
    if survey.shows == 1:
        return tuple((name,) for name in kept)
    if survey.units:
        return _read_listed(survey, items)
    if len(kept) < survey.shows:
        raise ValueError(
            f"a {survey.question.kind} question shows {survey.shows} items, but the survey has only {len(kept)}"
            f"{' besides practice and attention' if len(kept) < len(items) else ''}"
        )
    in_place = survey.kind.in_place
    units = [
        (*first, *others)
        for first in permutations(kept, in_place)
        for others in combinations([name for name in kept if name not in first], survey.shows - in_place)
    ]
    if len(units) > MOST_UNITS:
        raise ValueError(
            f"{len(kept)} items make {len(units):,} {survey.question.kind} questions; list those to ask in a CSV file, "
            "and set `units` in survey.toml to it"
        )
    return tuple(units)


def _read_listed(survey: Survey, items: dict[str, Item]) -> tuple[tuple[str, ...], ...]:
    path = survey.folder / survey.units
    if not path.is_file():
        raise ValueError(f"{path}: no such file; `units` in survey.toml refers to it")
    units = []
    extra = {unit_key(names, survey.kind.in_place) for names in survey.extra_units}
    with path.open(newline="", encoding="utf-8-sig") as file:
        for row, cells in enumerate(csv.reader(file), start=1):
            names = tuple(cell.strip() for cell in cells)
            unknown = [name for name in names if name not in items]
            if len(names) != survey.shows or unknown or len(set(names)) < len(names):
                raise ValueError(
                    f"{path} row {row}: {cells}; expected {survey.shows} different names of items, no header"
                )
            if unit_key(names, survey.kind.in_place) in extra:
                raise ValueError(
                    f"{path} row {row}: {cells} is also a practice or attention trial; remove it here or in survey.toml"
                )
            units.append(names)
    if not units:
        raise ValueError(f"{path}: no rows")
    return tuple(dict.fromkeys(units))

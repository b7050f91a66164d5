"""Surveys in temporary folders, for the tests of this folder."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from argon2 import PasswordHasher
from PIL import Image

from dissensus.elicit.access import KEY_FILE
from dissensus.elicit.database import schema
from dissensus.elicit.questions.question_kinds import QUESTIONS

CLASSES = ("cat", "dog", "ship")
# What a browser measures of somebody who answers as fast as tests do.
TIMES = {"looked": 1, "touched": 2, "changes": [[3, "answer", "x"]], "away": [], "submitted": 4}


# How long a key takes is written in its hash, and what `set_key` makes takes a quarter of a second at each attempt.
QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def give_key(folder: Path, key: str = "a key of some length") -> str:
    """Make this the key of the dashboard, for tests that are not about its strength. Returns the key."""
    (folder / KEY_FILE).write_text(QUICK.hash(key))
    return key


def toml(value: Any) -> str:
    """A value as TOML; tables are written by `write_survey`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(k)} = {toml(v)}" for k, v in value.items()) + "}"
    return str(value)


def words(text: str) -> set[str]:
    """Its words, names with dots included, to assert what a note mentions without its wording."""
    return set(re.findall(r"[\w.]*\w", text))


def time_passes(run: Any, person: str, seconds: float) -> None:
    """Let somebody have come, and have been given and have answered all that they were, so many seconds earlier."""
    people, trials, answers = schema.people, schema.trials, schema.answers
    changes = (
        sa.update(people).where(people.c.id == person).values(started=people.c.started - seconds),
        sa.update(trials).where(trials.c.person == person).values(drawn=trials.c.drawn - seconds),
        sa.update(answers).where(answers.c.person == person).values(received=answers.c.received - seconds),
    )
    with run.store.transaction() as connection:
        for change in changes:
            connection.execute(change)


def from_prolific(number: int, visit: int = 1) -> dict[str, str]:
    """The query of the link by which somebody comes from Prolific, in one of their visits."""
    return {"PROLIFIC_PID": f"{number:024x}", "STUDY_ID": f"{7:024x}", "SESSION_ID": f"{number:012x}{visit:012x}"}


def write_survey(folder: Path, **sections: Any) -> Path:
    """A survey of eight small pictures; sections overrule its settings, key by key where they are tables."""
    settings: dict[str, Any] = {
        "title": "Animals",
        "items": "items",
        "question": {"kind": "choose", "classes": CLASSES},
        "protocol": {"per_person": 4, "per_item": 3},
        "people": {"source": "open"},
    }
    for name, value in sections.items():
        if isinstance(value, dict) and isinstance(settings.get(name), dict) and name != "question":
            settings[name] = {**settings[name], **value}
        else:
            settings[name] = value
    (folder / "items").mkdir(parents=True, exist_ok=True)
    for i in range(8):
        Image.new("RGB", (16, 16), (30 * i, 90, 200 - 20 * i)).save(folder / "items" / f"p{i}.png")
    text = "\n".join(f"{toml(name)} = {toml(value)}" for name, value in settings.items())
    assert tomllib.loads(text)
    (folder / "survey.toml").write_text(text)
    return folder


def question_of(kind: str, classes: tuple[str, ...] = CLASSES, **options: Any) -> dict[str, Any]:
    """The [question] of this kind, with classes if it needs them."""
    return {"kind": kind, **({"classes": classes} if QUESTIONS[kind].needs_classes else {}), **options}


def write_survey_of(kind: str, folder: Path, **sections: Any) -> Path:
    """A survey with a question of this kind, and with items that name a class if it asks about that."""
    if QUESTIONS[kind].about:
        folder.mkdir(parents=True, exist_ok=True)
        rows = [f"i{i},Text {i},{CLASSES[i % 2]}" for i in range(8)]
        (folder / "items.csv").write_text("\n".join(["item,text,class", *rows]) + "\n")
        sections = {"items": "items.csv", **sections}
    return write_survey(folder, **{"question": question_of(kind), **sections})

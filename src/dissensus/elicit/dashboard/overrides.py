"""Settings of survey.toml that were changed on the dashboard: the value in use, since when, and how to restore it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.elicit.database import DATABASE, schema
from dissensus.elicit.database.store import Store, setting
from dissensus.elicit.survey.settings import Survey, read_survey

SINCE = sa.select(sa.func.max(schema.events.c.at)).where(schema.events.c.kind == sa.bindparam("kind_"))


def list_overrides(connection: Connection, survey: Survey) -> list[dict[str, Any]]:
    """List the settings that differ between the database and survey.toml.

    setting    per_item or state
    holds      the value in use, from the dashboard
    file       the value of survey.toml, or the default state
    since      time of the change, seconds since 1970; None if it was not recorded
    """
    rows = []
    per_item = int(setting(connection, "per_item", str(survey.protocol.per_item)))
    if per_item != survey.protocol.per_item:
        rows.append(_row(connection, "per_item", per_item, survey.protocol.per_item, "extended"))
    state = setting(connection, "state", "open")
    if state != "open":
        rows.append(_row(connection, "state", state, "open", "stopped"))
    return rows


def read_overrides(folder: Path | str, database: str | None = None) -> list[dict[str, Any]]:
    """List the overrides of a survey that is not open, without creating or changing a database."""
    survey = read_survey(folder)
    if database is None and not (survey.folder / DATABASE).is_file():
        return []
    store = Store(survey.folder, database)
    try:
        with store.reader() as connection:
            if not sa.inspect(connection).has_table("about"):
                return []
            return list_overrides(connection, survey)
    except sa.exc.DBAPIError as error:
        raise ValueError(f"cannot use the database {store.address}: {error.orig}") from None
    finally:
        store.close()


def _row(connection: Connection, name: str, holds: Any, file: Any, event: str) -> dict[str, Any]:
    return {"setting": name, "holds": holds, "file": file, "since": connection.scalar(SINCE, {"kind_": event})}

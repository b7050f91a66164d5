"""Who comes, and by which link: an open one, a personal one, or that of a recruiting site."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.elicit.database import schema
from dissensus.elicit.database.store import now, storable
from dissensus.elicit.identity import keyed_hash, signed, survey_secret, unsigned
from dissensus.elicit.running import Refused, Running
from dissensus.elicit.session import protocol
from dissensus.elicit.survey.settings import read_survey

WHO = {"prolific": "PROLIFIC_PID", "mturk": "workerId", "links": "invite"}
KEPT = {"prolific": ("STUDY_ID", "SESSION_ID"), "mturk": ("assignmentId", "hitId")}
LINKS = {
    "open": "", "links": "?invite=…, by the links that `dissensus elicit links` makes",
    "prolific": "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
    "mturk": ", the address of an ExternalQuestion",
}  # fmt: skip
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"


def arrive(run: Running, query: Mapping[str, str]) -> str:
    """The id of the person who came by this link: the one they had, or a new one."""
    person = _who(run, query)
    kept = {name: query[name] for name in KEPT.get(run.survey.people.source, ()) if name in query}
    if not run.survey.people.keep_ids:
        kept = {
            name: value if name in ("STUDY_ID", "hitId") else keyed_hash(run.secret, value)
            for name, value in kept.items()
        }
    row = {
        "id": secrets.token_hex(12), "person": person, "source": json.dumps(kept), "seed": secrets.randbits(53),
        "stage": protocol.first_stage(run.survey), "place": 0, "attempts": 0, "started": now(), "seen": now(),
    }  # fmt: skip

    def work(connection: Connection) -> str:
        there = connection.scalar(sa.select(schema.people.c.id).where(schema.people.c.person == person))
        if there is None:
            connection.execute(sa.insert(schema.people).values(row))
        return str(row["id"] if there is None else there)

    return run.store.write(work)


def personal_links(folder: Path | str, count: int, address: str) -> list[str]:
    """New personal links, signed by the survey; whoever comes back by one goes on where they were.

    address  where people reach the survey, such as https://survey.example.org
    """
    survey = read_survey(folder)
    if survey.people.source != "links":
        raise ValueError(f'people.source is "{survey.people.source}"; personal links are for source = "links"')
    secret = survey_secret(survey.folder)
    start = f"{address.rstrip('/')}/start"
    return [f"{start}?invite={signed(secret, 'invite', secrets.token_hex(8))}" for _ in range(count)]


def _who(run: Running, query: Mapping[str, str]) -> str:
    source = run.survey.people.source
    if source == "open":
        return secrets.token_hex(16)
    name = WHO[source]
    given = query.get(name, "")
    if source == "mturk" and query.get("assignmentId") == PREVIEW:
        raise Refused("preview", 403)
    if not given or len(given) > 500 or not storable(given):
        raise Refused(f"this survey is entered by a link that carries {name}; please use the link you were sent", 403)
    if "{{%" in given:
        raise Refused(f"the link was not filled in: {name} is {given}; please tell the people who sent it to you", 403)
    if source == "links":
        invited = unsigned(run.secret, "invite", given)
        if invited is None:
            raise Refused("this invitation was not made by this survey; please use the link you were sent", 403)
        given = invited
    return given if run.survey.people.keep_ids else keyed_hash(run.secret, given)

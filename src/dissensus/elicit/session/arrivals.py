"""Who comes, and by which link: an open one, a personal one, or that of a recruiting site.

An id of a recruiting site is no secret, so it opens a new session and never one that is there. That one goes on by the
token that its browser keeps, or with the visit in which it began: the same SESSION_ID of Prolific, or the same
assignmentId of MTurk. A personal link is signed, and whoever has it is the person.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.elicit.database import schema
from dissensus.elicit.database.shared_transaction import defer
from dissensus.elicit.database.store import Work, is_storable, now
from dissensus.elicit.identity import keyed_hash, sign, survey_secret, unsign
from dissensus.elicit.session import protocol
from dissensus.elicit.survey.settings import read_survey
from dissensus.elicit.survey_run import RequestError, SurveyRun

KNOWN = sa.select(schema.people.c.id, schema.people.c.source).where(schema.people.c.person == sa.bindparam("person_"))
NEW = sa.insert(schema.people)
WHO = {"prolific": "PROLIFIC_PID", "mturk": "workerId", "links": "invite"}
KEPT = {"prolific": ("STUDY_ID", "SESSION_ID"), "mturk": ("assignmentId", "hitId")}
LINKS = {
    "open": "",
    "links": "?invite=…, by the links that `dissensus elicit links` makes",
    "prolific": "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
    "mturk": ", the address of an ExternalQuestion",
}
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
VISIT = {"prolific": "SESSION_ID", "mturk": "assignmentId"}
# As the sites document them: an object id of Prolific, a worker and an entity of MTurk.
PROLIFIC_ID = (r"[0-9a-f]{24}", "24 hexadecimal digits, as Prolific fills them in")
MTURK_ID = (r"[A-Z0-9]{1,64}", "capital letters and digits, as MTurk fills them in")
FORMS = {
    "PROLIFIC_PID": PROLIFIC_ID,
    "STUDY_ID": PROLIFIC_ID,
    "SESSION_ID": PROLIFIC_ID,
    "workerId": (r"A[A-Z0-9]{1,63}", "an A and then capital letters and digits, as MTurk fills them in"),
    "assignmentId": MTURK_ID,
    "hitId": MTURK_ID,
}


class StartedElsewhereError(RequestError):
    """The person of this link has a session, which this link alone does not open.

    whose  what the browser in which it was begun keeps the session by
    """

    def __init__(self, whose: str) -> None:
        super().__init__("this survey was begun in another browser; please go on there", 403)
        self.whose = whose


def arrive(run: SurveyRun, query: Mapping[str, str]) -> str:
    """The id of the person who came by this link: a new one, or the one they had where the link may open it."""
    return run.store.write(arrive_work(run, query))


def arrive_work(run: SurveyRun, query: Mapping[str, str]) -> Work[str]:
    """As `arrive`, for a transaction of the caller's."""
    person, source = _who(run, query), run.survey.people.source
    _check_forms(query, KEPT.get(source, ()))
    kept = {name: query[name] for name in KEPT.get(source, ()) if query.get(name)}
    if not run.survey.people.keep_ids:
        kept = {
            name: value if name in ("STUDY_ID", "hitId") else keyed_hash(run.secret, value)
            for name, value in kept.items()
        }
    row = {
        "id": secrets.token_hex(12),
        "person": person,
        "source": json.dumps(kept),
        "seed": secrets.randbits(53),
        "stage": protocol.first_stage(run.survey),
        "place": 0,
        "attempts": 0,
        "started": now(),
        "seen": now(),
    }

    def work(connection: Connection) -> str:
        there = connection.execute(KNOWN, {"person_": person}).one_or_none()
        if there is None:
            defer(connection, NEW, row)
            return str(row["id"])
        mine = there.id == row["id"]  # written by a commit whose connection was lost before it could say so
        if (
            source in VISIT
            and not mine
            and (VISIT[source] not in kept or _visit(source, there.source) != kept[VISIT[source]])
        ):
            raise StartedElsewhereError(whose_session(run, str(there.id)))
        return str(there.id)

    return work


def whose_session(run: SurveyRun, person_id: str) -> str:
    """A name for somebody's session that opens nothing and says nothing, by which their browser finds it again."""
    return keyed_hash(run.secret, f"session {person_id}")[:16]


def personal_links(folder: Path | str, count: int, address: str) -> list[str]:
    """New personal links, signed by the survey; whoever comes back by one goes on where they were.

    address  where people reach the survey, such as https://survey.example.org
    """
    survey = read_survey(folder)
    if survey.people.source != "links":
        raise ValueError(f'people.source is "{survey.people.source}"; personal links are for source = "links"')
    secret = survey_secret(survey.folder)
    start = f"{address.rstrip('/')}/start"
    return [f"{start}?invite={sign(secret, 'invite', secrets.token_hex(8))}" for _ in range(count)]


def _who(run: SurveyRun, query: Mapping[str, str]) -> str:
    source = run.survey.people.source
    if source == "open":
        return secrets.token_hex(16)
    name = WHO[source]
    given = query.get(name, "")
    if source == "mturk" and query.get("assignmentId") == PREVIEW:
        raise RequestError("preview", 403)
    if not given or len(given) > 500 or not is_storable(given):
        raise RequestError(
            f"this survey is entered by a link that carries {name}; please use the link you were sent", 403
        )
    _check_forms(query, (name,))
    if source == "links":
        invited = unsign(run.secret, "invite", given)
        if invited is None:
            raise RequestError("this invitation was not made by this survey; please use the link you were sent", 403)
        given = invited
    return given if run.survey.people.keep_ids else keyed_hash(run.secret, given)


def _check_forms(query: Mapping[str, str], names: tuple[str, ...]) -> None:
    for name in names:
        given = query.get(name, "")
        if "{{%" in given or "${" in given:
            raise RequestError(
                f"the link was not filled in: {name} is {given[:60]!r}; please tell the people who sent it to you", 403
            )
        form, expected = FORMS.get(name, ("", ""))
        if given and form and not re.fullmatch(form, given):
            raise RequestError(
                f"{name} is {given[:60]!r} in this link; expected {expected}; please use the link you were sent", 403
            )


def _visit(source: str, kept: str) -> str | None:
    """The visit in which somebody began, as it is kept."""
    visit = json.loads(kept).get(VISIT[source])
    return visit if isinstance(visit, str) else None

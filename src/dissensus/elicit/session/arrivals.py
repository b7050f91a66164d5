"""Arrivals: the identity of a person from an open link, a personal link, or the link of a recruiting site.

Ids of recruiting sites are not secret, so such a link opens only new sessions. An existing session continues with the
token in its browser, or with the same visit: the same SESSION_ID of Prolific, or the same assignmentId of MTurk.
Personal links are signed, so the link is enough.
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
    "links": "?invite=…, with personal links from `dissensus elicit links`",
    "prolific": "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
    "mturk": ", the address of an ExternalQuestion",
}
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
VISIT = {"prolific": "SESSION_ID", "mturk": "assignmentId"}
# Formats of ids as Prolific and MTurk document them.
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
    """The person of this link has a session that the link alone does not open.

    whose  the key under which the browser that started the session keeps its token
    """

    def __init__(self, whose: str) -> None:
        super().__init__("this survey was started in another browser; please continue there", 403)
        self.whose = whose


def arrive(run: SurveyRun, query: Mapping[str, str]) -> str:
    """Return the id of the person with this link: a new id, or an existing one if the link may open its session."""
    return run.store.write(arrive_work(run, query))


def arrive_work(run: SurveyRun, query: Mapping[str, str]) -> Work[str]:
    """Return the work of `arrive`, for a transaction of the caller."""
    person, source = _identify(run, query), run.survey.people.source
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
        existing = connection.execute(KNOWN, {"person_": person}).one_or_none()
        if existing is None:
            defer(connection, NEW, row)
            return str(row["id"])
        retried = existing.id == row["id"]  # the row is ours: its commit succeeded, but the connection was lost
        if (
            source in VISIT
            and not retried
            and (VISIT[source] not in kept or _visit(source, existing.source) != kept[VISIT[source]])
        ):
            raise StartedElsewhereError(whose_session(run, str(existing.id)))
        return str(existing.id)

    return work


def whose_session(run: SurveyRun, person_id: str) -> str:
    """Return the key under which a browser keeps the token of a session. It reveals nothing and gives no access."""
    return keyed_hash(run.secret, f"session {person_id}")[:16]


def personal_links(folder: Path | str, count: int, address: str) -> list[str]:
    """Create personal links, signed by the survey. A person who returns by their link continues where they stopped.

    Parameters
    ----------
    folder : the folder of the survey, which has `source = "links"`
    count : number of links
    address : public address of the survey, such as https://survey.example.org

    Returns
    -------
    one link per person

    Examples
    --------
    >>> from dissensus.elicit.rehearsal.example import example_folder
    >>> (link,) = personal_links(example_folder(source="links"), 1, "https://survey.example.org")
    >>> link[:41]
    'https://survey.example.org/start?invite=I'
    """
    survey = read_survey(folder)
    if survey.people.source != "links":
        raise ValueError(f'people.source is "{survey.people.source}"; personal links need people.source = "links"')
    secret = survey_secret(survey.folder)
    start = f"{address.rstrip('/')}/start"
    return [f"{start}?invite={sign(secret, 'invite', secrets.token_hex(8))}" for _ in range(count)]


def _identify(run: SurveyRun, query: Mapping[str, str]) -> str:
    """The id of the person in this survey, from the link."""
    source = run.survey.people.source
    if source == "open":
        return secrets.token_hex(16)
    name = WHO[source]
    given = query.get(name, "")
    if source == "mturk" and query.get("assignmentId") == PREVIEW:
        raise RequestError("preview", 403)
    if not given or len(given) > 500 or not is_storable(given):
        raise RequestError(f"{name} is missing from the link; please use the link you were sent", 403)
    _check_forms(query, (name,))
    if source == "links":
        invited = unsign(run.secret, "invite", given)
        if invited is None:
            raise RequestError("this invitation is not valid; please use the link you were sent", 403)
        given = invited
    return given if run.survey.people.keep_ids else keyed_hash(run.secret, given)


def _check_forms(query: Mapping[str, str], names: tuple[str, ...]) -> None:
    for name in names:
        given = query.get(name, "")
        if "{{%" in given or "${" in given:
            raise RequestError(
                f"the link is incomplete: {name} is {given[:60]!r}; please tell the people who sent it to you", 403
            )
        form, expected = FORMS.get(name, ("", ""))
        if given and form and not re.fullmatch(form, given):
            raise RequestError(
                f"{name} is {given[:60]!r} in this link; expected {expected}; please use the link you were sent", 403
            )


def _visit(source: str, kept: str) -> str | None:
    """The visit in which the session started, as stored."""
    visit = json.loads(kept).get(VISIT[source])
    return visit if isinstance(visit, str) else None

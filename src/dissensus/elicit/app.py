"""The web app for annotators: one page, and the API that stores their answers."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from dissensus.elicit.dashboard.routes import dashboard_routes
from dissensus.elicit.database.group_commit import GroupCommit
from dissensus.elicit.guard import MTURK, Guard, RateLimit, too_large
from dissensus.elicit.identity import sign, unsign
from dissensus.elicit.media import media_path
from dissensus.elicit.session.arrivals import StartedElsewhereError, arrive_work, whose_session
from dissensus.elicit.session.presence import Presence
from dissensus.elicit.session.ranking import keep_ranking
from dissensus.elicit.session.session import page_work, submit_work, take_back_work
from dissensus.elicit.survey_run import RequestError, SurveyRun, open_survey
from dissensus.elicit.templates import PAGES, templates

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from dissensus.elicit.database.store import Work

NO_SESSION = "no session; please start again from the link you were sent"


def make_app(run: SurveyRun, *, secure: bool = False) -> Starlette:
    """Make the app of an open survey. `secure` is for a server that people reach by https."""
    mturk = run.survey.people.source == "mturk"
    arrivals, requests = RateLimit(rate=20, burst=400), RateLimit(rate=10, burst=60)
    presence, commits = Presence(run), GroupCommit(run.store)

    async def start(request: Request) -> Response:
        if not arrivals.allows(request.client.host if request.client else "?"):
            return _message(run, "Too many people are starting at once. Please try again in a minute.", 429)
        query = dict(request.query_params)
        try:
            person = await commits.write(arrive_work(run, query))
            # Browsers do not send the part after #, so the token appears in no server log.
            reply = {"token": sign(run.secret, "person", person), "whose": whose_session(run, person)}
        except StartedElsewhereError as error:
            reply = {"whose": error.whose}  # the browser that started the session has the token
        except RequestError as error:
            if str(error) == "preview":
                return _message(run, "This is a preview. Accept the task to start.", 200)
            return _message(run, str(error)[0].upper() + str(error)[1:] + ".", error.status)
        if mturk and query.get("turkSubmitTo", "").rstrip("/") in MTURK:
            reply |= {"assignmentId": query.get("assignmentId", ""), "turkSubmitTo": query["turkSubmitTo"].rstrip("/")}
        return RedirectResponse(f"run#{urlencode(reply)}", status_code=303)

    async def survey_page(request: Request) -> Response:
        return HTMLResponse(
            templates.get_template("run.html").render(
                title=run.survey.title,
                source=run.survey.people.source,
                script=run.survey.kind.script,
                contact=run.survey.contact,
            )
        )

    async def page(request: Request) -> Response:
        return await _reply(request, lambda person, _: page_work(run, person))

    async def submit(request: Request) -> Response:
        return await _reply(request, lambda person, sent: submit_work(run, person, sent))

    async def alive(request: Request) -> Response:
        person = _sender(request)
        if person is None:
            return _error(NO_SESSION, 401)
        presence.note(person)
        return Response(status_code=204)

    async def take_back(request: Request) -> Response:
        return await _reply(request, lambda person, sent: take_back_work(run, person, sent))

    async def media(request: Request) -> Response:
        path = media_path(run.survey.folder, run.media, request.path_params["key"])
        if path is None:
            return JSONResponse({"error": "no such file"}, status_code=404)
        return FileResponse(path, headers={"cache-control": "private, max-age=86400"})

    async def healthy(request: Request) -> Response:
        return JSONResponse({"ok": True})

    def _sender(request: Request) -> str | None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return unsign(run.secret, "person", token) if scheme.lower() == "bearer" else None

    async def _reply(request: Request, work: Callable[[str, dict[str, Any]], Work[Any]]) -> Response:
        person = _sender(request)
        if person is None:
            return _error(NO_SESSION, 401)
        if not requests.allows(person):
            return JSONResponse({"error": "too many requests; the page will try again"}, status_code=429)
        try:
            sent = json.loads(await request.body() or b"{}")
        except (ValueError, RecursionError):
            return _error("not valid JSON", 400)
        if not isinstance(sent, dict):
            return _error("expected a JSON object", 422)
        try:
            return JSONResponse(await commits.write(work(person, sent), about=person))
        except RequestError as error:
            return _error(str(error), error.status)
        except RecursionError:
            return _error("the JSON is nested too deeply", 422)

    async def icon(request: Request) -> Response:
        return FileResponse(PAGES / "static" / "icon.svg")

    async def home(request: Request) -> Response:
        query = request.url.query
        return RedirectResponse(f"start{'?' + query if query else ''}", status_code=303)

    async def without_slash(request: Request) -> Response:
        """Redirect by a relative address: Starlette's own redirects trust the host name of the request."""
        page, query = request.url.path.rstrip("/").rpartition("/")[2], request.url.query
        return RedirectResponse(f"../{page}{'?' + query if query else ''}", status_code=303)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(presence.keep())]
        if run.survey.protocol.draw == "expected-error":
            tasks.append(asyncio.create_task(keep_ranking(run)))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            run.store.close()

    routes = [
        Route("/", home),
        Route("/start", start),
        Route("/run", survey_page),
        Route("/healthy", healthy),
        Route("/favicon.ico", icon),
        Route("/start/", without_slash),
        Route("/dashboard/", without_slash),
        Route("/api/page", page, methods=["POST"]),
        Route("/api/submit", submit, methods=["POST"]),
        Route("/api/take-back", take_back, methods=["POST"]),
        Route("/api/alive", alive, methods=["POST"]),
        Route("/media/{key}", media),
        Mount("/static", StaticFiles(directory=PAGES / "static")),
        *dashboard_routes(run, secure=secure),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, mturk=mturk, secure=secure)],
        lifespan=lifespan,
        exception_handlers={sa.exc.SQLAlchemyError: _reply_unavailable, ClientDisconnect: _reply_too_large},
    )
    app.state.presence = presence
    app.router.redirect_slashes = False
    return app


def app_from_environment() -> Starlette:
    """Make the app of the survey that DISSENSUS_SURVEY names; server processes start without arguments."""
    run = open_survey(os.environ["DISSENSUS_SURVEY"], os.environ.get("DISSENSUS_DB") or None)
    return make_app(run, secure=os.environ.get("DISSENSUS_SECURE") == "1")


async def _reply_unavailable(request: Request, error: Exception) -> Response:
    """Reply that the database is unavailable or too busy; browsers keep their answers and send them again."""
    logging.getLogger("uvicorn.error").error("%s: %s", type(error).__name__, error)
    reply = {"error": "the database is unavailable; the page will try again"}
    return JSONResponse(reply, status_code=503, headers={"retry-after": "5"})


async def _reply_too_large(request: Request, error: Exception) -> Response:
    """Reply to a body beyond the limit. A sender that has disconnected does not see the reply."""
    return too_large()


def _error(text: str, status: int) -> Response:
    """Reply with an error of the survey. `refused` tells it from replies of a proxy or of a network's login page."""
    return JSONResponse({"error": text, "refused": True}, status_code=status)


def _message(run: SurveyRun, text: str, status: int) -> Response:
    page = templates.get_template("message.html").render(title=run.survey.title, text=text, contact=run.survey.contact)
    return HTMLResponse(page, status_code=status)

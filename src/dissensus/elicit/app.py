"""The web app that people answer in: one page, and an interface that keeps what they hand in."""

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

NO_SESSION = "no session: start again from the link you were sent"


def make_app(run: SurveyRun, *, secure: bool = False) -> Starlette:
    """The app of a running survey. `secure` is for a server that is reached by https."""
    mturk = run.survey.people.source == "mturk"
    arrivals, requests = RateLimit(rate=20, burst=400), RateLimit(rate=10, burst=60)
    presence, together = Presence(run), GroupCommit(run.store)

    async def start(request: Request) -> Response:
        if not arrivals.allows(request.client.host if request.client else "?"):
            return _message(run, "Too many people are arriving at once. Please try again in a minute.", 429)
        query = dict(request.query_params)
        try:
            person = await together.write(arrive_work(run, query))
            # Behind the # nothing reaches a server or its log: not the token, nor what MTurk wants back.
            reply = {"token": sign(run.secret, "person", person), "whose": whose_session(run, person)}
        except StartedElsewhereError as there:
            reply = {"whose": there.whose}  # the browser in which it was begun has the token
        except RequestError as refused:
            if str(refused) == "preview":
                return _message(run, "This is a preview. Accept the task to begin.", 200)
            return _message(run, str(refused)[0].upper() + str(refused)[1:] + ".", refused.status)
        if mturk and query.get("turkSubmitTo", "").rstrip("/") in MTURK:
            reply |= {"assignmentId": query.get("assignmentId", ""), "turkSubmitTo": query["turkSubmitTo"].rstrip("/")}
        return RedirectResponse(f"run#{urlencode(reply)}", status_code=303)

    async def shell(request: Request) -> Response:
        return HTMLResponse(
            templates.get_template("run.html").render(
                title=run.survey.title,
                source=run.survey.people.source,
                script=run.survey.kind.script,
                contact=run.survey.contact,
            )
        )

    async def page(request: Request) -> Response:
        return await _answered(request, lambda person, _: page_work(run, person))

    async def handed_in(request: Request) -> Response:
        return await _answered(request, lambda person, sent: submit_work(run, person, sent))

    async def alive(request: Request) -> Response:
        person = _sender(request)
        if person is None:
            return _refusal(NO_SESSION, 401)
        presence.note(person)
        return Response(status_code=204)

    async def taken_back(request: Request) -> Response:
        return await _answered(request, lambda person, sent: take_back_work(run, person, sent))

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

    async def _answered(request: Request, work: Callable[[str, dict[str, Any]], Work[Any]]) -> Response:
        person = _sender(request)
        if person is None:
            return _refusal(NO_SESSION, 401)
        if not requests.allows(person):
            return JSONResponse({"error": "too many requests; it will be sent again"}, status_code=429)
        try:
            sent = json.loads(await request.body() or b"{}")
        except (ValueError, RecursionError):
            return _refusal("the request is not valid JSON", 400)
        if not isinstance(sent, dict):
            return _refusal("the request is not an object", 422)
        try:
            return JSONResponse(await together.write(work(person, sent), about=person))
        except RequestError as refused:
            return _refusal(str(refused), refused.status)
        except RecursionError:
            return _refusal("the request is nested too deeply", 422)

    async def icon(request: Request) -> Response:
        return FileResponse(PAGES / "static" / "icon.svg")

    async def welcome(request: Request) -> Response:
        query = request.url.query
        return RedirectResponse(f"start{'?' + query if query else ''}", status_code=303)

    async def without_slash(request: Request) -> Response:
        """Relative, as all our redirects are: Starlette's own lead to whatever name a request gives the host."""
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
        Route("/", welcome),
        Route("/start", start),
        Route("/run", shell),
        Route("/healthy", healthy),
        Route("/favicon.ico", icon),
        Route("/start/", without_slash),
        Route("/dashboard/", without_slash),
        Route("/api/page", page, methods=["POST"]),
        Route("/api/submit", handed_in, methods=["POST"]),
        Route("/api/take-back", taken_back, methods=["POST"]),
        Route("/api/alive", alive, methods=["POST"]),
        Route("/media/{key}", media),
        Mount("/static", StaticFiles(directory=PAGES / "static")),
        *dashboard_routes(run, secure=secure),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, mturk=mturk, secure=secure)],
        lifespan=lifespan,
        exception_handlers={sa.exc.SQLAlchemyError: _later, ClientDisconnect: _cut_off},
    )
    app.state.presence = presence
    app.router.redirect_slashes = False
    return app


def app_from_environment() -> Starlette:
    """The app of the survey that DISSENSUS_SURVEY names: for server processes, which are started without arguments."""
    run = open_survey(os.environ["DISSENSUS_SURVEY"], os.environ.get("DISSENSUS_DB") or None)
    return make_app(run, secure=os.environ.get("DISSENSUS_SECURE") == "1")


async def _later(request: Request, error: Exception) -> Response:
    """The database is away or too busy. Browsers keep what they wanted to hand in and send it again."""
    logging.getLogger("uvicorn.error").error("%s: %s", type(error).__name__, error)
    reply = {"error": "the database does not answer; it will be sent again"}
    return JSONResponse(reply, status_code=503, headers={"retry-after": "5"})


async def _cut_off(request: Request, error: Exception) -> Response:
    """The body grew beyond the limit, or its sender left and will not see this."""
    return too_large()


def _refusal(text: str, status: int) -> Response:
    """A refusal that is recognisably the survey's own: a proxy or a network's login page may answer in its place."""
    return JSONResponse({"error": text, "refused": True}, status_code=status)


def _message(run: SurveyRun, text: str, status: int) -> Response:
    page = templates.get_template("message.html").render(title=run.survey.title, text=text, contact=run.survey.contact)
    return HTMLResponse(page, status_code=status)

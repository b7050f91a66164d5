"""The HTTP routes of the dashboard: login, data, decisions and downloads."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import parse_qs

from anyio import CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from dissensus.elicit import access
from dissensus.elicit.dashboard import decisions
from dissensus.elicit.dashboard.data import DashboardData
from dissensus.elicit.dashboard.wrong_keys import WrongKeys
from dissensus.elicit.export_files import EXPORTS, FORMATS
from dissensus.elicit.survey_run import RequestError, SurveyRun
from dissensus.elicit.templates import templates


def dashboard_routes(run: SurveyRun, *, secure: bool) -> list[Route]:
    """Return the routes below /dashboard. All but the login need the cookie; changes also need the page's token."""
    checking, page_data = CapacityLimiter(2), DashboardData(run)
    attempts = WrongKeys()
    downloads = [(what, export.name, export.text) for what, export in EXPORTS.items() if export.offered(run)]

    async def is_logged_in(request: Request) -> bool:
        cookie = request.cookies.get(access.COOKIE, "")
        return bool(cookie) and await run_in_threadpool(
            access.is_valid_cookie, run.secret, run.survey.folder, run.store, cookie
        )

    def sender_of(request: Request) -> str:
        """Name the sender whose wrong keys count together: a browser that has logged in before, or else an address."""
        browser = access.browser_name(run.secret, request.cookies.get(access.KNOWN, ""))
        return f"known {browser}" if browser else request.client.host if request.client else "?"

    async def show(request: Request) -> Response:
        if not await is_logged_in(request):
            page = templates.get_template("login.html").render(
                title=run.survey.title, wrong="wrong" in request.query_params
            )
            return HTMLResponse(page, status_code=401)
        token = access.form_token(run.secret, request.cookies[access.COOKIE])
        page = templates.get_template("dashboard.html").render(
            title=run.survey.title, token=token, columns=COLUMNS.items(), endings=list(FORMATS), downloads=downloads
        )
        return HTMLResponse(page)

    async def login(request: Request) -> Response:
        sent = parse_qs((await request.body()).decode("utf-8", "replace"))
        key, sender, right = sent.get("key", [""])[0], sender_of(request), False
        wait = attempts.begin(sender)
        if wait is None:
            page = templates.get_template("message.html").render(
                title=run.survey.title, text="Too many attempts. Please wait a moment and try again.", up="../"
            )
            return HTMLResponse(page, status_code=429, headers={"retry-after": "10"})
        try:
            await asyncio.sleep(wait)
            # argon2 uses 64 MB of memory per key by design, so only a few keys are checked at once.
            right = await to_thread.run_sync(access.is_key, run.survey.folder, key, limiter=checking)
        finally:
            attempts.end(sender, right=right)
        if not right:
            return RedirectResponse("../dashboard?wrong", status_code=303)
        reply = RedirectResponse("../dashboard", status_code=303)
        for name, cookie, seconds in (
            (access.COOKIE, access.new_cookie(run.secret, run.survey.folder), 3600 * access.HOURS),
            (access.KNOWN, access.new_browser_cookie(run.secret), 86400 * access.DAYS),
        ):
            reply.set_cookie(name, cookie, max_age=seconds, httponly=True, samesite="strict", secure=secure)
        return reply

    async def logout(request: Request) -> Response:
        cookie = request.cookies.get(access.COOKIE, "")
        await run_in_threadpool(access.log_out, run.secret, run.survey.folder, run.store, cookie)
        reply = RedirectResponse("../dashboard", status_code=303)
        reply.delete_cookie(access.COOKIE, httponly=True, samesite="strict", secure=secure)
        return reply

    async def data(request: Request) -> Response:
        if not await is_logged_in(request):
            return JSONResponse({"error": "log in first"}, status_code=401)
        return JSONResponse(await run_in_threadpool(page_data.now, request.query_params))

    async def change(request: Request) -> Response:
        cookie = request.cookies.get(access.COOKIE, "")
        if not await is_logged_in(request):
            return JSONResponse({"error": "log in first"}, status_code=401)
        if not access.is_valid_form_token(run.secret, cookie, request.headers.get("x-form-token", "")):
            return JSONResponse({"error": "reload the page and try again"}, status_code=403)
        try:
            sent = json.loads(await request.body() or b"{}")
            if not isinstance(sent, dict):
                raise RequestError("expected a JSON object")
            await run_in_threadpool(_decide, run, request.path_params["what"], sent)
        except RequestError as error:
            return JSONResponse({"error": str(error)}, status_code=error.status)
        except (ValueError, RecursionError):
            return JSONResponse({"error": "not valid JSON"}, status_code=400)
        return JSONResponse(await run_in_threadpool(lambda: page_data.now(request.query_params, changed=True)))

    async def download(request: Request) -> Response:
        if not await is_logged_in(request):
            return JSONResponse({"error": "log in first"}, status_code=401)
        name = request.path_params["name"]
        what, _, ending = name.partition(".")
        if what not in EXPORTS or ending not in FORMATS:
            listed = ", ".join(f"{known}.{end}" for known in EXPORTS for end in FORMATS)
            return JSONResponse({"error": f"expected one of {listed}"}, status_code=404)
        try:
            body = await run_in_threadpool(lambda: FORMATS[ending].as_bytes(EXPORTS[what].table(run)))
        except ValueError as error:
            return JSONResponse({"error": str(error)}, status_code=409)
        return Response(
            body,
            media_type=FORMATS[ending].media_type,
            headers={"content-disposition": f'attachment; filename="{name}"'},
        )

    return [
        Route("/dashboard", show),
        Route("/dashboard/login", login, methods=["POST"]),
        Route("/dashboard/logout", logout, methods=["POST"]),
        Route("/dashboard/data", data),
        Route("/dashboard/change/{what}", change, methods=["POST"]),
        Route("/dashboard/download/{name}", download),
    ]


def _decide(run: SurveyRun, what: str, sent: dict[str, Any]) -> None:
    person = sent.get("person")
    if what in ("exclude", "include", "forget") and not isinstance(person, str):
        raise RequestError("expected person to be the id of a person")
    if what == "exclude":
        why = sent.get("why")
        if not isinstance(why, str) or not why.strip():
            raise RequestError("give a reason for the exclusion")
        decisions.exclude(run, str(person), why.strip())
    elif what == "include":
        decisions.include(run, str(person))
    elif what == "forget":
        decisions.forget(run, str(person))
    elif what == "stop":
        decisions.stop(run)
    elif what == "open":
        decisions.reopen(run)
    elif what == "extend":
        per_item = sent.get("per_item")
        if not isinstance(per_item, int) or isinstance(per_item, bool):
            raise RequestError("expected per_item to be a whole number")
        decisions.extend(run, per_item)
    else:
        raise RequestError(f"unknown decision {what!r}", 404)


COLUMNS = {
    "annotator": "Annotator",
    "stage": "Stage",
    "answers": "Answers",
    "median_seconds": "Median time",
    "agreement": "Agreement",
    "checks": "Checks",
    "repeats": "Repeats",
    "flags": "Flags",
}

"""The researcher's page: how the survey stands, what people dispute, who answers how, and what to do about it."""

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
    """The routes below /dashboard; all but the login need the cookie, all changes the page's own token too."""
    checking, shown = CapacityLimiter(2), DashboardData(run)
    attempts = WrongKeys()
    downloads = [(what, export.name, export.text) for what, export in EXPORTS.items() if export.offered(run)]

    async def inside(request: Request) -> bool:
        cookie = request.cookies.get(access.COOKIE, "")
        return bool(cookie) and await run_in_threadpool(
            access.is_valid_cookie, run.secret, run.survey.folder, run.store, cookie
        )

    def sender_of(request: Request) -> str:
        """Whose wrong keys count together: a browser that was let in before, or else an address."""
        known = access.browser_name(run.secret, request.cookies.get(access.KNOWN, ""))
        return f"known {known}" if known else request.client.host if request.client else "?"

    async def show(request: Request) -> Response:
        if not await inside(request):
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
                title=run.survey.title, text="Too many attempts at once. Please try again in a moment.", up="../"
            )
            return HTMLResponse(page, status_code=429, headers={"retry-after": "10"})
        try:
            await asyncio.sleep(wait)
            # Checking a key takes 64 MB of memory on purpose, so only a few are checked at once.
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
        if not await inside(request):
            return JSONResponse({"error": "log in first"}, status_code=401)
        return JSONResponse(await run_in_threadpool(shown.now, request.query_params))

    async def change(request: Request) -> Response:
        cookie = request.cookies.get(access.COOKIE, "")
        if not await inside(request):
            return JSONResponse({"error": "log in first"}, status_code=401)
        if not access.is_valid_form_token(run.secret, cookie, request.headers.get("x-form-token", "")):
            return JSONResponse({"error": "reload the page and try again"}, status_code=403)
        try:
            sent = json.loads(await request.body() or b"{}")
            if not isinstance(sent, dict):
                raise RequestError("the request is not an object")
            await run_in_threadpool(_decide, run, request.path_params["what"], sent)
        except RequestError as refused:
            return JSONResponse({"error": str(refused)}, status_code=refused.status)
        except (ValueError, RecursionError):
            return JSONResponse({"error": "the request is not valid JSON"}, status_code=400)
        return JSONResponse(await run_in_threadpool(lambda: shown.now(request.query_params, changed=True)))

    async def download(request: Request) -> Response:
        if not await inside(request):
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
            raise RequestError("say why, so that it can be understood later")
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
        raise RequestError(f"{what!r} is not a decision that can be made here", 404)


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

"""The researcher's page: how the study stands, what people dispute, who answers how, and what to do about it."""

from __future__ import annotations

import io
import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from anyio import CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from dissensus.elicit import access, decisions
from dissensus.elicit.annotator_rows import annotator_rows, page_of
from dissensus.elicit.disagreement import disagreement_map
from dissensus.elicit.export import answer_table, labels_of, people_table
from dissensus.elicit.guard import Haste
from dissensus.elicit.identity import keyed_hash
from dissensus.elicit.questions import QUESTIONS
from dissensus.elicit.session import Refused, Running
from dissensus.elicit.status import disputed, funnel, items_of, status_of, timeline
from dissensus.elicit.store import storable
from dissensus.elicit.watch import Watch
from dissensus.files.tables.from_labels import as_table

ATTEMPTS = Haste(rate=0.1, burst=5)
EVERY = 2.0  # seconds for which what was worked out is shown to everybody who looks
REST = 20.0  # what took a second to work out is not worked out anew for so many seconds
LONGEST = 15.0  # seconds that the page may lag behind all the same


def dashboard_routes(run: Running, *, secure: bool) -> list[Route]:
    """The routes below /dashboard; all but the login need the cookie, all changes the page's own token too."""
    from dissensus.elicit.app import templates

    checking, looks = CapacityLimiter(2), _Looks(run)
    labels = QUESTIONS[run.study.question.kind].needs_classes or run.study.question.kind == "typicality"

    def inside(request: Request) -> bool:
        return access.cookie_holds(run.secret, run.study.folder, request.cookies.get(access.COOKIE, ""))

    async def show(request: Request) -> Response:
        if not inside(request):
            page = templates.get_template("login.html").render(
                title=run.study.title, wrong="wrong" in request.query_params
            )
            return HTMLResponse(page, status_code=401)
        token = access.form_token(run.secret, request.cookies[access.COOKIE])
        page = templates.get_template("dashboard.html").render(
            title=run.study.title, token=token, columns=COLUMNS.items(), endings=list(FORMATS),
            downloads=[(what, name, text) for what, (name, text, _) in DOWNLOADS.items() if what != "labels" or labels],
        )  # fmt: skip
        return HTMLResponse(page)

    async def login(request: Request) -> Response:
        if not ATTEMPTS.allows(request.client.host if request.client else "?"):
            told = {"title": run.study.title, "text": "Too many attempts. Please wait a minute.", "up": "../"}
            return HTMLResponse(templates.get_template("message.html").render(**told), status_code=429)
        sent = parse_qs((await request.body()).decode("utf-8", "replace"))
        key = sent.get("key", [""])[0]
        # Checking a key takes 64 MB of memory on purpose, so only a few are checked at once.
        if not await to_thread.run_sync(access.opens, run.study.folder, key, limiter=checking):
            return RedirectResponse("../dashboard?wrong", status_code=303)
        reply = RedirectResponse("../dashboard", status_code=303)
        reply.set_cookie(
            access.COOKIE, access.new_cookie(run.secret, run.study.folder), max_age=3600 * access.HOURS,
            httponly=True, samesite="strict", secure=secure,
        )  # fmt: skip
        return reply

    async def logout(request: Request) -> Response:
        reply = RedirectResponse("../dashboard", status_code=303)
        reply.delete_cookie(access.COOKIE, httponly=True, samesite="strict", secure=secure)
        return reply

    async def data(request: Request) -> Response:
        if not inside(request):
            return JSONResponse({"error": "log in first"}, status_code=401)
        return JSONResponse(await run_in_threadpool(looks.now, request.query_params))

    async def change(request: Request) -> Response:
        cookie = request.cookies.get(access.COOKIE, "")
        if not inside(request):
            return JSONResponse({"error": "log in first"}, status_code=401)
        if not access.form_holds(run.secret, cookie, request.headers.get("x-form-token", "")):
            return JSONResponse({"error": "reload the page and try again"}, status_code=403)
        try:
            sent = json.loads(await request.body() or b"{}")
            if not isinstance(sent, dict):
                raise Refused("the request is not an object")
            await run_in_threadpool(_decide, run, request.path_params["what"], sent)
        except Refused as refused:
            return JSONResponse({"error": str(refused)}, status_code=refused.status)
        except (ValueError, RecursionError):
            return JSONResponse({"error": "the request is not valid JSON"}, status_code=400)
        return JSONResponse(await run_in_threadpool(lambda: looks.now(request.query_params, changed=True)))

    async def download(request: Request) -> Response:
        if not inside(request):
            return JSONResponse({"error": "log in first"}, status_code=401)
        name = request.path_params["name"]
        what, _, ending = name.partition(".")
        if what not in DOWNLOADS or ending not in FORMATS:
            listed = ", ".join(f"{one}.{end}" for one in DOWNLOADS for end in FORMATS)
            return JSONResponse({"error": f"expected one of {listed}"}, status_code=404)
        kind, write = FORMATS[ending]
        try:
            body = await run_in_threadpool(lambda: write(DOWNLOADS[what][2](run)))
        except ValueError as error:
            return JSONResponse({"error": str(error)}, status_code=409)
        return Response(body, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})

    return [
        Route("/dashboard", show), Route("/dashboard/login", login, methods=["POST"]),
        Route("/dashboard/logout", logout, methods=["POST"]), Route("/dashboard/data", data),
        Route("/dashboard/change/{what}", change, methods=["POST"]), Route("/dashboard/download/{name}", download),
    ]  # fmt: skip


class _Looks:
    """What the page shows, worked out for all who look together, and seldom enough that people who answer go first."""

    def __init__(self, run: Running) -> None:
        self.run, self.watch, self.until, self.looks = run, Watch(run), 0.0, 0
        self.name = secrets.token_hex(4)  # of this process: another's third look is not the same as our third
        self.shown: dict[str, Any] = {}
        self.items: dict[str, Any] = {}
        self.people: list[dict[str, Any]] = []
        self.turn = threading.Lock()

    def now(self, asked: Mapping[str, str], *, changed: bool = False) -> dict[str, Any]:
        """asked: what `page_of` takes, and the version of the items that the page has already"""
        with self.turn:
            if changed or time.monotonic() > self.until:
                began = time.monotonic()
                self._look(changed)
                self.until = began + min(LONGEST, max(EVERY, REST * (time.monotonic() - began)))
            version = f"{self.name}-{self.looks}"
            find = asked.get("find", "").strip()
            known = keyed_hash(self.run.secret, find) if storable(find) else ""
            items = {} if asked.get("version") == version else self.items
            return {
                **self.shown,
                **items,
                "version": version,
                "people": page_of(self.people, {**asked, "known_as": known}),
            }

    def _look(self, changed: bool) -> None:
        new = self.watch.read()
        status = status_of(self.run, self.watch)
        self.shown = {"status": status, "time": timeline(self.watch), "funnel": funnel(self.run, self.watch)}
        if new or changed or not self.looks:
            items = items_of(self.watch)
            self.items = {
                "map": disagreement_map(self.run, items, status["per_item"]), "labels": self.watch.pools,
                "disputed": disputed(self.run, items=items),
            }  # fmt: skip
            self.people = annotator_rows(self.run, self.watch)
            self.looks += 1


def _decide(run: Running, what: str, sent: dict[str, Any]) -> None:
    person = sent.get("person")
    if what in ("exclude", "include", "forget") and not isinstance(person, str):
        raise Refused("person is the id of somebody")
    if what == "exclude":
        why = sent.get("why")
        if not isinstance(why, str) or not why.strip():
            raise Refused("say why, so that it can be understood later")
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
            raise Refused("per_item is a whole number")
        decisions.extend(run, per_item)
    else:
        raise Refused(f"{what!r} is nothing that can be decided here", 404)


def _csv(table: pa.Table) -> bytes:
    flat = table
    for place, name in enumerate(table.column_names):
        if pa.types.is_list(table.schema.field(name).type):
            texts = pa.array([json.dumps(value) for value in table.column(name).to_pylist()], pa.string())
            flat = flat.set_column(place, name, texts)
    out = io.BytesIO()
    pa.csv.write_csv(flat, out)
    return out.getvalue()


def _parquet(table: pa.Table) -> bytes:
    out = io.BytesIO()
    pa.parquet.write_table(table, out)
    return out.getvalue()


def _jsonl(table: pa.Table) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in table.to_pylist()).encode()


def _labels(run: Running) -> pa.Table:
    return as_table(labels_of(run))


DOWNLOADS: dict[str, tuple[str, str, Callable[[Running], pa.Table]]] = {
    "answers": ("Raw answers", "Every answer with its times and its order, also of excluded people.", answer_table),
    "labels": ("Labels", "Votes or beliefs, ready to build and train on, without excluded people.", _labels),
    "people": ("People", "Everybody who came, how far they got, and what they said at the end.", people_table),
}
FORMATS: dict[str, tuple[str, Callable[[pa.Table], bytes]]] = {
    "parquet": ("application/vnd.apache.parquet", _parquet),
    "csv": ("text/csv; charset=utf-8", _csv),
    "jsonl": ("application/jsonl", _jsonl),
}
COLUMNS = {
    "annotator": "Annotator", "stage": "Stage", "answers": "Answers", "median_seconds": "Median time",
    "agreement": "Agreement", "checks": "Checks", "repeats": "Repeats", "flags": "Flags",
}  # fmt: skip

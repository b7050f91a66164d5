"""Simulated annotators with known answers, who use the real server."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np

from dissensus.elicit.identity import sign, survey_secret
from dissensus.elicit.questions.question import Answer
from dissensus.elicit.survey.extra_trials import attention_check
from dissensus.elicit.survey.settings import Survey
from dissensus.labels import simulate
from dissensus.labels.content_hash import hash_text
from dissensus.labels.streams import Stream, stream

ARRIVAL = 5.0  # seconds within which people arrive in real time
LOOKS = (0.2, 5.0)  # seconds after which a waiting person tries again: at full speed, and in real time as the page does


def stimulus_key(parts: Sequence[str]) -> str:
    """Return a key of an item from all its parts, since one premise may have many hypotheses."""
    return "\0".join(parts)


@dataclass(frozen=True)
class Rehearsal:
    """The outcome: number of people, acknowledged trials, seconds of every request, and errors.

    left    people who left with an item on their screen
    waited  people who had to wait because others held everything that was missing
    """

    people: int
    acknowledged: tuple[str, ...]
    seconds: np.ndarray
    errors: tuple[str, ...]
    elapsed: float
    left: int = 0
    waited: int = 0

    def as_json(self) -> dict[str, Any]:
        any_request = self.seconds.size > 0
        return {
            "people": self.people,
            "answers": len(self.acknowledged),
            "errors": len(self.errors),
            "seconds": self.elapsed,
            "answers_per_second": len(self.acknowledged) / max(self.elapsed, 1e-9),
            "median_ms": 1000 * float(np.median(self.seconds)) if any_request else None,
            "p95_ms": 1000 * float(np.quantile(self.seconds, 0.95)) if any_request else None,
            "left": self.left,
            "waited": self.waited,
        }


def simulate_truth(survey: Survey, units: int, seed: int) -> np.ndarray:
    """Draw the true distribution of each unit, over the classes or over two answers.  (units, k)"""
    k = max(len(survey.question.classes), 2)
    return simulate.simulate_truth(units, k, stream(seed, Stream.CROWD_TRUTH), concentration=2.0).probs


def send_people(
    survey: Survey,
    names: dict[str, int],
    truth: np.ndarray,
    address: str,
    people: int,
    seed: int,
    *,
    items: Sequence[str] = (),
    at_once: int = 50,
    tick: Callable[[], None] = lambda: None,
    patient: bool = False,
    real_time: bool = False,
    leave: float = 0.0,
) -> Rehearsal:
    """Run `people` simulated annotators through the survey at an address.

    names      the row of each item in `truth`, by `stimulus_key`
    items      the names of the items in that order, to answer attention checks as expected
    at_once    number of people at the same time
    patient    resend requests without a reply, as the browser does
    real_time  arrive within ARRIVAL seconds and take about two seconds per page
    leave      probability that a person leaves for good, at a random item
    """
    began = time.monotonic()

    def walk(number: int) -> _Walk:
        return _Walk(
            survey,
            names,
            truth,
            address,
            seed,
            number,
            tick,
            items=items,
            patient=patient,
            real_time=real_time,
            leave=leave,
        ).run()

    with ThreadPoolExecutor(max_workers=at_once) as pool:
        walks = list(pool.map(walk, range(people)))
    seconds = np.array([spent for walk in walks for spent in walk.seconds])
    return Rehearsal(
        people,
        tuple(trial for walk in walks for trial in walk.acknowledged),
        seconds,
        tuple(error for walk in walks for error in walk.errors),
        time.monotonic() - began,
        left=sum(walk.left for walk in walks),
        waited=sum(walk.waited for walk in walks),
    )


class _Walk:
    """A simulated person with an open connection."""

    def __init__(
        self,
        survey: Survey,
        names: dict[str, int],
        truth: np.ndarray,
        address: str,
        seed: int,
        number: int,
        tick: Callable[[], None],
        *,
        items: Sequence[str],
        patient: bool,
        real_time: bool,
        leave: float,
    ) -> None:
        self.survey, self.names, self.truth, self.number, self.items = survey, names, truth, number, items
        self.rng = stream(seed, Stream.CROWD_PERSON, number)
        self.host, self.tick, self.patient = urlsplit(address).netloc, tick, patient
        self.seed, self.real_time = seed, real_time
        fate, items_given = stream(seed, Stream.CROWD_LEAVING, number), min(survey.protocol.per_person, len(names))
        self.stays_for = int(fate.integers(items_given)) if fate.random() < leave else None
        self.left = self.waited = False
        self.connection: HTTPConnection | None = None
        self.token = ""
        self.acknowledged: list[str] = []
        self.seconds: list[float] = []
        self.errors: list[str] = []

    def run(self) -> _Walk:
        try:
            if self.real_time:
                time.sleep(self.rng.uniform(0, ARRIVAL))
            self.token = self._arrive()
            page = self._post("/api/page", {})
            while page is not None and page["stage"] not in ("done", "declined", "failed", "full", "stopped"):
                if page["stage"] == "waiting":
                    self.waited = True
                    time.sleep(LOOKS[self.real_time] * self.rng.uniform(0.7, 1.3))
                    page = self._post("/api/page", {})
                    continue
                if page["stage"] == "trial" and len(self.acknowledged) == self.stays_for:
                    self.left = True
                    break
                began = time.monotonic()
                answer = self._response(page)
                if self.real_time:
                    time.sleep(self.rng.lognormal(0.6, 0.5))
                times = _times(answer, time.monotonic() - began)
                sent = {"page": page["page"], "answer": answer, "times": times, "client": time.time()}
                reply = self._post("/api/submit", sent)
                if reply is None:
                    break
                if page["page"].startswith("trial:"):
                    self.acknowledged.append(page["page"].removeprefix("trial:"))
                    self.tick()
                page = reply["page"]
        except (OSError, HTTPException, ValueError, KeyError) as error:
            self.errors.append(f"person {self.number}: {type(error).__name__}: {error}")
        finally:
            self._hang_up()
        return self

    def _hang_up(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def _arrive(self) -> str:
        source = self.survey.people.source
        status, headers, _ = self._request("GET", f"/start{self._query(source)}", None)
        if status != 303:
            raise ValueError(f"/start answered {status}")
        return parse_qs(urlsplit(headers["location"]).fragment)["token"][0]

    def _query(self, source: str) -> str:
        """The query of a link from this source, with made-up ids of the right format."""
        name = f"rehearsal-{self.seed}-{self.number}"
        digits = hash_text(name)
        query = {
            "links": {"invite": sign(survey_secret(self.survey.folder), "invite", name)},
            "prolific": {"PROLIFIC_PID": digits[:24], "SESSION_ID": digits[24:48]},
            "mturk": {"workerId": f"A{digits[:13].upper()}", "assignmentId": digits[13:43].upper()},
        }.get(source, {})
        return f"?{urlencode(query)}" if query else ""

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        status, _, reply = self._request("POST", path, json.dumps(body))
        if status != 200:
            self.errors.append(f"person {self.number}: {path} answered {status}: {reply[:200]!r}")
            return None
        return dict(json.loads(reply))

    def _request(self, method: str, path: str, body: str | None) -> tuple[int, dict[str, str], bytes]:
        headers = {"content-type": "application/json", "authorization": f"Bearer {self.token}"} if body else {}
        for attempt in range(400):
            began = time.monotonic()
            try:
                if self.connection is None:
                    self.connection = HTTPConnection(self.host, timeout=60)
                self.connection.request(method, path, body, headers)
                response = self.connection.getresponse()
                reply = response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
                if reply[0] != 429 and (reply[0] < 500 or not self.patient):
                    self.seconds.append(time.monotonic() - began)
                    return reply
            except (OSError, HTTPException):
                self._hang_up()
                if not self.patient:
                    raise
            time.sleep(min(0.5, 0.05 * (attempt + 1)))
        raise ValueError(f"{path} could not be sent")

    def _response(self, page: dict[str, Any]) -> dict[str, Any]:
        if page["stage"] == "consent":
            return {"agreed": True}
        if page["stage"] == "comprehension":
            return {"chosen": [check.correct for check in self.survey.comprehension]}
        if page["stage"] == "debrief":
            return {field.name: field.options[0] if field.options else "fine" for field in self.survey.debrief}
        if page["stage"] not in ("trial", "practice"):
            return {}
        return self._answer(page)

    def _answer(self, page: dict[str, Any]) -> Answer:
        """An answer that follows the truth of the shown items, recognised by `stimulus_key`."""
        survey, question = self.survey, self.survey.question
        places = [
            self.names[stimulus_key([part.get("src") or part["text"] for part in stimulus["parts"]])]
            for stimulus in page["stimuli"]
        ]
        shown = [self.items[place] for place in places] if self.items else []
        check = attention_check(survey.attention, question, shown)
        if check is not None:
            return survey.kind.attention.obvious(question, check.answer, shown)
        return survey.kind.simulate(question, np.asarray(self.truth[places[0]]), self.rng)


def _times(answer: dict[str, Any], seconds: float) -> dict[str, Any]:
    """The times that a browser would measure: one input per field, within the time that passed."""
    spent = 1000 * seconds
    changes = [[spent / 2, field, str(value)[:100]] for field, value in answer.items()]
    return {"looked": 0, "touched": spent / 2, "submitted": spent, "changes": changes, "away": []}

"""The data of the dashboard, computed once for all viewers."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Mapping
from typing import Any

from dissensus.elicit.dashboard.annotator_table import annotator_rows, page_of
from dissensus.elicit.dashboard.disagreement import disagreement_map
from dissensus.elicit.dashboard.disputed import disputed_items, summarise_items
from dissensus.elicit.dashboard.status import funnel, survey_status, timeline
from dissensus.elicit.dashboard.watch import Watch
from dissensus.elicit.database.store import is_storable
from dissensus.elicit.identity import keyed_hash
from dissensus.elicit.survey_run import SurveyRun

EVERY = 2.0  # seconds for which computed data are reused, at least
REST = 20.0  # data that took one second to compute are reused for this many seconds
LONGEST = 15.0  # seconds for which data are reused, at most


class DashboardData:
    """The data of the page, computed once for all viewers and rarely enough not to slow down annotators."""

    def __init__(self, run: SurveyRun) -> None:
        self.run, self.watch, self.until, self.looks = run, Watch(run), 0.0, 0
        self.name = secrets.token_hex(4)  # of this process, so that versions of two processes differ
        self.shown: dict[str, Any] = {}
        self.items: dict[str, Any] = {}
        self.people: list[dict[str, Any]] = []
        self.turn = threading.Lock()

    def now(self, asked: Mapping[str, str], *, changed: bool = False) -> dict[str, Any]:
        """Return the data. `asked` has what `page_of` takes and the version of the items that the page has already."""
        with self.turn:
            if changed or time.monotonic() > self.until:
                began = time.monotonic()
                self._look(changed)
                self.until = began + min(LONGEST, max(EVERY, REST * (time.monotonic() - began)))
            version = f"{self.name}-{self.looks}"
            find = asked.get("find", "").strip()
            known = keyed_hash(self.run.secret, find) if is_storable(find) else ""
            items = {} if asked.get("version") == version else self.items
            return {
                **self.shown,
                **items,
                "version": version,
                "people": page_of(self.people, {**asked, "known_as": known}),
            }

    def _look(self, changed: bool) -> None:
        new = self.watch.read()
        status = survey_status(self.run, self.watch)
        self.shown = {"status": status, "time": timeline(self.watch), "funnel": funnel(self.run, self.watch)}
        if new or changed or not self.looks:
            items = summarise_items(self.watch)
            self.items = {
                "map": disagreement_map(self.run, items, status["per_item"]),
                "labels": self.watch.question.pools,
                "disputed": disputed_items(self.run, items=items),
            }
            self.people = annotator_rows(self.run, self.watch)
            self.looks += 1

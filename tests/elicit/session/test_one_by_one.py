"""What many people do in one transaction comes out as if each had done it in one of their own, down to every row."""

from __future__ import annotations

import random
import secrets
import shutil
import time

import pytest
import sqlalchemy as sa

from dissensus.elicit.dashboard import decisions
from dissensus.elicit.database import schema
from dissensus.elicit.identity import survey_secret
from dissensus.elicit.session import arrivals, draws, session
from dissensus.elicit.session.offers import Offers
from dissensus.elicit.session.ranking import rank
from dissensus.elicit.survey_run import RequestError, open_survey
from tests.elicit.database.test_store import counters
from tests.elicit.surveys import TIMES, write_survey

GROUPS = 80
OTHER = {
    "consent": {"agreed": True},
    "comprehension": {"chosen": ["2"]},
    "instructions": {},
    "break": {},
    "waiting": {},
    "debrief": {"age": "40"},
}


class Chance:
    """All that is left to chance and the clock, so that the same happens again from the same start."""

    def __init__(self, monkeypatch):
        self.clock, self.ids = 1.7e9, 0
        monkeypatch.setattr(time, "time", lambda: self.clock)
        monkeypatch.setattr(secrets, "token_hex", lambda size: f"{self._next():0{2 * size}x}")
        monkeypatch.setattr(secrets, "randbits", lambda bits: self.ids * 7919 % 2**bits)

    def _next(self):
        self.ids += 1
        return self.ids

    def begin(self):
        self.clock, self.ids = 1.7e9, 0
        random.seed(5)

    def now(self):
        return self.clock, self.ids, random.getstate()

    def again(self, state):
        self.clock, self.ids = state[:2]
        random.setstate(state[2])


class Survey:
    """A survey in which steps are done: (seconds that pass, whom it is about, what is asked for, with what)."""

    def __init__(self, run, chance):
        self.run, self.chance = run, chance

    def work(self, step):
        seconds, person, what, given = step
        run = self.run

        def work(connection):
            self.chance.clock += seconds
            if what == "arrive":
                return arrivals.arrive_work(run, given)(connection)
            if what == "page_work":
                return session.page_work(run, person)(connection)
            if what in ("submit_work", "take_back_work"):
                return getattr(session, what)(run, person, given)(connection)
            decided = []
            run.store.write, run.store.tidy = lambda inner: decided.append(inner(connection)), lambda: None
            try:
                getattr(decisions, what)(run, *given)
            finally:
                del run.store.write, run.store.tidy
            return decided

        return work

    def together(self, steps):
        """As `GroupCommit` does them."""
        state = self.chance.now()
        try:
            with self.run.store.transaction([person for _, person, *_ in steps if person is not None]) as connection:
                return [self.work(step)(connection) for step in steps]
        except RequestError as refused:
            if len(steps) == 1:
                return [f"refused: {refused}"]
        self.chance.again(state)
        return [reply for step in steps for reply in self.together([step])]

    def all_rows(self):
        """Every row of every table; numbers of events depend on how often something was tried."""
        with self.run.store.reader() as connection:
            return {
                table.name: [
                    tuple(row[1:] if table is schema.events else row)
                    for row in connection.execute(sa.select(table).order_by(*table.primary_key.columns))
                ]
                for table in schema.metadata.sorted_tables
            }


def some_step(dice, people, invites):
    """What somebody might do next. people: by id, the last page that each of them saw, and all before it"""
    seconds, what = dice.choice([0, 1, 5, 20, 40]), dice.random()
    going = [who for who, pages in people.items() if not pages or pages[-1]["stage"] not in ("done", "full")]
    if what < 0.1 or not going:
        return seconds, None, "arrive", {"invite": dice.choice(invites)}
    who = dice.choice(going if dice.random() < 0.9 else list(people))
    pages = people[who]
    page = pages[-1] if pages else {"stage": "none"}
    if page["stage"] == "stopped" and what < 0.6:
        return seconds, None, "reopen", ()
    if what < 0.15 or page["stage"] in ("none", "stopped", "done", "full"):
        return seconds, who, "page_work", None
    if what < 0.25 and page.get("take_back"):
        return seconds, who, "take_back_work", {"page": page["take_back"]}
    if what < 0.28:
        page = dice.choice(pages)  # sent once more, or from another tab
    if what < 0.93:
        answer = OTHER.get(page["page"].partition(":")[0], {"choice": dice.choice(["cat", "dog"])})
        return seconds, who, "submit_work", {"page": page["page"], "answer": answer, "times": TIMES}
    decision, given = dice.choice(
        [
            ("exclude", (who, "odd")),
            ("exclude", (who, "odd")),
            ("include", (who,)),
            ("include", (who,)),
            ("forget", (who,)),
            ("stop", ()),
            ("reopen", ()),
            ("reopen", ()),
            ("extend", (dice.choice([2, 3]),)),
        ]
    )
    return seconds, None, decision, given


@pytest.mark.parametrize("draw", ["least-answered", "expected-error", "batches"])
@pytest.mark.parametrize("some", [1, draws.SOME])
def test_any_works_in_any_groups_come_out_as_one_by_one(draw, some, tmp_path, request, database, monkeypatch):
    protocol = {
        "per_person": 5,
        "per_item": 2,
        "repeats": 1,
        "draw": draw,
        "hold_minutes": 1,
        "consent": "Yes?",
        "instructions": ["One."],
        "attention_every": 2,
        "break_every": 2,
    }
    folder = write_survey(
        tmp_path / "grouped",
        protocol=protocol | ({"batches": "batches.csv"} if draw == "batches" else {}),
        people={"source": "links"},
        attention={"p1": "dog"},
        practice=[{"item": "p0", "feedback": "A cat."}],
        debrief=[{"name": "age", "question": "Age?", "required": True}],
    )
    (folder / "batches.csv").write_text("batch,item\na,p2\na,p3\na,p4\nb,p4\nb,p5\nb,p6\n")
    survey_secret(folder)
    shutil.copytree(folder, tmp_path / "alone")
    invites = [link.rpartition("=")[2] for link in arrivals.personal_links(folder, 40, "http://x")]
    chance, dice = Chance(monkeypatch), random.Random(some)
    monkeypatch.setattr(draws, "SOME", some)
    # What somebody may expect is a look at what is there when they draw, of which there are fewer in one transaction.
    monkeypatch.setattr(Offers, "next_for", lambda self, had: None)

    chance.begin()
    grouped = Survey(open_survey(folder, database), chance)
    people, done, replies = {}, [], []
    while len(done) < GROUPS:
        steps = [some_step(dice, people, invites) for _ in range(dice.choice([1, 2, 5, 12]))]
        got = grouped.together(steps)
        for (_, who, what, _), reply in zip(steps, got, strict=True):
            if what == "arrive":
                people.setdefault(reply, [])
            elif isinstance(reply, dict) and who in people:
                people[who].append(reply["page"] if isinstance(reply["page"], dict) else reply)
            elif reply == "refused: no such session; please start again from the link you were sent":
                people.pop(who, None)
        stored, counted = counters(grouped.run)
        assert stored == counted
        done.append(steps)
        replies += got
        if draw == "expected-error" and dice.random() < 0.1:
            rank(grouped.run)
            done.append("rank")
    rows = grouped.all_rows()
    grouped.run.store.close()

    chance.begin()
    other = None if database is None else request.getfixturevalue("postgres")()
    alone = Survey(open_survey(tmp_path / "alone", other), chance)
    expected = iter(replies)
    for steps in done:
        if steps == "rank":
            rank(alone.run)
            continue
        for step in steps:
            assert alone.together([step]) == [next(expected)], step
    assert alone.all_rows() == rows
    alone.run.store.close()
    assert len(rows["answers"]) > 5

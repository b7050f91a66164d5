"""The numbers that a researcher sees, against a slow recount from the table of answers."""

from __future__ import annotations

import csv
import io
import json
import statistics
from collections import Counter
from math import log
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from dissensus.elicit.access import COOKIE, set_key
from dissensus.elicit.app import make_app
from dissensus.elicit.dashboard import decisions
from dissensus.elicit.dashboard.annotator_table import annotator_rows, page_of
from dissensus.elicit.dashboard.data import DashboardData
from dissensus.elicit.dashboard.disagreement import disagreement_map
from dissensus.elicit.dashboard.disputed import Items, disputed_items, summarise_items
from dissensus.elicit.dashboard.status import funnel, survey_status, timeline
from dissensus.elicit.dashboard.watch import Watch
from dissensus.elicit.database import schema
from dissensus.elicit.export import SCHEMA, answer_table, labels_of, people_table
from dissensus.elicit.export_files import EXPORTS, FORMATS
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.session import current_page, submit
from dissensus.elicit.survey_run import open_survey
from tests.elicit.surveys import TIMES, time_passes, write_survey

PAID = {"pay_per_person": 1.5, "currency": "EUR"}


def person(run, choose, seconds=4.0, upto=None):
    """Somebody who goes through the survey; choose(item) is the class they name."""
    me = arrive(run, {})
    page, given = current_page(run, me), 0
    while page["stage"] in ("trial", "debrief") and given != upto:
        answer = {"comments": "fine"}
        if page["stage"] == "trial":
            key = page["stimuli"][0]["parts"][0]["src"].removeprefix("media/")
            answer = {"choice": choose(Path(run.media[key]).stem)}
        away, changes = [[100.0, 600.0]], [[300, "choice", "x"]]
        times = {"looked": 100, "touched": 200, "submitted": 600 + 1000 * seconds, "changes": changes, "away": away}
        time_passes(run, me, 0.6 + seconds)
        page = submit(run, me, {"page": page["page"], "answer": answer, "times": times})["page"]
        given += 1
    return me


@pytest.fixture
def watched(opened):
    """A survey with six people: four who mean it, one who is careless, and one who left in the middle."""
    run = opened(
        protocol={"per_person": 6, "per_item": 9, "attention_every": 2, "repeats": 2},
        people=PAID,
        attention={"p7": "cat"},
        debrief=[{"name": "comments", "question": "Comments"}],
    )
    rng = np.random.default_rng(0)
    view = {"p0": "cat", "p1": "dog", "p2": "ship", "p3": "cat", "p4": "dog", "p7": "cat"}
    serious = [
        person(run, lambda item: view.get(item) or str(rng.choice(["cat", "dog", "ship"])), 4 + i) for i in range(4)
    ]
    flips = iter(["dog", "ship"] * 20)
    careless = person(run, lambda item: "ship" if item == "p7" else next(flips), 0.5)
    left = person(run, lambda item: view.get(item, "cat"), 5.0, upto=3)
    return run, serious, careless, left


def read(run):
    """The survey as somebody sees it who looks for the first time."""
    watch = Watch(run)
    watch.read()
    return watch


def recount(run):
    """Main answers of people who are not excluded, from the raw table alone."""
    return [row for row in answer_table(run).to_pylist() if row["kind"] == "main" and not row["excluded"]]


def test_progress_cost_and_time_are_those_of_a_recount(watched):
    run, _, careless, _ = watched
    decisions.exclude(run, careless, "checks")
    status, rows = survey_status(run), recount(run)
    per_unit = Counter(row["item"] for row in rows)
    assert (status["units"], status["per_item"], status["wanted"]) == (7, 9, 63)
    assert status["answers"] == len(rows) == sum(per_unit.values())
    missing = sum(max(0, 9 - per_unit[f"p{i}"]) for i in range(7))
    assert status["share"] == pytest.approx(1 - missing / 63)
    assert status["stages"] == {"done": 5, "trials": 1} and status["people"] == 6
    assert (status["excluded"], status["active"], status["cost"], status["currency"]) == (1, 1, 5 * 1.5, "EUR")
    everybody = [row["seconds"] for row in answer_table(run).to_pylist() if row["kind"] == "main"]
    assert status["median_seconds"] == pytest.approx(statistics.median(everybody))
    # All answers came within the last ten minutes, so the pace is their number, and the rest takes that much longer.
    assert status["answers_per_minute"] == pytest.approx(len(everybody) / 10)
    assert status["seconds_left"] == pytest.approx(missing / (len(everybody) / 600))


def test_extending_and_stopping_change_what_is_wanted(watched):
    run, *_ = watched
    decisions.extend(run, 2)
    decisions.stop(run)
    status = survey_status(run)
    assert (status["wanted"], status["state"]) == (14, "stopped") and status["share"] == 1.0
    assert status["answers"] > status["wanted"] and status["seconds_left"] is None


def test_disputed_items_are_those_about_which_two_people_differ_most(watched):
    run, _, careless, _ = watched
    decisions.exclude(run, careless, "checks")
    votes: dict[str, Counter[str]] = {}
    for row in recount(run):
        votes.setdefault(row["item"], Counter())[json.loads(row["answer"])["choice"]] += 1

    def shares(counts):
        return [c / sum(counts.values()) for c in counts.values()]

    rows = disputed_items(run)
    slow = sorted((1 - sum(p * p for p in shares(counts)) for counts in votes.values()), reverse=True)
    assert [row["differ"] for row in rows] == pytest.approx(slow)
    for row in rows:
        counts = votes[row["item"]]
        assert row["entropy"] == pytest.approx(-sum(p * log(p) for p in shares(counts)) / log(3))
        assert row["answers"] == sum(counts.values()) and row["picture"].startswith("media/")
        assert dict(row["shares"]) == pytest.approx({name: c / sum(counts.values()) for name, c in counts.items()})


def test_the_map_has_every_item_once_where_its_class_and_its_disagreement_put_it(watched):
    run, *_ = watched
    drawn = disagreement_map(run, summarise_items(read(run)), per_item=3)
    assert drawn["classes"] == ["cat", "dog", "ship"] and drawn["columns"] == 7  # two of three classes: 0.67 at most
    assert (
        sum(cell["items"] for cell in drawn["cells"]) == drawn["items"] == len(disputed_items(run)) and drawn["marks"]
    )
    for cell in drawn["cells"]:
        assert cell["items"] == len(cell["rows"]) and cell["enough"] == sum(row["answers"] >= 3 for row in cell["rows"])
        for row in cell["rows"]:
            assert row["shares"][0][0] == cell["class"] and cell["column"] == min(int(10 * row["differ"] + 1e-9), 6)
    assert drawn["agreed"] == sum(len(row["shares"]) == 1 for row in disputed_items(run))
    assert drawn["split"] == sum(row["shares"][0][1] <= 0.5 for row in disputed_items(run))


def test_many_items_and_classes_share_the_fields_of_the_map(opened):
    classes = tuple(f"c{i:02d}" for i in range(30))
    run = opened(question={"kind": "choose", "classes": classes})
    n = 1000
    leads = np.arange(n) % 30
    probs = np.full((n, 30), 0.01)
    probs[np.arange(n), leads] = 0.71
    unit = np.zeros(n, dtype=np.int64)
    items = Items(unit, unit + 5, probs, leads, 1 - (probs**2).sum(axis=1), unit + 0.5)
    drawn = disagreement_map(run, items, per_item=5)
    assert not drawn["marks"] and len(drawn["classes"]) == 11 and drawn["others"] == 19 and drawn["columns"] == 10
    assert sum(cell["items"] for cell in drawn["cells"]) == n and {len(cell["rows"]) for cell in drawn["cells"]} == {4}


def test_the_funnel_follows_everybody_to_where_their_way_ended(opened):
    run = opened(
        protocol={"consent": "Yes?", "per_person": 2, "per_item": 2},
        debrief=[{"name": "c", "question": "Comments"}],
        comprehension=[{"question": "Well?", "options": ["Yes", "No"], "correct": "Yes"}],
    )

    def go(*answers):
        me = arrive(run, {})
        for answer in answers:
            submit(run, me, {"page": current_page(run, me)["page"], "answer": answer, "times": TIMES})
        return me

    agreed, right, wrong, answer = {"agreed": True}, {"chosen": ["Yes"]}, {"chosen": ["No"]}, {"choice": "cat"}
    go()
    go({"agreed": False})
    go(agreed, wrong, wrong)
    go(agreed, wrong)
    left = go(agreed, right)
    go(agreed, right, answer)
    go(agreed, right, answer, answer, {"c": "fine"})
    with run.store.transaction() as connection:
        connection.execute(sa.update(schema.people).where(schema.people.c.id == left).values(seen=1.0))
    rows = {row["step"]: row for row in funnel(run, read(run))}
    assert [row["people"] for row in rows.values()] == [7, 5, 3, 2, 1]
    assert list(rows) == ["came", "consented", "passed the check", "answered", "finished"]
    assert [row["here"] for row in rows.values()] == [1, 1, 0, 1, 0]
    assert [row["left"] for row in rows.values()] == [0, 0, 1, 0, 0]
    assert rows["came"]["ended"] == {"declined": 1} and rows["consented"]["ended"] == {"failed": 1}


def test_the_timeline_counts_every_main_answer_in_its_span(watched):
    run, *_ = watched
    with run.store.transaction() as connection:
        some = sa.select(sa.func.min(schema.answers.c.trial)).scalar_subquery()
        earlier = {"received": schema.answers.c.received - 7200}
        connection.execute(sa.update(schema.answers).where(schema.answers.c.trial != some).values(earlier))
    bars = timeline(read(run))
    main = [row["received"] for row in answer_table(run).to_pylist() if row["kind"] == "main"]
    assert bars["span"] == 300 and sum(bars["counts"]) == len(main)
    slow = Counter(int((at - bars["start"]) // 300) for at in main)
    assert [slow[i] for i in range(len(bars["counts"]))] == bars["counts"]
    assert bars["start"] % 300 == 0 and bars["start"] <= min(main)


@pytest.mark.parametrize("kind", ["choose", "top-two", "similarity"])
def test_reading_in_steps_equals_reading_at_once(opened, kind):
    """Also after exclusions, inclusions, somebody who is forgotten, and an answer that comes out of its time."""
    question = {"kind": kind, "classes": ["cat", "dog"]} if kind != "similarity" else {"kind": kind}
    run = opened(question=question, protocol={"per_person": 4, "per_item": 9, "repeats": 1})
    watch, rng = Watch(run), np.random.default_rng(0)

    def come(upto):
        me = arrive(run, {})
        for _ in range(upto):
            first, other = (str(name) for name in rng.permutation(["cat", "dog"]))
            answer = {"choose": {"choice": first}, "similarity": {"value": int(rng.integers(7))}}.get(kind) or {
                "first": first,
                "first_percent": int(rng.integers(50, 90)),
                "second": None,
                "second_percent": None,
                "ruled_out": [other] if rng.random() < 0.5 else [],
            }
            submit(run, me, {"page": current_page(run, me)["page"], "answer": answer, "times": TIMES})
        return me

    def agrees():
        changed, once = watch.read(), read(run)
        assert np.allclose(watch.mass, once.mass) and watch.counted.tolist() == once.counted.tolist()
        assert annotator_rows(run, watch) == annotator_rows(run, once)
        assert summarise_items(watch).unit.tolist() == summarise_items(once).unit.tolist()
        assert watch.counted.sum() == survey_status(run, watch)["answers"]
        return changed

    first, second = come(3), come(5)
    assert agrees() and not watch.read()
    decisions.exclude(run, second, "checks")
    third = come(2)
    assert agrees()
    decisions.include(run, second)
    decisions.exclude(run, first, "checks")
    assert agrees()
    decisions.forget(run, third)
    assert agrees()
    late = come(1)
    with run.store.transaction() as connection:
        mine = schema.answers.c.person == late
        connection.execute(sa.update(schema.answers).where(mine).values(received=schema.answers.c.received - 3600))
    assert agrees()


def test_batches_say_how_many_answers_are_wanted(tmp_path):
    folder = tmp_path / "survey"
    folder.mkdir()
    (folder / "b.csv").write_text("batch,item\none,p0\none,p1\ntwo,p1\ntwo,p2\n")
    run = open_survey(write_survey(folder, protocol={"draw": "batches", "batches": "b.csv", "per_item": 3}))
    assert (survey_status(run)["wanted"], survey_status(run)["share"]) == (
        12,
        0.0,
    )  # p1 twice, and none of the other five
    for _ in range(3):
        person(run, lambda item: "cat")
    assert survey_status(run)["share"] == pytest.approx(6 / 12)
    for _ in range(3):
        person(run, lambda item: "cat")
    status = survey_status(run)
    assert (status["answers"], status["share"], status["seconds_left"]) == (12, 1.0, None)
    run.store.close()


def test_the_table_of_people_is_asked_for_in_parts():
    rows = [
        {
            "id": str(i),
            "annotator": f"a{i:03d}",
            "stage": "done",
            "answers": i % 7,
            "checks": 4,
            "checks_right": i % 5,
            "median_seconds": None if i % 10 == 0 else float(i),
            "agreement": 0.5,
            "repeats": 0,
            "repeats_same": 0,
            "flags": ["odd"] if i % 3 == 0 else [],
            "excluded": i == 33,
            "why": "in a hurry" if i == 33 else None,
            "code": "",
        }
        for i in range(60)
    ]

    def ids(**asked):
        return [int(row["id"]) for row in page_of(rows, asked)["rows"]]

    assert ids() == list(range(25)) and ids(page="3") == list(range(50, 60)) and ids(page="99") == ids(page="3")
    falling = ids(sort="median_seconds", down="1")
    assert falling[:3] == [59, 58, 57] and ids(sort="median_seconds")[:3] == [1, 2, 3]
    assert ids(sort="median_seconds", page="3")[-6:] == ids(sort="median_seconds", down="1", page="3")[-6:]
    assert [i % 5 for i in ids(sort="checks", down="1")][:12] == [4] * 12
    assert ids(show="excluded") == ids(find="HURRY") == [33] and ids(find="a05", sort="annotator", down="1")[0] == 59
    assert page_of(rows, {"show": "flagged"})["matches"] == 20 and ids(page="-1", sort="nonsense") == list(range(25))


def test_the_table_of_people_is_a_recount_of_their_answers(watched):
    run, *_ = watched
    table = answer_table(run).to_pylist()
    main = [row for row in table if row["kind"] == "main"]
    choice = {(row["annotator"], row["item"]): json.loads(row["answer"])["choice"] for row in main}
    for listed in annotator_rows(run):
        who = listed["annotator"]
        mine = [row for row in table if row["annotator"] == who]
        own = [row for row in mine if row["kind"] == "main"]
        checks = [json.loads(row["answer"])["choice"] == "cat" for row in mine if row["kind"] == "attention"]
        again = [row for row in mine if row["kind"] == "repeat"]
        same = sum(json.loads(row["answer"])["choice"] == choice[who, row["item"]] for row in again)
        assert listed["answers"] == len(own)
        assert (listed["checks"], listed["checks_right"]) == (len(checks), sum(checks))
        assert (listed["repeats"], listed["repeats_same"]) == (len(again), same)
        assert listed["median_seconds"] == pytest.approx(statistics.median(row["seconds"] for row in own))
        # Agreement: for each of my items, the share of the others who said the same; the mean over items with others.
        shares = []
        for row in own:
            others = [c for (w, item), c in choice.items() if item == row["item"] and w != who]
            shares += [np.mean([c == choice[who, row["item"]] for c in others])] if others else []
        assert listed["agreement"] == pytest.approx(np.mean(shares))


def test_only_careless_annotators_are_flagged(watched):
    run, serious, careless, _ = watched
    flags = {row["id"]: row["flags"] for row in annotator_rows(run)}
    assert any("0 of 1 " in flag for flag in flags[careless]) and any("faster" in flag for flag in flags[careless])
    assert all("attention" not in flag and "faster" not in flag for who in serious for flag in flags[who])
    assert annotator_rows(run)[0]["id"] == careless  # the most flagged comes first


def test_each_download_holds_the_whole_table(watched):
    run, *_ = watched
    for table in (answer_table(run), people_table(run), EXPORTS["labels"].table(run)):
        rows = table.to_pylist()
        lines = [json.loads(line) for line in FORMATS["jsonl"].as_bytes(table).decode().splitlines()]
        assert lines == rows
        assert pq.read_table(io.BytesIO(FORMATS["parquet"].as_bytes(table))).equals(table)
        cells = list(csv.DictReader(io.StringIO(FORMATS["csv"].as_bytes(table).decode())))
        assert len(cells) == len(rows) and list(cells[0]) == table.column_names
        for cell, row in zip(cells, rows, strict=True):
            for name, value in row.items():
                if isinstance(value, str):
                    assert cell[name] == value
                elif isinstance(value, list):
                    assert json.loads(cell[name]) == value
                elif isinstance(value, float):
                    assert float(cell[name]) == pytest.approx(value, rel=1e-12)


def test_people_come_with_their_debriefing(watched):
    run, *_ = watched
    rows = people_table(run).to_pylist()
    assert [json.loads(row["pages"]).get("debrief") for row in rows].count({"comments": "fine"}) == 5
    assert [row["finished"] is None for row in rows].count(True) == 1
    assert {row["annotator"] for row in rows} == set(answer_table(run).column("annotator").to_pylist())


def test_times_go_into_the_table_as_they_were_measured(watched):
    run, *_ = watched
    row = next(row for row in answer_table(run).to_pylist() if row["seconds"] == 4.0)
    assert answer_table(run).schema == SCHEMA
    assert (row["touched_seconds"], row["away_seconds"], row["doubts"]) == (0.2, 0.5, None)
    assert json.loads(row["times"])["away"] == [[100.0, 600.0]] and row["received"] > 1.7e9


@pytest.mark.parametrize(
    ("kind", "answer", "first"),
    [
        ("choose", {"choice": "a"}, "a"),
        ("top-two", {"first": "b", "first_percent": 60, "second": "a"}, "b"),
        ("sliders", {"values": {"a": 0.1, "b": 0.7}}, "b"),
        ("allocate", {"percents": {"b": 100}}, "b"),
        ("tokens", {"tokens": {"a": 9, "b": 11}}, "b"),
        ("typicality", {"value": 0.5}, 0.5),
        ("similarity", {"value": 3}, 3),
        ("triplet", {"closer": "first"}, "first"),
    ],
)
def test_the_first_choice_of_an_answer(kind, answer, first):
    assert QUESTIONS[kind].first(answer) == first


def test_fields_of_an_answer_are_kept_in_one_order_whatever_a_browser_sends(opened):
    run = opened(question={"kind": "top-two", "classes": ["a", "b"]})
    me = arrive(run, {})
    answer = {"second": "a", "ruled_out": [], "second_percent": 20, "first_percent": 80, "first": "b"}
    submit(run, me, {"page": current_page(run, me)["page"], "answer": answer, "times": TIMES})
    (kept,) = answer_table(run).column("answer").to_pylist()
    assert next(iter(json.loads(kept))) == "first" and labels_of(run).first_choices().choice.tolist() == [1]


def test_an_empty_survey_has_a_dashboard_too(opened):
    run = opened()
    status = survey_status(run)
    assert (status["answers"], status["share"], status["median_seconds"], status["seconds_left"]) == (
        0,
        0.0,
        None,
        None,
    )
    assert disputed_items(run) == [] and annotator_rows(run) == []


def test_a_new_key_closes_the_dashboard_for_everybody_who_is_in_it(tmp_path):
    run = open_survey(write_survey(tmp_path / "survey"))
    client = TestClient(make_app(run), follow_redirects=False)
    key = set_key(run.survey.folder)
    client.cookies.set(COOKIE, client.post("/dashboard/login", content=f"key={key}").cookies[COOKIE])
    assert client.get("/dashboard/data").status_code == 200
    assert client.get("/dashboard/download/people.csv").status_code == 200
    refused = client.get("/dashboard/download/labels.parquet")
    assert refused.status_code == 409 and refused.json()["error"] == "no answers yet"
    set_key(run.survey.folder)
    assert client.get("/dashboard/data").status_code == 401
    assert "wrong" in client.post("/dashboard/login", content=f"key={key}").headers["location"]
    run.store.close()


def test_every_decision_is_written_down(watched):
    run, _, careless, left = watched
    decisions.exclude(run, careless, "checks")
    decisions.exclude(run, careless, "again")  # it is so already: nothing changes
    decisions.include(run, careless)
    decisions.extend(run, 12)
    decisions.stop(run)
    decisions.reopen(run)
    decisions.forget(run, left)
    with run.store.reader() as connection:
        rows = connection.execute(sa.select(schema.events).order_by(schema.events.c.id)).all()
    kinds = [row.kind for row in rows if row.kind != "done"]
    assert kinds == ["excluded", "included", "extended", "stopped", "opened", "forgotten"]
    assert json.loads(rows[-6].details) == {"why": "checks"} and left not in str(rows)


def test_ratings_are_not_taken_for_classes_that_look_like_them(tmp_path):
    rows = "".join(f"p{i},items/p{i}.png,{i % 2}\n" for i in range(8))
    folder = write_survey(
        tmp_path / "survey", question={"kind": "typicality", "classes": ("0", "1")}, items="items.csv"
    )
    (folder / "items.csv").write_text("item,image,class\n" + rows)
    run = open_survey(folder)
    me = arrive(run, {})
    submit(run, me, {"page": current_page(run, me)["page"], "answer": {"value": 1}, "times": TIMES})
    assert [row["answers"] for row in annotator_rows(run)] == [1]
    run.store.close()


def test_another_process_sends_what_this_one_has_not_sent(opened):
    run = opened(protocol={"per_person": 8, "per_item": 9})
    ours, other = DashboardData(run), DashboardData(run)
    for choice in ("cat", "cat"):
        person(run, lambda _, choice=choice: choice)
    first = ours.now({})
    person(run, lambda _: "dog")
    second = other.now({"version": first["version"]})
    assert first["map"]["agreed"] == 8 and second["map"]["agreed"] == 0
    assert "map" not in other.now({"version": second["version"]})


def test_a_read_that_fails_in_the_middle_counts_nothing_twice(opened):
    run = opened(protocol={"per_person": 8, "per_item": 9})
    people = [person(run, lambda _: "cat"), person(run, lambda _: "dog")]
    watch = Watch(run)
    for decide in (
        lambda somebody: decisions.exclude(run, somebody, "odd"),
        lambda somebody: decisions.include(run, somebody),
    ):
        watch.read()
        for somebody in people:
            decide(somebody)
    seen = []

    @sa.event.listens_for(run.store.engine, "before_cursor_execute")
    def fails(connection, cursor, statement, *more):
        if "WHERE answers.person" in statement:
            seen.append(statement)
            if len(seen) == 2:
                raise sa.exc.OperationalError(statement, {}, Exception("the database is gone"))

    with pytest.raises(sa.exc.OperationalError):
        watch.read()
    assert watch.read() and watch.counted.sum() == 16 and watch.mass.sum() == 16


def test_an_answer_that_is_committed_late_is_found_after_somebody_was_excluded_meanwhile(opened):
    run = opened(protocol={"per_person": 8, "per_item": 9})
    odd = person(run, lambda _: "cat")
    person(run, lambda _: "dog")
    watch, done = Watch(run), []
    watch.read()

    @sa.event.listens_for(run.store.engine, "after_cursor_execute")
    def meanwhile(connection, cursor, statement, *more):
        if statement.startswith("SELECT units.id, units.answered") and not done:
            done.append(decisions.exclude(run, odd, "odd"))

    watch.read()
    watch.read()
    late = person(run, lambda _: "ship", upto=1)
    with run.store.transaction() as connection:
        connection.execute(sa.update(schema.answers).where(schema.answers.c.person == late).values(received=1.0))
    watch.read()
    assert watch.counted.sum() == 9


def test_somebody_is_found_by_completion_code_and_by_the_id_of_the_recruiting_site(opened):
    run = opened(people={"source": "prolific"}, protocol={"per_person": 1})
    codes = {}
    for name in ("abc" * 8, "def" * 8):
        me = arrive(run, {"PROLIFIC_PID": name})
        page = current_page(run, me)
        codes[name] = submit(run, me, {"page": page["page"], "answer": {"choice": "cat"}, "times": TIMES})["page"][
            "code"
        ]
    assert set(people_table(run).column("code").to_pylist()) == set(codes.values())
    looks = DashboardData(run)
    matches = {
        find: looks.now({"find": find})["people"]["rows"]
        for find in ("abc" * 8, codes["abc" * 8], codes["abc" * 8].lower())
    }
    assert [[row["code"] for row in rows] for rows in matches.values()] == [[codes["abc" * 8]]] * 3

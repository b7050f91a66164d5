"""Draws by expected error: people are asked where it pays, and no more where enough is known."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from dissensus.elicit.app import make_app
from dissensus.elicit.database import schema
from dissensus.elicit.database.store import setting
from dissensus.elicit.export import labels_of
from dissensus.elicit.rehearsal.report import items_by_stimulus
from dissensus.elicit.rehearsal.simulated_people import send_people
from dissensus.elicit.server import background_server
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.ranking import CLAIM, priorities, rank, rank_if_due
from dissensus.elicit.session.session import current_page, submit
from dissensus.elicit.survey_run import open_survey
from tests.elicit.surveys import TIMES, write_survey

CLASSES = [f"class {j}" for j in range(10)]
CLEAR = 32  # of 40 items: on these everybody agrees


def many(tmp_path, **protocol):
    """A survey of 40 texts, of which the last eight are disputed between two classes."""
    (tmp_path / "survey").mkdir()
    (tmp_path / "survey" / "items.csv").write_text("item,text\n" + "".join(f"i{i},{i}\n" for i in range(40)))
    truth = np.eye(10)[np.arange(40) % 10]
    for i, share in zip(range(CLEAR, 40), np.linspace(0.3, 0.7, 40 - CLEAR), strict=True):
        truth[i, [i % 10, (i + 1 + i % 3) % 10]] = share, 1 - share
    settings = {"per_person": 6, "per_item": 40, "draw": "expected-error", **protocol}
    question = {"kind": "choose", "classes": CLASSES}
    folder = write_survey(tmp_path / "survey", items="items.csv", question=question, protocol=settings)
    return open_survey(folder), truth


def crowd(run, truth, people, every=16):
    """People answer one after the other by the truth; units are ranked after every so many answers."""
    rng, given, classes = np.random.default_rng(7), 0, run.survey.question.classes
    for _ in range(people):
        me = arrive(run, {})
        page = current_page(run, me)
        while page["stage"] == "trial":
            part = page["stimuli"][0]["parts"][0]
            number = int(part["text"]) if "text" in part else items_by_stimulus(run)[part["src"]]
            answer = {"choice": classes[rng.choice(len(classes), p=truth[number])]}
            page = submit(run, me, {"page": page["page"], "answer": answer, "times": TIMES})["page"]
            given += 1
            if every and given % every == 0:
                rank(run)


def units_of(run):
    """Answers and priority of each unit.  (n,), (n,)"""
    with run.store.reader() as connection:
        wanted = sa.select(schema.units.c.answered, schema.units.c.priority).order_by(schema.units.c.id)
        rows = connection.execute(wanted).all()
    return np.array([row.answered for row in rows]), np.array([row.priority for row in rows])


EVEN = np.full((8, 3), 1 / 3)


def test_people_are_spread_evenly_until_it_is_sure_that_choosing_pays(tmp_path):
    """40 items are too few to tell; with other luck in who gets which, one crowd of twelve is sure at the very end."""
    random.seed(7)
    run, truth = many(tmp_path)
    crowd(run, truth, 30)
    answered, _ = units_of(run)
    run.store.close()
    assert answered.sum() == 180 and np.ptp(answered) <= 1


def test_once_choosing_surely_pays_disputed_items_come_first():
    """1,500 items, half of them clear; what is worth most is what the expected drop of KL puts first."""
    from dissensus.plan.adaptive_prior import fit_prior
    from dissensus.plan.allocation_rules import expected_drop

    rng = np.random.default_rng(0)
    truth = np.where(np.arange(1500)[:, None] % 2, [0.98, 0.01, 0.01], rng.dirichlet([1, 1, 1], 1500))
    counts = rng.multinomial(10, truth)
    value = priorities(counts, 0.0)
    assert np.array_equal(value, expected_drop(fit_prior(counts).posterior(counts)))
    assert value[::2].mean() > 1.5 * value[1::2].mean()


def test_an_item_that_is_known_well_enough_gets_no_more_answers(tmp_path):
    random.seed(7)  # who gets which item is luck: in one of twenty crowds nearly all disputed items are known by then
    run, truth = many(tmp_path, enough=0.4)
    crowd(run, truth, 36)
    before, priority = units_of(run)
    closed = priority < 0
    assert closed[:CLEAR].mean() > 0.8 > closed[CLEAR:].mean()
    assert before[CLEAR:].mean() > 1.7 * before[:CLEAR].mean()
    crowd(run, truth, 4, every=0)
    after, _ = units_of(run)
    run.store.close()
    assert (after[closed] == before[closed]).all() and after.sum() > before.sum()


def test_priorities_are_those_of_the_plan():
    """Against `allocate`: the item it would ask about next has the largest value."""
    from dissensus.labels.distributions import Distributions
    from dissensus.plan.allocation import allocate

    counts = np.array([[9, 0, 0], [3, 3, 3], [1, 0, 0], [2, 2, 0], [6, 1, 0]])
    distributions = Distributions.from_counts(counts)
    value = priorities(counts, 0.0)
    assert (value >= 0).all()
    first = allocate(distributions, 1, np.random.default_rng(0)).votes
    assert np.flatnonzero(first).tolist() == [int(value.argmax())]
    assert (priorities(counts, 0.999) < 0).sum() >= (priorities(counts, 0.3) < 0).sum()
    untouched = np.array([[4, 0], [0, 0], [1, 0]])
    assert (priorities(untouched, 0.999)[1:] >= 0).all()  # what few were asked is never closed


def test_people_at_once_are_spread_over_items_between_two_rankings(opened):
    """Nothing is ranked while eight people draw: they do not all get the one item that is worth most."""
    run = opened(protocol={"per_person": 1, "per_item": 40, "draw": "expected-error"})
    crowd(run, EVEN, 4, every=0)
    rank(run)
    with ThreadPoolExecutor(8) as pool:
        pages = list(pool.map(lambda person: current_page(run, person), [arrive(run, {}) for _ in range(8)]))
    shown = [page["stimuli"][0]["parts"][0]["src"] for page in pages]
    assert max(map(shown.count, shown)) <= 3


def test_beliefs_count_by_their_first_choice_and_the_excluded_do_not(opened):
    from dissensus.elicit.dashboard import decisions
    from dissensus.elicit.session.ranking import CHOSEN, count_first_choices

    run = opened(question={"kind": "allocate", "classes": ["cat", "dog", "ship"]}, protocol={"draw": "expected-error"})
    for percents in ({"dog": 70, "cat": 30}, {"ship": 100}):
        me = arrive(run, {})
        page = current_page(run, me)
        while page["stage"] == "trial":
            page = submit(run, me, {"page": page["page"], "answer": {"percents": percents}, "times": TIMES})["page"]
    decisions.exclude(run, me, "odd")
    with run.store.reader() as connection:
        counts = count_first_choices(run, connection.execute(CHOSEN).all(), {unit: unit for unit in range(8)})
    votes = labels_of(run).first_choices()
    assert counts.sum(axis=0).tolist() == votes.counts().sum(axis=0).tolist() == [0, 4, 0]


def test_of_several_processes_one_ranks(opened):
    run = opened(protocol={"draw": "expected-error"})
    assert rank_if_due(run) >= 0
    with run.store.reader() as connection:
        assert setting(connection, CLAIM, "none") == "none"  # nothing is new, so nothing was claimed
    crowd(run, EVEN, 1, every=0)
    ranked, lock = [], threading.Lock()

    def watch(connection, cursor, statement, parameters, context, executemany):
        if statement.startswith("UPDATE units SET priority"):
            with lock:
                ranked.append(executemany)

    sa.event.listen(run.store.engine, "before_cursor_execute", watch)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: rank_if_due(run), range(4)))
    assert len(ranked) == 1


def test_the_server_ranks_by_itself_while_people_answer(tmp_path):
    run = open_survey(write_survey(tmp_path / "survey", protocol={"draw": "expected-error", "per_item": 30}))
    with TestClient(make_app(run)):
        crowd(run, EVEN, 2, every=0)
        until = time.monotonic() + 30
        while not units_of(run)[1].any() and time.monotonic() < until:
            time.sleep(0.1)
        assert (units_of(run)[1] > 0).any()


def test_a_crowd_over_http_with_two_workers_leaves_no_counter_behind(tmp_path, database):
    from tests.elicit.database.test_store import counters

    folder = write_survey(tmp_path / "survey", protocol={"draw": "expected-error", "per_person": 4, "per_item": 30})
    run = open_survey(folder, database)
    truth = np.repeat([[0.98, 0.01, 0.01], [0.34, 0.33, 0.33]], 4, axis=0)
    with background_server(folder, database, workers=2) as address:
        done = send_people(run.survey, items_by_stimulus(run), truth, address, 16, 0, at_once=8)
    stored, counted = counters(run)
    run.store.close()
    assert not done.errors and len(done.acknowledged) == 64 and stored == counted


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"protocol": {"enough": 0.3}}, 'protocol.enough .*"expected-error"'),
        ({"protocol": {"enough": 1.5, "draw": "expected-error"}}, "protocol.enough is 1.5; expected"),
        ({"protocol": {"draw": "expected-error"}, "question": {"kind": "similarity"}}, "answers name no classes"),
    ],
)
def test_settings_that_make_no_sense_are_refused(tmp_path, sections, message):
    with pytest.raises(ValueError, match=message):
        open_survey(write_survey(tmp_path / "survey", **sections))

"""The researcher's page in a real browser: what it shows is there for the eye, the keyboard and the screen reader."""

from __future__ import annotations

import json
import re
import time
from contextlib import ExitStack

import pytest
import sqlalchemy as sa

from dissensus.elicit.dashboard import decisions
from dissensus.elicit.database import schema
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.session import current_page, submit
from dissensus.elicit.survey_run import open_survey
from tests.elicit.browser import served
from tests.elicit.surveys import TIMES, give_key, write_survey

KEY = "a key of some length"


@pytest.fixture
def survey(tmp_path):
    """Eight pictures and three people: about p0 they differ, about the others they agree."""
    folder = write_survey(tmp_path / "survey", protocol={"per_person": 8, "per_item": 3})
    give_key(folder, KEY)
    run = open_survey(folder)
    for choice in ("cat", "dog", "ship"):
        answer(run, lambda item: choice if item == "p0" else "cat")  # noqa: B023
    yield run
    run.store.close()


def answer(run, choose, upto=8, me=None):
    me = me or arrive(run, {})
    for _ in range(upto):
        page = current_page(run, me)["page"]
        with run.store.reader() as connection:
            trial = schema.trials.c.id == page.removeprefix("trial:")
            (item,) = json.loads(connection.scalar(sa.select(schema.trials.c.shown).where(trial)))["items"]
        submit(run, me, {"page": page, "answer": {"choice": choose(item)}, "times": TIMES})
    return me


def opened(me, address):
    """The dashboard, drawn; the browser notes that the first request was refused."""
    me.page.goto(f"{address}/dashboard")
    me.page.get_by_label("Dashboard key").fill(KEY)
    me.page.keyboard.press("Enter")
    me.page.wait_for_selector("main:not([aria-busy])")
    me.problems.clear()
    return me.page


def refreshed(page, text):
    """Ask for the numbers until this is among them: what was worked out is shown for two seconds or more."""
    until = time.monotonic() + 60
    while not page.get_by_text(text).is_visible() and time.monotonic() < until:
        with page.expect_response("**/dashboard/data**"):
            page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.wait_for_timeout(100)


def test_the_map_names_items_to_eye_and_keyboard_and_says_it_in_words(survey, person):
    with served(survey.survey.folder) as address:
        me = person()
        page = opened(me, address)
        assert re.findall(r"\d+%?", page.locator("#map-text").inner_text()) == ["8", "7", "88%", "1", "13%"]
        grid = page.get_by_role("grid", name="Disagreement by class")
        card = page.get_by_role("region", name="selected field")
        assert grid.get_by_role("row", name="cat").get_by_role("gridcell", name="7 items").count() == 1
        assert grid.locator(".mark").count() == 8 and grid.locator(".mark.open").count() == 0
        assert card.get_by_role("heading").inner_text() == "Most disputed items" and "ship 33%" in card.inner_text()
        assert card.locator("img").first.get_attribute("src").startswith("media/")
        grid.locator("[tabindex='0']").focus()
        me.keys("Home")
        assert page.evaluate("document.activeElement.textContent") == "7 items" and "p5" in card.inner_text()
        me.keys("ArrowRight")
        assert "p0" in card.inner_text() and "p5" not in card.inner_text()
        grid.get_by_text("7 items").locator("..").hover()
        card.filter(has_text="p5").wait_for()  # a movement of the pointer is heard of with the next frame
        page.mouse.move(0, 0)
        card.filter(has_not_text="p5").wait_for()


def test_a_refresh_keeps_the_layout_and_reports_news(survey, person):
    with served(survey.survey.folder) as address:
        me = person()
        page = opened(me, address)
        page.locator("[tabindex='0'].field").focus()
        places = """() => [...document.querySelectorAll('main section, main table, #map td, #card')]
          .map((element) => JSON.stringify(element.getBoundingClientRect()))"""
        before = page.evaluate(places)
        decisions.extend(survey, 4)
        answer(survey, lambda item: "dog", upto=3)
        refreshed(page, "27 of 32 answers")
        assert page.get_by_text("27 of 32 answers").is_visible() and page.locator("#map .mark.open").count() == 5
        fixed = [place for place in page.evaluate(places) if place in before]
        assert len(fixed) >= len(before) - 5  # only the table of people has grown by a row
        assert page.evaluate("document.activeElement.className") == "field"
        me.moved = [shift for shift in me.shifts() if "download-title" not in str(shift)]


def test_a_refresh_leaves_the_focus_on_whom_it_brings_up_to_date(survey, person):
    decisions.extend(survey, 4)
    busy = answer(survey, lambda item: "dog", upto=1)
    with served(survey.survey.folder) as address:
        me = person()
        page = opened(me, address)
        focused = "(id) => document.activeElement.id === id"
        page.locator(f"#decide-{busy}").focus()
        answer(survey, lambda item: "dog", upto=1, me=busy)
        refreshed(page, "26 of 32 answers")
        assert page.evaluate(focused, f"decide-{busy}")
        me.keys("Enter")
        page.get_by_role("dialog").wait_for()
        answer(survey, lambda item: "dog", upto=1, me=busy)
        refreshed(page, "27 of 32 answers")
        me.keys("Escape")
        page.wait_for_function(focused, arg=f"decide-{busy}")


def test_a_decision_is_not_undone_by_numbers_that_were_worked_out_before_it(survey, person):
    with served(survey.survey.folder) as address:
        me = person()
        held, hold = [], []
        me.context.route("**/dashboard/**", lambda route: held.append(route) if hold else route.continue_())
        page = opened(me, address)
        hold.append(True)
        with page.expect_request("**/dashboard/change/stop**"):
            page.get_by_role("button", name="Pause").click()
        with page.expect_request("**/dashboard/data**"):
            page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        assert page.locator("#banner").get_attribute("data-state") == "complete"
        decision, *asked = sorted(held, key=lambda route: "change" not in route.request.url)
        before = [route.fetch() for route in asked]
        hold.clear()
        decision.continue_()
        page.locator("#banner[data-state=stopped]").wait_for()
        for route, reply in zip(asked, before, strict=True):
            with page.expect_event("requestfinished", lambda request, route=route: request == route.request):
                route.fulfill(response=reply)
        page.evaluate("painted()")
        assert page.locator("#banner").get_attribute("data-state") == "stopped"


def test_states_are_announced_in_a_permanent_banner(survey, person):
    with served(survey.survey.folder) as address:
        page = opened(person(), address)
        banner = page.locator("#banner")
        assert banner.get_attribute("data-state") == "complete"
        height = banner.bounding_box()["height"]
        page.get_by_role("button", name="Pause").click()
        page.locator("#banner[data-state=stopped]").wait_for()
        assert banner.get_attribute("data-state") == "stopped" and banner.bounding_box()["height"] == height
        page.get_by_role("button", name="Resume").click()
        page.locator("#banner[data-state=complete]").wait_for()


def test_an_empty_survey_and_one_without_classes_say_so(tmp_path, person):
    expected = {"first": ("choose", "No answers yet."), "second": ("similarity", "not classes")}
    with ExitStack() as servers:  # a page that stays open asks its server again and again
        for name, (kind, text) in expected.items():
            question = {"kind": kind, "classes": ["a", "b"]} if kind == "choose" else {"kind": kind}
            folder = write_survey(tmp_path / name, question=question)
            give_key(folder, KEY)
            page = opened(person(), servers.enter_context(served(folder)))
            assert page.get_by_text(text).first.is_visible() and page.locator("#people tbody td").count() == 1
            assert page.get_by_role("link", name="Labels as csv").count() == (kind == "choose")
            page.goto("about:blank")  # so that it does not ask a server that is gone


def test_hundreds_of_people_are_sorted_found_and_excluded_where_they_stand(tmp_path, person):
    people = {"source": "prolific", "keep_ids": True}
    folder = write_survey(tmp_path / "survey", people=people, protocol={"per_item": 900})
    give_key(folder, KEY)
    run = open_survey(folder)
    for i in range(60):
        me = arrive(run, {"PROLIFIC_PID": f"{i:04d}".ljust(24, "f")})
        for _ in range(1 + i % 3):
            submit(run, me, {"page": current_page(run, me)["page"], "answer": {"choice": "cat"}, "times": TIMES})
    with served(folder) as address:
        me = person()
        page = opened(me, address)
        rows = page.locator("#people tbody tr")
        shown = lambda: page.locator("#people tbody .name").all_inner_texts()  # noqa: E731
        assert rows.count() == 25 and page.get_by_text("1–25 of 60").is_visible()
        head = page.get_by_role("columnheader", name="Annotator")
        head.get_by_role("button").focus()
        for direction, first in (("ascending", "0000ffff"), ("descending", "0059ffff")):
            me.keys("Enter")
            page.wait_for_function("(to) => document.querySelector('[aria-sort]').ariaSort === to", arg=direction)
            page.wait_for_function("(to) => document.querySelector('#people .name').textContent === to", arg=first)
        assert head.get_by_role("button").evaluate("(button) => button === document.activeElement")
        page.get_by_role("button", name="Next page").click()
        page.get_by_text("26–50 of 60").wait_for()
        assert shown()[0] == "0034ffff"
        # A row under the pointer stays where it is, whatever others do meanwhile, and a decision changes it there.
        page.get_by_role("button", name="Exclude 0030ffff").click()
        page.get_by_label("Reason").fill("asked to be")

        def exclude():
            page.get_by_role("dialog").get_by_role("button", name="Exclude").click()
            page.get_by_text("Excluded: asked to be").wait_for()

        me.may_move(exclude)  # its row may become taller
        assert shown()[4] == "0030ffff" and page.evaluate("document.activeElement.textContent") == "Include"
        arrive(run, {"PROLIFIC_PID": "9999".ljust(24, "f")})
        refreshed(page, "26–50 of 61")
        assert shown()[0] == "0034ffff" and page.get_by_text("26–50 of 61").is_visible()
        me.moved = me.shifts()  # fewer rows take less room, which is asked for from here on
        page.get_by_label("Show").select_option("excluded")
        page.get_by_text("1–1 of 1", exact=True).wait_for()
        page.get_by_label("Show").select_option("all")
        page.get_by_label("Find").fill("004")
        page.get_by_text("1–11 of 11").wait_for()
        assert shown() == [*(f"{i:04d}ffff" for i in range(49, 39, -1)), "0004ffff"]
        page.get_by_label("Find").fill("nobody of this name")
        page.get_by_text("No matching annotators.").wait_for()
    run.store.close()


def test_no_browser_misses_an_icon(survey, person):
    with served(survey.survey.folder) as address:
        reply = person().page.request.get(f"{address}/favicon.ico")
        assert reply.status == 200 and reply.headers["content-type"] == "image/svg+xml"


def test_what_survey_toml_says_stands_beside_what_holds_and_surplus_beside_progress(survey, person):
    with served(survey.survey.folder) as address:
        me = person()
        page = opened(me, address)
        assert page.locator("#overridden").inner_text() == ""
        assert "surplus" not in page.locator("#share-text").inner_text()
        page.get_by_label("Answers per item").fill("2")
        page.wait_for_timeout(150)

        def change():
            page.get_by_role("button", name="Change").click(delay=80)
            page.get_by_text("overrides 3").wait_for()

        me.may_move(change)
        assert "24 of 16 answers, 8 surplus" in page.locator("#share-text").inner_text()

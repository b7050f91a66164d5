"""The pages of describe, evaluate, annotators and plan: one colour for one thing, items to see, room that is used."""

from __future__ import annotations

import re
from collections import defaultdict
from xml.etree import ElementTree

import numpy as np
import pytest

from dissensus import load
from dissensus.aggregate.agreement_page import describe_agreement
from dissensus.aggregate.agreement_summary import agreement_report
from dissensus.aggregate.annotators import annotator_report
from dissensus.aggregate.annotators_page import describe_annotators
from dissensus.aggregate.answers_apart import answers_apart, tabulate_answers_apart
from dissensus.aggregate.labels_page import describe_labels
from dissensus.aggregate.second_look import review
from dissensus.evaluate.comparisons import compare
from dissensus.evaluate.scorecard_page import describe_scorecard
from dissensus.labels.distributions import Distributions
from dissensus.labels.simulate import simulate_votes
from dissensus.labels.summary import summarise
from dissensus.labels.votes import Votes
from dissensus.plan.advice.label_plan import plan_labels
from dissensus.plan.advice.page import describe_plan
from dissensus.plan.pilot import PilotAnswers
from dissensus.plan.tradeoff import Preferences
from dissensus.report.colours import PEOPLE, class_colours, model_colours
from dissensus.report.html import html_page
from dissensus.report.items import ItemViews
from tests.elicit.test_accessibility import STANDARDS, VIOLATIONS, axe  # noqa: F401  (a fixture)
from tests.facts import states

CUT = """[...document.querySelectorAll('.scroll')].filter((region) => region.checkVisibility() &&
region.scrollWidth > region.clientWidth + 1).map((region) => region.getAttribute('aria-label'))"""
HIDDEN = """[...document.querySelectorAll('section > details > :not(summary)')].filter((part) =>
!part.checkVisibility({contentVisibilityAuto: true})).length"""
FITS = "document.documentElement.scrollWidth <= innerWidth"
CLASSES = ("ant", "bee", "cat", "dog & fox", "<elk>", "fly", "gnu")


def crowd() -> Votes:
    rng = np.random.default_rng(4)
    truth = rng.dirichlet(np.full(7, 0.4), 60)
    named = Distributions(truth, np.arange(60), CLASSES)
    return simulate_votes(named, 8, 12, rng, skill=0.8, seconds=3.0).votes


def views() -> ItemViews:
    """Pictures for half of the items and texts, short and long, for the others."""
    rng = np.random.default_rng(5)
    pixels = rng.integers(0, 256, (60, 8, 8, 3), dtype=np.uint8)
    return ItemViews(np.arange(60), lambda i: pixels[i] if i % 2 else f"text of {i} " * (1 + 40 * (i % 4)))


def compared():
    votes = crowd()
    rng = np.random.default_rng(6)
    shares = votes.counts() / 8
    models = {
        name: Distributions(0.7 * shares + 0.3 * rng.dirichlet(np.ones(7), 60), np.arange(60), CLASSES)
        for name in ("soft", "hard", "a model with a very long name indeed")
    }
    return compare(models, votes, rng=rng, replicates=10, columns={"kind of picture": ["photo", "drawing"] * 30})


def pages() -> dict[str, str]:
    votes = crowd()
    pilot = [
        PilotAnswers("hard", 1, np.full(9, 2.0), np.zeros(9)),
        PilotAnswers("soft", 1, np.full(9, 9.0), np.zeros(9)),
    ]
    plan = plan_labels(80, 20, Preferences(), np.random.default_rng(0), pilot=pilot, budget=500)
    return {
        "describe": html_page(describe_labels(summarise(votes), "crowd", views=views())),
        "evaluate": html_page(describe_scorecard(compared(), "crowd", views())),
        "one model": html_page(describe_scorecard(compared().reference, "crowd", views())),
        "agreement": html_page(describe_agreement(agreement_report(votes, np.random.default_rng(1)), "crowd")),
        "annotators": html_page(describe_annotators(annotator_report(votes), "crowd", votes, views())),
        "plan": html_page(describe_plan(plan)),
    }


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return pages()


def colours_on(page: str) -> dict[str, set[str]]:
    """The colours of everything that says what it stands for, from fills, strokes and swatches."""
    found = defaultdict(set)
    for node in ElementTree.fromstring(page.removeprefix("<!doctype html>")).iter():
        name = node.get("data-of")
        if name is not None:
            background = re.search(r"background:(#\w+)", node.get("style") or "")
            ink = background[1] if background else node.get("fill") if node.get("fill") != "none" else None
            found[name].add(ink or node.get("stroke"))
    return dict(found)


@pytest.mark.parametrize("name", ["describe", "evaluate", "annotators", "plan"])
def test_the_same_thing_has_the_same_colour_on_a_whole_page(made, name):
    found = colours_on(made[name])
    assert len(found) >= 3 and all(len(inks) == 1 for inks in found.values()), found
    assert len({ink for inks in found.values() for ink in inks}) >= len(found) - 1  # tags of long names repeat one


def test_models_and_people_keep_their_colours(made):
    found = colours_on(made["evaluate"])
    expected = model_colours(["soft", "hard"])
    assert found["people"] == {PEOPLE} and found["soft"] == {expected["soft"]} and found["hard"] == {expected["hard"]}


def test_people_keep_their_grey_beside_a_model_of_that_name():
    rng, votes = np.random.default_rng(7), crowd()
    model = Distributions(rng.dirichlet(np.ones(7), 60), np.arange(60), CLASSES)
    made = html_page(describe_scorecard(compare({"people": model}, votes, rng=rng, replicates=10), "crowd"))
    found = colours_on(made)
    assert found["real people"] == {PEOPLE} and found["people"] == {model_colours(["people"])["people"]} != {PEOPLE}


def test_the_common_test_is_named_once_above_the_differences(made):
    result = compared()
    tested = [difference.comparison for difference in result.differences if difference.comparison is not None]
    section = next(s for s in describe_scorecard(result, "crowd").sections if s.title == "Differences from soft")
    text, models = section.blocks
    assert states(text.text, "paired t-test", "60 items", "Holm's method", f"{len(tested)} tests")
    assert [model.title for model in models.blocks] == list(result.cards)[1:]
    tables = [table for model in models.blocks for table in model.blocks]
    assert {tuple(column.title for column in table.heads) for table in tables} == {("score", "difference", "p")}
    rows = [row for table in tables for row in table.lines]
    for row, difference in zip(rows, result.differences, strict=True):
        test = difference.comparison
        assert row.cells[1] == difference.interval and row.cells[2] == (None if test is None else test.adjusted_p)


def test_bars_are_coloured_and_ordered_by_class_and_not_by_rank(made):
    found, expected = colours_on(made["describe"]), class_colours(CLASSES)
    assert found == {name: {expected[name]} for name in CLASSES}
    root = ElementTree.fromstring(made["describe"].removeprefix("<!doctype html>"))
    for bar in root.findall(".//td/svg"):
        order = [CLASSES.index(node.get("data-of")) for node in bar.findall("rect")]
        assert order == sorted(order)


def test_slices_have_their_number_of_items_in_figure_and_table(made):
    page = made["evaluate"]
    rows = ElementTree.fromstring(page.removeprefix("<!doctype html>")).iter("tr")
    starts = [[(cell.text, cell.get("class")) for cell in row.findall("td")[:2]] for row in rows]
    for part in ("drawing", "photo"):
        assert f"{part} (n = 30)" in page and [(part, "name"), ("30", "n")] in starts
    assert "photo (30 items)" in page  # in words


@pytest.mark.parametrize("name", ["describe", "evaluate", "annotators"])
def test_items_are_seen_on_the_page(made, name):
    root = ElementTree.fromstring(made[name].removeprefix("<!doctype html>"))
    images, texts = root.findall(".//img"), [node for node in root.iter() if node.get("class") == "text"]
    assert images and texts and any(node.tag == "details" for node in texts)
    assert all(re.fullmatch(r"picture of item \d+", image.get("alt")) for image in images)
    assert all(image.get("src").startswith("data:image/png;base64,") for image in images)


def test_answers_apart_are_those_that_nobody_shares():
    """Nine of ten say a about x; bo alone says b. About y nobody else answered, about z half agree with bo."""
    item = ["x"] * 10 + ["y"] + ["z"] * 4
    choice = ["a"] * 9 + ["b"] + ["b"] + ["a", "b", "b", "a"]
    who = [f"p{i}" for i in range(9)] + ["bo"] + ["bo"] + ["p0", "p1", "bo", "p2"]
    votes = Votes.of(item, choice, who)
    rows = answers_apart(review(votes))
    apart = [(votes.items[votes.item[row]], votes.annotators[votes.annotator[row]]) for row in rows.tolist()]
    assert apart[0] == ("x", "bo") and ("y", "bo") not in apart
    assert all(item == "z" for item, _ in apart[1:]) and answers_apart(review(votes), 1).tolist() == rows[:1].tolist()


def test_what_the_others_said_leaves_out_all_answers_of_the_annotator():
    """Annotator 1 answered every item of anesthesia three times, beside four others who answered it once."""
    votes = load("anesthesia").labels
    result = review(votes)
    own = [row.cells for row in tabulate_answers_apart(result, None).lines if row.cells[0] == "1"]
    assert own
    for *_, drawing in own:
        shares = [float(part.rpartition(" ")[2].rstrip("%")) for part in drawing.words.split(", ")]
        assert shares and all(value % 25 == 0 for value in shares), "quarters, since there are four"


def test_many_classes_share_the_colour_of_the_rest():
    names = [f"c{i:02d}" for i in range(30)]
    found = class_colours(names, [1.0 if i % 2 else 0.0 for i in range(30)])
    assert len(set(found.values())) == 13 and found["c01"] != found["c03"] and found["c00"] == found["c02"]


@pytest.mark.parametrize("name", ["describe", "evaluate", "one model", "annotators", "agreement", "plan"])
def test_pages_are_accessible_and_use_the_window(made, name, launched, axe, tmp_path):  # noqa: F811
    file = tmp_path / f"{name}.html"
    file.write_text(made[name], encoding="utf-8")
    browser = launched()
    try:
        for scheme, width in (("light", 1600), ("light", 1200), ("dark", 400)):
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page = context.new_page()
            page.goto(file.as_uri())
            page.evaluate(axe)
            assert [rule["id"] for rule in page.evaluate(VIOLATIONS, STANDARDS)] == [], scheme
            assert page.evaluate(FITS), "nothing sticks out sideways"
            assert page.evaluate(CUT) == [], "no table scrolls sideways, on a phone neither"
            titles = page.evaluate(
                "[...document.querySelectorAll('.stack')].filter((table) => !table.closest('details')).map((table) => "
                "[table.rows[0].offsetHeight > 0, ...[...table.rows[1].cells].slice(table.matches('.pairs') ? 1 : 0)"
                ".map((cell) => getComputedStyle(cell, '::before').content)])"
            )
            assert titles or name not in ("describe", "evaluate", "annotators")
            for above, *before in titles:
                assert above == (width > 400) and all((text == "none") == above for text in before), (
                    "above the cells of a wide table, before those of a stacked one"
                )
            parts = page.evaluate("[...document.querySelectorAll('details.long')].map((part) => part.open)")
            assert bool(parts) == (name in ("evaluate", "one model", "plan")) and set(parts) <= {width > 400}
            page.emulate_media(media="print")
            page.wait_for_function(f"({HIDDEN}) === 0", timeout=30_000)  # what is folded is printed, a frame later
            page.emulate_media(media="screen")
            lefts = page.evaluate(
                "[...document.querySelectorAll('h2, h3, figure')].map((h) => h.getBoundingClientRect().left)"
            )
            assert (max(lefts) > 500) == (width > 400), (
                "side by side where there is room, one column where there is not"
            )
            page.evaluate("document.querySelectorAll('figure details').forEach((numbers) => { numbers.open = true; })")
            assert width == 400 or page.evaluate(CUT) == [], "the numbers of a figure neither"
            context.close()
    finally:
        browser.close()

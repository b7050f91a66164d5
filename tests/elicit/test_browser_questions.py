"""Every question in a real browser, by mouse and by keyboard: what is stored is what was done."""

from __future__ import annotations

import wave
from itertools import pairwise

import pytest

from dissensus.elicit.identity import survey_secret
from dissensus.elicit.media import media_address
from tests.elicit.browser import kept, served
from tests.elicit.surveys import write_survey

TEN = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
DIGITS = tuple("0123456789")
MANY = tuple(f"{kind} {number:02d}" for kind in ("tern", "wren", "gull", "xenops") for number in range(30))


@pytest.fixture
def ask(tmp_path, person):
    """Function that serves a survey with this question and gives somebody at its first trial, and its folder."""
    open_servers = []

    def asked(question, per_person=2, context=None, **sections):
        folder = write_survey(tmp_path / "survey", question=question, protocol={"per_person": per_person}, **sections)
        server = served(folder)
        address = server.__enter__()
        open_servers.append(server)
        somebody = person(**(context or {}))
        somebody.start(address)
        return somebody, folder

    yield asked
    for server in open_servers:
        server.__exit__(None, None, None)


def answers(folder):
    """What was stored, in order; the times of each are in order, too."""
    rows = kept(folder)
    for row in rows:
        times = row["times"]
        moments = [times["looked"], times["touched"], *(change[0] for change in times["changes"]), times["submitted"]]
        assert all(earlier <= later for earlier, later in pairwise(moments[1:])), times
        assert 0 <= times["looked"] <= times["submitted"]
        away = sum(until - since for since, until in times["away"])
        assert row["seconds"] == pytest.approx((times["submitted"] - times["looked"] - away) / 1000, abs=1e-9)
        assert times["ready"] <= times["touched"]
        assert row["touched_seconds"] == times["touched"] / 1000
        assert abs(row["received"] - row["client"]) < 30
    return [row["answer"] for row in rows]


def changes(folder, row=-1):
    return [change[1:] for change in kept(folder)[row]["times"]["changes"]]


@pytest.mark.parametrize("layout", ["around", "list"])
def test_choose_by_mouse_and_by_key(ask, layout):
    me, folder = ask({"kind": "choose", "classes": TEN, "layout": layout}, per_person=3)
    order = me.classes()
    me.moves_on(lambda: me.page.get_by_role("button", name="frog").click())
    me.moves_on(lambda: me.keys("o"))  # a, b, c and d are the first letters of others
    me.moves_on(lambda: (me.page.get_by_role("button", name="ship").focus(), me.keys("Enter")))
    assert me.stage() == "done"
    assert answers(folder) == [{"choice": "frog"}, {"choice": "dog"}, {"choice": "ship"}]
    assert changes(folder) == [["choice", "ship"]]
    assert [row["classes_shown"] for row in kept(folder)] == [order] * 3


def test_labels_around_the_picture_surround_it(ask):
    me, _ = ask({"kind": "choose", "classes": TEN})
    picture = me.page.locator("img").bounding_box()
    sides = {"above": 0, "below": 0, "left": 0, "right": 0}
    for button in me.page.locator(".around button").all():
        box = button.bounding_box()
        sides["above"] += box["y"] + box["height"] <= picture["y"]
        sides["below"] += box["y"] >= picture["y"] + picture["height"]
        sides["left"] += box["x"] + box["width"] <= picture["x"] and picture["y"] - 60 < box["y"] < picture["y"] + 300
        sides["right"] += box["x"] >= picture["x"] + picture["width"]
    assert sides["above"] == sides["below"] == 3 and min(sides.values()) >= 2


def test_classes_that_are_digits_are_chosen_by_them_and_each_person_has_their_own_order(ask, person):
    me, folder = ask({"kind": "choose", "classes": DIGITS}, per_person=2)
    orders = [me.classes()]
    me.moves_on(lambda: me.keys("7"))
    me.moves_on(lambda: me.keys("0"))
    for _ in range(2):
        other = person()
        other.start(me.page.url.split("/run")[0])
        orders.append(other.classes())
        other.moves_on(lambda: other.keys("3"))  # noqa: B023
    assert answers(folder) == [{"choice": name} for name in "7033"]
    rows = kept(folder)
    assert [row["classes_shown"] for row in rows] == [orders[0], orders[0], orders[1], orders[2]]
    assert len({tuple(order) for order in orders}) == 3 and all(sorted(order) == list(DIGITS) for order in orders)


def test_one_of_120_classes_is_found_by_typing(ask, tmp_path):
    (tmp_path / "survey").mkdir()
    rows = "".join(f"p{i},items/p{i}.png,gull 03|wren 07\n" for i in range(8))
    (tmp_path / "survey" / "items.csv").write_text(f"item,image,likely\n{rows}")
    me, folder = ask({"kind": "choose", "classes": MANY}, per_person=4, items="items.csv")
    options = me.page.get_by_role("option")
    assert options.all_inner_texts()[:2] == ["gull 03\nlikely", "wren 07\nlikely"]
    me.page.keyboard.type("n 12")
    assert options.all_inner_texts() == ["tern 12", "wren 12"] or options.all_inner_texts() == ["wren 12", "tern 12"]
    me.keys(*["Backspace"] * 4)
    me.page.keyboard.type("wren 12")
    me.moves_on(lambda: me.keys("Enter"))
    assert options.all_inner_texts()[2] == "wren 12\nrecent"
    me.moves_on(lambda: me.keys("ArrowDown", "ArrowDown", "ArrowDown", "Enter"))
    me.moves_on(lambda: options.first.click())
    me.page.keyboard.type("nothing like it")
    me.keys("Enter")
    assert me.page.get_by_text("No matching class").is_visible()
    me.keys("Escape")
    me.page.keyboard.type("xen")
    me.moves_on(lambda: me.keys("ArrowUp", "Enter"))
    chosen = [answer["choice"] for answer in answers(folder)]
    assert chosen[:3] == ["wren 12", "wren 12", "gull 03"] and chosen[3].startswith("xenops")


def test_top_two_by_keyboard_alone(ask):
    me, folder = ask({"kind": "top-two", "classes": TEN}, per_person=4)
    me.moves_on(lambda: me.keys("c", "7", "0", "o", "2", "0", "-", "Enter"))
    me.moves_on(lambda: me.keys("Shift+T", "Shift+S", "s", "1", "0", "0", "Enter"))  # naming it makes it possible again
    me.keys("h", "6", "0", "d", "Enter")  # the rest for the second, shown before it is sent
    assert "40 percent" in me.problem()
    me.ready()  # what was said has been there long enough to be read
    me.moves_on(lambda: me.keys("Enter"))
    # Naming a named class again goes back to its percentage; Backspace in an empty one takes the name away.
    me.keys("b", "5", "a", "5", "b", "9", "5", "a", "Backspace", "Backspace", "-", "Shift+A")
    me.moves_on(lambda: me.keys("Enter"))
    everything = [name for name in TEN if name not in ("cat", "dog")]
    assert answers(folder) == [
        {"first": "cat", "first_percent": 70, "second": "dog", "second_percent": 20, "ruled_out": everything},
        {"first": "ship", "first_percent": 100, "second": None, "second_percent": None, "ruled_out": ["truck"]},
        {"first": "horse", "first_percent": 60, "second": "deer", "second_percent": 40, "ruled_out": []},
        {
            "first": "bird",
            "first_percent": 95,
            "second": None,
            "second_percent": None,
            "ruled_out": [name for name in TEN if name not in ("bird", "airplane")],
        },
    ]
    assert changes(folder, 0) == [
        ["named", ["cat", None]],
        ["first_percent", "7"],
        ["first_percent", "70"],
        ["named", ["cat", "dog"]],
        ["second_percent", "2"],
        ["second_percent", "20"],
        ["ruled_out", True],
    ]
    assert changes(folder, 3)[-2:] == [["ruled_out", True], ["ruled_out", "airplane"]]


def test_top_two_by_mouse_reports_missing_parts(ask):
    me, folder = ask({"kind": "top-two", "classes": TEN}, per_person=1)
    button = lambda name: me.page.get_by_role("button", name=name)  # noqa: E731
    assert button("Definitely no others").is_disabled()
    button("Next").click()
    assert "most probable" in me.problem()
    button("cat").click()
    button("Next").click()
    assert "cat" in me.problem()
    button("cat").click()  # takes it back
    button("frog").click()
    me.page.get_by_label("How probable is frog").fill("62,5")
    button("bird").click()
    me.page.get_by_label("How probable is bird").fill("140")
    button("Next").click()
    assert "bird" in me.problem()
    me.page.get_by_label("How probable is bird").fill("30")
    button("Definitely no others").click()
    button("Definitely no others").click()  # takes it back
    me.moves_on(lambda: button("Next").click())
    assert answers(folder) == [
        {"first": "frog", "first_percent": 62.5, "second": "bird", "second_percent": 30, "ruled_out": []}
    ]


def test_top_two_of_digits_uses_the_digits_for_both(ask):
    me, folder = ask({"kind": "top-two", "classes": DIGITS}, per_person=2)
    me.moves_on(lambda: me.keys("7", "8", "0", "Space", "1", "1", "5", "-", "Enter"))
    me.moves_on(lambda: me.keys("Shift+Digit3", "4", "1", "0", "0", "Enter"))
    rest = [name for name in DIGITS if name not in "71"]
    assert answers(folder) == [
        {"first": "7", "first_percent": 80, "second": "1", "second_percent": 15, "ruled_out": rest},
        {"first": "4", "first_percent": 100, "second": None, "second_percent": None, "ruled_out": ["3"]},
    ]


def test_top_two_among_120_classes_needs_few_keys(ask):
    me, folder = ask({"kind": "top-two", "classes": MANY}, per_person=2)
    me.page.keyboard.type("wren 12")
    me.keys("Enter")
    me.page.keyboard.type("60")
    me.page.keyboard.type("xenops 01")  # letters in a percentage begin the search for the second
    me.keys("Enter")
    me.page.keyboard.type("30")
    me.moves_on(lambda: me.keys("-", "Enter"))
    me.page.keyboard.type("gull 00")
    me.keys("Shift+Enter", "ArrowDown", "Enter")  # one is ruled out; the class used last is named by two keys
    me.page.keyboard.type("100")
    me.moves_on(lambda: me.keys("Enter"))
    first, second = answers(folder)
    assert (first["first"], first["second"], first["second_percent"]) == ("wren 12", "xenops 01", 30)
    assert len(first["ruled_out"]) == 118
    assert second == {
        "first": "xenops 01",
        "first_percent": 100,
        "second": None,
        "second_percent": None,
        "ruled_out": ["gull 00"],
    }


@pytest.mark.parametrize("classes", [TEN, MANY], ids=["few", "many"])
def test_a_finger_rules_out_single_classes_and_sees_no_keys(ask, classes):
    """On a touch screen there is no Shift; keys are only shown once one was pressed."""
    question = {"kind": "top-two", "classes": classes, "shuffle": False}
    me, folder = ask(question, 1, {"has_touch": True, "is_mobile": True})
    page, some = me.page, classes[:3]
    assert page.locator("kbd:visible").count() == 0 and page.get_by_text("Keys:").is_hidden()
    chosen = page.get_by_role("option") if classes is MANY else page.locator(".classes button")
    toggle = page.get_by_role("button", name="Rule out one by one")
    toggle.tap()
    for name in (some[1], some[2], some[2]):  # the last one is possible again
        chosen.filter(has_text=name).first.tap()
    assert toggle.get_attribute("aria-pressed") == "true"
    toggle.tap()
    chosen.filter(has_text=some[0]).first.tap()
    page.get_by_label(f"How probable is {some[0]}").fill("80")
    me.moves_on(lambda: page.get_by_role("button", name="Next").tap())
    assert answers(folder) == [
        {"first": some[0], "first_percent": 80, "second": None, "second_percent": None, "ruled_out": [some[1]]}
    ]
    assert changes(folder)[:3] == [["ruled_out", some[1]], ["ruled_out", some[2]], ["ruled_out", some[2]]]


def test_top_two_as_a_form_by_mouse_and_by_keyboard(ask):
    me, folder = ask({"kind": "top-two", "classes": TEN, "layout": "form", "shuffle": False}, per_person=2)
    group = lambda text: me.page.get_by_role("group", name=text)  # noqa: E731
    group("most probable?").get_by_label("cat").check()
    me.page.get_by_label("How probable is it, in percent (0 to 100)?", exact=True).fill("70")
    group("second most").get_by_label("dog").check()
    me.page.get_by_label("If you chose one").fill("20")
    group("definitely not").get_by_label("ship").check()
    group("definitely not").get_by_label("cat").check()
    me.page.get_by_role("button", name="Next").click()
    assert "definitely not" in me.problem()
    group("definitely not").get_by_label("cat").uncheck()
    me.moves_on(lambda: me.page.get_by_role("button", name="Next").click())
    group("most probable?").get_by_label("airplane").focus()
    me.keys("ArrowDown", "ArrowDown", "Tab")
    me.page.keyboard.type("100")
    me.keys(*["Tab"] * 3, "Space", "Tab", "Space")
    me.moves_on(lambda: me.keys("Enter"))
    assert answers(folder) == [
        {"first": "cat", "first_percent": 70, "second": "dog", "second_percent": 20, "ruled_out": ["ship"]},
        {
            "first": "bird",
            "first_percent": 100,
            "second": None,
            "second_percent": None,
            "ruled_out": ["airplane", "automobile"],
        },
    ]


def test_sliders_start_nowhere_and_all_have_to_be_touched(ask):
    me, folder = ask({"kind": "sliders", "classes": ("cat", "dog", "ship")})
    sliders = me.page.get_by_role("slider")
    assert [slider.get_attribute("aria-valuetext") for slider in sliders.all()] == ["not set"] * 3
    me.page.get_by_role("button", name="Next").click()
    assert " 3 " in me.problem()
    for name, share in (("cat", 0.25), ("dog", 0.5), ("ship", 0.999)):
        slider = me.page.get_by_label(name, exact=True)
        box = slider.bounding_box()
        thumb = 24  # the middle of the thumb travels between the ends less half its width
        slider.click(position={"x": thumb / 2 + share * (box["width"] - thumb), "y": box["height"] / 2})
    me.moves_on(lambda: me.page.get_by_role("button", name="Next").click())
    me.keys("c", "7", "d", "End", "s", "Space", "ArrowLeft")
    me.moves_on(lambda: me.keys("Enter"))
    first, second = (answer["values"] for answer in answers(folder))
    assert first == pytest.approx({"cat": 0.25, "dog": 0.5, "ship": 1.0}, abs=0.02)
    assert second == {"cat": 0.7, "dog": 1, "ship": 0.49}
    assert changes(folder) == [["cat", 0.7], ["dog", 1], ["ship", 0.5], ["ship", 0.49]]


@pytest.mark.parametrize("layout", ["compact", "form"])
def test_a_second_class_above_the_first_is_remarked_once(ask, layout):
    me, folder = ask({"kind": "top-two", "classes": ("cat", "dog"), "layout": layout, "shuffle": False}, per_person=2)
    if layout == "compact":
        me.keys("c", "2", "0", "d", "7", "0")
    else:
        me.page.get_by_role("group", name="most probable?").get_by_label("cat").check()
        me.page.get_by_label("How probable is it, in percent (0 to 100)?", exact=True).fill("20")
        me.page.get_by_role("group", name="second most").get_by_label("dog").check()
        me.page.get_by_label("If you chose one").fill("70")
    me.page.get_by_role("button", name="Next").dblclick(delay=30)  # two presses of one hand are one
    remark = me.page.locator(".problem.remark")
    assert remark.inner_text().startswith("dog has") and answers(folder) == []
    me.ready()
    me.moves_on(lambda: me.page.get_by_role("button", name="Next").click())
    (answer,) = answers(folder)
    assert (answer["first_percent"], answer["second_percent"]) == (20, 70)


def test_percents_have_to_sum_to_a_hundred(ask):
    me, folder = ask({"kind": "allocate", "classes": ("cat", "dog", "ship")})
    me.page.get_by_label("cat").fill("50")
    me.page.get_by_label("dog").fill("60")
    assert me.page.get_by_text("10 percent too many").is_visible()
    me.page.get_by_role("button", name="Next").click()
    assert " 110" in me.problem()
    me.page.get_by_label("dog").fill("50")
    me.moves_on(lambda: me.page.get_by_role("button", name="Next").click())
    me.moves_on(lambda: me.keys("s", "2", "5", "c", "7", "5", "Enter"))
    assert answers(folder) == [{"percents": {"cat": 50, "dog": 50}}, {"percents": {"cat": 75, "ship": 25}}]


def test_tokens_are_placed_one_by_one(ask):
    me, folder = ask({"kind": "tokens", "classes": ("cat", "dog", "ship"), "tokens": 5})
    for _ in range(4):
        me.page.get_by_role("button", name="Add one to cat").click()
    me.page.get_by_role("button", name="Remove one from cat").click()
    me.page.get_by_role("button", name="Next").click()
    assert "5 tokens: 2 left" in me.problem()
    for _ in range(3):  # one more than there are
        me.page.get_by_role("button", name="Add one to dog").click()
    me.moves_on(lambda: me.page.get_by_role("button", name="Next").click())
    me.moves_on(lambda: me.keys("s", "s", "s", "d", "Shift+S", "c", "c", "Enter"))
    assert answers(folder) == [{"tokens": {"cat": 3, "dog": 2}}, {"tokens": {"cat": 2, "dog": 1, "ship": 2}}]


def test_how_typical_an_item_is_of_its_class(ask, tmp_path):
    (tmp_path / "survey").mkdir()
    (tmp_path / "survey" / "items.csv").write_text(
        "item,text,class\n" + "".join(f"t{i},Text {i},polite\n" for i in range(4))
    )
    me, folder = ask({"kind": "typicality"}, items="items.csv")
    me.page.get_by_role("button", name="Next").click()
    assert "slider" in me.problem()
    slider = me.page.get_by_role("slider", name="polite")
    slider.click()  # on its middle, where the browser tells of no change
    me.moves_on(lambda: me.page.get_by_role("button", name="Next").click())
    me.moves_on(lambda: me.keys("9", "ArrowRight", "Enter"))
    assert answers(folder) == [{"value": 0.5}, {"value": 0.91}]


def pictures(me, folder):
    """The items whose pictures are on the page."""
    names = {media_address(survey_secret(folder), f"p{i}", 0): f"p{i}" for i in range(8)}
    return [
        names[src]
        for src in me.page.eval_on_selector_all("img", "(all) => all.map((image) => image.getAttribute('src'))")
    ]


def test_how_similar_two_items_are(ask):
    me, folder = ask({"kind": "similarity"})
    shown = [pictures(me, folder)]
    me.moves_on(lambda: me.page.get_by_role("button", name="6, completely similar").click())
    shown.append(pictures(me, folder))
    me.moves_on(lambda: me.keys("0"))
    assert answers(folder) == [{"value": 6}, {"value": 0}]
    assert [row["shown"] for row in kept(folder)] == shown


def test_which_of_two_is_closer_to_a_third_in_the_order_shown(ask):
    me, folder = ask({"kind": "triplet"}, per_person=3)
    acts = (
        lambda: me.page.get_by_role("button", name="The left one").click(),
        lambda: me.keys("ArrowRight"),
        lambda: me.page.get_by_alt_text("The left picture").click(),
    )
    shown = []
    for act in acts:
        shown.append(pictures(me, folder))
        me.moves_on(act)
    assert answers(folder) == [{"closer": "first"}, {"closer": "second"}, {"closer": "first"}]
    rows = kept(folder)
    assert [row["shown"] for row in rows] == shown
    assert all(row["shown"][0] == row["items"][0] for row in rows)


def test_the_layout_does_not_move_between_trials(ask):
    """Pictures, buttons and text of one trial are where those of the next are, to the pixel."""
    me, _ = ask({"kind": "top-two", "classes": TEN}, per_person=3)
    where = """(all) => all.map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return [x, y, width, height];
    })"""
    seen = []
    for _ in range(2):
        seen.append(me.page.eval_on_selector_all("main, h1, img, #answer button, #answer input", where))
        me.keys("c", "7", "0", "d", "2", "0", "-")
        seen.append(me.page.eval_on_selector_all("main, h1, img, #answer button, #answer input", where))
        me.moves_on(lambda: me.keys("Enter"))
    assert all(place == seen[0] for place in seen)


def test_an_item_may_be_texts_a_picture_and_a_sound_group(ask, tmp_path):
    folder = tmp_path / "survey"
    folder.mkdir()
    with wave.open(str(folder / "beep.wav"), "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(bytes(1600))
    (folder / "items.csv").write_text(
        "item,premise,hypothesis,image,audio\n"
        + "".join(f"m{i},A dog runs.,An animal moves.,items/p{i}.png,beep.wav\n" for i in range(3))
    )
    me, folder = ask({"kind": "choose", "classes": ("yes", "no"), "layout": "list"}, items="items.csv")
    assert me.page.locator("blockquote").all_inner_texts() == ["Premise\nA dog runs.", "Hypothesis\nAn animal moves."]
    assert me.page.get_by_role("img").is_visible()
    me.page.wait_for_function("() => document.querySelector('audio').duration > 0")
    me.keys("y")
    assert "play the sound" in me.problem()
    me.play_sounds()
    me.moves_on(lambda: me.keys("y"))
    assert answers(folder) == [{"choice": "yes"}]


def test_letters_of_other_alphabets_are_keys(ask):
    me, folder = ask({"kind": "choose", "classes": ("кошка", "собака", "корабль"), "layout": "list"})
    press = "(key) => document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))"
    for key in "со":  # the first that is free in кошка, whose к belongs to корабль
        me.moves_on(lambda key=key: me.page.locator("h1").evaluate(f"(h1, key) => ({press})(key)", key))
    assert answers(folder) == [{"choice": "собака"}, {"choice": "кошка"}]


def test_nobody_judges_a_picture_that_is_not_there(ask, tmp_path):
    me, folder = ask({"kind": "choose", "classes": ("cat", "dog"), "layout": "list"})
    me.page.route("**/media/*", lambda route: route.abort())
    me.page.reload()
    me.page.wait_for_selector("[data-ready=partly]")
    me.page.get_by_role("button", name="cat").click()
    assert "picture" in me.page.locator(".problem").inner_text()
    assert kept(folder) == []
    me.page.unroute("**/media/*")
    me.ready()
    me.moves_on(lambda: me.page.get_by_role("button", name="cat").click())
    (row,) = kept(folder)
    assert row["answer"] == {"choice": "cat"}
    assert row["times"]["touched"] < row["times"]["ready"]  # the first press was told, and input waited for the picture
    me.problems.clear()

"""One slider between two classes: its position is the probability of the class at the upper end."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dissensus import Beliefs, Votes, read
from dissensus.aggregate import aggregate_labels
from tests.facts import refuses
from tests.files.notices import one_states
from tests.files.refusals import quiet

TABLE = "item,annotator,rating\na,ann,0\na,bo,63\nb,ann,100\nb,bo,20\n"


@pytest.fixture
def path(tmp_path):
    (tmp_path / "slider.csv").write_text(TABLE)
    return tmp_path / "slider.csv"


def sliders(source, **options):
    asked = {"layout": "slider", "classes": ["no", "yes"], "scale": 100, "label": "rating", "say": quiet}
    return read(source, **asked | options)


def test_the_position_is_the_probability_of_the_upper_end(path):
    for source in (path, pd.read_csv(path)):
        beliefs = sliders(source)
        assert isinstance(beliefs, Beliefs) and beliefs.classes == ("no", "yes")
        assert np.allclose(beliefs.stated, [[1, 0], [0.37, 0.63], [0, 1], [0.8, 0.2]])
        assert np.allclose(aggregate_labels(beliefs).distributions.probs, [[0.685, 0.315], [0.4, 0.6]])


@pytest.mark.parametrize(
    ("options", "facts", "ways"),
    [
        ({"scale": None}, ["upper end", "column 'rating'", "up to 100"], {"scale": 100}),
        ({"scale": 10}, ["row 2", "has 63", "column 'rating'", "0 to 10", "3 of 4"], {"scale": ...}),
        ({"classes": None}, ["slider", "class", "either end", "none"], {"classes": ["no", "yes"]}),
        (
            {"classes": ["no", "maybe", "yes"]},
            ["slider", "class", "either end", ["no", "maybe", "yes"]],
            {"classes": ["no", "yes"]},
        ),
        ({"label": "annotator"}, ["row 1", "'ann'", "column 'annotator'", "a number"], {}),
        ({"several": "votes"}, ["several='votes'", "labels", "slider", "Leave it out"], {}),
    ],
)
def test_unknown_ends_of_a_slider_are_asked_for(path, options, facts, ways):
    with refuses(*facts, place=str(path), ways=ways):
        sliders(path, **options)


def test_negative_and_missing_positions_are_named(tmp_path):
    frame = pd.DataFrame({"item": ["a", "b"], "rating": [50, -1]})
    with refuses("row 2", "-1", "column 'rating'", "0 to 100", "1 of 2", place="DataFrame", ways={"scale": ...}):
        sliders(frame)
    frame = pd.DataFrame({"item": ["a", "b"], "rating": [50, None]})
    with refuses("row 2", "no label", "column 'rating'", "1 of 2", place="DataFrame", ways={"missing": "drop"}):
        sliders(frame)
    assert sliders(frame, missing="drop").stated.tolist() == [[0.5, 0.5]]


def test_the_ends_of_a_slider_are_reported(path):
    said = []
    sliders(path, say=said.append)
    assert one_states(said, "slider", "0 (no) to 100 (yes)")


def test_a_second_answer_follows_the_usual_rule():
    frame = pd.DataFrame({"item": ["a", "a"], "annotator": ["ann", "ann"], "rating": [0, 100]})
    with refuses("row 2", "second answer", "item 'a', annotator 'ann'", "row 1", "1 of 2"):
        sliders(frame)
    assert sliders(frame, repeats="last").stated.tolist() == [[0, 1]]


def test_ratings_are_ordered_classes_also_those_that_nobody_chose():
    frame = pd.DataFrame({"item": ["a", "a", "b"], "annotator": ["ann", "bo", "ann"], "label": [5, 1, 10]})
    said = []
    votes = read(frame, say=said.append)
    assert isinstance(votes, Votes) and votes.classes == ("1", "5", "10") and said == []
    whole = read(frame, classes=[str(star) for star in range(1, 11)], say=quiet)
    assert whole.classes == ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10")
    assert np.flatnonzero(whole.counts()[0]).tolist() == [0, 4]


@pytest.mark.parametrize(("name", "grades"), [("par", range(-5, 6)), ("csc", range(1, 7))])
def test_released_ratings_keep_their_order_and_their_means(name, grades, data_folder):
    """lewidi/par.parquet (paraphrases, -5 to 5) and lewidi/csc.parquet (sarcasm, 1 to 6), LeWiDi 2025."""
    path = data_folder / "lewidi" / f"{name}.parquet"
    votes = read(path, classes=[str(grade) for grade in grades], missing="drop", say=quiet)
    assert read(path, missing="drop", say=quiet).classes == votes.classes == tuple(map(str, grades))
    rows = pd.read_parquet(path)
    given = rows.explode(["annotations"]).dropna(subset=["annotations"]).groupby("item")["annotations"]
    means = (votes.counts() @ np.array(grades) / votes.per_item).tolist()
    by_hand = given.apply(lambda grades: grades.astype(float).mean())
    assert dict(zip(map(str, votes.items), means, strict=True)) == pytest.approx(by_hand.to_dict())


@pytest.mark.parametrize("values", [[0.13, 0.5, 0.9], list(range(0, 100, 4))])
def test_numbers_that_look_like_a_slider_are_read_as_classes_with_a_word(values, tmp_path):
    frame = pd.DataFrame({"item": range(3 * len(values)), "label": values * 3})
    frame.to_csv(tmp_path / "v.csv", index=False)
    for source in (frame, tmp_path / "v.csv"):
        said = []
        assert read(source, say=said.append).n_classes == len(values)
        assert sum(f"each of the {len(values)} numbers" in n and "layout='slider'" in n for n in said) == 1
        said.clear()
        read(source, label="label", annotator="", say=said.append)
        assert not any("slider" in notice for notice in said)  # who names the column knows what is in it


def test_class_codes_get_no_such_notice():
    said = []
    read(pd.DataFrame({"item": range(300), "label": [*range(100)] * 3}), say=said.append)
    assert not any("slider" in notice for notice in said)

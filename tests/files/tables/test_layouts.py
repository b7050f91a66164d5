"""A column with a known role is never a class, and where two readings fit, both are named and one is asked for."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from dissensus import Beliefs, Votes, complete, read
from dissensus.files.tables.columns import ROLE_OF, USUAL, fold_name
from tests.facts import refuses
from tests.files.notices import read_roles
from tests.files.refusals import file, list_ways, quiet, refused

ANSWERS = "\n1,7,5\n1,8,4\n2,7,1\n2,8,2\n3,7,5\n3,8,3\n"
MEANT = Votes.of([1, 1, 2, 2, 3, 3], list("541253"), [7, 8, 7, 8, 7, 8])


def test_every_usual_name_tells_one_role():
    assert len(ROLE_OF) == sum(len(names) for names in USUAL.values())
    assert all(ROLE_OF[fold_name(role)] == role for role in USUAL if role != "beside")


@pytest.mark.parametrize(
    "header",
    [
        "item,annotator,rating",
        "id,reviewer,score",
        "comment_id,participant,grade",
        "text_id,person,response",
        "post_id,coder,judgment",
        "document_id,Judge ID,judgement",
        "sentenceId,WorkerID,Answer",
        "Comment ID,user-id,Chosen Label",
    ],
)
def test_a_table_of_numbers_with_known_names_has_votes(tmp_path, header):
    said = []
    assert read(file(tmp_path, "v.csv", header + ANSWERS), say=said.append) == MEANT
    names = header.split(",")
    assert len(said) == 1
    assert read_roles(said[0]) == {"item": names[0], "annotator": names[1], "label": f"{names[2]} (1..5, ordered)"}


def test_a_class_with_its_probability_is_a_belief_with_one_named_class(tmp_path):
    path = file(tmp_path, "t.csv", "item,annotator,Top1,top1Prob\na,1,cat,80\na,2,dog,100\nb,1,eel,60\n")
    said = []
    beliefs = read(path, say=said.append)
    assert isinstance(beliefs, Beliefs) and beliefs.named.tolist() == [[0], [1], [2]]
    assert beliefs.classes == ("cat", "dog", "eel")
    assert read_roles(said[0]) == {
        "item": "item",
        "annotator": "annotator",
        "top-one": f"Top1, top1Prob ({', '.join(beliefs.classes)})",
        "scale": "100 (percents)",
    }
    # Collins 2022, T1: the first class keeps its probability, the rest is spread evenly.
    spread = complete(beliefs, top=1, spread="uniform").stated
    assert np.allclose(spread, [[0.8, 0.1, 0.1], [0, 1, 0], [0.2, 0.2, 0.6]])


def test_the_exact_name_of_a_role_wins_over_looser_ones_and_both_are_reported(tmp_path):
    said = []
    path = file(tmp_path, "v.csv", "id,item,user,annotator,rating,label\n1,a,u,1,5,x\n2,a,v,2,4,y\n")
    assert read(path, say=said.append) == read(path, item="item", annotator="annotator", label="label", say=quiet)
    assert read_roles(said[0]) == {
        "item": "item (not id)",
        "annotator": "annotator (not user)",
        "label": "label (not rating, x, y)",
    }


@pytest.mark.parametrize(
    ("header", "role", "columns"),
    [
        ("item,annotator,score,rating", "label", ["rating", "score"]),
        ("item,user,worker,label", "annotator", ["worker", "user"]),
        ("id,item_id,annotator,label", "item", ["id", "item_id"]),
    ],
)
def test_two_columns_of_one_role_are_both_named_and_one_is_asked_for(tmp_path, header, role, columns):
    path = file(tmp_path, "v.csv", header + "\n1,1,7,2\n2,1,8,3\n3,2,8,3\n4,2,7,4\n")
    more = [{"classes": ...}] if role == "label" else []
    refused(path, *(repr(name) for name in columns), ways=[{role: name} for name in columns] + more)
    for name in columns:
        found = read(path, say=quiet, **{role: name})
        assert isinstance(found, Votes)


def test_items_with_two_names_each_are_asked_about_since_other_files_are_joined_by_name():
    """As in many releases: the number of the row, and the picture or comment it is about."""
    table = pa.table(
        {"id": [1, 1, 2], "image": ["a.png", "a.png", "b.png"], "annotator": [1, 2, 1], "choice": ["x", "y", "x"]}
    )
    with refuses(["image", "id"], place="Table") as caught:
        read(table, say=quiet)
    assert list_ways(caught) == [{"item": "image"}, {"item": "id"}]
    assert read(table, item="image", say=quiet).items.tolist() == ["a.png", "b.png"]
    assert read(table, item="id", say=quiet).items.tolist() == [1, 2]


def test_the_same_names_in_two_columns_and_two_names_of_each_person_are_accepted(tmp_path):
    path = file(tmp_path, "v.csv", "id,item_id,worker,user,label\n7,7,1,ann,x\n7,7,2,bo,y\n9,9,1,ann,x\n")
    said = []
    votes = read(path, say=said.append)
    assert votes.items.tolist() == [7, 9] and votes.annotators.tolist() == [1, 2]
    assert read_roles(said[0]) == {
        "item": "id (not item_id)",
        "annotator": "worker (not user)",
        "label": "label (x, y)",
    }


@pytest.mark.parametrize("name", ["score", "answer", "class"])
def test_a_class_named_like_a_label_column_is_asked_about(tmp_path, name):
    path = file(tmp_path, "c.csv", f"item,cat,{name}\na,3,1\nb,0,4\n")
    refused(path, "two readings", f"'{name}'", ways=[{"label": name}, {"classes": ["cat", name]}])
    assert read(path, label=name, say=quiet).classes == ("1", "4")
    assert read(path, classes=["cat", name], say=quiet).counts().tolist() == [[3, 1], [0, 4]]


def test_people_without_labels_are_not_counts(tmp_path):
    path = file(tmp_path, "v.csv", "item,worker,toxicity" + ANSWERS)
    refused(
        path,
        "column 'worker'",
        "annotator",
        "no column",
        "label",
        ["toxicity"],
        ways=[{"label": ...}, {"classes": ...}],
    )
    assert read(path, label="toxicity", say=quiet) == MEANT


def test_items_that_repeat_are_not_counts(tmp_path):
    path = file(tmp_path, "v.csv", "item,marker,toxicity" + ANSWERS)
    refused(
        path,
        "row 2",
        "second",
        "item '1'",
        "column 'item'",
        ["marker", "toxicity"],
        ways=[{"label": ...}, {"item": ...}, {"item": ""}],
    )
    assert read(path, label="toxicity", annotator="marker", say=quiet) == MEANT


def test_numbers_that_pair_up_as_items_and_people_do_are_asked_about(tmp_path):
    path = file(tmp_path, "v.csv", "photo,marker,toxicity" + ANSWERS)
    refused(
        path,
        "two readings",
        "'photo' and 'marker'",
        "never together",
        "3 classes",
        ways=[
            {"item": "photo", "annotator": "marker", "label": "toxicity"},
            {"classes": ["photo", "marker", "toxicity"]},
        ],
    )
    assert read(path, item="photo", annotator="marker", label="toxicity", say=quiet) == MEANT
    assert read(path, classes=["photo", "marker", "toxicity"], item="", say=quiet).n_items == 6


def test_other_columns_of_a_table_of_counts_are_left_out_and_named(tmp_path):
    path = file(tmp_path, "c.csv", "uid,cat,dog,gold,Age\na,3,1,0,20\nb,0,4,1,31\n")
    said = []
    assert read(path, say=said.append).counts().tolist() == [[3, 1], [0, 4]]
    assert len(said) == 1
    assert read_roles(said[0], path) == {"item": "uid", "classes": "cat, dog (counts)", "left out": "gold, Age"}


def test_a_column_of_sums_is_not_a_class(tmp_path):
    path = file(tmp_path, "c.csv", "uid,cat,dog,all\na,3,1,4\nb,0,5,5\n")
    refused(path, "column 'all'", "sum", "every row", ways=[{"drop": ["all"]}, {"classes": ["cat", "dog", "all"]}])
    assert read(path, drop=["all"], say=quiet).classes == ("cat", "dog")


def test_numbers_that_complete_the_sums_may_be_a_class_though_called_image(tmp_path):
    path = file(tmp_path, "c.csv", "image,text_1,video\n3,4,3\n0,9,1\n5,5,0\n")
    refused(path, "two readings", ways=[{"item": "image"}, {"classes": ["image", "text_1", "video"]}])
    assert read(path, classes=["image", "text_1", "video"], item="", say=quiet).votes.tolist() == [10, 10, 10]


def test_labels_that_are_measurements_or_texts_are_asked_about(tmp_path):
    rows = [f"{row % 9},{row},{row / 7:.4f},what somebody wrote about number {row}" for row in range(40)]
    path = file(tmp_path, "v.csv", "item,annotator,score,note\n" + "\n".join(rows))
    refused(path, "column 'score'", 40, "fractions", ways=[{"label": ...}, {"label": "score"}])
    assert read(path, label="score", say=quiet).n_classes == 40
    path = file(tmp_path, "v.csv", "item,annotator,length,answer\n" + "\n".join(rows))
    refused(path, "column 'answer'", 40, "texts", ways=[{"label": ...}, {"label": "answer"}])


def test_somebody_who_answers_each_item_once_is_asked_about(tmp_path):
    path = file(tmp_path, "v.csv", "item,marker,rating" + ANSWERS)
    refused(path, "'marker' repeat", "never", "twice", ways=[{"annotator": "marker"}, {"annotator": ""}])
    assert read(path, annotator="marker", say=quiet) == MEANT
    assert read(path, annotator="", say=quiet).annotators is None


def test_a_number_of_the_answer_is_not_taken_for_the_item(tmp_path):
    rows = [f"{row},{row // 2},{row % 2},{row % 3}" for row in range(8)]
    path = file(tmp_path, "v.csv", "id,passage,worker,rating\n" + "\n".join(rows))
    refused(path, "column 'id'", "every row", "'passage' repeats", ways=[{"item": "passage"}, {"item": "id"}])
    assert read(path, item="passage", say=quiet).n_items == 4 and read(path, item="id", say=quiet).n_items == 8


def test_roles_that_the_caller_gives_are_never_questioned(tmp_path):
    path = file(tmp_path, "v.csv", "id,item_id,annotator,score,rating\n1,1,7,2,0.5\n2,1,8,3,0.25\n")
    found = read(path, item="id", annotator="annotator", label="rating", seconds="", say=pytest.fail)
    assert found.items.tolist() == [1, 2] and found.classes == ("0.25", "0.5")


@pytest.mark.parametrize("name", ["annotator_{}", "Annotator{}", "worker {}", "label_{}", "rating{}", "score-{}"])
@pytest.mark.parametrize("marks", ["123", "abc"])
def test_numbered_columns_of_people_are_not_classes(tmp_path, name, marks):
    if marks == "abc" and name.endswith(("r{}", "g{}")):
        marks = "ABC"  # raterA; a small letter would be a part of the word
    columns = [name.format(mark) for mark in marks]
    path = file(tmp_path, "w.csv", f"item,{','.join(columns)}\na,0,1,0\nb,1,1,1\nc,0,1,0\nd,,1,0\n")
    refused(path, "names", columns, "each annotator", ways=[{"layout": "annotators"}, {"layout": "counts"}])
    votes = read(path, layout="annotators", say=quiet)
    assert votes.counts().tolist() == [[2, 1], [0, 3], [2, 1], [1, 1]]


def test_numbered_labels_with_the_same_sums_or_with_fractions_are_classes(tmp_path):
    path = file(tmp_path, "c.csv", "item,rating_1,rating_2\na,3,1\nb,0,4\n")
    assert read(path, say=quiet).counts().tolist() == [[3, 1], [0, 4]]
    path = file(tmp_path, "p.csv", "item,class_0,class_1\na,0.25,0.75\nb,0.5,0.5\n")
    assert read(path, say=quiet).probs.tolist() == [[0.25, 0.75], [0.5, 0.5]]


def test_codes_that_all_columns_share_may_be_labels_of_people(tmp_path):
    rows = ["0,1,0", "1,1,1", "0,1,0", "1,0,1", "1,1,1", "0,0,1", "1,1,0"]
    path = file(tmp_path, "w.csv", "item,ann,bo,cy\n" + "\n".join(f"i{n},{row}" for n, row in enumerate(rows)))
    refused(
        path, "two readings", ["ann", "bo", "cy"], ["0", "1"], ways=[{"layout": "annotators"}, {"layout": "counts"}]
    )
    assert read(path, layout="annotators", say=quiet).n_answers == 21
    assert read(path, layout="counts", say=quiet).votes.tolist() == [1, 3, 1, 2, 3, 1, 2]


def test_bluebird_with_one_column_per_person_is_not_a_table_of_counts(loaded, tmp_path):
    """Welinder 2010: 39 people, each of whom said yes or no to all 108 pictures."""
    bluebird = loaded("crowd-bluebird").labels
    frame = bluebird.to_pandas().pivot(index="item", columns="annotator", values="label")
    frame = frame.replace({name: code for code, name in enumerate(bluebird.classes)}).astype(int)
    frame.columns = [str(number) for number in range(39)]
    frame.to_csv(tmp_path / "wide.csv")
    path, ways = tmp_path / "wide.csv", [{"layout": "annotators"}, {"layout": "counts"}]
    refused(path, "two readings", "['0', '1', '2'] to '38'", ["0", "1"], ways=ways)
    assert read(tmp_path / "wide.csv", layout="annotators", say=quiet).n_answers == 39 * 108


@pytest.mark.parametrize("spread", [0, 1])
def test_counts_of_few_votes_are_counts_since_one_class_takes_what_another_lacks(tmp_path, spread):
    rng = np.random.default_rng(0)
    total = 6 + rng.integers(0, 1 + spread, size=40)
    yes = rng.integers(0, total + 1)
    rows = [f"i{row},{count},{total[row] - count}" for row, count in enumerate(yes)]
    path = file(tmp_path, "c.csv", "item,yes,no\n" + "\n".join(rows))
    assert read(path, say=quiet).votes.tolist() == total.tolist()


def test_a_row_without_votes_may_be_one_of_a_table_of_people(tmp_path):
    path = file(tmp_path, "w.csv", "item,ann,bo\na,0,1\nb,0,0\nc,1,1\n")
    refused(path, "row 2", "item b", "no votes", "1 of 3", ways=[{"layout": "annotators"}])


def test_what_describes_the_item_is_not_taken_for_the_label(tmp_path):
    said = ["pos", "neg", "neg", "neg", "pos", "neg", "pos", "pos"]
    rows = [f"i{row // 2},a{row % 2},{'news' if row < 4 else 'sport'},{said[row]},e{row % 2}" for row in range(8)]
    path = file(tmp_path, "v.csv", "item,annotator,category,sentiment,region\n" + "\n".join(rows))
    refused(
        path,
        "column 'category'",
        "the same",
        "'sentiment' differs",
        ways=[{"label": "sentiment"}, {"label": "category"}],
    )
    assert read(path, label="sentiment", say=quiet).counts().tolist() == [[1, 1], [2, 0], [1, 1], [0, 2]]
    assert read(path, label="category", say=quiet).classes == ("news", "sport")


def test_a_region_of_each_person_is_no_evidence_against_labels_on_which_all_agree(tmp_path):
    rows = [f"i{row // 2},a{row % 2},{'news' if row < 4 else 'sport'},e{row % 2}" for row in range(8)]
    path = file(tmp_path, "v.csv", "item,annotator,category,region\n" + "\n".join(rows))
    assert read(path, say=quiet).counts().tolist() == [[2, 0], [2, 0], [0, 2], [0, 2]]


def test_answers_numbered_beside_texts_that_repeat_are_asked_about(tmp_path):
    rows = [f"{row},tweet number {row // 3},{row % 2}" for row in range(12)]
    path = file(tmp_path, "v.csv", "id,text,label\n" + "\n".join(rows))
    refused(path, "column 'id'", "every row", "'text' repeats", ways=[{"item": "text"}, {"item": "id"}])
    assert read(path, item="text", say=quiet).per_item.tolist() == [3, 3, 3, 3]
    assert read(path, item="id", say=quiet).n_items == 12


def test_a_premise_that_repeats_with_other_hypotheses_is_not_an_item(tmp_path):
    rows = [f"{row},premise {row // 3},hypothesis {row},{row % 2}" for row in range(12)]
    path = file(tmp_path, "v.csv", "id,premise,hypothesis,label\n" + "\n".join(rows))
    assert read(path, say=quiet).n_items == 12


@pytest.mark.parametrize("name", ["final_label", "Adjudicated", "resolved", "mean", "std", "likes", "year"])
def test_columns_computed_from_answers_or_counting_something_else_are_not_classes(tmp_path, name):
    path = file(tmp_path, "c.csv", f"uid,cat,dog,{name}\na,3,1,0\nb,0,4,1\n")
    assert read(path, say=quiet).counts().tolist() == [[3, 1], [0, 4]]

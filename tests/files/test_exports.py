"""Exports of annotation tools: what each says, that nothing is lost out and back, and that bad ones say why."""

from __future__ import annotations

import copy
import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus import Distributions, Votes
from dissensus.files import door as files
from dissensus.files.exports import EXPORTS, recognise

TASK = {
    "id": 7,
    "data": {"text": "so it goes", "label": "gold"},
    "project": 3,
    "annotations": [
        {
            "id": 11, "completed_by": 1, "lead_time": 4.5, "was_cancelled": False, "created_at": "2021-03-09T22:16:08Z",
            "result": [{"from_name": "tone", "to_name": "text", "type": "choices", "value": {"choices": ["sad"]}}],
        },
        {
            "id": 12, "completed_by": 2, "lead_time": 2, "was_cancelled": False, "created_at": "2021-03-09T22:17:08Z",
            "result": [{"from_name": "tone", "to_name": "text", "type": "choices", "value": {"choices": ["wry"]}}],
        },
        {"id": 13, "completed_by": 3, "lead_time": 1, "was_cancelled": True, "result": []},
    ],
}  # fmt: skip
FLAT = {
    "text": "so it goes", "id": 7, "tone": "sad", "annotator": 1, "annotation_id": 11,
    "created_at": "2021-03-09T22:16:08Z", "updated_at": "2021-03-09T22:16:08Z", "lead_time": 4.5,
}  # fmt: skip
POTATO = {
    "id": "item_2", "displayed_text": "so it goes", "label_annotations": {"tone": {"sad": "true"}},
    "span_annotations": {}, "behavioral_data": {"time_string": "Time spent: 0d 0h 1m 5s "},
}  # fmt: skip
CHOICE = {
    "text": "so it goes", "options": [{"id": "sad", "text": "sad"}, {"id": "wry", "text": "wry"}], "accept": ["wry"],
    "answer": "accept", "_input_hash": -12, "_task_hash": 5, "_annotator_id": "db-ann", "_session_id": "db-ann",
    "_timestamp": 1700000000,
}  # fmt: skip
DOCCANO = {"id": 3, "text": "so it goes", "split": "a", "label": ["sad"], "Comments": []}
LEWIDI = {
    "text": {"context": "rain", "response": "lovely"}, "annotation task": "sarcasm detection", "lang": "en",
    "annotators": "Ann1,Ann2", "number of annotations": 2, "annotations": {"Ann1": "5", "Ann2": "1"},
    "soft_label": {"1": 0.5, "5": 0.5}, "split": "dev",
}  # fmt: skip
TFDS = {
    "id": "test_00001", "label": 8, "soft_label": [0.0] * 8 + [1.0, 0.0], "human_labels": [8, 8],
    "annotator_ids": [3, 40], "reaction_times": [1342.0, 900.0], "trial_indices": [0, 17],
}  # fmt: skip
SAMPLES = {
    "label-studio": [TASK],
    "potato": [POTATO],
    "prodigy": [CHOICE],
    "doccano": [DOCCANO],
    "lewidi": {"1": LEWIDI, "2": {**LEWIDI, "annotations": ""}},
    "tfds-cifar10h": [TFDS],
}


def changed(record, path, value):
    """A copy of a record in which the value at a path is another."""
    fresh = copy.deepcopy(record)
    *way, last = path
    holder = fresh
    for step in way:
        holder = holder[step]
    holder[last] = value
    return fresh


def read(name, records, question=None):
    return EXPORTS[name].parse(records, "out.json", question)


def test_label_studio_gives_one_row_per_annotation_that_was_not_skipped():
    answers = read("label-studio", [TASK])
    assert answers.table.select(["item", "annotator", "label", "seconds"]).to_pylist() == [
        {"item": 7, "annotator": 1, "label": "sad", "seconds": 4.5},
        {"item": 7, "annotator": 2, "label": "wry", "seconds": 2.0},
    ]
    assert answers.table["text"][0].as_py() == "so it goes" and answers.table["data.label"][0].as_py() == "gold"
    assert answers.table["annotation.id"].to_pylist() == [11, 12] and answers.table["task.project"][0].as_py() == 3
    assert answers.notices == ["1 skipped annotation left out"]


def test_label_studio_names_annotators_by_email_where_it_knows_it():
    task = changed(TASK, ("annotations", 0, "completed_by"), {"id": 1, "email": "ann@x.org"})
    task = changed(task, ("annotations", 1, "completed_by"), {"id": 2, "email": "bo@x.org"})
    table = read("label-studio", [task]).table
    assert table["annotator"].to_pylist() == ["ann@x.org", "bo@x.org"]
    assert table["annotation.completed_by.id"].to_pylist() == [1, 2]


def test_label_studio_counts_annotations_without_an_answer_to_the_question():
    task = changed(TASK, ("annotations", 1, "result"), [])
    assert read("label-studio", [task]).notices == [
        "1 skipped annotation left out", "1 annotation without an answer to 'tone' left out",
    ]  # fmt: skip


def test_json_min_tells_the_question_by_its_place_between_id_and_annotator():
    table = read("label-studio", [FLAT]).table
    assert table["label"].to_pylist() == ["sad"] and table["seconds"].to_pylist() == [4.5]
    assert table["text"][0].as_py() == "so it goes" and table["annotation_id"][0].as_py() == 11
    two = {"text": "x", "id": 1, "tone": "sad", "topic": "rain", "annotator": 1, "annotation_id": 2, "lead_time": 1}
    with pytest.raises(ValueError, match=r"the questions \['tone', 'topic'\].*question="):
        read("label-studio", [two])
    assert read("label-studio", [two], "topic").table["label"].to_pylist() == ["rain"]


def test_several_questions_are_listed_and_one_can_be_asked_for():
    record = changed(POTATO, ("label_annotations", "topic"), {"rain": "true"})
    with pytest.raises(ValueError, match=r"out\.json holds the questions \['tone', 'topic'\].*question="):
        read("potato", [record])
    answers = read("potato", [record], "topic")
    assert answers.table["label"].to_pylist() == ["rain"]
    assert answers.notices == ["1 question beside 'topic' ('tone') left out"]
    with pytest.raises(ValueError, match="'mood' is not among them"):
        read("potato", [record], "mood")


def test_potato_lines_carry_text_and_time_but_no_annotator():
    table = read("potato", [POTATO]).table
    assert table.to_pylist() == [
        {"item": "item_2", "label": "sad", "seconds": 65.0, "displayed_text": "so it goes"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    "record",
    [
        {"user": "ann", "instance_id": 4, "displayed_text": "x", "tone:::sad": None, "tone:::wry": "true"},
        {"user_id": "ann", "instance_id": 4, "displayed_text": "x", "tone.sad": None, "tone.wry": "wry"},
        {"user_id": "ann", "instance_id": 4, "displayed_text": "x", "labels": {"tone": {"wry": True}}, "spans": {}},
        {"user_id": "ann", "instance_id": 4, "displayed_text": "x", "labels": {"tone": {"select-one": "wry"}}},
        {"user_id": "ann", "instance_id": 4, "displayed_text": "x",
         "labels": {"tone": {"wry": "wry", "free_response": "hm"}}},
    ],
)  # fmt: skip
def test_potato_tables_and_version_2_read_the_same(record):
    row = {"item": 4, "annotator": "ann", "label": "wry", "displayed_text": "x"}
    assert read("potato", [record]).table.to_pylist() == [row]


@pytest.mark.parametrize(("ending", "mark"), [("csv", ","), ("tsv", "\t")])
def test_potato_tables_are_told_by_their_columns(tmp_path, ending, mark):
    """annotated_instances.csv of a Potato project: one column per scheme and label, "true" where ticked."""
    lines = [
        "user,instance_id,displayed_text,tone:::sad,tone:::wry,topic:::rain",
        "ann,4,x,,true,true",
        "bo,4,x,true,,",
    ]
    path = tmp_path / f"annotated_instances.{ending}"
    path.write_text("\n".join(lines).replace(",", mark) + "\n")
    said = []
    votes = files.read(path, question="tone", say=said.append)
    assert votes.items.tolist() == [4] and votes.annotators.tolist() == ["ann", "bo"]
    assert votes.classes == ("sad", "wry") and votes.choice.tolist() == [1, 0]
    assert any("format = potato" in notice for notice in said)
    assert files.read(path, format="potato", question="tone", say=said.append) == votes
    with pytest.raises(ValueError, match=r"holds the questions \['tone', 'topic'\]"):
        files.read(path)
    with pytest.raises(ValueError, match=f"picks one out of an export, and this is {ending}"):
        files.read(path, format=ending, question="tone")


def test_potato_version_2_tables_are_read_when_asked_for(tmp_path):
    path = tmp_path / "annotations.csv"
    path.write_text("instance_id,user_id,tone.sad,tone.wry\n4,ann,,wry\n")
    assert files.read(path, format="potato").classes == ("wry",)


def test_prodigy_choice_votes_for_the_accepted_option_and_counts_the_rest():
    ignored = {**CHOICE, "answer": "ignore", "accept": []}
    rejected = {**CHOICE, "answer": "reject"}
    empty = {**CHOICE, "accept": []}
    answers = read("prodigy", [CHOICE, ignored, rejected, empty])
    row = answers.table.to_pylist()[0]
    assert (row["item"], row["annotator"], row["label"]) == (-12, "db-ann", "wry")
    assert row["_timestamp"] == 1700000000 and row["text"] == "so it goes"
    assert answers.notices == [
        "1 ignored task left out", "1 rejected task left out", "1 task without a choice left out",
    ]  # fmt: skip


def test_prodigy_binary_tasks_vote_accept_or_reject_on_the_label_shown():
    tasks = [
        {"text": "x", "label": label, "answer": answer, "_input_hash": 1, "_session_id": who}
        for label, answer, who in (("RUDE", "accept", "ann"), ("RUDE", "reject", "bo"), ("SPAM", "reject", "bo"))
    ]
    with pytest.raises(ValueError, match=r"\['RUDE', 'SPAM'\]"):
        read("prodigy", tasks)
    table = read("prodigy", tasks, "RUDE").table
    assert table["label"].to_pylist() == ["accept", "reject"] and table["annotator"].to_pylist() == ["ann", "bo"]
    assert table["question"].to_pylist() == ["RUDE", "RUDE"]


@pytest.mark.parametrize(
    "record",
    [
        {"id": 3, "text": "x", "label": ["sad"], "username": "ann"},
        {"id": 3, "text": "x", "label": "sad", "annotator": "ann"},
        {"doc_id": 3, "text": "x", "labels": ["sad"], "username": "ann"},
        {"id": 3, "text": "x", "annotations": [{"label": "sad", "user": "ann"}], "meta": {}},
    ],
)
def test_doccano_records_of_all_ages_read_the_same(record):
    row = {"item": 3, "annotator": "ann", "label": "sad", "text": "x"}
    assert read("doccano", [record]).table.to_pylist() == [row]


def test_doccano_files_of_one_member_name_no_annotator_and_may_hold_unlabelled_texts():
    answers = read("doccano", [DOCCANO, {**DOCCANO, "id": 4, "label": []}])
    assert answers.table.to_pylist() == [{"item": 3, "label": "sad", "text": "so it goes", "split": "a"}]
    assert answers.notices == ["1 record without a label left out"]


def test_lewidi_editions_read_the_same_and_unannotated_items_are_counted():
    older = {**LEWIDI, "annotations": "5,1"}
    for record in (LEWIDI, older):
        answers = read("lewidi", {"1": record, "2": {**record, "annotations": None}})
        assert answers.table.select(["item", "annotator", "label"]).to_pylist() == [
            {"item": 1, "annotator": "Ann1", "label": "5"}, {"item": 1, "annotator": "Ann2", "label": "1"},
        ]  # fmt: skip
        assert json.loads(answers.table["text"][0].as_py()) == LEWIDI["text"]
        assert answers.notices == ["1 item without annotations left out"]


def test_lewidi_answers_of_several_classes_are_refused():
    record = {"annotations": {"Ann1": "yes,maybe"}, "annotators": "Ann1", "soft_label": {"yes": {}, "maybe": {}}}
    with pytest.raises(ValueError, match=r"item '9'.*'Ann1'.*2 choices, \['yes', 'maybe'\], expected one"):
        read("lewidi", {"9": record})
    whole = {**record, "soft_label": {"yes,maybe": 1.0}}
    assert read("lewidi", {"9": whole}).table["label"].to_pylist() == ["yes,maybe"]


def test_cifar10h_of_tensorflow_gives_one_row_per_human_answer_with_its_time():
    answers = read("tfds-cifar10h", [TFDS, {**TFDS, "id": "train_0", "human_labels": [], "annotator_ids": [],
                                            "reaction_times": [], "trial_indices": []}])  # fmt: skip
    assert answers.table.to_pylist() == [
        {"item": "test_00001", "annotator": 3, "label": 8, "seconds": 1.342, "true_label": 8, "trial_index": 0},
        {"item": "test_00001", "annotator": 40, "label": 8, "seconds": 0.9, "true_label": 8, "trial_index": 17},
    ]
    assert answers.notices == ["1 example without human labels left out"]


@pytest.mark.parametrize(
    ("name", "records", "message"),
    [
        ("label-studio", [], r"out\.json: found \[\], expected a list of at least one record"),
        ("label-studio", [TASK, 5], r"out\.json, record 2: the record is 5, expected an object"),
        ("label-studio", [changed(TASK, ("annotations",), None)], r"record 1: annotations is None, expected a list"),
        ("label-studio", [changed(TASK, ("annotations", 0, "result"), {})], r"result is \{\}, expected a list"),
        ("label-studio", [changed(TASK, ("annotations", 0, "result", 0, "value"), {})], "choices is None"),
        ("label-studio", [changed(TASK, ("annotations", 0, "lead_time"), "4s")], "lead_time is '4s', expected a time"),
        ("label-studio", [changed(TASK, ("annotations", 1, "completed_by"), None)], "names no annotator; 1 of 2"),
        (
            "label-studio",
            [changed(TASK, ("annotations", 0, "result", 0, "value", "choices"), ["sad", "wry"])],
            r"record 1: the answer by annotator 1 to item 7 holds 2 choices, \['sad', 'wry'\], expected one.*keep one",
        ),
        ("potato", [changed(POTATO, ("behavioral_data", "time_string"), "long")], "time_string is 'long', expected"),
        ("potato", [changed(POTATO, ("label_annotations", "tone", "wry"), "true")], "2 choices"),
        ("potato", [changed(POTATO, ("id",), None)], "id is None, expected text or a whole number"),
        ("prodigy", [{**CHOICE, "answer": "yes"}], "answer is 'yes', expected 'accept', 'reject' or 'ignore'"),
        ("prodigy", [{**CHOICE, "accept": ["sad", "wry"]}], "annotator 'db-ann' to item -12 holds 2 choices"),
        ("prodigy", [{**CHOICE, "answer": "ignore"}], r"no answer \(1 ignored task left out\)"),
        ("doccano", [{**DOCCANO, "label": ["sad", "wry"]}], "item 3 holds 2 choices"),
        ("doccano", [{**DOCCANO, "label": [[0, 2, "ORG"]]}], "the choice is .*'ORG'.*, expected one class"),
        ("doccano", [{"id": 1, "annotations": [{"label": 1, "user": 1, "start_offset": 0}]}], "not of a span"),
        ("lewidi", [], r"expected an object \{item: record\}"),
        ("lewidi", {"1": {**LEWIDI, "annotations": "1,2,3"}}, "item '1': annotators is 'Ann1,Ann2', expected one name"),
        ("lewidi", {"1": {**LEWIDI, "annotations": 4}}, "annotations is 4, expected names separated by commas"),
        ("tfds-cifar10h", [{**TFDS, "annotator_ids": [3]}], r"annotator_ids is \[3\], expected 2 entries"),
        ("tfds-cifar10h", [{**TFDS, "human_labels": None}], "human_labels is None, expected a list"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_record_and_what_was_expected(name, records, message):
    with pytest.raises(ValueError, match=message):
        read(name, records)


def test_text_that_is_no_unicode_is_named():
    with pytest.raises(ValueError, match=r"column 'text' holds .*ud800.* not valid Unicode"):
        read("doccano", [{**DOCCANO, "text": "\ud800"}])


def test_files_with_one_question_take_no_question():
    for name in ("doccano", "lewidi", "tfds-cifar10h", "prodigy"):
        with pytest.raises(ValueError, match="leave it out"):
            read(name, SAMPLES[name], "tone")


def test_every_format_is_told_from_all_others():
    assert {name: recognise(records) for name, records in SAMPLES.items()} == {name: name for name in EXPORTS}
    assert recognise([FLAT]) == "label-studio"
    assert recognise([{"instance_id": 1, "user": "a", "tone:::sad": "true"}]) == "potato"


@pytest.mark.parametrize(
    "records",
    [
        [], {}, None, "x", [3], {"a": 1},
        [{"item": 1, "annotator": "a", "label": "sad", "text": "x"}],
        [{"id": 1, "label": "sad", "text": "x"}],
        [{"instance_id": 1, "user_id": "a", "label": "sad"}],
        [{"id": 1, "label": [0.25, 0.75]}],
        [{"id": 1, "annotations": [{"class": "sad"}]}],
    ],
)  # fmt: skip
def test_plain_tables_are_no_export(records):
    assert recognise(records) is None


TEXT = st.text(max_size=12)
ITEM = st.one_of(st.lists(st.integers(-(2**40), 2**40), min_size=1), st.lists(TEXT.map("i".__add__), min_size=1))
NAMES = st.one_of(TEXT.map("x".__add__), st.sampled_from(["id", "data.label", "data.data.seconds", "text", "answer"]))
CELLS = [TEXT, st.integers(-(2**62), 2**62), st.floats(-1e9, 1e9), st.booleans(), st.just('{"a": [1, "b"]}')]


@st.composite
def long_tables(draw):
    """Answers, each annotator at most once per item, with times in milliseconds and further columns."""
    items = draw(ITEM)
    whos = draw(st.sampled_from([["ann", "b,o", "ß\n"], [4, 7]]))
    m = draw(st.integers(1, 6))
    pairs = draw(
        st.lists(st.tuples(st.sampled_from(items), st.sampled_from(whos)), min_size=1, max_size=m, unique=True)
    )
    label = draw(st.sampled_from([st.integers(-9, 99), TEXT.filter(bool)]))
    columns = {
        "item": [item for item, _ in pairs],
        "annotator": [who for _, who in pairs],
        "label": [draw(label) for _ in pairs],
    }
    if draw(st.booleans()):
        columns["seconds"] = [draw(st.integers(0, 10**6)) / 1000 for _ in pairs]
    for name in draw(st.lists(NAMES, max_size=3, unique=True)):
        kind = draw(st.sampled_from(CELLS))
        columns[name] = [draw(kind), *(draw(st.one_of(st.none(), kind)) for _ in pairs[1:])]
    return pa.table(columns)


def grouped(table):
    """Rows as formats that hold one record per item give them back: items as they first appear."""
    rows = table.to_pylist()
    first = {row["item"]: number for number, row in reversed(list(enumerate(rows)))}
    return sorted(rows, key=lambda row: first[row["item"]])


@pytest.mark.parametrize("name", EXPORTS)
@settings(max_examples=60, deadline=None)
@given(table=long_tables())
def test_what_is_written_reads_back_the_same(name, table):
    records = json.loads(json.dumps(EXPORTS[name].render(table)))
    assert recognise(records) == name or name == "doccano"  # labels that are numbers are not doccano's
    back = read(name, records).table
    assert set(back.column_names) == set(table.column_names)
    back = back.select(table.column_names)
    assert back.schema.types == table.schema.types
    assert grouped(back) == grouped(table)
    if name in ("potato", "prodigy", "doccano"):
        assert back.to_pylist() == table.to_pylist()


@pytest.mark.parametrize("name", [name for name in EXPORTS if name != "lewidi"])
def test_answers_without_annotators_and_with_repeats_survive(name):
    table = pa.table({"item": ["a", "a", "b"], "label": ["x", "x", "y"], "seconds": [1.5, None, 2.0]})
    back = read(name, json.loads(json.dumps(EXPORTS[name].render(table)))).table
    assert back.select(table.column_names).to_pylist() == table.to_pylist() and "annotator" not in back.column_names


def test_lewidi_cannot_hold_two_answers_by_one_annotator():
    table = pa.table({"item": ["a", "a"], "annotator": ["ann", "ann"], "label": ["x", "y"]})
    with pytest.raises(ValueError, match=r"item 'a' has answers by \['ann', 'ann'\].*write CSV or Parquet"):
        EXPORTS["lewidi"].render(table)


def test_lewidi_refuses_a_class_without_a_name():
    table = pa.table({"item": ["a"], "annotator": ["ann"], "label": [""]})
    with pytest.raises(ValueError, match="item 'a' is the class '', which LeWiDi takes for no answer; name the class"):
        EXPORTS["lewidi"].render(table)
    record = {**LEWIDI, "annotations": {"Ann1": "", "Ann2": "1"}, "soft_label": {"": 0.5, "1": 0.5}}
    with pytest.raises(ValueError, match="the annotation by 'Ann1' is '', expected a class with a name"):
        read("lewidi", {"1": record})


@pytest.mark.parametrize("name", EXPORTS)
def test_an_extra_column_is_not_taken_for_a_role(name, tmp_path):
    votes = Votes.of(["a"], ["x"], ["ann"], extra=pa.table({"seconds": ["soon"]}))
    with pytest.raises(ValueError, match=f"{name} would take the extra column 'seconds' for that of each vote"):
        files.write(votes, tmp_path / "v.json", format=name)


def test_names_that_pandas_uses_are_kept_in_files_of_our_own(tmp_path):
    index = "__index_level_0__"
    votes = Votes.of(["a", "b"], ["x", "y"], extra=pa.table({index: [1, 2]}))
    shares = Distributions(np.full((1, 2), 0.5), ["a"], ("x", index))
    for number, value in enumerate((votes, shares)):
        files.write(value, tmp_path / f"{number}.parquet")
        assert files.read(tmp_path / f"{number}.parquet", say=lambda _: None) == value


def test_frames_that_arrow_cannot_hold_say_what_to_do():
    pandas = pytest.importorskip("pandas")
    sparse = pandas.DataFrame({"item": pandas.arrays.SparseArray([1, 0]), "label": ["x", "y"]})
    large = pandas.DataFrame({"item": pandas.Series([2**70, 1], dtype=object), "label": ["x", "y"]})
    for frame in (sparse, large):
        with pytest.raises(ValueError, match=r"fits no Arrow type .*sparse\.to_dense.*astype\(str\)"):
            files.read(frame)
    with pytest.raises(ValueError, match="a series is one column; expected a frame with items and labels"):
        files.read(pandas.Series(["x"], name="label"))


def test_nested_fields_come_out_as_they_went_in():
    records = EXPORTS["lewidi"].render(read("lewidi", {"1": LEWIDI}).table)
    assert records == {"1": LEWIDI}


@pytest.mark.parametrize("name", EXPORTS)
def test_a_table_without_labels_is_not_written(name):
    with pytest.raises(ValueError, match="needs a column 'label' without gaps"):
        EXPORTS[name].render(pa.table({"item": [1], "annotator": [2]}))


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.sampled_from(["accept", "1,2", ""])
)
KEYS = st.sampled_from(
    sorted({key for sample in (TASK, FLAT, POTATO, CHOICE, DOCCANO, LEWIDI, TFDS) for key in sample})
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(KEYS, st.text(max_size=3)), inner, max_size=4)
    ),
    max_leaves=12,
)


def paths(value, way=()):
    """Every place in a JSON value but the root."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in inside:
        yield (*way, step)
        yield from paths(inner, (*way, step))


def only_value_errors(name, records):
    assert recognise(records) in (None, *EXPORTS)
    try:
        table = read(name, records).table
    except ValueError as error:
        assert "out.json" in str(error)
    else:
        assert table.num_rows and {"item", "label"} <= set(table.column_names)


@pytest.mark.parametrize("name", EXPORTS)
@settings(max_examples=80, deadline=None)
@given(records=st.one_of(JSON, st.lists(st.dictionaries(KEYS, JSON, max_size=6), max_size=3)))
def test_any_json_is_read_or_refused_with_a_value_error(name, records):
    only_value_errors(name, records)


@pytest.mark.parametrize("sample", [*SAMPLES.items(), ("label-studio", [FLAT])], ids=lambda sample: str(sample[0]))
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_a_record_with_one_value_changed_is_read_or_refused_with_a_value_error(sample, data):
    name, records = sample
    path = data.draw(st.sampled_from(list(paths(records))))
    only_value_errors(name, changed(records, path, data.draw(JSON)))

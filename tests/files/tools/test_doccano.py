"""doccano: exports of all ages."""

from __future__ import annotations

import pytest

from tests.facts import refuses
from tests.files.notices import state_each
from tests.files.tools.samples import DOCCANO, parse


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
    assert parse("doccano", [record]).table.to_pylist() == [row]


def test_doccano_files_of_one_member_have_no_annotator_and_may_have_unlabelled_texts():
    answers = parse("doccano", [DOCCANO, {**DOCCANO, "id": 4, "label": []}])
    assert answers.table.to_pylist() == [{"item": 3, "label": "sad", "text": "so it goes", "split": "a"}]
    assert state_each(answers.notices, ("1 record", "label", "left out"))


def test_text_that_is_not_valid_unicode_is_named():
    with refuses("out.json", "column 'text'", repr("\ud800"), "not valid Unicode"):
        parse("doccano", [{**DOCCANO, "text": "\ud800"}])

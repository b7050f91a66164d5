"""doccano: exports of all ages."""

from __future__ import annotations

import pytest

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


def test_doccano_files_of_one_member_name_no_annotator_and_may_hold_unlabelled_texts():
    answers = parse("doccano", [DOCCANO, {**DOCCANO, "id": 4, "label": []}])
    assert answers.table.to_pylist() == [{"item": 3, "label": "sad", "text": "so it goes", "split": "a"}]
    assert answers.notices == ["1 record without a label left out"]


def test_text_that_is_no_unicode_is_named():
    with pytest.raises(ValueError, match=r"column 'text' has .*ud800.* not valid Unicode"):
        parse("doccano", [{**DOCCANO, "text": "\ud800"}])

"""Prodigy: choice tasks and binary tasks."""

from __future__ import annotations

from tests.facts import refuses
from tests.files.notices import state_each
from tests.files.tools.samples import CHOICE, parse


def test_prodigy_choice_votes_for_the_accepted_option_and_counts_the_rest():
    ignored = {**CHOICE, "answer": "ignore", "accept": []}
    rejected = {**CHOICE, "answer": "reject"}
    empty = {**CHOICE, "accept": []}
    answers = parse("prodigy", [CHOICE, ignored, rejected, empty])
    row = answers.table.to_pylist()[0]
    assert (row["item"], row["annotator"], row["label"]) == (-12, "db-ann", "wry")
    assert row["_timestamp"] == 1700000000 and row["text"] == "so it goes"
    assert state_each(answers.notices, ("1 ignored", "left out"), ("1 rejected", "left out"), ("1 task", "a choice"))


def test_prodigy_binary_tasks_vote_accept_or_reject_on_the_label_shown():
    tasks = [
        {"text": "x", "label": label, "answer": answer, "_input_hash": 1, "_session_id": who}
        for label, answer, who in (("RUDE", "accept", "ann"), ("RUDE", "reject", "bo"), ("SPAM", "reject", "bo"))
    ]
    with refuses(["RUDE", "SPAM"], place="out.json", ways={"question": ...}):
        parse("prodigy", tasks)
    table = parse("prodigy", tasks, "RUDE").table
    assert table["label"].to_pylist() == ["accept", "reject"] and table["annotator"].to_pylist() == ["ann", "bo"]
    assert table["question"].to_pylist() == ["RUDE", "RUDE"]

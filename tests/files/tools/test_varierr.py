"""VariErr NLI: several labels from one annotator, and labels that annotators withdrew in the second round."""

from __future__ import annotations

import json

import pytest

from dissensus import read
from tests.facts import refuses
from tests.files.notices import state_each
from tests.files.refusals import quiet
from tests.files.tools.samples import VARIERR, changed, parse


def counted(votes):
    return dict(zip(votes.classes, votes.counts()[0].tolist(), strict=True))


@pytest.mark.parametrize(
    ("question", "field"),
    [(None, "label_count_round_1"), ("round 1", "label_count_round_1"), ("round 2", "label_count_round_2")],
)
def test_one_vote_each_gives_the_counts_that_the_file_states(question, field, tmp_path):
    (tmp_path / "varierr.jsonl").write_text(json.dumps(VARIERR))
    votes = read(tmp_path / "varierr.jsonl", question=question, several="votes", say=quiet)
    assert counted(votes) == {label: count for label, count in VARIERR[field].items() if count}


def test_the_released_file_is_lines_under_the_name_of_a_document(tmp_path):
    path = tmp_path / "varierr.json"
    path.write_text(json.dumps(VARIERR) + "\n" + json.dumps({**VARIERR, "id": "976n"}) + "\n")
    beliefs = read(path, format="varierr", several="beliefs", say=quiet)
    assert beliefs.items.tolist() == ["975e", "976n"] and beliefs.classes == ("entailment", "neutral")
    assert beliefs.stated[:3].tolist() == [[0.5, 0.5], [1, 0], [0, 1]]  # annotators 0, 1 and 2
    with refuses(path, "not valid JSON", "line 2", ".jsonl"):
        read(path)


def test_unknown_and_withdrawn_answers_are_counted():
    unknown = ("1 answer", "'I don't know'", "left out")
    assert state_each(parse("varierr", [VARIERR]).notices, unknown)
    assert state_each(parse("varierr", [VARIERR], "round 2").notices, unknown, ("1 label", "round 2", "left out"))


def test_reasons_stay_with_their_answer():
    assert parse("varierr", [VARIERR]).table["reasons"].to_pylist() == [
        "entailment: goes | neutral: may stop",
        "entailment: on and on",
        "neutral: who knows",
    ]


def test_another_round_and_a_wrong_value_are_refused():
    with refuses("'round 3'", "round 1", "round 2", place="out.json"):
        parse("varierr", [VARIERR], "round 3")
    with refuses("out.json, record 1", "self_corrected is 'no'", "true or false"):
        parse("varierr", [changed(VARIERR, ("neutral", 0, "self_corrected"), "no")])

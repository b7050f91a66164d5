"""Every kind of question with practice and attention, from `init` to the export, on a real server."""

from __future__ import annotations

import json

import pytest

from dissensus import read
from dissensus.elicit.dashboard.annotator_table import annotator_rows
from dissensus.elicit.export import answer_table
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.rehearsal.report import rehearse
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.session import current_page, submit
from dissensus.elicit.survey_run import open_survey
from tests.elicit.questions.test_attention import uncommented
from tests.elicit.rehearsal.test_rehearse import dissensus
from tests.elicit.surveys import TIMES, write_survey


@pytest.mark.usefixtures("forked_servers")
@pytest.mark.parametrize("kind", QUESTIONS)
def test_from_init_to_raw_answers_and_labels(kind, tmp_path):
    folder, raw, labels = tmp_path / "survey", tmp_path / "raw.jsonl", tmp_path / "labels.parquet"
    dissensus("elicit", "init", folder, "--kind", kind, "--per-person", 4, "--per-item", 2)
    uncommented(folder)
    dissensus("elicit", "check", folder)
    facts = json.loads(dissensus("elicit", "rehearse", folder, "--annotators", 3, "--at-once", 3, "--json"))
    assert (facts["answers"], facts["errors"], facts["lost"], facts["twice"]) == (18, 0, 0, 0), facts
    assert facts["finished"] == 3
    dissensus("elicit", "export", folder, "--db", facts["database"], "-o", raw)
    rows = [json.loads(line) for line in raw.read_text().splitlines()]
    entry = QUESTIONS[kind]
    for trial_kind, example in (("practice", entry.example_practice), ("attention", entry.example_attention)):
        mine = [row for row in rows if row["kind"] == trial_kind]
        assert len(mine) == 3 and {tuple(row["items"]) for row in mine} == {example.items}
        assert all(sorted(row["shown"]) == sorted(example.items) for row in mine)
    assert [row["passed"] for row in rows if row["kind"] == "attention"] == [True] * 3
    assert {row["passed"] for row in rows if row["kind"] != "attention"} == {None}
    if not entry.labels_items:
        return
    dissensus("elicit", "export", folder, "--db", facts["database"], "--labels", "-o", labels)
    assert read(labels).n_answers == 12
    assert not {*entry.example_practice.items, *entry.example_attention.items} & set(read(labels).items.tolist())


FAILING = {
    "choose": {"choice": "9"},
    "top-two": {"first": "9", "first_percent": 90, "second": "0", "second_percent": 5, "ruled_out": []},
    "sliders": {"values": {str(digit): 0.5 for digit in range(10)}},
    "allocate": {"percents": {"0": 50, "9": 50}},
    "tokens": {"tokens": {"0": 10, "9": 10}},
    "typicality": {"value": 0.1},
    "similarity": {"value": 3},
}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_annotators_who_fail_checks_are_flagged_on_the_dashboard_and_in_the_export(kind, tmp_path):
    dissensus("elicit", "init", tmp_path / "survey", "--kind", kind, "--per-person", 2)
    folder = uncommented(tmp_path / "survey")
    entry, checked = QUESTIONS[kind], {True: "passes", False: "fails"}
    with open_survey(folder) as run:
        for careful in checked:
            me = arrive(run, {})
            page = current_page(run, me)
            while page["stage"] not in ("debrief", "done"):
                answer = {"agreed": True} if page["stage"] == "consent" else {}
                if page["page"].startswith("trial:"):
                    answer = entry.example if careful else FAILING.get(kind, entry.example)
                    check = next(iter(run.survey.attention))
                    last = given(run, page)
                    if set(last) == set(check.items):
                        right = entry.attention.obvious(run.survey.question, check.answer, last)
                        other = {"closer": "second" if right.get("closer") == "first" else "first"}
                        answer = right if careful else FAILING.get(kind, other)
                page = submit(run, me, {"page": page["page"], "answer": answer, "times": TIMES})["page"]
        by_checks = {(row["checks"], row["checks_right"]): row["flags"] for row in annotator_rows(run)}
        judged = [row["passed"] for row in answer_table(run).to_pylist() if row["kind"] == "attention"]
    assert by_checks.keys() == {(1, 1), (1, 0)} and judged == [True, False]
    assert "0 of 1 " in " ".join(by_checks[1, 0]) and "checks" not in " ".join(by_checks[1, 1])


def given(run, page):
    """The names of the items that a page shows, in their order."""
    from dissensus.elicit.media import media_address

    names = {media_address(run.secret, name, 0): name for name in run.units.items}
    return [names[stimulus["parts"][0]["src"]] for stimulus in page["stimuli"]]


def test_the_short_form_of_attention_is_read_as_before(tmp_path):
    checks = {"p6": "cat", "p7": "ship"}
    short = write_survey(tmp_path / "short", attention=checks, protocol={"attention_every": 2})
    long = write_survey(
        tmp_path / "long",
        protocol={"attention_every": 2},
        attention=[{"item": item, "answer": answer} for item, answer in checks.items()],
    )
    with open_survey(short) as one, open_survey(long) as other:
        assert one.survey.attention == other.survey.attention


def test_a_removed_check_is_not_counted_against_anybody(tmp_path):
    attention = [{"item": "p7", "answer": "cat"}]
    folder = write_survey(tmp_path / "survey", attention=attention, protocol={"per_person": 2, "attention_every": 1})
    with open_survey(folder) as run:
        me = arrive(run, {})
        page = current_page(run, me)
        while page["stage"] == "trial":
            sent = {"page": page["page"], "answer": {"choice": "dog"}, "times": TIMES}
            page = submit(run, me, sent)["page"]
        assert annotator_rows(run)[0]["checks"] == 1
    write_survey(tmp_path / "survey", protocol={"per_person": 2})
    with open_survey(folder) as run:
        (row,) = annotator_rows(run)
        assert (row["checks"], row["flags"]) == (0, [])
        assert {row["passed"] for row in answer_table(run).to_pylist()} == {None}


@pytest.mark.usefixtures("forked_servers")
def test_simulated_people_tell_hypotheses_apart_that_stand_below_one_premise(tmp_path):
    folder = write_survey(tmp_path / "survey", items="items.csv", protocol={"per_person": 3, "per_item": 40})
    (folder / "items.csv").write_text(
        "item,premise,hypothesis\n" + "".join(f"i{i},It rains.,{i} .\n" for i in range(3))
    )
    facts = rehearse(folder, annotators=40, at_once=8, seed=1)
    assert facts["errors"] == 0 and facts["answers"] == 120
    # Where all three were taken for one item, two of them would be answered by the truth of the third.
    assert facts["distance_to_truth"] < 3 * facts["expected_from_sampling"]

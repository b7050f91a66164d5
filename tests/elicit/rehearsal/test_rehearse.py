"""From init to aggregate, as a researcher would: the distributions that come out are those that were put in."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from dissensus import read
from dissensus.cli.main import app
from dissensus.elicit.dashboard.data import DashboardData
from dissensus.elicit.export import answer_table, labels_of
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.rehearsal.report import items_by_stimulus, rehearse
from dissensus.elicit.rehearsal.simulated_people import send_people, simulate_truth
from dissensus.elicit.survey_run import open_survey
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.votes import Votes
from tests.elicit.servers import background_server
from tests.elicit.surveys import write_survey, write_survey_of
from tests.facts import refuses


def dissensus(*args):
    done = CliRunner().invoke(app, [*map(str, args)])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_init_rehearse_export_describe_build(tmp_path):
    survey = tmp_path / "survey"
    dissensus("elicit", "init", survey, "--kind", "choose", "--per-item", 30, "--per-person", 24)
    assert json.loads(dissensus("elicit", "check", survey, "--json"))["answers_wanted"] == 720
    rehearsed = json.loads(dissensus("elicit", "rehearse", survey, "--annotators", 30, "--json"))
    assert [rehearsed[name] for name in ("answers", "errors", "lost", "twice")] == [720, 0, 0, 0]
    # Mean total variation of 24 items with 30 votes each: its own spread is about a tenth of it.
    assert rehearsed["distance_to_truth"] == pytest.approx(rehearsed["expected_from_sampling"], rel=0.35)
    db = ("--db", rehearsed["database"])
    dissensus("elicit", "export", survey, *db, "--labels", "-o", tmp_path / "votes.parquet")
    dissensus("elicit", "export", survey, *db, "-o", tmp_path / "raw.jsonl")
    assert len((tmp_path / "raw.jsonl").read_text().splitlines()) == 720
    facts = json.loads(dissensus("describe", tmp_path / "votes.parquet", "--json"))
    assert (facts["items"], facts["annotators"], facts["answers"]) == (24, 30, 720)
    dissensus("aggregate", tmp_path / "votes.parquet", "-o", tmp_path / "built.parquet")
    built = read(tmp_path / "built.parquet")
    run = open_survey(survey, rehearsed["database"])
    places = {name: place for place, name in enumerate(run.units.items)}
    truth = simulate_truth(run.survey, 24, seed=0)[[places[name] for name in built.items.tolist()]]
    run.store.close()
    assert np.abs(built.probs - truth).sum(axis=1).mean() / 2 == pytest.approx(rehearsed["distance_to_truth"])
    status = json.loads(dissensus("elicit", "status", survey, *db, "--json"))
    assert status["share"] == 1.0 and status["stages"] == {"done": 30}


@pytest.mark.usefixtures("forked_servers")
@pytest.mark.parametrize("kind", QUESTIONS)
def test_every_kind_can_be_rehearsed_exported_and_watched(kind, tmp_path):
    folder = write_survey_of(kind, tmp_path / "survey", protocol={"per_person": 8, "per_item": 12})
    facts = rehearse(folder, annotators=12, at_once=6, seed=3)
    assert (facts["answers"], facts["errors"], facts["lost"], facts["twice"]) == (96, 0, 0, 0)
    with open_survey(folder, facts["database"]) as run:
        assert answer_table(run).num_rows == 96 and DashboardData(run).now({})["status"]["answers"] == 96
        if QUESTIONS[kind].labels_items:
            assert labels_of(run).n_answers == 96
    if QUESTIONS[kind].gives == "belief":
        # Each person holds Dirichlet(30 truth): twelve of them average to well within 0.1 of it.
        assert facts["distance_to_truth"] < 0.1
    assert ("distance_to_truth" in facts) == QUESTIONS[kind].pools


def test_exported_answers_equal_those_given(tmp_path, database):
    folder = write_survey(
        tmp_path / "survey",
        question={"kind": "top-two", "classes": ["a", "b", "c"]},
        protocol={"per_person": 5, "per_item": 4, "repeats": 2, "attention_every": 2},
        attention={"p7": "a"},
        people={"source": "prolific"},
    )
    run = open_survey(folder, database)
    truth = simulate_truth(run.survey, 8, seed=1)
    with background_server(folder, database) as address:
        done = send_people(run.survey, items_by_stimulus(run), truth, address, 4, 1, at_once=4)
    table = answer_table(run)
    assert not done.errors and sorted(done.acknowledged) == sorted(table.column("trial").to_pylist())
    kinds = table.column("kind").to_pylist()
    assert (kinds.count("main"), kinds.count("repeat"), kinds.count("attention")) == (20, 8, 4)
    beliefs = labels_of(run)
    assert isinstance(beliefs, Beliefs) and beliefs.n_answers == 20 and beliefs.seconds.min() > 0
    rows = [row for row in table.to_pylist() if row["kind"] == "main"]
    for row, stated, named in zip(rows, beliefs.stated, beliefs.named, strict=True):
        answer = json.loads(row["answer"])
        first = beliefs.classes.index(answer["first"])
        assert stated[first] == answer["first_percent"] / 100 and named[0] == first
        assert sorted(row["classes_shown"]) == ["a", "b", "c"]
    assert labels_of(run, trial_kinds=("main", "repeat")).n_answers == 28
    run.store.close()


def test_similarities_and_triplets_are_exported_raw_only(tmp_path):
    folder = write_survey(
        tmp_path / "survey", question={"kind": "similarity"}, protocol={"per_person": 3, "per_item": 1}
    )
    run = open_survey(folder)
    with background_server(folder, None) as address:
        send_people(run.survey, items_by_stimulus(run), simulate_truth(run.survey, 8, 0), address, 2, 0, at_once=2)
    rows = answer_table(run).to_pylist()
    assert len(rows) == 6 and all(
        len(row["items"]) == 2 and sorted(row["shown"]) == sorted(row["items"]) for row in rows
    )
    with refuses("similarity", "ratings"):
        labels_of(run)
    run.store.close()


def test_typicality_is_the_probability_of_the_class_it_is_about(tmp_path):
    folder = write_survey(tmp_path / "survey", question={"kind": "typicality"}, items="items.csv")
    (folder / "items.csv").write_text(
        "item,text,class\n" + "".join(f"i{i},t{i},{'cat' if i % 2 else 'dog'}\n" for i in range(4))
    )
    run = open_survey(folder)
    with background_server(folder, None) as address:
        send_people(run.survey, items_by_stimulus(run), simulate_truth(run.survey, 4, 0), address, 3, 0, at_once=1)
    beliefs = labels_of(run)
    assert beliefs.classes == ("cat", "dog") and (~np.isnan(beliefs.stated)).sum(axis=1).tolist() == [1] * 12
    run.store.close()


def test_votes_carry_annotators_items_and_times(tmp_path):
    folder = write_survey(tmp_path / "survey")
    run = open_survey(folder)
    with pytest.raises(ValueError, match="no answers yet"):
        labels_of(run)
    with background_server(folder, None) as address:
        send_people(run.survey, items_by_stimulus(run), simulate_truth(run.survey, 8, 0), address, 2, 0, at_once=2)
    votes = labels_of(run)
    assert isinstance(votes, Votes) and votes.annotators.size == 2 and votes.per_annotator.tolist() == [4, 4]
    run.store.close()


def test_people_in_real_time_take_the_time_that_they_report(tmp_path):
    folder = write_survey(tmp_path / "survey", protocol={"per_person": 2})
    # With this seed all three come early and none of them thinks for long, but for half a second at least.
    facts = rehearse(folder, None, annotators=3, at_once=3, workers=1, seed=16319, real_time=True)
    assert facts["answers"] == 6 and facts["lost"] == facts["errors"] == 0
    run = open_survey(folder, facts["database"])
    by_person = {}
    for row in sorted(answer_table(run).to_pylist(), key=lambda row: row["received"]):
        by_person.setdefault(row["annotator"], []).append(row)
    run.store.close()
    for first, second in by_person.values():
        assert second["received"] - first["received"] >= second["seconds"]


@pytest.mark.usefixtures("forked_servers")
def test_a_rehearsal_never_writes_into_a_database_with_answers(tmp_path, postgres):
    """Without --db it has a file of its own, made anew each time."""
    database = postgres()
    folder = write_survey(tmp_path / "survey")
    rehearse(folder, database, annotators=1, at_once=1, workers=1, seed=0)
    with pytest.raises(ValueError, match="has answers already"):
        rehearse(folder, database, annotators=1, at_once=1, workers=1, seed=0)


@pytest.mark.usefixtures("forked_servers")
def test_simulated_people_see_what_is_obvious(tmp_path):
    """Attention items are answered as expected, so that a rehearsal flags nobody for them."""
    from dissensus.elicit.dashboard.annotator_table import annotator_rows

    folder = write_survey(
        tmp_path / "survey",
        protocol={"per_person": 4, "per_item": 4, "attention_every": 2},
        attention={"p6": "cat", "p7": "ship"},
    )
    facts = rehearse(folder, None, annotators=3, at_once=3, workers=1, seed=0)
    run = open_survey(folder, facts["database"])
    rows = annotator_rows(run)
    run.store.close()
    assert [(row["checks"], row["checks_right"]) for row in rows] == [(2, 2)] * 3

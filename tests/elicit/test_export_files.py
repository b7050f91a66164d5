"""What a survey gives out: labels that `read` gives back, and raw answers that it does not take for labels."""

from __future__ import annotations

import io
import json

import pandas as pd
import pyarrow.parquet as parquet
import pytest
from typer.testing import CliRunner

from dissensus import count_votes, read
from dissensus.cli.main import app
from dissensus.elicit.dashboard import decisions
from dissensus.elicit.dashboard.watch import read_now
from dissensus.elicit.export import PEOPLE, SCHEMA, answer_table, labels_of, people_table
from dissensus.elicit.export_files import EXPORTS, FORMATS, write_labels, write_table
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.rehearsal.report import items_by_stimulus
from dissensus.elicit.rehearsal.simulated_people import send_people, simulate_truth
from dissensus.elicit.survey_run import open_survey
from dissensus.files.tables import survey_exports
from tests.elicit.servers import background_server
from tests.elicit.surveys import write_survey_of
from tests.facts import missing_facts, refuses, states

LABELS = ("`dissensus elicit export FOLDER --labels -o labels.parquet`",)
NO_LABELS = ("pairs or triplets", "not labels")


@pytest.fixture(scope="module", params=QUESTIONS)
def answered(request, tmp_path_factory):
    """A survey of each kind, with repeated trials, that six simulated people answered; one of them was excluded."""
    folder = write_survey_of(
        request.param, tmp_path_factory.mktemp("survey"), protocol={"per_person": 4, "per_item": 3, "repeats": 1}
    )
    with open_survey(folder) as run:
        truth = simulate_truth(run.survey, len(run.units.items), 5)
        with background_server(folder, None) as address:
            sent = send_people(run.survey, items_by_stimulus(run), truth, address, 6, 5, at_once=3)
        assert not sent.errors
        somebody = people_table(run).column("annotator")[0].as_py()
        decisions.exclude(run, decisions.find_person(run, somebody), "in a hurry")
        yield request.param, run


def test_raw_answers_are_refused_with_the_command_that_gives_labels(answered, tmp_path):
    kind, run = answered
    facts = LABELS if QUESTIONS[kind].labels_items else NO_LABELS
    for ending in FORMATS:
        path = tmp_path / f"raw.{ending}"
        write_table(run, "answers", path)
        for options in ({}, {"format": ending}, {"label": "answer"}, {"layout": "votes", "where": {"kind": "main"}}):
            with refuses(f"raw.{ending}", "raw answers", *facts):
                read(path, **options)
    with refuses("raw answers", *facts):
        read(pd.read_csv(tmp_path / "raw.csv"))
    with pytest.raises(ValueError, match="raw answers"):
        count_votes(tmp_path / "raw.parquet")


def test_labels_are_read_as_the_survey_gives_them(answered, tmp_path):
    kind, run = answered
    if not QUESTIONS[kind].labels_items:
        return
    labels = labels_of(run)
    rows = answer_table(run).to_pylist()
    assert labels.n_answers == sum(row["kind"] == "main" and not row["excluded"] for row in rows) < len(rows) - 6
    for ending in (*FORMATS, "json", "arrow", "tsv"):
        said = []
        write_labels(run, tmp_path / f"labels.{ending}", say=said.append)
        again = {"classes": list(labels.classes)} if any("classes" in notice for notice in said) else {}
        assert read(tmp_path / f"labels.{ending}", say=lambda _: None, **again) == labels, ending
    downloaded = parquet.read_table(io.BytesIO(FORMATS["parquet"].as_bytes(EXPORTS["labels"].table(run))))
    assert read(downloaded, say=lambda _: None) == labels


def test_every_answer_is_parsed_once(answered, tmp_path, monkeypatch):
    """For labels, for the dashboard and for an export from the command line; raw answers are not parsed at all."""
    kind, run = answered
    stored = [row["answer"] for row in answer_table(run).to_pylist()]
    parsed, parse = [], json.loads

    def count(text, *args, **options):
        parsed.append(text)
        return parse(text, *args, **options)

    monkeypatch.setattr(json, "loads", count)

    def answers_parsed(work):
        parsed.clear()
        work()
        return sum(text in set(stored) for text in parsed)

    assert answers_parsed(lambda: read_now(run)) == len(stored)
    assert answers_parsed(lambda: answer_table(run)) == 0
    if not QUESTIONS[kind].labels_items:
        return
    n = labels_of(run).n_answers
    assert answers_parsed(lambda: labels_of(run)) == n
    command = ["elicit", "export", str(run.survey.folder), "--labels", "-o", str(tmp_path / "labels.parquet")]
    assert answers_parsed(lambda: CliRunner().invoke(app, command)) == n
    assert read(tmp_path / "labels.parquet", say=lambda _: None).n_answers == n


def test_people_are_not_labels(answered, tmp_path):
    _, run = answered
    for ending in FORMATS:
        write_table(run, "people", tmp_path / f"people.{ending}")
        with refuses(f"people.{ending}", "people", *LABELS):
            read(tmp_path / f"people.{ending}")


def test_a_label_column_added_to_raw_answers_is_read(answered, tmp_path):
    _, run = answered
    write_table(run, "answers", tmp_path / "raw.csv")
    frame = pd.read_csv(tmp_path / "raw.csv").assign(verdict="fine")
    assert read(frame, label="verdict", repeats="keep", say=lambda _: None).classes == ("fine",)


@pytest.mark.parametrize("verb", [["describe"], ["aggregate", "-o", "out.parquet"], ["convert", "out.parquet"]])
def test_every_verb_names_the_command(answered, verb, tmp_path, monkeypatch):
    kind, run = answered
    monkeypatch.chdir(tmp_path)
    write_table(run, "answers", tmp_path / "raw.csv")
    done = CliRunner().invoke(app, [verb[0], "raw.csv", *verb[1:]])
    assert done.exit_code == 2 and not (tmp_path / "out.parquet").exists()
    assert states(done.stderr, "raw.csv", "raw answers")
    assert (not missing_facts(done.stderr, *LABELS)) == QUESTIONS[kind].labels_items


def test_the_tables_are_known_by_columns_that_they_have():
    assert set(SCHEMA.names) >= survey_exports.ANSWERS and set(PEOPLE.names) >= survey_exports.PEOPLE

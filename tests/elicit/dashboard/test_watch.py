"""What the dashboard shows of each item is what `aggregate` makes of the labels that the survey exports."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus import read
from dissensus.aggregate import aggregate_labels
from dissensus.elicit.dashboard import decisions
from dissensus.elicit.dashboard.disputed import summarise_items
from dissensus.elicit.dashboard.watch import Watch, read_now
from dissensus.elicit.export_files import write_labels
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.session import current_page, submit
from dissensus.elicit.survey_run import open_survey
from tests.elicit.surveys import CLASSES, TIMES, question_of, write_survey

POOLED = [kind for kind, entry in QUESTIONS.items() if entry.pools]
SURE = {"first": "cat", "first_percent": 100, "second": "dog", "second_percent": 0, "ruled_out": []}
UNSURE = {"first": "cat", "first_percent": 80, "second": None, "second_percent": None, "ruled_out": []}
TURNED = {"first": "dog", "first_percent": 0, "second": "cat", "second_percent": 100, "ruled_out": []}


@pytest.fixture
def survey(tmp_path):
    """Function that opens a survey of this kind about these classes, whose eight items everybody judges."""
    running = []

    def open_it(kind, classes):
        folder = write_survey(
            tmp_path / "survey", question=question_of(kind, classes), protocol={"per_person": 8, "per_item": 9}
        )
        running.append(open_survey(folder))
        return running[-1]

    yield open_it
    for run in running:
        run.store.close()


def come(run, answer):
    """Somebody who answers everything; answer() is what they say next."""
    me = arrive(run, {})
    page = current_page(run, me)
    while page["stage"] == "trial":
        page = submit(run, me, {"page": page["page"], "answer": answer(), "times": TIMES})["page"]
    return me


def shown(run, watch):
    """The distribution of each item on the dashboard, by its name."""
    items = summarise_items(watch)
    return {run.names[unit][0]: row.tolist() for unit, row in zip(items.unit.tolist(), items.probs, strict=True)}


def aggregated(run, path):
    """The distribution of each item that `aggregate` makes of the exported file, by its name."""
    write_labels(run, path)
    made = aggregate_labels(read(path)).distributions
    columns = [made.classes.index(name) for name in run.survey.question.classes]
    return {str(name): row[columns].tolist() for name, row in zip(made.items, made.probs, strict=True)}


def alike(distributions, others):
    assert distributions.keys() == others.keys()
    return all(np.allclose(distributions[name], others[name]) for name in others)


@pytest.mark.parametrize("classes", [CLASSES[:2], CLASSES], ids=["two classes", "three classes"])
@pytest.mark.parametrize("kind", POOLED)
def test_the_dashboard_and_aggregate_agree_about_every_item(survey, tmp_path, kind, classes):
    run, rng = survey(kind, classes), np.random.default_rng(0)
    for _ in range(4):
        truth = rng.dirichlet(np.ones(len(classes)))
        come(run, lambda truth=truth: QUESTIONS[kind].simulate(run.survey.question, truth, rng))
    there = shown(run, read_now(run))
    assert len(there) == 8 and alike(there, aggregated(run, tmp_path / "labels.csv"))


def test_a_class_to_which_everybody_gave_zero_percent_has_none_on_the_dashboard(survey, tmp_path):
    run = survey("top-two", CLASSES[:2])
    come(run, lambda: SURE)
    come(run, lambda: TURNED)
    there = shown(run, read_now(run))
    assert all(row == [1, 0] for row in there.values()) and alike(there, aggregated(run, tmp_path / "labels.csv"))


def test_one_answer_that_leaves_a_class_unsaid_changes_both_alike_until_its_author_is_excluded(survey, tmp_path):
    """With a gap all answers are completed by t2-clamp: 100 percent leave 0.1 for the other class, 80 leave 0.2."""
    run = survey("top-two", CLASSES[:2])
    watch = Watch(run)
    come(run, lambda: SURE)
    come(run, lambda: SURE)
    watch.read()
    assert all(row == [1, 0] for row in shown(run, watch).values())
    unsure = come(run, lambda: UNSURE)
    watch.read()
    assert all(np.allclose(row, [2.6 / 3, 0.4 / 3]) for row in shown(run, watch).values())
    assert alike(shown(run, watch), aggregated(run, tmp_path / "with.csv"))
    decisions.exclude(run, unsure, "in a hurry")
    watch.read()
    assert all(np.allclose(row, [1, 0]) for row in shown(run, watch).values())
    assert alike(shown(run, watch), aggregated(run, tmp_path / "without.csv"))

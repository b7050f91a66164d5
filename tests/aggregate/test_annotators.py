"""The annotator report on simulated people whose skill, leaning and confidence are known."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

from dissensus import Beliefs, Votes, write
from dissensus.aggregate.annotators import annotator_report
from dissensus.aggregate.annotators_page import answer_about_annotators, describe_annotators
from dissensus.cli.main import app
from dissensus.labels.simulate import simulate_beliefs, simulate_one_coin, simulate_truth, simulate_votes
from dissensus.labels.transforms import one_hot
from dissensus.report.html import html_page
from tests.facts import refuses, states

RNG = np.random.default_rng(0)
TRUTH = one_hot(RNG.integers(0, 3, 400), np.arange(400), ("cat", "dog", "cow"))
SKILLS = np.linspace(0.5, 0.95, 10)


def test_skill_is_found_and_ranks_people_as_they_are():
    votes = simulate_votes(TRUTH, 6, 10, np.random.default_rng(1), confusion=simulate_one_coin(SKILLS, 3)).votes
    report = annotator_report(votes)
    assert np.corrcoef(report.skill, SKILLS)[0, 1] > 0.97
    assert np.abs(report.skill - SKILLS).max() < 0.1
    assert np.corrcoef(report.agreement, SKILLS)[0, 1] > 0.95


def test_a_leaning_is_seen_and_leanings_sum_to_nothing():
    confusion = simulate_one_coin(np.full(8, 0.9), 3)
    confusion[0] = [[0.9, 0.0, 0.1], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]]  # calls many dogs cows
    votes = simulate_votes(TRUTH, 5, 8, np.random.default_rng(2), confusion=confusion).votes
    report = annotator_report(votes)
    lean, amount = report.leaning(0)
    assert lean == "cow" and amount > 0.1
    assert np.allclose(report.bias.sum(axis=1), 0) and np.abs(report.bias[1:]).max() < amount


def test_confidence_is_compared_with_what_others_say():
    truth = simulate_truth(300, 3, np.random.default_rng(3), 3.0)
    beliefs = simulate_beliefs(truth, 6, 12, np.random.default_rng(4), top=None)
    report = annotator_report(beliefs)
    assert report.overconfidence is not None and np.abs(report.overconfidence).mean() < 0.2
    assert annotator_report(beliefs.first_choices()).overconfidence is None


def test_confidence_is_not_confirmed_by_ones_own_second_answer():
    """Ann says cat at 80 % twice and bo says dog at 60 %: nobody else confirms either."""
    beliefs = Beliefs(
        item=np.zeros(3, dtype=np.int32),
        items=np.array(["x"]),
        annotator=np.array([0, 0, 1]),
        annotators=np.array(["ann", "bo"]),
        classes=("cat", "dog"),
        stated=np.array([[0.8, 0.2], [0.8, 0.2], [0.4, 0.6]]),
        ruled_out=np.zeros((3, 2), dtype=bool),
        named=np.empty((3, 0), dtype=np.int32),
    )
    report = annotator_report(beliefs)
    assert report.overconfidence is not None and np.allclose(report.overconfidence, [0.8, 0.6])


def test_times_are_medians_and_missing_where_nobody_took_them():
    timed = simulate_votes(TRUTH, 4, 6, np.random.default_rng(5), skill=0.8, seconds=3.0).votes
    assert np.nanmedian(annotator_report(timed).seconds) == pytest.approx(3.0, rel=0.3)
    untimed = simulate_votes(TRUTH, 4, 6, np.random.default_rng(5), skill=0.8).votes
    assert annotator_report(untimed).as_rows()[0]["seconds"] is None


def test_people_with_few_answers_are_listed_apart_and_never_ranked():
    votes = simulate_votes(TRUTH, 4, 6, np.random.default_rng(6), skill=0.8).votes
    names = [f"person {a}" for a in votes.annotator]
    more = Votes.of([*votes.item, 0, 1, 2, 3], [*votes.choice, *(2 - votes.choice[:4])], [*names, *["newcomer"] * 4])
    report = annotator_report(more)
    assert "newcomer" not in report.annotators[report.rank()] and report.rank().size == 6
    assert report.annotators[report.rank(at_least=4)].size == 7
    assert [row["annotator"] for row in report.as_rows() if not row["ranked"]] == ["newcomer"]
    skill = report.skill[report.rank()]
    assert np.array_equal(skill, np.sort(skill))
    stated = [float(share) / 100 for share in re.findall(r"(\d+)%", answer_about_annotators(report))]
    assert stated == pytest.approx([np.median(skill), skill.min(), skill.max()], abs=0.005)
    first, few = describe_annotators(report, "t").sections
    everyone = first.blocks[1]
    assert [row.cells[0] for row in everyone.blocks[0].lines] == [str(report.annotators[a]) for a in report.rank()]
    assert [row.cells[0] for row in few.blocks[-1].lines] == ["newcomer"] and few.folded
    assert "1 annotator" in few.blocks[0].text and "fewer than 5 answers" in few.blocks[0].text


def test_nobody_is_ranked_where_all_gave_few_answers(tmp_path):
    votes = Votes.of(["x", "x", "y", "y"], ["cat", "dog", "cat", "cat"], ["ann", "bo", "ann", "bo"])
    write(votes, tmp_path / "few.csv")
    text = cli("annotators", tmp_path / "few.csv").stdout
    assert "lowest skill" not in text and states(text, "2 annotators", "fewer than 5")


def test_counts_have_no_annotators():
    with refuses("annotator"):
        annotator_report(Votes.of(["x"], ["cat"]))


def test_the_page_is_well_formed_and_escapes_names():
    votes = Votes.of(["x", "x", "y", "y"], ["<b>", "&", "&", "&"], ["<i>", "bo", "<i>", "bo"])
    page = html_page(describe_annotators(annotator_report(votes), "<t>"))
    ElementTree.fromstring(page.removeprefix("<!doctype html>"))
    assert "<i>" not in page and "&lt;i&gt;" in page


def cli(*arguments, code: int = 0) -> Result:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == code, done.output
    return done


@pytest.fixture
def file(tmp_path):
    write(simulate_votes(TRUTH, 4, 6, np.random.default_rng(6), skill=0.8).votes, tmp_path / "votes.parquet")
    return tmp_path / "votes.parquet"


def test_the_verbs_write_and_tell(file, tmp_path):
    done = json.loads(
        cli("aggregate", file, "--method", "dawid-skene", "-o", tmp_path / "out.parquet", "--json").stdout
    )
    assert done["method"] == "dawid-skene" and done["items"] == 400 and done["converged"] is True
    people = cli("annotators", file, "--json", "--html", tmp_path / "people.html").stdout
    assert len(json.loads(people)) == 6 and (tmp_path / "people.html").read_text().startswith("<!doctype html>")
    facts = dict(line.split(maxsplit=1) for line in cli("annotators", file).stdout.splitlines()[3:5])
    assert {name: value.strip() for name, value in facts.items()} == {"annotators": "6", "answers": "1,600"}


def test_the_verbs_refuse_in_one_line(file, tmp_path):
    wrong = cli("aggregate", file, "--method", "vote", "-o", tmp_path / "out.parquet", code=2)
    assert "unknown method 'vote'" in wrong.stderr and len(wrong.stderr.splitlines()) == 1
    assert not (tmp_path / "out.parquet").exists()
    cli("aggregate", file, "-o", tmp_path / "out.parquet")
    counted = cli("annotators", tmp_path / "out.parquet", code=2)
    assert states(counted.stderr, "out.parquet", "row per answer")

"""Labels and agreement as documents: the answer has the numbers of the agreement module."""

from __future__ import annotations

import html
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.aggregate.agreement import krippendorff_alpha, observed_agreement
from dissensus.aggregate.agreement_page import describe_agreement
from dissensus.aggregate.agreement_summary import agreement_report, alpha_summary
from dissensus.aggregate.labels_page import describe_labels
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.simulate import simulate_truth, simulate_votes
from dissensus.labels.summary import summarise
from dissensus.labels.votes import Votes
from dissensus.report.html import html_page
from dissensus.report.latex import latex_tables
from dissensus.report.markdown import markdown_page
from tests.facts import refuses, states


def described(labels):
    return describe_labels(summarise(labels), "x", alpha_summary(labels, np.random.default_rng(0), replicates=10))


def percentages(text: str) -> list[float]:
    return [float(number) / 100 for number in re.findall(r"(\d+)%", text)]


@given(st.integers(2, 20), st.integers(2, 15), st.integers(0, 2**32 - 1))
def test_the_answer_has_the_observed_agreement_and_every_renderer_takes_the_page(n, k, seed):
    rng = np.random.default_rng(seed)
    votes = simulate_votes(simulate_truth(n, k, rng), 3, 5, rng).votes
    document = described(votes)
    unanimous = (votes.counts().max(axis=1) == 3).mean()
    assert percentages(document.answer) == pytest.approx([observed_agreement(votes), unanimous], abs=0.0051)
    ElementTree.fromstring(html_page(document).removeprefix("<!doctype html>"))
    assert markdown_page(document) and latex_tables(document) and json.dumps(document.as_json())


def test_the_second_largest_class_is_left_out_for_two_classes():
    two = Votes.of(["x", "x", "y", "y"], ["a", "b", "a", "a"], ["p", "q", "p", "q"])
    three = Votes.of(["x", "x", "y", "y"], ["a", "b", "a", "c"], ["p", "q", "p", "q"])
    names = [{name for name, _ in described(votes).facts} for votes in (two, three)]
    (extra,) = names[1] - names[0]
    assert states(extra, "top 2 classes") and not names[0] - names[1]


def test_without_pairs_of_answers_the_page_says_so():
    single = described(Votes.of(["x", "y"], ["a", "b"], ["p", "q"]))
    assert not percentages(single.answer) and "two answers" in single.answer
    model = described(Distributions(np.array([[1.0, 0.0], [0.5, 0.5]]), np.arange(2), ("a", "b")))
    assert percentages(model.answer) == [0.75, 0.5]
    with refuses("no item", "answer"):
        described(Votes.of(["x"], ["a"], ["p"]).select(answers=[]))


def test_the_page_of_agreement_has_every_measure_and_class():
    rng = np.random.default_rng(3)
    votes = simulate_votes(simulate_truth(30, 3, rng), 4, 9, rng).votes
    report = agreement_report(votes, rng, replicates=10)
    document = describe_agreement(report, "x")
    assert percentages(document.answer)[0] == pytest.approx(observed_agreement(votes), abs=0.0051)
    assert f"alpha is {krippendorff_alpha(votes):.2f}" in document.answer
    figures, (measures, classes) = (section.blocks for section in document.sections)
    specific = [f">{interval.value:.3f}<" for interval in report.classes.specific]
    assert len(figures) == 2 and all(number in figures[1].drawing for number in specific)
    assert [row.cells[1] for row in measures.blocks[0].lines] == list(report.measures.values())
    assert [row.cells[0] for row in classes.blocks[1].lines] == list(votes.classes)


def test_the_answer_about_beliefs_is_about_first_choices():
    votes = Votes.of(["x", "x", "y", "y"], ["cat", "cat", "dog", "cat"], ["ann", "bo", "ann", "bo"])
    assert described(Beliefs.of_votes(votes)).answer.count("first choice") == 2
    assert percentages(described(Beliefs.of_votes(votes)).answer) == percentages(described(votes).answer)
    assert "first choice" not in described(votes).answer


def test_no_item_is_listed_as_disputed_if_all_answers_agree():
    votes = Votes.of(["x", "x", "y", "y"], ["cat", "cat", "dog", "dog"], ["ann", "bo", "ann", "bo"])
    text = markdown_page(described(votes))
    assert "cat 100%" not in text and "dog 100%" not in text


def test_only_items_whose_answers_differ_are_listed_as_disputed_and_all_annotators_are_listed():
    people = [f"p{a}" for a in range(14)]
    items, names = [item for item in "uvwxyz" for _ in people], people * 6
    votes = Votes.of(
        items, ["dog" if item == "x" and who == "p0" else "cat" for item, who in zip(items, names, strict=True)], names
    )
    disputed, annotators = described(votes).sections[-1].blocks
    assert [row.cells[0] for row in disputed.blocks[0].lines] == ["x"] and disputed.blocks[0].note == ""
    table = annotators.blocks[1]
    assert {row.cells[0] for row in table.lines} == set(people) and table.shown == 10


def test_agreement_on_the_only_class_is_not_judged_by_a_threshold():
    votes = Votes.of(["x", "x", "y", "y"], ["cat"] * 4, ["ann", "bo", "ann", "bo"])
    report = agreement_report(votes, np.random.default_rng(0), replicates=20)
    page = describe_agreement(report, "v")
    assert percentages(page.answer) == [1] and "0.8" not in page.answer
    assert report.notices and all(html.escape(notice) in html_page(page) for notice in report.notices)

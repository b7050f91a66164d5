"""What `describe` computes and how values show themselves."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus import Distributions, Votes, summarise
from dissensus.aggregate.labels_page import describe_labels
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.simulate import simulate_beliefs, simulate_truth, simulate_votes
from dissensus.labels.summary import median_seconds
from dissensus.report.html import html_page
from dissensus.report.labels_card import labels_card
from tests.facts import refuses, states

VOTES = Votes.of(
    ["a", "a", "a", "b", "b", "c"],
    ["cat", "cat", "dog", "dog", "dog", "cat"],
    ["ann", "bo", "cy", "ann", "bo", "cy"],
    seconds=np.array([1.0, 2.0, 3.0, 5.0, np.nan, 9.0]),
)


def test_the_facts_of_a_small_set_counted_by_hand():
    facts = summarise(VOTES).as_json()
    assert facts["items"] == 3 and facts["annotators"] == 3 and facts["answers"] == 6
    assert facts["answers_per_item"] == {"min": 1, "mean": 2.0, "max": 3}
    split = -(2 / 3 * np.log2(2 / 3) + 1 / 3 * np.log2(1 / 3))
    assert facts["entropy"]["mean"] == pytest.approx(split / 3)
    assert facts["entropy"]["sd"] == pytest.approx(np.std([split, 0, 0]))
    assert facts["top_two_mass"]["mean"] == 1 and facts["median_seconds"] == 3
    assert facts["most_disputed"][0]["item"] == "a"


def few_and_many() -> Votes:
    """ann, bo and cy answer ten items; dee answers one, alone against all, and eve ten that nobody else saw."""
    shared = [(f"i{i}", who, "cat" if (i + place) % 3 else "dog") for i in range(10) for place, who in enumerate("abc")]
    alone = [("i0", "dee", "cow"), *((f"own{i}", "eve", "cow") for i in range(10))]
    item, who, label = zip(*shared, *alone, strict=True)
    return Votes.of(item, label, who)


def test_people_with_few_answers_to_compare_are_counted_and_not_ranked():
    summary = summarise(few_and_many())
    assert summary.annotators is not None and summary.annotator_agreement is not None
    assert sorted(summary.annotators[summary.rank_annotators()]) == ["a", "b", "c"]
    assert summary.annotators[summary.rank_annotators(at_least=1)][0] == "dee"  # who would come first for one answer
    facts = summary.as_json()["per_annotator"]
    assert facts["with_too_few_answers"] == 2 and facts["agreement_with_others"]["min"] > 0
    text, table = describe_labels(summary, "votes").sections[-1].blocks[-1].blocks
    assert states(text.text, "2 annotators", "5 answers")
    assert sorted(row.cells[0] for row in table.lines) == ["a", "b", "c"]
    (nobody,) = describe_labels(summarise(VOTES), "votes").sections[-1].blocks[-1].blocks
    assert states(nobody.text, "3 annotators", "5 answers")


def test_items_exactly_as_disputed_as_the_last_are_counted():
    """Splits over other classes have the same entropy, even where adding them up in another order does not say so."""
    said = {"a": "xxy", "b": "yyz", "c": "zzx", "d": "xyz", "e": "xxx"}
    rows = [(item, label) for item, labels in said.items() for label in labels]
    summary = summarise(Votes.of([item for item, _ in rows], [label for _, label in rows]))
    assert summary.distributions.items[summary.most_disputed(2)].tolist() == ["d", "a"]
    assert [summary.count_ties(count) for count in (1, 2, 3, 4, 5, 9)] == [0, 2, 1, 0, 0, 0]
    assert summary.as_json(disputed=2)["equally_disputed_not_listed"] == 2
    many = summarise(Votes.of(np.repeat(np.arange(30), 2), ["x", "y"] * 30))
    table = describe_labels(many, "votes").sections[-1].blocks[0].blocks[0]
    assert len(table.lines) == 10 and table.note.startswith("20 more items ")


def test_two_people_are_compared_on_the_same_item_and_nobody_with_themselves():
    """Against a loop over all ordered pairs of different votes, each item weighing the same."""
    rng = np.random.default_rng(1)
    votes = simulate_votes(simulate_truth(30, 3, rng), 4, 9, rng).votes
    pairs = np.zeros((3, 3))
    for item in range(30):
        said = votes.choice[votes.item == item]
        for i in range(said.size):
            for j in range(said.size):
                if i != j:
                    pairs[said[i], said[j]] += 1
    assert np.allclose(summarise(votes).between_people(), pairs / pairs.sum(axis=1, keepdims=True))
    assert summarise(Votes.of(["x"] * 3, ["cat"] * 3, classes=["cat", "dog"])).between_people().tolist() == [
        [1, 0],
        [0, 0],
    ]


def test_median_seconds_equal_numpy_for_every_annotator():
    rng = np.random.default_rng(0)
    who, seconds = rng.integers(0, 30, 400), rng.exponential(size=400)
    seconds[rng.random(400) < 0.2] = np.nan
    seconds[who == 3] = np.nan
    votes = Votes(
        item=np.zeros(400, dtype=int),
        items=["x"],
        choice=np.zeros(400, dtype=int),
        classes=("c",),
        annotator=who,
        annotators=np.arange(31),
        seconds=seconds,
    )
    found = median_seconds(votes)
    for a in range(31):
        told = seconds[(who == a) & ~np.isnan(seconds)]
        assert np.array_equal(found[a], np.median(told) if told.size else np.nan, equal_nan=True)


def test_items_without_answers_are_counted_apart():
    summary = summarise(VOTES.select(answers=[0, 1]))
    assert summary.unanswered == 2 and summary.distributions.items.tolist() == ["a"]
    assert "2 items without answers" in str(summarise(VOTES.select(answers=[0, 1])))


def test_an_answer_that_cannot_be_completed_is_counted_and_does_not_stop_the_rest():
    """A first choice without a probability: the summary shows the rest, describe says how many were left out."""
    beliefs = Beliefs.of_votes(Votes.of(["a", "a", "b"], ["cat", "dog", "cat"], ["ann", "bo", "ann"]))
    stated = beliefs.stated.copy()
    stated[1] = np.nan
    partial = replace(beliefs, stated=stated)
    assert states(str(summarise(partial)), "1 answers left out")
    facts = summarise(partial).as_json()
    assert facts["answers_not_completed"] == 1 and facts["answers"] == 2 and facts["items"] == 2


def test_labels_without_answers_are_reported_and_refused():
    nothing = VOTES.select(answers=[])
    assert states(str(summarise(nothing)), "no item", "answer")
    with refuses("no item", "answer", "nothing to describe"):
        summarise(nothing).as_json()


def test_predictions_have_neither_answers_nor_annotators():
    facts = summarise(Distributions(np.full((2, 4), 0.25), np.arange(2), tuple("abcd"))).as_json()
    assert facts["answers"] is None and facts["annotators"] is None and facts["entropy"] == {"mean": 1.0, "sd": 0.0}


def test_beliefs_show_disagreement_between_and_within_people():
    rng = np.random.default_rng(0)
    beliefs = simulate_beliefs(simulate_truth(40, 5, rng), 4, 12, rng)
    facts = summarise(beliefs).as_json()
    assert facts["kind"] == "beliefs" and 0 < facts["entropy_within_answers"]["mean"] < facts["entropy"]["mean"]
    sliders = simulate_beliefs(simulate_truth(40, 5, rng), 4, 12, rng, top=None)
    assert summarise(sliders).entropy.shape == (40,)


@given(st.integers(1, 30), st.integers(2, 15), st.integers(0, 2**32 - 1))
def test_any_set_has_a_text_and_a_well_formed_picture(n, k, seed):
    rng = np.random.default_rng(seed)
    votes = simulate_votes(simulate_truth(n, k, rng), 3, 5, rng).votes
    assert f"{votes.n_answers:,} votes" in repr(votes) and f"{votes.n_answers:,} answers" in str(summarise(votes))
    view = labels_card(votes)
    ElementTree.fromstring(view)
    assert view.count("<svg role=") == 2 and "aria-label" in view


def test_a_repr_has_sizes_and_computes_nothing():
    """A debugger prints every value it meets; with 20 million votes nobody waits for an entropy."""
    sizes = repr(VOTES).splitlines()[0].split(" · ")
    assert sizes == ["Votes: 6 votes", "3 items", "3 annotators", "2 classes"]
    assert repr(Distributions(np.full((2, 4), 0.25), np.arange(2), tuple("abcd"))).splitlines() == [
        "Distributions: 2 items · 4 classes",
        "  classes: a, b, c, d",
    ]


def test_a_notebook_shows_the_card_with_figures():
    assert VOTES._repr_html_() == labels_card(VOTES)


def test_names_are_escaped_in_html():
    wicked = Votes.of(["<script>alert(1)</script>"] * 2, ['"><b>', "x & y"], ["<i>", "&"])
    page = html_page(describe_labels(summarise(wicked), "<title>"))
    assert "<script>alert" not in page and "<b>" not in page and "&lt;script&gt;" in page
    ElementTree.fromstring(page.removeprefix("<!doctype html>"))


def test_the_page_fetches_nothing_from_elsewhere():
    page = html_page(describe_labels(summarise(VOTES), "votes")).replace("http://www.w3.org/2000/svg", "")
    assert "http" not in page and "src=" not in page and 'lang="en"' in page

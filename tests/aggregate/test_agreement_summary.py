"""The report on agreement: which measures it holds, what it says about them, and what it leaves out aloud."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dissensus.aggregate.agreement import AGREEMENTS, alpha_of_values, krippendorff_alpha
from dissensus.aggregate.agreement_by_class import class_kappa
from dissensus.aggregate.agreement_summary import agreement_report, alpha_summary
from dissensus.aggregate.agreement_words import word_agreement
from dissensus.aggregate.pairwise import pairwise_agreement
from dissensus.datasets import load
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.simulate import simulate_truth, simulate_votes
from dissensus.labels.votes import Votes
from tests.aggregate.test_agreement import PUBLISHED, slow_alpha, votes_of
from tests.facts import missing_facts, refuses, states


def seeded() -> np.random.Generator:
    return np.random.default_rng(0)


def test_the_published_example_has_every_measure_with_its_interval_and_a_sentence():
    """Krippendorff (2011), sec. C and E; the pairs by pairwise_agreement."""
    report = agreement_report(votes_of(PUBLISHED), seeded(), replicates=200)
    assert set(report.measures) == set(AGREEMENTS)
    for level, alpha in (("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)):
        interval = report.measures[f"{level} alpha"]
        assert interval.value == pytest.approx(alpha, abs=5e-4) == pytest.approx(slow_alpha(PUBLISHED, level), abs=5e-4)
        assert interval.low < interval.value <= interval.high
    assert report.items == 11 and report.answers == 40  # the twelfth unit has one value
    assert states(report.readings()["nominal alpha"], "26%")
    facts = report.pair_facts()
    kappa = pairwise_agreement(votes_of(PUBLISHED)).kappa
    assert facts is not None and facts["pairs"] == 6 and facts["median_kappa"] == pytest.approx(np.median(kappa))
    assert facts["lowest"]["kappa"] == pytest.approx(kappa.min())
    by_class = [interval.value for interval in report.classes.kappa]
    assert by_class == pytest.approx(class_kappa(votes_of(PUBLISHED)).tolist())


def test_levels_follow_the_classes_and_what_the_user_says():
    rng = seeded()
    named = Votes.of([0, 0, 1, 1, 2, 2], ["bad", "fair", "good", "good", "bad", "bad"], classes=["bad", "fair", "good"])
    assert "ordinal alpha" not in agreement_report(named, rng, replicates=10).measures
    told = agreement_report(named, rng, ordered=True, replicates=10).measures
    assert told["ordinal alpha"].value == pytest.approx(alpha_of_values(named.item, named.choice, "ordinal"))
    assert "interval alpha" not in told
    grades = load("anesthesia").labels
    unordered = agreement_report(grades, rng, ordered=False, replicates=10)
    assert list(unordered.measures) == ["nominal alpha", "fleiss kappa", "observed agreement"]
    assert any(not missing_facts(notice, "90 answers", "repeat") for notice in unordered.notices)


def test_counts_do_for_all_but_pairs_of_annotators():
    rng = seeded()
    votes = simulate_votes(simulate_truth(60, 3, rng), 4, 9, rng).votes
    counted = Distributions.from_counts(votes.counts())
    people, counts = (
        agreement_report(votes, seeded(), replicates=20),
        agreement_report(counted, seeded(), replicates=20),
    )
    assert counts.measures == people.measures and counts.classes.specific == people.classes.specific
    assert counts.pairs is None and people.pairs is not None and counts.as_json()["pairs_of_annotators"] is None
    with refuses("number of votes"):
        agreement_report(Distributions(np.full((2, 2), 0.5), np.arange(2), ("a", "b")), rng)


def test_few_annotators_are_left_out_in_turn_and_it_is_said():
    votes = votes_of(PUBLISHED)
    (notice,) = agreement_report(votes, seeded(), over="annotators", replicates=10).notices
    assert states(notice, "4 annotators", "10 or more")
    assert agreement_report(votes, seeded(), replicates=10).notices == ()
    listed = replace(votes, annotators=np.arange(100))
    assert agreement_report(listed, seeded(), over="annotators", replicates=10).notices == (notice,)


def counted(rarer: int, items: int) -> Distributions:
    """Items of four votes, of which so many have one vote outside the commonest class."""
    return Distributions.from_counts([[1, 3, 0]] * rarer + [[0, 4, 0]] * (items - rarer), classes=("a", "b", "c"))


def test_where_one_class_dominates_few_items_with_another_answer_make_intervals_wide_and_it_is_said():
    for rarer in (12, 39, 1):
        votes = counted(rarer, 150)
        summary = alpha_summary(votes, seeded(), replicates=10)
        assert summary is not None
        for notices in (agreement_report(votes, seeded(), replicates=10).notices, summary.notices):
            assert any(not missing_facts(notice, f"only {rarer} of 150 items", "other than 'b'") for notice in notices)
    assert agreement_report(counted(40, 150), seeded(), replicates=10).notices == ()
    assert agreement_report(counted(10, 20), seeded(), replicates=10).notices == ()  # no class dominates
    alone = Distributions.from_counts([[1, 3], [0, 1], [1, 0]] + [[0, 4]] * 9, classes=("a", "b"))
    assert (
        "only 1 of 10 items" in agreement_report(alone, seeded(), replicates=10).notices[-1]
    )  # with two votes or more
    by_people = Votes.of([*range(30)] * 3, ["b"] * 89 + ["a"], [who for who in "xyz" for _ in range(30)])
    assert not any(
        each.startswith("only ") for each in agreement_report(by_people, seeded(), over="annotators").notices
    )


@pytest.mark.parametrize(("items", "votes", "few"), [(150, 2, True), (1000, 4, False)])
def test_intervals_hold_the_truth_where_that_notice_is_given_and_where_it_is_not(items, votes, few):
    """Percentiles held it in less than 75 of 100 crowds of 150 items: what is not there cannot be drawn again.

    True shares of three classes are Dirichlet(8, 0.1, 0.1), of which the moments give the true alpha."""
    rng = np.random.default_rng(1)
    weight = np.array([8, 0.1, 0.1])
    mean, total = weight / weight.sum(), weight.sum()
    alike = ((mean * (1 - mean) / (total + 1)) + mean**2).sum()  # two votes on an item are the same
    alpha = 1 - (1 - alike) / (1 - (mean**2).sum())
    held, said = [], []
    for _ in range(60):
        crowd = Distributions.from_counts(rng.multinomial(votes, rng.dirichlet(weight, items)), classes=("a", "b", "c"))
        summary = alpha_summary(crowd, rng, replicates=200)
        assert summary is not None
        interval = summary.alphas["nominal"]
        held.append(interval.low <= alpha <= interval.high)
        said.append(any(notice.startswith("only ") for notice in summary.notices))
    assert all(said) if few else not any(said)
    assert np.mean(held) > 0.87


def test_beliefs_are_compared_by_their_first_choices_and_it_is_said():
    votes = load("anesthesia").labels
    report = agreement_report(Beliefs.of_votes(votes), seeded(), replicates=20)
    assert report.measures["nominal alpha"].value == krippendorff_alpha(votes)
    assert states(report.notices[0], "first choices", "beliefs")


def test_one_class_alone_says_nothing_and_the_report_says_that():
    same = Votes.of([0, 0, 1, 1], ["yes"] * 4, classes=["yes", "no", "maybe"])
    summary = alpha_summary(same, seeded())
    assert summary is not None and summary.alphas["nominal"].value == 1
    for notices in (agreement_report(same, seeded(), replicates=10).notices, summary.notices):
        assert any(not missing_facts(notice, "every answer", "'yes'", 1, "by convention") for notice in notices)


def test_how_many_resampled_crowds_held_a_single_class_is_said():
    """The chance that none of 100 draws is the one item with another answer is 0.99^100 = 0.366."""
    votes = Distributions.from_counts([[2, 0]] * 99 + [[1, 1]], classes=("a", "b"))
    summary = alpha_summary(votes, seeded(), replicates=1000)
    assert summary is not None
    for notices in (agreement_report(votes, seeded()).notices, summary.notices):
        (said,) = [notice for notice in notices if "bootstrap resamples" in notice]
        assert abs(int(said.split()[1]) - 366) < 60 and said.startswith(f"in {said.split()[1]} of 1,000 ")


def test_alpha_for_describe_is_that_of_the_report_and_absent_where_nothing_can_be_compared():
    grades = load("anesthesia").labels
    summary = alpha_summary(grades, seeded())
    assert summary is not None and list(summary.alphas) == ["nominal", "ordinal"]
    assert summary.alphas["ordinal"].value == krippendorff_alpha(grades, "ordinal")
    assert summary.as_json()["scale"].endswith("numbers, 1 to 4")
    assert alpha_summary(Votes.of([0, 1], ["a", "b"]), seeded()) is None
    assert alpha_summary(Distributions(np.full((2, 2), 0.5), np.arange(2), ("a", "b")), seeded()) is None


def test_a_large_set_goes_without_the_interval_and_it_is_said():
    grades = load("anesthesia").labels
    summary = alpha_summary(grades, seeded(), most_patterns=10)
    assert summary is not None and np.isnan(summary.alphas["nominal"].low)
    assert summary.alphas["nominal"].value == krippendorff_alpha(grades)
    assert summary.as_json()["nominal"]["low"] is None
    assert "18 different patterns" in summary.notices[0]


@pytest.mark.parametrize(
    ("measure", "value", "words"),
    [
        ("observed agreement", 0.73, "two people who answer the same item say the same 73% of the time"),
        ("fleiss kappa", 0.58, "58% of the way from chance"),
        ("fleiss kappa", -0.1, "less often than by chance"),
        ("nominal alpha", 0.9, "at least 0.8"),
        ("ordinal alpha", 0.7, "between 0.667 and 0.8"),
        ("interval alpha", 0.2, "below 0.667"),
    ],
)
def test_readings_are_sentences_about_people(measure, value, words):
    assert words in word_agreement(measure, value)

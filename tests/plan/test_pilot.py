"""Pilots: rates and seconds against known ones, files and their faults."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, gmean
from scipy.stats import t as student

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes
from dissensus.plan.estimates import by_information
from dissensus.plan.information import soft_constraints
from dissensus.plan.measured import apply_measurements
from dissensus.plan.pilot import (
    PilotAnswers,
    rank_options,
    repeat_flip_rate,
    wrong_comparisons,
)
from dissensus.plan.pilot_file import read_pilot
from dissensus.plan.tradeoff import Costs, Preferences
from tests.facts import refuses

rng = np.random.default_rng


def answers(kind: str, seconds: float, wrong: float, m: int = 200, k_hat: int = 1, seed: int = 0) -> PilotAnswers:
    draw = rng(seed)
    return PilotAnswers(kind, k_hat, seconds * draw.lognormal(0, 0.3, m), (draw.random(m) < wrong).astype(float))


def test_rates_and_seconds_come_back_with_their_intervals():
    results = rank_options([answers("hard", 2.0, 0.1), answers("soft", 20.0, 0.2)], 80, 20, Preferences(), rng(0))
    by_name = {entry.name: entry for entry in results}
    hard, soft = by_name["hard"], by_name["soft"]
    assert hard.seconds.low < 2.0 < hard.seconds.high and soft.seconds.low < 20.0 < soft.seconds.high
    assert hard.flip_rate.low < 0.1 < hard.flip_rate.high and soft.flip_rate.low < 0.2 < soft.flip_rate.high
    assert np.isclose(soft.ratio.value, (1 - soft.flip_rate.value) * by_information("soft", 80, 20))
    assert np.isclose(sum(entry.best for entry in results), 1) and results[0].best == max(
        entry.best for entry in results
    )


def test_the_loss_is_the_trade_off_at_the_measured_costs():
    pair = [answers("hard", 2.0, 0.0), answers("soft", 20.0, 0.0)]
    ranked = rank_options(pair, 80, 20, Preferences(beta=2.0), rng(0))
    results = {entry.name: entry for entry in ranked}
    measured = apply_measurements(Preferences(beta=2.0), ranked, 20)
    by_hand = 2.0 * 80 * gmean(pair[1].seconds) / gmean(pair[0].seconds) / (80 * 20) - 1
    assert np.isclose(results["soft"].loss.value, by_hand) and np.isclose(measured.loss("soft", 80, 20), by_hand)
    assert np.isclose(results["hard"].loss.value, measured.loss("hard", 80, 20))


def test_without_hard_labels_the_cheapest_kind_stands_at_its_assumed_cost():
    """Sucholutsky 2023, sec. 5 counts cost in hard labels: sparse labels over 3 of 20 classes are 3 of them, not 1."""
    tried = [
        PilotAnswers("sparse", 3, np.full(9, 9.0), np.full(9, 0.1)),
        PilotAnswers("soft", 1, np.full(9, 30.0), np.full(9, 0.2)),
    ]
    results = {entry.name: entry for entry in rank_options(tried, 80, 20, Preferences(), rng(0), budget=600)}
    sparse, soft = results["sparse (3 classes)"], results["soft"]
    assert sparse.each.value == 3 and soft.each.value == 10 and soft.items == 60  # a hard label takes 3 s
    right = 0.9 * by_information("sparse", 80, 20, 3) / by_information("soft", 80, 20)
    assert np.isclose(sparse.loss.value, 80 * 3 / 1600 - right)
    alone = rank_options(tried[:1], 80, 20, Preferences(Costs(ratio=1.95)), rng(0))[0]
    assert np.isclose(alone.each.value, 1.1)  # 1 + (1.95 - 1) 2/19


def test_few_answers_leave_the_choice_open_and_many_settle_it():
    """Near the tie of hard and soft, beta = gain / extra cost, both as shares of those of soft labels."""
    beta = float(1 - by_information("hard", 80, 20) / by_information("soft", 80, 20)) / (9 / 20)
    for m, least, most in ((4, 0.5, 0.99), (2000, 0.95, 1.0)):
        pair = [answers("hard", 2.0, 0.02, m), answers("soft", 17.0, 0.02, m, seed=1)]
        assert least <= rank_options(pair, 80, 20, Preferences(beta=beta), rng(0))[0].best <= most


def test_errors_that_nobody_measured_are_not_invented():
    silent = PilotAnswers("hard", 1, np.array([1.0, 2.0, 3.0]), np.full(3, np.nan))
    option = rank_options([silent], 80, 20, Preferences(), rng(0))[0]
    assert option.flip_rate is None and option.best == 1
    assert np.isclose(option.ratio.value, by_information("hard", 80, 20))


def test_answers_of_one_person_are_not_independent():
    """Two people who differ widen the interval, however often each answers."""
    seconds = np.concatenate([np.full(50, 1.0), np.full(50, 9.0)])
    alone = PilotAnswers("hard", 1, seconds, np.zeros(100))
    grouped = PilotAnswers("hard", 1, seconds, np.zeros(100), np.repeat(["ann", "bo"], 50))
    widths = []
    for entry in (alone, grouped):
        resampled = [
            rank_options([entry], 80, 20, Preferences(), rng(s), replicates=200)[0].seconds.sd for s in range(3)
        ]
        widths.append(np.mean(resampled))
    assert widths[1] > 0 and widths[1] >= 0.8 * widths[0]


@pytest.mark.parametrize("wrong_count", [0, 3, 20])
def test_independent_answers_have_the_interval_of_clopper_and_pearson(wrong_count):
    wrong = (np.arange(60) < wrong_count).astype(float)
    alone = PilotAnswers("hard", 1, np.ones(60), wrong)
    rate = rank_options([alone], 80, 20, Preferences(), rng(0), replicates=20_000)[0].flip_rate
    low = beta.ppf(0.025, wrong_count, 61 - wrong_count) if wrong_count else 0.0
    expected = [low, beta.ppf(0.975, wrong_count + 1, 60 - wrong_count)]
    assert np.allclose([rate.low, rate.high], expected, atol=0.006) and rate.value == wrong_count / 60


def test_seconds_have_the_interval_of_student_over_people():
    """Four people's medians, midway between two middle answers: 2, 3, 4 and 8 s, 12 answers each."""
    medians = np.array([2.0, 3.0, 4.0, 8.0])
    seconds = np.concatenate([np.repeat([m - 1, m + 1], 6) for m in medians])
    who = np.repeat(["ann", "bo", "cy", "di"], 12)
    tried = PilotAnswers("hard", 1, seconds, np.full(48, np.nan), who)
    option = rank_options([tried], 80, 20, Preferences(), rng(0), replicates=40_000)[0]
    centre, error = np.log(medians).mean(), np.log(medians).std(ddof=1) / 2
    by_hand = np.exp(centre + error * student.ppf([0.025, 0.975], 3))
    assert option.people == 4 and option.seconds.value == pytest.approx(gmean(medians))
    assert np.log([option.seconds.low, option.seconds.high]) == pytest.approx(np.log(by_hand), abs=0.06)


def test_errors_of_few_people_have_the_interval_of_korn_and_graubard():
    """8, 2, 0 and 2 of 20 answers wrong: an effective number of answers, lowered as t(3) is wider than t(79)."""
    wrong = np.concatenate([(np.arange(20) < count).astype(float) for count in (8, 2, 0, 2)])
    tried = PilotAnswers("hard", 1, np.ones(80), wrong, np.repeat(np.arange(4), 20))
    rate = rank_options([tried], 80, 20, Preferences(), rng(0), replicates=40_000)[0].flip_rate
    shares = np.array([0.4, 0.1, 0.0, 0.1])
    trials = 0.15 * 0.85 / (shares.var(ddof=1) / 4) * (student.ppf(0.975, 79) / student.ppf(0.975, 3)) ** 2
    by_hand = [beta.ppf(0.025, 0.15 * trials, 0.85 * trials + 1), beta.ppf(0.975, 0.15 * trials + 1, 0.85 * trials)]
    assert rate.value == pytest.approx(0.15) and np.allclose([rate.low, rate.high], by_hand, atol=0.02)


@pytest.mark.parametrize(("people", "low", "high"), [(4, 0.01, 0.035), (8, 0.015, 0.025)])
def test_everybody_exactly_two_percent_wrong_is_about_two_percent(people, low, high):
    tried = PilotAnswers("soft", 1, np.ones(12 * people), np.full(12 * people, 0.02), np.repeat(np.arange(people), 12))
    rate = rank_options([tried], 80, 20, Preferences(), rng(0))[0].flip_rate
    assert low < rate.low < 0.02 < rate.high < high


def test_one_person_says_nothing_about_others():
    tried = [
        PilotAnswers("hard", 1, np.array([1.0, 3.0]), np.zeros(2), np.array(["ann", "ann"])),
        PilotAnswers("soft", 1, np.array([10.0, 10.0]), np.zeros(2), np.array(["ann", "ann"])),
    ]
    ranked = rank_options(tried, 80, 20, Preferences(), rng(0))
    hard, soft = (next(option for option in ranked if option.kind == kind) for kind in ("hard", "soft"))
    assert hard.seconds.value == 2 and soft.each.value == pytest.approx(5)  # the median of 1 and 3 s is midway
    for option in ranked:
        assert option.people == 1 and option.best == 0.5
        assert [option.seconds.low, option.seconds.high] == [0, np.inf]
        assert [option.flip_rate.low, option.flip_rate.high] == [0, 1]
    assert ranked[0].kind == "soft"  # the lower loss, as far as one person tells


def test_two_people_with_the_same_median_are_not_taken_to_be_alike():
    """Seconds are often whole numbers; how a person's own answers differ says how near medians come by chance."""
    tried = PilotAnswers("hard", 1, np.tile([1.0, 2.0, 4.0], 2), np.full(6, np.nan), np.repeat(["ann", "bo"], 3))
    seconds = rank_options([tried], 80, 20, Preferences(), rng(0))[0].seconds
    assert seconds.value == pytest.approx(2) and seconds.low < 0.5 and seconds.high > 8


def test_errors_known_of_one_person_say_nothing_about_others():
    who = np.repeat(["ann", "bo", "cy"], 4)
    wrong = np.where(who == "ann", 0.25, np.nan)
    option = rank_options([PilotAnswers("hard", 1, 2 + rng(0).random(12), wrong, who)], 80, 20, Preferences(), rng(0))[
        0
    ]
    assert [option.flip_rate.value, option.flip_rate.low, option.flip_rate.high] == [0.25, 0, 1]
    assert 1.5 < option.seconds.low < option.seconds.high < 4


def test_a_column_of_annotators_without_names_counts_answers_as_independent(tmp_path):
    path = tmp_path / "pilot.csv"
    path.write_text("kind,seconds,annotator\nhard,2,\nhard,3,\n")
    assert read_pilot(path)[0].annotator is None


def simulated_pilot(people: int, soft: float, draw: np.random.Generator, answers: int = 8) -> list[PilotAnswers]:
    """People differ in pace by a factor of e^0.8, and a little in what soft labels add to it; 5% of answers wrong."""
    who = np.repeat(np.arange(people), answers)
    pace, habit = draw.normal(0, 0.8, people)[who], draw.normal(0, 0.15, people)[who]
    noise, wrong = draw.normal(0, 0.3, (2, who.size)), (draw.random((2, who.size)) < 0.05).astype(float)
    return [
        PilotAnswers("hard", 1, 2 * np.exp(pace + noise[0]), wrong[0], who),
        PilotAnswers("soft", 1, 2 * soft * np.exp(pace + habit + noise[1]), wrong[1], who),
    ]


@pytest.mark.parametrize("people", [4, 8])
def test_intervals_hold_the_truth_with_few_people(people):
    """The Bayesian bootstrap over annotators covered 78% with four people and 87% with eight."""
    held = np.zeros(4)
    for seed in range(150):
        draw = rng([people, seed])
        ranked = rank_options(simulated_pilot(people, 10.0, draw), 80, 20, Preferences(), draw, replicates=400)
        hard, soft = (next(option for option in ranked if option.kind == kind) for kind in ("hard", "soft"))
        pairs = [(hard.seconds, 2), (soft.seconds, 20), (soft.each, 10), (hard.flip_rate, 0.05)]
        held += [interval.low <= truth <= interval.high for interval, truth in pairs]
    assert (held / 150 > 0.88).all()  # 95% less three standard errors


def test_the_probability_of_being_best_is_calibrated():
    """Soft labels at a random cost around the tie with hard ones: said and true agree, where pace differs widely."""
    tie = 20 * (1 - float(by_information("hard", 80, 20) / by_information("soft", 80, 20))) * 0.95 + 1
    probability, right = [], []
    for seed in range(250):
        draw = rng([7, seed])
        cost = tie * np.exp(draw.normal(0, 0.25))
        ranked = rank_options(simulated_pilot(5, cost, draw), 80, 20, Preferences(), draw, replicates=300)
        probability.append(ranked[0].best)
        right.append(ranked[0].kind == ("soft" if cost < tie else "hard"))
    probability, right = np.array(probability), np.array(right)
    for part in (probability < 0.9, probability >= 0.9):
        assert part.sum() > 40 and abs(probability[part].mean() - right[part].mean()) < 0.1
    assert probability.mean() > 0.8  # and it does not hide behind doubt


def test_labels_that_were_all_wrong_are_not_recommended():
    """Of two people little is known, and labels that tell most might still do so: that is no reason to collect them."""
    who = np.array(["ann", "bo"])
    tried = [
        PilotAnswers(kind, 1, np.ones(2), np.full(2, wrong), who) for kind, wrong in (("soft", 1.0), ("hard", 0.0))
    ]
    ranked = rank_options(tried, 30, 10, Preferences(), rng(0))
    assert [option.kind for option in ranked] == ["hard", "soft"] and ranked[0].loss.value < 0 < ranked[1].loss.value


def test_the_lowest_measured_loss_is_a_better_choice_than_the_most_probable_one_with_few_people():
    """In loss that the truly best kind would have saved, over 100 pilots of two people with costs around the tie."""
    draw, wanted, n, k = rng(7), Preferences(), 80, 20
    kinds = {"hard": 1, "sparse": 5, "soft": 1}
    information = {kind: float(wanted.estimate(kind, n, k, asked)) for kind, asked in kinds.items()}
    who, by_loss, by_probability = np.repeat(np.arange(2), 6), 0.0, 0.0
    for _ in range(100):
        each = {"hard": 1.0, "sparse": 5 * draw.lognormal(0, 0.5), "soft": 12 * draw.lognormal(0, 0.5)}
        flips = {kind: draw.uniform(0.02, 0.4) for kind in kinds}
        true = {
            kind: float(wanted.trade_off(n * each[kind], (1 - flips[kind]) * information[kind], n, k)) for kind in kinds
        }
        pace, tried = draw.lognormal(0, 0.5, 2), []
        for kind, asked in kinds.items():
            seconds = 2 * each[kind] * (pace * draw.lognormal(0, 0.3, 2))[who] * draw.lognormal(0, 0.4, who.size)
            wrong = draw.beta(5 * flips[kind], 5 * (1 - flips[kind]), 2)[who]
            tried.append(PilotAnswers(kind, asked, seconds, wrong, who.astype(str)))
        ranked = rank_options(tried, n, k, wanted, draw, replicates=200)
        by_loss += true[ranked[0].kind] - min(true.values())
        by_probability += true[max(ranked, key=lambda option: option.best).kind] - min(true.values())
    assert by_loss < by_probability, (by_loss, by_probability)


def test_answers_that_are_a_little_wrong_each_have_a_narrow_interval():
    """The mean of 100 shares of sd 0.05 has a standard error of 0.005, as have the intervals."""
    wrong = 0.1 + 0.05 * np.tile([-1.0, 1.0], 50)
    rate = rank_options([PilotAnswers("soft", 1, np.ones(100), wrong)], 80, 20, Preferences(), rng(0))[0].flip_rate
    assert 0.004 < rate.sd < 0.008


def test_a_budget_counts_in_a_pilot():
    """Soft labels win where all can be paid; 60 hard labels buy 6 soft ones of ten times the seconds."""
    pair = [answers("hard", 2.0, 0.0), PilotAnswers("soft", 1, np.full(50, 20.0), np.zeros(50))]
    rich, poor = (
        {entry.name: entry for entry in rank_options(pair, 80, 20, Preferences(beta=0.5), rng(0), budget=budget)}
        for budget in (None, 60)
    )
    assert rich["soft"].best > 0.99 and poor["hard"].best > 0.99
    hard_seconds = poor["hard"].seconds.value
    bought = int(60 * hard_seconds / 20)
    assert np.isclose(poor["soft"].ratio.value, by_information("soft", 80, 20) * soft_constraints(bought, 20) / 78_400)


def test_pairs_within_a_budget():
    entry = PilotAnswers("pairwise", 1, np.full(9, 2.0), np.full(9, np.nan))
    results = rank_options([entry], 80, 20, Preferences(), rng(0), budget=45)[0]  # 45 pairs are those of 10 items
    assert np.isclose(results.ratio.value, 10 * 9 * 8 / 2 / 485_100)


def crowd_of(probs: np.ndarray) -> Distributions:
    return Distributions(probs, np.arange(probs.shape[0]), tuple("abcd"[: probs.shape[1]]))


def test_wrong_comparisons_by_a_slow_loop():
    draw = rng(1)
    reference = crowd_of(draw.dirichlet(np.ones(4), size=5))
    stated = draw.dirichlet(np.ones(4), size=12)
    stated[3, 1] = np.nan
    beliefs = Beliefs(
        item=draw.integers(0, 5, 12),
        items=np.arange(5),
        classes=reference.classes,
        stated=stated,
        ruled_out=np.zeros((12, 4), dtype=bool),
        named=np.zeros((12, 0), dtype=int),
    )
    results = wrong_comparisons(beliefs, reference)
    for row in range(12):
        p, q = stated[row], reference.probs[beliefs.item[row]]
        pairs = [(c, d) for c in range(4) for d in range(4) if p[c] > p[d]]
        assert np.isclose(results[row], np.mean([q[c] < q[d] for c, d in pairs]))


def test_a_vote_for_the_likeliest_class_is_never_wrong():
    reference = crowd_of(np.array([[0.7, 0.2, 0.1], [0.5, 0.5, 0.0]]))
    votes = Votes(item=np.array([0, 0, 1]), items=np.arange(2), choice=np.array([0, 2, 0]), classes=reference.classes)
    assert wrong_comparisons(votes, reference).tolist() == [0.0, 1.0, 0.0]
    with refuses("same items"):
        wrong_comparisons(votes, crowd_of(np.array([[1.0, 0.0, 0.0]])))


def test_repeats_give_the_flip_rate():
    draw = rng(2)
    once, again = (draw.random(200_000) < 0.12 for _ in range(2))
    assert np.isclose(repeat_flip_rate(float((once != again).mean())), 0.12, atol=0.005)
    assert repeat_flip_rate(0.0) == 0 and repeat_flip_rate(0.9) == 0.5
    with pytest.raises(ValueError, match=r"differing is .* 0 to 1"):
        repeat_flip_rate(1.5)


def test_a_file_holds_one_row_per_answer(tmp_path):
    path = tmp_path / "pilot.csv"
    path.write_text(
        "kind,seconds,wrong,k_hat,annotator\nhard,2,0,,ann\nhard,3,,,bo\nsparse,9,0.1,3,ann\n"
        "sparse,8,0.2,3,bo\nsparse,12,0.2,5,bo\nsparse,11,0.3,5,bo\n"
    )
    results = read_pilot(path)
    assert [entry.name for entry in results] == ["hard", "sparse (3 classes)", "sparse (5 classes)"]
    assert results[0].seconds.tolist() == [2, 3] and np.isnan(results[0].wrong[1])
    assert results[1].annotator.tolist() == ["ann", "bo"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind,time\nhard,2\n", "expected also \\['seconds'\\]"),
        ("kind,seconds\n", "no rows"),
        ("kind,seconds\nhard,2\n", "1 answers of kind hard"),
        ("kind,seconds\nhard,2\nhard,0\n", "answer 1 of kind hard took 0"),
        ("kind,seconds\nhard,2\nhard,\n", "took nan seconds"),
        ("kind,seconds,wrong\nhard,2,0\nhard,2,3\n", "wrong = 3; expected 0 to 1"),
        ("kind,seconds\nvague,2\nvague,3\n", "unknown kind of label 'vague'"),
        ("kind,seconds\nsparse,2\nsparse,3\n", "row 1 .* no k_hat"),
        ("kind,seconds,k_hat\nsparse,2,3\nsparse,3,2.5\n", "row 2 .* k_hat 2.5; .* whole number .*1 of 2"),
        ("kind,seconds,k_hat\nsparse,2,inf\nsparse,3,inf\n", "row 1 .* k_hat inf"),
        ("kind,seconds,seconds\nhard,2,3\nhard,3,4\n", "several columns 'seconds'"),
        ("kind,seconds\nhard,two\nhard,three\n", "column 'seconds' .*string; expected numbers"),
        ("kind,seconds,annotator\nhard,2,ann\nhard,3,\n", "row 2 has no annotator; 1 of 2 rows have none"),
    ],
)
def test_faults_of_a_file_are_named(tmp_path, text, message):
    path = tmp_path / "pilot.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_pilot(path)


def test_an_annotator_weighs_the_same_in_every_kind_they_tried():
    """Whoever is slow is slow at both: soft labels take everybody three times as long, so the ratio is certain."""
    who = np.repeat([f"person {i}" for i in range(12)], 5)
    pace = np.repeat(rng(1).lognormal(0, 0.8, 12), 5)
    right = np.zeros(60)
    tried = [PilotAnswers("hard", 1, 2 * pace, right, who), PilotAnswers("soft", 1, 6 * pace, right, who)]
    each = {option.kind: option.each for option in rank_options(tried, 80, 20, Preferences(), rng(0))}["soft"]
    assert [each.value, each.low, each.high] == pytest.approx([3, 3, 3])
    unknown = [PilotAnswers(group.kind, 1, group.seconds, right) for group in tried]
    apart = {option.kind: option.each for option in rank_options(unknown, 80, 20, Preferences(), rng(0))}["soft"]
    others = [tried[0], PilotAnswers("soft", 1, 6 * pace, right, np.char.add(who, " of another crowd"))]
    elsewhere = {option.kind: option.each for option in rank_options(others, 80, 20, Preferences(), rng(0))}["soft"]
    assert apart.low < 2.9 and apart.high > 3.1  # independent answers
    assert elsewhere.low < apart.low and elsewhere.high > apart.high  # independent people, five answers each


def test_empty_and_doubled_pilots_are_refused():
    with pytest.raises(ValueError, match="no answers"):
        rank_options([], 80, 20, Preferences(), rng(0))
    with pytest.raises(ValueError, match="a kind twice"):
        rank_options([answers("hard", 1, 0.1)] * 2, 80, 20, Preferences(), rng(0))
    with refuses("k_hat is 30", "of 20", "1 to k"):
        rank_options([answers("sparse", 1, 0.1, k_hat=30)], 80, 20, Preferences(), rng(0))


def test_what_was_not_tried_keeps_its_assumed_cost():
    wanted = Preferences(Costs(hard=2.0, ratio=10, pair=4.0))
    assert apply_measurements(wanted, [], 20) is wanted
    measured = apply_measurements(wanted, rank_options([answers("hard", 1, 0.1)], 80, 20, wanted, rng(0)), 20)
    assert measured.costs == Costs(ratio=10, pair=2.0)  # in hard labels


def measured_costs(assumed: Costs, k: int, **seconds: float) -> Costs:
    """Costs after a pilot of kinds such as hard, sparse_5 or top_4, all answers of a kind equally long."""
    tried = [
        PilotAnswers(
            name.partition("_")[0].replace("top", "top-class"),
            int(name.partition("_")[2] or 1),
            np.full(5, each),
            np.zeros(5),
        )
        for name, each in seconds.items()
    ]
    wanted = Preferences(assumed)
    return apply_measurements(wanted, rank_options(tried, 80, k, wanted, rng(0)), k).costs


def test_asking_about_more_classes_than_were_tried_is_not_taken_to_be_cheaper():
    """Hard labels take 2 s and sparse ones over 5 of 10 classes 50 s, 25 hard labels where 5 were assumed."""
    costs = measured_costs(Costs(), 10, hard=2.0, sparse_5=50.0)
    assert costs.total("sparse", 1, 10, np.arange(5, 11)) == pytest.approx([25, 30, 35, 40, 45, 50])
    assert float(costs.total("soft", 1, 10)) == pytest.approx(50)
    cheap = measured_costs(Costs(hard=3.0, ratio=19.0), 10, hard=2.0, top_4=7.0)  # 3.5 hard labels, 7 were assumed
    assert float(cheap.total("soft", 1, 10)) == pytest.approx(9.5)
    falling = measured_costs(Costs(), 10, hard=2.0, sparse_3=60.0, sparse_5=10.0)  # 30, then 5 as assumed
    assert float(falling.total("soft", 1, 10)) == pytest.approx(30)
    assert measured_costs(Costs(), 10, sparse_3=9.0).ratio is None  # stands at its assumed cost
    assert measured_costs(Costs(), 10, hard=2.0, sparse_5=50.0, soft=30.0).ratio == pytest.approx(15)  # as measured

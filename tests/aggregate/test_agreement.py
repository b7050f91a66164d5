"""Agreement: published tables, other libraries' numbers, slow loops, and what no reordering may change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.aggregate.agreement import (
    AGREEMENTS,
    agreement_interval,
    agreement_intervals,
    alpha_of_values,
    fleiss_kappa,
    krippendorff_alpha,
    observed_agreement,
    resample_agreement,
)
from dissensus.aggregate.belief_agreement import belief_alpha, belief_alpha_interval, belief_pairs
from dissensus.aggregate.pairwise import pairwise_agreement
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.completion import complete
from dissensus.labels.distances import jensen_shannon, total_variation
from dissensus.labels.distributions import Distributions
from dissensus.labels.simulate import simulate_beliefs, simulate_truth, simulate_votes
from dissensus.labels.votes import Votes
from tests.facts import refuses

GAP = np.nan
# Krippendorff (2011), Computing Krippendorff's alpha-reliability, sec. C: 4 observers, 12 units.
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, GAP, GAP, GAP],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, GAP, 3],
        [GAP, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, GAP],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, GAP],
    ]
)
RANDOM = np.array(
    [
        [5, GAP, 4, 5, 3, 4, 5, 2, GAP],
        [2, 2, 5, 5, 1, 3, 5, 1, GAP],
        [1, 3, 5, GAP, 2, 2, 4, 2, GAP],
        [3, 3, 3, GAP, 3, 3, 5, 5, 4],
        [4, 4, 2, 5, 3, 2, 5, 1, GAP],
    ]
)
CONTINUOUS = np.array([
    [0.27, 0.16, -0.19, -2.52, -0.54, -0.05],
    [0.11, -1.53, -0.48, -0.98, -0.81, 1.06],
    [-0.81, -0.03, 0.88, -0.58, -0.11, 0.11],
])  # fmt: skip
# Fleiss (1971), table 1: 30 patients, 6 psychiatrists, 5 diagnoses.
FLEISS = """
0 0 0 6 0  0 3 0 0 3  0 1 4 0 1  0 0 0 0 6  0 3 0 3 0  2 0 4 0 0  0 0 4 0 2  2 0 3 1 0  2 0 0 4 0  0 0 0 0 6
1 0 0 5 0  1 1 0 4 0  0 3 3 0 0  1 0 0 5 0  0 2 0 3 1  0 0 5 0 1  3 0 0 1 2  5 1 0 0 0  0 2 0 4 0  1 0 2 0 3
0 0 0 0 6  0 1 0 5 0  0 2 0 1 3  2 0 0 4 0  1 0 0 4 1  0 5 0 1 0  4 0 0 0 2  0 2 0 4 0  1 0 5 0 0  0 0 0 0 6
"""


def votes_of(table: np.ndarray) -> Votes:
    who, item = np.nonzero(~np.isnan(table))
    return Votes.of(item, [str(int(v)) for v in table[who, item]], who, classes=list("12345"))


def values_of(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    who, item = np.nonzero(~np.isnan(table))
    return item, table[who, item]


def slow_alpha(table: np.ndarray, level: str) -> float:
    """Krippendorff's definition, pair by pair."""
    units = [column[~np.isnan(column)] for column in table.T]
    units = [unit for unit in units if unit.size > 1]
    every = np.concatenate(units)

    def apart(a: float, b: float) -> float:
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return (a - b) ** 2
        low, high = min(a, b), max(a, b)
        between = ((every >= low) & (every <= high)).sum() - ((every == a).sum() + (every == b).sum()) / 2
        return float(between) ** 2 if a != b else 0.0

    observed = sum(sum(apart(a, b) for a in unit for b in unit) / (unit.size - 1) for unit in units) / every.size
    expected = sum(apart(a, b) for a in every for b in every) / (every.size * (every.size - 1))
    return 1 - observed / expected


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_the_published_example(level, alpha):
    """Krippendorff (2011), sec. C and E."""
    assert krippendorff_alpha(votes_of(PUBLISHED), level) == pytest.approx(alpha, abs=5e-4)
    assert alpha_of_values(*values_of(PUBLISHED), level) == pytest.approx(alpha, abs=5e-4)


@pytest.mark.parametrize(
    ("table", "level", "alpha"),
    [
        (RANDOM, "nominal", 0.1073446327683617),
        (RANDOM, "ordinal", 0.36216961135527914),
        (RANDOM, "interval", 0.3627906976744185),
        (CONTINUOUS, "nominal", -0.013245033112582627),
        (CONTINUOUS, "ordinal", 0.21621854532919682),
        (CONTINUOUS, "interval", 0.22558996953485888),
    ],
)
def test_alpha_of_another_library(table, level, alpha):
    """krippendorff 0.9.0, krippendorff.alpha(reliability_data=table, level_of_measurement=level)."""
    assert alpha_of_values(*values_of(table), level) == pytest.approx(alpha, abs=1e-12)
    assert slow_alpha(table, level) == pytest.approx(alpha, abs=1e-12)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_alpha_equals_the_sum_over_pairs(level, seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 6, (4, 6)).astype(float)
    table[rng.random(table.shape) < 0.2] = np.nan
    table[0, 0], table[1, 0] = 1, 5
    assert krippendorff_alpha(votes_of(table), level) == pytest.approx(slow_alpha(table, level), abs=1e-10)


def test_fleiss_kappa_of_the_published_example():
    """Fleiss (1971): kappa = 0.430, with 26, 26, 30, 55 and 43 assignments to the five diagnoses."""
    table = Distributions.from_counts(np.array(FLEISS.split(), dtype=int).reshape(30, 5))
    assert table.counts().sum(axis=0).tolist() == [26, 26, 30, 55, 43]
    assert fleiss_kappa(table) == pytest.approx(0.430, abs=5e-4)


def test_a_hundred_thousand_items_of_continuous_ratings():
    rng = np.random.default_rng(0)
    value = rng.normal(size=100_000)[:, None] + rng.normal(size=(100_000, 5))
    item = np.repeat(np.arange(100_000), 5)
    assert alpha_of_values(item, value.reshape(-1)) == pytest.approx(0.5, abs=0.01)  # half the variance is the item's
    shifted = alpha_of_values(item, value.reshape(-1) + 1e9)
    assert shifted == pytest.approx(alpha_of_values(item, value.reshape(-1)), abs=1e-6)


@pytest.mark.parametrize("measure", AGREEMENTS)
def test_order_of_items_and_annotators_changes_nothing(measure):
    votes = votes_of(RANDOM)
    rng = np.random.default_rng(3)
    other = votes.select(items=rng.permutation(votes.n_items), annotators=rng.permutation(5))
    assert AGREEMENTS[measure](other) == pytest.approx(AGREEMENTS[measure](votes), abs=1e-12)


@pytest.mark.parametrize("measure", AGREEMENTS)
def test_full_agreement_is_one_and_a_single_class_too(measure):
    assert AGREEMENTS[measure](Votes.of([0, 0, 1, 1], ["1", "1", "2", "2"])) == pytest.approx(1)
    assert AGREEMENTS[measure](Votes.of([0, 0, 1, 1], ["1", "1", "1", "1"], classes=["1", "2"])) == 1


@pytest.mark.parametrize("measure", AGREEMENTS)
def test_items_with_one_vote_say_nothing_about_agreement(measure):
    votes = Votes.of([0, 0, 1, 1, 2], ["1", "1", "1", "2", "3"])
    without = Votes.of([0, 0, 1, 1], ["1", "1", "1", "2"], classes=list("123"))
    assert AGREEMENTS[measure](votes) == pytest.approx(AGREEMENTS[measure](without))
    with refuses("none of 2 items", "two votes"):
        AGREEMENTS[measure](Votes.of([0, 1], ["1", "2"]))


@pytest.mark.parametrize("measure", AGREEMENTS)
@pytest.mark.parametrize("over", ["items", "annotators"])
def test_intervals_hold_the_value_and_repeat_by_seed(measure, over):
    rng = np.random.default_rng(0)
    votes = simulate_votes(simulate_truth(80, 4, rng), 5, 12, rng, skill=0.9).votes
    first = agreement_interval(votes, measure, np.random.default_rng(1), over=over, replicates=100)
    assert first.low < first.value < first.high and first.value == AGREEMENTS[measure](votes)
    assert first == agreement_interval(votes, measure, np.random.default_rng(1), over=over, replicates=100)


def test_a_resampled_crowd_in_which_all_say_the_same_does_not_count_as_full_agreement():
    """99 items (a, a) and one (a, b): with d items (a, b) in a resample, alpha is 1 - 199 / (200 - d)."""
    votes = Distributions.from_counts([[2, 0]] * 99 + [[1, 1]], classes=("a", "b"))
    rng, names = np.random.default_rng(0), ["nominal alpha", "fleiss kappa", "observed agreement"]
    intervals, drawn = resample_agreement(votes, names, rng, over="items", replicates=2000)
    alpha = drawn["nominal alpha"]
    assert np.isnan(alpha).mean() == pytest.approx(0.99**100, abs=0.04)  # none of the items drawn is (a, b)
    assert np.unique(alpha[~np.isnan(alpha)]) == pytest.approx([1 - 199 / (200 - d) for d in (6, 5, 4, 3, 2, 1)])
    assert intervals["nominal alpha"].value == pytest.approx(0)
    assert np.nanmax(drawn["fleiss kappa"]) < 0 and drawn["observed agreement"].max() == 1  # needs no variation


def test_an_interval_over_items_holds_what_unseen_items_would_make_of_the_measure():
    """One vote of 200 for b: with 3.7 items (b, b) more, b would have 8.4 of 207.4 votes and one disagreement."""
    votes = Distributions.from_counts([[2, 0]] * 99 + [[1, 1]], classes=("a", "b"))
    intervals = agreement_intervals(votes, ["nominal alpha", "observed agreement"], np.random.default_rng(0))
    b, total = 1 + 2 * np.log(40), 200 + 2 * np.log(40)
    expected = 2 * b * (total - b) / (total * (total - 1))
    assert intervals["nominal alpha"].high == pytest.approx(1 - (2 / total) / expected)
    # Nobody disagrees: 3.7 items (a, b) would leave 100 of 103.7 unanimous, which is the rule of three for 97.5 %.
    agreed = Distributions.from_counts([[2, 0]] * 90 + [[0, 2]] * 10, classes=("a", "b"))
    interval = agreement_interval(agreed, "observed agreement", np.random.default_rng(0))
    assert (interval.low, interval.high) == (pytest.approx(100 / (100 + np.log(40))), 1)
    assert agreement_interval(agreed, "nominal alpha", np.random.default_rng(0)).low < 0.9


@pytest.mark.parametrize(("share", "concentration"), [(0.02, 2.0), (0.01, 0.05)])
def test_intervals_hold_alpha_where_few_items_hold_a_rare_answer(share, concentration):
    """1 / (concentration + 1) of a Dirichlet world. Percentiles held it in 63 and 76 of 100 such crowds."""
    rng = np.random.default_rng(0)
    held = []
    for _ in range(60):
        chance = rng.beta(share * concentration, (1 - share) * concentration, 600)
        rare = rng.binomial(4, chance)
        crowd = Distributions.from_counts(np.column_stack([4 - rare, rare]), classes=("a", "b"))
        interval = agreement_interval(crowd, "nominal alpha", rng, replicates=100)
        held.append(interval.low <= 1 / (concentration + 1) <= interval.high)
    assert np.mean(held) > 0.87


def test_intervals_over_few_annotators_hold_the_alpha_of_endless_ones():
    """4 people who name the class of 40 items with chances from 0.4 to 1, else another; resampling held it in 78 %."""
    rng = np.random.default_rng(0)
    true, held = np.arange(40) % 4, []
    for _ in range(100):
        right = rng.random((4, 40)) < rng.uniform(0.4, 1.0, (4, 1))
        choice = np.where(right, true, (true + rng.integers(1, 4, (4, 40))) % 4)
        votes = Votes.of(np.tile(np.arange(40), 4), choice.reshape(-1), np.repeat(np.arange(4), 40))
        interval = agreement_interval(votes, "nominal alpha", rng, over="annotators", replicates=10)
        held.append(interval.low <= 1 - (1 - 0.7**2 - 0.3**2 / 3) / (1 - 1 / 4) <= interval.high)
    assert np.mean(held) > 0.87


@pytest.mark.parametrize("measure", ["nominal alpha", "ordinal alpha", "interval alpha", "fleiss kappa"])
def test_the_value_by_convention_of_a_single_class_has_no_interval(measure):
    same = Votes.of([0, 0, 1, 1], ["1"] * 4, ["ann", "bo", "ann", "cy"], classes=["1", "2"])
    for over in ("items", "annotators"):
        interval = agreement_interval(same, measure, np.random.default_rng(0), over=over, replicates=10)
        assert interval.value == 1 and np.isnan([interval.low, interval.high]).all()


@pytest.mark.parametrize("equal", [1.0, 0.1])
def test_classes_of_equal_value_are_one_at_the_interval_level(equal):
    votes = Distributions.from_counts([[1, 1, 0], [2, 0, 0], [0, 3, 0]], classes=("a", "b", "c"))
    assert krippendorff_alpha(votes, "interval", np.array([equal, equal, 2])) == 1
    assert krippendorff_alpha(votes, "interval", np.array([1, 2, 2])) == pytest.approx(krippendorff_alpha(votes))


@pytest.mark.parametrize("over", ["items", "annotators"])
def test_no_crowd_is_resampled_where_no_two_votes_can_be_compared(over):
    alone = Votes.of([0, 1, 2, 3], ["a", "b", "a", "b"], ["ann", "bo", "cy", "dee"])
    with refuses("none of 4 items", "two votes"):
        agreement_interval(alone, "nominal alpha", np.random.default_rng(0), over=over)


def test_interval_over_items_has_the_width_of_new_crowds():
    rng = np.random.default_rng(4)
    values, sds = [], []
    for _ in range(60):
        votes = simulate_votes(simulate_truth(150, 3, rng), 4, 40, rng).votes
        values.append(krippendorff_alpha(votes))
        sds.append(agreement_interval(votes, "nominal alpha", rng, replicates=60).sd)
    assert np.mean(sds) == pytest.approx(np.std(values), rel=0.3)


def test_an_annotator_drawn_twice_is_not_compared_with_themselves():
    """Blind answers agree by chance alone; counting copies as agreement would lift the resampled alpha far above 0."""
    rng = np.random.default_rng(5)
    votes = simulate_votes(simulate_truth(400, 3, rng), 6, 8, rng, skill=1 / 3).votes
    found = agreement_interval(votes, "nominal alpha", rng, over="annotators", replicates=100)
    assert abs(found.low + found.high) / 2 < 0.03


def agreement_of_copies(votes: Votes, copies: np.ndarray) -> dict[str, float]:
    """Measures by a loop over a crowd of copies; two copies of one annotator are not compared on an item."""
    crowd = [
        (int(item), int(choice), int(who), copy)
        for item, choice, who in zip(votes.item, votes.choice, votes.annotator, strict=True)
        for copy in range(copies[who])
    ]
    compared = {
        (x, y)
        for x, (item, _, who, copy) in enumerate(crowd)
        for y, (other_item, _, other, other_copy) in enumerate(crowd)
        if x != y and (item != other_item or who != other or copy == other_copy)
    }
    together: dict[int, list[tuple[int, int]]] = {}
    for x, y in compared:
        if crowd[x][0] == crowd[y][0]:
            together.setdefault(crowd[x][0], []).append((x, y))
    usable = {x for x, vote in enumerate(crowd) if vote[0] in together}
    codes = np.array([crowd[x][1] for x in sorted(usable)])
    counts = np.bincount(codes, minlength=votes.n_classes)
    rank = np.cumsum(counts) - counts / 2
    apart = {
        "nominal alpha": lambda x, y: crowd[x][1] != crowd[y][1],
        "interval alpha": lambda x, y: (crowd[x][1] - crowd[y][1]) ** 2,
        "ordinal alpha": lambda x, y: (rank[crowd[x][1]] - rank[crowd[y][1]]) ** 2,
    }
    measures = {}
    for name, distance in apart.items():
        within = sum(
            sum(vote[0] == item for vote in crowd) * np.mean([distance(x, y) for x, y in pairs])
            for item, pairs in together.items()
        )
        anywhere = np.mean([distance(x, y) for x, y in compared if x in usable and y in usable])
        measures[name] = 1 - within / codes.size / anywhere
    same = np.mean([np.mean([crowd[x][1] == crowd[y][1] for x, y in pairs]) for pairs in together.values()])
    chance = ((counts / codes.size) ** 2).sum()
    return measures | {"observed agreement": same, "fleiss kappa": (same - chance) / (1 - chance)}


@pytest.mark.parametrize("seed", range(6))
def test_resampled_annotators_are_a_crowd_of_copies_that_are_not_compared_with_each_other(seed):
    """Repeated answers, the same and contradicting ones, within one copy of an annotator are compared."""
    rng = np.random.default_rng(seed)
    size = 40 if seed else 12  # with 12 answers of 5 people nearly nobody repeats themselves
    votes = Votes.of(
        rng.integers(0, 6, size), [str(c) for c in rng.integers(1, 4, size)], rng.integers(0, 5, size), classes="123"
    )
    resampled = resample_agreement(
        votes, list(AGREEMENTS), np.random.default_rng(seed), over="annotators", replicates=4
    )
    draws = np.random.default_rng(seed)
    for crowd in range(4):
        by_loop = agreement_of_copies(votes, draws.multinomial(5, np.full(5, 1 / 5)))
        for measure, value in by_loop.items():
            assert resampled[1][measure][crowd] == pytest.approx(value, abs=1e-10), measure
    assert agreement_of_copies(votes, np.ones(5, dtype=int)) == pytest.approx(
        {measure: AGREEMENTS[measure](votes) for measure in AGREEMENTS}
    )


def test_an_interval_over_annotators_who_repeat_themselves_holds_its_own_value():
    """12 people answer 60 items three times, always the same; between people there is only chance."""
    rng = np.random.default_rng(0)
    said = np.repeat(rng.integers(0, 3, (60, 12)), 3, axis=1)  # (60, 36)
    item, column = np.indices(said.shape).reshape(2, -1)
    votes = Votes.of(item, said.reshape(-1), column // 3)
    interval = agreement_interval(votes, "nominal alpha", rng, over="annotators", replicates=400)
    assert interval.low < interval.value < interval.high
    # Of 36 * 35 pairs on an item 12 * 6 are of one annotator with themselves, and all of these agree.
    assert interval.value == pytest.approx(72 / 1260, abs=0.03)


def test_annotators_without_answers_are_not_among_those_resampled():
    votes = votes_of(RANDOM)
    listed = replace(votes, annotators=np.arange(100))
    intervals = [
        agreement_interval(crowd, "nominal alpha", np.random.default_rng(0), over="annotators", replicates=50)
        for crowd in (votes, listed)
    ]
    assert listed.n_annotators == 100 and intervals[0] == intervals[1]
    two = replace(votes.select(annotators=[0, 1]), annotators=np.arange(100))
    with refuses("2 of the annotators", "3 or more"):
        agreement_interval(two, "nominal alpha", np.random.default_rng(0), over="annotators")


def test_agreement_refuses_what_it_cannot_use():
    votes = votes_of(RANDOM)
    with refuses("'ratio'", "nominal, ordinal, interval"):
        krippendorff_alpha(votes, "ratio")
    with refuses("'people'", "items, annotators"):
        agreement_interval(votes, "nominal alpha", np.random.default_rng(0), over="people")
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="not all numbers"):
        krippendorff_alpha(Votes.of([0, 0], ["cat", "dog"]), "interval")
    with refuses("values", "one finite number"):
        krippendorff_alpha(votes, "interval", np.array([1.0, 2.0]))
    with refuses("rating 1", "item 0", "nan"):
        alpha_of_values(np.array([0, 0]), np.array([1, np.nan]))
    with refuses("integer item code"):
        alpha_of_values(np.array([0.5]), np.array([1.0]))
    with pytest.raises(ValueError, match=r"'kappa'"):
        agreement_interval(votes, "kappa", rng)
    with pytest.raises(ValueError, match="3 or more"):
        agreement_interval(votes.select(annotators=[0, 1]), "nominal alpha", rng, over="annotators")
    with refuses("annotators", "shares of votes"):
        agreement_interval(Distributions.from_counts([[1, 1]]), "nominal alpha", rng, over="annotators")
    with pytest.raises(ValueError, match="2 or more"):
        agreement_interval(votes, "nominal alpha", rng, replicates=1)
    assert krippendorff_alpha(Votes.of([0, 0, 1, 1], ["lo", "hi", "hi", "hi"]), "interval", np.array([0, 1])) < 1


def test_cohens_kappa_of_two_annotators():
    """scikit-learn 1.9.1, cohen_kappa_score of the same ten answers."""
    left, right = [0, 0, 1, 2, 2, 1, 0, 2, 1, 1], [0, 1, 1, 2, 0, 1, 0, 2, 2, 1]
    votes = Votes.of([*range(10)] * 2, [*left, *right], ["ann"] * 10 + ["bo"] * 10)
    pair = pairwise_agreement(votes)
    assert pair.kappa.tolist() == pytest.approx([0.5454545454545454]) and pair.agreement.tolist() == [0.7]
    assert pair.shared.tolist() == [10]


def test_pairwise_agreement_equals_a_loop_over_pairs():
    rng = np.random.default_rng(2)
    votes = simulate_votes(simulate_truth(40, 4, rng), 3, 15, rng, skill=0.7).votes
    found = pairwise_agreement(votes)
    table = np.full((15, 40), -1)
    table[votes.annotator, votes.item] = votes.choice
    pairs = list(zip(found.first.tolist(), found.second.tolist(), strict=True))
    raw, kappa = (dict(zip(pairs, column, strict=True)) for column in (found.agreement, found.kappa))
    for a in range(15):
        for b in range(a + 1, 15):
            both = (table[a] >= 0) & (table[b] >= 0)
            if not both.any():
                assert (a, b) not in raw
                continue
            same = (table[a][both] == table[b][both]).mean()
            chance = sum((table[a][both] == c).mean() * (table[b][both] == c).mean() for c in range(4))
            assert raw[a, b] == pytest.approx(same)
            assert kappa[a, b] == pytest.approx(1 if chance == 1 else (same - chance) / (1 - chance))


def test_an_annotator_who_shares_no_item_has_no_pair():
    votes = Votes.of(["a", "a", "b"], ["x", "x", "y"], ["ann", "bo", "cy"])
    found = pairwise_agreement(votes)
    assert found.first.tolist() == [0] and found.kappa.tolist() == [1]
    assert found.second.tolist() == [1]


@pytest.mark.parametrize("distance", [jensen_shannon, total_variation])
def test_alpha_of_one_hot_beliefs_is_the_nominal_alpha_of_the_votes(distance):
    votes = votes_of(RANDOM)
    beliefs = complete(Beliefs.of_votes(votes), top=1, spread="uniform")
    pairs = belief_pairs(beliefs, np.random.default_rng(0), distance)
    assert belief_alpha(pairs) == pytest.approx(krippendorff_alpha(votes), abs=1e-12)


def test_sampled_pairs_come_close_to_all_pairs():
    rng = np.random.default_rng(1)
    beliefs = simulate_beliefs(simulate_truth(200, 4, rng), 4, 20, rng, top=None)
    exact = belief_alpha(belief_pairs(beliefs, rng))
    sampled = belief_pairs(beliefs, rng, sample=100_000)
    assert sampled.any_two.shape == (100_000, 2)
    assert belief_alpha(sampled) == pytest.approx(exact, abs=0.005)
    for over in ("items", "annotators"):
        found = belief_alpha_interval(sampled, np.random.default_rng(2), over=over, replicates=50)
        assert found.low < found.value < found.high


def random_beliefs(people: int, items: int, rng: np.random.Generator) -> Beliefs:
    """Everybody states something else about every item."""
    item, who = np.tile(np.arange(items), people), np.repeat(np.arange(people), items)
    stated = rng.dirichlet(np.ones(3), item.size)
    return Beliefs(
        stated=stated,
        ruled_out=np.zeros(stated.shape, dtype=bool),
        named=np.zeros((item.size, 0), dtype=np.int32),
        item=item,
        items=np.arange(items),
        annotator=who,
        annotators=np.arange(people),
        classes=tuple("abc"),
    )


def test_items_with_a_single_belief_do_not_change_the_interval_of_alpha():
    rng = np.random.default_rng(0)
    both = random_beliefs(4, 60, rng)
    alone = (both.item < 20) | (both.annotator == 0)  # 40 items that only the first annotator answered
    some = both.select(answers=np.flatnonzero(alone))
    intervals = [
        belief_alpha_interval(belief_pairs(beliefs, rng), np.random.default_rng(1), replicates=200)
        for beliefs in (some, some.select(answers=np.flatnonzero(some.item < 20)))
    ]
    limits = [(interval.low, interval.high, interval.sd) for interval in intervals]
    assert limits[0] == pytest.approx(limits[1])


def test_alpha_of_what_annotators_repeat_is_inside_its_interval_over_them():
    """12 people state the same thing three times about 30 items; between people there is only chance."""
    rng = np.random.default_rng(0)
    once = random_beliefs(12, 30, rng)
    pairs = belief_pairs(once.select(answers=np.repeat(np.arange(once.n_answers), 3)), rng, sample=20_000)
    interval = belief_alpha_interval(pairs, rng, over="annotators", replicates=300)
    assert interval.low < interval.value < interval.high
    assert interval.value == pytest.approx(72 / 1260, abs=0.05)  # pairs of one annotator's among those on an item


def test_two_annotators_are_too_few_to_resample_their_beliefs():
    pairs = belief_pairs(random_beliefs(2, 10, np.random.default_rng(0)), np.random.default_rng(0))
    with refuses("2 of the annotators", "3 or more"):
        belief_alpha_interval(pairs, np.random.default_rng(0), over="annotators")
    with pytest.raises(ValueError, match=r"'people'"):
        belief_alpha_interval(pairs, np.random.default_rng(0), over="people")


def test_alpha_of_beliefs_needs_pairs_and_is_one_for_equal_beliefs():
    alike = complete(Beliefs.of_votes(Votes.of([0, 0, 1, 1], ["a"] * 4, classes=["a", "b"])), top=1, spread="uniform")
    assert belief_alpha(belief_pairs(alike, np.random.default_rng(0))) == 1
    with pytest.raises(ValueError, match="carry their annotator"):
        belief_alpha_interval(
            belief_pairs(alike, np.random.default_rng(0)), np.random.default_rng(0), over="annotators"
        )
    with refuses("none of 2 items", "two beliefs"):
        belief_pairs(alike.select(answers=[0, 2]), np.random.default_rng(0))


def test_cifar10h_agreement(loaded):
    """497,246 votes that entered the counts."""
    votes = loaded("cifar10h-annotators").labels
    assert krippendorff_alpha(votes) == pytest.approx(0.91515, abs=1e-4)
    assert fleiss_kappa(votes) == pytest.approx(0.91517, abs=1e-4)
    assert observed_agreement(votes) == pytest.approx(0.9237, abs=1e-3)

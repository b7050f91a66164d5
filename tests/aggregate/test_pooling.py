"""Opinion pools, reliability and recalibration of beliefs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dissensus.aggregate.pooling import linear_pool, log_pool, reliability
from dissensus.aggregate.recalibration import Temperatures, fit_temperatures, recalibrate
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.completion import complete
from dissensus.labels.distances import kl, total_variation
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import mean_belief
from dissensus.labels.simulate import simulate_beliefs, simulate_truth
from dissensus.labels.transforms import temper
from tests.facts import refuses


def stated(rows: list[list[float]], item: list[int] | None = None, who: list[int] | None = None) -> Beliefs:
    rows_, m = np.array(rows, dtype=float), len(rows)
    item_, who_ = np.array(item or [0] * m), np.array(who or range(m))
    return Beliefs(
        item=item_,
        items=np.arange(item_.max() + 1),
        annotator=who_,
        annotators=np.arange(who_.max() + 1),
        classes=tuple("abcd"[: rows_.shape[1]]),
        stated=rows_,
        ruled_out=np.zeros(rows_.shape, dtype=bool),
        named=np.empty((m, 0), dtype=np.int32),
    )


@pytest.fixture
def crowd() -> tuple[Distributions, Beliefs]:
    rng = np.random.default_rng(0)
    truth = simulate_truth(200, 4, rng, concentration=2.0)
    return truth, simulate_beliefs(truth, 6, 20, rng, top=None)


def test_equal_weights_give_the_mean_belief(crowd):
    assert np.allclose(linear_pool(crowd[1]).probs, mean_belief(crowd[1]).probs)
    assert np.allclose(linear_pool(crowd[1], np.full(20, 3.0)).probs, mean_belief(crowd[1]).probs)


def test_pools_by_hand():
    beliefs = stated([[0.9, 0.1], [0.4, 0.6]])
    assert linear_pool(beliefs, np.array([3.0, 1.0])).probs[0, 0] == pytest.approx((3 * 0.9 + 0.4) / 4)
    odds = (0.9 / 0.1) ** 0.75 * (0.4 / 0.6) ** 0.25
    assert log_pool(beliefs, np.array([3.0, 1.0]), floor=0).probs[0, 0] == pytest.approx(odds / (1 + odds))


@pytest.mark.parametrize("pool", [linear_pool, log_pool])
def test_pools_of_equal_beliefs_are_that_belief_and_keep_names(pool):
    beliefs = stated([[0.7, 0.2, 0.1]] * 3)
    result = pool(beliefs)
    assert np.allclose(result.probs, [[0.7, 0.2, 0.1]], atol=2e-3)
    assert result.votes is None and result.classes == beliefs.classes  # a pool is no share of votes


def test_the_log_pool_is_the_sharper_one(crowd):
    assert (log_pool(crowd[1]).probs.max(axis=1) - linear_pool(crowd[1]).probs.max(axis=1)).mean() > 0.02


def test_zeros_in_the_log_pool():
    beliefs = stated([[1, 0], [0, 1]])
    assert log_pool(beliefs).probs.tolist() == [[0.5, 0.5]]
    with refuses("item 0", "ruled out"):
        log_pool(beliefs, floor=0)
    assert log_pool(stated([[1, 0], [0.5, 0.5]]), floor=0).probs.tolist() == [[1, 0]]
    assert log_pool(beliefs, np.array([1.0, 0.0]), floor=0).probs.tolist() == [[1, 0]]
    with pytest.raises(ValueError, match="expected 0 up to 1/2"):
        log_pool(beliefs, floor=0.5)


@pytest.mark.parametrize("pool", [linear_pool, log_pool])
def test_pools_refuse_gaps_wrong_weights_and_unheard_items(pool):
    beliefs = stated([[0.9, 0.1], [0.4, 0.6]])
    with refuses("item 0", "weight above 0"):
        pool(beliefs, np.zeros(2))
    with refuses("annotator 1", "weight -1.0"):
        pool(beliefs, np.array([1, -1]))
    with refuses("weights", "2 annotators"):
        pool(beliefs, np.ones(3))
    with refuses("item 1", "no beliefs", "1 of 2 items"):
        pool(replace(beliefs, items=np.arange(2)))
    with refuses("belief 0", "item 0", "'b'", "1 of 1"):
        pool(stated([[0.9, np.nan]]))
    with pytest.raises(ValueError, match=r"sums to 1\.5"):
        pool(stated([[0.9, 0.6]]))


def test_reliability_hears_outliers_less_and_helps(crowd):
    truth, beliefs = crowd
    rng = np.random.default_rng(1)
    blind = beliefs.annotator < 5
    rows = np.where(blind[:, None], rng.dirichlet(np.full(4, 0.3), size=beliefs.n_answers), beliefs.stated)
    mixed = replace(beliefs, stated=rows)
    weights = reliability(mixed)
    assert weights.mean() == pytest.approx(1) and weights[:5].max() < weights[5:].min()
    even, heard = linear_pool(mixed).probs, linear_pool(mixed, weights).probs
    assert total_variation(truth.probs, heard).mean() < 0.8 * total_variation(truth.probs, even).mean()


def test_reliability_of_odd_crowds_is_even():
    assert reliability(stated([[1, 0]] * 3)).tolist() == [1, 1, 1]
    assert reliability(stated([[1, 0], [0, 1]], item=[0, 1])).tolist() == [1, 1]
    lonely = reliability(stated([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]], item=[0, 0, 1]))
    assert np.isfinite(lonely).all() and (lonely > 0).all()
    with pytest.raises(ValueError, match="pseudo is 0"):
        reliability(stated([[1, 0]] * 3), pseudo=0)


def test_reliability_does_not_compare_anybody_with_their_own_second_answer():
    """Ann repeats herself and nobody else agrees: her distance is to bo alone, as it would be if she spoke once."""
    rows, item, who = [[0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.4, 0.6]], [0, 0, 1, 1], [0, 1, 1, 2]
    once = reliability(stated(rows, item, who), pseudo=1e-9, rounds=1)
    twice = reliability(stated([rows[0], *rows], [0, *item], [0, *who]), pseudo=1e-9, rounds=1)
    np.testing.assert_allclose(twice / twice[1], once / once[1], rtol=1e-6)
    alone = reliability(stated([[0.9, 0.1], [0.1, 0.9]], [0, 0], [0, 0]))
    assert alone.tolist() == [1]


def test_temperatures_find_who_is_too_sure():
    """Annotators who know p but state p^(1/s): the temperature that undoes it is 1/s."""
    rng = np.random.default_rng(2)
    truth = simulate_truth(2000, 3, rng, concentration=3.0)
    gold = (rng.random((2000, 1)) > np.cumsum(truth.probs, axis=1)).sum(axis=1)
    parts = [temper(truth, s).probs for s in (0.5, 1.0, 2.0)]
    beliefs = stated(np.concatenate(parts).tolist(), item=[*range(2000)] * 3, who=np.repeat([0, 1, 2], 2000).tolist())
    found = fit_temperatures(beliefs, gold)
    assert np.allclose(found.temperature, [2.0, 1.0, 0.5], rtol=0.12)
    assert found.temperature.min() < found.crowd < found.temperature.max()
    better = recalibrate(beliefs, found)
    assert np.allclose(better.stated.sum(axis=1), 1)
    error = [np.abs(b.stated - np.tile(truth.probs, (3, 1))).mean() for b in (beliefs, better)]
    assert error[1] < 0.25 * error[0]


def test_few_answers_leave_an_annotator_near_the_crowd():
    rng = np.random.default_rng(3)
    truth = simulate_truth(400, 3, rng, concentration=3.0)
    gold = truth.probs.argmax(axis=1)
    rows = np.concatenate([truth.probs, truth.probs[:1]])
    beliefs = stated(rows.tolist(), item=[*range(400), 0], who=[0] * 400 + [1])
    beliefs = replace(beliefs, annotators=np.arange(3))
    found = fit_temperatures(beliefs, gold)
    assert found.temperature[2] == found.crowd and found.answers.tolist() == [400, 1, 0]
    away = np.abs(np.log(found.temperature / found.crowd))
    assert away[1] < 0.2 and away[0] > 3 * away[1]
    unknown = fit_temperatures(beliefs, np.where(np.arange(400) < 200, gold, -1))
    assert unknown.answers.tolist() == [200, 1, 0]


def test_repeats_serve_where_there_is_no_gold():
    beliefs = stated([[0.9, 0.1], [0.8, 0.2], [0.9, 0.1], [0.3, 0.7]], item=[0, 0, 1, 1], who=[0, 0, 1, 1])
    found = fit_temperatures(beliefs)
    assert found.answers.tolist() == [2, 2] and found.temperature[0] < found.temperature[1]
    with refuses("no annotator", "twice"):
        fit_temperatures(stated([[0.9, 0.1], [0.4, 0.6]]))


def test_always_right_and_always_wrong_stay_within_bounds():
    for gold in (0, 1):
        found = fit_temperatures(stated([[1, 0]] * 4), np.array([gold]))
        assert np.isfinite(found.temperature).all() and (found.temperature > 0).all()
    flat = fit_temperatures(stated([[0.5, 0.5]] * 4), np.array([0]))
    assert np.isfinite(flat.temperature).all()


def test_recalibration_refuses_what_it_cannot_use():
    beliefs = stated([[0.9, 0.1], [0.4, 0.6]])
    with refuses("item 0", "gold class 2"):
        fit_temperatures(beliefs, np.array([2]))
    with pytest.raises(ValueError, match="one class code"):
        fit_temperatures(beliefs, np.array([0, 1]))
    with refuses("gold class", "known"):
        fit_temperatures(beliefs, np.array([-1]))
    with pytest.raises(ValueError, match=r"floor is 0 .*2 classes"):
        fit_temperatures(beliefs, np.array([0]), floor=0)
    with refuses("crowd_deviation is -1", "people_deviation 0.25"):
        fit_temperatures(beliefs, np.array([0]), crowd_deviation=-1)
    with pytest.raises(ValueError, match="same annotators"):
        recalibrate(beliefs, Temperatures(np.arange(3), np.ones(3), np.ones(3), 1.0, 1e-4))


def test_recalibrated_cifar10s_comes_closer_to_cifar10h(loaded):
    """Temperatures from the gold of even items bring the pool of odd ones closer to the fifty votes of CIFAR-10H."""
    some = loaded("cifar10s")
    beliefs, gold = complete(some.labels), np.asarray(some.gold)
    even = np.arange(gold.size) % 2 == 0
    better = recalibrate(beliefs, fit_temperatures(beliefs, np.where(even, gold, -1)))
    people = loaded("cifar10h").labels.probs[beliefs.items.astype(int)][~even]
    before, after = (np.maximum(linear_pool(b).probs[~even], 1e-6) for b in (beliefs, better))
    assert kl(people, after).mean() < 0.8 * kl(people, before).mean()

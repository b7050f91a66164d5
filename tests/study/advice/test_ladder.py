"""The simplest way stands until another is shown to be better."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dissensus.study.advice.ladder import climb
from tests.facts import refuses


def losses(better: float, seed: int = 0, n: int = 200) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    base = rng.exponential(size=n)
    return {"plain": base, "clever": base - better + 0.1 * rng.normal(size=n), "odd": base + rng.normal(size=n)}


def groups(n: int = 200) -> np.ndarray:
    return np.arange(n) % 5


def test_a_better_way_takes_the_place_and_a_luckier_one_does_not():
    assert climb(losses(0.1), groups()).chosen == "clever"
    even = climb(losses(0.0), groups())
    assert even.chosen == even.start == "plain"


def test_the_test_is_students_times_the_number_of_tests():
    table = losses(0.015)
    rung = climb(table, groups()).rung("clever")
    t = stats.ttest_rel(table["clever"], table["plain"])
    assert rung.p == pytest.approx(2 * t.pvalue)
    assert rung.difference is not None
    interval = t.confidence_interval(0.95)
    assert (rung.difference.low, rung.difference.high) == pytest.approx((interval.low, interval.high))


def test_folds_that_share_training_items_widen_the_interval():
    """Nadeau and Bengio (2003): the variance counts 1/u + test/train instead of 1/u."""
    table = losses(0.1, n=15)
    alone, shared = (climb(table, groups(15), overlap=share).rung("clever").difference for share in (0.0, 0.25))
    assert alone is not None and shared is not None
    ratio = (shared.high - shared.low) / (alone.high - alone.low)
    assert ratio == pytest.approx(np.sqrt((1 / 15 + 0.25) / (1 / 15)))


def test_an_infinite_loss_stands_only_until_there_is_a_finite_one():
    table = {"share": np.array([np.inf, 0.1, 0.2, 0.1]), "majority": np.full(4, np.inf)} | {"smooth": np.full(4, 2.0)}
    ladder = climb(table, np.arange(4))
    assert (ladder.chosen, ladder.start, ladder.lowest) == ("smooth", "smooth", "smooth")
    assert ladder.rung("smooth").difference is None


def test_simple_ways_are_seldom_left_for_ways_that_are_no_better():
    """Five ways without a difference and heavy tails: below one in twenty, but for chance over 400 worlds."""
    rng = np.random.default_rng(1)
    left = 0
    for _ in range(400):
        base = rng.exponential(size=60)
        others = {f"way {i}": base + rng.standard_t(3, size=60) for i in range(4)}
        left += climb({"plain": base} | others, groups(60)).chosen != "plain"
    assert left / 400 < 0.08


def test_what_choosing_gains_is_not_flattered_by_the_choice():
    """Of ten ways that are alike the lowest looks better than the first; judged elsewhere, choosing gains nothing."""
    lead, gain = [], []
    for world in range(60):
        rng = np.random.default_rng(world)
        table = {f"way {i}": rng.normal(size=50) for i in range(10)}
        ladder = climb(table, groups(50))
        lead.append(ladder.rung(ladder.lowest).loss - ladder.rungs[0].loss)
        assert ladder.gain is not None
        gain.append(ladder.gain.value)
    assert np.mean(lead) < -0.15 and abs(np.mean(gain)) < 0.05


def test_where_simplicity_is_worth_nothing_the_lowest_is_taken():
    table = losses(0.012, seed=4)
    shown, lowest = (climb(table, groups(), take=take) for take in ("shown", "lowest"))  # type: ignore[arg-type]
    assert (shown.taken, lowest.taken) == ("plain", "clever") and shown.chosen == lowest.chosen == "plain"
    clear = climb(losses(0.1), groups(), take="lowest").gain
    assert clear is not None and clear.value == pytest.approx(-0.1, abs=0.02)


def test_units_that_do_not_match_are_refused():
    with refuses(3, 4, "same units"):
        climb({"a": np.zeros(3), "b": np.zeros(4)}, np.zeros(3))

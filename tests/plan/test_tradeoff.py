"""Costs, utilities, preference maps and loss curves, each by a second road or at a known limit."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.plan.advice.label_plan import plan_labels
from dissensus.plan.estimates import by_information, by_simulation
from dissensus.plan.grid import Grid, GridConfig
from dissensus.plan.information import constraints_of
from dissensus.plan.tradeoff import FIGURE_1, Costs, Preferences, loss_curve, preference_map
from dissensus.plan.utilities import UTILITIES, find_utility, inverse_sigmoid, sigmoid
from tests.facts import refuses

sizes = st.integers(2, 90)


def test_the_curators_example_by_hand():
    """80 items, 20 classes: T_hard = 80*19 + 6400*0.95, T_soft = 20*80*98/2, of 3 C(100, 3) = 485,100."""
    assert np.isclose(by_information("hard", 80, 20), 7600 / 485100)
    assert np.isclose(by_information("soft", 80, 20), 78400 / 485100)
    wanted, fixed = Preferences(Costs(ratio=10)), Preferences(Costs(ratio=10), reference=FIGURE_1)
    assert np.isclose(wanted.loss("soft", 80, 20), 800 / 1600 - 1)
    assert np.isclose(wanted.loss("hard", 80, 20), 80 / 1600 - 7600 / 78400)
    assert np.isclose(fixed.loss("soft", 80, 20), 800 / 8100 - 78400 / 485100)


@given(sizes, sizes)
def test_k_times_is_the_papers_cost(n, k):
    """C(hard) = c n, C(soft) = c n k; a label over k_hat classes costs k_hat."""
    costs = Costs(hard=2.0)
    assert costs.total("hard", n, k) == 2 * n and np.isclose(costs.total("soft", n, k), 2 * n * k)
    assert np.allclose(costs.total("sparse", n, k, np.arange(1, k + 1)), 2 * n * np.arange(1, k + 1))


def test_measured_seconds_give_the_ratio():
    costs = Costs.from_measurements(1.8, 32.0, pair=5.0)
    assert np.isclose(costs.total("soft", 10, 4), 320) and np.isclose(costs.total("hard", 10, 4), 18)
    assert np.isclose(costs.total("pairwise", 10, 4), 45 * 5)


@pytest.mark.parametrize("cost", [0.0, -1.0, float("nan"), float("inf")])
def test_costs_must_be_above_zero(cost):
    for setting, fact in (
        ("hard", f"hard label is {cost:g}"),
        ("ratio", f"ratio={cost}"),
        ("pair", f"pair is {cost:g}"),
    ):
        with refuses(fact, "above 0"):
            Costs(**{setting: cost})
    with refuses("above 0"):
        Costs.from_measurements(cost, 3.0)


@given(st.floats(0, 1), st.floats(0, 1))
def test_utilities_rise_from_nothing_to_one(x, y):
    for utility in UTILITIES.values():
        assert np.isclose(utility(np.array(0.0)), 0) and np.isclose(utility(np.array(1.0)), 1)
        low, high = utility(np.array([min(x, y), max(x, y)]))
        assert low <= high + 1e-12
    assert np.isclose(inverse_sigmoid(sigmoid(np.array(x))), x, atol=1e-9)


def test_your_own_utility_is_a_function():
    own, fixed = (Preferences(utility=np.sqrt, beta=0.0, reference=unit) for unit in (None, FIGURE_1))
    assert np.isclose(own.loss("soft", 80, 20), -1) and np.isclose(own.loss("hard", 80, 20), -np.sqrt(7600 / 78400))
    assert np.isclose(fixed.loss("soft", 80, 20), -np.sqrt(by_information("soft", 80, 20)))
    with refuses("'cubic'", "linear, sigmoid, inverse-sigmoid"):
        find_utility("cubic")


def test_preference_maps_have_the_papers_regularities():
    """Sec. 5: few items or classes, soft at least as good; high beta, hard wins where both are many; low beta, soft."""
    items = classes = np.arange(3, 91, 3)
    for utility in UTILITIES:
        cheap, dear = (
            preference_map(items, classes, Preferences(utility=utility, beta=beta, reference=FIGURE_1))
            for beta in (0.01, 10.0)
        )
        assert (cheap > -0.01).all() and dear[-1, -1] < 0 and dear[0, 0] > -0.05
        assert (cheap >= dear).all()
    assert (preference_map(items, classes, Preferences(beta=0.01, reference=FIGURE_1)) > 0).all()


SIZES = (10, 30, 100, 1_000, 10_000, 100_000)


@pytest.mark.parametrize("k", [2, 3, 10, 100, 1_000])
def test_the_number_of_items_alone_does_not_turn_the_advice(k):
    """Costs of 1 to k hard labels: the share of classes to ask for stays, from 10 items to 100,000."""
    for ratio in np.unique(np.append(np.geomspace(1, k, 6), [min(1.5, k)])):
        wanted = Preferences(Costs(ratio=float(ratio)))
        asked = [plan_labels(n, k, wanted, np.random.default_rng(0)).recommended[1] for n in SIZES]
        assert max(asked) - min(asked) <= max(1, 0.01 * k)


def test_hard_or_soft_turns_with_the_items_only_near_a_tie():
    """T_hard / T_soft = 2 (k - 1)(k + n) / (k^2 (k + n - 2)): it falls by a factor of at most (k + 10)/(k + 8)."""
    for k in (2, 3, 10, 100, 1_000):
        for ratio in np.linspace(1, k, 9):
            prefer = preference_map(SIZES, [k], Preferences(Costs(ratio=float(ratio))))[:, 0]
            assert (prefer > 0).all() or (prefer < 0).all() or np.abs(prefer).max() < 0.12


def test_five_times_as_much_for_half_more_is_worth_it():
    """1,000 items over 10 classes; with 8,100 hard labels as the unit of every set, hard labels were advised."""
    rng = np.random.default_rng(0)
    assert plan_labels(1_000, 10, Preferences(Costs(ratio=1.5)), rng).recommended == ("soft", 10)
    assert plan_labels(1_000, 10, Preferences(Costs(ratio=1.5), reference=FIGURE_1), rng).recommended == ("hard", 1)


@given(st.integers(2, 3_000), st.integers(2, 60), st.sampled_from(sorted(UTILITIES)), st.floats(1, 60))
def test_collecting_nothing_is_not_the_best(n, k, utility, ratio):
    """At beta 1 or less soft labels are worth k hard ones each, so up to that cost some label has a loss below 0."""
    for beta in (0.2, 1.0):
        advice = plan_labels(n, k, Preferences(Costs(ratio=min(ratio, k)), utility, beta), np.random.default_rng(0))
        assert min(option.loss for option in advice.options if option.kind != "pairwise") <= 1e-12


@given(st.integers(2, 3_000), st.integers(2, 60), st.sampled_from(sorted(UTILITIES)), st.floats(0.05, 5))
def test_dearer_soft_labels_never_make_the_advice_fuller(n, k, utility, beta):
    wanted = [Preferences(Costs(ratio=float(ratio)), utility, beta) for ratio in np.geomspace(1, 2 * k, 8)]
    asked = [plan_labels(n, k, preferences, np.random.default_rng(0)).recommended[1] for preferences in wanted]
    assert all(later <= earlier for earlier, later in itertools.pairwise(asked))


@given(st.integers(2, 90), st.integers(2, 90), st.sampled_from(sorted(UTILITIES)), st.floats(0, 10))
def test_a_fixed_reference_is_the_papers_loss(n, k, utility, beta):
    """L = beta c - u(rho), Sucholutsky 2023, sec. 5: figures 1 and 6 with 8,100 hard labels as the unit of cost."""
    fixed = Preferences(utility=utility, beta=beta, reference=FIGURE_1)
    u = UTILITIES[utility]
    by_hand = [beta * n * c / 8100 - u(by_information(kind, n, k)) for kind, c in (("hard", 1), ("soft", k))]
    assert np.allclose([fixed.loss("hard", n, k), fixed.loss("soft", n, k)], by_hand)
    assert np.isclose(preference_map([n], [k], fixed)[0, 0], by_hand[0] - by_hand[1])
    assert np.isclose(loss_curve("sparse", n, k, fixed).loss[-1], by_hand[1])


def test_a_utility_below_nothing_has_no_scale_of_its_own():
    with pytest.raises(ValueError, match=r"utility .* is -1\.8.*reference=8100"):
        Preferences(utility=np.log).loss("soft", 80, 20)
    assert Preferences(utility=np.log, reference=FIGURE_1).loss("soft", 80, 20) > 0


def test_a_preference_map_is_the_difference_of_losses():
    wanted = Preferences(Costs(ratio=4), "sigmoid", 2.0)
    preferred = preference_map([5, 9], [3, 4, 7], wanted)
    assert preferred.shape == (2, 3)
    assert np.isclose(preferred[1, 2], wanted.loss("hard", 9, 7) - wanted.loss("soft", 9, 7))


@given(st.integers(2, 60), st.integers(2, 30), st.sampled_from(sorted(UTILITIES)), st.floats(0, 20))
def test_loss_curves_run_from_hard_to_soft_and_know_their_lowest_point(n, k, utility, beta):
    wanted = Preferences(utility=utility, beta=beta)
    for kind in ("sparse", "top-class"):
        curve = loss_curve(kind, n, k, wanted)
        assert np.isclose(curve.loss[0], wanted.loss("hard", n, k))
        assert np.isclose(curve.loss[-1], wanted.loss("soft", n, k))
        assert curve.loss[curve.best - 1] == curve.loss.min()


@given(st.integers(3, 60), st.integers(3, 30), st.floats(0, 20))
def test_sparse_labels_are_never_worse_than_top_class(n, k, beta):
    """Sec. 6 and figure 3: they cost the same and tell at least as much."""
    wanted = Preferences(beta=beta)
    sparse, top = (loss_curve(kind, n, k, wanted).loss for kind in ("sparse", "top-class"))
    assert (sparse <= top + 1e-12).all()


def test_cost_decides_how_many_classes_to_ask_for():
    free, dear = (loss_curve("sparse", 80, 20, Preferences(beta=beta)).best for beta in (0.0, 100.0))
    assert free == 20 and dear == 1


def test_degenerate_sets_and_preferences():
    assert loss_curve("sparse", 5, 1, Preferences()).best == 1
    assert np.isfinite(Preferences().loss("soft", 1, 5))
    with refuses("1 items", "1 classes", "three points", "3 or more"):
        Preferences().loss("hard", 1, 1)
    with refuses("k_hat is 4", "3 classes", "1 to k"):
        constraints_of("sparse", 10, 3, 4)
    with refuses("'fuzzy'", "hard, sparse, top-class, soft, pairwise"):
        constraints_of("fuzzy", 10, 3)
    with refuses("classes 'soft'", "sparse, top-class"):
        loss_curve("soft", 10, 3, Preferences())
    for wrong, facts in (
        ({"beta": -1.0}, ("beta=-1.0", "0 or more")),
        ({"beta": float("inf")}, ("beta=inf", "0 or more")),
        ({"reference": 0.0}, ("reference=0.0", "above 0")),
        ({"utility": "cubic"}, ("'cubic'", "linear, sigmoid, inverse-sigmoid")),
    ):
        with refuses(*facts):
            Preferences(**wrong)


def test_simulated_rho_stands_in_for_the_information_ratio():
    """A grid whose rho is n/100 + k/1000 for hard labels and 0.1 more for soft ones, and linear between its cells."""
    config = GridConfig(items=(3, 9), classes=(3, 6, 9), dimensions=(5,), seeds=1)
    hard = np.array(config.items)[:, None] / 100 + np.array(config.classes) / 1000
    estimate = by_simulation(Grid(config, np.stack([hard, hard + 0.1])[:, None, :, :, None]), 5)
    assert np.isclose(estimate("hard", 5, 4, 1), 0.054) and np.isclose(estimate("soft", 5, 4, 4), 0.154)
    middle = estimate("sparse", 6, 6, np.arange(1, 7))
    assert np.isclose(middle[0], 0.066) and np.isclose(middle[-1], 0.166) and (np.diff(middle) > -1e-12).all()
    wanted = Preferences(beta=0.0, estimate=estimate)
    assert np.allclose(preference_map([4, 8], [3, 5, 7], replace(wanted, reference=FIGURE_1)), 0.1)
    assert np.isclose(preference_map([4], [3], wanted)[0, 0], 0.1 / 0.143)
    # The class left out comes last without being asked about: as good as soft, and cheaper.
    assert plan_labels(6, 6, wanted, np.random.default_rng(0)).recommended == ("sparse", 5)
    with refuses("pairwise similarities", "information ratio"):
        estimate("pairwise", 5, 4, 1)
    with refuses("is 90", "3 to 9"):
        estimate("hard", 90, 4, 1)

"""The advice: what it recommends, what it says, what it refuses."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gmean

from dissensus.labels.as_json import json_text
from dissensus.plan.advice.label_plan import LabelPlan, plan_labels
from dissensus.plan.advice.page import describe_plan, loss_curves
from dissensus.plan.estimates import by_information, by_simulation
from dissensus.plan.grid import figure_1_grid
from dissensus.plan.information import constraints_of
from dissensus.plan.pilot import PilotAnswers
from dissensus.plan.tradeoff import Costs, Preferences, turning_point
from dissensus.plan.utilities import UTILITIES
from dissensus.report.document import Table
from dissensus.report.html import html_page
from tests.facts import refuses, states

rng = np.random.default_rng


def advice_page(plan: LabelPlan) -> str:
    return html_page(describe_plan(plan))


def tables(plan: LabelPlan) -> list[Table]:
    """The tables that a page and the terminal show: options, then the pilot."""
    return [block for section in describe_plan(plan).sections for block in section.blocks if isinstance(block, Table)]


def test_eighty_images_twenty_classes_soft_ten_times_as_dear():
    advice = plan_labels(80, 20, Preferences(Costs(ratio=10)), rng(0))
    record = advice.as_json()
    assert record["regime"] == "many-shot"
    assert np.isclose(record["information_ratio"]["hard"], 7600 / 485100)
    assert record["constraints"]["soft"] == 78400 and record["constraints"]["pairwise"] == 80 * 79 * 78 / 2
    assert record["recommendation"]["kind"] == "sparse" and 2 <= record["recommendation"]["k_hat"] < 20
    assert "many-shot" in record["recommendation"]["why"]
    json.dumps(record)


@given(
    st.integers(2, 100), st.integers(1, 40), st.sampled_from(sorted(UTILITIES)), st.floats(0, 30), st.floats(0.5, 50)
)
def test_the_recommended_label_has_the_lowest_loss(n, k, utility, beta, ratio):
    advice = plan_labels(n, k, Preferences(Costs(ratio=ratio), utility, beta), rng(0)) if n + k > 2 else None
    if advice is None:
        return
    labels = [option for option in advice.options if option.kind != "pairwise"]
    assert advice.best in labels and advice.best.loss == min(option.loss for option in labels)
    assert all(np.isfinite(tried.loss) for tried in advice.options)


def test_cost_turns_the_choice_where_the_advice_says():
    turn = turning_point(80, 20, Preferences(Costs(ratio=10)))
    for beta, soft_wins in ((0.999 * turn.beta, True), (1.001 * turn.beta, False)):
        wanted = Preferences(Costs(ratio=10), beta=beta)
        assert (wanted.loss("soft", 80, 20) < wanted.loss("hard", 80, 20)) == soft_wins
    for ratio, soft_wins in ((0.999 * turn.ratio, True), (1.001 * turn.ratio, False)):
        wanted = Preferences(Costs(ratio=ratio))
        assert (wanted.loss("soft", 80, 20) < wanted.loss("hard", 80, 20)) == soft_wins
    alternatives = " ".join(plan_labels(80, 20, Preferences(Costs(ratio=10)), rng(0)).alternatives)
    assert f"below {turn.beta:.3g}." in alternatives and f"less than {turn.ratio:.3g} hard" in alternatives


def test_the_unit_of_cost_does_not_matter():
    seconds, labels = (plan_labels(80, 20, Preferences(Costs(hard, 10.0)), rng(0)) for hard in (1.8, 1.0))
    assert seconds.as_json() == labels.as_json() and seconds.alternatives == labels.alternatives


def test_the_scale_of_a_loss_is_stated():
    """A cost of 1 is 1,600 hard labels for 80 items over 20 classes; or 8,100 for every set."""
    own, fixed = (plan_labels(80, 20, Preferences(reference=unit), rng(0)) for unit in (None, 8100.0))
    scale = own.as_json()["scale"]
    assert scale["cost"] == 1600 and scale["utility"] == pytest.approx(78400 / 485100)
    assert fixed.as_json()["scale"]["cost"] == 8100 and fixed.as_json()["scale"]["utility"] == 1
    assert fixed.as_json()["reference"] == 8100 and own.as_json()["reference"] is None
    for advice, words in ((own, "1,600 hard labels"), (fixed, "8,100 hard labels")):
        assert words in tables(advice)[0].note and words in advice.as_json()["scale"]["about"]
        assert advice_page(advice).count(words) == 1 + (advice is fixed)  # of the maps, too, if it is theirs


def test_advice_to_collect_what_is_not_worth_its_cost_says_so():
    for beta, is_worth in ((1.0, True), (4.0, False)):
        plan = plan_labels(1000, 10, Preferences(beta=beta), rng(0))
        assert (plan.best.loss <= 0) == is_worth and ("not worth" not in describe_plan(plan).answer) == is_worth


def test_a_budget_labels_fewer_items_with_dearer_labels():
    advice = plan_labels(80, 20, Preferences(Costs(ratio=10), beta=0.0), rng(0), budget=200)
    assert advice.option("hard").items == 80 and advice.option("soft").items == 20
    assert advice.option("soft").cost == 200 and all(tried.cost <= 200 for tried in advice.options)
    assert any("budget of 200" in sentence for sentence in advice.reasons)


@given(st.integers(1, 100), st.integers(2, 40), st.floats(0, 30), st.floats(1, 2000))
def test_a_budget_is_not_spent_on_less_than_hard_labels_tell(n, k, beta, budget):
    advice = plan_labels(n, k, Preferences(beta=beta), rng(0), budget=budget)
    assert advice.best.items == n or advice.best.constraints >= advice.option("hard").constraints
    assert all(tried.cost <= budget * (1 + 1e-9) for tried in advice.options)


def test_a_small_budget_goes_to_hard_labels():
    """One sparse label costs less than thirty hard ones, but that is not why anybody has a budget of thirty."""
    advice = plan_labels(80, 20, Preferences(beta=10), rng(0), budget=30)
    assert advice.recommended == ("hard", 1) and advice.option("hard").items == 30


def test_a_budget_holds_for_a_pilot_too():
    pair = [
        PilotAnswers(kind, 1, np.full(30, seconds), np.zeros(30)) for kind, seconds in (("hard", 2.0), ("soft", 40.0))
    ]
    assert plan_labels(80, 20, Preferences(beta=0.1), rng(0), pilot=pair).recommended == ("soft", 20)
    assert plan_labels(80, 20, Preferences(beta=0.1), rng(0), pilot=pair, budget=100).recommended == ("hard", 1)
    poor = plan_labels(80, 20, Preferences(beta=0.1), rng(0), pilot=pair, budget=30)
    assert poor.recommended == ("hard", 1)
    assert (poor.best.cost, poor.best.items) == (30, 30) and "30 of 80 items" in " ".join(poor.reasons)
    assert {tried["kind"]: tried["items"] for tried in poor.as_json()["pilot"]} == {"hard": 30, "soft": 1}


def test_pairwise_similarity_with_a_lower_loss_is_explained():
    wanted = Preferences(Costs(ratio=10))
    dear = Preferences(Costs(ratio=10), beta=3.0)
    for plan, is_lower in ((plan_labels(80, 20, wanted, rng(0)), True), (plan_labels(1000, 10, dear, rng(0)), False)):
        assert (plan.option("pairwise").loss < plan.best.loss) == is_lower
        assert any("Pairwise" in sentence for sentence in plan.alternatives) == is_lower
    assert plan_labels(80, 20, wanted, rng(0), budget=100).option("pairwise") is None


def test_pairs_are_left_out_if_labels_are_judged_by_simulation():
    record = plan_labels(80, 20, Preferences(estimate=by_simulation(figure_1_grid(), 25)), rng(0)).as_json()
    assert set(record["loss"]) == {"hard", "sparse", "top-class", "soft"} and record["scale"]["utility"] > 0.5


@given(st.integers(1, 60), st.integers(1, 30), st.floats(0.1, 40), st.floats(0, 20))
def test_sentences_do_not_contradict_the_numbers(n, k, ratio, beta):
    if n + k < 3:
        return
    advice = plan_labels(n, k, Preferences(Costs(ratio=ratio), beta=beta), rng(0))
    page = describe_plan(advice)
    sentences = " ".join((page.title, page.answer, *advice.reasons, *advice.alternatives))
    assert not re.search(r"costs? -|(?<![\d.,])1 (items|classes)\b", sentences)  # "4.1 items per class" is right
    no_gain = advice.option("soft").constraints <= advice.option("hard").constraints
    assert ("contain no more" in sentences) <= no_gain
    ratios = advice.as_json()["information_ratio"]
    assert max(ratios[kind] for kind in ratios if kind != "pairwise") == pytest.approx(ratios["soft"])


def test_many_classes_take_no_loop_over_them():
    """ImageNet-21k: 21,000 classes, all numbers of classes compared."""
    advice = plan_labels(1_000, 21_000, Preferences(Costs(ratio=50), beta=0.001), rng(0))
    assert advice.recommended[0] in ("sparse", "top-class") and advice.regime == "less-than-one-shot"


@pytest.mark.parametrize("budget", [0, -5, float("nan"), float("inf")])
def test_a_budget_of_nothing_is_refused(budget):
    with pytest.raises(ValueError, match=f"budget is {budget}"):
        plan_labels(80, 20, Preferences(), rng(0), budget=budget)


def test_a_budget_below_one_label_is_refused():
    with refuses("budget is 0.5"):
        plan_labels(80, 20, Preferences(), rng(0), budget=0.5)


def test_a_pilot_overrules_the_assumed_costs_and_ratios():
    draw = rng(0)
    cheap = [
        PilotAnswers("hard", 1, draw.lognormal(1.0, 0.2, 60), (draw.random(60) < 0.3).astype(float)),
        PilotAnswers("soft", 1, draw.lognormal(1.1, 0.2, 60), np.full(60, 0.02)),
    ]
    advice = plan_labels(80, 20, Preferences(Costs(ratio=1000)), rng(0), pilot=cheap)
    assert advice.recommended == ("soft", 20) and advice.preferences.costs.ratio < 2
    assert advice.pilot[0].best > 0.99 and states(describe_plan(advice).answer, "more than 99%")
    record = advice.as_json()
    assert record["pilot"][0]["probability_best"] > 0.99 and record["recommendation"]["k_hat"] == 20


def tried_answers(**seconds: float) -> list[PilotAnswers]:
    """Answers of kinds such as hard, soft, pairwise or sparse_3, a tenth of their comparisons wrong."""
    draw = rng(7)
    return [
        PilotAnswers(
            name.partition("_")[0].replace("top", "top-class"),
            int(name.partition("_")[2] or 1),
            draw.lognormal(np.log(each), 0.2, 30),
            np.clip(draw.normal(0.1, 0.05, 30), 0, 1),
        )
        for name, each in seconds.items()
    ]


@pytest.mark.parametrize("budget", [None, 5000.0, 400.0])
@pytest.mark.parametrize(
    "seconds",
    [
        {"hard": 2.0, "soft": 20.0},
        {"hard": 2.0, "sparse_3": 9.0, "sparse_5": 10.0, "soft": 18.0, "pairwise": 4.0},
        {"sparse_3": 9.0, "soft": 18.0},  # no hard label to count in
        {"soft": 18.0},
        {"pairwise": 3.0, "top_4": 8.0},
    ],
)
def test_pilot_and_options_are_one_account(seconds, budget):
    """Sucholutsky 2023, appendix A: costs and errors of the pilot, then the trade-off of each kind, by hand here."""
    pilot = tried_answers(**seconds)
    n, k = 1000, 10
    advice = plan_labels(n, k, Preferences(beta=0.3), rng(0), pilot=pilot, budget=budget)
    listed = {option.name: option for option in advice.options}
    # A hard label takes its typical seconds, or those of the kind assumed to be cheapest over its assumed cost.
    assumed = {"hard": 1, "soft": k, "pairwise": 1, "sparse_3": 3, "sparse_5": 5, "top_4": 4}
    nearest = "hard" if "hard" in seconds else min(seconds, key=lambda name: assumed[name])
    unit = gmean(dict(zip(seconds, pilot, strict=True))[nearest].seconds) / assumed[nearest]
    points = n + k
    soft = by_information("soft", n, k)
    for group in pilot:
        measured = next(tried for tried in advice.pilot if tried.name == group.name)
        each = float(gmean(group.seconds)) / unit
        items = measured.items
        paid = items * (items - 1) / 2 if group.kind == "pairwise" else items
        answered = constraints_of(group.kind, items, k, group.k_hat) if items else 0.0
        ratio = (1 - group.wrong.mean()) * answered / (points * (points - 1) * (points - 2) / 2)
        loss = 0.3 * paid * each / (n * k) - ratio / soft
        if budget is not None:
            assert paid * each <= budget * (1 + 1e-9)
        assert np.isclose(measured.loss.value, loss) and np.isclose(measured.ratio.value, ratio)
        if items:
            option = listed[group.name]
            assert option.items == items and np.isclose(option.cost, paid * each)
            assert np.isclose(option.loss, loss) and np.isclose(option.information_ratio, ratio)
            assert advice.is_measured(option)
    record = advice.as_json()
    assert set(record["basis"]) == set(record["loss"]) and "pilot" in record["basis"].values()
    assert (advice.hard_seconds is not None) == ("hard" not in seconds)
    if advice.hard_seconds is not None:
        assert np.isclose(advice.hard_seconds[2], unit) and f"{unit:.3g} s" in " ".join(advice.reasons)
    assert any(f"budget of {budget:,g}" in sentence for sentence in advice.reasons) if budget else True


def test_a_pilot_of_one_person_says_what_it_cannot_say():
    lone = [
        PilotAnswers(kind, 1, np.full(5, seconds), np.full(5, 0.1), np.full(5, "ann"))
        for kind, seconds in (("hard", 2.0), ("soft", 10.0))
    ]
    advice = plan_labels(80, 20, Preferences(), rng(0), pilot=lone)
    reasons = " ".join(advice.reasons)
    assert states(reasons, "single person", "soft, hard") and "probability" not in reasons
    assert {option.best for option in advice.pilot} == {0.5} and "%" not in describe_plan(advice).answer
    labels, answers, seconds, wrong, *_, best = tables(advice)[1].lines[0].cells
    assert (labels, answers.value, answers.note, seconds, wrong, best) == (
        "soft",
        5,
        "1 person",
        pytest.approx(10),
        pytest.approx(0.1),
        None,
    )
    record = json.loads(json_text(advice))["pilot"][0]
    assert record["people"] == 1 and record["seconds"] == {"value": pytest.approx(10), "low": 0, "high": math.inf}
    html = advice_page(advice)
    assert "no intervals" in html and "inf" not in re.sub("[Ii]nformation", "", html) and "∞" not in html


def test_a_pilot_without_annotators_says_that_answers_count_as_those_of_different_people():
    for who, is_unknown in ((None, True), (np.array(["ann", "ann", "bo"]), False)):
        tried = [
            PilotAnswers(kind, 1, seconds * np.array([1, 1.1, 1.2]), np.zeros(3), who)
            for kind, seconds in (("hard", 2.0), ("soft", 9.0))
        ]
        plan = plan_labels(80, 20, Preferences(), rng(0), pilot=tried)
        assert {option.people for option in plan.pilot} == {None if is_unknown else 2}
        assert ("annotator column" in " ".join(plan.reasons)) == is_unknown


def test_where_one_person_gave_all_answers_of_one_kind_the_others_keep_their_intervals():
    tried = [
        PilotAnswers("hard", 1, np.array([2.0, 2.5]), np.zeros(2), np.array(["ann", "ann"])),
        PilotAnswers("soft", 1, np.array([20.0, 30.0, 25.0]), np.zeros(3), np.array(["ann", "bo", "cy"])),
    ]
    plan = plan_labels(80, 20, Preferences(), rng(0), pilot=tried)
    cells = {row.cells[0]: row.cells for row in tables(plan)[1].lines}
    assert cells["soft"][2].value == pytest.approx(24.7, abs=0.05) and cells["hard"][2] == 2.25
    assert np.isfinite([cells["soft"][2].low, cells["soft"][2].high]).all()
    assert "all hard answers" in " ".join(plan.reasons) and {row[-1] for row in cells.values()} == {None}


def test_what_an_untried_soft_label_is_taken_to_cost_is_said():
    dear = plan_labels(80, 10, Preferences(), rng(0), pilot=tried_answers(hard=2.0, sparse_5=50.0))
    sparse = next(option.each.value for option in dear.pilot if option.kind == "sparse")
    assert dear.soft_cost == (10, pytest.approx(2 * sparse))
    assert states(" ".join(dear.reasons), f"{2 * sparse:.3g} hard labels", "instead of 10")
    assert dear.as_json()["basis"]["soft"] == "assumed" and "assumed" in tables(dear)[0].note
    for tried in ({"hard": 2.0}, {"hard": 2.0, "sparse_5": 50.0, "soft": 90.0}):
        assert plan_labels(80, 10, Preferences(), rng(0), pilot=tried_answers(**tried)).soft_cost is None


def test_a_pilot_of_which_nothing_can_be_paid_is_refused():
    with refuses("80 items", "budget of 5", "soft"):
        plan_labels(80, 10, Preferences(), rng(0), pilot=tried_answers(soft=18.0), budget=5)
    with refuses("1 items", "pairwise"):
        plan_labels(1, 5, Preferences(), rng(0), pilot=tried_answers(pairwise=3.0))
    assert plan_labels(2, 5, Preferences(), rng(0), pilot=tried_answers(pairwise=3.0)).recommended == ("pairwise", 0)


def test_the_page_and_the_curves_show_one_loss_for_one_kind():
    pilot = tried_answers(hard=2.0, sparse_3=9.0, soft=18.0)
    advice = plan_labels(200, 10, Preferences(beta=0.3), rng(0), pilot=pilot)
    html, curves = advice_page(advice), loss_curves(advice)
    options, pilot_table = ({row.cells[0]: row.cells for row in table.lines} for table in tables(advice))
    for option in advice.pilot:
        assert options[option.name][-1] == pytest.approx(pilot_table[option.name][-2], rel=1e-12)
        assert pilot_table[option.name][-2] == option.loss.value and f"{option.loss.value:.4f}</td>" in html
    by_name = {option.name: option.loss for option in advice.options}
    assert np.isclose(curves["sparse"][1][2], by_name["sparse (3 classes)"])
    assert np.isclose(curves["hard"][1][0], by_name["hard"]) and np.isclose(curves["soft"][1][0], by_name["soft"])


def test_untested_kinds_are_interpolated():
    pilot = tried_answers(hard=2.0, sparse_3=8.0, soft=20.0)
    wanted = plan_labels(200, 10, Preferences(), rng(0), pilot=pilot).preferences
    three, ten = (float(gmean(pilot[at].seconds) / gmean(pilot[0].seconds)) for at in (1, 2))
    assert np.isclose(wanted.costs.total("sparse", 1, 10, 2), (1 + three) / 2)
    assert np.isclose(wanted.costs.total("sparse", 1, 10, 6), three + (ten - three) * 3 / 7)
    rates = [group.wrong.mean() for group in pilot]
    assert np.isclose(wanted.errors.rate("sparse", 10, 2), (rates[0] + rates[1]) / 2)
    assert np.isclose(wanted.errors.rate("top-class", 10, 4), rates[0] + (rates[2] - rates[0]) / 3)
    assert wanted.errors.rate("pairwise", 10) == 0


@pytest.mark.parametrize(("n", "k"), [(1, 5), (5, 1), (2, 2), (3, 2)])
def test_tiny_sets_have_a_defined_answer(n, k):
    advice = plan_labels(n, k, Preferences(), rng(0))
    assert advice.recommended[0] in ("hard", "sparse", "top-class", "soft") and advice_page(advice)


@pytest.mark.parametrize(
    ("n", "k", "message"), [(1, 1, "three points"), (0, 5, "items"), (5, 0, "classes"), (-3, 4, "n")]
)
def test_impossible_sets_are_refused(n, k, message):
    with pytest.raises(ValueError, match=message):
        plan_labels(n, k, Preferences(), rng(0))


def test_the_page_rings_the_users_cell_and_fetches_nothing():
    draw = rng(0)
    pilot = [PilotAnswers("hard", 1, draw.lognormal(1, 0.2, 9), np.full(9, np.nan))]
    for n, k, tried in ((80, 20, ()), (5000, 300, pilot)):
        html = advice_page(plan_labels(n, k, Preferences(Costs(ratio=10)), rng(0), pilot=tried, budget=10_000))
        assert html.count("<circle") >= 2 * 11 and "http" not in html.replace("http://www.w3.org", "")
        assert "Collect " in html and 'role="img"' in html and f"{n:,}" in html
        assert (">Pilot</h2>" in html) == bool(tried)


def test_the_page_has_the_simulated_maps_for_sets_within_them():
    within, beyond = (advice_page(plan_labels(n, 20, Preferences(), rng(0))) for n in (80, 800))
    grid = figure_1_grid()
    for kind in ("hard", "soft"):
        assert f"{kind} labels, 25 dimensions: {grid.at(kind, 80, 20, 25):.2f}" in within
    assert "dimensions" in within and "dimensions" not in beyond


def test_curves_end_where_hard_and_soft_labels_lie():
    losses = loss_curves(plan_labels(30, 8, Preferences(), rng(0)))
    assert losses["sparse"][1][0] == losses["hard"][1][0] and np.isclose(losses["sparse"][1][-1], losses["soft"][1][0])

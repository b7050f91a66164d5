"""The scorecard puts the parts together: its numbers are theirs, and what cannot be told is said."""

from __future__ import annotations

import json
import math
import re
from html import escape
from xml.etree import ElementTree

import numpy as np
import pytest

from dissensus.aggregate.counting import majority_vote
from dissensus.evaluate.alignment import entropy_pearson, entropy_spearman
from dissensus.evaluate.bootstrap import of_drawn_items
from dissensus.evaluate.calibration import confidence_and_outcome, equal_mass_ece, rmse_calibration
from dissensus.evaluate.ceiling import human_ceiling
from dissensus.evaluate.comparisons import compare
from dissensus.evaluate.metrics import CLOSENESS, CONFIDENCE, METRICS, Metric
from dissensus.evaluate.one_pass import sweep
from dissensus.evaluate.scorecard_page import answer_about_model, describe_scorecard
from dissensus.evaluate.scorecards import MANY_ROWS, scorecard
from dissensus.evaluate.significance import adjust_p_values
from dissensus.evaluate.smooth_calibration import smooth_ece
from dissensus.labels.distributions import Distributions
from dissensus.labels.transforms import smooth
from dissensus.labels.votes import Votes
from dissensus.report.html import html_page
from dissensus.report.terminal import print_document
from tests.facts import missing_facts, refuses, states

CLASSES = ("cat", "deer", "dog")
KEYS = {
    "soft_nll",
    "kl",
    "js",
    "brier",
    "accuracy",
    "second_best_accuracy",
    "ece_equal_mass",
    "rmse_calibration",
    "smooth_ece",
    "entropy_pearson",
    "entropy_spearman",
}


@pytest.fixture(scope="module")
def crowd():
    """True distributions of 240 items, and 20 votes on each."""
    rng = np.random.default_rng(0)
    truth = rng.dirichlet([0.7] * 3, 240)
    counts = np.array([rng.multinomial(20, row) for row in truth])
    return truth, Distributions.from_counts(counts, items=[f"photo {i}" for i in range(240)], classes=CLASSES)


@pytest.fixture(scope="module")
def models(crowd):
    truth, labels = crowd
    sure = truth**4 / (truth**4).sum(axis=1, keepdims=True)
    noise = np.random.default_rng(1).dirichlet([1.0] * 3, 240)
    return {
        "truth": Distributions(truth, labels.items, CLASSES),
        "too sure": Distributions(sure, labels.items, CLASSES),
        "noise": Distributions(noise, labels.items, CLASSES),
    }


@pytest.fixture(scope="module")
def compared(crowd, models):
    rng = np.random.default_rng(2)
    return compare(models, crowd[1], rng=rng, replicates=200, columns={"half": ["first"] * 120 + ["second"] * 120})


def test_every_number_is_that_of_its_own_function(crowd, models, compared):
    _, labels = crowd
    card = compared.cards["too sure"]
    p, q = labels.probs, models["too sure"].probs
    for name, metric in METRICS.items():
        if metric.of == "items" and metric.against == "people":
            assert card.scores[name].value == pytest.approx(np.nanmean(metric.function(q, p)))
            assert card.values[name].shape == (240,)
    columns = confidence_and_outcome(q, p)
    wanted = {
        "ece_equal_mass": equal_mass_ece(*columns),
        "rmse_calibration": rmse_calibration(*columns),
        "smooth_ece": smooth_ece(*columns),
        "entropy_pearson": entropy_pearson(q, p),
        "entropy_spearman": entropy_spearman(q, p),
    }
    for name, value in wanted.items():
        assert card.scores[name].value == pytest.approx(value)
        assert card.scores[name].low <= card.scores[name].high


def test_the_one_pass_for_many_items_gives_the_same_numbers(crowd, models, compared):
    """What `scorecard` does beyond MANY_ROWS items, on few."""
    swept = sweep(models["noise"].probs, crowd[1].probs)
    for name, score in compared.cards["noise"].scores.items():
        if name in swept:
            assert score.value == pytest.approx(swept[name], abs=2e-5), name
    assert swept.keys() >= KEYS


def test_the_ceiling_is_read_beside_the_scores(crowd, compared):
    card = compared.reference
    alone = human_ceiling(crowd[1], np.random.default_rng(5), refits=2)  # which make intervals, not values
    for name in card.ceiling.half:
        half, best = card.ceiling_of(name)
        assert half.value == pytest.approx(alone.half[name].value, abs=0.06)
        assert best.value == pytest.approx(alone.corrected[name].value, abs=0.03)
    assert card.ceiling_of("manhattan") is None
    # The truth scores about what the ceiling says is possible; the others do worse.
    assert card.scores["kl"].value == pytest.approx(card.ceiling_of("kl")[1].value, rel=0.2)
    numbers = re.findall(r"[\d.]+(?=%| nats|;|\.$)", answer_about_model(card))
    half, best = card.ceiling_of("accuracy")
    assert [float(n) for n in (numbers[0], numbers[2], numbers[4])] == pytest.approx(
        [100 * card.scores["accuracy"].value, 100 * half.value, 100 * best.value], abs=0.051
    )


def page(result, title: str) -> str:
    return html_page(describe_scorecard(result, title))


def main_columns(printed: str) -> list[str]:
    """Titles of the table of several models, without that of its first column."""
    lines = printed.splitlines()
    return lines[lines.index("Models side by side") + 1].split()[1:]


def test_better_models_score_better(compared):
    for name in ("soft_nll", "kl", "js", "brier", "ece_equal_mass", "smooth_ece"):
        values = {model: card.scores[name].value for model, card in compared.cards.items()}
        assert values["truth"] < values["too sure"] < values["noise"]
    assert {name for name in KEYS if METRICS[name].better == "higher"} == {
        "accuracy",
        "second_best_accuracy",
        "entropy_pearson",
        "entropy_spearman",
    }


def test_differences_are_paired_and_corrected(compared):
    found = {(one.model, one.score): one for one in compared.differences}
    one = found["too sure", "soft_nll"]
    a, b = (compared.cards[name].values["soft_nll"] for name in ("too sure", "truth"))
    assert one.interval.value == pytest.approx((a - b).mean()) and one.interval.low > 0
    assert one.interval.sd == pytest.approx((a - b).std() / np.sqrt(240), rel=0.15)
    tests = [each.comparison for each in compared.differences if each.comparison is not None]
    # Sharpening does not change which class is first, so accuracy has nothing to test there.
    assert found["too sure", "accuracy"].comparison is None
    per_item = [name for name, metric in METRICS.items() if metric.compared and metric.of == "items"]
    family = 2 * len(per_item) - 1
    assert len(tests) == family and {test.family for test in tests} == {family} and {test.n for test in tests} == {240}
    assert [test.adjusted_p for test in tests] == pytest.approx(adjust_p_values(np.array([test.p for test in tests])))
    assert found["noise", "entropy_pearson"].comparison is None and found["noise", "entropy_pearson"].interval.high < 0


def test_a_model_that_differs_by_rounding_only_is_not_tested(crowd, models):
    """1/3 + 1/3 + 1/3 in another order must not become a significant difference."""
    close = Distributions(models["noise"].probs * (1 + 1e-15), models["noise"].items, CLASSES)
    found = compare(
        {"a": models["noise"], "b": close}, crowd[1], rng=np.random.default_rng(0), replicates=10, ceiling=False
    )
    assert all(one.comparison is None for one in found.differences)


def test_clusters_count_once(crowd, models):
    found = compare(
        {"truth": models["truth"], "noise": models["noise"]},
        crowd[1],
        rng=np.random.default_rng(0),
        clusters=np.repeat(np.arange(30), 8),
        ceiling=False,
        replicates=40,
    )
    assert {one.comparison.n for one in found.differences if one.comparison is not None} == {30}


def test_the_ceiling_draws_clusters_too(crowd, models):
    """Every item six times: over clusters the ceiling is as unsure as 40 items are, over items it looks far surer."""
    often = np.arange(40).repeat(6)
    model, people = models["noise"].probs[often], crowd[1].counts()[often]
    apart, together = (
        scorecard(model, people, rng=np.random.default_rng(0), replicates=10, clusters=of) for of in (None, often)
    )
    for wide, narrow in zip(together.ceiling_of("soft_nll"), apart.ceiling_of("soft_nll"), strict=True):
        assert wide.sd > 1.5 * narrow.sd
    few = scorecard(
        [[0.5, 0.5]] * 3,
        [[2, 1], [1, 2], [1, 0]],
        rng=np.random.default_rng(0),
        replicates=10,
        clusters=["a", "a", "b"],
    )
    assert few.ceiling is None and any(
        not missing_facts(remark, "ceiling", "two votes", "one cluster") for remark in few.remarks
    )


def test_intervals_of_calibration_and_slices_draw_clusters_too(crowd, models):
    """Every item twelve times: clusters say that nothing was added, so intervals are those of the items alone."""
    _, labels = crowd
    few, copies = np.arange(20), np.tile(np.arange(20), 12)
    p, q = labels.probs, models["noise"].probs

    def widths(rows, clusters):
        card = scorecard(
            q[rows], p[rows], rng=np.random.default_rng(0), clusters=clusters, columns={"all": ["x"] * len(rows)}
        )
        found = [card.scores["ece_equal_mass"], card.scores["js"], card.slices["all"]["js"][0].score]
        return np.array([one.high - one.low for one in found])

    alone, clustered, naive = widths(few, None), widths(copies, copies), widths(copies, None)
    assert (clustered > 0.6 * alone).all() and (naive < 0.5 * alone).all()


def test_the_interval_and_the_test_of_a_difference_are_about_the_same_mean():
    """One large cluster on which b is worse and nine of one item on which it is better: items decide, not clusters."""
    clusters = np.repeat(np.arange(10), [91] + [1] * 9)
    people = np.tile([0.5, 0.3, 0.2], (100, 1))
    a = np.tile([0.4, 0.4, 0.2], (100, 1))
    b = np.where((clusters == 0)[:, None], [0.2, 0.6, 0.2], people)
    found = compare(
        {"a": a, "b": b}, people, rng=np.random.default_rng(0), clusters=clusters, ceiling=False, replicates=200
    )
    one = next(one for one in found.differences if one.score == "js")
    assert one.interval.value > 0 and one.comparison.difference == pytest.approx(one.interval.value)
    assert (
        one.comparison.n == 10 and states(one.comparison.test, "paired t-test", "clusters") and one.comparison.p > 0.05
    )


def test_slices_have_the_coverage_that_was_asked_for(crowd, models):
    def width(coverage):
        card = scorecard(models["noise"], crowd[1], rng=np.random.default_rng(0), ceiling=False, coverage=coverage)
        part = card.slices["majority class"]["js"][0].score
        assert part.coverage == coverage
        return part.high - part.low

    assert width(0.5) < 0.5 * width(0.99)


def test_the_parts_of_the_brier_score_add_up_to_the_score_they_stand_under(compared):
    for card in compared.cards.values():
        frame = dict(zip(card.to_arrow()["score"].to_pylist(), card.to_arrow()["value"].to_pylist(), strict=True))
        for name in ("brier", "confidence_brier", "confidence_brier_majority"):
            base, suffix = name.removesuffix("_majority"), "_majority" * name.endswith("_majority")
            parts = [frame[f"{base}_{part}{suffix}"] for part in ("reliability", "resolution", "uncertainty", "inside")]
            assert parts[0] - parts[1] + parts[2] + parts[3] == pytest.approx(frame[name], abs=1e-12), (card.name, name)
    assert "soft Brier, resolution" in page(compared, "photos")


def test_one_bin_of_rmse_calibration_is_said(crowd, models):
    def remarks(n):
        card = scorecard(models["noise"].probs[:n], crowd[1].probs[:n], rng=np.random.default_rng(0), replicates=10)
        return [remark for remark in card.remarks if "RMSE calibration" in remark]

    assert not remarks(200) and states(remarks(199)[0], "199 items", "single bin")


def test_a_slice_inside_one_cluster_has_no_interval(crowd, models):
    _, labels = crowd
    found = compare(
        {"noise": models["noise"]},
        labels,
        rng=np.random.default_rng(0),
        replicates=20,
        columns={"half": ["a"] * 120 + ["b"] * 120},
        clusters=np.maximum(np.arange(240), 119),
    )
    first, second = found.reference.slices["half"]["js"]
    assert np.isnan(first.score.low) and first.score.value == pytest.approx(found.reference.values["js"][:120].mean())
    assert second.score.low < second.score.high
    assert not re.search(r"\bnan\b", page(found, "photos"), re.IGNORECASE)


def test_slices_hold_all_items(compared):
    slices = compared.reference.slices
    assert set(slices) == {"entropy", "disagreement", "majority class", "half"}
    for by, scores in slices.items():
        parts = scores["js"]
        assert sum(part.items for part in parts) == 240, by
        mean = sum(part.items * part.score.value for part in parts) / 240
        assert mean == pytest.approx(compared.reference.scores["js"].value)


def test_json_has_the_fixed_keys_and_survives_a_round_trip(compared):
    told = compared.as_json()
    for name in KEYS:
        assert set(told[name]) == {"value", "low", "high"}
    assert set(told["compare"]) == {"too sure", "noise"} and told["compare"]["noise"].keys() >= KEYS
    assert told["human_ceiling"]["best"]["kl"]["value"] > 0 and told["items"] == 240
    for one in told["differences"]:
        if "comparison" in one:
            assert {"p", "n", "minimum_p", "holm_p"} <= one["comparison"].keys()
    assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_an_infinite_loss_is_shown_with_its_items_and_the_way_out(crowd):
    _, labels = crowd
    hard = np.eye(3)[labels.probs.argmax(axis=1)]
    card = scorecard(hard, labels, rng=np.random.default_rng(0), replicates=10)
    excluded = int(((labels.probs > 0) & (hard == 0)).any(axis=1).sum())
    assert card.scores["soft_nll"].value == math.inf and card.infinite == excluded == card.as_json()["infinite_items"]
    remark = next(remark for remark in card.remarks if "infinite" in remark)
    assert f"on {excluded} of 240 items" in remark and "smooth" in remark
    record = card.as_json()
    assert record["soft_nll"]["value"] == math.inf and record["entropy_pearson"]["value"] is None
    found = compare(
        {"hard": hard, "flat": np.full((240, 3), 1 / 3)},
        labels,
        rng=np.random.default_rng(0),
        replicates=10,
        ceiling=False,
    )
    assert any(not missing_facts(remark, "flat and hard", "soft_nll", "infinite") for remark in found.remarks)
    assert "∞" in page(found, "x")


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        (lambda d: d.probs, "probabilities"),
        (lambda d: np.eye(3, dtype=int)[d.probs.argmax(axis=1)], "no item has two votes"),
    ],
)
def test_without_votes_there_is_no_ceiling_and_it_is_said(crowd, models, labels, why):
    card = scorecard(models["noise"].probs, labels(crowd[1]), rng=np.random.default_rng(0), replicates=10)
    assert card.ceiling is None and any(why in remark for remark in card.remarks)
    assert card.as_json()["human_ceiling"] is None


def test_votes_gold_and_other_orders_are_matched_by_name(crowd, models):
    _, labels = crowd
    counts = labels.counts()
    item, code = np.nonzero(counts)
    times = counts[item, code]
    votes = Votes(item=np.repeat(item, times), items=labels.items, choice=np.repeat(code, times), classes=CLASSES)
    turned = Distributions(models["noise"].probs[::-1, ::-1], labels.items[::-1], CLASSES[::-1])
    gold = [CLASSES[c] if i % 2 else None for i, c in enumerate(counts.argmax(axis=1))]
    rng = np.random.default_rng
    card = scorecard(turned, votes, rng=rng(0), gold=gold, replicates=10)
    again = scorecard(
        models["noise"], labels, rng=rng(0), gold=np.where(np.arange(240) % 2, counts.argmax(axis=1), -1), replicates=10
    )
    assert card.as_json() | {"people": ""} == again.as_json() | {"people": ""}
    assert np.isnan(card.values["accuracy_gold"]).sum() == 120
    assert card.scores["accuracy_gold"].value == pytest.approx(card.values["accuracy"][1::2].mean(), abs=0.05)


def test_numbers_as_gold_are_codes_unless_the_classes_are_other_numbers(crowd, models):
    _, labels = crowd
    codes = labels.probs.argmax(axis=1)
    rng = np.random.default_rng(0)
    with_gaps = [float("nan") if i < 5 else float(code) for i, code in enumerate(codes)]
    card = scorecard(models["noise"], labels, rng=rng, gold=with_gaps, replicates=10, ceiling=False)
    by_name = scorecard(
        models["noise"],
        labels,
        rng=rng,
        replicates=10,
        ceiling=False,
        gold=[None] * 5 + [CLASSES[code] for code in codes[5:]],
    )
    assert card.scores["accuracy_gold"].value == by_name.scores["accuracy_gold"].value
    assert np.isnan(card.values["accuracy_gold"][:5]).all()
    stars = Distributions(labels.probs, labels.items, ("1", "2", "3"))
    with refuses("gold has numbers", "1, 2, 3"):
        scorecard(models["noise"].probs, stars, rng=rng, gold=codes)


def test_items_of_one_side_only_are_refused_or_left_out_with_what_belongs_to_them(crowd, models):
    _, labels = crowd
    part = models["noise"].select(np.arange(100))
    with refuses("140 items have labels", "no predictions", "photo 100", ways={"missing": "leave out"}):
        scorecard(part, labels, rng=np.random.default_rng(0))
    card = scorecard(
        part,
        labels,
        rng=np.random.default_rng(0),
        missing="leave out",
        replicates=10,
        columns={"place": np.arange(240) // 60},
    )
    facts = ("140 items", "prediction", "left out")
    assert card.people.n_items == 100 and any(not missing_facts(remark, *facts) for remark in card.remarks)
    assert [(p.name, p.items) for p in card.slices["place"]["js"]] == [("0", 60), ("1", 40)]


def test_many_items_are_swept_and_it_is_said():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1.0] * 3, MANY_ROWS + 10)
    found = compare({"a": p, "b": p[:, ::-1]}, rng.multinomial(5, p), rng=rng, gold=p.argmax(axis=1))
    assert not found.reference.values and found.reference.scores["accuracy_gold"].value == 1
    record = found.as_json()
    assert record["kl"]["value"] > 0 and record["kl"]["low"] is record["kl"]["high"] is None and record.keys() >= KEYS
    assert found.reference.ceiling is None and not found.reference.slices
    assert any(not missing_facts(remark, "human ceiling", "intervals or slices") for remark in found.reference.remarks)
    quiet = scorecard(p, p, rng=rng, ceiling=False, columns={"half": np.arange(len(p)) % 2})
    assert not quiet.slices and any("intervals or slices" in remark for remark in quiet.remarks)
    assert "All scores" in page(found, "many")


def test_a_single_scorecard_has_a_page_too(compared):
    assert f"<h1>{compared.reference.name} against people</h1>" in page(compared.reference, "photos")


def test_the_page_is_well_formed_and_fetches_nothing(compared):
    html = page(compared, "photos & <votes>")
    ElementTree.fromstring(html.removeprefix("<!doctype html>"))
    assert "http" not in html.replace("http://www.w3.org", "") and "<script src" not in html
    assert html.count('role="img"') == html.count("<svg") > 10
    assert escape("photos & <votes>") in html and "&lt; 0.001" in html
    assert states(html, "paired t-test", "240 items")


def test_every_metric_is_where_its_entry_says_or_hidden(crowd, models, capsys):
    """In the scorecard and in JSON always; in the terminal, on the page and in the ceiling if its entry says so."""
    _, labels = crowd
    rng = np.random.default_rng(0)
    gold = labels.probs.argmax(axis=1)
    alone = compare({"noise": models["noise"]}, labels, rng=rng, gold=gold, replicates=10)
    both = compare(
        {"a": models["noise"], "b": models["truth"]}, labels, rng=rng, gold=gold, replicates=10, ceiling=False
    )
    print_document(describe_scorecard(alone, "photos", details=False))
    table = capsys.readouterr().out
    print_document(describe_scorecard(both, "photos", details=False))
    columns = main_columns(capsys.readouterr().out)
    shown, told = page(alone, "photos"), alone.as_json()
    assert set(alone.reference.scores) == set(METRICS)
    for name, metric in METRICS.items():
        assert name in told
        assert (escape(metric.meaning) in shown) == (metric.shown != "hidden"), name
        assert (metric.meaning in table) == (metric.shown == "table"), name
        assert (
            (alone.reference.ceiling_of(name) is not None) == metric.ceiling == (name in told["human_ceiling"]["half"])
        )
        assert (name in {one.score for one in both.differences}) == metric.compared
        assert (name in alone.reference.slices["entropy"]) == metric.sliced
    assert columns == [metric.short for metric in METRICS.values() if metric.short]


def hellinger(p_model, p_people):
    return np.sqrt(((np.sqrt(p_model) - np.sqrt(p_people)) ** 2).sum(axis=1) / 2)


def largest_gap(p_model, p_people):
    return float(np.abs(p_model - p_people).max())


def worst_item(confidence, outcome):
    return float(np.abs(confidence - outcome).max())


def test_a_new_metric_is_one_function_and_one_entry(crowd, models, monkeypatch, capsys):
    """Of each kind one: it is scored, shown, compared, sliced, has its ceiling, and is there for many items too."""
    _, labels = crowd
    added = {
        "hellinger": Metric(
            hellinger,
            "Hellinger distance",
            "lower",
            CLOSENESS,
            "table",
            short="H",
            ceiling=True,
            compared=True,
            sliced=True,
        ),
        "largest_gap": Metric(largest_gap, "largest gap", "lower", CLOSENESS, "page", of="set"),
        "worst_item": Metric(
            worst_item, "worst item", "lower", CONFIDENCE, "page", of="confidence", resampled=of_drawn_items(worst_item)
        ),
    }
    for name, metric in added.items():
        monkeypatch.setitem(METRICS, name, metric)
    rng = np.random.default_rng(0)
    found = compare({"noise": models["noise"], "truth": models["truth"]}, labels, rng=rng, replicates=20)
    p, q = labels.probs, models["noise"].probs
    expected = {
        "hellinger": hellinger(q, p).mean(),
        "largest_gap": largest_gap(q, p),
        "worst_item": worst_item(*confidence_and_outcome(q, p)),
    }
    for name, value in expected.items():
        assert found.reference.scores[name].value == pytest.approx(value)
        assert added[name].meaning in page(found, "photos") and name in found.as_json()
        assert sweep(q, p)[name] == pytest.approx(value)
    half, best = found.reference.ceiling_of("hellinger")
    assert best.value < half.value < found.reference.scores["hellinger"].value
    assert (
        found.reference.scores["worst_item"].low <= expected["worst_item"]
        and "hellinger" in found.reference.slices["entropy"]
    )
    difference = next(one for one in found.differences if one.score == "hellinger")
    assert difference.interval.high < 0 and difference.comparison.p < 0.001
    print_document(describe_scorecard(found, "photos", details=False))
    assert "H" in main_columns(capsys.readouterr().out)


def test_bad_input_is_refused(crowd, models):
    rng = np.random.default_rng(0)
    _, labels = crowd
    with refuses("model", "5 rows", "3 columns", "240 items"):
        scorecard(models["noise"].probs[:5], labels, rng=rng)
    with refuses("gold of item 0", "'cow'", "cat, deer, dog", "240 of 240"):
        scorecard(models["noise"], labels, rng=rng, gold=["cow"] * 240)
    with refuses("gold of item 1", "0.5"):
        scorecard(models["noise"], labels, rng=rng, gold=[0.0, 0.5] * 120)
    with pytest.raises(ValueError, match="slices by 'entropy'"):
        scorecard(models["noise"], labels, rng=rng, columns={"entropy": ["a"] * 240})
    with refuses("gold", "(3,)", "240 items"):
        scorecard(models["noise"], labels, rng=rng, gold=[0, 1, 2])
    with refuses("no models"):
        compare({}, labels, rng=rng)
    with refuses("1 items", "3 classes"):
        scorecard(models["noise"].probs[:1], labels.probs[:1], rng=rng)


def test_chaosnli_models_lie_far_below_the_ceiling(loaded):
    """Released logits of BERT and RoBERTa against a hundred people: KL fifty times what the truth would score."""
    from dissensus.datasets import predictions

    labels = loaded("chaosnli-snli").labels
    loaded("chaosnli-snli-original")
    model = predictions("chaosnli-snli-models")["roberta-base seed 0"]
    card = scorecard(model, labels, rng=np.random.default_rng(0), replicates=40)
    assert card.scores["kl"].value == pytest.approx(0.617, abs=5e-4)
    assert card.scores["accuracy"].value == pytest.approx(0.739, abs=1e-3)
    assert card.scores["kl"].low > 40 * card.ceiling_of("kl")[1].value


def test_mass_is_divided_by_its_sum_when_asked_and_the_card_says_for_how_many(crowd, models):
    mass = models["truth"].probs * np.where(np.arange(240) < 100, 2.5, 1.0)[:, None]
    options = {"replicates": 10, "ceiling": False}
    with refuses("100 of 240 rows", ways={"rescale": True}):
        scorecard(mass, crowd[1], rng=np.random.default_rng(0), **options)
    card = scorecard(mass, crowd[1], rng=np.random.default_rng(0), rescale=True, **options)
    rescaled = ("100 of 240 rows", "2.5", "divided")
    assert any(not missing_facts(remark, "model", *rescaled) for remark in card.remarks)
    plain = scorecard(models["truth"].probs, crowd[1], rng=np.random.default_rng(0), **options)
    assert card.scores["kl"].value == pytest.approx(plain.scores["kl"].value, rel=1e-12)
    both = compare({"a": mass, "b": models["noise"]}, crowd[1], rng=np.random.default_rng(0), rescale=True, **options)
    assert any(remark.startswith("a:") and not missing_facts(remark, *rescaled) for remark in both.all_remarks)
    assert not any(remark.startswith("b:") for remark in both.all_remarks)


def test_majorities_of_a_hundred_judgements_have_no_ceiling_and_their_shares_have(loaded):
    """ChaosNLI: nobody knows from a majority how far people agreed, and a file of majorities does not pretend to."""
    judgements = loaded("chaosnli-snli").labels
    model = smooth(judgements, 0.1)
    options = {"rng": np.random.default_rng(0), "replicates": 10}
    of_votes = scorecard(model, judgements, **options)
    assert 0.005 < of_votes.ceiling_of("kl")[1].value < 0.02  # 0.010 on the page about evaluation
    of_majorities = scorecard(model, majority_vote(Votes.of_counts(judgements)), **options)
    assert of_majorities.ceiling is None and of_majorities.people.form == "probabilities"
    assert any(not missing_facts(remark, "human ceiling", "probabilities") for remark in of_majorities.remarks)


def test_a_single_item_with_two_votes_has_no_ceiling_and_the_card_says_so():
    counts = np.array([[1, 0, 0]] * 9 + [[2, 1, 0]])
    card = scorecard(np.full((10, 3), 1 / 3), counts, rng=np.random.default_rng(0), replicates=50)
    assert card.ceiling is None
    assert any(not missing_facts(remark, "human ceiling", "single item", "two votes") for remark in card.remarks)


def test_a_score_that_people_do_not_have_has_no_ceiling_of_0():
    """All votes agree, so nobody has a second choice and no entropy differs: null, and not a ceiling of 0."""
    card = scorecard(
        np.full((12, 3), 1 / 3), np.repeat([[4, 0, 0], [0, 4, 0]], 6, axis=0), rng=np.random.default_rng(0)
    )
    record = json.loads(json.dumps(card.as_json()["human_ceiling"]))
    for name in ("second_best_accuracy", "entropy_pearson", "entropy_spearman"):
        assert record["half"][name]["value"] is None and record["best"][name]["value"] is None
    assert record["half"]["accuracy"]["value"] == 1

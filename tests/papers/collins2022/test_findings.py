"""Claims about learning follow the scores, and turn when labels are broken."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from dissensus import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.papers.collins2022.arms import KINDS
from dissensus.papers.collins2022.comparisons import changes, compare_kinds, near
from dissensus.papers.collins2022.findings import learning_findings, with_accuracies
from dissensus.papers.collins2022.labels import Pool, beliefs_of, votes_of
from dissensus.papers.collins2022.paper import PAPER
from dissensus.papers.collins2022.published import LABEL_CLAIMS, SCORES, SETS, score
from dissensus.papers.collins2022.scores import evaluate_cell
from dissensus.papers.collins2022.studies import spec
from dissensus.study import read_folder, read_predictions, run_study, study_of
from dissensus.train.heads.features import FeatureTable

CLASSES = ("cat", "dog", "deer", "frog")


def as_printed(noise=0.001):
    """Scores as the paper prints them, with little noise; kinds between those printed are as the next that is."""
    rng = np.random.default_rng(0)
    between = {"h 4": "h 2", "h 8": "h 2", "h 16": "h", "h 32": "h", "s 3": "s 2", "s 4": "s", "s 5": "s"}

    def own(kind, set_, metrics):
        means = {metric: score(between.get(kind, kind), set_, metric).value for metric in metrics}
        return {metric: mean * (1 + noise * rng.standard_normal()) for metric, mean in means.items()} | {
            "too sure": 0.1
        }

    def of(models, metrics):
        return {
            kind: {
                model: {str(seed): {set_: own(kind, set_, metrics) for set_ in SETS} for seed in range(3)}
                for model in models
            }
            for kind in KINDS
        }

    both = ("ce", "calibration")
    return {"heads": of(("mlp", "linear"), both), "networks": of(("vgg11",), (*both, "fgsm"))}


def test_the_papers_own_scores_bear_out_its_claims():
    findings = learning_findings(as_printed())
    assert set(findings) | {claim.key for claim in LABEL_CLAIMS} == {claim.key for claim in PAPER.claims}
    off = {key for key, finding in findings.items() if finding.verdict not in ("equal", "same direction")}
    assert off == set(), {key: findings[key].ours for key in off}


def test_scores_turned_round_turn_every_order():
    scores = as_printed()
    for by_kind in scores.values():
        for sets in (sets for by_model in by_kind.values() for seeds in by_model.values() for sets in seeds.values()):
            for values in sets.values():
                values |= {metric: 1 / value for metric, value in values.items() if metric != "too sure"}
    findings = learning_findings(scores)
    for key in (
        "table-1-hard-10h-ce",
        "table-1-softness-10h",
        "table-1-people-10s",
        "table-2-10s-ce",
        "figure-6-ce",
        "table-3-one-10h-fgsm",
        "table-4-best-10s",
        "table-6-10h-fgsm",
        "deaggregated-ce",
    ):
        assert findings[key].verdict == "differs", key


def test_a_difference_is_in_percent_and_over_runs_that_have_both():
    scores = as_printed(noise=0.0)
    runs = changes(scores, "s 1", "h 1", "10h", "ce")
    assert set(runs) == {f"{model} · seed {seed}" for model in ("mlp", "linear", "vgg11") for seed in range(3)}
    assert np.allclose(list(runs.values()), 100 * (1.58 / 2.17 - 1))
    assert set(changes(scores, "s 1", "h 1", "10h", "fgsm")) == {f"vgg11 · seed {seed}" for seed in range(3)}


def test_two_runs_decide_nothing():
    scores = as_printed()
    for own in scores["networks"].values():
        del own["vgg11"]["2"]
    for finding in (
        compare_kinds(scores, "s 1", "h 1", "10h", "fgsm"),
        near(scores, "s aggregated", "h aggregated", "10h", "fgsm"),
    ):
        assert finding.verdict == "cannot be tested here" and "2 runs" in finding.reason


def test_where_a_claim_fails_the_reason_says_what_the_numbers_show():
    scores = as_printed()
    for models in scores.values():
        for kind, calibration, too_sure in (("s aggregated", 0.2, 0.1), ("hard", 0.1, 0.02)):
            for seeds in models[kind].values():
                for place, sets in enumerate(seeds.values()):
                    sets["10h"] |= {"calibration": calibration + 0.001 * place, "too sure": too_sure}
    finding = compare_kinds(scores, "s aggregated", "hard", "10h", "calibration")
    assert finding.verdict == "differs"
    assert re.findall(r"[+-]\d\.\d+ with CIFAR-10\w*", finding.reason) == [
        "+0.100 with CIFAR-10S",
        "+0.020 with CIFAR-10",
    ]


def test_heads_and_networks_are_told_apart():
    scores = as_printed()
    for sets in scores["networks"]["s 1"]["vgg11"].values():
        sets["10h"]["ce"] = 2.2
    finding = compare_kinds(scores, "s 1", "h 1", "10h", "ce")
    assert finding.verdict == "same direction"
    assert "heads" in finding.reason and 'networks alone would be "differs"' in finding.reason
    assert "heads -27.2" in finding.ours and "networks +1.4" in finding.ours and "vgg11 +1.4" in finding.ours
    for place, sets in enumerate(scores["networks"]["s 1"]["vgg11"].values()):
        sets["10h"]["ce"] = 2.17 * (0.95, 0.9, 1.05)[place]
    finding = compare_kinds(scores, "s 1", "h 1", "10h", "ce")
    assert finding.verdict == "same direction"
    assert "networks alone" in finding.reason and "not significant" in finding.reason


def test_networks_that_agree_on_no_difference_are_not_said_to_leave_it_open():
    finding = near(as_printed(), "t2-uniform", "s", "10h", "calibration")
    assert finding.verdict == "equal"
    assert "1.0 points" in finding.reason and "networks" not in finding.reason


def test_where_networks_fail_a_claim_the_reason_says_how_accurate_models_are():
    scores = as_printed()
    for sets in scores["networks"]["s 1"]["vgg11"].values():
        sets["10h"]["ce"] = 2.2
    findings = with_accuracies(learning_findings(scores), {"heads": 0.866, "networks": 0.389})
    assert findings["table-3-one-10h-ce"].reason.endswith("heads 87% and networks 39%")
    assert "accuracy here" not in findings["table-3-one-10s-ce"].reason


def test_at_full_scale_the_networks_decide_alone():
    scores = as_printed()
    for own in scores["heads"].values():
        for sets in (sets for seeds in own.values() for sets in seeds.values()):
            for values in sets.values():
                values["ce"] = 1 / values["ce"]
    both, alone = (learning_findings(given) for given in (scores, {"networks": scores["networks"]}))
    assert (both["table-3-one-10h-ce"].verdict, alone["table-3-one-10h-ce"].verdict) == ("differs", "same direction")
    assert "heads" not in alone["table-3-one-10h-ce"].ours


def test_lowest_is_below_each_of_the_others_and_not_only_in_most_comparisons():
    scores = as_printed()
    for own in scores.values():
        for sets in (sets for seeds in own["t2-uniform"].values() for sets in seeds.values()):
            sets["10s"]["ce"] = 2.3  # T2 clamp has 2.355
    finding = learning_findings(scores)["table-4-best-10s"]
    assert finding.verdict == "differs"
    assert re.findall(r"\d+ of \d+", finding.ours)[-3:] == ["18 of 27", "12 of 18", "6 of 9"]


def test_where_an_interval_holds_zero_the_reason_says_whether_it_holds_the_papers_difference():
    scores = as_printed()
    for place, sets in enumerate(scores["networks"]["s 1"]["vgg11"].values()):
        sets["10h"]["fgsm"] = 19.2 * (0.98, 1.01, 1.02)[place]
    reason = compare_kinds(scores, "s 1", "h 1", "10h", "fgsm").reason
    assert "not the paper's -34.5%" in reason
    for place, sets in enumerate(scores["networks"]["s"]["vgg11"].values()):
        sets["10h"]["fgsm"] = 8.577 * (0.9, 1.04, 1.07)[place]
    finding = compare_kinds(scores, "s", "h", "10h", "fgsm")
    assert finding.verdict == "differs"
    assert "the paper's -2.0%" in finding.reason and "too few runs" in finding.reason


def world(rng, n=360, annotators=6):
    """Images of two classes each, and people who know how sure to be: they vote for one class or state both."""
    gold = rng.integers(len(CLASSES), size=n)
    other = (gold + rng.integers(1, len(CLASSES), size=n)) % len(CLASSES)
    sure = rng.uniform(0.5, 0.9, size=n)
    people = np.zeros((n, len(CLASSES)))
    people[np.arange(n), gold], people[np.arange(n), other] = sure, 1 - sure
    part = np.where(np.arange(n) < n // 2, "train", "test")
    names = np.arange(1_000, 1_000 + n)
    item = np.repeat(np.arange(n), annotators)
    stated = np.where(people > 0, people, np.nan)[item]
    beliefs = Beliefs(
        item=item,
        items=names,
        classes=CLASSES,
        stated=stated,
        ruled_out=np.isnan(stated),
        named=np.stack([gold, other], axis=1)[item],
    )
    votes = np.stack([rng.multinomial(51, row) for row in people])
    set_ = np.where(part == "train", "", np.where(np.arange(n) % 2, "10h", "10s"))
    features = people @ rng.normal(size=(len(CLASSES), 12)) + rng.normal(0, 0.1, (n, 12))
    return FeatureTable(features, names), Pool(names, gold, part, set_, part == "train", votes, beliefs, people)


def trained(pool, beliefs, features, folder):
    """Scores of linear heads on one vote and on one stated label for each image."""
    scores = {}
    for name, labels, recipe in (
        ("votes", votes_of(pool), {"votes": 1}),
        ("beliefs", beliefs, {"votes": 1, "completion": "t2-clamp"}),
    ):
        data = {name[0]: {"labels": pool.label_items(labels), "people": pool.people_labels, "features": features}}
        model = {"head": "linear", "epochs": 40, "learning_rate": 0.03, "patience": None, "keep": "last"}
        study = study_of(
            {
                **spec(name, "heads", "quick"),
                "model": model,
                "seeds": 4,
                "labels": recipe,
                "delivery": "deaggregated",
                "skip": [],
                "data": data,
            }
        )
        assert not run_study(study, folder / name, say=lambda notice: None).failures
        kind = f"{'h' if name == 'votes' else 's'} 1"
        for record in read_folder(folder / name).records:
            own = scores.setdefault(kind, {}).setdefault("linear", {})
            own[str(record["seed"])] = evaluate_cell(read_predictions(folder / name / "cells" / record["cell"]), pool)
    return {"heads": scores}


def test_one_stated_label_beats_one_vote_and_not_when_it_is_about_another_image(tmp_path):
    """Table 3 in a world where people know how sure to be; then broken: answers are dealt to other images."""
    features, pool = world(np.random.default_rng(5))
    beliefs = beliefs_of(pool)
    right = compare_kinds(trained(pool, beliefs, features, tmp_path / "right"), "s 1", "h 1", "10s", "ce")
    assert right.verdict == "same direction" and right.value.high < 0, right.ours
    places, own = np.arange(pool.items.size), np.flatnonzero(pool.own)
    places[own] = np.random.default_rng(6).permutation(own)
    broken = replace(beliefs, item=places[beliefs.item])
    wrong = compare_kinds(trained(pool, broken, features, tmp_path / "wrong"), "s 1", "h 1", "10s", "ce")
    assert wrong.verdict == "differs" and wrong.value.low > 0, wrong.ours


def test_scores_are_means_over_the_images_of_each_set():
    """By a slow loop; 100 images or fewer are one bin, so calibration is the gap of two means."""
    _, pool = world(np.random.default_rng(2), n=60)
    pool = replace(pool, part=np.repeat("test", 60), set_=np.where(np.arange(60) < 20, "10s", "10h"))
    probs = np.random.default_rng(3).dirichlet(np.ones(4), 60)
    order = np.random.default_rng(4).permutation(60)
    predicted = Distributions(probs=probs[order], items=pool.items[order], classes=CLASSES)
    scores = evaluate_cell(predicted, pool)
    for name, rows in (("10s", range(20)), ("10h", range(20, 60))):
        ce = -sum(pool.people[row, code] * np.log(probs[row, code]) for row in rows for code in range(4)) / len(rows)
        right = [float(probs[row].argmax() == pool.people[row].argmax()) for row in rows]
        gap = np.mean([probs[row].max() for row in rows]) - np.mean(right)
        assert scores[name] == pytest.approx({"ce": ce, "calibration": abs(gap), "too sure": gap})


def test_published_scores_are_named_as_kinds():
    assert SCORES["10h"].keys() <= KINDS.keys()


def test_where_the_paper_finds_no_benefit_only_one_beyond_chance_differs():
    """Table 2 by CIFAR-10S labels: after FGSM, stated labels are 0.9% above votes, far within the interval."""
    scores = as_printed()
    assert compare_kinds(scores, "s", "h", "10s", "fgsm").verdict == "same direction"
    for sets in scores["networks"]["s"]["vgg11"].values():
        sets["10s"]["fgsm"] *= 0.8
    finding = compare_kinds(scores, "s", "h", "10s", "fgsm")
    assert finding.verdict == "differs" and "significantly better" in finding.ours

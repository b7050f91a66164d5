"""Claims about learning follow the scores: they turn if labels are broken, and stay open if models are crippled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dissensus import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.papers.collins2022.arms import BETAS, GAMMAS, KINDS
from dissensus.papers.collins2022.claims import HEADLINES, PAIRS, conclude, find_printed
from dissensus.papers.collins2022.labels import Pool, beliefs_of, votes_of
from dissensus.papers.collins2022.observe import choice_rows, observe, rows_of_shown, score_rows
from dissensus.papers.collins2022.paper import PAPER
from dissensus.papers.collins2022.scores import METRICS, PGD_KINDS, SETS, evaluate_cell
from dissensus.papers.collins2022.studies import spec
from dissensus.papers.evidence import Candidate, Evidence, Number, collect
from dissensus.papers.judging import judge_claims, judgements
from dissensus.papers.paper import Results
from dissensus.study import read_folder, read_predictions, run_study, study_of
from dissensus.train.heads.features import FeatureTable

CLASSES = ("cat", "dog", "deer", "frog")
HOLDS = ("equal", "same direction")
BETWEEN = {"h 4": "h 2", "h 8": "h 2", "h 16": "h", "h 32": "h", "s 3": "s 2", "s 4": "s", "s 5": "s"}
FEW = {kind for kind in KINDS if kind in ("h 1", "h 2", "s 1", "s 2") or not kind[-1].isdigit()}  # of small networks
LEARNING = [claim for claim in PAPER.claims if claim.table.startswith(("table", "figure 6", "figure 10"))]
MAIN = HEADLINES


def papers_score(kind, set_, metric):
    """The printed score; of kinds between those printed, that of the next."""
    if metric == "pgd":
        return papers_score(kind, set_, "fgsm")
    return 0.7 if metric == "accuracy" else find_printed(metric, BETWEEN.get(kind, kind), set_).value


def scored(score=papers_score, *, noise=0.0005, kinds=tuple(KINDS), models=("vgg11",), attacks=True):
    """Scores of five seeds per model around given means."""
    rng = np.random.default_rng(0)

    def values(kind, set_):
        pgd = ("pgd",) if attacks and kind in PGD_KINDS else ()
        metrics = ("ce", "calibration", "accuracy", *(("fgsm",) if attacks else ()), *pgd)
        spread = {"pgd": 100 * noise}
        return {m: score(kind, set_, m) * (1 + spread.get(m, noise) * rng.standard_normal()) for m in metrics}

    return {
        kind: {model: {str(seed): {set_: values(kind, set_) for set_ in SETS} for seed in range(5)} for model in models}
        for kind in kinds
    }


def judge_scores(networks=None, heads=None, epochs=65):
    """Judgements by networks and heads, if there are any."""
    rows = []
    for name, scores in (("networks", networks), ("heads", heads)):
        if scores is not None:
            rows += [*score_rows(Candidate(name), scores), *rows_of_shown(Candidate(name), epochs)]
    return judgements(judge_claims(PAPER, collect(rows)))


def inverted(kind, set_, metric):
    """Best is worst: what a sign error in a loss would give."""
    return 1 / papers_score(kind, set_, metric)


def dealt_anew(kind, set_, metric):
    """Labels of people are about other images: they score as random labels with twice the loss."""
    of_people = kind not in ("hard", "random", "uniform", "smoothed")
    return (
        2 * papers_score("random", set_, metric) if of_people and kind[0] != "h" else papers_score(kind, set_, metric)
    )


def guessing(kind, set_, metric):
    """A model at chance, whatever it learned from."""
    return {"ce": np.log(10), "calibration": 0.05, "fgsm": 3.0, "pgd": 3.0, "accuracy": 0.1}[metric]


def test_the_papers_own_scores_bear_out_its_claims():
    ours = judge_scores(networks=scored())
    keys = [claim.key for claim in LEARNING if claim.key not in ("seconds-of-tables", "pgd")]
    assert {key: ours[key].verdict for key in keys if ours[key].verdict not in HOLDS} == {}
    assert len(keys) == 100


def test_turning_scores_round_turns_every_order():
    ours = judge_scores(networks=scored(inverted))
    pairs = [key.format(set=set_, metric="ce") for key in list(PAIRS)[:4] for set_ in SETS]
    others = [
        "table-1-softness-10h",
        "table-1-people-10s",
        "figure-6-ce",
        "table-4-best-10s",
        "deaggregated-ce",
    ]
    assert {key: ours[key].verdict for key in (*pairs, *others)} == dict.fromkeys((*pairs, *others), "differs")


def test_stated_labels_of_other_images_turn_every_main_claim_about_learning():
    ours = judge_scores(networks=scored(dealt_anew))
    # Figure 10 says that they are not better. In table 5 both kinds are broken alike, and the printed difference is not
    # clear by its own intervals: no difference does not contradict it.
    turned = [key for key in MAIN if key not in ("figure-10-10h", "table-5-10h-ce")]
    assert {key: ours[key].verdict for key in turned} == dict.fromkeys(turned, "differs")
    assert ours["table-5-10h-ce"].verdict == "too weak to tell" and not ours["table-5-10h-ce"].outcomes[0].weak


@pytest.mark.parametrize("noise", [0.0005, 0.02])
def test_models_at_chance_are_too_weak_to_tell_and_contradict_nothing(noise):
    ours = judge_scores(networks=scored(guessing, noise=noise), heads=scored(guessing, noise=noise, attacks=False))
    keys = [claim.key for claim in LEARNING if claim.key not in ("seconds-of-tables", "pgd")]
    verdicts = {key: ours[key].verdict for key in keys}
    assert set(verdicts.values()) == {"too weak to tell"}
    assert all("control" in outcome.weak for key in MAIN for outcome in ours[key].outcomes)


def test_loss_after_fgsm_needs_the_effect_of_hard_labels_first():
    """Networks whose loss after FGSM hardly depends on labels say nothing about two kinds that are close."""

    def flat(kind, set_, metric):
        return (
            3.7
            if metric == "fgsm" and kind == "hard"
            else papers_score(kind, set_, metric) / (2.3 if metric == "fgsm" else 1)
        )

    weak, strong = judge_scores(networks=scored(flat)), judge_scores(networks=scored())
    keys = [f"{key}-{set_}-fgsm" for key in ("table-2", "table-3-one", "table-5", "table-6") for set_ in SETS]
    assert {key: weak[key].verdict for key in keys} == dict.fromkeys(keys, "too weak to tell")
    assert all(weak[key].outcomes[0].weak == ("control",) for key in keys)
    assert all(strong[key].verdict in HOLDS for key in keys)
    assert weak["table-3-one-10h-ce"].verdict in HOLDS


def test_networks_and_heads_are_judged_apart_and_strong_networks_decide():
    both = judge_scores(networks=scored(), heads=scored(inverted, attacks=False))["table-3-one-10h-ce"]
    assert both.verdict in HOLDS and both.decided == 0
    assert [outcome.candidate.model for outcome in both.outcomes] == ["networks", "heads"]
    assert both.outcomes[1].value.value > 0 and len(both.outcomes[0].runs) == 5
    heads = judge_scores(networks=scored(guessing), heads=scored(attacks=False))["table-3-one-10h-ce"]
    assert heads.verdict in HOLDS and heads.decided == 1


def test_six_who_state_labels_are_held_against_51_who_vote():
    def worse(kind, set_, metric):
        return papers_score(kind, set_, metric) * (1.2 if kind == "s" else 1)

    assert judge_scores(networks=scored())["figure-6-few"].verdict == "equal"
    assert judge_scores(networks=scored(worse))["figure-6-few"].verdict == "differs"
    few = judge_scores(networks=scored(worse, kinds=("s", "h 8", "hard", "h aggregated")))["figure-6-few"]
    assert few.verdict == "cannot be tested here"  # without 51 votes; eight are not enough


def test_pgd_varies_more_than_fgsm_if_its_losses_do():
    losses = {"labels": {"once": {}, "batches": {}}, "choices": {"gamma": {}, "smoothing": {}}}
    heads = {"scores": scored(attacks=False)}
    results = Results({}, losses | {"scores-networks": {"scores": scored(noise=0.001)}, "scores-heads": heads})
    evidence = observe(results, "laptop")
    assert judgements(judge_claims(PAPER, evidence))["pgd"].verdict == "same direction"
    runs = evidence.runs(Candidate("networks"), Number("spread", "pgd", "10h"))
    own = [sets["10h"]["pgd"] for sets in results.numbers["scores-networks"]["scores"]["s"]["vgg11"].values()]
    mean = sum(own) / 5
    assert runs is not None and set(runs) == set(PGD_KINDS)
    assert runs["s"] == pytest.approx((sum((loss - mean) ** 2 for loss in own) / 4) ** 0.5 / mean)


@pytest.mark.parametrize(("others", "verdict"), [(1.0, "same direction"), (0.8, "differs"), (0.9, "too weak to tell")])
def test_a_value_is_chosen_if_its_validation_loss_is_lowest_as_far_as_runs_can_tell(others, verdict):
    rng = np.random.default_rng(1)
    losses = {
        what: {f"{value:g}": (others + rng.normal(0, 0.001, 6)).tolist() for value in tried}
        for what, tried in (("gamma", GAMMAS), ("smoothing", BETAS))
    }
    losses["gamma"]["0.1"] = losses["smoothing"]["0.05"] = (0.9 + rng.normal(0, 0.001, 6)).tolist()
    ours = judgements(judge_claims(PAPER, collect(choice_rows(Candidate("heads"), losses))))
    assert (ours["gamma"].verdict, ours["beta"].verdict) == (verdict, verdict)


def quick_evidence() -> Evidence:
    """Everything that scale quick measures about models: few numbers of annotators by networks, all by heads."""
    losses = {
        "gamma": {f"{value:g}": [1.0, 1.1] for value in GAMMAS},
        "smoothing": {f"{value:g}": [1.0, 1.1] for value in BETAS},
    }
    numbers = {
        "labels": {"once": {}, "batches": {}},
        "choices": losses,
        "scores-networks": {"scores": scored(kinds=tuple(FEW))},
        "scores-heads": {"scores": scored(attacks=False)},
    }
    return observe(Results({}, numbers), "quick")


def test_every_claim_about_learning_has_its_numbers_at_scale_quick_or_says_why_not():
    ours = judgements(judge_claims(PAPER, quick_evidence()))
    missing = {claim.key for claim in LEARNING if ours[claim.key].verdict == "cannot be tested here"}
    few = {f"figure-10-{set_}{pair}-fgsm" for set_ in SETS for pair in ("", "-one", "-three")}
    assert missing == {"seconds-of-tables", "figure-6-fgsm", *few}
    assert all(ours[key].reason == "not part of this scale" for key in missing)
    assert ours["gamma"].outcomes and ours["beta"].outcomes and ours["learning-rates"].reason


def test_margins_and_differences_are_shares_of_the_base():
    outcome = judge_scores(networks=scored(noise=0.0))["table-3-one-10h-ce"].outcomes[0]
    assert outcome.value.value == pytest.approx(1.58 / 2.17 - 1) and len(METRICS) == 3


def test_votes_that_were_not_all_shown_are_too_weak_to_tell():
    early, late = (judge_scores(networks=scored(noise=0.0001), epochs=epochs) for epochs in (30, 65))
    of_all, of_one = "table-2-10h-ce", "table-3-one-10h-ce"
    assert "delivery" in early[of_all].outcomes[0].weak and "delivery" not in early[of_one].outcomes[0].weak
    assert "delivery" not in late[of_all].outcomes[0].weak


def test_the_conclusion_is_true_whatever_comes_out():
    strong, weak, turned = (judge_scores(networks=scored(score)) for score in (papers_score, guessing, dealt_anew))
    texts = [conclude(ours) for ours in (strong, weak, turned)]
    assert "by 27%" in texts[0].short and "at least as well" in texts[0].short
    assert "too weak" in texts[1].short and "not decided" in texts[1].short
    assert "do worse" in texts[2].short and "does not show" in texts[2].practice
    better = judge_scores(networks=scored(lambda *of: papers_score(*of) * (0.9 if of[0] == "smoothed" else 1)))
    assert "smoothing" in conclude(better).practice and "smoothing" not in texts[0].practice + texts[1].practice
    assert "32 claims about robustness to FGSM, none" in texts[1].caution


def test_differences_from_the_paper_are_sizes_that_are_not_its_own():
    rows = {
        scale: {aspect: (theirs, ours) for aspect, theirs, ours in PAPER.differences(scale)} for scale in PAPER.scales
    }
    assert not {"seeds per network", "side of images", "networks"} & rows["full"].keys()
    assert rows["laptop"]["seeds per network"] == ("5", "2") and "networks" not in rows["laptop"]
    night = rows["overnight"]
    assert night["networks"] == ("ResNet-34A, ResNet-50, VGG-11", "6 convolutions")
    assert night["images to learn from"] == ("7,000", "3,000 by networks, with the same 900")
    assert not {"side of images", "seeds per network", "annotators of votes"} & night.keys()
    assert rows["quick"]["networks"] == ("ResNet-34A, ResNet-50, VGG-11", "VGG-11")
    cells = [text for own in rows.values() for aspect, both in own.items() for text in (aspect, *both)]
    assert max(map(len, cells)) <= 120


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
    """Scores of linear heads on one vote, on one stated label and on all votes for each image."""
    scores = {}
    for name, labels, recipe in (
        ("votes", votes_of(pool), {"votes": ["all", 1]}),
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
        for record in read_folder(folder / name).records:
            kind = ("h" if name == "votes" else "s") + (" 1" if record["arm"]["votes"] == 1 else "")
            own = scores.setdefault(kind, {}).setdefault("linear", {})
            own[str(record["seed"])] = evaluate_cell(read_predictions(folder / name / "cells" / record["cell"]), pool)
    return {"heads": scores}


def test_one_stated_label_beats_one_vote_and_not_when_it_is_about_another_image(tmp_path):
    """Table 3 in a world where people know how sure to be; then broken: answers are dealt to other images."""
    features, pool = world(np.random.default_rng(5))
    beliefs = beliefs_of(pool)
    right = judge_scores(**trained(pool, beliefs, features, tmp_path / "right"))["table-3-one-10s-ce"]
    assert right.verdict in HOLDS and right.outcomes[0].value.high < 0
    places, own = np.arange(pool.items.size), np.flatnonzero(pool.own)
    places[own] = np.random.default_rng(6).permutation(own)
    broken = replace(beliefs, item=places[beliefs.item])
    wrong = judge_scores(**trained(pool, broken, features, tmp_path / "wrong"))["table-3-one-10s-ce"]
    assert wrong.verdict == "differs" and wrong.outcomes[0].value.low > 0


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
        assert scores[name] == pytest.approx({"ce": ce, "calibration": abs(gap), "accuracy": np.mean(right)})

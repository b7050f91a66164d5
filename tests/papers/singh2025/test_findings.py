"""The method as a whole on simulated digits: what the paper says comes out, and stops coming out when it is broken."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from dissensus.datasets import load
from dissensus.datasets.simulated_digits import ambiguous_digits
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import as_distributions
from dissensus.papers.evidence import Candidate, Number
from dissensus.papers.judging import judge_claims, judgements
from dissensus.papers.outcomes import Judgement
from dissensus.papers.paper import Results
from dissensus.papers.singh2025.figures import figures
from dissensus.papers.singh2025.observe import NAMES, observe
from dissensus.papers.singh2025.paper import PAPER
from dissensus.papers.singh2025.protocol import ProtocolResult, singh_protocol
from dissensus.papers.singh2025.work import SEED, label_numbers, noise_numbers, protocol_numbers
from dissensus.train.splits import draw_split


def shuffled_soft(x: np.ndarray, people: np.ndarray, rng: np.random.Generator, **options: Any) -> ProtocolResult:
    """The protocol, but soft heads are trained on the answers to other items."""
    right = singh_protocol(x, people, rng, **options)
    train = draw_split(len(x), np.random.default_rng(SEED).spawn(1)[0]).train
    moved = people.copy()
    moved[train] = people[np.random.default_rng(0).permutation(train)]
    wrong = singh_protocol(x, moved, np.random.default_rng(SEED), **options)
    return replace(
        right,
        heads={"soft": wrong.heads["soft"], "hard": right.heads["hard"]},
        scores={"soft": wrong.scores["soft"], "hard": right.scores["hard"]},
    )


def exchanged(x: np.ndarray, people: np.ndarray, rng: np.random.Generator, **options: Any) -> ProtocolResult:
    """The protocol with soft and hard exchanged."""
    right = singh_protocol(x, people, rng, **options)
    return replace(
        right, heads=_swapped(right.heads), scores=_swapped(right.scores), grid_epochs=_swapped(right.grid_epochs)
    )


def _swapped(both: Any) -> dict[str, Any]:
    return {"soft": both["hard"], "hard": both["soft"]}


@cache
def digits() -> tuple[np.ndarray, Distributions]:
    people = as_distributions(load("digits").labels)
    pixels = ambiguous_digits().pixels.reshape(len(people.items), -1)
    rows = np.arange(0, len(people.items), 2)
    return (pixels[rows] / pixels.max()).astype(np.float32), people.select(rows)


@cache
def numbers(protocol: Any = singh_protocol) -> dict[str, Any]:
    x, people = digits()
    run = protocol_numbers(x, people, "quick", lambda share: None, protocol)
    return {**label_numbers(people), "encoder": "pixels", "used": len(x), **run}


def crippled(x: np.ndarray, people: np.ndarray, rng: np.random.Generator, **options: Any) -> ProtocolResult:
    """The protocol on features that say nothing about the items."""
    return singh_protocol(np.zeros_like(x), people, rng, **options)


def judged(protocol: Any = singh_protocol, **others: Any) -> dict[str, Judgement]:
    """Judge the claims on digits in place of all three sets; ChaosNLI's level is one that digits reach."""
    evidence = observe(Results({}, {name: numbers(protocol) for name in NAMES} | others), "quick")
    return judgements(judge_claims(PAPER, evidence))


BENEFITS = [
    *(f"table-3-{name}-kl" for name in NAMES),
    *(f"table-4-{name}-entropy_correlation" for name in NAMES),
    "section-4.2-domains",
]
HOLDS = ("equal", "same direction")


def test_on_digits_soft_labels_bring_models_closer_to_people():
    ours = judged()
    near = [key for key in BENEFITS if key.endswith("-kl") or key.startswith("section")]
    assert {key: ours[key].verdict for key in near if ours[key].verdict not in HOLDS} == {}


def test_soft_labels_of_other_items_turn_every_benefit_to_differs_or_below_the_level():
    """Soft heads trained on answers to other items are the reference, so models may also fail the level."""
    ours = judged(shuffled_soft)
    assert {key for key in BENEFITS if ours[key].verdict in HOLDS} == set()
    closer = ours["table-3-chaosnli-kl"].outcomes
    assert min(min(outcome.runs.values()) for outcome in closer) > 0


def test_soft_and_hard_exchanged_turn_every_benefit_in_kl_to_differs():
    ours = judged(exchanged)
    kl = [key for key in BENEFITS if key.endswith("-kl") or key.startswith("section")]
    assert {key: ours[key].verdict for key in kl} == dict.fromkeys(kl, "differs")


def test_heads_that_see_nothing_are_too_weak_to_tell_and_do_not_contradict_the_paper():
    ours = judged(crippled)
    checked = [f"table-{table}-{name}-{metric}" for name in NAMES for table, metric in ((3, "kl"), (3, "accuracy"))]
    assert {key: ours[key].verdict for key in checked} == dict.fromkeys(checked, "too weak to tell")
    assert all("level" in outcome.weak for key in checked for outcome in ours[key].outcomes)
    about_models = {key: made for key, made in ours.items() if made.deciding and made.deciding.candidate.model}
    assert len(about_models) > 20
    assert {key: made.verdict for key, made in about_models.items()} == dict.fromkeys(about_models, "too weak to tell")


def test_figures_are_drawn_from_the_same_numbers():
    results = Results({}, {name: numbers() for name in NAMES})
    drawn = {figure.key: figure for figure in figures(results, "quick", observe(results, "quick"))}
    shares = [y for series in drawn["figure-3"].series for y in series.y]
    assert sum(y for y in shares if y is not None) == pytest.approx(300)  # percent of three sets
    soft = next(series for series in drawn["kl"].series if series.name == "soft")
    assert soft.y[0] == pytest.approx(np.mean(numbers()["drawn"]["scores"]["soft"]["kl"]))
    assert [series.y for series in drawn["kl"].published] == [(0.319, 0.361, 0.406), (0.367, 0.430, 0.596)]
    for series in drawn["figure-5-chaosnli"].series:
        assert sum(y for y in series.y if y is not None) == pytest.approx(1)


def test_evidence_has_the_scores_of_each_seed_and_gains_in_percent_of_hard_labels():
    evidence = observe(Results({}, {name: numbers() for name in NAMES}), "quick")
    candidate = Candidate("heads", "a split per seed")
    soft, hard = (np.array(numbers()["drawn"]["scores"][t]["kl"]) for t in ("soft", "hard"))
    runs = evidence.runs(candidate, Number("kl", "soft", "ChaosNLI"))
    gains = evidence.runs(candidate, Number("kl_gain", "soft", "mean of the sets"))
    assert runs is not None and list(runs.values()) == soft.tolist()
    assert gains is not None and np.allclose(list(gains.values()), 100 * (hard - soft) / hard.mean())


def test_both_readings_of_a_seed_have_the_same_settings():
    assert numbers()["fixed"]["chosen"] == numbers()["drawn"]["chosen"]


def test_settings_that_quick_does_not_try_cannot_be_tested():
    ours = judged()
    for name in NAMES:
        for targets in ("soft", "hard"):
            assert ours[f"table-2-{name}-{targets}"].verdict == "cannot be tested here"


def test_label_statistics_are_of_all_items_whatever_was_trained_on():
    x, people = digits()
    told = label_numbers(people)
    p = people.probs
    slow = [-sum(v * np.log(v) for v in row if v > 0) / np.log(10) for row in p]
    assert told["items"] == len(x) and told["votes"] == 10
    assert told["entropy"] == pytest.approx(np.mean(slow)) and told["entropy_sd"] == pytest.approx(np.std(slow, ddof=1))
    assert sum(told["entropy_shares"].values()) == pytest.approx(1)


@pytest.mark.parametrize(("own", "verdict"), [(True, ("same direction",)), (False, ("differs", "too weak to tell"))])
def test_disagreement_depends_on_the_item_only_if_items_have_distributions_of_their_own(own, verdict):
    """Figure 1: crowds in which items differ, and crowds in which all items of a class are alike."""
    rng = np.random.default_rng(1)
    alike = np.repeat(0.1 + 0.6 * np.eye(4), 200, axis=0)
    probs = np.array([rng.dirichlet(4 * row) for row in alike]) if own else alike
    people = Distributions.from_counts(rng.multinomial(50, probs))
    other = numbers() | {"noise": noise_numbers(people)}
    assert judged(**{"cifar10h-hard": other})["figure-1"].verdict in verdict
    assert "noise" not in numbers() and judged()["figure-1"].verdict == "cannot be tested here"


def test_another_encoder_is_a_further_candidate_and_the_papers_own_decides():
    other = numbers(exchanged) | {"encoder": "EfficientNet-Lite0"}
    beside = judged(**{"cifar10h-hard-efficientnet-lite0": other})["table-3-cifar10h-hard-kl"]
    assert beside.verdict in HOLDS
    assert [outcome.candidate.model for outcome in beside.outcomes][2:] == ["heads on EfficientNet-Lite0"] * 2
    own = numbers(exchanged) | {"encoder": "DINOv2 Small"}
    assert judged(**{"cifar10h-hard-dinov2-small": own})["table-3-cifar10h-hard-kl"].verdict == "differs"


def test_laptop_and_full_are_the_protocol_of_the_paper():
    for scale in ("laptop", "full"):
        parts = {part.name: part for part in PAPER.parts(scale)}
        assert set(NAMES) <= set(parts)
        assert all(part.settings["seeds"] == 10 and not part.settings["at_most"] for part in parts.values())
        assert not any(what in ("seeds", "settings tried", "items") for what, _, _ in PAPER.differences(scale))
    assert [row[2] for row in PAPER.differences("quick") if row[0] == "seeds"] == ["5"]


def test_a_night_has_more_seeds_of_the_same_protocol():
    laptop, night = ({part.name: part for part in PAPER.parts(scale)} for scale in ("laptop", "overnight"))
    assert laptop.keys() == night.keys()
    assert all(night[name].settings == {**part.settings, "seeds": 50} for name, part in laptop.items())
    extra = set(PAPER.differences("overnight")) - set(PAPER.differences("laptop"))
    assert extra == {("seeds", "10", "50")}

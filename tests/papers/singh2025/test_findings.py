"""The method as a whole on simulated digits: what the paper says comes out, and stops coming out when it is broken."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel

from dissensus.datasets import load
from dissensus.datasets.simulated_digits import ambiguous_digits
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import as_distributions
from dissensus.papers.claims import Finding
from dissensus.papers.paper import Results
from dissensus.papers.singh2025.figures import figures
from dissensus.papers.singh2025.findings import findings
from dissensus.papers.singh2025.paper import PAPER
from dissensus.papers.singh2025.protocol import ProtocolResult, singh_protocol
from dissensus.papers.singh2025.published import CHOSEN, CLAIMS, NAMES
from dissensus.papers.singh2025.work import SEED, label_numbers, protocol_numbers
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


def judged(protocol: Any = singh_protocol, **others: Any) -> dict[str, Finding]:
    """All sets of the paper are the digits here."""
    return findings(Results({}, {name: numbers(protocol) for name in NAMES} | others), "quick")


BENEFITS = [
    *(f"table-3-{name}-kl" for name in NAMES),
    *(f"table-4-{name}-entropy_correlation" for name in NAMES),
    "table-4-mean-kl",
    "section-4.2-domains",
    "section-5-moderate",
    "figure-2",
]


def test_on_digits_soft_labels_keep_what_people_are_unsure_about():
    """Nearer to people by far; how entropies hang together changes little on digits, and by chance."""
    ours, near = judged(), [key for key in BENEFITS if not key.startswith("table-4-") or key == "table-4-mean-kl"]
    assert {key: ours[key].verdict for key in near} == dict.fromkeys(near, "same direction")


def test_soft_labels_of_other_items_turn_kl_and_correlation_to_differs():
    ours = judged(shuffled_soft)
    broken = [key for key in BENEFITS if key.startswith(("table-3", "table-4", "section"))]
    assert {key: ours[key].verdict for key in broken} == dict.fromkeys(broken, "differs")
    assert ours["table-3-chaosnli-kl"].runs and min(ours["table-3-chaosnli-kl"].runs.values()) > 0


def test_soft_and_hard_exchanged_turn_every_benefit_to_differs():
    ours = judged(exchanged)
    assert {key: ours[key].verdict for key in BENEFITS} == dict.fromkeys(BENEFITS, "differs")


def test_every_claim_has_a_finding_and_figures_are_drawn_from_the_same_numbers():
    assert set(judged()) == {claim.key for claim in CLAIMS}
    drawn = {figure.key: figure for figure in figures(Results({}, {name: numbers() for name in NAMES}), "quick")}
    shares = [y for series in drawn["figure-3"].series for y in series.y]
    assert sum(y for y in shares if y is not None) == pytest.approx(300)  # percent of three sets
    soft = next(series for series in drawn["kl"].series if series.name == "soft, one split")
    assert soft.y[0] == pytest.approx(np.mean(numbers()["fixed"]["scores"]["soft"]["kl"]))
    assert [series.y for series in drawn["kl"].published] == [(0.319, 0.361, 0.406), (0.367, 0.430, 0.596)]
    for series in drawn["figure-5-chaosnli"].series:
        assert sum(y for y in series.y if y is not None) == pytest.approx(1)


def test_the_difference_and_its_p_value_are_those_of_scipy_over_paired_seeds():
    for reading, place in (("fixed", 0), ("drawn", 1)):
        scores = numbers()[reading]["scores"]
        p = ttest_rel(scores["soft"]["kl"], scores["hard"]["kl"]).pvalue
        shown = judged()["table-3-popquorn-kl-p"].ours.replace("p = ", "").split(", ")[place]
        assert float(shown.split()[0]) == pytest.approx(p, rel=0.06)
    kl = judged()["table-3-popquorn-kl"]
    soft, hard = (np.array(numbers()["fixed"]["scores"][t]["kl"]) for t in ("soft", "hard"))
    assert kl.value and kl.value.value == pytest.approx(np.mean(soft - hard))
    assert kl.behind and np.allclose(kl.behind["popquorn, fixed, soft"], soft)


def test_a_fall_in_kl_reads_as_one_and_the_papers_own_rows_stand_beside_its_mean():
    mean = judged()["table-4-mean-kl"]
    assert "% lower" in mean.ours and "+" not in mean.ours
    assert "20%" in mean.reason and "(ChaosNLI 13%, POPQUORN 16%, CIFAR-10H-Hard 32%)" in mean.reason


def test_both_readings_of_a_seed_have_the_same_settings():
    assert numbers()["fixed"]["chosen"] == numbers()["drawn"]["chosen"]


def test_settings_that_quick_does_not_try_cannot_be_tested_and_what_differs_says_that_quick_is_small():
    for name in NAMES:
        for targets in CHOSEN[name]:
            finding = judged()[f"table-2-{name}-{targets}"]
            assert finding.verdict == "cannot be tested here" and "the 8" in finding.reason
    for key, finding in judged(exchanged).items():
        if finding.verdict == "differs" and not key.startswith(("table-1", "figure-3")):
            assert "5 seeds, 8 settings" in finding.reason


def test_label_statistics_are_of_all_items_whatever_was_trained_on():
    x, people = digits()
    told = label_numbers(people)
    p = people.probs
    slow = [-sum(v * np.log(v) for v in row if v > 0) / np.log(10) for row in p]
    assert told["items"] == len(x) and told["votes"] == 10
    assert told["entropy"] == pytest.approx(np.mean(slow)) and told["entropy_sd"] == pytest.approx(np.std(slow, ddof=1))
    assert sum(told["entropy_shares"].values()) == pytest.approx(1)


def test_another_encoder_is_told_beside_and_the_papers_own_decides():
    other = numbers(exchanged) | {"encoder": "EfficientNet-Lite0 of ImageNet"}
    beside = judged(**{"cifar10h-hard-efficientnet-lite0": other})["table-3-cifar10h-hard-kl"]
    assert beside.verdict == "same direction" and "EfficientNet-Lite0 of ImageNet +" in beside.ours
    own = numbers(exchanged) | {"encoder": "DINOv2 Small"}
    decided = judged(**{"cifar10h-hard-dinov2-small": own})["table-3-cifar10h-hard-kl"]
    assert decided.verdict == "differs" and decided.parts[0] == "cifar10h-hard-dinov2-small"
    assert "stands for" not in decided.reason and "with pixels -" in decided.ours


def test_a_correlation_below_zero_has_no_relative_gain():
    low = {t: {**scores, "entropy_correlation": [-0.1] * 5} for t, scores in numbers()["fixed"]["scores"].items()}
    flipped = numbers() | {"fixed": numbers()["fixed"] | {"scores": low}}
    ours = findings(Results({}, {name: numbers() for name in NAMES} | {"chaosnli": flipped}), "quick")
    for key in ("table-4-mean-correlation", "section-4.3-largest"):
        assert ours[key].verdict == "cannot be tested here" and "0 or less" in ours[key].reason


def test_laptop_and_full_are_the_protocol_of_the_paper():
    for scale in ("laptop", "full"):
        parts = {part.name: part for part in PAPER.parts(scale)}
        assert set(NAMES) <= set(parts)
        assert all(part.settings["seeds"] == 10 and not part.settings["at_most"] for part in parts.values())
        assert not any(what in ("seeds", "settings tried", "items") for what, _, _ in PAPER.differences(scale))
    assert [row[2] for row in PAPER.differences("quick") if row[0] == "seeds"] == ["5"]

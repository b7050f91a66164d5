"""Scores of models become verdicts: on rows whose truth is known."""

from __future__ import annotations

from typing import Any

import pytest

from dissensus.papers.sucholutsky2023.judged_further import further_findings
from dissensus.papers.sucholutsky2023.judged_models import model_findings
from dissensus.papers.sucholutsky2023.published import PARAMETERS
from dissensus.papers.sucholutsky2023.rows import by_run, middle_finding, on_labels
from dissensus.papers.sucholutsky2023.sets import HERE
from dissensus.papers.sucholutsky2023.studies import KEPT, NETWORKS
from dissensus.papers.sucholutsky2023.transfer import FAR, NEAR

ENTROPY = dict(zip(HERE, (0.0, 0.07, 0.15, 0.28, 0.87), strict=True))
# Lowest in the middle, as the paper says; the gain of people's labels is larger on far images.
LOSS = dict(zip(HERE, (0.50, 0.46, 0.44, 0.48, 0.60), strict=True))
FAR_LOSS = dict(zip(HERE, (1.20, 1.05, 1.00, 1.10, 1.15), strict=True))
RHO = dict(zip(HERE, (0.0, 0.3, 0.32, 0.0, 0.0), strict=True))


def row(kind: str, network: str = "linear", seed: int = 0, **others: Any) -> dict[str, Any]:
    loss = LOSS[kind] + 0.001 * seed
    scores = {"cross-entropy": loss, "accuracy": 0.6}
    return {
        "kind": kind,
        "network": network,
        "transforms": "none",
        "seed": seed,
        "fold": 0,
        "items": 100,
        "learning_rate": 0.1,
        "labels": dict.fromkeys(HERE, scores),
        "entropy": ENTROPY[kind],
        "entropy of its labels": ENTROPY[kind],
        "distance of entropies": 0.0 if kind == "S+hard" else 0.3,
        "shift": {NEAR: scores, FAR: {"cross-entropy": FAR_LOSS[kind], "accuracy": 0.5}},
    } | others


def numbers(mirrored: bool = False) -> dict[str, Any]:
    """Numbers of all parts about models; mirrored: people's labels and hard ones exchange their scores."""
    swap = {"hard": "H", "H": "hard"} if mirrored else {}
    heads = [row(kind, seed=seed) for kind in HERE for seed in (0, 1, 2)]
    networks = [row(kind, network=name) for kind in HERE for name in NETWORKS]
    for rows in (heads, networks):
        for entry in rows:
            entry["kind"] = swap.get(entry["kind"], entry["kind"])
    kept = [
        row(
            "H",
            transforms=f"sparsest={count}",
            shift={
                NEAR: {"cross-entropy": 0.4, "accuracy": 0.9},
                FAR: {"cross-entropy": 1 - 0.01 * place, "accuracy": 0.7},
            },
        )
        for place, count in enumerate(KEPT)
    ]
    return {
        "transfer": {"rows": heads, "label entropy": ENTROPY},
        "transfer-kept": {"rows": kept},
        "transfer-networks": {"rows": networks},
        "architectures": {name: int(count) for name, count in PARAMETERS.items()},
        "informed": {"kinds": {kind: {"start 0": {"rho": rho}} for kind, rho in RHO.items()}, "judged by": "people"},
        "guidance": {"real": {"images": 1, "options": []}, "worlds": [{"before": 0.1, "after": 0.0}] * 3},
    }


CLAIMED = ("crossed-u", "crossed-best", "crossed-networks", "shift-near", "shift-far", "shift-grows")


def test_a_world_as_the_paper_describes_it_is_seen_as_such():
    found = model_findings(numbers()) | further_findings(numbers())
    further = (*CLAIMED, "figure-7", "figure-10", "table-3-near", "table-3-far", "guidance-pilot")
    assert {key: found[key].verdict for key in further} == dict.fromkeys(further, "same direction")
    assert {found[f"table-2-{name}"].verdict for name in PARAMETERS} == {"equal"}


def test_a_world_in_which_hard_labels_are_better_is_seen_too():
    found = model_findings(numbers(mirrored=True))
    broken = ("crossed-u", "crossed-best", "crossed-networks", "shift-near", "shift-far")
    assert {key: found[key].verdict for key in broken} == dict.fromkeys(broken, "differs")


def test_networks_of_full_size_decide_where_they_were_trained():
    """Heads say the opposite of the networks: small networks stand beside them, published ones take their place."""
    both = numbers(mirrored=True) | {"transfer-networks": numbers()["transfer-networks"]}
    by_heads, by_networks = (model_findings(both, small) for small in (True, False))
    decided = ("crossed-u", "crossed-best", "shift-near", "shift-far")
    assert {by_heads[key].verdict for key in decided} == {"differs"}
    assert {by_networks[key].verdict for key in decided} == {"same direction"}
    assert all(by_networks[key].parts == ("networks", "transfer-networks") for key in decided)
    assert "heads" not in by_networks["shift-far"].reason and "networks from scratch" in by_heads["shift-far"].reason
    assert further_findings(both, False)["figure-10"].verdict == "same direction"


def test_each_architecture_is_judged_by_where_its_best_labels_lie():
    found = model_findings(numbers())["crossed-networks"]
    assert "VGG in 5 of 5" in found.ours and found.ours.endswith("in 5 of 5 architectures")
    two = numbers()
    two["transfer-networks"]["rows"] = [row(kind, network=name) for kind in ("hard", "H") for name in NETWORKS]
    assert model_findings(two)["crossed-networks"].verdict == "cannot be tested here", "two kinds have no middle"


def test_recovery_that_losses_follow_by_chance_decides_nothing():
    """Five kinds of label of which three recover alike: an order that four tenths of all orders are as good as."""
    random = numbers()
    losses = dict(zip(HERE, (0.697, 0.689, 0.679, 0.639, 0.717), strict=True))
    for entry in random["transfer"]["rows"]:
        entry["labels"] = {judge: {"cross-entropy": losses[entry["kind"]], "accuracy": 0.6} for judge in HERE}
    found = further_findings(random)["figure-10"]
    assert found.verdict == "cannot be tested here" and "not significant" in found.reason


def test_kinds_that_are_each_best_by_their_own_labels_have_no_u():
    """Three of five kinds are middling, so that three of five judges with a middling best kind are chance."""
    selfish = numbers()
    for part in ("transfer", "transfer-networks"):
        for entry in selfish[part]["rows"]:
            losses = {judge: 0.4 if judge == entry["kind"] else 0.5 for judge in HERE}
            entry["labels"] = {judge: {"cross-entropy": loss, "accuracy": 0.6} for judge, loss in losses.items()}
    found = model_findings(selfish)
    assert found["crossed-u"].verdict == found["crossed-networks"].verdict == "differs"
    assert "in 9 of 15" in found["crossed-u"].ours and "in 15" in found["crossed-u"].reason


def test_the_middle_is_best_only_where_it_is_so_on_average_too():
    """Most runs are best in the middle by a little, one is much worse there."""
    values = {kind: {f"seed {seed}": 1.0 for seed in range(3)} for kind in ("hard", "H", "LS high")}
    values["H"] = {"seed 0": 0.99, "seed 1": 0.99, "seed 2": 2.0}
    judged = middle_finding(values, list(values), over="seeds", parts=("heads",), text="here", reason="")
    assert judged.verdict == "differs" and "CIFAR-10 " in judged.reason
    values["H"]["seed 2"] = 1.01
    calm = middle_finding(values, list(values), over="seeds", parts=("heads",), text="here", reason="")
    assert calm.verdict == "same direction"


def test_networks_that_learned_nothing_say_nothing():
    untrained = numbers()
    for entry in untrained["transfer-networks"]["rows"]:
        entry["labels"] = {judge: {"cross-entropy": 2.3, "accuracy": 0.1} for judge in HERE}
    found = model_findings(untrained)
    assert found["crossed-networks"].verdict == "cannot be tested here"
    assert "10% of the images" in found["crossed-networks"].reason


def test_a_pilot_that_leads_to_worse_choices_is_no_help():
    worse = numbers() | {"guidance": {"real": {"images": 1, "options": []}, "worlds": [{"before": 0.0, "after": 0.1}]}}
    assert further_findings(worse)["guidance-pilot"].verdict == "differs"


def test_folds_count_by_their_items_and_the_best_learning_rate_counts():
    folds = [row("H", fold=0, items=300), row("H", fold=1, items=100)]
    folds[1]["labels"] = {"H": {"cross-entropy": 0.84, "accuracy": 0.6}}
    assert by_run(folds, on_labels("H"))["H"] == {"linear · seed 0": pytest.approx((3 * 0.44 + 0.84) / 4)}
    worse = row("H", learning_rate=0.01, labels={"H": {"cross-entropy": 9.0, "accuracy": 0.1}})
    assert by_run([worse, *folds], on_labels("H")) == by_run(folds, on_labels("H"))

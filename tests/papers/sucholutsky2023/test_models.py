"""Scores of models become verdicts: on rows whose truth is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dissensus.papers.evidence import Number, collect
from dissensus.papers.judging import judge_claims
from dissensus.papers.outcomes import Judgement
from dissensus.papers.sucholutsky2023.claims import conclude
from dissensus.papers.sucholutsky2023.observe import observe_pilot
from dissensus.papers.sucholutsky2023.observe_models import (
    OF_HEADS,
    OF_NETWORKS,
    by_run,
    choose_by_others,
    observe_architectures,
    observe_kept,
    observe_models,
    on_labels,
)
from dissensus.papers.sucholutsky2023.paper import PAPER
from dissensus.papers.sucholutsky2023.sets import HERE
from dissensus.papers.sucholutsky2023.studies import KEPT, NETWORKS
from dissensus.papers.sucholutsky2023.transfer import FAR, NEAR
from tests.papers.sucholutsky2023.judged_rows import HOLDS, Row, judge_rows, verdicts

ENTROPY = dict(zip(HERE, (0.0, 0.07, 0.15, 0.28, 0.87), strict=True))
# Lowest in the middle, as the paper says; the gain of people's labels is larger on far images.
LOSS = dict(zip(HERE, (0.50, 0.46, 0.44, 0.48, 0.60), strict=True))
FAR_LOSS = dict(zip(HERE, (1.20, 1.05, 1.00, 1.10, 1.15), strict=True))
RHO = dict(zip(HERE, (0.0, 0.3, 0.32, 0.1, 0.0), strict=True))
INFORMED = {"kinds": {kind: {"start 0": {"rho": rho}} for kind, rho in RHO.items()}, "judged by": "people"}
Entries = list[dict[str, Any]]


def row(kind: str, network: str = "linear", seed: int = 0, **others: Any) -> dict[str, Any]:
    noise = 0.001 * seed * (1 + HERE.index(kind) % 2)
    scores = {"cross-entropy": LOSS[kind] + noise, "accuracy": 1 - LOSS[kind] - noise}
    far = {"cross-entropy": FAR_LOSS[kind] + noise, "accuracy": 1.5 - FAR_LOSS[kind]}
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
        "distance of entropies": noise + (0.0 if kind == "S+hard" else 0.3),
        "shift": {NEAR: scores, FAR: far},
    } | others


def heads() -> Entries:
    return [row(kind, seed=seed) for kind in HERE for seed in (0, 1, 2)]


def networks() -> Entries:
    return [row(kind, network=name, seed=seed) for kind in HERE for name in NETWORKS for seed in (0, 1)]


def unchanged(entry: dict[str, Any]) -> None:
    pass


def mirrored(entry: dict[str, Any]) -> None:
    """Labels of people and hard ones exchange their scores."""
    entry["kind"] = {"hard": "H", "H": "hard"}.get(entry["kind"], entry["kind"])


def at_chance(entry: dict[str, Any]) -> None:
    """Nothing was learned."""
    scores = {"cross-entropy": 2.3 + 0.001 * entry["seed"], "accuracy": 0.1}
    entry |= {"labels": dict.fromkeys(HERE, scores), "shift": dict.fromkeys((NEAR, FAR), scores)}


def rows_of(entries: Entries, candidate: Any, change: Callable[[dict[str, Any]], None] = unchanged) -> list[Row]:
    for entry in entries:
        change(entry)
    made = list(observe_models(candidate, {"rows": entries, "label entropy": ENTROPY}, INFORMED))
    return [*made, *observe_architectures(entries, HERE)] if candidate == OF_NETWORKS else made


def judged(change: Callable[[dict[str, Any]], None] = unchanged) -> dict[str, Judgement]:
    return judge_rows([*rows_of(networks(), OF_NETWORKS, change), *rows_of(heads(), OF_HEADS, change)])


MAIN = ("crossed-u", "crossed-best", "crossed-networks", "shift-near", "shift-far", "shift-grows")
OTHERS = ("figure-7", "figure-9-top", "figure-9-bottom", "figure-10", "figure-10-bottom")


def test_a_world_as_the_paper_describes_it_is_seen_as_such():
    ours = judged()
    assert verdicts(ours, (*MAIN, *OTHERS)) == dict.fromkeys((*MAIN, *OTHERS), "same direction")
    assert all(outcome is not None and outcome.candidate == OF_NETWORKS for outcome in (ours[k].deciding for k in MAIN))


def test_a_world_in_which_hard_labels_are_better_is_seen_too():
    ours = judged(mirrored)
    broken = ("crossed-u", "crossed-best", "crossed-networks", "shift-near", "shift-far", "figure-9-bottom")
    assert verdicts(ours, broken) == dict.fromkeys(broken, "differs")


def test_models_that_learned_nothing_are_too_weak_to_tell():
    ours = judged(at_chance)
    keys = (*MAIN, *OTHERS, "crossed-shake-shake")
    assert verdicts(ours, keys) == dict.fromkeys(keys, "too weak to tell")
    assert all("level" in outcome.weak for key in keys for outcome in ours[key].outcomes)


def test_networks_below_the_level_leave_the_verdict_to_heads():
    """Networks contradict the heads in both: as good as the paper's they decide, at chance they do not."""
    heads_hold, heads_differ = rows_of(heads(), OF_HEADS), rows_of(heads(), OF_HEADS, mirrored)
    decided = ("crossed-u", "crossed-best", "shift-near", "shift-far")
    strong = judge_rows([*rows_of(networks(), OF_NETWORKS), *heads_differ])
    assert verdicts(strong, decided) == dict.fromkeys(decided, "same direction")
    weak = judge_rows([*rows_of(networks(), OF_NETWORKS, at_chance), *heads_hold])
    assert verdicts(weak, decided) == dict.fromkeys(decided, "same direction")
    assert {outcome.candidate for key in decided if (outcome := weak[key].deciding)} == {OF_HEADS}


def test_each_architecture_counts_and_two_kinds_have_no_middle():
    outcome = judged()["crossed-networks"].deciding
    assert outcome is not None and sum(outcome.cells.values()) == len(outcome.cells) == len(NETWORKS)
    two = [entry for entry in networks() if entry["kind"] in ("hard", "H")]
    rows = list(observe_models(OF_NETWORKS, {"rows": two, "label entropy": ENTROPY}, INFORMED))
    ours = judge_rows([*rows, *observe_architectures(two, ["hard", "H"])])
    assert ours["crossed-networks"].verdict == ours["crossed-u"].verdict == "cannot be tested here"


def test_the_best_architecture_is_found_against_every_kind_of_label():
    def shake_shake_is_better(entry: dict[str, Any]) -> None:
        better = 0.1 if entry["network"] == "shake_shake26_2x64" else 0.0
        entry["labels"] = {
            judge: {"cross-entropy": scores["cross-entropy"] - better, "accuracy": 0.6}
            for judge, scores in entry["labels"].items()
        }

    assert judged(shake_shake_is_better)["crossed-shake-shake"].verdict == "same direction"
    assert judged()["crossed-shake-shake"].verdict not in HOLDS


def test_recovery_that_losses_follow_by_chance_decides_nothing():
    """An order of the losses that four tenths of all orders are as good as."""
    losses = dict(zip(HERE, (0.45, 0.44, 0.43, 0.40, 0.46), strict=True))

    def random(entry: dict[str, Any]) -> None:
        scores = {"cross-entropy": losses[entry["kind"]], "accuracy": 0.6}
        entry["labels"] = dict.fromkeys(HERE, scores)

    assert judged(random)["figure-10"].verdict == "too weak to tell"


def test_kinds_that_are_each_best_by_their_own_labels_have_no_u():
    """The kind that judges is left out, so nothing remains."""

    def selfish(entry: dict[str, Any]) -> None:
        losses = {judge: 0.4 if judge == entry["kind"] else 0.5 for judge in HERE}
        entry["labels"] = {judge: {"cross-entropy": loss, "accuracy": 0.6} for judge, loss in losses.items()}

    ours = judged(selfish)
    assert ours["crossed-u"].verdict not in HOLDS and ours["crossed-networks"].verdict not in HOLDS


def test_one_end_that_is_much_worse_makes_no_u():
    """Hard labels are best everywhere, and the softest labels much worse than all."""
    losses = dict(zip(HERE, (0.40, 0.42, 0.43, 0.44, 2.0), strict=True))

    def monotone(entry: dict[str, Any]) -> None:
        scores = {"cross-entropy": losses[entry["kind"]] + 0.001 * entry["seed"], "accuracy": 0.6}
        entry |= {"labels": dict.fromkeys(HERE, scores), "shift": dict.fromkeys((NEAR, FAR), scores)}

    ours = judged(monotone)
    broken = ("crossed-u", "crossed-networks", "shift-near", "shift-far")
    assert verdicts(ours, broken) == dict.fromkeys(broken, "differs")


def test_the_best_middling_kind_is_chosen_by_the_other_runs():
    """Of two kinds, either is better in one of two runs: chosen by the same run, both would look better."""
    values = {"H": {"seed 0": 0.4, "seed 1": 0.6}, "S+hard": {"seed 0": 0.6, "seed 1": 0.4}}
    assert choose_by_others(values, ["H", "S+hard"], -1) == {"seed 0": 0.6, "seed 1": 0.6}
    assert choose_by_others(values, ["H", "S+hard"], 1) == {"seed 0": 0.4, "seed 1": 0.4}


def kept_rows(source: str, steps: dict[str, float]) -> Entries:
    return [
        row(
            "H",
            seed=seed,
            transforms=f"sparsest={kept}",
            shift={
                NEAR: {"cross-entropy": 0.4 + 0.001 * seed, "accuracy": 0.9},
                FAR: {"cross-entropy": 1 + steps[kept] + 0.001 * seed, "accuracy": 0.7},
            },
        )
        | {"kind": source}
        for kept in KEPT
        for seed in (0, 1, 2)
    ]


def test_numbers_for_more_classes_help_on_far_images_only():
    steps = {"2": 0.0, "3": -0.01, "4": -0.02, "10": 0.1}
    ours = judge_rows(observe_kept({"rows": kept_rows("H", steps)}))
    assert (ours["table-3-near"].verdict, ours["table-3-far"].verdict) == ("equal", "same direction")
    assert ours["table-3-all"].verdict == "cannot be tested here" and "dense.npy" in ours["table-3-all"].reason
    worse = judge_rows(observe_kept({"rows": kept_rows("H", {kept: -step for kept, step in steps.items()})}))
    assert worse["table-3-far"].verdict == "differs"
    assert judge_rows(observe_kept({"rows": kept_rows("DS", steps)}))["table-3-all"].verdict != "cannot be tested here"


def test_dense_labels_favour_softer_ones_if_somebody_has_them():
    entries = heads()
    for entry in entries:
        loss = 1.0 - ENTROPY[entry["kind"]] + 0.001 * entry["seed"]
        entry["labels"] = entry["labels"] | {"DS": {"cross-entropy": loss, "accuracy": 0.6}}
    assert judge_rows(rows_of(entries, OF_HEADS))["crossed-dense"].verdict == "same direction"
    assert judged()["crossed-dense"].verdict == "cannot be tested here"


def test_a_narrow_interval_is_shown_with_digits_of_its_own():
    steps = {"2": 0.0, "3": -0.001, "4": -0.002, "10": 0.1}
    shown = judge_claims(PAPER, collect(observe_kept({"rows": kept_rows("H", steps)})))["table-3-far"]
    assert shown.ours.startswith("-0.0015") and shown.published == "3 classes 1.51, 4 classes 1.47, 2 classes 1.57"


def test_a_pilot_that_leads_to_worse_choices_is_no_help():
    worlds = [{"before": 0.1 + 0.01 * place, "after": 0.0} for place in range(5)]
    assert judge_rows(observe_pilot({"worlds": worlds}))["guidance-pilot"].verdict == "same direction"
    worse = [{"before": world["after"], "after": world["before"]} for world in worlds]
    assert judge_rows(observe_pilot({"worlds": worse}))["guidance-pilot"].verdict == "differs"


def test_folds_count_by_their_items_and_the_best_learning_rate_counts():
    folds = [row("H", fold=0, items=300), row("H", fold=1, items=100)]
    folds[1]["labels"] = {"H": {"cross-entropy": 0.84, "accuracy": 0.6}}
    assert by_run(folds, on_labels("H"))["H"] == {"linear · seed 0": pytest.approx((3 * 0.44 + 0.84) / 4)}
    worse = row("H", learning_rate=0.01, labels={"H": {"cross-entropy": 9.0, "accuracy": 0.1}})
    assert by_run([worse, *folds], on_labels("H")) == by_run(folds, on_labels("H"))


def test_accuracy_is_in_percent_and_the_level_is_the_best_kind_against_hard_labels():
    rows = {number: runs for _, number, runs in rows_of(heads(), OF_HEADS)}
    assert rows[Number("accuracy", "H", "CIFAR-10H labels")]["linear · seed 0"] == pytest.approx(56)
    assert rows[Number("cross_entropy", "best kind")]["linear · seed 0"] == pytest.approx(0.44)


def test_the_conclusion_follows_the_verdicts():
    holds, broken, weak = (conclude(judged(change)) for change in (unchanged, mirrored, at_chance))
    assert "lower cross-entropy on shifted images by 1" in holds.short
    assert "do not lower cross-entropy on shifted images" in broken.short
    assert "cannot tell whether labels of people help on shifted images" in weak.short
    assert "Linear heads" not in holds.caution, "networks decided"
    by_heads = conclude(judge_rows(rows_of(heads(), OF_HEADS)))
    assert "Linear heads decide" in by_heads.caution

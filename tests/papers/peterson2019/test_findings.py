"""Verdicts follow the numbers: the paper's agree, exchanged ones differ, those of a failed model tell nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dissensus.papers.claims import Finding
from dissensus.papers.evidence import Number
from dissensus.papers.judging import judge_claims, judgements
from dissensus.papers.paper import Results
from dissensus.papers.peterson2019.claims import CLAIMS
from dissensus.papers.peterson2019.conclusion import conclude
from dissensus.papers.peterson2019.figures import figures
from dissensus.papers.peterson2019.observe import HEADS, NETWORKS, least_gain, observe
from dissensus.papers.peterson2019.observe_tuned import best_settings, mean_by_fold
from dissensus.papers.peterson2019.paper import PAPER, differences
from dissensus.papers.peterson2019.sizes import ARCHITECTURES
from tests.papers.peterson2019.made_up import FOLDS, results

AGREES = ("equal", "same direction")
RAW = {"section-4-time", "section-4-people"}
NOT_HERE = RAW | {
    "section-5-adam",
    *(f"figure-2-{name}-{score}" for name in ("v4", "v6") for score in ("accuracy", "cross_entropy")),
    "table-1-v4",
    "table-1-v6",
}
# These do not compare human labels with classes.
NO_COMPARISON = {
    "section-6-accuracy",
    "table-1-pretrained",
    "table-2-shake-shake-accuracy",
    "section-7-pgd-accuracy",
}


def judged(given: Results) -> dict[str, Finding]:
    return judge_claims(PAPER, observe(given, "full"))


def verdicts(given: Results) -> dict[str, str]:
    return {key: finding.verdict for key, finding in judged(given).items()}


def alone(given: Results, name: str, *parts: str) -> Results:
    """The same results with one network."""
    one = {part: given.numbers[part] | {"networks": {name: given.numbers[part]["networks"][name]}} for part in parts}
    return Results({}, {**given.numbers, **one})


def test_a_run_that_gives_the_papers_numbers_agrees_with_every_claim_that_can_be_tested():
    made = verdicts(results())
    assert set(made) == {claim.key for claim in CLAIMS}
    off = {key: verdict for key, verdict in made.items() if verdict not in AGREES}
    assert off == dict.fromkeys(NOT_HERE, "cannot be tested here")
    sizes = [key for key in made if key.startswith("section-5-size")]
    assert {made[key] for key in [*sizes, *(f"table-2-{name}" for name in ("vgg", "resnet"))]} == {"equal"}


def test_sets_that_a_user_has_are_judged():
    made = verdicts(results(collected=True))
    assert {key for key, verdict in made.items() if verdict not in AGREES} == RAW | {"section-5-adam"}
    turned = verdicts(results(turned=True, collected=True))
    for key in ("figure-2-v4-accuracy", "figure-2-imagenet-cross_entropy", "table-1-v4", "table-1-v6"):
        assert turned[key] == "differs"
    home = results(collected=True).numbers["scratch-shift"]["models"]["VGG"]["soft"]["cinic10"]["accuracy"]
    ours = observe(results(collected=True), "full").runs(NETWORKS, Number("accuracy", "soft", "CINIC-10"))
    assert ours is not None and list(ours.values()) == pytest.approx([100 * value for value in home])
    given = results(collected=True)
    drawn = {figure.key: figure for figure in figures(given, "full", observe(given, "full"))}
    assert "CIFAR-10.1 v6" in drawn["figure-2-accuracy"].series[0].x


def test_if_human_labels_and_classes_change_places_every_comparison_of_them_differs():
    made = verdicts(results(turned=True))
    compared = [key for key in made if key.startswith(("figure", "table", "section-5", "section-7"))]
    assert {key for key in compared if made[key] in AGREES} == NO_COMPARISON - {"section-6-accuracy"}
    undecided = {key for key in compared if made[key] == "too weak to tell"}
    assert undecided <= {"table-1-shake-shake"}  # mixup, its largest contrast, is not among the exchanged rows


def test_networks_at_the_level_of_chance_tell_nothing():
    made = verdicts(results(crippled=True))
    about_models = [key for key in made if key.startswith(("figure", "table", "section-5", "section-6", "section-7"))]
    assert {made[key] for key in about_models if key not in NOT_HERE} == {"too weak to tell"}


def test_if_networks_are_too_weak_heads_decide_except_on_images_without_features():
    weak = results(crippled=True, collected=True)
    strong = results()
    heads = {part: strong.numbers[part] for part in ("heads-shift", "tuned-heads")}
    made = judged(Results({}, weak.numbers | heads))
    for key in ("figure-2-far-cross_entropy", "table-1-soft"):
        assert made[key].verdict in AGREES and made[key].evidence.startswith("heads on frozen features")
    assert made["figure-2-v6-accuracy"].verdict == "too weak to tell"
    assert judged(strong)["figure-2-far-cross_entropy"].evidence.startswith("networks")


def test_single_networks_are_judged_on_themselves_and_not_on_heads():
    made = judged(alone(results(), "ResNet", "tuned", "attacked"))
    for key in ("table-1-vgg", "table-2-vgg", "table-2-vgg-accuracy"):
        assert (made[key].verdict, made[key].reason) == ("cannot be tested here", "not part of this scale")
    assert made["section-6-ensemble"].reason == made["section-6-recency"].reason != "not part of this scale"
    assert made["section-6-recency"].verdict == made["table-2-largest"].verdict == "cannot be tested here"
    assert made["table-1-resnet"].verdict in AGREES and made["table-2-resnet"].verdict in AGREES


def test_sampled_labels_that_showed_fewer_answers_than_there_are_tell_nothing():
    given = results().numbers
    short = Results({}, given | {part: given[part] | {"labels_shown": 20} for part in ("tuned", "tuned-heads")})
    assert verdicts(short)["table-1-sampled"] == "too weak to tell"
    assert verdicts(short)["table-1-soft"] in AGREES


def test_of_several_alphas_of_mixup_the_closest_to_people_is_taken():
    networks = results().numbers["tuned"]["networks"]
    for name, rows in best_settings(networks).items():
        assert rows["mixup"] is networks[name]["tuned"]["mixup 0.1"]["0.1"]


@pytest.mark.parametrize(("factor", "agrees"), [(1, True), (0.5, True), (1.5, False), (3, False)])
def test_a_cross_entropy_that_falls_further_than_in_table_2_is_no_contradiction(factor, agrees):
    given = results()
    for rows in given.numbers["attacked"]["networks"].values():
        for fold in rows["soft"]:
            fold["fgsm"] = {
                epsilon: {"accuracy": 0.1, "cross_entropy": factor * scores["cross_entropy"]}
                for epsilon, scores in fold["fgsm"].items()
            }
    assert verdicts(given)["table-2-half"] == ("equal" if agrees else "differs")


def test_one_network_that_pgd_leaves_accurate_is_enough_to_differ():
    given = results()
    for fold in given.numbers["attacked"]["networks"]["VGG"]["control"]:
        fold["pgd"]["4"] = fold["pgd"]["4"] | {"accuracy": [0.95, 0.5, 0.3, 0.2]}
    made = judged(given)["section-7-pgd-accuracy"]
    assert made.verdict == "differs" and made.value is not None and made.value.value == pytest.approx(20)


def test_the_largest_two_differences_after_fgsm_are_those_of_the_run():
    given = results()
    for row, accuracy in (("soft", 0.0), ("control", 0.5)):
        for fold in given.numbers["attacked"]["networks"]["VGG"][row]:
            fold["fgsm"]["4"] = fold["fgsm"]["4"] | {"accuracy": accuracy}
    made = judged(given)["table-2-largest"]
    assert made.verdict == "differs" and made.value is not None and made.value.value == pytest.approx(-50)


def test_pgd_at_a_larger_epsilon_that_favours_classes_turns_its_claim_and_not_that_of_fgsm():
    given = results()
    for rows in given.numbers["attacked"]["networks"].values():
        for soft, control in zip(rows["soft"], rows["control"], strict=True):
            for epsilon in ("5", "6", "7", "8"):
                soft["pgd"][epsilon], control["pgd"][epsilon] = control["pgd"][epsilon], soft["pgd"][epsilon]
    made = verdicts(given)
    assert made["section-7-epsilon-pgd"] == "differs" and made["section-7-epsilon"] in AGREES


def test_one_model_and_set_without_a_gain_turn_the_claims_about_all():
    given = results()
    model = given.numbers["scratch-shift"]["models"]["VGG"]
    model["soft"]["far"]["accuracy"], model["hard"]["far"]["accuracy"] = [0.4] * FOLDS, [0.5] * FOLDS
    made = judged(given)
    for key in ("figure-2-every-accuracy", "section-5-folds"):
        assert made[key].verdict == "differs" and made[key].value is not None
        assert made[key].value.value == pytest.approx(-10)
    assert made["figure-2-every-cross_entropy"].verdict in AGREES


def test_numbers_show_the_digits_of_their_interval_if_the_paper_prints_fewer():
    made = judged(results())["figure-2-cifar10-cross_entropy"]
    assert made.published == "human labels 0.5, classes 0.7"
    assert "human labels 0.5000" in made.ours and made.verdict == "equal"


def test_gains_are_those_of_a_loop_over_folds_and_models():
    models = results().numbers["scratch-shift"]["models"]
    evidence = observe(results(), "full")
    cut = evidence.runs(NETWORKS, Number("cross_entropy_cut", "soft", "ImageNet-Far"))
    assert cut is not None and len(cut) == FOLDS
    for fold, value in enumerate(cut.values()):
        hard, soft = (
            sum(models[name][kind]["far"]["cross_entropy"][fold] for name in models) / len(models)
            for kind in ("hard", "soft")
        )
        assert value == pytest.approx(100 * (hard - soft) / hard)
    assert evidence.runs(HEADS, Number("accuracy_gain", "soft", "CIFAR-10")) is not None


def test_means_leave_out_folds_without_a_score_and_the_least_gain_is_of_one_case():
    assert mean_by_fold([[1.0, None], [3.0, 5.0]]) == {"fold 1": 2.0}
    cases = [np.array([1.0, 1.0]), np.array([-1.0, 2.0])]
    assert least_gain(cases).tolist() == [-1.0, 2.0]


def test_every_claim_of_a_small_scale_has_numbers_or_says_why_not():
    given = alone(results(), "ResNet", "tuned", "attacked")
    for part in ("tuned", "attacked"):
        given.numbers[part]["networks"]["small network"] = given.numbers[part]["networks"].pop("ResNet")
    for key, finding in judged(given).items():
        assert (finding.value is not None) != bool(finding.verdict == "cannot be tested here"), key
        assert finding.value is not None or finding.reason, key


@pytest.mark.parametrize("options", [{}, {"turned": True}, {"crippled": True}, {"collected": True}])
def test_texts_are_short_and_true_whatever_comes_out(options: dict[str, Any]):
    made = judged(results(**options))
    for claim in CLAIMS:
        assert claim.judge is not None and len(claim.claim) + len(claim.source) <= 200, claim.key
        assert made[claim.key].published or claim.published, claim.key
        assert max(map(len, (made[claim.key].published, made[claim.key].evidence))) <= 120, claim.key
    texts = conclude(judgements(made))
    assert ("too weak to tell" in texts.short) == bool(options.get("crippled"))
    shown = texts.practice.startswith("This run does not show")
    assert shown == bool(options.get("turned") or options.get("crippled"))
    untested = conclude(
        judgements(judge_claims(PAPER, observe(Results({}, {"labels": results().numbers["labels"]}), "full")))
    )
    assert "by an unknown amount" in untested.short and "cannot be tested here" in untested.caution


def test_figures_show_our_numbers_next_to_the_papers_and_fit_a_screen():
    given = results(collected=True)
    drawn = {figure.key: figure for figure in figures(given, "full", observe(given, "full"))}
    assert next(iter(drawn)) == "figure-2-cross_entropy"
    table = drawn["table-1"]
    assert table.published[0].y == (0.62, 0.531, 0.448, 0.386, 0.308, 0.308)
    assert table.series[0].y == pytest.approx(table.published[0].y, rel=0.003)
    assert drawn["table-2"].series[0].y == pytest.approx(drawn["table-2"].published[0].y, rel=0.005)
    assert drawn["figure-4"].series[0].x == (0.0, 1.0, 2.0, 3.0)
    for figure in drawn.values():
        dots = [y for series in (*figure.series, *figure.published) for y in series.y if y is not None]
        assert len(dots) <= 14


@pytest.mark.parametrize("scale", PAPER.scales)
def test_differences_from_the_paper_are_short(scale):
    rows = differences(scale)
    assert max(len(cell) for row in rows for cell in row) <= 120
    said = {what for what, _, _ in rows}
    assert ("optimiser of networks" in said) == (scale != "laptop") and "heads: optimiser" in said
    assert ("networks" in said) == (scale != "full")


def test_both_tables_have_claims_for_all_eight_networks():
    keys = {claim.key for claim in CLAIMS}
    slugs = [name.lower().replace(" ", "-") for name in ARCHITECTURES]
    assert {f"table-{table}-{slug}" for table in (1, 2) for slug in slugs} <= keys
    assert {f"table-2-{slug}-accuracy" for slug in slugs} <= keys

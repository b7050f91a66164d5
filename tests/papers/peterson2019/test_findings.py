"""Findings follow the numbers: what the paper says comes out as it says, and the contrary differs."""

from __future__ import annotations

import pytest

from dissensus.papers.paper import Results
from dissensus.papers.peterson2019.figures import figures
from dissensus.papers.peterson2019.findings import findings
from dissensus.papers.peterson2019.published import CLAIMS
from dissensus.papers.peterson2019.section_6 import table_1
from tests.papers.peterson2019.made_up import results

NOT_HERE = {
    *(f"figure-2-{name}-{score}" for name in ("v4", "v6") for score in ("accuracy", "cross_entropy")),
    "table-1-v4",
    "table-1-v6",
    "section-4-time",
    "section-4-people",
}
# These do not set human labels against classes.
NO_COMPARISON = {
    "section-7-epsilon",
    "section-7-pgd-accuracy",
    "section-5-rate",
    "section-6-accuracy",
    "table-1-sampled",
    "table-1-pretrained",
}


def test_a_run_that_gives_the_papers_numbers_agrees_with_every_claim_that_can_be_tested():
    made = findings(results(), "full")
    assert set(made) == {claim.key for claim in CLAIMS}
    off = {key: finding.verdict for key, finding in made.items() if finding.verdict not in ("equal", "same direction")}
    assert off == dict.fromkeys(NOT_HERE, "cannot be tested here")


def test_sets_that_a_user_has_are_judged_and_take_the_place_of_their_stand_in():
    made = findings(results(collected=True), "full")
    off = {key for key, finding in made.items() if finding.verdict not in ("equal", "same direction")}
    assert off == {"section-4-time", "section-4-people"}
    assert "CINIC-10" in findings(results(), "full")["figure-2-imagenet-accuracy"].reason
    assert "stand in" not in made["figure-2-imagenet-accuracy"].reason
    assert "5 sets" in made["figure-2-every-accuracy"].reason
    turned = findings(results(turned=True, collected=True), "full")
    for key in ("figure-2-v4-accuracy", "figure-2-imagenet-cross_entropy", "table-1-v4", "table-1-v6"):
        assert turned[key].verdict == "differs"
    drawn = {figure.key: figure for figure in figures(results(collected=True), "full")}
    assert "CIFAR-10.1 v6" in drawn["figure-2-accuracy-scratch-shift"].series[0].x


def test_where_heads_decide_networks_are_asked_about_images_without_features():
    made = findings(results(collected=True), "quick")["figure-2-v6-accuracy"]
    assert made.verdict == "same direction" and made.parts == ("scratch-shift",)


def test_where_human_labels_and_classes_change_places_every_comparison_of_them_differs():
    made = findings(results(turned=True), "full")
    compared = [key for key in made if key.startswith(("figure", "table", "section-5"))]
    agreeing = {key for key in compared if made[key].verdict in ("equal", "same direction")} - NO_COMPARISON
    assert agreeing == set()


def test_of_several_alphas_of_mixup_the_closest_to_people_is_taken():
    given = results()
    for name, rows in table_1(given).items():
        assert rows["mixup"] is given.numbers["tuned"]["networks"][name]["tuned"]["mixup 0.1"]["0.1"]


def test_a_cross_entropy_that_falls_further_than_in_table_2_is_no_contradiction():
    given = results()
    assert findings(given, "full")["table-2-half"].verdict == "same direction"
    for factor, verdict in ((0.5, "same direction"), (1.5, "differs"), (3, "differs")):
        given = results()
        for rows in given.numbers["attacked"]["networks"].values():
            for fold in rows["soft"]:
                fold["fgsm"] = {"4": {"accuracy": 0.1, "cross_entropy": factor * fold["fgsm"]["4"]["cross_entropy"]}}
        made = findings(given, "full")["table-2-half"]
        assert made.verdict == verdict and ("gained" in made.reason) == (verdict == "differs")


def test_one_network_that_pgd_leaves_accurate_is_enough_to_differ():
    given = results()
    for fold in given.numbers["attacked"]["networks"]["VGG"]["control"]:
        fold["pgd"]["accuracy"] = [0.95, 0.5, 0.3, 0.2]
    made = findings(given, "full")["section-7-pgd-accuracy"]
    assert made.verdict == "differs" and "at most 20.0%" in made.ours


def test_the_largest_two_differences_after_fgsm_are_those_of_the_run():
    given = results()
    for fold in given.numbers["attacked"]["networks"]["VGG"]["soft"]:
        fold["fgsm"]["4"] = {"accuracy": 0.0, "cross_entropy": 4.1}
    for fold in given.numbers["attacked"]["networks"]["VGG"]["control"]:
        fold["fgsm"]["4"] = {"accuracy": 0.5, "cross_entropy": 7.9}
    made = findings(given, "full")["table-2-largest"]
    assert made.verdict == "differs" and "VGG -50.0" in made.ours and "Wide ResNet +11.0" in made.reason


def test_what_is_said_of_small_networks_is_not_said_at_full_scale():
    made = findings(results(turned=True), "full")
    assert not [key for key, finding in made.items() if "small" in finding.reason or "short" in finding.reason]


@pytest.mark.parametrize("scale", ["quick", "laptop"])
def test_what_a_small_scale_does_not_run_is_said_to_be_untested(scale):
    given = results()
    one = {part: {"networks": {"ResNet": given.numbers[part]["networks"]["ResNet"]}} for part in ("tuned", "attacked")}
    one["tuned"]["ensemble"] = given.numbers["tuned"]["ensemble"]
    made = findings(Results({}, {**given.numbers, **one}), scale)
    assert made["table-1-vgg"].verdict == made["table-2-vgg"].verdict == "cannot be tested here"
    assert made["section-6-ensemble"].verdict == made["section-6-recency"].verdict == "cannot be tested here"
    assert made["table-1-resnet"].verdict == made["table-2-resnet"].verdict == "same direction"


def test_figures_show_our_numbers_beside_the_papers():
    drawn = {figure.key: figure for figure in figures(results(), "laptop")}
    table = drawn["table-1"]
    assert [series.y[0] for series in table.published] == [0.82, 0.57, 0.36, 0.42, 0.35, 0.35]
    assert [series.y[0] for series in table.series] == pytest.approx([0.82, 0.57, 0.36, 0.42, 0.35, 0.35], rel=0.002)
    assert drawn["figure-4"].series[0].x == (0.0, 1.0, 2.0, 3.0)

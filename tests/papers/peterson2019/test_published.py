"""The numbers as printed agree with the text of the paper about them."""

from __future__ import annotations

import pytest

from dissensus.papers.evidence import Number
from dissensus.papers.peterson2019.claims import MOST_LEFT
from dissensus.papers.peterson2019.sizes import ARCHITECTURES
from dissensus.papers.peterson2019.tuned import ROWS
from dissensus.papers.published import read_published

PUBLISHED = read_published("peterson2019")
EVERY = ("pretrained", *ROWS)


def number(metric: str, arm: str, where: str = "", source: str = "") -> float:
    printed = PUBLISHED.find(Number(metric, arm, where), source)
    assert printed is not None, (metric, arm, where)
    return printed.value


def column(row: str, metric: str = "soft_nll") -> list[float]:
    return [number(metric, row, name) for name in ARCHITECTURES]


def test_answers_are_those_of_everybody_who_was_not_removed():
    people = number("annotators", "all") - number("annotators", "removed")
    assert people * number("seen", "images") == number("answers", "people")
    assert round(number("answers", "people") / number("images", "all")) == number("answers", "per image")
    assert number("images", "fewest of a class") * 10 == number("images", "all")
    assert number("seen", "of a class") * 10 == number("seen", "images")


def test_both_tables_have_all_eight_networks_and_the_mean_of_their_rows():
    metrics = ("soft_nll", "cross_entropy", "cross_entropy_v4", "cross_entropy_v6")
    for metric in metrics:
        for row in EVERY:
            assert number(metric, row) == pytest.approx(sum(column(row, metric)) / 8, abs=0.00051)
    for metric in ("fgsm_accuracy", "fgsm_cross_entropy"):
        for row in ("control", "soft"):
            assert number(metric, row) == pytest.approx(sum(column(row, metric)) / 8, abs=0.051)


def test_percentages_of_section_5_follow_from_its_numbers():
    for where in ("CIFAR-10", "ImageNet-Far"):
        hard, soft = (number("cross_entropy", kind, where, "figure 2") for kind in ("hard", "soft"))
        assert round(100 * (1 - soft / hard)) == number("cross_entropy_cut", "soft", where)
        hard, soft = (number("accuracy", kind, where, "figure 2") for kind in ("hard", "soft"))
        assert soft - hard == pytest.approx(number("accuracy_gain", "soft", where))
    for kind in ("hard", "soft"):
        assert number("accuracy_home", kind) == number("accuracy", kind, "CIFAR-10")


def test_statements_about_all_networks_are_in_table_1():
    for human in (column("soft"), column("sampled")):
        for row in ("pretrained", "control", "mixup", "category"):
            assert all(best < other for best, other in zip(human, column(row), strict=True))
    assert all(tuned < before for tuned, before in zip(column("control"), column("pretrained"), strict=True))
    classes = column("pretrained", "cross_entropy")
    assert all(each < people for each, people in zip(classes, column("pretrained"), strict=True))


def test_the_ensemble_is_between_the_closest_before_and_the_furthest_after_fine_tuning():
    assert number("soft_nll", "closest before") == min(column("pretrained"))
    assert number("soft_nll", "furthest after") == max(column("soft"))
    assert number("soft_nll", "furthest after") < number("soft_nll", "ensemble") < number("soft_nll", "closest before")


def test_the_methods_of_fine_tuning_bring_all_but_two_cells_closer_to_people():
    apart = [
        (name, row)
        for name in ARCHITECTURES
        for row in ROWS
        if number("soft_nll", row, name) >= number("soft_nll", "pretrained", name)
    ]
    assert len(ROWS) * len(ARCHITECTURES) == 40 and sorted(apart) == [("ResNext", "mixup"), ("Shake-Shake", "mixup")]


def test_by_classes_tuning_on_classes_is_lowest_and_human_labels_at_most_3_hundredths_above():
    by_classes = {row: column(row, "cross_entropy") for row in ROWS}
    lowest = [min(pair) for pair in zip(by_classes["control"], by_classes["mixup"], strict=True)]
    for row in ("category", "soft", "sampled"):
        assert all(best <= other for best, other in zip(lowest, by_classes[row], strict=True))
    above = [
        round(soft - control, 2)
        for row in ("soft", "sampled")
        for soft, control in zip(by_classes[row], by_classes["control"], strict=True)
    ]
    assert (min(above), max(above)) == (0, 0.03)


def test_human_labels_are_lowest_or_tied_on_both_versions_of_cifar101():
    for metric in ("cross_entropy_v4", "cross_entropy_v6"):
        for name in ARCHITECTURES:
            best = min(number(metric, row, name) for row in ("soft", "sampled"))
            assert best <= min(number(metric, row, name) for row in EVERY)


def test_two_sentences_about_mixup_are_not_in_table_1_as_the_claims_say():
    rows = list(zip(column("mixup"), column("control"), column("category"), strict=True))
    assert sum(mixup < control for mixup, control, _ in rows) == 6
    assert sum(mixup > category for mixup, _, category in rows) == 5


def test_whole_and_sampled_labels_are_a_hundredth_apart_at_most():
    pairs = zip(column("soft"), column("sampled"), strict=True)
    assert max(abs(soft - sampled) for soft, sampled in pairs) == pytest.approx(0.01)


def test_five_of_eight_are_more_accurate_after_fgsm_and_the_largest_two_are_those_named():
    pairs = zip(column("soft", "fgsm_accuracy"), column("control", "fgsm_accuracy"), strict=True)
    gains = {name: soft - control for name, (soft, control) in zip(ARCHITECTURES, pairs, strict=True)}
    assert (sum(gain > 0 for gain in gains.values()), sum(gain < 0 for gain in gains.values())) == (5, 2)
    assert sorted(gains, key=lambda name: -abs(gains[name]))[:2] == ["ResNet preact", "Wide ResNet"]
    losses = zip(column("soft", "fgsm_cross_entropy"), column("control", "fgsm_cross_entropy"), strict=True)
    left = [soft / control for soft, control in losses]
    assert (round(min(left), 2), round(max(left), 2)) == (0.41, MOST_LEFT)
    assert sum(left) / 8 == pytest.approx(number("fgsm_left", "soft"), abs=0.05)


def test_shake_shake_is_the_fourth_closest_before_fine_tuning():
    before = sorted(ARCHITECTURES, key=lambda name: number("soft_nll", "pretrained", name))
    assert before.index("Shake-Shake") + 1 == 4
    assert number("soft_nll", "third closest") == number("soft_nll", "pretrained", before[2])
    assert number("soft_nll", "Shake-Shake") == number("soft_nll", "pretrained", "Shake-Shake")

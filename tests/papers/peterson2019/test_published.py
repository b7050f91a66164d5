"""The numbers as printed agree with what the text of the paper says of them."""

from __future__ import annotations

import pytest

from dissensus.papers.peterson2019.published import (
    ACCURACY,
    CLAIMS,
    CROSS_ENTROPY,
    ENSEMBLE,
    ROWS,
    TABLE_1,
    TABLE_2,
    slug,
)
from dissensus.papers.peterson2019.sizes import ARCHITECTURES


def column(row: str, place: int = 0) -> list[float]:
    return [TABLE_1[name][row][place] for name in ARCHITECTURES]


def test_answers_are_those_of_everybody_who_was_not_removed():
    assert (2_571 - 14) * 200 == 511_400


def test_both_tables_have_all_eight_networks_and_six_rows():
    assert set(TABLE_1) == set(TABLE_2) == set(ARCHITECTURES)
    assert all(set(rows) == set(ROWS) for rows in TABLE_1.values())


def test_percentages_of_section_5_follow_from_its_numbers():
    (hard, soft), (far_hard, far_soft) = CROSS_ENTROPY["cifar10"], CROSS_ENTROPY["far"]
    assert (round(100 * (1 - soft / hard)), round(100 * (1 - far_soft / far_hard))) == (29, 38)
    gains = [soft - hard for hard, soft in (ACCURACY["cifar10"], ACCURACY["far"])]
    assert gains == pytest.approx([1, 2])


def test_what_the_text_says_of_all_networks_is_in_table_1():
    human = [min(pair) for pair in zip(column("soft"), column("sampled"), strict=True)]
    for row in ("pretrained", "control", "mixup", "category"):
        assert all(best < other for best, other in zip(human, column(row), strict=True))
    assert all(tuned < before for tuned, before in zip(column("control"), column("pretrained"), strict=True))
    assert all(classes < people for classes, people in zip(column("pretrained", 1), column("pretrained"), strict=True))
    assert max(column("soft")) < ENSEMBLE < min(column("pretrained"))


def test_the_ways_of_fine_tuning_bring_all_but_two_cells_closer_to_people():
    ways = [row for row in ROWS if row != "pretrained"]
    apart = [(name, row) for name, rows in TABLE_1.items() for row in ways if rows[row][0] >= rows["pretrained"][0]]
    assert len(ways) * len(TABLE_1) == 40 and apart == [("ResNext", "mixup"), ("Shake-Shake", "mixup")]


def test_by_classes_tuning_on_classes_is_lowest_and_human_labels_at_most_3_hundredths_above():
    lowest = [min(pair) for pair in zip(column("control", 1), column("mixup", 1), strict=True)]
    for row in ("category", "soft", "sampled"):
        assert all(best <= other for best, other in zip(lowest, column(row, 1), strict=True))
    above = [
        round(soft - control, 2)
        for row in ("soft", "sampled")
        for soft, control in zip(column(row, 1), column("control", 1), strict=True)
    ]
    assert (min(above), max(above)) == (0, 0.03)


def test_two_sentences_about_mixup_are_not_in_table_1_as_the_claims_say():
    pairs = list(zip(column("mixup"), column("control"), column("category"), strict=True))
    assert sum(mixup < control for mixup, control, _ in pairs) == 6
    assert sum(mixup > category for mixup, _, category in pairs) == 5


def test_five_of_eight_are_more_accurate_after_fgsm_and_the_largest_two_are_those_named():
    gains = {name: after - before for name, (before, after, _, _) in TABLE_2.items()}
    assert (sum(gain > 0 for gain in gains.values()), sum(gain < 0 for gain in gains.values())) == (5, 2)
    assert sorted(gains, key=lambda name: -abs(gains[name]))[:2] == ["ResNet preact", "Wide ResNet"]
    left = [soft / hard for _, _, hard, soft in TABLE_2.values()]
    assert (round(min(left), 2), round(max(left), 2)) == (0.41, 0.64)


def test_shake_shake_is_the_fourth_closest_before_fine_tuning():
    assert sorted(ARCHITECTURES, key=lambda name: TABLE_1[name]["pretrained"]).index("Shake-Shake") + 1 == 4


def test_every_network_has_a_claim_in_each_table():
    keys = {claim.key for claim in CLAIMS}
    assert {f"table-{table}-{slug(name)}" for table in (1, 2) for name in ARCHITECTURES} <= keys

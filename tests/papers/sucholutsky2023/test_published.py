"""The printed numbers agree with each other, and every claim has a judge and a source."""

from __future__ import annotations

from math import comb, log

import pytest

from dissensus.papers.evidence import Number
from dissensus.papers.published import read_published
from dissensus.papers.sucholutsky2023.claims import CLAIMS, HEADLINES
from dissensus.papers.sucholutsky2023.model_claims import FAR, NEAR
from dissensus.papers.sucholutsky2023.sets import NAMES

COUNTS = (80, 8)
SETS = (NEAR, "CIFAR-10.1 v4", "CIFAR-10.1 v6", "CINIC-10", FAR)


def printed(metric: str, arm: str, where: str = "") -> float:
    number = read_published("sucholutsky2023").find(Number(metric, arm, where))
    assert number is not None, f"{metric} of {arm} is not printed"
    return number.value


def test_similarity_judgments_are_all_pairs_of_two_sets_of_images_five_times():
    pairs = 2 * comb(int(printed("images", "similarity")), 2)
    assert pairs * printed("judgments_per_pair", "similarity") == printed("judgments", "similarity")


def test_typicality_ratings_are_people_times_images():
    ratings = printed("people", "T") * printed("images_per_person", "T")
    assert printed("judgments", "T") < ratings < 1.01 * printed("judgments", "T")
    assert round(ratings / 10_000) == printed("judgments_per_image", "T")


def test_there_are_over_a_million_annotations_and_over_half_a_million_sliders():
    sliders = 10_000 * printed("ratings_per_image", "DS") * printed("sliders", "DS")
    assert sliders > printed("judgments", "DS")
    assert printed("votes", "H") + sum(printed("judgments", arm) for arm in ("DS", "T", "similarity")) > 1_000_000
    assert printed("votes", "H") / 10_000 == printed("votes_per_image", "H")


def test_in_table_1_every_soft_label_but_typicality_beats_hard_ones():
    """The text says that soft labels outperform hard ones; the row of CIFAR-10T does not."""
    best = []
    for count in COUNTS:
        row = {kind: printed("cross_entropy", kind, f"{count} images per class") for kind in NAMES}
        assert [kind for kind in row if row[kind] > row["hard"]] == ["T"]
        best.append({kind for kind in row if row[kind] == min(row.values())})
    assert best == [{"H"}, {"S+dense", "DS"}]


@pytest.mark.parametrize("count", COUNTS)
def test_the_level_of_table_1_is_its_cross_entropy_below_chance(count):
    where = f"{count} images per class"
    assert printed("accuracy_nats", "H", where) == round(log(10) - printed("cross_entropy", "H", where), 2)


def test_table_3_rises_on_near_and_falls_on_far_images_from_two_to_four_classes():
    rows = {where: [printed("cross_entropy_kept", kept, where) for kept in ("2", "3", "4", "10")] for where in SETS}
    two, three, four, ten = zip(*rows.values(), strict=True)
    assert two[0] < three[0] < four[0]
    assert all(two[place] > three[place] > four[place] for place in (3, 4))
    assert all(all_classes > some for all_classes, some in zip(ten, two, strict=True))
    assert two[0] < min(two[1:3]) < two[3] < two[4], "sets are in order of their shift"


def test_the_level_of_the_figures_is_the_lowest_cross_entropy_of_table_3():
    for number in (5, 7, 9, 10):
        table = read_published("sucholutsky2023").table(f"figure {number}")
        assert table is not None and table.level == ("cross_entropy",)
        level = table.numbers["cross_entropy"][table.reference].value
        assert level == min(printed("cross_entropy_kept", kept, NEAR) for kept in ("2", "3", "4", "10"))


def test_every_claim_has_a_judge_and_a_source_and_fits_a_table():
    assert all(claim.judge is not None and claim.source and claim.claim[0].isupper() for claim in CLAIMS)
    assert max(len(claim.claim) + len(claim.source) for claim in CLAIMS) <= 200
    assert sum(claim.key.startswith("table-1-") for claim in CLAIMS) == 2 * (len(NAMES) - 1)
    assert 5 <= len(HEADLINES) <= 8


def test_every_table_and_figure_has_claims():
    sources = " ".join(claim.source for claim in CLAIMS)
    tables = [f"table {number}" for number in (1, 2, 3)]
    drawn = [f"figure {number}" for number in range(1, 13)]
    assert [name for name in (*tables, *drawn, "figures 13 to 22") if name not in sources] == []

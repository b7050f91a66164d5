"""The numbers of the paper as printed, held against each other."""

from __future__ import annotations

from math import comb

from dissensus.papers.sucholutsky2023.published import (
    CLAIMS,
    FEW,
    KEPT,
    SIMILARITY,
    SIMILARITY_JUDGMENTS,
    TYPICALITY,
)


def test_similarity_judgments_are_all_pairs_five_times():
    pairs = SIMILARITY["subsets"] * comb(SIMILARITY["images"], 2)
    assert pairs * SIMILARITY["of a pair"] == int(SIMILARITY_JUDGMENTS)


def test_typicality_ratings_are_people_times_images():
    ratings = TYPICALITY["people"] * TYPICALITY["images each"]
    assert TYPICALITY["judgments"] < ratings < 1.01 * TYPICALITY["judgments"]
    assert round(ratings / 10_000) == TYPICALITY["of an image"]


def test_in_table_1_every_soft_label_but_typicality_beats_hard_ones():
    """The text says that soft labels outperform hard ones; the row of CIFAR-10T does not."""
    for column in (0, 1):
        worse = [kind for kind in FEW if float(FEW[kind][column]) > float(FEW["hard"][column])]
        assert worse == ["T"]
    best = [min(FEW, key=lambda kind: float(FEW[kind][column])) for column in (0, 1)]
    assert best == ["H", "S+dense"]


def test_table_3_rises_on_near_and_falls_on_far_images_from_two_to_four_classes():
    sets = list(zip(*(map(float, KEPT[kept]) for kept in ("2", "3", "4")), strict=True))
    near, far = [sets[0]], sets[3:]
    assert all(two < three < four for two, three, four in near)
    assert all(two > three > four for two, three, four in far)
    assert all(float(ten) > float(two) for ten, two in zip(KEPT["10"], KEPT["2"], strict=True))


def test_every_claim_says_where_it_stands():
    assert all(claim.source and claim.published and claim.claim[0].isupper() for claim in CLAIMS)
    assert sum(claim.key.startswith("table-1-") for claim in CLAIMS) == 2 * (len(FEW) - 1)

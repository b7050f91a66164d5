"""Counts of CIFAR-10H, as the release has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.papers.peterson2019.labels import numbers_of


def test_counts_are_those_of_the_release(loaded, tmp_path: Path):
    """511,000 answers, 47 to 63 per image: cifar10h-counts.npy, git blob 497e9331."""
    loaded("cifar10h")
    made = numbers_of(tmp_path, {}, lambda share: None)
    assert (made["votes"], made["fewest"], made["most"], set(made["by_class"])) == (511_000, 47, 63, {1_000})
    assert (made["images_each"][1], made["of_a_class_each"][1]) == (200, 20) and made["as_said"] > 0.8
    assert len(made["top_30"]) == 10 and min(made["top_30"].values()) > 0.5
    assert sum(made["top_30"].values()) / 10 == pytest.approx(0.805, abs=0.001)

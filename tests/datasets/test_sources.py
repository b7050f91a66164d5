"""A source is a path that exists, else a data set; one function decides for every verb and study."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.datasets.catalogue import DATASETS
from dissensus.datasets.sources import describe_source, find_source, is_data_set
from tests.facts import refuses, states


@pytest.mark.parametrize("name", DATASETS)
def test_names_of_data_sets_mean_data_sets_of_their_kind(name):
    kind = DATASETS[name].kind
    assert find_source(name) is find_source(name, kind) is find_source(Path(name), kind) is DATASETS[name]
    assert is_data_set(name) and is_data_set(name, kind) and describe_source(name) == {"data set": name}
    other = {"labels": "features"}.get(kind, "labels")
    assert not is_data_set(name, other)
    with refuses(f"contains {kind}", f"expected {other}", place=name):
        find_source(name, other)


@pytest.mark.parametrize("make", [Path.touch, Path.mkdir], ids=["file", "folder"])
def test_a_path_that_exists_wins_over_a_data_set_of_the_same_name(tmp_path, monkeypatch, make):
    monkeypatch.chdir(tmp_path)
    make(Path("digits"))
    assert find_source("digits", "labels") == Path("digits")
    assert not is_data_set("digits") and describe_source("digits") == {"path": "digits"}


@pytest.mark.parametrize(("source", "near"), [("cifar10-h", "'cifar10h'"), ("digit", "'digits'")])
def test_an_unknown_source_is_refused_with_the_nearest_names(tmp_path, monkeypatch, source, near):
    monkeypatch.chdir(tmp_path)
    with refuses("no such file", "no data set", near, place=source) as refusal:
        find_source(source)
    assert states(refusal.value.ways[0].text, len(DATASETS), "dissensus data list")
    with refuses("no such file", place="gone/votes.csv") as refusal:
        find_source(Path("gone/votes.csv"))
    assert not any(repr(name) in refusal.value.problem for name in DATASETS)


def test_missing_features_are_refused_with_the_verb_that_makes_them():
    with refuses("no such file", "`dissensus embed`", place="gone.npy"):
        find_source("gone.npy", "features")

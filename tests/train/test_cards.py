"""Cards of features and of models lie at places of their own, and nothing else is written over."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dissensus.train.cards import FEATURES, HEAD, card_of, check_card_place
from dissensus.train.heads.features import read_features
from dissensus.train.model_files import check_model_place
from tests.facts import refuses


def test_a_card_is_named_after_the_whole_name_of_its_file(tmp_path):
    names = [card_of(tmp_path / name).name for name in ("x.npy", "x.safetensors", "x.v2.npy")]
    assert names == ["x.npy.json", "x.safetensors.json", "x.v2.npy.json"]


@pytest.mark.parametrize("content", ['{"about": "something else"}', "[1, 2]", "no JSON", '{"format": "other 1"}', ""])
@pytest.mark.parametrize(("file", "kind"), [("x.npy", FEATURES), ("x.safetensors", HEAD)])
def test_a_file_of_another_kind_is_not_written_over(tmp_path, file, kind, content):
    place = tmp_path / f"{file}.json"
    place.write_text(content)
    with refuses(place, "card of features" if kind == FEATURES else "card of a model", "be lost", file):
        check_card_place(tmp_path / file, kind)
    assert place.read_text() == content


def test_a_card_of_the_same_kind_is_written_anew(tmp_path):
    for file, kind in (("x.npy", FEATURES), ("x.safetensors", HEAD)):
        check_card_place(tmp_path / file, kind)
        (tmp_path / f"{file}.json").write_text(json.dumps({"format": kind}))
        check_card_place(tmp_path / file, kind)
    (tmp_path / "own.npy.json").write_text('{"items": ["a", "b"]}')
    check_card_place(tmp_path / "own.npy", FEATURES)
    (tmp_path / "folder.npy.json").mkdir()
    with refuses(tmp_path / "folder.npy.json", "card of features", "be lost"):
        check_card_place(tmp_path / "folder.npy", FEATURES)


def test_a_model_cannot_go_where_there_is_no_folder(tmp_path):
    with refuses(tmp_path / "no" / "m.safetensors", f"folder {tmp_path / 'no'}", "not exist"):
        check_model_place(tmp_path / "no" / "m.safetensors")


def test_what_lies_in_the_place_of_a_card_is_a_card_or_refused(tmp_path):
    np.save(tmp_path / "x.npy", np.eye(2))
    for content in ('{"about": "something else"}', "no JSON", "[]", json.dumps({"format": HEAD, "items": ["a", "b"]})):
        (tmp_path / "x.npy.json").write_text(content)
        with refuses(tmp_path / "x.npy.json", "card of features", '{"items": ["a", "b"]}'):
            read_features(tmp_path / "x.npy")


def test_names_at_a_place_that_is_not_read_are_pointed_out(tmp_path):
    np.save(tmp_path / "x.npy", np.eye(2))
    (tmp_path / "x.json").write_text('{"items": ["a", "b"]}')
    with refuses(tmp_path / "x.npy", "x.json", "items", "rename x.json to x.npy.json"):
        read_features(tmp_path / "x.npy")
    (tmp_path / "x.json").write_text('{"about": "something else"}')
    assert not read_features(tmp_path / "x.npy").named
    (tmp_path / "x.json").write_text('{"items": ["a", "b"]}')
    (tmp_path / "x.npy.json").write_text('{"items": ["c", "d"]}')
    assert read_features(tmp_path / "x.npy").items.tolist() == ["c", "d"]

"""Items are split by class, for each seed and fold, and never judged on what they taught."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.study.checks import tasks_of
from dissensus.study.read_data import load_data
from dissensus.study.spec import Split
from dissensus.study.splits import depends_on_seed, split_items
from tests.facts import refuses
from tests.study.world import N, small_study

DATA = load_data(small_study())["world"]
KINDS = DATA.people.probs.argmax(axis=1)


@given(st.floats(0.05, 0.8), st.integers(0, 99))
def test_each_class_gives_its_share_to_within_one_item(share, seed):
    parts = split_items(DATA, Split(test=share, validation=0), seed, None)
    assert abs(parts.test.size - share * N) < 1
    for kind in range(3):
        assert abs((KINDS[parts.test] == kind).sum() - share * (kind == KINDS).sum()) < 2


@pytest.mark.parametrize("scheme", ["per-seed", "fixed", "k-fold"])
def test_parts_have_no_item_in_common_and_leave_none_out(scheme):
    parts = split_items(DATA, Split(scheme=scheme), 3, 1 if scheme == "k-fold" else None)
    assert np.array_equal(np.sort(np.concatenate([parts.train, parts.validation, parts.test])), np.arange(N))
    assert parts.validation.size == pytest.approx(0.1 * (N - parts.test.size), abs=1)


def test_folds_judge_each_item_once():
    folds = [split_items(DATA, Split(scheme="k-fold", folds=5), 3, fold).test for fold in range(5)]
    assert np.array_equal(np.sort(np.concatenate(folds)), np.arange(N))
    assert {fold.size for fold in folds} == {N // 5}


def test_only_the_scheme_per_seed_draws_other_items_to_judge_on_for_another_seed():
    for scheme, same in (("per-seed", False), ("fixed", True)):
        first, second = (split_items(DATA, Split(scheme=scheme), seed, None).test for seed in (0, 1))
        assert np.array_equal(first, second) == same


def test_items_to_choose_by_may_be_those_judged_on():
    parts = split_items(DATA, Split(validation="test"), 0, None)
    assert np.array_equal(parts.validation, parts.test)
    assert np.intersect1d(parts.train, parts.test).size == 0


def test_models_of_several_seeds_share_their_items_only_where_nothing_is_drawn_for_each():
    assert depends_on_seed(DATA, Split())
    assert depends_on_seed(DATA, Split(scheme="fixed"))
    assert not depends_on_seed(DATA, Split(scheme="fixed", validation=0))


def test_a_file_says_which_part_an_item_is_in(tmp_path):
    named = ["test" if place % 3 == 0 else "train" for place in range(N)]
    file = tmp_path / "parts.csv"
    file.write_text("item,part\n" + "".join(f"i{place},{part}\n" for place, part in reversed(list(enumerate(named)))))
    parts = split_items(DATA, Split(scheme="file", file=str(file)), 0, None)
    assert np.array_equal(parts.test, np.arange(0, N, 3))
    file.write_text("item,part\n" + "".join(f"i{place},{part}\n" for place, part in enumerate(named)) + "i0,train\n")
    with refuses(file, "item i0", "twice"):
        split_items(DATA, Split(scheme="file", file=str(file)), 0, None)
    file.write_text("item,part\ni0,test\n")
    with refuses(file, "item i1", "119 of 120"):
        split_items(DATA, Split(scheme="file", file=str(file)), 0, None)
    file.write_text("item,part\n" + "".join(f"i{place},held\n" for place in range(N)))
    with refuses("part of the split", "'held'", "train, validation, test"):
        split_items(DATA, Split(scheme="file", file=str(file)), 0, None)


def test_a_file_of_parts_is_read_once_so_that_workers_need_none_and_an_edit_changes_no_cell(tmp_path):
    file = tmp_path / "parts.csv"
    file.write_text("item,part\n" + "".join(f"i{place},{'train' if place % 3 else 'test'}\n" for place in range(N)))
    study = small_study(split={"scheme": "file", "file": str(file)})
    data = load_data(study)["world"]
    file.unlink()
    assert np.array_equal(split_items(data, study.split, 0, None).test, np.arange(0, N, 3))
    with refuses("split: world:", f"{file}:", "no such file"):
        load_data(study)


def test_without_validation_nothing_is_chosen_also_where_a_file_names_items_to_choose_by(tmp_path):
    """Those items are then in no part, and cells that learn from them have another name."""
    file, keys = tmp_path / "parts.csv", set()
    for part in ("validation", "train"):
        named = ["test" if place % 3 == 0 else part if place % 3 == 1 else "train" for place in range(N)]
        file.write_text("item,part\n" + "".join(f"i{place},{each}\n" for place, each in enumerate(named)))
        split = Split(scheme="file", file=str(file), validation=0)
        parts = split_items(DATA, split, 0, None)
        assert parts.validation.size == 0 and parts.train.size == N // 3 * (1 if part == "validation" else 2)
        for validation in (0, "test"):
            study = small_study(split={"scheme": "file", "file": str(file), "validation": validation})
            keys |= {(validation, task.key) for task in tasks_of(study, {"world": DATA})}
    assert len(keys) == 2 * 2 * 4

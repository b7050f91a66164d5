"""Features or images and labels meet by name; what has no names is refused unless somebody vouches for the order."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus import Distributions, Votes
from dissensus.train import ImageTable, as_images
from dissensus.train.heads import HeadConfig, train_heads
from dissensus.train.heads.features import FeatureTable
from dissensus.train.matching import match_table
from tests.facts import refuses, states
from tests.train.crowd import crowd
from tests.train.notices import quiet


def test_features_and_labels_are_matched_by_name_and_omitted_items_are_reported():
    features, votes, _ = crowd(n=10)
    said = []
    part, labels = match_table(features.select(range(4, 10)), votes.select(items=[8, 2, 5, 4]), said.append)
    assert part.items.tolist() == ["i4", "i5", "i8"] == labels.items.tolist()
    assert np.array_equal(labels.counts(), votes.counts()[[4, 5, 8]])
    unlabelled, featureless = said
    assert states(unlabelled, "3 of 6 items", "features", "no labels", "first is i6")
    assert states(featureless, "1 of 4 items", "labels", "no features", "first is i2")
    with refuses("features", "i0, i1, i2, i3", "labels of i5", ways={"by_position": True}):
        match_table(features.select(range(4)), votes.select(items=[5]), said.append)


def test_names_that_are_whole_numbers_in_any_order_are_names():
    """Ids 0 to n - 1, shuffled: each row of features has to meet the votes on its own item."""
    order = np.random.default_rng(0).permutation(30)
    features = FeatureTable(np.eye(30)[order], order)  # row i shows which item it is
    labels = Votes.of(np.arange(30), [f"c{item % 3}" for item in range(30)])
    matched, own = match_table(features, labels, quiet)
    assert np.array_equal(matched.values.argmax(axis=1), own.items)
    with refuses("features and labels", "by name", ways={"by_position": True}):
        match_table(features, labels, quiet, by_position=True)


def test_one_side_without_names_is_refused_even_where_the_other_is_named_by_whole_numbers_from_0():
    features, votes, _ = crowd(n=10)
    bare, counted = FeatureTable(features.values), Distributions.from_counts(votes.counts(), classes=votes.classes)
    numbered = Distributions.from_counts(votes.counts(), items=np.arange(10), classes=votes.classes)
    for labels in (votes, numbered):
        with refuses(
            "features", "no item names", f"named {labels.items[0]}", "5 more", "x.npy.json", ways={"by_position": True}
        ):
            match_table(bare, labels, quiet)
    with refuses("labels", "no item names", "named i0", "item column", ways={"by_position": True}):
        match_table(features, counted, quiet)


def test_whoever_vouches_for_the_order_is_told_what_met_what():
    features, votes, _ = crowd(n=10)
    bare, counted = FeatureTable(features.values), Distributions.from_counts(votes.counts(), classes=votes.classes)
    said = []
    found, _ = match_table(bare, votes, said.append, by_position=True)
    assert found.items.tolist() == votes.items.tolist()
    (matched,) = said
    assert states(matched, "by position", "features is item i0", "the labels", "row 9 is i9")
    _, labels = match_table(features, counted, said.append, by_position=True)
    assert labels.items.tolist() == features.items.tolist()
    assert states(said[1], "by position", "row 0", "labels is item i0", "row 9 i9") and len(said) == 2
    with refuses("9 rows of features", "10 of labels"):
        match_table(bare.select(range(9)), votes, quiet, by_position=True)


def test_an_order_that_could_be_the_files_or_the_sorted_one_cannot_be_vouched_for():
    """Item 7 is answered before item 3, and whole numbers are sorted when they are read."""
    labels = Votes.of([7, 7, 3, 5], ["a", "b", "a", "b"])
    with refuses("item 7 when item 3", "x.npy.json", ways={}):
        match_table(FeatureTable(np.eye(3)), labels, quiet, by_position=True)
    rows = Distributions(np.eye(3), [7, 3, 5], ("a", "b", "c"))  # one row per item: its order is that of the file
    assert match_table(FeatureTable(np.eye(3)), rows, quiet, by_position=True)[0].items.tolist() == [7, 3, 5]


def test_where_neither_side_has_names_the_position_is_what_is_meant():
    features, votes, _ = crowd(n=10)
    bare, counted = FeatureTable(features.values), Distributions.from_counts(votes.counts(), classes=votes.classes)
    said = []
    matched, labels = match_table(bare, counted, said.append)
    assert labels == counted and np.array_equal(matched.values, features.values) and not matched.named
    (notice,) = said
    assert states(notice, "by position", "features is row 0", "the labels", "row 9 is 9")
    turned, _ = match_table(bare.select([2, 0, 1]), counted.select([0, 1, 2]), quiet)
    assert np.array_equal(turned.values, features.values[[2, 0, 1]])
    with refuses("2 rows", "no labels (1, 2)", "no features (3, 4)"):
        match_table(bare.select([0, 1, 2]), counted.select([0, 3, 4]), quiet)


def shaded(n):
    """Images whose grey is their number.  (n, 2, 2, 1)"""
    return np.broadcast_to(np.arange(n, dtype=np.uint8)[:, None, None, None], (n, 2, 2, 1))


def test_images_and_labels_meet_by_name_as_features_do():
    """Whole numbers, shuffled: each image has to meet the votes on its own item, whatever is left out."""
    _, votes, _ = crowd(n=10)
    order, said = np.random.default_rng(0).permutation(10), []
    images = ImageTable(shaded(10)[order], [f"i{row}" for row in order], {"path": "shades"})
    part, labels = match_table(images.select(range(6)), votes.select(items=range(1, 10)), said.append)
    assert [f"i{shade}" for shade in part.pixels[:, 0, 0, 0]] == labels.items.tolist() == part.items.tolist()
    assert np.array_equal(labels.counts(), votes.counts()[part.pixels[:, 0, 0, 0]]) and part.source == images.source
    without = sum(row == 0 for row in order[:6])
    first = next(f"i{row}" for row in range(1, 10) if row not in order[:6])
    *unlabelled, unseen = said
    assert len(unlabelled) == without
    assert all(states(notice, "1 of 6 items", "images", "no labels", "first is i0") for notice in unlabelled)
    assert states(unseen, f"{9 - len(part)} of 9 items", "labels", "no images", f"first is {first}")
    numbered = Votes.of(np.arange(10), ["a", "b"] * 5)
    matched, own = match_table(ImageTable(shaded(10)[order], order), numbered, quiet)
    assert np.array_equal(matched.pixels[:, 0, 0, 0], own.items)
    with refuses("images are of i4", "labels of 0", "5 more", ways={"by_position": True}):
        match_table(images, numbered, quiet)
    with refuses("images and labels", "by name", ways={"by_position": True}):
        match_table(images, votes, quiet, by_position=True)


def test_images_without_names_are_not_joined_to_named_labels_unless_somebody_vouches():
    _, votes, _ = crowd(n=10)
    bare, counted, said = as_images(shaded(10)), Distributions.from_counts(votes.counts(), classes=votes.classes), []
    with refuses("images", "no item names", "named i0", "`items` beside `pixels`", ways={"by_position": True}):
        match_table(bare, votes, quiet)
    vouched, _ = match_table(bare, votes, said.append, by_position=True)
    assert vouched.items.tolist() == votes.items.tolist() and np.array_equal(vouched.pixels, bare.pixels)
    (notice,) = said
    assert states(notice, "by position", "images is item i0", "the labels", "row 9 is i9")
    assert not match_table(bare, counted, quiet)[0].named
    with refuses("9 rows of images", "10 of labels"):
        match_table(bare.select(range(9)), votes, quiet, by_position=True)
    with refuses("item 7 when item 3", "`items` beside `pixels`", ways={}):
        match_table(as_images(shaded(3)), Votes.of([7, 3, 5], ["a", "a", "b"]), quiet, by_position=True)


def test_many_heads_refuse_targets_of_other_items():
    features, votes, _ = crowd(n=10)
    turned = votes.select(items=list(range(10))[::-1])
    configs = [HeadConfig(kind="linear", epochs=1)]
    with refuses("row 0", "the features is item i0", "(soft) is item i9", "10 of 10 rows"):
        train_heads(features, turned, configs)
    with refuses("row 0", "validation features", "is item i0", "(soft) is item i9", "10 of 10 rows"):
        train_heads(features, votes, configs, validation=(features, turned))
    assert len(train_heads(features, votes, configs)) == 1 and len(train_heads(features.values, turned, configs)) == 1


@pytest.mark.parametrize(
    ("there", "how"),
    [
        (["cats/Müller 1", "cats/b"], ("their endings", "2 of 2")),
        (["Müller 1.png", "b.png"], ("their folders", "2 of 2")),
        (["Müller 1", "b"], ("folders and endings", "2 of 2")),
        (["cats/Mu\u0308ller 1.png", "cats/x.png"], ("same Unicode", "1 of 2")),
        (["cats/müller 1.PNG", "cats/B.png"], ("lower case", "2 of 2")),
    ],
)
def test_names_that_nearly_meet_are_explained(there, how):
    """Folders, endings, and the letters of a Mac, which writes ü as two characters."""
    images = ImageTable(shaded(2), ["cats/Müller 1.png", "cats/b.png"])
    with refuses("cats/Müller 1.png", there[0], *how, ways={"by_position": True}):
        match_table(images, Votes.of(there, ["a", "b"]), quiet)
    said = []
    some = ImageTable(shaded(3), ["cats/Müller 1.png", "cats/b.png", "meets"])
    match_table(some, Votes.of([*there, "meets"], ["a", "b", "a"]), said.append)
    assert states(said[0], "cats/Müller 1.png", *how) and len(said) == 2

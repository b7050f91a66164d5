"""Features or images and labels meet by name; what has no names is refused unless somebody vouches for the order."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus import Distributions, Votes
from dissensus.train import ImageTable, as_images
from dissensus.train.heads import HeadConfig, train_heads
from dissensus.train.heads.features import FeatureTable
from dissensus.train.matching import match_items
from tests.train.crowd import crowd


def quiet(notice):
    pass


def test_features_and_labels_meet_by_name_and_what_is_left_out_is_said():
    features, votes, _ = crowd(n=10)
    said = []
    part, labels = match_items(features.select(range(4, 10)), votes.select(items=[8, 2, 5, 4]), said.append)
    assert part.items.tolist() == ["i4", "i5", "i8"] == labels.items.tolist()
    assert np.array_equal(labels.counts(), votes.counts()[[4, 5, 8]])
    assert said == [
        "3 of 6 items have features but no labels, and are left out; the first is i6",
        "1 of 4 items have labels but no features, and are left out; the first is i2",
    ]
    with pytest.raises(ValueError, match=r"no item has both features and labels: features are of i0, …, labels of i5"):
        match_items(features.select(range(4)), votes.select(items=[5]), said.append)


def test_names_that_are_whole_numbers_in_any_order_are_names():
    """Ids 0 to n - 1, shuffled: each row of features has to meet the votes on its own item."""
    order = np.random.default_rng(0).permutation(30)
    features = FeatureTable(np.eye(30)[order], order)  # row i shows which item it is
    labels = Votes.of(np.arange(30), [f"c{item % 3}" for item in range(30)])
    matched, own = match_items(features, labels, quiet)
    assert np.array_equal(matched.values.argmax(axis=1), own.items)
    with pytest.raises(ValueError, match=r"both name their items, so they are matched by name\. Leave by_position"):
        match_items(features, labels, quiet, by_position=True)


def test_one_side_without_names_is_refused_even_where_the_other_is_named_by_whole_numbers_from_0():
    features, votes, _ = crowd(n=10)
    bare, counted = FeatureTable(features.values), Distributions.from_counts(votes.counts(), classes=votes.classes)
    numbered = Distributions.from_counts(votes.counts(), items=np.arange(10), classes=votes.classes)
    for labels in (votes, numbered):
        with pytest.raises(ValueError, match=r"cannot be matched.*x\.npy\.json.*by_position=True"):
            match_items(bare, labels, quiet)
    with pytest.raises(ValueError, match=r"labels have no names, only rows.*with an item column.*by_position=True"):
        match_items(features, counted, quiet)


def test_whoever_vouches_for_the_order_is_told_what_met_what():
    features, votes, _ = crowd(n=10)
    bare, counted = FeatureTable(features.values), Distributions.from_counts(votes.counts(), classes=votes.classes)
    said = []
    found, _ = match_items(bare, votes, said.append, by_position=True)
    assert found.items.tolist() == votes.items.tolist()
    assert said == ["matched by position: row 0 of the features is item i0 of the labels, row 9 is i9"]
    _, labels = match_items(features, counted, said.append, by_position=True)
    assert labels.items.tolist() == features.items.tolist()
    assert said[1] == "matched by position: row 0 of the labels is item i0, row 9 i9"
    with pytest.raises(ValueError, match=r"9 rows of features and 10 items with labels.*expected as many"):
        match_items(bare.select(range(9)), votes, quiet, by_position=True)


def test_an_order_that_could_be_the_files_or_the_sorted_one_cannot_be_vouched_for():
    """Item 7 is answered before item 3, and whole numbers are sorted when they are read."""
    labels = Votes.of([7, 7, 3, 5], ["a", "b", "a", "b"])
    with pytest.raises(ValueError, match=r"the answers come to item 7 when item 3 would be next in the order"):
        match_items(FeatureTable(np.eye(3)), labels, quiet, by_position=True)
    rows = Distributions(np.eye(3), [7, 3, 5], ("a", "b", "c"))  # one row per item: its order is that of the file
    assert match_items(FeatureTable(np.eye(3)), rows, quiet, by_position=True)[0].items.tolist() == [7, 3, 5]


def test_where_neither_side_has_names_the_position_is_what_is_meant():
    features, votes, _ = crowd(n=10)
    bare, counted = FeatureTable(features.values), Distributions.from_counts(votes.counts(), classes=votes.classes)
    said = []
    matched, labels = match_items(bare, counted, said.append)
    assert labels == counted and np.array_equal(matched.values, features.values) and not matched.named
    assert said == ["matched by position: row 0 of the features is row 0 of the labels, row 9 is 9"]
    with pytest.raises(ValueError, match=r"number 2 of the features was row 1 of its source, and number 2 of the lab"):
        match_items(bare.select([0, 1, 2]), counted.select([0, 3, 4]), quiet)


def shaded(n):
    """Images whose grey is their number.  (n, 2, 2, 1)"""
    return np.broadcast_to(np.arange(n, dtype=np.uint8)[:, None, None, None], (n, 2, 2, 1))


def test_images_and_labels_meet_by_name_as_features_do():
    """Whole numbers, shuffled: each image has to meet the votes on its own item, whatever is left out."""
    _, votes, _ = crowd(n=10)
    order, said = np.random.default_rng(0).permutation(10), []
    images = ImageTable(shaded(10)[order], [f"i{row}" for row in order], {"path": "shades"})
    part, labels = match_items(images.select(range(6)), votes.select(items=range(1, 10)), said.append)
    assert [f"i{shade}" for shade in part.pixels[:, 0, 0, 0]] == labels.items.tolist() == part.items.tolist()
    assert np.array_equal(labels.counts(), votes.counts()[part.pixels[:, 0, 0, 0]]) and part.source == images.source
    without = sum(row == 0 for row in order[:6])
    first = next(f"i{row}" for row in range(1, 10) if row not in order[:6])
    assert said == ["1 of 6 items have images but no labels, and are left out; the first is i0"] * without + [
        f"{9 - len(part)} of 9 items have labels but no images, and are left out; the first is {first}"
    ]
    numbered = Votes.of(np.arange(10), ["a", "b"] * 5)
    matched, own = match_items(ImageTable(shaded(10)[order], order), numbered, quiet)
    assert np.array_equal(matched.pixels[:, 0, 0, 0], own.items)
    with pytest.raises(ValueError, match=r"no item has both images and labels: images are of i., …, labels of 0, …"):
        match_items(images, numbered, quiet)
    with pytest.raises(ValueError, match=r"images and labels both name their items.*Leave by_position=True out"):
        match_items(images, votes, quiet, by_position=True)


def test_images_without_names_are_not_joined_to_named_labels_unless_somebody_vouches():
    _, votes, _ = crowd(n=10)
    bare, counted, said = as_images(shaded(10)), Distributions.from_counts(votes.counts(), classes=votes.classes), []
    way_out = r"Read the images again.*`items` beside `pixels` in \.npz.*by_position=True"
    with pytest.raises(ValueError, match=rf"images have no names of items and labels have \(i0, …\).*{way_out}"):
        match_items(bare, votes, quiet)
    vouched, _ = match_items(bare, votes, said.append, by_position=True)
    assert vouched.items.tolist() == votes.items.tolist() and np.array_equal(vouched.pixels, bare.pixels)
    assert said == ["matched by position: row 0 of the images is item i0 of the labels, row 9 is i9"]
    assert not match_items(bare, counted, quiet)[0].named
    with pytest.raises(ValueError, match=r"there are 9 images and 10 items with labels.*expected as many"):
        match_items(bare.select(range(9)), votes, quiet, by_position=True)
    with pytest.raises(ValueError, match=r"which order is meant is not clear.*`items` beside `pixels`"):
        match_items(as_images(shaded(3)), Votes.of([7, 3, 5], ["a", "a", "b"]), quiet, by_position=True)


def test_many_heads_refuse_targets_of_other_items():
    features, votes, _ = crowd(n=10)
    turned = votes.select(items=list(range(10))[::-1])
    configs = [HeadConfig(kind="linear", epochs=1)]
    with pytest.raises(ValueError, match=r"row 0 of features is of item i0, but its target is of item i9 \(soft\); 10"):
        train_heads(features, turned, configs)
    with pytest.raises(ValueError, match=r"row 0 of validation features is of item i0"):
        train_heads(features, votes, configs, validation=(features, turned))
    assert len(train_heads(features, votes, configs)) == 1 and len(train_heads(features.values, turned, configs)) == 1


@pytest.mark.parametrize(
    ("there", "how"),
    [
        (["cats/Müller 1", "cats/b"], "without their endings, 2 of 2"),
        (["Müller 1.png", "b.png"], "without their folders, 2 of 2"),
        (["Müller 1", "b"], "without folders and endings, 2 of 2"),
        (["cats/Mu\u0308ller 1.png", "cats/x.png"], "written with the same Unicode, 1 of 2"),
        (["cats/müller 1.PNG", "cats/B.png"], "in lower case, 2 of 2"),
    ],
)
def test_names_that_nearly_meet_are_explained(there, how):
    """Folders, endings, and the letters of a Mac, which writes ü as two characters."""
    images = ImageTable(shaded(2), ["cats/Müller 1.png", "cats/b.png"])
    with pytest.raises(
        ValueError, match=rf"expected the same names; {how} would be the same: write the names in the labels as"
    ):
        match_items(images, Votes.of(there, ["a", "b"]), quiet)
    said = []
    some = ImageTable(shaded(3), ["cats/Müller 1.png", "cats/b.png", "meets"])
    match_items(some, Votes.of([*there, "meets"], ["a", "b", "a"]), said.append)
    assert f"the first is cats/Müller 1.png; {how} would be" in said[0] and len(said) == 2

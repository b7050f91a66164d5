"""Labels that were not released are used where somebody has them."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.papers.sucholutsky2023.own_data import FOLDER, own_files, read_dense, read_similarity, read_typicality
from dissensus.papers.sucholutsky2023.sets import kinds_here, label_kinds

ITEMS, CLASSES, GOLD = np.arange(3), ("a", "b", "c"), np.array([0, 2, 1])


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A data folder of one's own."""
    monkeypatch.setenv("DISSENSUS_DATA", str(tmp_path))
    place = tmp_path / FOLDER
    place.mkdir()
    return place


def test_dense_labels_are_sliders_scaled_to_one(own):
    np.save(own / "dense.npy", [[1, 1, 0], [0, 0.2, 0.6], [0.5, 0, 0]])
    assert read_dense(ITEMS, CLASSES).probs == pytest.approx(np.array([[0.5, 0.5, 0], [0, 0.25, 0.75], [1, 0, 0]]))
    assert list(own_files()) == ["dense.npy"]


def test_typicality_is_the_probability_of_the_true_class(own):
    np.save(own / "typicality.npy", [0.9, 0.4, 1.0])
    expected = np.array([[0.9, 0.05, 0.05], [0.3, 0.3, 0.4], [0, 1, 0]])
    assert read_typicality(GOLD, ITEMS, CLASSES).probs == pytest.approx(expected)


def test_files_of_another_form_are_refused(own):
    np.save(own / "dense.npy", np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"dense.npy: .*\(2, 3\); expected \(3, 3\)"):
        read_dense(ITEMS, CLASSES)
    np.save(own / "typicality.npy", [0.5, 40, 1])
    with pytest.raises(ValueError, match=r"image 1 .* 40; expected 0 to 1; 1 of 3"):
        read_typicality(GOLD, ITEMS, CLASSES)
    np.savez(own / "similarity.npz", rows=np.arange(3), similarity=np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"\(2, 2\).* 3 rows"):
        read_similarity()


def test_kinds_grow_by_what_is_there(data_folder, tmp_path, monkeypatch):
    for entry in data_folder.iterdir():
        (tmp_path / entry.name).symlink_to(entry)
    (tmp_path / FOLDER).mkdir()
    np.save(tmp_path / FOLDER / "dense.npy", np.random.default_rng(0).random((10_000, 10)))
    monkeypatch.setenv("DISSENSUS_DATA", str(tmp_path))
    assert kinds_here()[-2:] == ("S+dense", "DS")
    kinds = label_kinds(300)
    assert set(kinds) == set(kinds_here())
    filled = (kinds["S+dense"].probs > 0).sum(axis=1)
    assert np.median(filled) == 2, "the two largest classes stand for a sparse label where nobody gave one"

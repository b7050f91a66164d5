"""One label per item: which, how sure, and how many people said so."""

from __future__ import annotations

import numpy as np

from dissensus import Distributions, Votes, load, read, share, write
from dissensus.aggregate.consensus import item_labels
from dissensus.aggregate.models.dawid_skene import dawid_skene
from dissensus.labels.beliefs import Beliefs
from tests.facts import refuses

VOTES = Votes.of(
    ["x", "x", "x", "y", "y", "z"], ["cat", "cat", "dog", "dog", "cat", "dog"], ["ann", "bo", "cy", "ann", "bo", "cy"]
)


def test_the_label_of_a_share_is_the_majority_and_its_confidence_the_agreement():
    found = item_labels(share(VOTES))
    assert [found.classes[code] for code in found.label] == ["cat", "cat", "dog"]
    assert found.confidence.tolist() == [2 / 3, 0.5, 1] and found.agreement.tolist() == [2 / 3, 0.5, 1]
    assert found.tied.tolist() == [False, True, False] and found.answers.tolist() == [3, 2, 1]


def test_confidence_is_the_models_and_agreement_the_peoples():
    """Against a loop over items; the classes of a tie would be the first in the list."""
    votes = load("anesthesia").labels
    distributions = dawid_skene(votes).distributions
    for row, probs in zip(item_labels(distributions, votes).as_rows(), distributions.probs, strict=True):
        said = [votes.classes[code] for code in votes.choice[votes.items[votes.item] == row["item"]]]
        assert row["label"] == votes.classes[probs.argmax()] and row["confidence"] == probs.max()
        assert row["agreement"] == said.count(row["label"]) / len(said) and row["answers"] == len(said)


def test_first_choices_of_beliefs_and_counts_tell_the_agreement_too():
    shares = share(VOTES)
    for labels in (Beliefs.of_votes(VOTES), shares):
        assert item_labels(shares, labels).agreement.tolist() == [2 / 3, 0.5, 1]


def test_the_least_sure_items_come_first_and_among_them_those_with_least_agreement():
    found = item_labels(
        Distributions(np.array([[0.6, 0.4], [0.9, 0.1], [0.4, 0.6]]), VOTES.items, VOTES.classes), VOTES
    )
    assert found.items[found.least_sure()].tolist() == ["x", "z", "y"]


def test_predictions_have_labels_without_agreement_and_items_without_answers_have_none():
    alone = item_labels(Distributions(np.array([[0.2, 0.8]]), np.array(["x"]), ("cat", "dog")))
    assert alone.agreement is None and alone.as_rows() == [
        {"item": "x", "label": "dog", "confidence": 0.8, "tied": False}
    ]
    some = VOTES.select(answers=[0, 1, 2])
    rows = item_labels(dawid_skene(some).distributions, some).as_rows()
    assert rows[1]["agreement"] is None and rows[1]["answers"] == 0


def test_a_file_of_labels_is_read_back_as_it_was(tmp_path):
    found = item_labels(share(VOTES)).as_votes()
    for name in ("labels.csv", "labels.parquet"):
        write(found, tmp_path / name, say=lambda _: None)
        back = read(tmp_path / name, say=lambda _: None)
        assert back == found and back.column("confidence").tolist() == [2 / 3, 0.5, 1]


def test_labels_of_other_items_or_classes_are_refused():
    with refuses("item z", "1 of 3 items"):
        item_labels(share(VOTES), VOTES.select(items=[0, 1]))
    other = Votes.of(["x", "y", "z"], ["cat", "dog", "eel"])
    with refuses("over ['cat', 'dog']", "['cat', 'dog', 'eel']"):
        item_labels(share(VOTES), other)

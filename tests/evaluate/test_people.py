"""People and predictions are taken as they come, matched by name, and refused where they are ambiguous."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.evaluate.matching import match_predictions
from dissensus.evaluate.people import as_people
from dissensus.evaluate.predictions import as_predictions
from dissensus.evaluate.scorecards import scorecard
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes
from tests.facts import refuses, states

COUNTS = np.array([[3, 1, 0], [0, 2, 2], [0, 0, 4]])
SHARES = COUNTS / 4


def test_every_shape_of_labels_gives_the_same_targets_and_says_what_it_was():
    shares = Distributions.from_counts(COUNTS)
    cases = {
        "votes": Votes.of_counts(shares),
        "counts": COUNTS,
        "probabilities": SHARES,
    }
    for kind, labels in cases.items():
        people = as_people(labels)
        assert people.form == kind and np.array_equal(people.probs, SHARES)
        assert (people.counts is None) == (kind == "probabilities")
    assert as_people(shares).form == "counts" and np.array_equal(as_people(shares).counts, COUNTS)
    assert states(as_people(COUNTS).describe(), "3 items", "3 classes", "counts of votes", "4 per item")
    assert states(as_people(SHARES).describe(), "3 items", "3 classes", "probabilities")


def test_one_class_an_item_is_the_same_as_codes_and_as_one_hot_rows():
    for labels in (np.array([2, 0]), np.eye(3, dtype=int)[[2, 0]]):
        people = as_people(labels, classes=3)
        assert people.form == "classes" and people.counts.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert states(people.describe(), "2 items", "3 classes", "one class")
    assert as_people([1, 0], classes=["no", "yes"]).targets.classes == ("no", "yes")


def test_estimates_from_votes_are_probabilities():
    estimate = Distributions([[0.6, 0.4]], [0], ("a", "b"), [3])
    assert as_people(estimate).form == "probabilities" and as_people(estimate).counts is None


def test_torch_tensors_are_taken():
    torch = pytest.importorskip("torch")
    assert as_people(torch.tensor(COUNTS)).form == "counts"
    assert np.allclose(as_predictions(torch.tensor(SHARES, requires_grad=True)).probs, SHARES)


@pytest.mark.parametrize(
    ("labels", "options", "facts"),
    [
        (COUNTS.astype(float), {}, ("whole numbers", "float64", "labels.astype(int)")),
        (SHARES * 0.5, {}, ("label row 0", "[0.375, 0.125, 0]", "sums to 0.5", "3 of 3 rows")),
        ([[0.5, np.nan]], {}, ("label row 0", "class 1 is nan")),
        ([0, 1], {}, ("how many classes", "classes=")),
        ([0, 5], {"classes": 3}, ("label 1", "class 5", "3 classes", "0..2", "1 of 2")),
        ([0.2, 0.8], {"classes": 2}, ("np.stack([1 - p, p], axis=1)",)),
        ([[0, 0], [1, 2]], {}, ("row 0", "no votes")),
        (np.zeros((0, 3)), {}, ("labels", "(0, 3)")),
        ([["cat", "dog"]], {}, ("expected numbers",)),
        (
            ["cat", "cow"],
            {"classes": ["cat", "dog"]},
            ("labels", "item 1", "'cow'", "cat, dog", "1 of 2"),
        ),
        (
            [1, 2, 2],
            {"classes": ["1", "2", "3"]},
            ("labels have numbers", "1, 2, 3"),
        ),
        (np.array([[True, True], [False, True]]), {}, ("label row 0", "2 classes")),
        (COUNTS, {"classes": ["a", "b"]}, ("2 classes", "3 columns")),
        (Distributions.from_counts(COUNTS), {"classes": 3}, ("own names",)),
        (Votes.of(["a", "b"], ["x", "y"]).select(answers=[0]), {}, ("item b", "no votes", "1 of 2")),
    ],
)
def test_ambiguous_or_wrong_labels_are_refused(labels, options, facts):
    with refuses(*facts):
        as_people(labels, **options)


def test_names_of_classes_are_labels_of_one_class_each():
    """Ratings from 1 to 3 as text are names; as numbers they could be codes from 0, and are refused above."""
    people = as_people(["1", "3", "3"], classes=["1", "2", "3"])
    assert people.form == "classes" and people.targets.probs.tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 1]]
    assert as_people(np.array(["dog", "cat"])).targets.classes == ("cat", "dog")


def test_the_row_that_is_named_is_the_row_whose_sum_is_told():
    with refuses("row 1 sums to 2", "labels.astype(int)"):
        as_people(np.array([[0.0, 1.0], [1.0, 1.0], [5.0, 5.0]]))


def test_half_precision_is_taken_where_it_sums_to_1_and_refused_where_it_does_not():
    torch = pytest.importorskip("torch")
    rows = [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]]
    for kind in (torch.bfloat16, torch.float16):
        assert as_predictions(torch.tensor(rows, dtype=kind)).probs.tolist() == rows
        assert as_people(torch.tensor(rows, dtype=kind)).probs.tolist() == rows
    with refuses("1 of 1 rows", "at most"):
        as_predictions(torch.tensor([[0.3, 0.3, 0.4]], dtype=torch.bfloat16))


def test_full_beliefs_are_taken_as_their_mean_and_partial_ones_refused_with_the_way_out():
    full = Beliefs(
        item=np.array([0, 0, 1]),
        items=["a", "b"],
        classes=("x", "y"),
        stated=np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]),
        ruled_out=np.zeros((3, 2), dtype=bool),
        named=np.zeros((3, 0), dtype=np.int32),
    )
    people = as_people(full)
    assert people.form == "beliefs" and people.counts is None
    assert np.allclose(people.probs, [[0.7, 0.3], [0.2, 0.8]])
    assert states(people.describe(), "2 items", "2 classes", "beliefs", "1 to 2 per item")
    with refuses("complete(beliefs)"):
        as_people(Beliefs.of_votes(Votes.of(["a"], ["x"], ["ann"], classes=["x", "y"])))
    with refuses("predictions", "Beliefs", "as_distributions(...)"):
        as_predictions(full)


@pytest.mark.parametrize(
    ("rows", "facts"),
    [
        ([[2.0, -1.0], [0.5, 0.5]], ("1 of 2 rows", "logits", "softmax")),
        ([[4.0, 3.0]], ("whole numbers", "counts of votes", "Distributions.from_counts")),
        (
            [[4.1, 3.2]],
            ("above 1", "mass", "rescale=True", "logits", "softmax"),
        ),
        (
            [[0.2, 0.3], [0.1, 0.1]],
            ("mass", "rescale=True"),
        ),
        ([[20.5, 79.5]], ("percents", "rescale=True")),
        (np.log([[0.2, 0.8]]), ("log-probabilities", "exp")),
        ([[0.5, 0.499]], ("0.001", "rounded probabilities", "rescale=True")),
        ([[0.5, np.nan]], ("prediction row 0", "class 1 is nan", "1 entries of 2")),
        ([1, 0, 2], ("np.eye(k)[predicted]",)),
    ],
)
def test_predictions_that_do_not_look_like_probabilities_are_refused(rows, facts):
    with refuses(*facts):
        as_predictions(np.array(rows))


def test_items_and_classes_in_another_order_are_matched_by_name():
    people = as_people(COUNTS, items=["x", "y", "z"], classes=["a", "b", "c"])
    model = Distributions(SHARES[[2, 0, 1]][:, [1, 2, 0]], ["z", "x", "y"], ("b", "c", "a"))
    found, same = match_predictions(model, people)
    assert np.array_equal(found.probs, SHARES) and found.items.tolist() == ["x", "y", "z"]
    assert same.counts.tolist() == COUNTS.tolist()


def test_what_does_not_match_is_named():
    people = as_people(COUNTS, items=["x", "y", "z"], classes=["a", "b", "c"])
    with refuses("predictions have d", "labels have c"):
        match_predictions(Distributions(SHARES, ["x", "y", "z"], ("a", "b", "d")), people)
    with refuses("no item names", "x, y, z", "items="):
        match_predictions(as_predictions(SHARES, classes=["a", "b", "c"]), people)
    part = Distributions(SHARES[:2], ["x", "w"], ("a", "b", "c"))
    with refuses("2 items have labels", "(y, z)", "1 item has predictions", "(w)"):
        match_predictions(part, people)
    model, left = match_predictions(part, people, missing="leave out")
    assert model.items.tolist() == left.targets.items.tolist() == ["x"] and left.counts.tolist() == [[3, 1, 0]]


def test_people_are_made_once_and_hold_the_answers_whose_order_counts():
    votes = Votes.of([10, 2, 33], ["a", "b", "c"])
    people = as_people(votes)
    assert as_people(people) is people and people.source is votes and people.select([0, 2]).source is None
    with refuses("model", "item 10 when item 2"):
        scorecard(np.eye(3), people, rng=np.random.default_rng(0))

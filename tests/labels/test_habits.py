"""The three values answer to the habits of Python: len, names in brackets, in, argmax, frames."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus import Beliefs, Distributions, Votes, load, share
from dissensus.labels.completion import dense
from tests.facts import refuses

NAMES = st.lists(st.one_of(st.integers(-5, 30), st.text("ab01-", max_size=3)), min_size=1, max_size=8, unique_by=str)


@pytest.fixture(scope="module")
def votes() -> Votes:
    return load("anesthesia").labels


def test_len_counts_answers_or_items(votes):
    assert len(votes) == len(Beliefs.of_votes(votes)) == 315 and len(share(votes)) == 45
    assert len(votes.to_pandas()) == len(votes) and len(share(votes).to_polars()) == len(share(votes))


def test_an_item_is_looked_up_by_its_name(votes):
    """Patient 12 is the most disputed: 3, 3 and 1 of 7 ratings."""
    assert share(votes)[12] == share(votes)["12"] == {"1": 0, "2": 3 / 7, "3": 3 / 7, "4": 1 / 7}
    assert votes[12].counts().tolist() == [[0, 3, 3, 1]] and len(votes[12]) == 7 and type(votes[12]) is Votes
    sizes = repr(votes[12]).splitlines()[0].split(" · ")
    assert sizes[:4] == ["Votes: 7 votes", "1 item", "5 annotators", "4 classes"]
    beliefs = dense(Beliefs.of_votes(votes))
    assert type(beliefs["12"]) is Beliefs and np.allclose(beliefs["12"].item_means(), [[0, 3 / 7, 3 / 7, 1 / 7]])
    assert votes[12].to_pandas()["label"].value_counts().to_dict() == {"2": 3, "3": 3, "4": 1}


@given(NAMES, st.randoms(use_true_random=False))
def test_a_list_of_names_gives_these_items_in_this_order(names, random):
    rows = np.random.default_rng(0).dirichlet([1, 1, 1], len(names))
    made = Distributions(rows, np.array([str(name) for name in names], dtype=object), ("x", "y", "z"))
    votes = Votes.of([str(name) for name in names], ["x"] * len(names))
    asked = random.sample(names, random.randint(0, len(names)))
    for key in (asked, np.array(asked, dtype=object), pd.Series(asked, dtype=object)):
        chosen = made[key]
        assert [str(name) for name in chosen.items] == [str(name) for name in asked]
        assert np.array_equal(chosen.probs, rows[[names.index(name) for name in asked]])
        assert [str(name) for name in votes[key].items] == [str(name) for name in asked]
    for name in names:
        assert name in made and str(name) in votes
        assert list(made[name].values()) == rows[names.index(name)].tolist()


@pytest.mark.parametrize(
    ("key", "facts"),
    [
        ("13b", ["no item", "'13b'", "45: 1, 2, 3, …"]),
        (0, ["no item", "named 0", 45]),
        (-1, ["no item", "named -1", 45]),
        (["1", "x"], ["no item", "'x'", 45]),
        (slice(0, 3), ["list of names", "not by slice(0, 3, None)"]),
        (("1", "2"), ["list of names", "not by ('1', '2')"]),
        (np.ones(45, dtype=bool), ["list of names", "not by a mask"]),
        (None, ["list of names", "not by None"]),
    ],
)
def test_keys_that_are_not_names_are_refused_and_never_taken_for_positions(votes, key, facts):
    for value in (votes, share(votes)):
        with refuses(*facts, "select(items=...)", error=KeyError):
            value[key]
        assert not isinstance(key, str | int) or key not in value


def test_values_are_not_gone_through_nor_turned_into_arrays_without_their_names(votes):
    """`np.asarray` of two models whose items stand in another order would be compared row by row."""
    for value in (votes, Beliefs.of_votes(votes), share(votes)):
        with pytest.raises(TypeError, match="not iterable"):
            iter(value)
        with refuses(type(value).__name__, ".probs" if type(value) is Distributions else ".counts()"):
            np.asarray(value)


def test_the_most_probable_class_is_the_first_of_equal_ones():
    made = Distributions.from_counts([[1, 3, 0], [2, 1, 2], [0, 1, 1]], items=["a", "b", "c"], classes=("x", "y", "z"))
    assert made.argmax().tolist() == [1, 0, 1] and made.top_class().tolist() == ["y", "x", "y"]
    assert made.top_class().tolist() == [max(made[item], key=made[item].get) for item in made.items]


def test_every_value_is_a_frame_of_pandas_polars_and_arrow(votes):
    for value in (votes, Beliefs.of_votes(votes), share(votes)):
        columns = value.to_arrow().column_names
        assert list(value.to_pandas().columns) == list(value.to_polars().columns) == columns and columns[0] == "item"


def test_a_part_of_distributions_has_the_names_of_the_whole():
    """Of items named 1, 2 and x, 1 and 2 alone would read as numbers; they are texts, for votes and shares alike."""
    votes = Votes.of(["1", "2", "x"], ["a", "b", "a"])
    assert share(votes.select(items=[0, 1])) == share(votes).select([0, 1])


def test_probabilities_that_differ_by_rounding_tie():
    made = Distributions([[0.3, 0.1 + 0.2, 0.2, 0.2]], ["i"], ("a", "b", "c", "d"))
    assert made.probs[0, 1] > made.probs[0, 0] and made.top_class().tolist() == ["a"]


def test_answers_know_whether_they_come_in_the_order_of_their_items():
    assert Votes.of([2, 10, 33, 2], ["a"] * 4).out_of_order() is None
    assert Votes.of([10, 2, 33], ["a"] * 3).out_of_order() == (10, 2)
    assert Votes.of(["b", "a"], ["x", "y"]).out_of_order() is None  # names that are no numbers keep their order

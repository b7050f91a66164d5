"""The doors of the fronts: whatever is handed over in place of labels gets a sentence with the way out."""

from __future__ import annotations

import importlib
import inspect
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import dissensus
from dissensus import Beliefs, Distributions, Votes, as_distributions, compare, load, scorecard, share
from dissensus.evaluate import as_people
from dissensus.evaluate.one_pass import sweep
from dissensus.evaluate.predictions import as_predictions

FRONTS = ("labels", "aggregate", "deliver", "evaluate", "plan", "train", "files")
WITHOUT_DOORS = (
    "datasets",
    "elicit",
    "probe",
    "report",
    "train.heads",
)  # their functions take no labels, or arrays as well
VOTES = Votes.of(["a", "a", "b"], ["x", "y", "x"], ["ann", "bo", "ann"])
RIGHT = {
    "Votes": VOTES,
    "Beliefs": Beliefs.of_votes(VOTES),
    "Distributions": share(VOTES),
    "Labels": VOTES,
    "VotesOrBeliefs": VOTES,
    "People": as_people(VOTES),
}
KINDS = re.compile(rf"\b({'|'.join(RIGHT)})\b")
FRAME = pd.DataFrame({"item": ["a", "b"], "annotator": ["ann", "bo"], "label": ["x", "y"]})
WRONG = {
    "pandas": (FRAME, "a pandas DataFrame: "),
    "polars": (pl.from_pandas(FRAME), "a polars DataFrame: "),
    "path": (Path("votes.csv"), "a path or a name, 'votes.csv': "),
    "text": ("votes.csv", "read('votes.csv') reads a file"),
    "list": ([[1, 2], [3, 4]], "a list: "),
    "array": (np.ones((2, 2)), "an array of shape (2, 2): "),
    "data set": (load("anesthesia"), "pass its .labels"),
    "None": (None, "None: no value was passed"),
}


@cache
def doors(front: str) -> dict[str, tuple[Any, str]]:
    """Every function of a front with a parameter that takes labels and nothing else, and that parameter."""
    listed = {}
    package = importlib.import_module(f"dissensus.{front}")
    for name in package.__all__:
        function = getattr(package, name)
        if not inspect.isfunction(function):
            continue
        for parameter in inspect.signature(function).parameters.values():
            said = str(parameter.annotation)
            if KINDS.search(said) and not re.search("ndarray|Mapping|Callable|Sequence|Recalibration", said):
                listed[f"{front}.{name}({parameter.name})"] = function, parameter.name
    return listed


def test_there_are_doors_in_every_front_that_takes_labels():
    assert all(doors(front) for front in FRONTS) and not any(doors(front) for front in WITHOUT_DOORS)
    assert sum(len(doors(front)) for front in FRONTS) > 60


@pytest.mark.parametrize("front", FRONTS)
def test_what_is_not_labels_is_refused_by_a_sentence(front):
    """Never an AttributeError: the function, what it takes, what it was given, and how to make the one of the other."""
    for function, name in doors(front).values():
        parameters = inspect.signature(function).parameters
        given = {}
        for other in parameters.values():
            kinds = KINDS.search(str(other.annotation))
            if other.default is other.empty and other.kind is not other.VAR_KEYWORD:
                given[other.name] = RIGHT[kinds[1]] if kinds else None
        for value, words in WRONG.values():
            if value is None and parameters[name].default is None:
                continue  # nothing is what is meant
            with pytest.raises(ValueError, match=rf"^{function.__name__} takes .*; this is .*{re.escape(words)}"):
                function(**given | {name: value})


@pytest.mark.parametrize("wrong", [name for name in WRONG if name not in ("list", "array")])
def test_evaluation_takes_arrays_and_refuses_frames_whose_items_would_become_a_class(wrong):
    value, words = WRONG[wrong]
    rng = np.random.default_rng(0)
    for call in (
        lambda: as_people(value),
        lambda: as_predictions(value),
        lambda: sweep(value, share(VOTES).probs),
        lambda: scorecard(value, VOTES, rng=rng),
        lambda: scorecard(share(VOTES), value, rng=rng),
        lambda: compare({"m": value}, VOTES, rng=rng),
        lambda: compare({"m": share(VOTES)}, value, rng=rng),
    ):
        with pytest.raises(ValueError, match=re.escape(words)):
            call()
    with pytest.raises(ValueError, match="models by name"):
        compare(value, VOTES, rng=rng)


def test_labels_of_another_kind_are_refused_with_the_way_from_one_to_the_other():
    from dissensus import mean_belief
    from dissensus.aggregate import dawid_skene, shrinkage
    from dissensus.labels import smooth

    shares = share(VOTES)
    for call, words in (
        (lambda: share(shares), "share takes Votes; this is Distributions: start from the votes, or, for shares"),
        (lambda: smooth(VOTES, 0.1), "smooth takes Distributions; this is Votes: share(votes) makes them"),
        (lambda: mean_belief(VOTES), "mean_belief takes Beliefs; this is Votes: Beliefs.of_votes(votes) makes them"),
        (lambda: share(Beliefs.of_votes(VOTES)), "this is Beliefs: beliefs.first_choices() makes them"),
        (lambda: as_distributions(dawid_skene(VOTES)), "this is a DawidSkeneFit: pass its .distributions"),
        (lambda: shrinkage(VOTES, prior=VOTES), "shrinkage takes Distributions as prior; this is Votes: share(votes)"),
        (lambda: as_distributions(shares.probs), "an array of shape (2, 2): Distributions.from_counts(counts) or Dist"),
        (lambda: share(iter([1])), "this is a list_iterator: Votes.of(item, choice, annotator) makes them"),
    ):
        with pytest.raises(ValueError, match=re.escape(words)):
            call()


def test_the_way_out_that_a_refused_frame_is_told_works():
    assert share(Votes.of_frame(FRAME)) == share(dissensus.read(FRAME, say=lambda notice: None))
    assert Distributions.of_frame(share(VOTES).to_pandas()) == share(VOTES)


def test_no_public_function_hides_its_parameters():
    """Only where a method or a recipe is named do further options go to it; they are checked by its signature."""
    hidden = set()
    for front in ("", *FRONTS, *WITHOUT_DOORS):
        package = importlib.import_module(f"dissensus.{front}".rstrip("."))
        for name in package.__all__:
            value = getattr(package, name)
            functions = [value] if inspect.isfunction(value) else []
            if inspect.isclass(value) and value.__module__.startswith("dissensus"):
                functions = [f for n, f in inspect.getmembers(value) if not n.startswith("_") and inspect.isroutine(f)]
            for function in functions:
                ours = (getattr(function, "__module__", None) or "").startswith("dissensus")
                if ours and any(p.kind is p.VAR_KEYWORD for p in inspect.signature(function).parameters.values()):
                    hidden.add(function.__qualname__)
    assert hidden - {"Refusal.change"} == {
        "aggregate_labels",
        "deliver",
        "network_recipe",
        "review",
    }  # settings of a refusal are any


def test_no_function_counts_votes_that_are_not_there():
    """Majorities, as those that count votes would take them for unanimous answers; each of them says so."""
    from dissensus.aggregate import majority_vote

    made = majority_vote(load("anesthesia").labels)
    rng = np.random.default_rng(0)
    given = {
        "rng": rng,
        "answers": 5,
        "size": 9,
        "estimate": made,
        "measure": "nominal alpha",
        "measures": ["nominal alpha"],
    }
    counting = {
        door: function
        for front in FRONTS
        for door, (function, name) in doors(front).items()
        if str(inspect.signature(function).parameters[name].annotation) == "Votes | Distributions"
    }
    assert len(counting) >= 7
    for door, function in counting.items():
        needed = [p.name for p in inspect.signature(function).parameters.values() if p.default is p.empty][1:]
        with pytest.raises(ValueError) as refused:
            function(made, **{name: given[name] for name in needed})
        assert any(words in str(refused.value) for words in ("number of votes", "from the votes")), door

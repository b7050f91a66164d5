"""Tables of probabilities: what they are out of, and which classes they rule out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dissensus import Votes
from dissensus.files.read_labels import read
from dissensus.files.write_labels import write
from dissensus.labels.beliefs import Beliefs
from tests.files.notices import one_states, read_roles
from tests.files.refusals import quiet

TOP_TWO = "item,top1,top1_prob,top2,top2_prob,ruled_out\n"


def csv(folder, text):
    path = folder / "beliefs.csv"
    path.write_text(text)
    return path


def test_one_mistyped_probability_does_not_rescale_the_others(tmp_path):
    path = csv(tmp_path, TOP_TWO + "a,cat,0.7,dog,0.2,\nb,cat,0.6,dog,0.4,\nc,dog,1.5,cat,0.1,\n")
    said = []
    found = read(path, say=said.append)
    assert found.stated.tolist() == [[0.7, 0.2], [0.6, 0.4], [0.1, 1.5]]
    assert one_states(said, "row 3", "states 1.5", "'dog'", "1 of 6", "scale=100")


def test_percents_with_many_zeros_are_percents(tmp_path):
    path = csv(tmp_path, TOP_TWO + "a,cat,100,dog,0,\nb,cat,100,dog,0,\nc,dog,99,cat,1,\n")
    assert read(path, say=quiet).stated.tolist() == [[1, 0], [1, 0], [0.01, 0.99]]


def test_sliders_in_percent_are_recognised_and_reported(tmp_path):
    said = []
    found = read(csv(tmp_path, "item,stated.cat,stated.dog\na,70,30\nb,,100\n"), say=said.append)
    assert np.array_equal(found.stated, [[0.7, 0.3], [np.nan, 1]], equal_nan=True)
    roles = read_roles(said[-1])
    assert roles.pop("annotator").startswith("none ") and roles == {"item": "item", "scale": "100 (percents)"}
    assert read(csv(tmp_path, "item,stated.cat\na,70\n"), scale=1, say=quiet).stated.tolist() == [[70]]


@pytest.mark.parametrize("cell", ["ship|fox", "\"['ship', 'fox']\"", '"[""ship"", ""fox""]"'])
def test_a_list_written_as_text_names_its_classes(tmp_path, cell):
    said = []
    found = read(csv(tmp_path, TOP_TWO + f"a,cat,70,dog,20,{cell}\nb,cat,60,dog,20,[]\n"), say=said.append)
    assert found.classes == ("cat", "dog", "fox", "ship")
    assert found.ruled_out.tolist() == [[False, False, True, True], [False] * 4]
    assert one_states(said, "ruled out", "never named", "ship, fox")


def test_a_class_with_a_comma_is_ruled_out_where_it_is_known_as_one(tmp_path):
    path = csv(tmp_path, TOP_TWO + 'a,cat,70,dog,20,"ship, fox"\n')
    classes = ["cat", "dog", "ship, fox"]
    assert read(path, classes=classes, say=quiet).ruled_out.tolist() == [[False, False, True]]


@pytest.mark.parametrize("flags", [("TRUE", "FALSE"), ("True", "False"), ("1", "0"), ("1", "")])
def test_classes_are_ruled_out_in_any_case_or_by_one(tmp_path, flags):
    rows = f"a,1,{flags[1]}\nb,,{flags[0]}\n"
    found = read(csv(tmp_path, "item,stated.cat,ruled_out.cat\n" + rows), say=quiet)
    assert found.ruled_out.tolist() == [[False], [True]]


def test_probabilities_above_one_are_written_with_a_notice_on_how_to_read_them(tmp_path):
    """Mostly above 1, they look like percents in a CSV file, which has no place to say otherwise."""
    told = Beliefs.of_votes(Votes.of(["a", "b"], ["cat", "dog"], ["ann", "bo"]))
    sure = replace(told, stated=told.stated * 1.5)
    said: list[str] = []
    write(sure, tmp_path / "b.csv", say=said.append)
    assert one_states(said, "scale=1")
    assert np.array_equal(read(tmp_path / "b.csv", scale=1, say=said.append).stated, sure.stated, equal_nan=True)

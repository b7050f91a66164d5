"""One thing in two spellings, and words for nothing: read as one, refused, or left out, never silently two."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from dissensus import read, write
from dissensus.aggregate import krippendorff_alpha
from tests.facts import refuses, states
from tests.files.notices import one_states, read_roles
from tests.files.refusals import list_ways

HEADER = "item,annotator,label\n"


def saved(tmp_path, rows: str):
    path = tmp_path / "votes.csv"
    path.write_text(HEADER + rows)
    return path


def heard(path, **options):
    said: list[str] = []
    return read(path, say=said.append, **options), "\n".join(said)


def test_ratings_written_as_floats_keep_their_order(tmp_path):
    rng = np.random.default_rng(0)
    ratings = np.clip(rng.integers(0, 11, 40)[:, None] + rng.integers(-1, 2, (40, 3)), 0, 10)
    rows = [(i, a, r) for i, row in enumerate(ratings) for a, r in enumerate(row)]
    whole, _ = heard(saved(tmp_path, "".join(f"{i},{a},{r}\n" for i, a, r in rows)))
    floats, said = heard(saved(tmp_path, "".join(f"{i},{a},{r}.0\n" for i, a, r in rows)))
    halves, _ = heard(saved(tmp_path, "".join(f"{i},{a},{r / 2}\n" for i, a, r in rows)))
    assert floats.classes == whole.classes == tuple(map(str, range(11)))
    assert said.count("\n") == 0 and states(read_roles(said)["label"], "floats", "integers")
    assert halves.classes == tuple(str(r / 2) for r in range(11))
    alphas = [krippendorff_alpha(votes, "ordinal") for votes in (whole, floats, halves)]
    assert np.ptp(alphas) < 1e-12 and alphas[0] > 0.9


def test_an_item_called_1_and_1_0_is_one_item(tmp_path):
    votes, said = heard(saved(tmp_path, "1.0,7.0,x\n1,8.0,y\n2.0,7.0,x\n"))
    assert votes.items.tolist() == [1, 2] and votes.annotators.tolist() == [7, 8]
    assert states(said, "floats in item", "integers")
    kept, _ = heard(saved(tmp_path, "1.0,a,x\n2.0,a,y\n"), items=["1.0", "2.0"])
    assert kept.items.tolist() == ["1.0", "2.0"]


@pytest.mark.parametrize(
    ("rows", "firsts", "differences", "column"),
    [
        ("1,a,yes\n1,b,yes \n2,a,Yes\n2,b,no\n", {"yes": 1, "yes ": 2, "Yes": 3}, "blanks, case", "classes"),
        ("1,a,1\n1,b,1.0\n2,a,1.5\n", {"1": 1, "1.0": 2}, "spelling of a number", "classes"),
        ("1,a,x\n1,a ,x\n", {"a": 1, "a ": 2}, "blanks", "annotators"),
        ("p1,a,x\n p1,b,x\n", {"p1": 1, " p1": 2}, "blanks", "items"),
    ],
)
def test_names_that_differ_only_in_blanks_or_case_are_refused_unless_listed(
    tmp_path, rows, firsts, differences, column
):
    path = saved(tmp_path, rows)
    named = [f"'{name}' (first in row {row})" for name, row in firsts.items()]
    role = {"classes": "label", "annotators": "annotator", "items": "item"}[column]
    with refuses(*named, f"column '{role}'", "differ only", differences, place=str(path)) as caught:
        heard(path)
    assert [dict(way.settings) for way in caught.value.ways] == [{}, {column: ...}]
    names = {"classes": 2, "annotators": 1, "items": 0}[column]
    listed = list(dict.fromkeys(row.split(",")[names] for row in rows.splitlines()))
    votes, _ = heard(path, **{column: listed})
    assert list(map(str, getattr(votes, column))) == listed


def test_people_whose_names_differ_in_case_are_two(tmp_path):
    votes, _ = heard(saved(tmp_path, "1,a,x\n1,A,x\n"))
    assert votes.annotators.tolist() == ["a", "A"]


@pytest.mark.parametrize("word", ["nan", "NaN", "NA", "N/A", "null", "#N/A"])
def test_a_word_for_a_missing_label_is_not_a_class_unless_it_is_listed(tmp_path, word):
    path = saved(tmp_path, f"1,a,x\n1,b,{word}\n2,a,y\n2,b,{word}\n")
    ways = [{"missing": "drop"}, {"classes": ...}]
    with refuses("row 2", f"'{word}'", "column 'label'", "no label", "2 of 4", place=str(path)) as caught:
        heard(path)
    assert list_ways(caught) == ways
    votes, said = heard(path, missing="drop")
    assert votes.classes == ("x", "y") and votes.n_answers == 2
    assert one_states(said.splitlines(), f"'{word}'", "column 'label'", "no label")
    assert one_states(said.splitlines(), "2 rows", "left out")
    assert heard(path, classes=["x", "y", word])[0].n_answers == 4
    with refuses("row 2", f"'{word}'", "column 'label'", "no label", "1 of 2", place="Table") as caught:
        read(pa.table({"item": [1, 2], "annotator": ["a", "a"], "label": ["x", word]}))
    assert list_ways(caught) == ways


def test_none_is_a_class(tmp_path):
    assert heard(saved(tmp_path, "1,a,none\n1,b,toxic\n"))[0].classes == ("none", "toxic")


def test_writing_a_csv_file_reports_spellings_that_it_cannot_express(tmp_path):
    classes = ["NA", "Yes", "yes"]
    votes, _ = heard(saved(tmp_path, "1,a,yes\n1,b,Yes\n2,a,NA\n"), classes=classes)
    said: list[str] = []
    write(votes, tmp_path / "again.csv", say=said.append)
    assert states(said[0], f"classes={classes}")

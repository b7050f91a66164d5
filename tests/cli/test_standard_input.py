"""`-` is standard input for every verb that takes labels; its format is told by its first bytes, or by --format."""

from __future__ import annotations

import io
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from dissensus import Distributions, Votes, read, write
from tests.cli.commands import run
from tests.facts import states
from tests.files.refusals import quiet

VOTES = Votes.of(["a", "a", "b", "b"], ["4", "5", "5", "1"], ["ann", "bo", "ann", "bo"])
CSV = "item,annotator,label\na,ann,4\na,bo,5\nb,ann,5\nb,bo,1\n"


def piped(content, *words, code=0):
    return run(*words, code=code, input=content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize("ending", ["csv", "json", "jsonl", "parquet", "arrow"])
def test_labels_are_read_from_a_pipe_whatever_format_they_are_in(tmp_path, ending):
    write(VOTES, tmp_path / f"v.{ending}", say=quiet)
    said = piped((tmp_path / f"v.{ending}").read_bytes(), "convert", "-", tmp_path / "out.parquet")
    assert said.stdout == f"standard input -> {tmp_path / 'out.parquet'}: votes, 2 items\n" and not said.stderr
    assert read(tmp_path / "out.parquet", say=pytest.fail) == VOTES


@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_matrices_are_read_from_a_pipe(tmp_path, ending):
    counts = Distributions.from_counts([[3, 1], [0, 4]], items=[0, 1], classes=["0", "1"])
    write(counts, tmp_path / f"c.{ending}", say=quiet)
    facts = json.loads(piped((tmp_path / f"c.{ending}").read_bytes(), "describe", "-", "--json").stdout)
    assert facts["kind"] == "distributions" and facts["items"] == 2


def test_the_format_that_is_named_wins(tmp_path):
    tsv = CSV.replace(",", "\t")
    assert states(piped(tsv, "describe", "-", code=2).stderr, "standard input:", "header", "one column")
    assert json.loads(piped(tsv, "describe", "-", "--format", "tsv", "--json").stdout)["classes"] == ["1", "4", "5"]


def test_one_record_and_one_object_of_records_are_told_apart():
    record = {"item": "a", "annotator": "ann", "label": "x"}
    assert json.loads(piped(json.dumps(record), "describe", "-", "--json").stdout)["items"] == 1
    lewidi = {"1": {"annotations": "1,0", "annotators": "Ann1,Ann2", "soft_label": {"0": 0.5, "1": 0.5}}}
    for text in (json.dumps(lewidi), json.dumps(lewidi, indent=1)):
        said = piped(text, "describe", "-", "--json")
        assert json.loads(said.stdout)["answers"] == 2 and states(said.stderr, "standard input:", "format = lewidi")


def test_what_was_taken_and_what_is_wrong_is_said_about_standard_input(tmp_path):
    said = piped(CSV.replace("annotator,label", "user,rating"), "describe", "-", "--json")
    (notice,) = said.stderr.splitlines()
    columns = ("item = item", "annotator = user", "label = rating", "(1, 4, 5, ordered)")
    assert notice.startswith("standard input: ") and states(notice, *columns)
    wrong = piped(CSV + "a,ann,1\n", "describe", "-", code=2).stderr
    assert wrong.startswith("error: standard input: ") and str(tmp_path.parent) not in wrong
    assert states(wrong, "row 5", "second answer")
    assert states(piped("", "describe", "-", code=2).stderr, "error: standard input:", "empty")
    assert states(piped("[{", "describe", "-", code=2).stderr, "error: standard input:", "JSON")
    damaged = piped(b"PAR1 and no more", "describe", "-", code=2).stderr
    assert states(damaged, "error: standard input:", "parquet") and "labels.parquet" not in damaged


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "-", "-"],
        ["evaluate", "-", "anesthesia"],
        ["evaluate", "anesthesia", "-", "--compare", "other=-"],
        ["evaluate", "anesthesia", "-", "--gold", "-"],
        ["embed", "-", "-o", "x.npy"],
        ["fit", "-", "anesthesia", "-o", "x.safetensors"],
        ["describe", "-", "--html", "x.html", "--contents", "-"],
        ["aggregate", "-", "--recalibrate", "-", "-o", "x.npz"],
    ],
    ids=" ".join,
)
def test_standard_input_is_only_the_labels_and_only_once(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    refused = piped(CSV, *words, code=2)
    assert refused.stdout == "" and list(tmp_path.iterdir()) == []
    assert states(refused.stderr.splitlines()[-1], "standard input", "labels", "once")
    assert refused.stderr.count("error: ") == 1


def test_counting_takes_a_pipe_of_parquet_and_refuses_others(tmp_path):
    sent = io.BytesIO()
    pq.write_table(VOTES.to_arrow(), sent)
    piped(sent.getvalue(), "count", "-", "-o", tmp_path / "c.npy")
    assert np.load(tmp_path / "c.npy").tolist() == VOTES.counts().tolist()
    refused = piped(CSV, "count", "-", "-o", tmp_path / "d.npy", code=2).stderr
    assert states(refused, "error: standard input:", "not a readable", "Parquet")


def test_columns_are_left_out_kept_as_gold_and_named_as_people_on_the_command_line(tmp_path):
    sheet = "photo,ann,bo,ref,truth\np1,4,5,u1,4\np2,5,1,u2,5\np3,4,4,u3,4\n"
    layout = ("--layout", "annotators", "--item", "photo")
    for words in (("--drop", "ref", "--gold", "truth"), ("--annotators", "ann,bo", "--drop", "ref", "--drop", "truth")):
        piped(sheet, "convert", "-", tmp_path / "out.parquet", *layout, *words)
        votes = read(tmp_path / "out.parquet", say=pytest.fail)
        assert votes.annotators.tolist() == ["ann", "bo"] and votes.counts().sum() == 6
        assert (votes.extra.column_names if votes.extra else []) == (["gold"] if "--gold" in words else [])
    refused = piped(sheet, "describe", "-", *layout, code=2).stderr
    assert states(refused, "column 'ref'", "identifiers", "--annotators ann,bo")
    assert states(piped(sheet, "describe", "-", "--annotators", "", code=2).stderr, "--annotators", "empty")

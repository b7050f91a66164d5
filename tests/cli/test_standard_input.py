"""`-` is standard input for every verb that takes labels; its format is told by its first bytes, or by --format."""

from __future__ import annotations

import io
import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from dissensus import Distributions, Votes, read, write
from dissensus.cli.main import app
from tests.files.refusals import quiet

VOTES = Votes.of(["a", "a", "b", "b"], ["4", "5", "5", "1"], ["ann", "bo", "ann", "bo"])
CSV = "item,annotator,label\na,ann,4\na,bo,5\nb,ann,5\nb,bo,1\n"


def piped(content, *words, code=0):
    sent = content.encode() if isinstance(content, str) else content
    result = CliRunner().invoke(app, [str(word) for word in words], input=sent)
    assert result.exit_code == code, result.output
    return result


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
    assert "standard input: the header is one column" in piped(tsv, "describe", "-", code=2).stderr
    assert json.loads(piped(tsv, "describe", "-", "--format", "tsv", "--json").stdout)["classes"] == ["1", "4", "5"]


def test_one_record_and_one_object_of_records_are_told_apart():
    record = {"item": "a", "annotator": "ann", "label": "x"}
    assert json.loads(piped(json.dumps(record), "describe", "-", "--json").stdout)["items"] == 1
    lewidi = {"1": {"annotations": "1,0", "annotators": "Ann1,Ann2", "soft_label": {"0": 0.5, "1": 0.5}}}
    for text in (json.dumps(lewidi), json.dumps(lewidi, indent=1)):
        said = piped(text, "describe", "-", "--json")
        assert json.loads(said.stdout)["answers"] == 2 and "standard input: took: format = lewidi" in said.stderr


def test_what_was_taken_and_what_is_wrong_is_said_about_standard_input(tmp_path):
    said = piped(CSV.replace("annotator,label", "user,rating"), "describe", "-", "--json")
    assert said.stderr == "standard input: took: item = item, annotator = user, label = rating (1, 4, 5, ordered)\n"
    wrong = piped(CSV + "a,ann,1\n", "describe", "-", code=2).stderr
    assert wrong.startswith("error: standard input: row 5 is a second answer") and str(tmp_path.parent) not in wrong
    assert piped("", "describe", "-", code=2).stderr.startswith("error: standard input: the file is empty")
    assert "not valid JSON" in piped("[{", "describe", "-", code=2).stderr


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
    assert "standard input can only be the labels, once" in refused.stderr.splitlines()[-1]
    assert refused.stderr.count("error: ") == 1


def test_counting_takes_a_pipe_of_parquet_and_refuses_others(tmp_path):
    sent = io.BytesIO()
    pq.write_table(VOTES.to_arrow(), sent)
    piped(sent.getvalue(), "count", "-", "-o", tmp_path / "c.npy")
    assert np.load(tmp_path / "c.npy").tolist() == VOTES.counts().tolist()
    refused = piped(CSV, "count", "-", "-o", tmp_path / "d.npy", code=2).stderr
    assert refused.startswith("error: standard input: not a readable Parquet file")


def test_columns_are_left_out_kept_as_gold_and_named_as_people_on_the_command_line(tmp_path):
    sheet = "photo,ann,bo,ref,truth\np1,4,5,u1,4\np2,5,1,u2,5\np3,4,4,u3,4\n"
    layout = ("--layout", "annotators", "--item", "photo")
    for words in (("--drop", "ref", "--gold", "truth"), ("--annotators", "ann,bo", "--drop", "ref", "--drop", "truth")):
        piped(sheet, "convert", "-", tmp_path / "out.parquet", *layout, *words)
        votes = read(tmp_path / "out.parquet", say=pytest.fail)
        assert votes.annotators.tolist() == ["ann", "bo"] and votes.counts().sum() == 6
        assert (votes.extra.column_names if votes.extra else []) == (["gold"] if "--gold" in words else [])
    refused = piped(sheet, "describe", "-", *layout, code=2).stderr
    assert "column 'ref' has identifiers" in refused and "--annotators ann,bo" in refused
    assert "--annotators is empty" in piped(sheet, "describe", "-", "--annotators", "", code=2).stderr

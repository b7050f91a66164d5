"""Embedding: names, resumption after a kill, files whole or not at all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from dissensus import read
from dissensus.files.tables.columns import USUAL
from dissensus.train.cards import card_of
from dissensus.train.heads.embed_items import embed
from dissensus.train.heads.encodable_items import folder_items, pixel_items, table_items, text_items
from dissensus.train.heads.encoders import ENCODERS, Encoder, Loaded
from dissensus.train.heads.features import FeatureTable, read_features
from dissensus.train.squares import FITS
from tests.facts import refuses, states


def letters(texts):
    """A toy encoder: how often each letter occurs in a text."""
    return np.array([[text.lower().count(chr(97 + code)) for code in range(26)] for text in texts], dtype=np.float32)


@pytest.fixture
def toy():
    """An encoder of the tests' own, entered as users enter theirs."""
    ENCODERS["letters"] = Encoder("text", "counts of letters", "none needed", lambda model: Loaded(letters, "v1"))
    yield "letters"
    del ENCODERS["letters"]


def texts(n=10):
    return [f"{'abc'[row % 3] * (row + 1)} text" for row in range(n)]


def test_features_keep_the_names_of_their_items_and_where_they_come_from(tmp_path, toy):
    items = text_items([f"i{row}" for row in range(10)], texts())
    steps = []
    found = embed(items, toy, tmp_path / "f.npy", batch=4, progress=lambda done, total: steps.append((done, total)))
    assert np.array_equal(found.values, letters(texts())) and found.items.tolist() == [f"i{row}" for row in range(10)]
    assert steps == [(0, 10), (4, 10), (8, 10), (10, 10)]
    assert found.source is not None and found.source["encoder"] == "letters" and found.source["weights"] == "v1"
    assert np.array_equal(np.load(tmp_path / "f.npy"), found.values)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.npy", "f.npy.json"]


def test_finished_features_are_reused_and_others_are_encoded(tmp_path, toy):
    said = []
    embed(text_items(range(10), texts()), toy, tmp_path / "f.npy", say=said.append)
    before = (tmp_path / "f.npy").stat().st_mtime_ns
    embed(text_items(range(10), texts()), toy, tmp_path / "f.npy", say=said.append)
    assert (tmp_path / "f.npy").stat().st_mtime_ns == before and states(said[-1], tmp_path / "f.npy", "already")
    other = embed(text_items(range(10), texts()[::-1]), toy, tmp_path / "f.npy", say=said.append)
    assert np.array_equal(other.values, letters(texts()[::-1]))


def test_pairs_are_both_texts_their_distance_and_their_product(tmp_path, toy):
    left, right = texts(5), [text[::-1] + "zz" for text in texts(5)]
    found = embed(text_items(range(5), left, right), toy, tmp_path / "f.npy", batch=2).values
    u, v = letters(left), letters(right)
    assert np.array_equal(found, np.concatenate([u, v, np.abs(u - v), u * v], axis=1))


KILLED = """
import sys, time
from pathlib import Path
import numpy as np
from dissensus.train.heads.embed_items import embed
from dissensus.train.heads.encoders import ENCODERS, Encoder, Loaded
from dissensus.train.heads.encodable_items import text_items

def slow(texts):
    time.sleep(float(sys.argv[2]))
    return np.array([[len(text), hash(text) % 1 + text.count("a")] for text in texts], dtype=np.float32)

ENCODERS["slow"] = Encoder("text", "slow", "none", lambda model: Loaded(slow, "v1"))
items = text_items(range(40), ["a" * (row + 1) for row in range(40)])
embed(items, "slow", Path(sys.argv[1]), batch=2, say=lambda text: print(text, flush=True))
"""


def test_encoding_resumes_after_a_kill(tmp_path):
    target = tmp_path / "f.npy"
    start = [sys.executable, "-c", KILLED, str(target)]
    running = subprocess.Popen([*start, "0.1"], stdout=subprocess.PIPE, text=True)
    record = tmp_path / ".f.npy.part" / "done.json"
    deadline = time.monotonic() + 60
    while not record.exists() or json.loads(record.read_text())["done"] < 6:
        assert time.monotonic() < deadline and running.poll() is None
        time.sleep(0.02)
    os.kill(running.pid, signal.SIGKILL)
    running.communicate()
    assert not target.exists() and not card_of(target).exists()
    done = json.loads(record.read_text())["done"]
    again = subprocess.run([*start, "0"], capture_output=True, text=True, check=True)
    assert states(again.stdout, f"{done} of 40") and 6 <= done < 40
    whole = tmp_path / "whole.npy"
    subprocess.run([sys.executable, "-c", KILLED, str(whole), "0"], capture_output=True, check=True)
    assert target.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.npy", "f.npy.json", "whole.npy", "whole.npy.json"]


def test_items_interrupted_in_their_first_batch_leave_nothing_to_resume_from(tmp_path, toy):
    target, mine, others = tmp_path / "f.npy", text_items(range(6), texts(6)), text_items(range(6), texts(6)[::-1])

    def broken(after):
        def told(done, total):
            if done == after:
                raise KeyboardInterrupt

        return told

    with pytest.raises(KeyboardInterrupt):
        embed(mine, toy, target, batch=2, progress=broken(2))
    with pytest.raises(KeyboardInterrupt):  # before its first record is written
        embed(others, toy, target, batch=2, progress=broken(0))
    np.lib.format.open_memmap(tmp_path / ".f.npy.part" / "values.npy", "w+", dtype=np.float32, shape=(6, 26))
    assert np.array_equal(embed(mine, toy, target, batch=2).values, letters(texts(6)))


def test_a_kill_between_features_and_card_leaves_only_the_card_to_write(tmp_path, toy):
    items = text_items(range(6), texts(6))
    embed(items, toy, tmp_path / "f.npy", batch=4)
    card = json.loads(card_of(tmp_path / "f.npy").read_text())
    about = {name: value for name, value in card.items() if name != "items"}
    part = tmp_path / ".f.npy.part"
    part.mkdir()
    (part / "done.json").write_text(json.dumps(about | {"done": 6}))
    card_of(tmp_path / "f.npy").unlink()
    steps = []
    embed(items, toy, tmp_path / "f.npy", batch=4, progress=lambda done, total: steps.append(done))
    assert steps == [] and json.loads(card_of(tmp_path / "f.npy").read_text()) == card and not part.exists()


def test_two_processes_do_not_write_into_one_file(tmp_path, toy):
    target = tmp_path / "f.npy"
    running = subprocess.Popen([sys.executable, "-c", KILLED, str(target), "0.2"], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not (tmp_path / ".f.npy.part" / "done.json").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    with refuses(tmp_path / ".f.npy.part", "another process"):
        embed(text_items(range(3), texts(3)), toy, target)
    running.kill()
    running.wait()


def test_what_cannot_be_encoded_is_refused(tmp_path, toy):
    items = text_items(range(3), texts(3))
    with refuses("'efficientnet-lite0'", "images", "texts"):
        embed(items, "efficientnet-lite0", tmp_path / "f.npy")
    with refuses(tmp_path / "f.csv", ".npy"):
        embed(items, toy, tmp_path / "f.csv")
    with refuses(tmp_path / "no" / "f.npy", f"folder {tmp_path / 'no'}", "not exist"):
        embed(items, toy, tmp_path / "no" / "f.npy")
    with refuses("item 1", "' '", "1 of 2 items"):
        text_items(range(2), ["a", " "])
    with refuses("two items", "'x'"):
        text_items(["x", "x"], ["a", "b"])
    with refuses("3 texts", "2 names"):
        text_items(range(2), texts(3))
    with refuses("float64", "(2, 4, 4)", "uint8", "(2, height, width, 3)"):
        pixel_items(range(2), np.zeros((2, 4, 4)))
    with refuses(tmp_path, "no image", ".png", ".tiff"):
        folder_items(tmp_path)
    (tmp_path / "bad.png").write_bytes(b"no picture")
    with refuses(tmp_path / "bad.png", "readable image"):
        folder_items(tmp_path).get(range(1))


def test_texts_come_from_tables_one_row_per_item_or_per_answer(tmp_path):
    rows = {"id": ["p", "q", "p"], "comment": ["one", "two", "one"], "label": [1, 2, 2]}
    said = []
    pq.write_table(pa.table(rows), tmp_path / "t.parquet")
    found = table_items(tmp_path / "t.parquet", say=said.append)
    assert found.takes == "text" and found.names.tolist() == ["p", "q"] and found.get(range(2)) == ["one", "two"]
    (took,) = said
    assert states(took, "item = id", "text = comment")
    (tmp_path / "t.jsonl").write_text('{"post": "x", "key": "k1"}\n{"post": "y", "key": "k2"}\n')
    with refuses("no column", "text", "post, key", place=str(tmp_path / "t.jsonl"), ways={"text": ...}):
        table_items(tmp_path / "t.jsonl")
    assert table_items(tmp_path / "t.jsonl", text="post", item="key").names.tolist() == ["k1", "k2"]
    with refuses("column 'body'", "from: post, key", place=str(tmp_path / "t.jsonl")):
        table_items(tmp_path / "t.jsonl", text="body")
    with refuses("column 'post'", "name and text", place=str(tmp_path / "t.jsonl"), ways={"item": ...}):
        table_items(tmp_path / "t.jsonl", text="post", item="post")
    pq.write_table(pa.table(rows | {"comment": ["one", "two", "three"]}), tmp_path / "t.parquet")
    with refuses(tmp_path / "t.parquet", "item 'p'", "'one' in row 1", "'three' in row 3"):
        table_items(tmp_path / "t.parquet")


@pytest.mark.parametrize("usual", USUAL["item"])
def test_the_column_of_names_is_found_as_read_finds_it(tmp_path, usual):
    (tmp_path / "t.csv").write_text(f"{usual},text,label\n7,one,a\n3,two,b\n")
    said = []
    found = table_items(tmp_path / "t.csv", say=said.append)
    (took,) = said
    assert found.named and found.names.tolist() == [7, 3] and states(took, f"item = {usual}", "text = text")
    labels = read(tmp_path / "t.csv", say=lambda notice: None)
    assert set(labels.items.tolist()) == set(found.names.tolist())


def test_texts_without_names_stay_unnamed_with_a_warning(tmp_path, toy):
    (tmp_path / "t.csv").write_text("premise,hypothesis\na b,c\nd,e\n")
    said = []
    pairs = table_items(tmp_path / "t.csv", say=said.append)
    assert pairs.takes == "pair" and pairs.get(range(2)) == [("a b", "c"), ("d", "e")] and not pairs.named
    took, warning = said
    assert states(took, "text = premise", "second = hypothesis") and "item" not in took
    assert warning.startswith("warning: ")
    assert states(warning, tmp_path / "t.csv", "unnamed", "premise, hypothesis", "`item`")
    found = embed(pairs, toy, tmp_path / "f.npy")
    assert not found.named and not read_features(tmp_path / "f.npy").named
    card = json.loads((tmp_path / "f.npy.json").read_text())
    assert (
        "items" not in card
        and card["encoder"] == "letters"
        and found.source == read_features(tmp_path / "f.npy").source
    )
    named = embed(text_items([0, 1], ["a b", "d"], ["c", "e"]), toy, tmp_path / "f.npy")
    assert named.named and named.items.tolist() == [0, 1], "names that look like numbers of rows are names all the same"


def test_images_of_a_folder_are_named_by_their_paths(tmp_path):
    (tmp_path / "dogs").mkdir()
    for name in ("dogs/b.png", "a.jpg"):
        Image.new("RGB", (5, 4), (9, 9, 9)).save(tmp_path / name)
    (tmp_path / "notes.txt").write_text("no image")
    found = folder_items(tmp_path)
    assert found.names.tolist() == ["a.jpg", "dogs/b.png"] and found.get(range(1))[0].shape == (4, 5, 3)


@pytest.fixture
def grid():
    """An encoder that squashes every image to 4 x 4, as most networks do with what they are given."""

    def encode(images):
        small = [Image.fromarray(image).resize((4, 4), Image.Resampling.BICUBIC) for image in images]
        return np.stack([np.asarray(image).reshape(-1) for image in small]).astype(np.float32)

    ENCODERS["grid"] = Encoder("image", "sixteen pixels", "none needed", lambda model: Loaded(encode, "v1"))
    yield "grid"
    del ENCODERS["grid"]


def test_encoders_see_the_middle_of_images_that_are_not_square_unless_asked_otherwise(tmp_path, grid):
    """Until asked to stretch, no encoder gets anything to squash; squares are handed over as they are."""
    wide = np.random.default_rng(0).integers(0, 256, (8, 14, 3), dtype=np.uint8)
    square = wide[:, :8]
    for name, pixels in (("square", square), ("wide", wide)):
        Image.fromarray(pixels).save(tmp_path / f"{name}.png")
    said = []
    items = folder_items(tmp_path)
    features = embed(items, grid, tmp_path / "f.npy", say=said.append)
    encode = ENCODERS[grid].load("").encode
    white = np.full((3, 14, 3), 255, dtype=np.uint8)
    assert np.array_equal(features.values, encode([square, np.ascontiguousarray(wide[:, 3:11])]))
    (notice,) = said
    assert states(notice, "1 of 2 images", "not square", FITS["crop"], "`fit`", "pad or stretch")
    padded = embed(items, grid, tmp_path / "f.npy", fit="pad", say=said.append)
    assert np.array_equal(padded.values, encode([square, np.concatenate([white, wide, white])]))
    assert np.array_equal(embed(items, grid, tmp_path / "f.npy", fit="stretch").values, encode([square, wide]))
    card = json.loads(card_of(tmp_path / "f.npy").read_text())
    assert card["not square"] == FITS["stretch"]
    with refuses("fit 'squash'", "crop, pad, stretch"):
        embed(items, grid, tmp_path / "f.npy", fit="squash")


def test_square_images_cause_no_notice_and_no_entry_in_the_card(tmp_path, grid):
    pixels = np.random.default_rng(0).integers(0, 256, (3, 8, 8, 3), dtype=np.uint8)
    said = []
    features = embed(pixel_items(range(3), pixels), grid, tmp_path / "f.npy", say=said.append)
    assert np.array_equal(features.values, ENCODERS[grid].load("").encode(list(pixels))) and not said
    assert "not square" not in json.loads(card_of(tmp_path / "f.npy").read_text())
    embed(pixel_items(range(3), pixels), grid, tmp_path / "f.npy", fit="pad", say=said.append)
    (notice,) = said
    assert states(notice, tmp_path / "f.npy", "already")


def test_feature_files_of_ones_own_are_read_and_checked(tmp_path):
    file = tmp_path / "own.npy"
    np.save(file, np.arange(6, dtype=np.float16).reshape(3, 2))
    found = read_features(file)
    assert not found.named and found.items.tolist() == [0, 1, 2] and found.values.dtype == np.float16
    card = tmp_path / "own.npy.json"
    card.write_text('{"items": ["a", "b"]}')
    with refuses("3 rows", "2 names", place=str(file)):
        read_features(file)
    card.write_text('{"items": [2, 1, 0]}')
    assert read_features(file).named and read_features(file).items.tolist() == [2, 1, 0]
    card.unlink()
    np.save(file, np.array([[1.0, 2], [3, np.nan], [np.inf, 1]]))
    with refuses("row 1", "item 1", "nan in column 1", "finite", "2 of 6", place=str(file)):
        read_features(file)
    np.save(file, np.ones(4))
    with refuses("float64", "(4,)", place=str(file)):
        read_features(file)
    np.save(file, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with refuses("pickled objects", place=str(file)):
        read_features(file)
    file.write_text("1,2\n3,4\n")  # NumPy's own error advises to load it unsafely
    with refuses("readable .npy", "1,2", "numpy.save", place=str(file)) as caught:
        read_features(file)
    assert "pickle" not in str(caught.value)
    with refuses("nowhere.npy", "no such file"):
        read_features(Path("nowhere.npy"))
    with refuses("two items", "'a'"):
        FeatureTable(np.ones((2, 2)), np.array(["a", "a"], dtype=object))

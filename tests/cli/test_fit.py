"""fit and predict from the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dissensus import Distributions, read
from dissensus.deliver import DELIVERIES, WRAPPERS
from dissensus.train.heads.fit_config import HEADS
from dissensus.train.heads.model_files import load_head
from tests.cli.commands import quiet, refused, run
from tests.facts import states
from tests.train.crowd import CLASSES, crowd


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with features, their names, and votes on them."""
    tmp_path = tmp_path_factory.mktemp("fit")
    features, votes, _ = crowd()
    np.save(tmp_path / "f.npy", features.values)
    (tmp_path / "f.npy.json").write_text(json.dumps({"items": features.items.tolist()}))
    rows = [f"{votes.items[i]},{CLASSES[c]}" for i, c in zip(votes.item, votes.choice, strict=True)]
    (tmp_path / "votes.csv").write_text("item,label\n" + "\n".join(rows) + "\n")
    return tmp_path


@pytest.mark.parametrize("head", ["mlp", "linear", "logistic"])
def test_fit_and_predict_give_a_distributions_file(folder, head):
    model, out = folder / "m.safetensors", folder / "p.parquet"
    words = ("fit", folder / "f.npy", folder / "votes.csv", "--head", head, "--learning-rate", 0.03, "-o", model)
    card = json.loads(run(*words, "--json").stdout)
    assert card["items trained on"] == (200 if head == "logistic" else 160) and card["items held out"] == 40
    assert card["classes"] == ["a", "b", "c"]
    scores = card["scores on items held out"]
    assert scores["kl"] < 0.5 and card["delivery"] == "soft"
    done = json.loads(run("predict", model, folder / "f.npy", "-o", out, "--json").stdout)
    assert done["items"] == 200
    found = read(out, say=quiet)
    assert isinstance(found, Distributions) and found.classes == CLASSES and found.items.tolist()[:2] == ["i0", "i1"]
    assert np.array_equal(found.probs, load_head(model).probs(np.load(folder / "f.npy")))
    run("predict", model, folder / "f.npy", "-o", folder / "p.npy")
    assert np.allclose(np.load(folder / "p.npy"), found.probs)


def test_a_model_named_like_its_features_leaves_their_names_alone(folder):
    features, before = folder / "f.npy", (folder / "f.npy.json").read_bytes()
    run("fit", features, folder / "votes.csv", "--epochs", 1, "-o", folder / "f.safetensors")
    assert (folder / "f.npy.json").read_bytes() == before
    assert json.loads((folder / "f.safetensors.json").read_text())["classes"] == ["a", "b", "c"]
    run("predict", folder / "f.safetensors", features, "-o", folder / "named.parquet")
    assert read(folder / "named.parquet", say=quiet).items.tolist()[:2] == ["i0", "i1"]


def test_other_json_in_the_place_of_a_card_is_refused_before_training(folder):
    other = folder / "taken.safetensors.json"
    other.write_text('{"mine": 1}')
    line = refused("fit", folder / "f.npy", folder / "votes.csv", "-o", folder / "taken.safetensors")
    assert states(line, other, "exists", "another name", "taken.safetensors")
    assert other.read_text() == '{"mine": 1}' and not (folder / "taken.safetensors").exists()


def test_the_same_seed_gives_the_same_file(folder):
    for name in ("one", "two"):
        run(
            "fit",
            folder / "f.npy",
            folder / "votes.csv",
            "--delivery",
            "sls",
            "--seed",
            5,
            "--epochs",
            2,
            "-o",
            folder / f"{name}.safetensors",
        )
    assert (folder / "one.safetensors").read_bytes() == (folder / "two.safetensors").read_bytes()


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["fit", "{f}", "{v}", "-o", "m.pt"], ["m.pt", ".safetensors"]),
        (["fit", "nowhere.npy", "{v}", "-o", "m.safetensors"], ["nowhere.npy", "no such file"]),
        (["fit", "{f}", "{v}", "-o", "m.safetensors", "--delivery", "nonsense"], ["delivery", "'nonsense'", "soft"]),
        (["fit", "{f}", "{v}", "-o", "m.safetensors", "--head", "tree"], ["head", "'tree'", "mlp"]),
        (
            ["fit", "{f}", "{v}", "-o", "m.safetensors", "--validation", "1"],
            ["--validation 1.0:", "from 0", "below 1"],
        ),
        (["fit", "{f}", "{v}", "-o", "m.safetensors", "--wrap", "smoothed"], ["smoothed:", "smoothed=NUMBER"]),
        (["fit", "{f}", "{v}", "-o", "m.safetensors", "--wrap", "soften=1"], ["wrapper", "'soften'"]),
        (
            ["fit", "{f}", "{v}", "-o", "m.safetensors", "--head", "logistic", "--delivery", "sls"],
            ["sls", "epoch", "linear or mlp"],
        ),
        (["predict", "{v}", "{f}", "-o", "p.parquet"], ["{v}", "safetensors"]),
    ],
)
def test_a_wrong_input_is_refused_in_one_line(folder, words, facts):
    files = {"f": folder / "f.npy", "v": folder / "votes.csv"}
    line = refused(*(word.format(**files) for word in words))
    assert states(line, *(fact.format(**files) for fact in facts))


def test_the_help_names_every_delivery_wrapper_and_head():
    shown = " ".join(run("fit", "--help").stdout.replace("│", " ").split())
    assert [name for name in (*DELIVERIES, *WRAPPERS, *HEADS) if name not in shown] == []

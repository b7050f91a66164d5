"""fit and predict from the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from dissensus import Distributions, read
from dissensus.cli.main import app
from dissensus.deliver import DELIVERIES, WRAPPERS
from dissensus.train.heads.fit_config import HEADS
from dissensus.train.heads.model_files import load_head
from tests.train.crowd import CLASSES, crowd


def run(*words, code=0):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output + done.stderr
    return done


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
    assert card["scores on items held out"]["kl"] < 0.5 and card["delivery"] == "soft"
    done = json.loads(run("predict", model, folder / "f.npy", "-o", out, "--json").stdout)
    assert done["items"] == 200
    found = read(out, say=lambda notice: None)
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
    assert read(folder / "named.parquet", say=lambda notice: None).items.tolist()[:2] == ["i0", "i1"]


def test_other_json_in_the_place_of_a_card_is_refused_before_training(folder):
    other = folder / "taken.safetensors.json"
    other.write_text('{"mine": 1}')
    said = run("fit", folder / "f.npy", folder / "votes.csv", "-o", folder / "taken.safetensors", code=2).stderr
    assert "exists and is not the card of a model" in said and "choose another name than taken.safetensors" in said
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
    ("words", "message"),
    [
        (["fit", "{f}", "{v}", "-o", "m.pt"], "models are written as .safetensors"),
        (["fit", "nowhere.npy", "{v}", "-o", "m.safetensors"], "no such file"),
        (["fit", "{f}", "{v}", "-o", "m.safetensors", "--delivery", "nonsense"], "unknown delivery 'nonsense'"),
        (["fit", "{f}", "{v}", "-o", "m.safetensors", "--head", "tree"], "unknown head 'tree'. Choose from: mlp"),
        (
            ["fit", "{f}", "{v}", "-o", "m.safetensors", "--validation", "1"],
            "--validation 1.0: expected a number from 0 to below 1",
        ),
        (["fit", "{f}", "{v}", "-o", "m.safetensors", "--wrap", "smoothed"], "smoothed: expected smoothed=NUMBER"),
        (["fit", "{f}", "{v}", "-o", "m.safetensors", "--wrap", "soften=1"], "unknown wrapper 'soften'"),
        (["fit", "{f}", "{v}", "-o", "m.safetensors", "--head", "logistic", "--delivery", "sls"], "changes with the"),
        (["predict", "{v}", "{f}", "-o", "p.parquet"], "not a readable safetensors file"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(folder, words, message):
    done = run(*(word.format(f=folder / "f.npy", v=folder / "votes.csv") for word in words), code=2)
    assert message in done.stderr and done.stderr.strip().splitlines()[-1].startswith("error:")


def test_the_help_names_every_delivery_wrapper_and_head():
    shown = " ".join(run("fit", "--help").stdout.replace("│", " ").split())
    assert [name for name in (*DELIVERIES, *WRAPPERS, *HEADS) if name not in shown] == []

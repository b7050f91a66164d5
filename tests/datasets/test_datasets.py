"""The list of data sets, the folder they are looked up in, and what loading returns."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dissensus import Distributions, Votes
from dissensus.datasets import DATASETS, data_folder, efficientnet, features, images, load, lookup, predictions
from dissensus.datasets.catalogue import load_classes
from dissensus.datasets.dataset import Features, LabelledItems
from tests.facts import refuses

FLAT_NAMES = [
    "anesthesia",
    "digits",
    "cifar10h",
    "cifar10h-annotators",
    "cifar10h-annotators-all",
    "cifar10h-raw",
    "cifar10h-attention",
    "cifar10s",
    "cifar10n",
    "chaosnli-snli",
    "chaosnli-mnli",
    "chaosnli-snli-original",
    "chaosnli-mnli-original",
    "popquorn",
    "hs-brexit",
    "convabuse",
    "par",
    "csc",
    "crowd-bluebird",
    "crowd-trec",
    "crowd-adult",
    "crowd-relevance",
    "crowd-tweet-sentiment",
    "crowd-sentiment-polarity",
    "crowd-weather-cf",
    "crowd-fact-eval",
    "crowd-anesthesia",
    "crowd-caries",
    "crowd-labelme",
]


def test_every_name_is_there():
    assert set(FLAT_NAMES) <= set(DATASETS)


@pytest.mark.parametrize("dataset", DATASETS.values(), ids=lambda dataset: dataset.name)
def test_every_data_set_states_its_terms(dataset):
    for field in ("title", "what", "source", "citation", "licence"):
        assert len(getattr(dataset, field)) >= 3, field
    assert dataset.facts.items > 0
    assert not dataset.files or dataset.downloads or dataset.obtain, "says neither where to fetch nor how to obtain it"
    for download in dataset.downloads:
        assert download.address.startswith("https://")
        algorithm, _, digits = download.checksum.partition(":")
        assert len(digits) == {"md5": 32, "sha256": 64}[algorithm]
    places = [place for places in dataset.files + dataset.also for place in places]
    assert all(not place.startswith("/") and ".." not in place for place in places)


def test_importing_is_light_and_no_module_takes_the_place_of_a_call():
    """Calls are what they say also after every module of the package was imported by itself."""
    code = """
import importlib, pkgutil, sys
import dissensus.datasets as front
assert not {"dissensus.datasets.catalogue", "pooch"} & set(sys.modules)
for module in pkgutil.iter_modules(front.__path__):
    importlib.import_module(f"dissensus.datasets.{module.name}")
from dissensus.datasets import DATASETS, features, images, load, lookup, predictions
assert all(callable(call) for call in (features, images, load, lookup, predictions)) and "digits" in DATASETS
print([name for name in ("sklearn", "PIL", "pooch", "torch") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_the_folder_is_the_variable_or_a_cache_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("DISSENSUS_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    monkeypatch.delenv("DISSENSUS_DATA")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert data_folder().name == "dissensus"


def test_a_missing_file_is_named_with_the_way_out(monkeypatch, tmp_path):
    monkeypatch.setenv("DISSENSUS_DATA", str(tmp_path))
    files = "cifar10h/counts.npy or cifar10h/cifar10h-counts.npy"
    ways = ("`dissensus data get cifar10h`", "DISSENSUS_DATA")
    with refuses("'cifar10h'", files, f"not in {tmp_path}", *ways, error=FileNotFoundError):
        load("cifar10h")
    with refuses("popquorn/offensiveness.parquet", "GitHub Jiaxin-Pei", error=FileNotFoundError):
        load("popquorn")
    monkeypatch.setenv("DISSENSUS_DATA", str(tmp_path / "nowhere"))
    with refuses("'cifar10n'", f"{tmp_path / 'nowhere'} (no such folder", error=FileNotFoundError):
        load("cifar10n")


def test_the_classes_of_images_are_labels(data_folder):
    items, pixels = load_classes("cifar10-test"), images("cifar10", "test", quiet=True)
    assert isinstance(items.labels, Distributions) and np.array_equal(items.gold, pixels.labels)
    assert np.array_equal(items.labels.probs, np.eye(10)[pixels.labels])
    assert np.array_equal(items.labels.items, load("cifar10h").labels.items)


def test_an_unknown_name_suggests_a_near_one():
    with refuses("unknown data set", "'cifar10-h'", "'cifar10h'"):
        load("cifar10-h")
    with refuses("contains images", "expected labels", "datasets.images(...)", place="cifar10-test"):
        load("cifar10-test")
    with refuses("contains labels", "expected features", "datasets.load('cifar10h')", place="cifar10h"):
        features("cifar10h")
    assert lookup("digits").title.startswith("Simulated")


def test_labelled_items_must_be_about_the_same_items():
    votes = Votes.of(["a", "b"], ["x", "y"])
    assert LabelledItems(votes, pa.table({"item": ["a", "b"], "gold": ["y", None]})).gold.tolist() == [1, -1]
    assert LabelledItems(votes, pa.table({"item": ["a", "b"]})).gold.tolist() == [-1, -1]
    with refuses("2 rows", ["item"], "first column 'item'", "2 item names", "order"):
        LabelledItems(votes, pa.table({"item": ["b", "a"]}))
    with refuses("[3, 2] rows"):
        Features(np.zeros((3, 4)), np.arange(2))


def test_embedded_anesthesia_equals_the_copy_in_the_data_folder(loaded):
    """crowd.parquet, data set anesthesia, from GitHub jeffreypullin/rater; codes there start at 0."""
    ours, theirs = load("anesthesia").labels, loaded("crowd-anesthesia").labels
    assert ours.classes == theirs.classes
    for field in ("item", "annotator", "choice"):
        assert np.array_equal(getattr(ours, field), getattr(theirs, field)), field


def test_names_and_texts_are_those_of_their_items(loaded):
    images_ = loaded("cifar10h")
    assert images_.items.column_names == ["item", "gold", "cifar10s_split"]
    assert images_.items["cifar10s_split"].to_pylist().count("train") == 7_000  # splits.npz of cifar-10s
    assert (images_.labels.probs.argmax(axis=1) == images_.gold).mean() == 0.9921
    assert loaded("chaosnli-snli").items["hypothesis"][0].as_py() == "Two kids at a ballgame wash their hands."
    assert loaded("crowd-sentiment-polarity").items["text"][0].as_py().startswith("the cast is phenomenal")
    assert loaded("hs-brexit").items["split"].to_pylist().count("dev") == 168
    assert loaded("popquorn").labels.extra.column_names == ["gender", "race", "age", "occupation", "education"]
    assert loaded("csc").labels.extra.column_names == ["gender", "age"]
    assert loaded("csc").labels.extra["gender"].null_count > 0  # 32 of its annotators have no row
    assert loaded("par").labels.classes[0] == "-5" and loaded("convabuse").labels.classes[-1] == "1"


def test_models_are_annotators_of_their_own(loaded):
    """GitHub modestyachts/CIFAR-10.1: accuracies from 82.0 to 97.1% on CIFAR-10, 0.687 to 0.931 on v6."""
    for name, lowest, highest in (("cifar10-models", 0.820, 0.971), ("cifar10.1-v6-models", 0.687, 0.931)):
        content = loaded(name)
        votes = content.labels
        right = (votes.choice == content.gold[votes.item]).reshape(-1, 30).mean(axis=0)
        assert (round(right.min(), 3), round(right.max(), 3)) == (lowest, highest)


def test_model_predictions_and_features(data_folder):
    models = predictions("chaosnli-snli-models")
    seeds = {"bert-base-uncased": 2, "roberta-base": 3}
    assert sorted(models) == [f"{name} seed {seed}" for name, count in seeds.items() for seed in range(count)]
    people = load("chaosnli-snli")
    where = {name: row for row, name in enumerate(people.labels.items)}
    for model in models.values():
        assert isinstance(model, Distributions) and set(model.items) == set(where)
        rows = [where[name] for name in model.items]
        assert 0.65 < (model.probs.argmax(axis=1) == people.gold[rows]).mean() < 0.80  # published: 0.70 to 0.75
    assert features("cifar10-resnet50").values.shape == (10_000, 2_048)
    assert features("labelme-vgg-train").gold.tolist() == load("crowd-labelme").gold.tolist()


def test_features_of_shifted_images_carry_the_classes_of_cifar10(data_folder):
    """A head that learned from test images knows training images nearly as well, and ImageNet's less."""
    known = features("cifar10-efficientnet")
    values = known.values[:2_000].astype(np.float64)
    centres = np.stack([values[known.gold[:2_000] == code].mean(axis=0) for code in range(10)])

    def accuracy(loaded, rows):
        x, gold = loaded.values[rows].astype(np.float64), loaded.gold[rows]
        nearest = (np.square(centres).sum(axis=1) - 2 * x @ centres.T).argmin(axis=1)
        return float((nearest == gold).mean())

    train, far = features("cifar10-train-efficientnet"), features("imagenet32-efficientnet")
    matched = np.flatnonzero(far.gold >= 0)
    assert matched.size == 1_065 and set(far.gold[matched]) == set(range(10)) - {4}  # no ImageNet class is a deer
    inside = accuracy(known, np.arange(9_000, 10_000))
    assert inside > 0.7 and abs(accuracy(train, np.arange(1_000)) - inside) < 0.05
    assert 0.4 < accuracy(far, matched) < inside
    near = features("cifar100-efficientnet")
    assert near.items[:3].tolist() == [0, 4, 8] and (np.bincount(near.gold) == 20).all()


def test_features_of_other_images_are_refused(tmp_path):
    labels = tmp_path / "images.parquet"
    pq.write_table(pa.table({"label": np.arange(3)}), labels)
    np.savez(tmp_path / "x.npz", values=np.zeros((2, 1280), np.float16), rows=np.array([1, 3], np.int32))
    with refuses(tmp_path / "x.npz", "rows 1 to 3", labels, "3 images", "`dissensus embed`"):
        efficientnet.read_efficientnet(tmp_path / "x.npz", labels)
    assert efficientnet.read_efficientnet(tmp_path / "x.npz").gold is None


def test_images_of_other_distributions(data_folder):
    cifar100 = images("cifar100", "test-8k", quiet=True)
    assert cifar100.pixels.shape == (8_000, 32, 32, 3) and cifar100.classes[0] == "apple"
    assert cifar100.items["filename"][0].as_py() == "apple_s_000022.png"

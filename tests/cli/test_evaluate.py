"""`dissensus evaluate` from end to end: what it prints, and how it refuses."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from dissensus.cli.main import app
from dissensus.evaluate.metrics import METRICS
from dissensus.files.read_labels import read
from dissensus.files.write_labels import write
from dissensus.labels.distributions import Distributions
from dissensus.labels.simulate import simulate_truth, simulate_votes

KEYS = (
    "soft_nll",
    "kl",
    "js",
    "brier",
    "accuracy",
    "second_best_accuracy",
    "ece_equal_mass",
    "rmse_calibration",
    "smooth_ece",
    "entropy_pearson",
    "entropy_spearman",
)


def evaluate(*words, code=0):
    """The verb in this process; nothing but its own exit may end it."""
    result = CliRunner().invoke(app, ["evaluate", *map(str, words), "--replicates", "20"], env={"COLUMNS": "80"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Labels in all their shapes, and predictions good and bad, on 60 items."""
    at = tmp_path_factory.mktemp("evaluate")
    rng = np.random.default_rng(0)
    drawn = simulate_truth(60, 3, rng)
    truth = Distributions(drawn.probs, [f"photo {i}" for i in range(60)], ("cat", "deer", "dog"))
    votes = simulate_votes(truth, 8, 12, rng, skill=0.9).votes
    counts = Distributions.from_counts(votes.counts(), items=votes.items, classes=votes.classes)
    write(votes, at / "votes.csv")
    write(counts, at / "counts.parquet")
    np.save(at / "counts.npy", votes.counts())
    p = 0.9 * truth.probs + 0.1 / 3
    model = Distributions(p, truth.items, truth.classes)
    write(model, at / "model.npz")
    write(Distributions(p[::-1, [2, 0, 1]], truth.items[::-1], ("dog", "cat", "deer")), at / "turned.npz")
    write(Distributions(p, [f"picture {i}" for i in range(60)], truth.classes), at / "others.npz")
    write(Distributions(p, truth.items, ("cat", "deer", "fox")), at / "fox.npz")
    write(model.select(np.arange(40)), at / "part.npz")
    with_nan = p.copy()
    with_nan[3, 1] = np.nan
    for name, array in {
        "model": p,
        "logits": np.log(p) + 1,
        "log": np.log(p),
        "nan": with_nan,
        "off": p * 0.99,
        "short": p[:50],
        "narrow": np.full((60, 2), 0.5),
        "hard": np.eye(3)[p.argmax(axis=1)],
        "gold": p.argmax(axis=1),
        "wide_gold": np.full(60, 7),
    }.items():
        np.save(at / f"{name}.npy", array)
    (at / "gold.csv").write_text("item,label\n" + "".join(f"photo {i},cat\n" for i in range(30)))
    (at / "text.npy").write_text("no numbers")
    return at


@pytest.fixture(scope="module")
def told(folder):
    return json.loads(evaluate(folder / "model.npz", folder / "votes.csv", "--json").stdout)


def test_json_has_the_fixed_keys_each_with_an_interval(folder, told):
    for key in KEYS:
        assert set(told[key]) == {"value", "low", "high"}
        assert told[key]["low"] <= told[key]["high"]
    counts = np.load(folder / "counts.npy")
    people = counts / counts.sum(axis=1, keepdims=True)
    model = np.load(folder / "model.npy")
    for name in ("soft_nll", "js", "second_best_accuracy"):
        assert told[name]["value"] == pytest.approx(np.nanmean(METRICS[name].function(model, people)))


@pytest.mark.parametrize(
    ("predictions", "labels"),
    [
        ("model.npy", "counts.npy"),
        ("model.npy", "votes.csv"),
        ("turned.npz", "votes.csv"),
        ("model.npz", "counts.parquet"),
        ("model.npz", "counts.npy"),
    ],
)
def test_every_shape_of_the_same_labels_gives_the_same_numbers(folder, told, predictions, labels):
    """Items and classes in another order are matched by name, rows without names by position."""
    result = evaluate(folder / predictions, folder / labels, "--json", "--no-ceiling")
    found = json.loads(result.stdout)
    for key in KEYS:
        assert found[key]["value"] == pytest.approx(told[key]["value"], rel=1e-9)
    assert ("by position" in result.stderr) == (predictions == "model.npy" or labels == "counts.npy")


def test_columns_that_are_numbered_in_another_order_are_matched_by_name(folder, told):
    """Columns of an NPY count from 0, and so do these names: position would pair each with another."""
    p = np.load(folder / "model.npy")
    write(Distributions(p[:, [2, 0, 1]], [f"photo {i}" for i in range(60)], ("2", "0", "1")), folder / "columns.npz")
    result = evaluate(folder / "columns.npz", folder / "counts.npy", "--json", "--no-ceiling")
    found = json.loads(result.stdout)
    for key in KEYS:
        assert found[key]["value"] == pytest.approx(told[key]["value"], rel=1e-9)
    assert "counts.npy = items of" in result.stderr


def test_rows_without_names_are_not_matched_to_items_numbered_in_another_order(folder):
    """Row 0 could be the item called 0, or the one that stands first among the predictions: nobody knows."""
    p, order = np.load(folder / "model.npy"), np.random.default_rng(0).permutation(60)
    write(Distributions(p[order], order, ("0", "1", "2")), folder / "numbered.npz")
    said = " ".join(evaluate(folder / "numbered.npz", folder / "counts.npy", code=2).stderr.split())
    assert f"item 0 or item {order[0]}. Sort" in said
    write(read(folder / "counts.npy", say=lambda notice: None), folder / "counts.csv", say=lambda notice: None)
    said = " ".join(evaluate(folder / "numbered.npz", folder / "counts.csv", code=2).stderr.split())
    assert f"item 0 or item {order[0]}. Sort" in said
    write(Distributions(p, range(60), ("0", "1", "2")), folder / "sorted.npz")
    assert "by position" in evaluate(folder / "sorted.npz", folder / "counts.npy").stderr


def test_predictions_without_names_are_matched_by_position_in_every_format_and_it_is_said(folder, told):
    bare = Distributions.from_mass(np.load(folder / "model.npy"), classes=("cat", "deer", "dog"))
    for name in ("bare.csv", "bare.parquet", "bare.npz"):
        write(bare, folder / name)
        result = evaluate(folder / name, folder / "votes.csv", "--json", "--no-ceiling")
        assert json.loads(result.stdout)["kl"]["value"] == pytest.approx(told["kl"]["value"], rel=1e-9)
        assert f"{name} = items of the labels, by position" in result.stderr
    write(bare.select(range(59)), folder / "short.csv")
    assert (
        "59 rows of predictions and 60 of labels" in evaluate(folder / "short.csv", folder / "votes.csv", code=2).stderr
    )


def test_which_columns_were_taken_for_which_classes_is_said(folder):
    result = evaluate(folder / "model.npy", folder / "votes.csv", "--json", "--no-ceiling")
    took = [line for line in result.stderr.splitlines() if line.startswith("took: ")]
    assert took == [
        f"took: rows of {folder / 'model.npy'} = items of the labels, columns = cat, deer, dog, by position"
    ]


def test_gold_is_said_once_wherever_it_comes_from(folder):
    """Codes go by position, so it is said which is which; those of a data set come without being asked for."""
    coded = evaluate(folder / "model.npz", folder / "votes.csv", "--no-ceiling", "--gold", folder / "gold.npy").stderr
    assert coded.count("took: gold = class codes in") == 1 and "(0 is cat, 1 is deer, 2 is dog)" in coded
    assert evaluate("digits", "digits", "--no-ceiling").stderr.count("took: gold = gold of the data set digits") == 1


def test_the_same_seed_gives_the_same_intervals(folder):
    words = (folder / "model.npy", folder / "counts.npy", "--json", "--no-ceiling", "--seed")
    assert evaluate(*words, 3).stdout == evaluate(*words, 3).stdout != evaluate(*words, 4).stdout


@pytest.mark.parametrize(
    ("predictions", "facts"),
    [
        ("logits.npy", ["logits", "softmax"]),
        ("log.npy", ["log-probabilities", "exp"]),
        ("nan.npy", ["row 3, class 1 is nan"]),
        ("off.npy", ["sums to 0.99", "60 of 60 rows", "--rescale"]),
        ("short.npy", ["50 rows by 3 columns", "60 items by 3 classes"]),
        ("narrow.npy", ["60 rows by 2 columns"]),
        ("counts.npy", ["int64", "`dissensus aggregate"]),
        ("gold.npy", ["shape (60,)", "(n, k) probabilities"]),
        ("others.npz", ["photo 0"]),
        ("fox.npz", ["predictions have fox", "labels have dog"]),
        ("part.npz", ["20 items", "photo 40, photo 41", "--shared"]),
        ("text.npy", ["text.npy: not an NPY file"]),
        ("gone.npy", ["gone.npy: ", "no such file"]),
        ("gone.npz", ["gone.npz: ", "no such file"]),
    ],
)
def test_bad_predictions_end_in_one_line_and_exit_code_2(folder, predictions, facts):
    result = evaluate(folder / predictions, folder / "votes.csv", code=2)
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("error: ") and all(fact in last for fact in facts) and not result.stdout


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        (["--compare", "model.npy"], ["--compare model.npy: ", "NAME=FILE"]),
        (["--compare", "model=model.npy"], ["--compare model=model.npy: ", "'model'"]),
        (["--slice", "source"], ["no column 'source'"]),
        (["--gold", "{at}/model.npy"], ["float64 of shape (60, 3)", "60 class codes"]),
        (["--gold", "{at}/wide_gold.npy"], ["number 0 is 7", "3 classes, 0..2", "60 of 60"]),
        (["--gold", "{at}/votes.csv"], ["votes.csv: several labels per item"]),
        (["--seed", "-1"], ["--seed -1", "0 or more"]),
        (["--smooth", "2"], ["2.0", "from 0"]),
    ],
)
def test_bad_options_end_in_one_line_and_exit_code_2(folder, options, facts):
    words = [word.format(at=folder) for word in options]
    result = evaluate(folder / "model.npz", folder / "votes.csv", *words, code=2)
    assert all(fact in result.stderr.strip().splitlines()[-1] for fact in facts)


def test_the_table_stands_beside_the_ceiling(folder):
    result = evaluate(folder / "model.npz", folder / "votes.csv")
    lines = result.stdout.splitlines()
    assert lines[0] == "model against people" and lines[1].endswith("60 items over 3 classes, votes, 8 per item")
    table = lines[lines.index("Scores") + 1 :]
    assert table[0].split() == ["score", "model", "half", "crowd", "at", "best"]
    kl = next(line for line in table if line.startswith("KL to people"))
    assert len(kl.split()) == 10 and max(map(len, table)) <= 80


def test_several_models_are_listed_with_their_differences(folder):
    result = evaluate(
        folder / "model.npz",
        folder / "votes.csv",
        "--compare",
        f"hard={folder / 'hard.npy'}",
        "--no-ceiling",
        "--gold",
        folder / "gold.npy",
        "--html",
        folder / "page.html",
    )
    assert "∞" in next(line for line in result.stdout.splitlines() if line.startswith("hard"))
    assert "paired t-test over 60 items" in result.stdout
    assert "the model gives probability 0 to a class that people chose" in " ".join(result.stderr.split())
    page = (folder / "page.html").read_text()
    assert page.startswith("<!doctype html>") and "2 models against people" in page


def test_infinite_numbers_are_valid_json(folder):
    result = evaluate(folder / "hard.npy", folder / "votes.csv", "--json", "--no-ceiling")
    assert '"value": 1e999' in result.stdout and "Infinity" not in result.stdout
    found = json.loads(result.stdout, parse_constant=lambda name: pytest.fail(name))
    assert found["soft_nll"]["value"] == math.inf and found["infinite_items"] > 0
    assert found["entropy_pearson"]["value"] is None


@pytest.mark.parametrize("form", ["npy", "csv", "npz"])
def test_mass_is_divided_by_its_sum_when_asked_and_the_scores_are_those_of_the_distributions(folder, told, form):
    """Half of the rows are mass: softmax would flatten them, so it is not what the error advises."""
    p = np.load(folder / "model.npy")
    mass = p * np.where(np.arange(60) % 2, 1.0, 0.3)[:, None]
    np.save(folder / "mass.npy", mass)
    np.savez(folder / "mass.npz", probs=mass, items=[f"photo {i}" for i in range(60)], classes=["cat", "deer", "dog"])
    rows = "".join(f"photo {i},{','.join(map(repr, row))}\n" for i, row in enumerate(mass.tolist()))
    (folder / "mass.csv").write_text("item,cat,deer,dog\n" + rows)
    refused = evaluate(folder / f"mass.{form}", folder / "votes.csv", code=2).stderr.strip().splitlines()[-1]
    assert "30 of 60 rows" in refused and "--rescale" in refused and "softmax" not in refused
    result = evaluate(folder / f"mass.{form}", folder / "votes.csv", "--rescale", "--json", "--no-ceiling")
    assert "30 of 60 rows summed to 0.3" in result.stderr
    found = json.loads(result.stdout)
    for key in KEYS:
        assert found[key]["value"] == pytest.approx(told[key]["value"], rel=1e-9)


def test_logits_are_not_divided_by_their_sum(folder):
    result = evaluate(folder / "logits.npy", folder / "votes.csv", "--rescale", code=2)
    assert "0 or more" in result.stderr
    assert result.stderr.strip().endswith("these look like logits. Apply softmax first")


def test_smoothing_is_the_way_out(folder):
    result = evaluate(folder / "hard.npy", folder / "votes.csv", "--json", "--no-ceiling", "--smooth", 0.1)
    assert math.isfinite(json.loads(result.stdout)["soft_nll"]["value"])
    assert "0.1 of each is spread evenly over all classes" in result.stderr


def test_shared_items_gold_and_votes_as_predictions(folder):
    part = evaluate(
        folder / "part.npz", folder / "votes.csv", "--shared", "--json", "--no-ceiling", "--gold", folder / "gold.csv"
    )
    found = json.loads(part.stdout)
    assert found["items"] == 40 and any("20 items without a prediction" in remark for remark in found["remarks"])
    assert 0 < found["accuracy_gold"]["value"] < 1
    crowd = evaluate(folder / "votes.csv", folder / "votes.csv", "--no-ceiling", "--json")
    assert json.loads(crowd.stdout)["kl"]["value"] == 0 and "votes of an ensemble" in crowd.stderr


def test_a_data_set_brings_its_gold_and_its_columns(folder):
    result = evaluate("digits", "digits", "--no-ceiling", "--json", "--slice", "gold")
    found = json.loads(result.stdout)
    assert found["accuracy_gold"]["value"] > 0.8
    assert [part["slice"] for part in found["slices"]["gold"]] == [str(digit) for digit in range(10)]
    assert (
        evaluate("digits", "digits", "--slice", "font", code=2).stderr.strip().endswith("from: item, gold, made, split")
    )


def test_majorities_are_not_taken_for_unanimous_votes(tmp_path):
    """Five votes behind a one-hot row are not five votes for its class: there is no ceiling to estimate from them."""
    labels = tmp_path / "majority.parquet"
    assert (
        CliRunner().invoke(app, ["aggregate", "anesthesia", "--method", "majority", "-o", str(labels)]).exit_code == 0
    )
    card = json.loads(evaluate(labels, labels, "--json", "--replicates", 10).stdout)
    assert card["human_ceiling"] is None
    told = evaluate(labels, labels, "--smooth", 0.1)
    assert "half crowd" not in told.stdout
    assert "no human ceiling: the labels are probabilities" in told.stderr


@pytest.mark.parametrize("method", ["majority", "shrinkage", "dawid-skene", "log-pool"])
def test_estimates_say_nothing_of_votes_in_any_format(tmp_path, method):
    """What is written is read back without votes, so no stage after it can take a row for a share of votes."""
    for ending in ("parquet", "csv", "npz", "jsonl"):
        labels = tmp_path / f"made.{ending}"
        made = CliRunner().invoke(app, ["aggregate", "anesthesia", "--method", method, "-o", str(labels)])
        assert made.exit_code == 0, made.output
        described = json.loads(CliRunner().invoke(app, ["describe", str(labels), "--json"]).stdout)
        assert described["answers"] is None and described["answers_per_item"] is None
        again = CliRunner().invoke(app, ["aggregate", str(labels), "--method", "share", "-o", str(tmp_path / "x.npz")])
        assert again.exit_code == 2 and "start from the votes themselves" in " ".join(again.stderr.split())


def test_labels_that_are_all_unanimous_are_doubted_aloud(tmp_path):
    """A file that calls one-hot rows shares of five votes cannot be told from five people who agree."""
    write(Distributions(np.eye(2)[np.arange(20) % 2], np.arange(20), ("cat", "dog"), [5] * 20), tmp_path / "labels.npz")
    told = evaluate(tmp_path / "labels.npz", tmp_path / "labels.npz")
    assert "all votes on each of 20 items" in told.stderr


def test_gold_labels_as_one_hot_rows_are_one_vote_each_and_have_no_ceiling(tmp_path):
    """Whole numbers are counts: a row with a single 1 is one vote, and nothing is made of it but that."""
    rows = "".join(f"{i},{i % 2},{1 - i % 2}\n" for i in range(20))
    (tmp_path / "gold.csv").write_text("item,cat,dog\n" + rows)
    (tmp_path / "certain.csv").write_text("item,cat,dog\n" + rows.replace(",1", ",1.0").replace(",0", ",0.0"))
    for file, answers in (("gold.csv", 20), ("certain.csv", None)):
        made = tmp_path / "made.parquet"
        assert CliRunner().invoke(app, ["aggregate", str(tmp_path / file), "-o", str(made)]).exit_code == 0
        assert json.loads(CliRunner().invoke(app, ["describe", str(made), "--json"]).stdout)["answers"] == answers
        card = json.loads(evaluate(made, made, "--json").stdout)
        assert card["human_ceiling"] is None and any("no human ceiling" in remark for remark in card["remarks"])


def test_predictions_and_gold_with_two_names_for_each_item_are_asked_about_and_joined_as_told(tmp_path):
    """The number of the row is not the number of the comment, though both are whole numbers from 0."""
    people, model, gold = (tmp_path / name for name in ("people.csv", "model.csv", "gold.csv"))
    people.write_text("comment_id,annotator,label\n2,1,a\n2,2,a\n0,1,b\n0,2,b\n1,1,a\n1,2,a\n")
    model.write_text("id,comment_id,a,b\n0,2,0.9,0.1\n1,0,0.2,0.8\n2,1,0.6,0.4\n")
    gold.write_text("id,comment_id,label\n0,2,a\n1,0,b\n2,1,a\n")
    run = CliRunner().invoke
    for path in (model, gold):
        said = run(app, ["evaluate", str(model), str(people), "--gold", str(gold), "--json", "--no-ceiling"])
        assert said.exit_code == 2 and "--item id` first" in said.stderr and path.name in said.stderr
        assert f"`dissensus convert {path} plain.parquet --item comment_id` first" in said.stderr
        named = tmp_path / f"{path.stem}.parquet"
        assert run(app, ["convert", str(path), str(named), "--item", "comment_id"]).exit_code == 0
        model, gold = (named if file is path else file for file in (model, gold))
    done = run(app, ["evaluate", str(model), str(people), "--gold", str(gold), "--json", "--no-ceiling"])
    scores = json.loads(done.stdout)
    by_hand = -(np.log(0.9) + np.log(0.8) + np.log(0.6)) / 3  # comments 2, 0 and 1 on which all said a, b and a
    assert scores["soft_nll"]["value"] == pytest.approx(by_hand) and scores["accuracy_gold"]["value"] == 1


def test_gold_for_some_items_is_counted_and_its_column_may_be_called_gold(folder):
    truth = folder / "truth.csv"
    truth.write_text("item,truth\n" + "".join(f"photo {i},cat\n" for i in range(30)))
    said = [
        evaluate(folder / "model.npz", folder / "votes.csv", "--no-ceiling", "--gold", gold)
        for gold in (folder / "gold.csv", truth)
    ]
    assert all("for 30 of 60 items" in " ".join(result.stderr.split()) for result in said)
    assert said[0].stdout == said[1].stdout


def test_what_is_wrong_with_the_labels_is_mended_in_a_file_of_its_own_since_rescale_is_about_predictions(
    folder, monkeypatch
):
    """--rescale would leave labels as they are and end in the same error."""
    monkeypatch.chdir(folder)
    mass = np.load(folder / "model.npy") * 0.5
    np.savez("mass-people.npz", probs=mass, items=[f"photo {i}" for i in range(60)], classes=["cat", "deer", "dog"])
    for option in ([], ["--rescale"]):
        line = " ".join(evaluate("model.npz", "mass-people.npz", *option, code=2).stderr.split())
        assert "dissensus convert mass-people.npz plain.parquet --rescale` first" in line
    words = line.partition("`dissensus ")[2].partition("`")[0].split()
    assert CliRunner().invoke(app, words).exit_code == 0
    evaluate("model.npz", "plain.parquet", "--no-ceiling", "--json")


def test_items_that_only_one_side_has_are_left_out_with_shared(folder):
    assert evaluate(folder / "part.npz", folder / "votes.csv", code=2).stderr.strip().endswith("with --shared")

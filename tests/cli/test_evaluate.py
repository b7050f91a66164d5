"""`dissensus evaluate` from end to end: what it prints, and how it refuses."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from dissensus.evaluate.metrics import METRICS
from dissensus.files.read_labels import read
from dissensus.files.write_labels import write
from dissensus.labels.distributions import Distributions
from dissensus.labels.simulate import simulate_truth, simulate_votes
from tests.cli.commands import quiet, refused, run
from tests.facts import states

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
    """Run the verb with few resamples."""
    return run("evaluate", *words, "--replicates", 20, code=code, env={"COLUMNS": "80"})


def refused_scores(*words):
    """Return the error of the verb."""
    return refused("evaluate", *words, "--replicates", 20)


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
    rows = f"rows of {folder / 'counts.npy'}"
    assert states(result.stderr, rows, folder / "columns.npz", "by position")


def test_rows_without_names_are_not_matched_to_items_numbered_in_another_order(folder):
    """Row 0 could be the item called 0, or the one that stands first among the predictions: nobody knows."""
    p, order = np.load(folder / "model.npy"), np.random.default_rng(0).permutation(60)
    write(Distributions(p[order], order, ("0", "1", "2")), folder / "numbered.npz")
    write(read(folder / "counts.npy", say=quiet), folder / "counts.csv", say=quiet)
    for labels in ("counts.npy", "counts.csv"):
        line = refused_scores(folder / "numbered.npz", folder / labels)
        assert states(line, f"item 0 or item {order[0]}", "Sort")
    write(Distributions(p, range(60), ("0", "1", "2")), folder / "sorted.npz")
    assert "by position" in evaluate(folder / "sorted.npz", folder / "counts.npy").stderr


def test_predictions_without_names_are_matched_by_position_in_every_format_and_it_is_said(folder, told):
    bare = Distributions.from_mass(np.load(folder / "model.npy"), classes=("cat", "deer", "dog"))
    for name in ("bare.csv", "bare.parquet", "bare.npz"):
        write(bare, folder / name)
        result = evaluate(folder / name, folder / "votes.csv", "--json", "--no-ceiling")
        assert json.loads(result.stdout)["kl"]["value"] == pytest.approx(told["kl"]["value"], rel=1e-9)
        assert states(result.stderr, folder / name, "items", "by position")
    write(bare.select(range(59)), folder / "short.csv")
    assert states(refused_scores(folder / "short.csv", folder / "votes.csv"), "59 rows", "60 of labels")


def test_which_columns_were_taken_for_which_classes_is_said(folder):
    result = evaluate(folder / "model.npy", folder / "votes.csv", "--json", "--no-ceiling")
    took = [line for line in result.stderr.splitlines() if line.startswith("took: ")]
    (notice,) = took
    assert states(notice, f"rows of {folder / 'model.npy'}", "columns = cat, deer, dog", "by position")


def test_gold_is_said_once_wherever_it_comes_from(folder):
    """Codes go by position, so it is said which is which; those of a data set come without being asked for."""
    coded = evaluate(folder / "model.npz", folder / "votes.csv", "--no-ceiling", "--gold", folder / "gold.npy").stderr
    (notice,) = [line for line in coded.splitlines() if "gold" in line]
    assert states(notice, folder / "gold.npy", "0 is cat", "1 is deer", "2 is dog")
    (notice,) = [line for line in evaluate("digits", "digits", "--no-ceiling").stderr.splitlines() if "gold" in line]
    assert states(notice, "digits")


def test_the_same_seed_gives_the_same_intervals(folder):
    words = (folder / "model.npy", folder / "counts.npy", "--json", "--no-ceiling", "--seed")
    assert evaluate(*words, 3).stdout == evaluate(*words, 3).stdout != evaluate(*words, 4).stdout


@pytest.mark.parametrize(
    ("predictions", "facts"),
    [
        ("logits.npy", ["logits", "softmax"]),
        ("log.npy", ["log-probabilities", "exp"]),
        ("nan.npy", ["row 3", "class 1", "nan"]),
        ("off.npy", ["0.99", "60 of 60 rows", "--rescale"]),
        ("short.npy", ["50 rows", "3 columns", "60 items", "3 classes"]),
        ("narrow.npy", ["60 rows", "2 columns", "60 items", "3 classes"]),
        ("counts.npy", ["int64", "`dissensus aggregate"]),
        ("gold.npy", ["shape (60,)", "(n, k)"]),
        ("others.npz", ["photo 0"]),
        ("fox.npz", ["predictions have fox", "labels have dog"]),
        ("part.npz", ["20 items", "photo 40, photo 41", "--shared"]),
        ("text.npy", ["text.npy:", "NPY"]),
        ("gone.npy", ["gone.npy:", "no such file"]),
        ("gone.npz", ["gone.npz:", "no such file"]),
    ],
)
def test_bad_predictions_end_in_one_line_and_exit_code_2(folder, predictions, facts):
    assert states(refused_scores(folder / predictions, folder / "votes.csv"), *facts)


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        (["--compare", "model.npy"], ["--compare model.npy:", "NAME=FILE"]),
        (["--compare", "model=model.npy"], ["--compare model=model.npy:", "'model'"]),
        (["--slice", "source"], ["no column 'source'"]),
        (["--gold", "{at}/model.npy"], ["float64", "(60, 3)", "60 class codes"]),
        (["--gold", "{at}/wide_gold.npy"], ["number 0", 7, "3 classes, 0..2", "60 of 60"]),
        (["--gold", "{at}/votes.csv"], ["votes.csv:", "several labels"]),
        (["--seed", "-1"], ["--seed -1", "0 or more"]),
        (["--smooth", "2"], ["2.0", "from 0"]),
    ],
)
def test_bad_options_end_in_one_line_and_exit_code_2(folder, options, facts):
    words = [word.format(at=folder) for word in options]
    assert states(refused_scores(folder / "model.npz", folder / "votes.csv", *words), *facts)


def test_the_table_stands_beside_the_ceiling(folder):
    result = evaluate(folder / "model.npz", folder / "votes.csv")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("model ") and states(lines[1], "60 items", "3 classes", "votes", "8 per item")
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
    assert states(result.stdout, "t-test", "60 items") and states(result.stderr, "probability 0")
    page = (folder / "page.html").read_text()
    assert page.startswith("<!doctype html>") and states(page, "2 models")


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
    line = refused_scores(folder / f"mass.{form}", folder / "votes.csv")
    assert states(line, "30 of 60 rows", "--rescale") and "softmax" not in line
    result = evaluate(folder / f"mass.{form}", folder / "votes.csv", "--rescale", "--json", "--no-ceiling")
    assert states(result.stderr, "30 of 60 rows", "0.3")
    found = json.loads(result.stdout)
    for key in KEYS:
        assert found[key]["value"] == pytest.approx(told[key]["value"], rel=1e-9)


def test_logits_are_not_divided_by_their_sum(folder):
    line = refused_scores(folder / "logits.npy", folder / "votes.csv", "--rescale")
    assert states(line, "0 or more", "logits", "softmax first")


def test_smoothing_is_the_way_out(folder):
    result = evaluate(folder / "hard.npy", folder / "votes.csv", "--json", "--no-ceiling", "--smooth", 0.1)
    assert math.isfinite(json.loads(result.stdout)["soft_nll"]["value"])
    assert states(result.stderr, "0.1", "all classes")


def test_shared_items_gold_and_votes_as_predictions(folder):
    part = evaluate(
        folder / "part.npz", folder / "votes.csv", "--shared", "--json", "--no-ceiling", "--gold", folder / "gold.csv"
    )
    found = json.loads(part.stdout)
    assert found["items"] == 40 and any(remark.startswith("20 items ") for remark in found["remarks"])
    assert 0 < found["accuracy_gold"]["value"] < 1
    crowd = evaluate(folder / "votes.csv", folder / "votes.csv", "--no-ceiling", "--json")
    assert json.loads(crowd.stdout)["kl"]["value"] == 0 and states(crowd.stderr, "ensemble")


def test_a_data_set_brings_its_gold_and_its_columns(folder):
    result = evaluate("digits", "digits", "--no-ceiling", "--json", "--slice", "gold")
    found = json.loads(result.stdout)
    assert found["accuracy_gold"]["value"] > 0.8
    assert [part["slice"] for part in found["slices"]["gold"]] == [str(digit) for digit in range(10)]
    columns = "item, gold, made, split"
    assert states(refused_scores("digits", "digits", "--slice", "font"), "'font'", columns)


def test_majorities_are_not_taken_for_unanimous_votes(tmp_path):
    """Five votes behind a one-hot row are not five votes for its class: there is no ceiling to estimate from them."""
    labels = tmp_path / "majority.parquet"
    run("aggregate", "anesthesia", "--method", "majority", "-o", labels)
    card = json.loads(evaluate(labels, labels, "--json").stdout)
    assert card["human_ceiling"] is None
    told = evaluate(labels, labels, "--smooth", 0.1)
    table = told.stdout.partition("\nScores\n")[2].splitlines()
    assert table[0].split() == ["score", "majority"]
    assert states(told.stderr, "no human ceiling", "probabilities")


@pytest.mark.parametrize("method", ["majority", "shrinkage", "dawid-skene", "log-pool"])
def test_estimates_say_nothing_of_votes_in_any_format(tmp_path, method):
    """What is written is read back without votes, so no stage after it can take a row for a share of votes."""
    for ending in ("parquet", "csv", "npz", "jsonl"):
        labels = tmp_path / f"made.{ending}"
        run("aggregate", "anesthesia", "--method", method, "-o", labels)
        described = json.loads(run("describe", labels, "--json").stdout)
        assert described["answers"] is None and described["answers_per_item"] is None
        again = refused("aggregate", labels, "--method", "share", "-o", tmp_path / "x.npz")
        assert states(again, "no votes", "start from")


def test_labels_that_are_all_unanimous_are_doubted_aloud(tmp_path):
    """A file that calls one-hot rows shares of five votes cannot be told from five people who agree."""
    write(Distributions(np.eye(2)[np.arange(20) % 2], np.arange(20), ("cat", "dog"), [5] * 20), tmp_path / "labels.npz")
    told = evaluate(tmp_path / "labels.npz", tmp_path / "labels.npz")
    assert states(told.stderr, "all votes", "20 items")


def test_gold_labels_as_one_hot_rows_are_one_vote_each_and_have_no_ceiling(tmp_path):
    """Whole numbers are counts: a row with a single 1 is one vote, and nothing is made of it but that."""
    rows = "".join(f"{i},{i % 2},{1 - i % 2}\n" for i in range(20))
    (tmp_path / "gold.csv").write_text("item,cat,dog\n" + rows)
    (tmp_path / "certain.csv").write_text("item,cat,dog\n" + rows.replace(",1", ",1.0").replace(",0", ",0.0"))
    for file, answers in (("gold.csv", 20), ("certain.csv", None)):
        made = tmp_path / "made.parquet"
        run("aggregate", tmp_path / file, "-o", made)
        assert json.loads(run("describe", made, "--json").stdout)["answers"] == answers
        card = json.loads(evaluate(made, made, "--json").stdout)
        assert card["human_ceiling"] is None and any("no human ceiling" in remark for remark in card["remarks"])


def test_predictions_and_gold_with_two_names_for_each_item_are_asked_about_and_joined_as_told(tmp_path):
    """The number of the row is not the number of the comment, though both are whole numbers from 0."""
    people, model, gold = (tmp_path / name for name in ("people.csv", "model.csv", "gold.csv"))
    people.write_text("comment_id,annotator,label\n2,1,a\n2,2,a\n0,1,b\n0,2,b\n1,1,a\n1,2,a\n")
    model.write_text("id,comment_id,a,b\n0,2,0.9,0.1\n1,0,0.2,0.8\n2,1,0.6,0.4\n")
    gold.write_text("id,comment_id,label\n0,2,a\n1,0,b\n2,1,a\n")
    for path in (model, gold):
        line = refused("evaluate", model, people, "--gold", gold, "--json", "--no-ceiling")
        commands = [f"`dissensus convert {path} plain.parquet --item {column}`" for column in ("id", "comment_id")]
        assert states(line, f"{path}:", *(f"{command} first" for command in commands))
        named = tmp_path / f"{path.stem}.parquet"
        run("convert", path, named, "--item", "comment_id")
        model, gold = (named if file is path else file for file in (model, gold))
    scores = json.loads(run("evaluate", model, people, "--gold", gold, "--json", "--no-ceiling").stdout)
    by_hand = -(np.log(0.9) + np.log(0.8) + np.log(0.6)) / 3  # comments 2, 0 and 1 on which all said a, b and a
    assert scores["soft_nll"]["value"] == pytest.approx(by_hand) and scores["accuracy_gold"]["value"] == 1


def test_gold_for_some_items_is_counted_and_its_column_may_be_called_gold(folder):
    truth = folder / "truth.csv"
    truth.write_text("item,truth\n" + "".join(f"photo {i},cat\n" for i in range(30)))
    said = [
        evaluate(folder / "model.npz", folder / "votes.csv", "--no-ceiling", "--gold", gold)
        for gold in (folder / "gold.csv", truth)
    ]
    assert all(states(result.stderr, "30 of 60 items") for result in said)
    assert said[0].stdout == said[1].stdout


def test_what_is_wrong_with_the_labels_is_mended_in_a_file_of_its_own_since_rescale_is_about_predictions(
    folder, monkeypatch
):
    """--rescale would leave labels as they are and end in the same error."""
    monkeypatch.chdir(folder)
    mass = np.load(folder / "model.npy") * 0.5
    np.savez("mass-people.npz", probs=mass, items=[f"photo {i}" for i in range(60)], classes=["cat", "deer", "dog"])
    for option in ([], ["--rescale"]):
        line = refused_scores("model.npz", "mass-people.npz", *option)
        words = line.partition("`dissensus ")[2].partition("`")[0].split()
        assert words == ["convert", "mass-people.npz", "plain.parquet", "--rescale"]
    run(*words)
    evaluate("model.npz", "plain.parquet", "--no-ceiling", "--json")


def test_items_that_only_one_side_has_are_left_out_with_shared(folder):
    assert refused_scores(folder / "part.npz", folder / "votes.csv").endswith(" --shared")
    result = evaluate(folder / "part.npz", folder / "votes.csv", "--shared", "--json", "--no-ceiling")
    assert json.loads(result.stdout)["items"] == 40

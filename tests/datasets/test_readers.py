"""Readers of the official releases and of the compact layout, on small files written here in their schema."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dissensus.datasets import chaosnli, cifar10h, cifar10s, lewidi
from tests.facts import refuses

RAW = """annotator_id,trial_index,is_attn_check,true_category,chosen_category,true_label,chosen_label,correct_guess,\
cifar10_test_test_idx,image_filename,subcategory,reaction_time,time_elapsed
0,1,0,cat,cat,3,3,1,7,tabby_s_1.png,tabby,1500.0,2000
0,2,1,dog,dog,5,5,1,-99999,dog_s_9.png,dog,800.0,3000
0,3,0,ship,airplane,8,0,0,9999,ship_s_2.png,ship,-3.0,4000
12,1,0,cat,dog,3,5,0,7,tabby_s_1.png,tabby,900.0,1000
12,2,1,frog,cat,6,3,0,-99999,frog_s_9.png,frog,700.0,2000
"""


def test_raw_trials_of_cifar10h_are_votes_with_seconds(tmp_path):
    path = tmp_path / "cifar10h-raw.csv"
    path.write_text(RAW)
    votes = cifar10h.read_raw(path).labels
    assert votes.items[votes.item].tolist() == [7, 9999, 7] and votes.n_items == 10_000
    assert [votes.classes[code] for code in votes.choice] == ["cat", "airplane", "dog"]
    assert votes.annotators[votes.annotator].tolist() == [0, 0, 12]
    assert np.array_equal(votes.seconds, [1.5, np.nan, 0.9], equal_nan=True)
    assert votes.column("trial_index").tolist() == [1, 3, 1]
    assert votes.column("subcategory").tolist() == ["tabby", "ship", "tabby"]


def test_attention_checks_are_votes_on_the_class_shown(tmp_path):
    """The zip of the release is read as it is."""
    path = tmp_path / "cifar10h-raw.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("cifar10h-raw.csv", RAW)
    result = cifar10h.read_attention_checks(path)
    votes = result.labels
    assert (votes.choice == result.gold[votes.item]).tolist() == [True, False]
    assert votes.annotators[votes.annotator].tolist() == [0, 12]
    assert votes.items[votes.item].tolist() == ["attention check: dog", "attention check: frog"]


@pytest.mark.parametrize(
    ("old", "new", "facts"),
    [
        ("chosen_category", "picked", ["expected also ['chosen_category']", "https://github.com/jcpeterson/cifar-10h"]),
        (
            "1,7,tabby_s_1.png,tabby,1500.0",
            "1,70000,x,y,1",
            ["trial 0", "image 70000", "cifar10_test_test_idx", "0 to 9999", "1 of 3"],
        ),
        ("cat,dog", "cat,lion", ["chosen_category is 'lion'", "annotator 12", "['airplane', 'automobile'", "1 of 3"]),
    ],
)
def test_raw_trials_that_are_not_in_order_are_refused_by_name(tmp_path, old, new, facts):
    path = tmp_path / "cifar10h-raw.csv"
    path.write_text(RAW.replace(old, new))
    with refuses(path, *facts):
        cifar10h.read_raw(path)


def test_official_counts_of_cifar10h(tmp_path):
    counts = np.zeros((10_000, 10), dtype=np.int64)
    counts[:, 3], counts[:, 5] = 40, 10
    path = tmp_path / "cifar10h-counts.npy"
    np.save(path, counts)
    labels = cifar10h.read_counts(path).labels
    assert labels.probs[0, 3] == 0.8 and labels.votes[0] == 50 and labels.classes[5] == "dog"
    np.save(path, counts[:5])
    with refuses(path, "(5, 10)", "10,000 images", "10 classes"):
        cifar10h.read_counts(path)


def test_official_chaosnli_lines(tmp_path):
    """The sample line of the README of GitHub easonnie/ChaosNLI."""
    example = {"uid": "46359n", "premise": "Emissions are down.", "hypothesis": "Not enough.", "source": "mnli_agree_3"}
    line = {
        "uid": "46359n",
        "label_counter": {"e": 76, "n": 20, "c": 4},
        "majority_label": "e",
        "old_label": "n",
        "label_dist": [0.76, 0.2, 0.04],
        "label_count": [76, 20, 4],
        "entropy": 0.951,
        "example": example,
        "old_labels": ["neutral", "entailment", "neutral", "neutral", "contradiction"],
    }
    path = tmp_path / "chaosNLI_mnli_m.jsonl"
    path.write_text(json.dumps(line) + "\n")
    new, old = chaosnli.read_counts(path, "mnli_m"), chaosnli.read_original(path, "mnli_m")
    assert new.labels.counts().tolist() == [[76, 20, 4]] and new.labels.items.tolist() == ["46359n"]
    assert old.labels.counts().tolist() == [[1, 3, 1]] and old.gold.tolist() == [1]
    assert new.items["premise"].to_pylist() == ["Emissions are down."]
    path.write_text(json.dumps(line) + "\n" + json.dumps(line | {"old_label": "x"}) + "\n")
    with refuses(f"{path}, line 2", "ChaosNLI v1.0", "KeyError('x')", "uid, label_count, example"):
        chaosnli.read_counts(path, "mnli_m")


def elicitations(**changes) -> pa.Table:
    """Four responses: one class; two classes; one class named twice; a second class without percentage."""
    columns = {
        "image": [4, 4, 9, 9],
        "label": [3, 3, 5, 5],
        "annotator": [0, 1, 0, 1],
        "batch": [0] * 4,
        "trial_index": [1, 2, 3, 4],
        "is_repeat": [False] * 4,
        "rt_ms": [1000.0, 2000.0, 500.0, 250.0],
        "elapsed_ms": [0.0] * 4,
        "top1": [3, 3, 5, 5],
        "top1_prob": [100.0, 60.0, 70.0, 80.0],
        "top1_prob_text": ["100", "60", "70", "80"],
        "top2": [-1, 5, 5, 3],
        "top2_prob": [None, 50.0, 20.0, None],
        "top2_prob_text": ["", "50", "20", ""],
        "impossible": [[0, 1], [], [9], []],
        "t2clamp": [[0.1] * 10] * 4,
    }
    return pa.table(columns | changes)


def test_elicitations_of_cifar10s_are_beliefs(tmp_path):
    path = tmp_path / "elicitations.parquet"
    pq.write_table(elicitations(), path)
    result = cifar10s.read_elicitations(path)
    beliefs = result.labels
    said = {(row, int(code)): float(beliefs.stated[row, code]) for row, code in np.argwhere(~np.isnan(beliefs.stated))}
    assert said == {(0, 3): 1.0, (1, 3): 0.6, (1, 5): 0.5, (2, 5): 0.2, (3, 5): 0.8}
    assert beliefs.named.tolist() == [[3, -1], [3, 5], [5, 5], [5, 3]]
    assert np.argwhere(beliefs.ruled_out).tolist() == [[0, 0], [0, 1], [2, 9]]
    assert beliefs.seconds.tolist() == [1.0, 2.0, 0.5, 0.25]
    assert result.items.to_pydict() == {"item": [4, 9], "gold": ["cat", "dog"]}


def test_a_second_mention_at_zero_does_not_erase_the_first(tmp_path):
    path = tmp_path / "elicitations.parquet"
    pq.write_table(elicitations(top2_prob=[None, 50.0, 0.0, None]), path)
    assert cifar10s.read_elicitations(path).labels.stated[2, 5] == 0.7


def test_unknown_classes_in_cifar10s_are_refused(tmp_path):
    path = tmp_path / "elicitations.parquet"
    pq.write_table(elicitations(top2=[-1, 12, 5, 3]), path)
    with refuses(path, "row 1", "top2 12", "-1 to 9", "1 of 4"):
        cifar10s.read_elicitations(path)


def test_items_with_withheld_labels_are_left_out(tmp_path):
    path = tmp_path / "toy.parquet"
    columns = {
        "item": ["a", "b", "c"],
        "split": ["train", "test", "dev"],
        "annotators": [[1, 2], [1, 2], [3]],
        "annotations": [[-1, 1], [None, None], [0]],
        "why": [["x", "y"], ["z", "z"], ["w"]],
    }
    pq.write_table(pa.table(columns), path)
    result = lewidi.read_lists(path, codes=(-1, 0, 1), classes=("-1", "0", "1"), beside=("why",))
    assert result.items.to_pydict() == {"item": ["a", "c"], "split": ["train", "dev"]}
    assert result.labels.choice.tolist() == [0, 2, 1] and result.labels.column("why").tolist() == ["x", "y", "w"]
    assert result.labels.annotators[result.labels.annotator].tolist() == [1, 2, 3]
    pq.write_table(pa.table(columns | {"why": [["x"], ["z"], ["w"]]}), path)
    with refuses(path, "item a", "2 annotations", "1 why", "1 of 2"):
        lewidi.read_lists(path, codes=(-1, 0, 1), classes=("-1", "0", "1"), beside=("why",))

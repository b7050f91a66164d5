"""CIFAR-10H as TensorFlow Datasets holds it."""

from __future__ import annotations

from tests.files.notices import state_each
from tests.files.tools.samples import TFDS, parse


def test_cifar10h_of_tensorflow_gives_one_row_per_human_answer_with_its_time():
    answers = parse(
        "tfds-cifar10h",
        [
            TFDS,
            {
                **TFDS,
                "id": "train_0",
                "human_labels": [],
                "annotator_ids": [],
                "reaction_times": [],
                "trial_indices": [],
            },
        ],
    )
    assert answers.table.to_pylist() == [
        {"item": "test_00001", "annotator": 3, "label": 8, "seconds": 1.342, "true_label": 8, "trial_index": 0},
        {"item": "test_00001", "annotator": 40, "label": 8, "seconds": 0.9, "true_label": 8, "trial_index": 17},
    ]
    assert state_each(answers.notices, ("1 example", "human labels", "left out"))

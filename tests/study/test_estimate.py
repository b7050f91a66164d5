"""An estimate is made of real cells: what it says of room is what the folder takes, and what it times is trained."""

import numpy as np
import pytest

from dissensus.study import run_study, study_of
from dissensus.study.checks import tasks_of
from dissensus.study.estimate import MODELS, _part, estimate_study
from dissensus.study.read_data import load_data
from tests.study.world import small_study


def bytes_in(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def guess(study, **options):
    data = load_data(study)
    return estimate_study(study, tasks_of(study, data), data, **options)


def test_room_is_that_of_the_finished_cells_with_their_models(tmp_path):
    study = small_study(keep_models=True, model={"head": "mlp", "epochs": 2, "hidden": [8, 200]})
    run_study(study, tmp_path)
    said = guess(study)
    assert said.size == pytest.approx(bytes_in(tmp_path / "cells"), rel=0.1)
    assert (said.models, said.timed, said.workers) == (2, 2, 1) and said.seconds > 0


def test_of_many_models_some_are_timed():
    said = guess(small_study(model={"head": "linear", "epochs": 1, "batch": list(range(8, 28))}))
    assert (said.models, said.timed) == (20, MODELS)


def test_the_best_and_the_last_network_of_a_training_are_one_training():
    model = {"network": "small", "width": 2, "depth": 1, "crop": 0, "epochs": 1, "keep": ["best", "last"]}
    data = {"digits": {"labels": "digits", "images": "digits"}}
    study = study_of({"seeds": 3, "data": data, "delivery": ["soft", "sls"], "model": model})
    said = guess(study, jobs=1)
    assert (said.trainings, said.models) == (6, 1) and len(tasks_of(study, load_data(study))) == 12
    assert guess(small_study(model={"head": "linear", "epochs": 1, "keep": ["best", "last"]})).trainings > 2


def test_nothing_left_needs_nothing():
    study = small_study()
    said = estimate_study(study, [], load_data(study))
    assert (said.seconds, said.size, said.models, said.trainings) == (0, 0, 0, 0)


def test_a_network_is_reckoned_from_some_epochs_on_some_images():
    """A thousand epochs are asked for, and a handful is trained; milestones beyond those do no harm."""
    values = {
        "seeds": 1,
        "data": {"digits": {"labels": "digits", "images": "digits"}},
        "model": {
            "network": "small",
            "width": 2,
            "depth": 1,
            "crop": 0,
            "flip": False,
            "schedule": "steps",
            "milestones": [500],
            "epochs": 1000,
        },
    }
    study = study_of(values)
    said = guess(study, jobs=3)
    assert (said.models, said.workers) == (1, 1)
    assert said.seconds > 0 and said.size > 8 * 10 * 359 / 2  # 359 items are judged on, each with ten probabilities


def test_a_network_that_learns_from_few_of_many_images_can_be_timed():
    """Of 128 images, a test share of 99% leaves one, which no network can learn from."""
    model = {"network": "small", "width": 2, "depth": 1, "crop": 0, "epochs": 1}
    data = {"digits": {"labels": "digits", "images": "digits"}}
    said = guess(study_of({"seeds": 1, "data": data, "model": model, "split": {"test": 0.99, "validation": 0}}))
    assert said.trainings == 1 and said.seconds > 0


def test_a_part_of_the_items_is_spread_over_all_of_them():
    data = load_data(small_study())["world"]
    part = _part(data, 40)
    rows = [int(name[1:]) for name in part.labels.items]
    assert len(rows) == 40 and rows[0] == 0 and rows[-1] == 119 and max(np.diff(rows)) <= 4
    assert np.array_equal(part.features, data.features[rows])
    assert np.array_equal(part.people.probs, data.people.probs[rows])

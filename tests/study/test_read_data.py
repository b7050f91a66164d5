"""Labels and inputs of a study are of the same items, by their names or, where that was said, by their places."""

import json

import numpy as np

from dissensus.labels import Distributions
from dissensus.study import run_study, study_of
from dissensus.study.data import StudyData
from dissensus.study.read_data import load_data
from dissensus.train.images import ImageTable
from tests.facts import refuses

N = 12
NAMES = [f"picture {place}" for place in range(N)]
COUNTS = np.random.default_rng(0).multinomial(5, [0.2, 0.3, 0.5], N)
FEATURES = np.arange(N * 2, dtype=np.float32).reshape(N, 2)
PIXELS = np.arange(N, dtype=np.uint8)[:, None, None, None] * np.ones((1, 4, 4, 3), np.uint8)


def loaded(items=None, **source) -> StudyData:
    source = {"labels": Distributions.from_counts(COUNTS, items=items), "features": FEATURES} | source
    study = study_of({"data": {"mine": source}, "model": {"head": "linear"}})
    return load_data(study, lambda notice: None)["mine"]


def test_features_without_names_meet_named_labels_by_position():
    data = loaded(NAMES, by_position=True)
    assert data.labels.items.tolist() == data.people.items.tolist() == NAMES
    assert np.array_equal(data.features, FEATURES)
    assert np.array_equal(data.people.probs, COUNTS / 5)


def test_labels_without_names_take_those_of_images_by_position():
    data = loaded(images=ImageTable(PIXELS, np.array(NAMES)), by_position=True)
    assert data.labels.items.tolist() == data.people.items.tolist() == data.images.items.tolist() == NAMES
    assert np.array_equal(data.people.probs, COUNTS / 5)


def test_what_has_names_is_matched_by_them_beside_what_has_none():
    few = np.array([7, 2, 9])
    data = loaded(NAMES, images=ImageTable(PIXELS[few], np.array(NAMES)[few]), by_position=True)
    assert data.labels.items.tolist() == [NAMES[row] for row in few]
    assert np.array_equal(data.features, FEATURES[few]) and np.array_equal(data.people.probs, COUNTS[few] / 5)
    assert data.images.pixels[:, 0, 0, 0].tolist() == few.tolist()


def test_judges_without_names_are_matched_by_position_and_must_be_as_many():
    judges = COUNTS[:, ::-1]
    data = loaded(NAMES, people=Distributions.from_counts(judges), by_position=True)
    assert np.array_equal(data.people.probs, judges / 5)
    with refuses("12 rows of labels", "11 of people"):
        loaded(NAMES, people=Distributions.from_counts(judges[1:]), by_position=True)


def test_position_is_refused_where_everything_has_names():
    with refuses("features and labels", "by_position = true out"):
        loaded(NAMES, features="pixels", images=ImageTable(PIXELS, np.array(NAMES)), by_position=True)


def test_errors_of_the_readers_speak_of_keys_and_of_the_verb_that_has_the_options(tmp_path):
    with refuses("with by_position = true"):
        loaded(NAMES)
    (tmp_path / "votes.csv").write_text("item,annotator,label\na,x,cat\nb,x,\n")
    with refuses(tmp_path / "votes.csv", "row 2", "no label", "--missing"):
        loaded(labels=str(tmp_path / "votes.csv"))


def test_python_values_are_taken_as_they_come_and_a_dictionary_is_no_study(tmp_path):
    source = {"labels": Distributions.from_counts(COUNTS), "features": FEATURES}
    model = {"head": "linear", "batch": np.int64(4), "learning_rate": np.float32(0.5), "standardise": np.bool_(True)}
    study = study_of({"data": source, "model": model, "seeds": range(2)})
    assert study.seeds == (0, 1) and json.dumps(study.models[0].as_json())
    with refuses("Study", "dict", "`study_of`"):
        run_study({"data": source}, tmp_path)


def test_what_no_model_can_learn_from_is_refused_before_anything_runs():
    large = FEATURES.astype(float)
    large[3, 1] = 1e39
    with refuses("item picture 3", "1e+39", "column 1", 32):
        loaded(NAMES, features=large, by_position=True)
    with refuses("features", "no columns", "(12, 0)"):
        loaded(NAMES, features=FEATURES[:, :0], by_position=True)
    with refuses("data", "all answers", "'cat'", "two classes"):
        loaded(labels=Distributions.from_counts(COUNTS[:, :1] + 1, classes=["cat"]))


def test_several_ways_to_read_a_file_share_one_command(tmp_path):
    (tmp_path / "votes.csv").write_text("item,annotator,label\na,x,1\na,x,2\nb,x,1\n")
    with refuses("--repeats first", "--repeats last", "--repeats keep") as refused:
        loaded(labels=str(tmp_path / "votes.csv"))
    assert str(refused.value).count("dissensus convert") == 1

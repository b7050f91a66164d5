"""A setting of a wrong kind is refused before anything runs; a text is true to Python whatever it says."""

import pytest

from dissensus.study import study_of
from dissensus.study.checks import tasks_of
from dissensus.study.read_data import load_data

DATA = {"digits": {"labels": "digits", "images": "digits", "features": "pixels"}}


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ({"network": "small", "flip": "no"}, "model.flip is 'no'; expected true or false"),
        ({"network": "small", "flip": 1}, "model.flip is 1; expected true or false"),
        ({"network": "small", "width": "8"}, "model.width is '8'; expected a whole number"),
        ({"network": "small", "depth": 1.5}, "model.depth is 1.5; expected a whole number"),
        ({"network": "small", "milestones": 5}, "model.milestones is 5; expected a list of epochs, such as"),
        ({"network": "small", "milestones": [[5], 6]}, "model.milestones is 6; expected a list of epochs, such as"),
        ({"network": "small", "device": 0}, "model.device is 0; expected a text"),
        ({"head": "mlp", "learning_rate": True}, "model.learning_rate is True; expected a number"),
        ({"head": "mlp", "learning_rate": "0.1"}, "model.learning_rate is '0.1'; expected a number"),
        ({"head": "mlp", "learning_rate": {"a": 1}}, "model.learning_rate is {'a': 1}; expected a number"),
        ({"head": "mlp", "standardise": 1}, "model.standardise is 1; expected true or false"),
        ({"head": "logistic", "penalty": True}, "model.penalty is True; expected a number"),
    ],
)
def test_values_of_a_wrong_kind_are_refused_by_name(model, message):
    with pytest.raises(ValueError) as refusal:
        study_of({"data": DATA, "model": model})
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ({"network": "resnet18", "depth": 3}, "model: resnet18: unknown depth 3. Choose from: 10, 18, 34"),
        ({"network": "small", "patience": 2}, "model: small with patience 2 needs validation items"),
        ({"network": "small", "schedule": "plateau"}, "model: small with schedule plateau needs validation items"),
        ({"head": "mlp", "scheduler": "plateau"}, "model: mlp with scheduler plateau needs validation items"),
        (
            {"head": "logistic"},
            "model: logistic with penalty none needs validation items",
        ),
    ],
)
def test_models_that_could_never_be_trained_are_refused_before_anything_runs(model, message):
    study = study_of({"data": DATA, "model": model, "split": {"validation": 0}})
    with pytest.raises(ValueError) as refusal:
        tasks_of(study, load_data(study))
    assert message in str(refusal.value)


def test_models_that_need_no_items_to_choose_by_are_not_refused():
    models = [{"head": "logistic", "penalty": 1}, {"head": "mlp"}, {"network": "small"}]
    study = study_of({"data": DATA, "model": models, "split": {"validation": 0}, "seeds": 1})
    assert len(tasks_of(study, load_data(study))) == 3

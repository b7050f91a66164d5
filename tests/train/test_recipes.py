"""Recipes: the same settings in Python, on the command line and in a study file."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dissensus.study import study_of
from dissensus.train import TrainConfig, network_recipe
from dissensus.train.recipes import RECIPES
from tests.cli.commands import run
from tests.facts import refuses


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_makes_settings_and_given_ones_replace_its_own(name):
    config = network_recipe(name)
    changed = network_recipe(name, epochs=3, width=8, delivery="multipass")
    assert changed.training == replace(config.training, epochs=3)
    assert (changed.network, changed.width, changed.delivery) == (config.network, 8, "multipass")


def test_an_unknown_recipe_is_refused_with_the_known_ones():
    with refuses("'slow'", *RECIPES):
        network_recipe("slow")


def test_a_study_takes_a_recipe_as_if_its_settings_were_written_out():
    data = {"labels": "digits", "images": "digits"}
    by_name = study_of({"data": data, "model": {"recipe": "fast", "epochs": 2, "width": 4}})
    written = study_of({"data": data, "model": RECIPES["fast"] | {"epochs": 2, "width": 4}})
    assert by_name.models == written.models
    assert by_name.models[0].loop == replace(network_recipe("fast").training, epochs=2, device="cpu")
    with refuses("'slow'", *RECIPES):
        study_of({"data": data, "model": {"recipe": "slow"}})


def test_options_replace_settings_of_a_recipe_on_the_command_line(tmp_path):
    options = ["--recipe", "fast", "--epochs", "1", "--width", "4", "--momentum", "0.9", "--json"]
    shown = run("train", "digits", "digits", *options, "-o", str(tmp_path / "net.safetensors"))
    card = json.loads(shown.stdout)
    expected = network_recipe("fast", epochs=1, momentum=0.9).training
    assert card["network"] == "swift"
    assert TrainConfig(**card["training"]) == expected  # momentum is the default of TrainConfig, and was given


def test_a_recipe_fine_tunes_the_network_that_training_starts_from(tmp_path):
    start, tuned = tmp_path / "start.safetensors", tmp_path / "tuned.safetensors"
    run("train", "digits", "digits", "--epochs", "1", "--width", "2", "-o", str(start))
    shown = run(
        "train",
        "digits",
        "digits",
        "--recipe",
        "fast",
        "--epochs",
        "1",
        "--from",
        str(start),
        "-o",
        str(tuned),
        "--json",
    )
    assert json.loads(shown.stdout)["network"] == "small"

"""Networks have names that need no torch, and say what they were made from."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
import torch

from dissensus.train.networks import NETWORKS, Recipe, make_network
from tests.facts import refuses, states
from tests.train.networks.tiny import tiny

NAMES = (
    "resnet18 resnet34a resnet50 resnet110 preact_resnet164 vgg11 vgg15 wrn28_10 resnext29_8x64 densenet_bc_100_12 "
    "pyramidnet110_270 shake_shake26_2x64 resnext_small pyramidnet_small small swift"
)


def test_the_names_are_those_that_files_and_commands_use():
    assert list(NETWORKS) == NAMES.split()


WITHOUT_TORCH = """
import sys
from dissensus.train import NETWORKS
from dissensus.train.networks import Recipe, make_network
print(len(NETWORKS), "torch" in sys.modules)
sys.modules["torch"] = None  # what Python does for a module that is not there
for ask in (NETWORKS["vgg11"], lambda: make_network("wrn28_10")):
    try:
        ask()
    except ModuleNotFoundError as problem:
        print(problem)
"""


def test_names_are_read_without_torch_and_making_a_network_names_the_extra():
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True, check=True)
    known, vgg, wide = done.stdout.splitlines()
    assert known == f"{len(NETWORKS)} False"
    assert states(vgg, "vgg11", "torch", "pip install", "'.[train]'")
    assert states(wide, "wrn28_10", "torch", "pip install", "'.[train]'")


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_is_made_again_from_what_it_says_of_itself(name):
    first = tiny(name, classes=4, channels=1)
    assert first.recipe["network"] == name and first.recipe["classes"] == 4 and first.recipe["channels"] == 1
    again = make_network(**json.loads(json.dumps(first.recipe)))
    assert again.recipe == first.recipe
    shapes = [{key: value.shape for key, value in network.state_dict().items()} for network in (first, again)]
    assert shapes[0] == shapes[1]
    again.load_state_dict(first.state_dict())
    x = torch.ones(2, 1, 16, 16)
    assert torch.equal(first.eval()(x), again.eval()(x))


@pytest.mark.parametrize("name", NETWORKS)
def test_what_a_network_says_of_itself_holds_every_default(name):
    """So a file still makes the same network when a default changes."""
    with torch.device("meta"):
        said = NETWORKS[name]().recipe
    assert (said["width"], said["depth"]) == (NETWORKS[name].width, NETWORKS[name].depth)
    assert said["classes"] == 10 and said["channels"] == 3 and said.items() >= dict(NETWORKS[name].options).items()
    if NETWORKS[name].family == "resnet":
        assert {"block", "stages", "shortcuts"} <= said.keys()


def test_numbers_of_numpy_are_taken_as_numbers():
    said = tiny("pyramidnet110_270", width=np.int64(3), alpha=np.float32(6)).recipe
    assert json.loads(json.dumps(said)) == said and said["width"] == 3 and said["alpha"] == 6


@pytest.mark.parametrize("name", NETWORKS)
def test_weights_come_from_torchs_own_generator(name):
    first, same, other = (tiny(name, seed=seed).state_dict() for seed in (0, 0, 1))
    assert all(torch.equal(first[key], same[key]) for key in first)
    assert not all(torch.equal(first[key], other[key]) for key in first)


@pytest.mark.parametrize(
    ("name", "asked", "facts"),
    [
        ("resnet18", {"width": 0}, ("width is 0", "whole number", "from 1 up")),
        ("vgg15", {"width": 1.5}, ("width is 1.5", "whole number", "from 1 up")),
        ("vgg15", {"classes": 1}, ("classes is 1", "whole number", "from 2 up")),
        ("vgg15", {"classes": True}, ("classes is True", "whole number", "from 2 up")),
        ("vgg15", {"channels": 0}, ("channels is 0", "whole number", "from 1 up")),
        ("vgg15", {"depth": "15"}, ("depth is '15'", "whole number", "from 1 up")),
        ("vgg15", {"depth": 16}, ("depth 16", "from: 11, 13, 15, 19")),
        ("vgg15", {"dropout": 0.5}, ("option", "'dropout'", "from: width, depth, channels")),
        (
            "wrn28_10",
            {"droput": 0.5},
            ("option", "'droput'", "'dropout'", "from: width, depth, channels, dropout"),
        ),
        ("wrn28_10", {"dropout": 1.0}, ("dropout is 1.0", "from 0 to below 1")),
        ("wrn28_10", {"depth": 27}, ("depth is 27", "expected 6n + 4", "such as 22 or 28")),
        ("densenet_bc_100_12", {"depth": 3}, ("depth is 3", "expected 6n + 4", "such as 10 or 16")),
        ("wrn28_10", {"dropout": -0.1}, ("dropout is -0.1", "from 0 to below 1")),
        ("resnet18", {"depth": 20}, ("depth 20", "from: 10, 18, 34")),
        ("resnet50", {"depth": 18}, ("depth 18", "from: 50, 101, 152")),
        ("resnet110", {"depth": 100}, ("depth is 100", "expected 6n + 2", "such as 98 or 104")),
        ("resnet110", {"block": "bottleneck"}, None),
        ("resnet110", {"block": "wide"}, ("block is 'wide'", "expected basic or bottleneck")),
        ("resnet34a", {"shortcuts": "A"}, ("shortcuts is 'A'", "expected projection or identity")),
        ("resnet34a", {"stages": 4.0}, ("stages is 4.0", "expected 4 or 3")),
        ("resnet34a", {"block": ["basic"]}, ("block is ['basic']", "expected basic or bottleneck")),
        ("resnet34a", {"stages": 5}, ("stages is 5", "expected 4 or 3")),
        ("preact_resnet164", {"depth": 110}, None),
        ("preact_resnet164", {"depth": 163}, ("depth is 163", "expected 9n + 2", "such as 155 or 164")),
        ("resnext29_8x64", {"cardinality": 0}, ("cardinality is 0", "whole number", "from 1 up")),
        ("resnext29_8x64", {"stem": 0}, ("stem is 0", "whole number", "from 1 up")),
        ("pyramidnet110_270", {"alpha": -1}, ("alpha is -1", "from 0 up")),
        ("pyramidnet110_270", {"alpha": float("nan")}, ("alpha is nan", "from 0 up")),
        (
            "shake_shake26_2x64",
            {"stem": 16, "width": 1},
            ("width is 1", "2 or more", "stem of 16"),
        ),
        ("shake_shake26_2x64", {"stem": 0}, ("stem is 0", "whole number", "from 1 up")),
    ],
)
def test_what_a_network_cannot_be_is_refused_with_what_it_can_be(name, asked, facts):
    with torch.device("meta"):
        if facts is None:
            NETWORKS[name](**asked)
            return
        with refuses(name, *facts):
            NETWORKS[name](**asked)


def test_an_unknown_name_is_answered_with_the_names():
    with refuses("network 'resnet19'", "'resnet18'", ", ".join(NETWORKS)):
        make_network("resnet19")


def test_a_recipe_of_ones_own_gets_a_name_first():
    mine = Recipe("resnet", width=8, depth=20, options={"stages": 3})
    with refuses("family resnet", "no name", "NETWORKS[name] = recipe"):
        mine()
    NETWORKS["thin20"] = mine
    try:
        assert make_network("thin20", classes=2).recipe["network"] == "thin20"
    finally:
        del NETWORKS["thin20"]

"""Network files: what is saved comes back to the bit, anybody can read the weights, and nothing is unpickled."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from dissensus.train import NETWORKS, Network, load_network, save_network
from dissensus.train.heads.config import HeadConfig, initial_layers
from dissensus.train.heads.head import Head
from dissensus.train.heads.model_files import load_head, save_head
from tests.facts import refuses

PIXELS = np.random.default_rng(0).integers(0, 256, size=(9, 8, 8, 3)).astype(np.uint8)
CLASSES = ("cat", "dög", "cow, brown")
CARD = {"delivery": "soft", "seed": 3, "scores": {"best": {"kl": 0.1 + 0.2}}}


def network(module=None, *, last=True):
    """A network whose batch norms have seen something, with its weights in either order in memory."""
    torch.manual_seed(0)
    module = module or NETWORKS["small"](classes=3, width=4, depth=2)
    module.train()(torch.randn(16, 3, 8, 8))
    module = module.to(memory_format=torch.channels_last if last else torch.contiguous_format)
    return Network(module, CLASSES, (0.1, 0.2, 1 / 3), (0.3, 0.7, 0.5), CARD)


class Own(nn.Module):
    """What a user may have: tied weights, and a buffer that is no part of the state."""

    def __init__(self, wide=5, *, beside=False):
        super().__init__()
        self.first = nn.Conv2d(3, wide, 3)
        self.second = nn.Conv2d(3, wide, 3)
        self.second.weight = self.first.weight
        self.head = nn.Linear(wide, 3)
        if beside:
            self.register_buffer("beside", torch.ones(1), persistent=False)

    def forward(self, x):
        return self.head((self.first(x) + self.second(x)).relu().mean(dim=(2, 3)))


@pytest.mark.parametrize("last", [True, False], ids=["channels last", "contiguous"])
def test_a_saved_network_is_the_same_network_to_the_bit(tmp_path, last):
    made = network(last=last)
    save_network(made, tmp_path / "m.safetensors")
    back = load_network(tmp_path / "m.safetensors")
    assert np.array_equal(back.logits(PIXELS), made.logits(PIXELS))
    assert np.array_equal(back.features(PIXELS), made.features(PIXELS))
    assert (back.classes, back.mean, back.std, back.card) == (made.classes, made.mean, made.std, made.card)
    assert back.module.recipe == made.module.recipe and not back.module.training
    save_network(back, tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == (tmp_path / "m.safetensors").read_bytes()
    card = json.loads((tmp_path / "m.safetensors.json").read_text(encoding="utf-8"))
    assert card["format"] == "dissensus network 1" and card["classes"] == list(CLASSES)
    assert card["recipe"]["network"] == "small" and card["recipe"]["width"] == 4 and card["seed"] == 3


def test_anybody_can_load_the_weights_with_safetensors_and_torch_alone(tmp_path):
    made = network()
    save_network(made, tmp_path / "m.safetensors")
    theirs = NETWORKS["small"](classes=3, width=4, depth=2)
    theirs.load_state_dict(load_file(tmp_path / "m.safetensors"))
    for name, value in made.module.state_dict().items():
        assert torch.equal(theirs.state_dict()[name], value), name


def test_loading_draws_nothing_from_the_random_numbers_of_the_caller(tmp_path):
    save_network(network(), tmp_path / "m.safetensors")
    before = torch.random.get_rng_state()
    load_network(tmp_path / "m.safetensors")
    assert torch.equal(torch.random.get_rng_state(), before)


@pytest.mark.parametrize("name", NETWORKS)
def test_every_network_can_be_made_from_its_card_without_memory_for_its_weights(name):
    """Loading assigns every tensor of the file; so nothing of a module may lie outside its state_dict."""
    before = torch.random.get_rng_state()
    with torch.device("meta"):
        module = NETWORKS[name](classes=3)
    assert torch.equal(torch.random.get_rng_state(), before), "no random numbers either"
    beside = {key for key, _ in (*module.named_parameters(), *module.named_buffers())} - module.state_dict().keys()
    assert beside == set()
    assert json.loads(json.dumps(module.recipe)) == module.recipe


def test_a_module_of_ones_own_is_saved_and_loaded_into_one_like_it(tmp_path):
    made, path = network(Own()), tmp_path / "own.safetensors"
    save_network(made, path)
    with refuses("architecture", "load_network(path, module=MyNetwork())", place=str(path)):
        load_network(path)
    mine = Own()
    kept = {name: value.clone() for name, value in mine.state_dict().items()}
    back = load_network(path, module=mine)
    assert np.array_equal(back.logits(PIXELS), made.logits(PIXELS))
    assert all(torch.equal(mine.state_dict()[name], value) for name, value in kept.items()), "the argument was changed"
    with refuses(path, "first.weight is 5 x 3 x 3 x 3", "module has 6 x 3 x 3 x 3", "float32", "5 such tensors"):
        load_network(path, module=Own(6))
    with refuses(path, "'beside'", "outside its state_dict", "load_network(path, module=...)"):
        load_network(path, module=Own(beside=True).to("meta"))


def test_a_state_that_is_no_tensor_is_refused(tmp_path):
    class Remembers(Own):
        def get_extra_state(self):
            return {"epoch": 3}

    with refuses("'_extra_state'", "a dict", "expected tensors"):
        save_network(network(Remembers()), tmp_path / "m.safetensors")
    assert not list(tmp_path.iterdir())


def test_broken_and_foreign_files_are_refused_and_pickles_never_run(tmp_path):
    target = tmp_path / "m.safetensors"
    with refuses(target, "no such file"):
        load_network(target)
    with refuses(tmp_path, "a folder"):
        load_network(tmp_path)
    save_network(network(), target)
    whole = target.read_bytes()
    for short in (whole[:-10], whole[:200], whole[:4], b"", pickle.dumps({"weights": [1, 2]})):
        target.write_bytes(short)
        with refuses(target, "readable safetensors", "cut short"):
            load_network(target)
    save_file({"x": torch.ones(3)}, target)
    with refuses(target, "not a model", "'card'", "`dissensus fit`", "`dissensus train`"):
        load_network(target)
    for card, fact in (
        ("[]", "TypeError"),
        ("{}", "KeyError('format')"),
        ("no JSON", "JSONDecodeError"),
        ('{"format": "dissensus network 2"}', "dissensus network 2"),
    ):
        save_file({"x": torch.ones(3)}, target, metadata={"card": card})
        with refuses(target, "not a model", fact):
            load_network(target)
    with refuses(tmp_path / "m.pt", ".safetensors"):
        save_network(network(), tmp_path / "m.pt")


def test_heads_and_networks_are_told_apart(tmp_path):
    head = Head(initial_layers(HeadConfig(kind="linear"), 4, 3), CLASSES)
    save_head(head, tmp_path / "head.safetensors")
    save_network(network(), tmp_path / "network.safetensors")
    with refuses(tmp_path / "head.safetensors", "a head", "not a network", "load_head"):
        load_network(tmp_path / "head.safetensors")
    with refuses(tmp_path / "network.safetensors", "a network", "not a head", "load_network"):
        load_head(tmp_path / "network.safetensors")
    save_network(network(), tmp_path / "head.safetensors")
    assert load_network(tmp_path / "head.safetensors").classes == CLASSES, "one model may take the place of another"


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        (
            {"recipe": {"network": "smal", "classes": 3}},
            ("not a network", "network 'smal'", "'small'"),
        ),
        (
            {"recipe": {"network": "small", "classes": 3, "colour": 1}},
            ("not a network", "small 'colour'", "width, depth, channels"),
        ),
        ({"recipe": {"network": "small", "classes": 4}}, ("not a network", "4 classes", "3 names")),
        ({"recipe": 7}, ("not a network", "'int' object")),
        (
            {"recipe": {"network": "small", "classes": 3, "width": 8, "depth": 2}},
            ("stem.0.weight is 4 x 12 x 3 x 3", "recipe makes 8 x 12 x 3 x 3", "float32", "31 such tensors"),
        ),
        (
            {"recipe": {"network": "small", "classes": 3, "width": 4, "depth": 3}},
            ("stages.2.first.0.weight", "not there", "recipe makes 16 x 8 x 3 x 3", "19 such tensors"),
        ),
        ({"recipe": {"network": "small", "classes": 3, "width": 10**9}}, ("not a network", "Storage size")),
        (
            {"recipe": {"network": "small", "classes": 3, "depth": 10**7}},
            ("not a network", "10000000 layers", "38 tensors"),
        ),
        (
            {"recipe": {"network": "resnet110", "classes": 3, "depth": 6 * 10**6 + 2}},
            ("not a network", "6000002 layers", "38 tensors"),
        ),
        ({"mean": [0.5], "std": [0.2]}, ("not a network", "3 channels", "mean for 1")),
        ({"classes": "abc"}, ("not a network", "classes are 'abc'", "list of names")),
        ({"mean": [0.5]}, ("not a network", "mean is (0.5,)", "each channel")),
        ({"classes": 3}, ("not a network", "classes are 3", "list of names")),
        ({"memory": "upside down"}, ("not a network", "'upside down'")),
    ],
)
def test_a_card_that_does_not_go_with_the_weights_is_refused(tmp_path, change, facts):
    save_network(network(), tmp_path / "m.safetensors")
    card = json.loads((tmp_path / "m.safetensors.json").read_text(encoding="utf-8")) | change
    save_file(load_file(tmp_path / "m.safetensors"), tmp_path / "m.safetensors", metadata={"card": json.dumps(card)})
    with refuses(tmp_path / "m.safetensors", *facts):
        load_network(tmp_path / "m.safetensors")


def test_weights_of_a_name_that_the_module_does_not_have_are_refused(tmp_path):
    save_network(network(Own()), tmp_path / "m.safetensors")
    card = (tmp_path / "m.safetensors.json").read_text(encoding="utf-8")
    weights = load_file(tmp_path / "m.safetensors") | {"third.weight": torch.ones(2)}
    save_file(weights, tmp_path / "m.safetensors", metadata={"card": card})
    with refuses(tmp_path / "m.safetensors", "third.weight is 2", "float32", "nothing", "1 such tensors"):
        load_network(tmp_path / "m.safetensors", module=Own())


def test_the_card_inside_counts_and_the_copy_beside_it_is_not_needed(tmp_path):
    save_network(network(), tmp_path / "m.safetensors")
    (tmp_path / "m.safetensors.json").unlink()
    assert load_network(tmp_path / "m.safetensors").card == CARD


def test_weights_that_are_shared_are_still_one_when_they_come_back(tmp_path):
    def shared():
        module = nn.Sequential(nn.Conv2d(3, 3, 3), nn.Conv2d(3, 3, 3), nn.Flatten(), nn.Linear(48, 3))
        module[1].weight = module[0].weight
        return module

    save_network(Network(shared(), CLASSES, (0.5,) * 3, (0.2,) * 3), tmp_path / "m.safetensors")
    module = load_network(tmp_path / "m.safetensors", shared()).module
    assert module[0].weight is module[1].weight and module[0].bias is not module[1].bias

"""From images and votes to a network: who meets whom, what is held out, and what the card tells."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
import torch

from dissensus import Votes, as_distributions
from dissensus.deliver import mixup, sls
from dissensus.train import (
    NETWORKS,
    ImageTable,
    Network,
    NetworkConfig,
    TrainConfig,
    load_network,
    save_network,
    train_module,
    train_network,
)
from dissensus.train.held_out import scores_of
from dissensus.train.splits import hold_out
from tests.facts import refuses, states
from tests.train.notices import quiet
from tests.train.pictures import CLASSES, blobs, have_same_weights, tiny

TRAINING = TrainConfig(epochs=2, batch=16, crop=1, flip=False, seed=3, learning_rate=0.05)
SMALL = NetworkConfig(width=4, depth=1, training=TRAINING)


def test_it_is_the_loop_on_a_delivery_made_of_the_items_trained_on_alone():
    """Second road: the same by hand."""
    images, shares = blobs(50)
    votes = Votes.of_counts(shares)
    config = NetworkConfig(width=4, depth=1, delivery="sls", wraps=("mixup=0.2",), training=TRAINING)
    ours = train_network(images, votes, config, quiet)
    train, held = hold_out(50, 0.2, 3, "images")
    delivery = mixup(sls(votes.select(items=train), seed=3), alpha=0.2, seed=3)
    by_hand = train_module(
        partial(NETWORKS["small"], classes=3, width=4, depth=1),
        images.select(train),
        delivery,
        TRAINING,
        validation=(images.select(held), as_distributions(votes).select(held)),
    )
    assert have_same_weights(ours.best, by_hand.best) and have_same_weights(ours.last, by_hand.last)
    assert ours.scores == by_hand.scores and ours.history == by_hand.history
    assert ours.best.card["delivery"] == delivery.name and "mixup" in delivery.name


def test_items_are_matched_by_name_and_omitted_ones_are_reported():
    images, shares = blobs(40)
    order = np.random.default_rng(1).permutation(40)
    said = []
    shuffled = train_network(images, shares.select(order), SMALL, said.append)
    assert have_same_weights(shuffled.best, train_network(images, shares, SMALL, quiet).best) and said == []
    part = train_network(images, shares.select(order[:30]), SMALL, said.append)
    first = min(order[30:])
    (notice,) = said
    assert states(notice, "10 of 40 items", "images", "no labels", f"first is p{first}")
    assert part.best.card["items trained on"] == 24 and part.best.card["items held out"] == 6
    assert part.best.card["items matched"] == "by name"
    with refuses("images", "no item names", "named p0", "35 more", ways={"by_position": True}):
        train_network(images.pixels, shares, SMALL, quiet)
    vouched = train_network(images.pixels, shares, SMALL, quiet, by_position=True)
    assert have_same_weights(vouched.best, train_network(images, shares, SMALL, quiet).best)
    assert vouched.best.card["items matched"] == "by position"


def test_both_cards_tell_the_scores_of_both_networks_on_the_items_held_out():
    images, shares = blobs(40)
    images = ImageTable(images.pixels, images.items, {"path": "pictures"})
    done = train_network(images, shares, SMALL, quiet)
    _, held = hold_out(40, 0.2, 3, "images")
    truth = shares.select(held).probs
    for network, chosen, epoch in ((done.best, "best", done.best_epoch), (done.last, "last", 2)):
        card = network.card
        assert (card["chosen"], card["epoch"], card["network"]) == (chosen, epoch, "small")
        for which, other in (("best", done.best), ("last", done.last)):
            assert card["scores on items held out"][which] == scores_of(truth, other.probs(images.select(held)))
        assert (card["image size"], card["channels"], card["images from"]) == ([8, 8], 3, {"path": "pictures"})
        assert (card["items trained on"], card["items held out"], card["seed"]) == (32, 8, 3)
        assert card["training"]["learning_rate"] == 0.05 and [row["epoch"] for row in card["history"]] == [1, 2]
        assert card["torch"] == torch.__version__ and card["device"] in ("cpu", "cuda", "mps")
        assert card["started from"] is None and json.loads(json.dumps(card)) == card


@pytest.mark.parametrize(
    ("more", "choosing"),
    [({}, ()), ({"patience": 5}, ("patience",)), ({"schedule": "plateau", "patience": 5}, ("patience and plateau",))],
)
def test_cards_tell_whether_the_held_out_items_influenced_the_networks_scored_on_them(more, choosing):
    images, shares = blobs(40)
    training = TrainConfig(**(vars(TRAINING) | more))
    done = train_network(images, shares, NetworkConfig(width=4, depth=1, training=training), quiet)
    best, last = done.best.card["chosen by"], done.last.card["chosen by"]
    assert states(best, "lowest soft NLL", "held-out items", "optimistic")
    assert states(last, "end of training", *choosing) and ("optimistic" in last) == bool(more)
    assert not any(word in last for word in {"patience", "plateau"} - set(" ".join(choosing).split()))


def test_without_items_held_out_the_best_network_is_the_last():
    images, shares = blobs(30)
    done = train_network(images, shares, NetworkConfig(width=4, depth=1, validation=0, training=TRAINING), quiet)
    assert done.best is done.last and done.scores == {} and done.best.card["chosen"] == "last"
    assert done.best.card["items trained on"] == 30 and done.best.card["items held out"] == 0


def test_a_share_that_holds_out_nobody_is_refused():
    images, shares = blobs(30)
    with refuses("validation=0.01", "30 items", "less than one"):
        train_network(images, shares, NetworkConfig(width=4, depth=1, validation=0.01, training=TRAINING), quiet)


def test_fine_tuning_goes_on_from_the_weights_and_normalisation_of_a_checkpoint(tmp_path):
    images, shares = blobs(40)
    first = train_network(images, shares, SMALL, quiet).best
    save_network(first, tmp_path / "first.safetensors")
    start = load_network(tmp_path / "first.safetensors")
    darker = ImageTable(images.pixels // 2, images.items)
    still = TrainConfig(epochs=1, learning_rate=0, momentum=0, crop=0, flip=False)
    tuned = train_network(darker, shares, NetworkConfig(training=still), quiet, start=start).last
    assert (tuned.mean, tuned.std) == (first.mean, first.std) and tuned.module.recipe == first.module.recipe
    weights = dict(first.module.named_parameters())
    assert all(torch.equal(value, weights[name]) for name, value in tuned.module.named_parameters())
    assert have_same_weights(start, first), "the network that is given stays as it is"
    origin = tuned.card["started from"]
    assert origin["network"] == "small" and origin["seed"] == 3 and origin["weights"].startswith("sha256:")
    file = tmp_path / "first.safetensors"
    options = {"start": file, "labels_from": "digits"}
    moved = train_network(darker, shares, NetworkConfig(training=TRAINING), quiet, **options).last
    assert moved.card["started from"]["file"] == str(file) and moved.card["labels from"] == {"data set": "digits"}
    assert not have_same_weights(moved, first)


def test_a_module_of_ones_own_can_be_fine_tuned():
    images, shares = blobs(30)
    torch.manual_seed(0)
    start = Network(tiny(), CLASSES, (0.5,) * 3, (0.2,) * 3)
    done = train_network(images, shares, NetworkConfig(training=TRAINING), quiet, start=start)
    assert done.best.card["network"] == "Sequential" and done.best.mean == (0.5,) * 3


def test_what_does_not_fit_a_checkpoint_is_refused_or_reported():
    images, shares = blobs(30)
    start = train_network(images, shares, SMALL, quiet).best
    for name, asked, kept in (("network", "vgg11", "small"), ("width", 8, 4), ("depth", 2, 1)):
        with refuses(f"{name} is {asked}", f"{name} is {kept}"):
            train_network(images, shares, NetworkConfig(**{name: asked}, training=TRAINING), quiet, start=start)
    again = NetworkConfig(network="small", width=4, depth=1, training=TRAINING)
    assert train_network(images, shares, again, quiet, start=start).best.card["network"] == "small"
    with refuses("start is a Linear", "a Network", "load_network(path)"):
        train_network(images, shares, SMALL, quiet, start=torch.nn.Linear(1, 2))
    others = Votes.of(["p0", "p1", "p2"], ["a", "b", "a"], ["x", "y", "z"])
    with refuses("['red', 'green', 'blue']", "['a', 'b']", "knows 'a'"):
        train_network(images, others, NetworkConfig(training=TRAINING, validation=0), quiet, start=start)
    said = []
    large, _ = blobs(30, side=12)
    train_network(large, shares, NetworkConfig(training=TRAINING), said.append, start=start)
    (notice,) = said
    assert states(notice, "trained", "8 x 8", "these are 12 x 12")
    grey = ImageTable(images.pixels[..., :1], images.items)
    with refuses("grey", "colour", "np.repeat(pixels, 3, axis=3)"):
        train_network(grey, shares, NetworkConfig(training=TRAINING), quiet, start=start)


def test_a_start_that_may_have_seen_the_held_out_items_causes_a_warning():
    images, shares = blobs(30)
    here, there = (ImageTable(images.pixels, images.items, {"path": name}) for name in ("here", "there"))
    start = train_network(here, shares, SMALL, quiet).best
    for table, warned in ((here, True), (there, False), (images, False)):
        said = []
        train_network(table, shares, NetworkConfig(training=TRAINING), said.append, start=start)
        assert any(line.startswith("warning: ") and "same place" in line for line in said) == warned


@pytest.mark.parametrize("way", [{"fit": "pad"}, {"changed": ["30 of 30 images were resized"]}, {"path": "./pics"}])
def test_the_same_images_cut_or_named_in_another_way_are_still_those_the_start_has_seen(way):
    images, shares = blobs(30)
    start = train_network(ImageTable(images.pixels, images.items, {"path": "pics"}), shares, SMALL, quiet).best
    said = []
    again = ImageTable(images.pixels, images.items, {"path": "pics"} | way)
    train_network(again, shares, NetworkConfig(training=TRAINING), said.append, start=start)
    assert said[0].startswith("warning: ") and states(said[0], "same place", again.source["path"])


def test_grey_images_make_a_network_of_one_channel():
    images, shares = blobs(20)
    done = train_network(ImageTable(images.pixels[..., :1], images.items), shares, SMALL, quiet)
    assert done.best.channels == 1 and done.best.module.recipe["channels"] == 1


@pytest.mark.parametrize(
    ("wrong", "facts"),
    [
        ({"network": "resnet"}, ("network 'resnet'", "resnet18")),
        ({"delivery": "softly"}, ("delivery 'softly'", "'soft'", "majority")),
        ({"validation": 1}, ("validation=1", "0 to below 1")),
    ],
)
def test_an_invalid_config_is_refused_when_it_is_made(wrong, facts):
    with refuses(*facts):
        NetworkConfig(**wrong)


def test_labels_that_nothing_can_be_learned_from_are_refused():
    images, shares = blobs(5)
    with refuses("images are of p0", "labels of x, y", ways={"by_position": True}):
        train_network(images, Votes.of(["x", "y"], ["a", "b"], ["ann", "ann"]), SMALL, quiet)
    with refuses("validation=0.8", "4 of 5", "2 or more"):
        train_network(images, shares, NetworkConfig(validation=0.8, training=TRAINING), quiet)
    alone = Votes.of(["p0", "p1", "p2"], ["a", "a", "a"], ["ann", "ann", "bo"], classes=["a"])
    with refuses("one class", "'a'", "two classes", ways={"classes": ...}):
        train_network(images, alone, SMALL, quiet)

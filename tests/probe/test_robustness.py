"""A network before and after an attack: every number again by a loop over images."""

import json

import numpy as np
import pytest
import torch
from torch import nn

from dissensus import Distributions, Votes
from dissensus.evaluate import METRICS
from dissensus.evaluate.choices import top_choice
from dissensus.probe import ATTACKS, attack, fgsm, pgd
from dissensus.probe.robustness import AIMS
from dissensus.train import Network
from tests.facts import refuses
from tests.train.pictures import CLASSES, blobs, tiny

MEAN, STD = (0.4, 0.5, 0.6), (0.2, 0.25, 0.3)
SCORES = ("soft_nll", "cross_entropy_hard", "accuracy")


def network_of(dtype=torch.float64):
    torch.manual_seed(0)
    module = tiny()
    with torch.no_grad():
        module[6].weight.mul_(4)
    return Network(module.to(dtype), CLASSES, MEAN, STD)


def by_metrics(network, pixels, people):
    """Scores as `dissensus evaluate` has them, of pixels from 0 to 1."""
    mean, std = (torch.tensor(part).view(-1, 1, 1) for part in (MEAN, STD))
    module = network.module.eval()
    with torch.no_grad():
        q = module((pixels - mean) / std).double().softmax(dim=1).numpy()
    module.train()
    return {name: METRICS[name].function(q, people) for name in SCORES}


def pixels_of(images):
    return torch.tensor(images.pixels).permute(0, 3, 1, 2).double() / 255


@pytest.mark.parametrize("target", ["soft", "hard"])
@pytest.mark.parametrize("name", ATTACKS)
def test_scores_are_those_of_evaluation_on_the_attacked_images(name, target):
    (images, shares), network = blobs(30), network_of()
    result = attack(network, images, shares, name, epsilons=(4, 8), target=target, batch=7)
    x, aims = pixels_of(images), torch.tensor(shares.probs if target == "soft" else top_choice(shares.probs))
    assert list(result.items) == list(images.items) and list(result.after) == [4, 8]
    assert (result.method, result.target) == (name, target)
    for scores, pixels in [(result.before, x)] + [
        (result.after[epsilon], torch.cat([ATTACKS[name](network, x[[i]], aims[[i]], epsilon) for i in range(30)]))
        for epsilon in (4, 8)
    ]:
        expected = by_metrics(network, pixels, shares.probs)
        for score in SCORES:
            assert np.allclose(getattr(scores, score), expected[score], atol=1e-6), score
    raised = "soft_nll" if target == "soft" else "cross_entropy_hard"
    means = [getattr(scores, raised).mean() for scores in (result.before, *result.after.values())]
    assert np.all(np.diff(means) > 0)


def test_the_way_of_pgd_starts_at_the_image_and_ends_at_the_attacked_one():
    (images, shares), network = blobs(30), network_of()
    result = attack(network, images, shares, "pgd", epsilons=[4, 6], steps=5, step_size=1.5, batch=11)
    x, aims = pixels_of(images), torch.tensor(top_choice(shares.probs))
    for epsilon in (4, 6):
        way = result.steps[epsilon]
        for score in SCORES:
            assert getattr(way, score).shape == (6, 30)
            assert np.array_equal(getattr(way, score)[0], getattr(result.before, score))
            assert np.array_equal(getattr(way, score)[-1], getattr(result.after[epsilon], score))
        third = by_metrics(network, pgd(network, x, aims, epsilon, steps=3, step_size=1.5), shares.probs)
        assert np.allclose(way.soft_nll[3], third["soft_nll"], atol=1e-6)
        assert np.all(np.diff(way.cross_entropy_hard[:4].mean(axis=1)) > 0)
    assert attack(network, images, shares, "fgsm").steps == {}


def test_a_random_start_does_not_depend_on_the_batches():
    (images, shares), network = blobs(20), network_of()
    first, again, other = (
        attack(network, images, shares, "pgd", rng=np.random.default_rng(seed), batch=batch, epsilons=(4, 8))
        for seed, batch in ((1, 20), (1, 7), (2, 20))
    )
    assert np.allclose(first.after[8].soft_nll, again.after[8].soft_nll, atol=1e-9)
    assert not np.allclose(first.after[8].soft_nll, other.after[8].soft_nll, atol=1e-9)
    assert first.options == {"step_size": 1, "steps": 10, "random_start": True}
    assert not np.array_equal(first.steps[4].soft_nll[0], first.before.soft_nll)


def test_labels_of_every_kind_give_the_same():
    """Classes, one-hot rows, names, votes and distributions."""
    (images, _), network = blobs(12), network_of()
    codes = np.random.default_rng(0).integers(0, 3, 12)
    names = [CLASSES[code] for code in codes]
    votes = Votes.of(list(images.items), names, ["ann"] * 12, classes=CLASSES)
    rows = Distributions(np.eye(3)[codes], images.items, CLASSES)
    expected = fgsm(network, pixels_of(images), torch.tensor(codes))
    scores = by_metrics(network, expected, np.eye(3)[codes])
    for labels in (names, np.eye(3)[codes], votes, rows):
        for target in ("soft", "hard"):
            result = attack(network, images.pixels, labels, target=target)
            assert np.allclose(result.after[4].soft_nll, scores["soft_nll"], atol=1e-6)
            assert np.allclose(result.after[4].soft_nll, result.after[4].cross_entropy_hard)


def test_two_classes_with_equally_many_votes_share_what_is_raised():
    """So the order of classes does not matter."""
    (images, _), network = blobs(8), network_of()
    rows = np.tile([0.4, 0.4, 0.2], (8, 1))
    result = attack(network, images, rows)
    moved = fgsm(network, pixels_of(images), torch.tensor(np.tile([0.5, 0.5, 0.0], (8, 1))))
    assert np.allclose(result.after[4].soft_nll, by_metrics(network, moved, rows)["soft_nll"], atol=1e-6)
    assert set(result.after[4].accuracy) <= {0.0, 0.5}


def test_a_network_that_is_less_sure_loses_fewer_nats_though_its_choices_are_the_same():
    """Between two classes, a temperature changes no sign of the gradient: (q - y)(w_1 - w_0)."""
    images, codes = blobs(40)[0], np.arange(40) % 2
    torch.manual_seed(0)
    linear = nn.Linear(192, 2).double()
    sure = nn.Sequential(nn.Flatten(), linear)
    unsure = nn.Sequential(nn.Flatten(), nn.Linear(192, 2).double())
    with torch.no_grad():
        linear.weight.mul_(30)
        for weight, hot in zip(unsure.parameters(), sure.parameters(), strict=True):
            weight.copy_(hot / 3)
    first, second = (
        attack(Network(module, ("0", "1"), MEAN, STD), images, codes, epsilons=8).after[8] for module in (sure, unsure)
    )
    assert np.array_equal(first.accuracy, second.accuracy)
    assert second.cross_entropy_hard.mean() < first.cross_entropy_hard.mean() / 2


def test_images_on_which_the_loss_is_flat_are_counted():
    (images, shares), flat = blobs(10), Network(tiny(zero=True), CLASSES, MEAN, STD)
    result = attack(flat, images, shares, epsilons=(0, 4))
    assert result.unmoved[4].all() and result.as_json()["after"][1]["unmoved_items"] == 10
    assert np.array_equal(result.after[4].soft_nll, result.before.soft_nll)
    moved = attack(network_of(), images, shares, epsilons=(0, 4))
    assert moved.unmoved[0].all() and not moved.unmoved[4].any()


def test_json_says_what_was_raised_and_has_the_means():
    (images, shares), network = blobs(20), network_of(torch.float32)
    result = attack(network, images, shares, "pgd", epsilons=range(4, 9), target="soft", steps=3)
    record = json.loads(json.dumps(result.as_json()))
    assert record["raised"] == AIMS["soft"] and record["items"] == 20
    assert record["options"] == {"step_size": 1, "steps": 3, "random_start": False}
    assert [row["epsilon"] for row in record["after"]] == [4, 5, 6, 7, 8]
    for row in record["after"]:
        scores = result.after[row["epsilon"]]
        assert row["soft_nll"] == pytest.approx(scores.soft_nll.mean())
        assert len(row["steps"]["cross_entropy_hard"]) == 4
        assert row["steps"]["accuracy"][-1] == row["accuracy"]
    assert "steps" not in attack(network, images, shares).as_json()["after"][0]
    assert "20" in repr(result) and len(repr(result)) < 400


def test_progress_counts_images_and_the_network_is_as_it_was():
    (images, shares), network = blobs(20), network_of()
    heard = []
    modes = [part.training for part in network.module.modules()]
    with torch.no_grad():
        attack(network, images, shares, epsilons=(4, 8), batch=8, progress=lambda *seen: heard.append(seen))
    assert heard == [(8, 40), (16, 40), (24, 40), (32, 40), (36, 40), (40, 40)]
    assert [part.training for part in network.module.modules()] == modes and any(modes)
    assert all(weight.grad is None and weight.requires_grad for weight in network.module.parameters())


@pytest.mark.parametrize("around", [torch.no_grad, torch.inference_mode])
def test_it_does_not_matter_that_the_caller_wants_no_gradients(around):
    (images, shares), network = blobs(10), network_of()
    expected = attack(network, images, shares, "pgd")
    with around():
        assert np.array_equal(attack(network, images, shares, "pgd").after[4].soft_nll, expected.after[4].soft_nll)


def test_a_network_of_half_precision_is_scored_in_full():
    (images, shares), network = blobs(10), network_of(torch.bfloat16)
    assert attack(network, images, shares).after[4].soft_nll.dtype == np.float64


def test_grey_images_are_attacked_too():
    pixels = np.random.default_rng(0).integers(0, 256, (5, 8, 8, 1), dtype=np.uint8)
    module = nn.Sequential(nn.Flatten(), nn.Linear(64, 2))
    result = attack(Network(module, ("a", "b"), 0.5, 0.5), pixels, np.array(["a", "b", "a", "b", "a"]))
    assert np.all(result.after[4].soft_nll > result.before.soft_nll)


def test_what_cannot_be_attacked_is_refused():
    (images, shares), network = blobs(6), network_of()
    for options, facts in (
        ({"method": "cw"}, ("attack 'cw'", "fgsm, pgd")),
        ({"target": "gold"}, ("target 'gold'", "soft, hard")),
        ({"steps": 5}, ("steps is 5", "fgsm")),
        ({"method": "pgd", "steps": 0}, ("steps is 0", "whole number", "1 or more")),
        ({"epsilons": ()}, ("epsilons are []", "one at least")),
        ({"epsilons": (4, 4.0)}, ("epsilons are [4, 4.0]", "each once")),
        ({"epsilons": (4, 8 / 255)}, ("epsilon is 0.0313725", "0 to 255", "say 8")),
        ({"epsilons": "4"}, ("epsilon is '4'", "a number", "of 255")),
        ({"method": "pgd", "rng": 3}, ("rng is 3", "np.random.default_rng(0)")),
        ({"method": "pgd", "rng": torch.Generator()}, ("rng is", "torch._C.Generator", "np.random.default_rng(0)")),
        ({"batch": 0}, ("batch is 0", "1 or more")),
        ({"labels": shares.select(np.arange(5))}, ("6 rows of images", "5 of labels")),
        ({"labels": np.full((6, 4), 0.25)}, ("labels", "4 columns", "['red', 'green', 'blue']")),
        ({"images": images.pixels[..., :1]}, ("images are grey", "np.repeat(pixels, 3, axis=3)")),
        ({"images": images.pixels / 255}, ("float64", "uint8", "0 to 1")),
        ({"network": network.module}, ("a Network", "a Sequential", "Network(module, classes, mean, std)")),
    ):
        with refuses(*facts):
            attack(**{"network": network, "images": images, "labels": shares} | options)


def test_numbers_of_numpy_as_options_are_written_as_json():
    images, shares = blobs(4)
    result = attack(network_of(), images, shares, "pgd", steps=np.int64(1), step_size=np.float32(4))
    assert json.loads(json.dumps(result.as_json()))["options"]["steps"] == 1

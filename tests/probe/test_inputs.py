"""Models that stand still, and batches that are the same each time."""

import numpy as np
import pytest
import torch
from torch import nn

from dissensus.probe import image_batches
from dissensus.probe.inputs import soft_targets, still
from dissensus.train import Network
from tests.train.pictures import CLASSES, blobs, tiny

HALF = (0.5, 0.5, 0.5)


def test_batches_are_what_the_network_is_called_with_and_come_again():
    images, shares = blobs(20)
    network = Network(tiny().eval(), CLASSES, HALF, HALF)
    batches = image_batches(network, images, shares, batch=8)
    assert len(batches) == 3 and [len(x) for x, _ in batches] == [8, 8, 4]
    with torch.no_grad():
        logits = torch.cat([network.module(x) for x, _ in batches]).double().numpy()
    assert np.allclose(logits, network.logits(images), atol=1e-6)
    assert np.allclose(np.concatenate([y for _, y in batches]), shares.probs)


def test_one_hot_rows_and_classes_are_the_same_targets():
    codes = np.array([2, 0, 1])
    assert np.array_equal(soft_targets(codes, 3), soft_targets(np.eye(3)[codes], 3))


def test_a_network_is_in_eval_mode_meanwhile_and_as_it_was_afterwards():
    module = tiny().train()
    with still(Network(module, CLASSES, HALF, HALF)) as inside:
        assert not any(part.training for part in inside.modules())
    assert all(part.training for part in module.modules())


@pytest.mark.parametrize("layer", [nn.BatchNorm2d(3), nn.Dropout(0.1), nn.AlphaDropout(0.1)])
def test_a_module_in_train_mode_is_refused_if_that_matters(layer):
    module = nn.Sequential(layer, nn.Flatten())
    with pytest.raises(ValueError, match=r"\(0\) is in train mode.*1 such layers: call model.eval\(\) first"):  # noqa: SIM117
        with still(module):
            pass
    with still(module.eval()), still(nn.Sequential(nn.Dropout(0.0), nn.Linear(1, 1))):
        pass


def test_what_cannot_be_probed_is_refused():
    images, shares = blobs(20)
    network = Network(tiny().eval(), CLASSES, HALF, HALF)
    with pytest.raises(ValueError, match="20 images and 19 labels"):
        image_batches(network, images, shares.select(np.arange(19)))
    with pytest.raises(ValueError, match="image 0 is p0, and label 0 is of p19; 20 of 20 differ"):
        image_batches(network, images, shares.select(np.arange(19, -1, -1)))
    assert len(image_batches(network, images.pixels, shares)) == 1  # rows without names go by their order
    with pytest.raises(ValueError, match="batch is 0"):
        image_batches(network, images, shares, batch=0)
    with pytest.raises(ValueError, match="expected a Network or a torch module"):  # noqa: SIM117
        with still("model.safetensors"):
            pass

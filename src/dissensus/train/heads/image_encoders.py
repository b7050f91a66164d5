"""Images to features, by EfficientNet-Lite0, an image model of Transformers, or timm."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.train.heads.efficientnet_lite import lite0_features, lite0_weights

_AT_ONCE = 16
Encode = Callable[[Sequence[np.ndarray]], np.ndarray]


def efficientnet_lite0(file: Path) -> Encode:
    """Pooled features of the last layer before the ImageNet classes.  n images -> (n, 1280)

    Images are resized to 224 x 224 (bicubic) and scaled as the network was trained: (x - 127) / 128.
    """
    import torch

    weights = lite0_weights(torch.load(file, weights_only=True))

    def features(images: Sequence[np.ndarray]) -> np.ndarray:
        pixels = np.stack([np.asarray(_picture(image).resize((224, 224), 3)) for image in images])  # 3: bicubic
        scaled = (torch.from_numpy(pixels).permute(0, 3, 1, 2).float() - 127.0) / 128.0
        return lite0_features(scaled, weights).numpy()

    return _in_parts(features)


def hugging_face(model: str) -> tuple[Encode, str]:
    """The pooled output if the model has one, else its first (class) token; and the revision of the model."""
    import transformers

    known: Any = transformers  # its image processors have no types
    prepare = known.AutoImageProcessor.from_pretrained(model)
    network = known.AutoModel.from_pretrained(model).eval()

    def features(images: Sequence[np.ndarray]) -> np.ndarray:
        outputs = network(**prepare(images=[_picture(image) for image in images], return_tensors="pt"))
        pooled = getattr(outputs, "pooler_output", None)
        pooled = outputs.last_hidden_state[:, 0] if pooled is None else pooled
        return pooled.flatten(1).float().numpy()

    return _in_parts(features), f"{model}@{getattr(network.config, '_commit_hash', None) or 'folder'}"


def features_of_network(file: str) -> Encode:
    """The inputs of the last linear layer of a network from a file, for images of the size that it was trained on."""
    from dissensus.train.network import find_training_size
    from dissensus.train.network_files import load_network

    network = load_network(file)
    height, width = find_training_size(network) or (32, 32)

    def features(images: Sequence[np.ndarray]) -> np.ndarray:
        pixels = [np.asarray(_picture(image).resize((width, height), 3)) for image in images]  # 3: bicubic
        return network.features(np.stack(pixels)).astype(np.float32)

    return _in_parts(features)


def timm_pooled(model: str) -> Encode:
    """The output of timm with num_classes=0, for images prepared by timm's settings of this model."""
    import torch

    timm: Any = importlib.import_module("timm")
    network = timm.create_model(model, pretrained=True, num_classes=0).eval()
    prepare = timm.data.create_transform(**timm.data.resolve_model_data_config(network), is_training=False)

    def features(images: Sequence[np.ndarray]) -> np.ndarray:
        return network(torch.stack([prepare(_picture(image)) for image in images])).float().numpy()

    return _in_parts(features)


def _in_parts(features: Encode) -> Encode:
    import torch

    def encode(images: Sequence[np.ndarray]) -> np.ndarray:
        starts = range(0, len(images), _AT_ONCE)
        with torch.inference_mode():
            return np.concatenate([features(images[start : start + _AT_ONCE]) for start in starts])

    return encode


def _picture(image: np.ndarray) -> Any:
    from PIL import Image

    return Image.fromarray(image)

"""One epoch of training on 8,000 images of 32 x 32, crop and flip, SGD: our loop against a plain PyTorch loop.

The other loop is a DataLoader over Pillow images with the usual transforms (pad and cut, mirror, to tensor, normalise)
and the usual five lines of PyTorch, on the same network, batch size and number of threads. Both run in turn, several
times, each in a process of its own, and the median ratio counts. Then: which share of a step the augmentation takes.

    python benchmarks/training.py [--threads 1] [--workers 0] [--repeats 3] [-o FILE]
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image, ImageOps
from torch import nn
from torch.utils.data import DataLoader, Dataset

from dissensus.train import NETWORKS, TrainConfig, train_module
from dissensus.train.augment import Pictures, draw_epoch

WARM = 1_000  # images trained on before the clock starts: torch loads parts of itself on the first step
N, MEAN, STD = 8_000, (0.49, 0.48, 0.45), (0.25, 0.24, 0.26)
CONFIG = TrainConfig(epochs=1, device="cpu")
MODELS: dict[str, Callable[[], nn.Module]] = {
    "small": partial(NETWORKS["small"], classes=10),
    "ResNet-8": partial(NETWORKS["resnet110"], classes=10, depth=8),
}


class PillowImages(Dataset[Any]):
    """What a user without torchvision writes; with it, the same steps under other names."""

    def __init__(self, pixels: np.ndarray, labels: np.ndarray) -> None:
        self.pixels, self.labels = pixels, labels
        self.mean, self.std = torch.tensor(MEAN)[:, None, None], torch.tensor(STD)[:, None, None]

    def __len__(self) -> int:
        return len(self.pixels)

    def __getitem__(self, position: int) -> tuple[torch.Tensor, int]:
        picture = ImageOps.expand(Image.fromarray(self.pixels[position]), 4)
        left, top = (int(shift) for shift in torch.randint(0, 9, (2,)))
        picture = picture.crop((left, top, left + 32, top + 32))
        if torch.rand(()) < 0.5:
            picture = ImageOps.mirror(picture)
        x = torch.from_numpy(np.array(picture)).permute(2, 0, 1).float() / 255
        return (x - self.mean) / self.std, int(self.labels[position])


def theirs(name: str, threads: int, workers: int) -> float:
    torch.set_num_threads(threads)
    pixels, labels = random_images()
    their_epoch(name, PillowImages(pixels[:WARM], labels[:WARM]), 0)
    data = PillowImages(pixels, labels)
    started = time.perf_counter()
    their_epoch(name, data, workers)
    return time.perf_counter() - started


def their_epoch(name: str, data: PillowImages, workers: int) -> None:
    module = MODELS[name]()
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
    loader = DataLoader(data, batch_size=CONFIG.batch, shuffle=True, num_workers=workers)
    module.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(module(x), y)
        loss.backward()
        optimizer.step()


def ours(name: str, threads: int, workers: int) -> float:
    torch.set_num_threads(threads)
    pixels, labels = random_images()
    train_module(MODELS[name], pixels[:WARM], labels[:WARM], CONFIG, quiet=True)
    started = time.perf_counter()
    train_module(MODELS[name], pixels, labels, CONFIG, quiet=True)
    return time.perf_counter() - started


def random_images() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.integers(0, 256, (N, 32, 32, 3), dtype=np.uint8), rng.integers(0, 10, N)


def alone(side: Callable[[str, int, int], float], *given: Any) -> float:
    """Seconds of one epoch in a fresh process; what one side does to its process is not done for the other."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(side, *given).result()


def augmentation_share(make: Callable[[], nn.Module], pixels: np.ndarray, steps: int = 20) -> float:
    """Of a step: what crop and flip take beyond fetching and normalising the same images."""
    pictures = Pictures(pixels, MEAN, STD, torch.device("cpu"), CONFIG.crop)
    draw = draw_epoch(CONFIG, 0, pictures)
    module = make().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    labels = torch.zeros(CONFIG.batch, dtype=torch.int64)
    spent = {"augmented": 0.0, "plain": 0.0, "network": 0.0}
    for step in range(steps):
        items = torch.randperm(N)[: CONFIG.batch]
        times = [time.perf_counter()]
        pictures.batch(items)
        times.append(time.perf_counter())
        x = pictures.batch(items, draw)
        times.append(time.perf_counter())
        optimizer.zero_grad()
        nn.functional.cross_entropy(module(x), labels).backward()
        optimizer.step()
        times.append(time.perf_counter())
        if step >= 3:
            for name, seconds in zip(("plain", "augmented", "network"), np.diff(times), strict=True):
                spent[name] += seconds
    return max(spent["augmented"] - spent["plain"], 0) / (spent["augmented"] + spent["network"])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--workers", type=int, default=0, help="loader processes of the plain loop")
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("-o", "--output", type=Path)
    given = options.parse_args()
    torch.set_num_threads(given.threads)
    result: dict[str, Any] = {"threads": given.threads, "workers": given.workers, "images": N}
    for name, make in MODELS.items():
        setting = name, given.threads, given.workers
        pairs = [(alone(theirs, *setting), alone(ours, *setting)) for _ in range(given.repeats)]
        ratio = statistics.median(one / two for one, two in pairs)
        share = augmentation_share(make, random_images()[0])
        speeds = [N / statistics.median(times) for times in zip(*pairs, strict=True)]
        print(
            f"{name:9} their loop {speeds[0]:6.0f} images/s, ours {speeds[1]:6.0f}: {ratio:.2f} times as fast; "
            f"augmentation {share:.1%} of a step"
        )
        result[name] = {
            "theirs, images/s": round(speeds[0]),
            "ours, images/s": round(speeds[1]),
            "ratio": round(ratio, 2),
            "augmentation share": round(share, 4),
        }
    if given.output:
        given.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""How fast a training step of `swift` is, against the fastest arithmetic of this machine, and what limits it.

roof          the faster of a product of matrices and a convolution of 256 channels, in the same number format, with as
              many threads; in float32 the product reaches less than half of a convolution on AMD processors
step          128 images by the recipe `fast`, in `train_module`; its arithmetic is that of convolutions and the linear
              layer, forward and backward, as torch counts it
outside       share of a step that is neither forward, backward nor optimizer: order, augmentation, delivery, checks
shares        of the step by kind of operation, from torch.profiler

Roof and steps are measured in turn, several times, and the fastest counts. Speeds go by processor seconds per thread:
they change little on a busy machine if threads that wait do not spin (OMP_WAIT_POLICY), but several threads in bfloat16
need free cores, as oneDNN's wait for each other by spinning. `load` has the average load.
bfloat16 is measured only if the processor computes in it. Rows of FILE with other settings stay.

    OMP_WAIT_POLICY=passive python benchmarks/roofline.py [--widths 16 32 64] [--threads 1 2] [--repeats 3] [-o FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode

from dissensus.files.whole_files import write_text
from dissensus.train import NETWORKS, TrainConfig, network_recipe, train_module
from dissensus.train.loss import soft_cross_entropy
from dissensus.train.preparing import choose_precision

FORMATS = {"float32": torch.float32, "bfloat16": torch.bfloat16}
STEPS, SIDE, PROFILED = 8, 2048, 4  # steps of an epoch, rows of the matrices, steps under the profiler
MAPS, FILTERS = (128, 256, 16, 16), (256, 256, 3, 3)
# Parts of the names of torch's operations, the first that fits.
KINDS = {
    "convolution": ("conv",),
    "batch norm": ("batch_norm",),
    "GELU": ("gelu",),
    "pooling": ("pool", "amax"),
    "optimizer": ("optimizer", "_foreach"),
    "memory": ("copy", "clone", "contiguous", "empty", "zero", "fill", "resize", "to", "add_"),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--widths", type=int, nargs="+", default=[16, 32, 64])
    options.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("-o", "--output", type=Path)
    given = options.parse_args()
    native = choose_precision("auto", torch.device("cpu"), 32) == "bfloat16"
    known = json.loads(given.output.read_text())["runs"] if given.output and given.output.exists() else []
    rows = {setting_of(row): row for row in known}
    for threads, precision, width in product(given.threads, list(FORMATS) if native else ["float32"], given.widths):
        torch.set_num_threads(threads)
        row = measure(width, threads, precision, given.repeats)
        rows[setting_of(row)] = row
        print(describe(row), flush=True)
        if given.output:
            record = {
                "command": "OMP_WAIT_POLICY=passive python benchmarks/roofline.py",
                "hardware": f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores",
                "torch": torch.__version__,
                "runs": [rows[setting] for setting in sorted(rows)],
            }
            write_text(json.dumps(record, indent=1) + "\n", given.output)


def setting_of(row: dict[str, Any]) -> tuple[int, str, int]:
    return row["threads"], row["precision"], row["width"]


def describe(row: dict[str, Any]) -> str:
    """One line per setting."""
    shares = ", ".join(f"{kind} {share:.0%}" for kind, share in row["shares"].items())
    return (
        f"swift {row['width']}, {row['threads']} threads, {row['precision']}: {row['images/s']:,} images/s, "
        f"{row['GFLOP/s']:,} of {row['roof, GFLOP/s']:,} GFLOP/s ({row['share of the roof']:.0%}); outside the network "
        f"{row['outside']:.1%}; {shares}; load {row['load']}"
    )


def measure(width: int, threads: int, precision: str, repeats: int) -> dict[str, Any]:
    """Measure roof and steps in turn."""
    config = network_recipe("fast", epochs=2, device="cpu", precision=precision).training
    make = partial(NETWORKS["swift"], classes=10, width=width)
    work = count_flops(make, config)
    roofs, epochs = [], []
    for _ in range(repeats):
        roofs.append(roof(FORMATS[precision], threads))
        epochs.append(time_epoch(make, config, threads))
    best = min(epochs, key=lambda epoch: epoch["processor"])
    images, highest = STEPS * config.batch, max(roofs)
    rate = images * work / best["processor"] / 1e9
    return {
        "width": width,
        "threads": threads,
        "precision": precision,
        "images/s": round(images / best["processor"]),
        "images/s by the clock": round(max(images / epoch["clock"] for epoch in epochs)),
        "GFLOP per image": round(work / 1e9, 3),
        "GFLOP/s": round(rate),
        "roof, GFLOP/s": round(highest),
        "share of the roof": round(rate / highest, 3),
        "outside": round(float(np.median([epoch["outside"] for epoch in epochs])), 4),
        "shares": profile_steps(make, config),
        "load": round(os.getloadavg()[0], 1),
    }


def roof(kind: torch.dtype, threads: int) -> float:
    """GFLOP/s of the faster operation: a product of n x n matrices takes 2 n^3, a filter 2 per weight and pixel."""
    a, b = torch.randn(SIDE, SIDE).to(kind), torch.randn(SIDE, SIDE).to(kind)
    maps, filters = (torch.randn(*shape).to(kind, memory_format=torch.channels_last) for shape in (MAPS, FILTERS))
    pixels = MAPS[0] * (MAPS[2] - 2) * (MAPS[3] - 2)
    works: list[tuple[float, Callable[[], Any]]] = [
        (2 * SIDE**3, lambda: a @ b),
        (2 * pixels * filters.numel(), lambda: nn.functional.conv2d(maps, filters)),
    ]
    rates = []
    for operations, work in works * 4:
        started = time.process_time()
        work()
        rates.append(operations * threads / (time.process_time() - started) / 1e9)
    return max(rates)


def random_images(config: TrainConfig) -> tuple[np.ndarray, np.ndarray]:
    rng, n = np.random.default_rng(0), STEPS * config.batch
    return rng.integers(0, 256, (n, 32, 32, 3), dtype=np.uint8), rng.integers(0, 10, n)


def time_epoch(make: Callable[[], nn.Module], config: TrainConfig, threads: int) -> dict[str, float]:
    """Time the second epoch of the training loop, from the end of the first, and what the network takes of it.

    processor  seconds of the processor, by thread
    clock      seconds
    outside    share of the seconds
    """
    ends: list[tuple[float, float, float]] = []
    with clocked_network() as inside:
        pixels, labels = random_images(config)
        train_module(
            make,
            pixels,
            labels,
            config,
            after_epoch=lambda record, network: ends.append((time.process_time(), time.perf_counter(), sum(inside))),
            quiet=True,
        )
    processor, clock, network = (after - before for before, after in zip(*ends, strict=True))
    return {"processor": processor / threads, "clock": clock, "outside": 1 - network / clock}


@contextmanager
def clocked_network() -> Iterator[list[float]]:
    """Collect the seconds of every forward pass, backward pass and step of the optimizer."""
    seconds: list[float] = []

    def clocked(call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **settings: Any) -> Any:
            started = time.perf_counter()
            try:
                return call(*given, **settings)
            finally:
                seconds.append(time.perf_counter() - started)

        return run

    swift = type(NETWORKS["swift"]())
    places = [(swift, "forward"), (torch.Tensor, "backward"), (torch.optim.SGD, "step")]
    before = [getattr(owner, name) for owner, name in places]
    try:
        for (owner, name), call in zip(places, before, strict=True):
            setattr(owner, name, clocked(call))
        yield seconds
    finally:
        for (owner, name), call in zip(places, before, strict=True):
            setattr(owner, name, call)


def steps_by_hand(make: Callable[[], nn.Module], config: TrainConfig) -> Callable[[], None]:
    """Return a function that takes one step on a ready batch, without anything outside the network."""
    module: Any = make()
    module.train().to(memory_format=torch.channels_last)
    x = torch.randn(config.batch, 3, 32, 32).contiguous(memory_format=torch.channels_last)
    targets = torch.eye(10)[torch.randint(0, 10, (config.batch,))]
    optimizer = torch.optim.SGD(module.parameters(), lr=0.01, momentum=config.momentum, nesterov=True)

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=config.precision == "bfloat16"):
            logits = module(x)
        soft_cross_entropy(logits.float(), targets).backward()
        optimizer.step()

    return step


def count_flops(make: Callable[[], nn.Module], config: TrainConfig) -> float:
    """Operations of convolutions and products of matrices in a step, forward and backward, per image."""
    step = steps_by_hand(make, config)
    with FlopCounterMode(display=False) as counter:
        step()
    return float(counter.get_total_flops()) / config.batch


def profile_steps(make: Callable[[], nn.Module], config: TrainConfig) -> dict[str, float]:
    """Shares of a step by kind of operation, the largest first."""
    step = steps_by_hand(make, config)
    step()
    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        for _ in range(PROFILED):
            step()
    spent = dict.fromkeys([*KINDS, "other"], 0.0)
    for event in profiled.key_averages():
        name = event.key.lower()
        kind = next((kind for kind, parts in KINDS.items() if any(part in name for part in parts)), "other")
        spent[kind] += event.self_cpu_time_total
    whole = sum(spent.values())
    return {kind: round(spent[kind] / whole, 3) for kind in sorted(spent, key=lambda kind: -spent[kind])}


if __name__ == "__main__":
    main()

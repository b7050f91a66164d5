"""The Hessian of networks trained on CIFAR-10H: ours against PyHessian's method and curvlinops, in one run.

The networks are six of `studies/deliveries.py`, trained there or here: soft labels, 3 seeds, after the best and the
last epoch, on images held out.

PyHessian's wheel calls a function that torch removed, so its method stands here in a few lines: the gradient with its
graph and a second backward pass for every product, power iteration from a random vector, and the mean of v' H v over
vectors of random signs. Both sides use the same module, batches and threads.

    product     seconds for one Hessian-vector product; curvlinops is left out where it is not installed
    lambda max  seconds until each is within 0.001 of the eigenvalue, as somebody would stop it who knew it; and ours
                until it stops by itself, when that is certain. The eigenvalue is ours at a tolerance of 1e-6. How long
                power iteration takes depends on the gap to the next eigenvalue, so: each of the six networks
    trace       seconds to a standard error of 1 %: seconds and variance of a draw, both measured

Products and trace are those of the first network.

    DISSENSUS_DATA=... python -m benchmarks.curvature [--items 1000] [--threads 1] [--work FOLDER] [-o FILE]
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from dissensus.probe import image_batches, top_eigenvalues, trace
from dissensus.probe.hessian import MEMORY, hessian_of
from dissensus.probe.inputs import ImageBatches
from dissensus.probe.lanczos import lanczos
from dissensus.train.network import Network
from studies.deliveries import Cell, trained

CLOSE, ERROR, SEEDS = 1e-3, 0.01, 3
Batch = tuple[torch.Tensor, torch.Tensor]


class DoubleBackward:
    """Products by a gradient with its graph and a second backward pass, made anew for every product."""

    def __init__(self, module: nn.Module, batches: list[Batch]) -> None:
        self.module, self.batches = module, batches
        self.weights = list(module.parameters())
        self.items = sum(len(targets) for _, targets in batches)

    def product(self, along: list[torch.Tensor]) -> list[torch.Tensor]:
        total = [torch.zeros_like(weight) for weight in self.weights]
        for inputs, targets in self.batches:
            loss = nn.functional.cross_entropy(self.module(inputs), targets, reduction="sum") / self.items
            gradient = torch.autograd.grad(loss, self.weights, create_graph=True)
            for sum_, part in zip(total, torch.autograd.grad(gradient, self.weights, along), strict=True):
                sum_ += part
        return total

    def draw(self, signs: bool) -> list[torch.Tensor]:
        if signs:
            return [torch.randint(0, 2, weight.shape) * 2.0 - 1 for weight in self.weights]
        return [torch.randn(weight.shape) for weight in self.weights]

    def power_iteration(self) -> Iterator[float]:
        vector = self.draw(signs=False)
        while True:
            norm = float(sum((part**2).sum() for part in vector)) ** 0.5
            vector = [part / norm for part in vector]
            after = self.product(vector)
            yield float(sum((one * two).sum() for one, two in zip(vector, after, strict=True)))
            vector = after

    def trace_draw(self) -> float:
        vector = self.draw(signs=True)
        return float(sum((one * two).sum() for one, two in zip(vector, self.product(vector), strict=True)))


def networks(items: int, work: Path) -> Iterator[tuple[str, Network, ImageBatches]]:
    """Networks of the study of deliveries with their names, and batches of images held out."""
    for seed in range(SEEDS):
        training, pixels, people, _, held = trained(Cell("flip", None, seed, "soft"), work)
        for which in ("best", "last"):
            network = getattr(training, which)
            network.module.eval()
            rows = held[:items]
            yield f"seed {seed}, {which}", network, image_batches(network, pixels[rows], people.select(rows))


def seconds(work: Callable[[], Any], repeats: int = 3) -> float:
    work()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def products(network: Network, batches: ImageBatches, theirs: DoubleBackward) -> dict[str, float]:
    result = {"double backward": seconds(lambda: theirs.product(theirs.draw(signs=False)))}
    for name, memory in (("ours, graphs kept", MEMORY), ("ours, nothing kept", 0)):
        with hessian_of(network, batches, memory) as hessian:
            vector = hessian.draw(np.random.default_rng(0))
            result[name] = seconds(lambda: hessian.product(vector))  # noqa: B023 (called at once)
    try:
        from curvlinops import HessianLinearOperator
    except ModuleNotFoundError:
        print("curvlinops is not installed: pip install --no-deps -r benchmarks/peers.txt")
        return result
    matrix = HessianLinearOperator(
        network.module, nn.CrossEntropyLoss(), theirs.weights, theirs.batches, check_deterministic=False
    )
    along = theirs.draw(signs=False)
    return result | {"curvlinops": seconds(lambda: matrix @ along)}


def eigenvalue(network: Network, batches: ImageBatches, theirs: DoubleBackward) -> dict[str, Any]:
    top = top_eigenvalues(network, batches, 2, np.random.default_rng(1), tolerance=1e-6).value
    truth = float(top[0])

    def is_close(value: float) -> bool:
        return abs(value - truth) <= CLOSE * truth

    started = time.perf_counter()
    count = next(count for count, value in enumerate(theirs.power_iteration(), 1) if is_close(value))
    power = time.perf_counter() - started
    rng = np.random.default_rng(2)
    started = time.perf_counter()
    with hessian_of(network, batches) as hessian:
        next(part for part in lanczos(hessian.product, hessian.draw(rng), 200, rng) if is_close(part.ritz[-1]))
        known, products = time.perf_counter() - started, hessian.products
    started = time.perf_counter()
    result = top_eigenvalues(network, batches, 1, np.random.default_rng(2), tolerance=CLOSE)
    alone = time.perf_counter() - started
    return {
        "value": truth, "next, as a share": float(top[1] / top[0]), "power iteration, products": count,
        "power iteration, seconds": power, "ours, products": products, "ours, seconds": known,
        "ours until it stops, products": result.products, "ours until it stops, seconds": alone,
        "ratio": power / known, "ratio, until it stops": power / alone,
    }  # fmt: skip


def whole_trace(network: Network, batches: ImageBatches, theirs: DoubleBackward) -> dict[str, Any]:
    started = time.perf_counter()
    draws = np.array([theirs.trace_draw() for _ in range(30)])
    each = (time.perf_counter() - started) / draws.size
    plain = each * float(draws.var(ddof=1)) / (ERROR * float(draws.mean())) ** 2
    result: dict[str, Any] = {"hutchinson": float(draws.mean()), "hutchinson, seconds to 1 %": plain}
    for method in ("fisher", "grouped"):
        started = time.perf_counter()
        ours = trace(network, batches, np.random.default_rng(0), method=method, tolerance=ERROR)  # type: ignore[arg-type]
        took = time.perf_counter() - started
        if ours.error:  # few items are exact
            took *= (ours.error / (ERROR * ours.value)) ** 2
        result |= {method: ours.value, f"{method}, seconds to 1 %": took, f"ratio, {method}": plain / took}
    return result


def table(result: dict[str, Any]) -> str:
    """The largest eigenvalue of each network, as the page on probes shows it."""
    head = ("network", "next eigenvalue", "power iteration", "ours", "times as fast", "ours until it stops",
            "times as fast")  # fmt: skip
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for name, run in result["lambda max"].items():
        cells = [f"{run[f'{which}, products']} products, {run[f'{which}, seconds']:.1f} s"
                 for which in ("power iteration", "ours", "ours until it stops")]  # fmt: skip
        lines.append(f"| {name} | {run['next, as a share']:.2f} | {cells[0]} | {cells[1]} | {run['ratio']:.1f} | "
                     f"{cells[2]} | {run['ratio, until it stops']:.1f} |")  # fmt: skip
    return "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--items", type=int, default=1_000)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--work", type=Path, default=Path(".studies/deliveries"), help="networks trained already")
    options.add_argument("-o", "--output", type=Path)
    given = options.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(0)
    result: dict[str, Any] = {
        "command": f"python -m benchmarks.curvature --items {given.items} --threads {given.threads}",
        "hardware": platform.machine(), "torch": torch.__version__, "lambda max": {},
    }  # fmt: skip
    for name, network, batches in networks(given.items, given.work):
        theirs = DoubleBackward(network.module, list(batches))
        if "product" not in result:
            result |= {"network": repr(network), "product": products(network, batches, theirs),
                       "trace": whole_trace(network, batches, theirs)}  # fmt: skip
        result["lambda max"][name] = eigenvalue(network, batches, theirs)
    ratios = [run["ratio"] for run in result["lambda max"].values()]
    result["lambda max, median ratio"] = statistics.median(ratios)
    result["product"] |= {f"ratio, {name}": result["product"][name] / result["product"]["ours, graphs kept"]
                          for name in ("double backward", "curvlinops") if name in result["product"]}  # fmt: skip
    print(json.dumps(result, indent=1))
    if given.output:
        given.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()

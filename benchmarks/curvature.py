"""The Hessian of networks trained on CIFAR-10H: ours against PyHessian's method and curvlinops, in one run.

The networks are six of `studies/deliveries.py`, trained there or here: soft labels, 3 seeds, after the best and the
last epoch, on images held out.

PyHessian's wheel calls a function that torch removed, so its method stands here in a few lines: the gradient with its
graph and a second backward pass for every product, power iteration from a random vector, and the mean of v' H v over
vectors of random signs. Both sides use the same module, batches and threads.

    product     seconds for one Hessian-vector product; curvlinops is left out where it is not installed
    lambda max  seconds until each is within 0.001 of the eigenvalue, as somebody would stop it who knew it, and until
                it stops by itself. The eigenvalue is ours at a tolerance of 1e-6. How long power iteration takes
                depends on the gap to the next eigenvalue and on the luck of its random start, so: each of the six
                networks, and the mean over 5 starts for both methods. PyHessian stops when two estimates differ by
                less than 0.001 and gives the one before; here it is the later of the two, which is nearer
    trace       seconds to a standard error of 1%: seconds and variance of a draw, both measured

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
from studies.deliveries import Cell, commit, train_cell

CLOSE, ERROR, SEEDS, STARTS = 1e-3, 0.01, 3, 5
METHODS = ("power iteration", "lanczos")
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
        training, pixels, people, _, held = train_cell(Cell("flip", None, seed, "soft"), work)
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
    """Each method from several random starts, in turn."""
    top = top_eigenvalues(network, batches, 2, np.random.default_rng(1000), tolerance=1e-6).value
    truth = float(top[0])
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in METHODS}
    for start in range(STARTS):
        runs["power iteration"].append(time_estimate(by_power(theirs), truth))
        runs["lanczos"].append(time_estimate(by_lanczos(network, batches, np.random.default_rng(start)), truth))
    result: dict[str, Any] = {"value": truth, "next, as a share": float(top[1] / top[0]), "starts": runs}
    mean = {
        name: {key: statistics.fmean(run[key] for run in several) for key in several[0]}
        for name, several in runs.items()
    }
    ours, peer = mean["lanczos"], mean["power iteration"]["seconds"]
    result |= {"ratio": peer / ours["seconds"], "ratio, until it stops": peer / ours["until it stops"]}
    middle = {name: statistics.median(run["seconds"] for run in several) for name, several in runs.items()}
    return result | mean | {"ratio of medians": middle["power iteration"] / middle["lanczos"]}


Progress = Iterator[tuple[float, bool]]  # an estimate after each product, and whether the method stops there


def time_estimate(progress: Progress, truth: float) -> dict[str, float]:
    """Seconds and products until an estimate is close, and until the method stops; how far off it is then."""
    started = time.perf_counter()
    run: dict[str, float] = {}
    for count, (value, stops) in enumerate(progress, 1):
        now = time.perf_counter() - started
        if "seconds" not in run and abs(value - truth) <= CLOSE * truth:
            run |= {"products": count, "seconds": now}
        if "until it stops" not in run and stops:
            run |= {"products until it stops": count, "until it stops": now, "off": abs(value - truth) / truth}
        if len(run) == 5:
            return run
    raise RuntimeError("the method ended before it was close, or before it stopped")


def by_power(theirs: DoubleBackward) -> Progress:
    before = None
    for value in theirs.power_iteration():
        yield value, before is not None and abs(before - value) / (abs(before) + 1e-6) < CLOSE
        before = value


def by_lanczos(network: Network, batches: ImageBatches, rng: np.random.Generator) -> Progress:
    with hessian_of(network, batches) as hessian:
        for part in lanczos(hessian.product, hessian.draw(rng), 200, rng):
            yield part.ritz[-1], part.errors[-1] <= CLOSE * part.ritz[-1]


def whole_trace(network: Network, batches: ImageBatches, theirs: DoubleBackward) -> dict[str, Any]:
    started = time.perf_counter()
    draws = np.array([theirs.trace_draw() for _ in range(30)])
    each = (time.perf_counter() - started) / draws.size
    plain = each * float(draws.var(ddof=1)) / (ERROR * float(draws.mean())) ** 2
    result: dict[str, Any] = {"hutchinson": float(draws.mean()), "hutchinson, seconds to 1%": plain}
    for method in ("fisher", "grouped"):
        started = time.perf_counter()
        ours = trace(network, batches, np.random.default_rng(0), method=method, tolerance=ERROR)  # type: ignore[arg-type]
        took = time.perf_counter() - started
        if ours.error:  # few items are exact
            took *= (ours.error / (ERROR * ours.value)) ** 2
        result |= {method: ours.value, f"{method}, seconds to 1%": took, f"ratio, {method}": plain / took}
    return result


def table(result: dict[str, Any]) -> str:
    """The largest eigenvalue of each network, as the page on probes shows it."""
    head = (
        "network",
        "next eigenvalue",
        "power iteration",
        "Lanczos",
        "times as fast",
        "by the median start",
        "PyHessian until it stops",
        "Lanczos until it stops",
    )
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for name, run in result["lambda max"].items():
        close = {which: f"{run[which]['products']:.1f} products, {run[which]['seconds']:.1f} s" for which in METHODS}
        stop = {
            which: f"{run[which]['products until it stops']:.1f} products, {run[which]['until it stops']:.1f} s, "
            f"off by {100 * run[which]['off']:.2g}%"
            for which in METHODS
        }
        lines.append(
            f"| {name} | {run['next, as a share']:.2f} | {close['power iteration']} | {close['lanczos']} | "
            f"{run['ratio']:.1f} | {run['ratio of medians']:.1f} | "
            f"{' | '.join(stop.values())} |"
        )
    return "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--items", type=int, default=1_000)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--work", type=Path, default=Path(".studies/deliveries"), help="folder of trained networks")
    options.add_argument("-o", "--output", type=Path)
    given = options.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(0)
    result: dict[str, Any] = {
        "command": f"python -m benchmarks.curvature --items {given.items} --threads {given.threads}",
        "commit": commit(),
        "hardware": platform.machine(),
        "torch": torch.__version__,
        "lambda max": {},
    }
    for name, network, batches in networks(given.items, given.work):
        theirs = DoubleBackward(network.module, list(batches))
        if "product" not in result:
            result |= {
                "network": repr(network),
                "product": products(network, batches, theirs),
                "trace": whole_trace(network, batches, theirs),
            }
        result["lambda max"][name] = eigenvalue(network, batches, theirs)
    for ratio in ("ratio", "ratio of medians", "ratio, until it stops"):
        several = [run[ratio] for run in result["lambda max"].values()]
        result[f"lambda max, median {ratio}"] = statistics.median(several)
    result["product"] |= {
        f"ratio, {name}": result["product"][name] / result["product"]["ours, graphs kept"]
        for name in ("double backward", "curvlinops")
        if name in result["product"]
    }
    print(json.dumps(result, indent=1))
    if given.output:
        given.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()

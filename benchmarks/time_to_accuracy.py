"""Time until a network is good: the recipe `fast` against plain training, by the clock and by the processor.

accuracy  CIFAR-10, 50,000 training images with their classes, 10,000 test images: time to 85%, 90% and 94%. The plain
          side is a DataLoader over Pillow images with the usual lines of PyTorch (benchmarks/training.py), with the
          settings of `TrainConfig`
people    CIFAR-10H, 8,000 images with soft labels, 2,000 others: time to the lowest soft NLL. The plain side is
          `train_module` with the settings of `TrainConfig`

Evaluation is not counted. Each run has a file in `--work` with its curve, written after every epoch, and the record has
all runs and the times of each. Rerun a command to resume: an epoch that was interrupted counts as long as the longest
one before it. Epochs and times of different sides are chosen by the user, since a schedule has to end within a budget.

About ten minutes of two cores with AVX-512 BF16, then twice that:

    python -m benchmarks.time_to_accuracy accuracy fast --width 32 --epochs 24 --crop 2
    python -m benchmarks.time_to_accuracy accuracy fast --width 64 --epochs 8 --crop 2

About one hour:

    python -m benchmarks.time_to_accuracy accuracy fast --width 64 --epochs 24 --crop 2

The plain sides at equal accuracy, and people (30 epochs of `fast` against 60 of the networks of the documentation):

    python -m benchmarks.time_to_accuracy accuracy plain --network small --epochs 60
    python -m benchmarks.time_to_accuracy accuracy plain --network resnet18 --width 16 --epochs 60
    python -m benchmarks.time_to_accuracy people fast --width 16 --epochs 30
    python -m benchmarks.time_to_accuracy people plain --network small --epochs 60
    python -m benchmarks.time_to_accuracy people plain --network resnet18 --width 16 --epochs 60

Options: [--images N] [--threads T] [--seed S] [--work FOLDER] [-o FILE]; needs DISSENSUS_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from benchmarks.training import MEAN, STD, PillowImages
from dissensus.datasets import images, load
from dissensus.deliver import Delivery, smoothed, soft
from dissensus.evaluate import soft_nll
from dissensus.files.whole_files import whole_or_not, write_text
from dissensus.labels.distributions import Distributions
from dissensus.train import TrainConfig, network_recipe, train_module
from dissensus.train.network import Network
from dissensus.train.networks.catalogue import make_network
from dissensus.train.pretraining import class_targets
from dissensus.train.schedules import rate_of
from dissensus.train.splits import hold_out

TARGETS = (0.85, 0.90, 0.94)
ALIKE = ("comparison", "images", "threads")  # of two runs that can be compared
SMOOTHING = 0.2  # of classes, by the recipe `fast`
HELD_OUT = 0.2  # of the images of CIFAR-10H
RECORD = Path(__file__).parent / "results" / "time_to_accuracy.json"


@dataclass(frozen=True)
class Task:
    """Images and targets to train on, and images and people's distributions or classes to score by."""

    pixels: np.ndarray
    classes: np.ndarray
    targets: Delivery
    unseen: np.ndarray
    truth: np.ndarray


@dataclass
class Curve:
    """Scores by epoch, with the seconds of training until then; written to a file after every epoch.

    place   of the file
    facts   what tells this run from others
    epochs  records so far
    """

    place: Path
    facts: dict[str, Any]
    epochs: list[dict[str, float]] = field(default_factory=list)
    resumed: bool = False

    def __post_init__(self) -> None:
        if self.place.exists():
            self.epochs = json.loads(self.place.read_text(encoding="utf-8"))["epochs"]
            self.resumed = bool(self.epochs)
        self.begin()

    def begin(self) -> None:
        """Start the clock."""
        self.clock, self.processor = time.perf_counter(), time.process_time()

    def add(self, epoch: int, probs: Callable[[], np.ndarray], task: Task) -> None:
        """Stop the clock, score an epoch, which may be one that was interrupted after its score, and start it again."""
        spent = {"clock": time.perf_counter() - self.clock, "processor": time.process_time() - self.processor}
        del self.epochs[epoch - 1 :]
        before = self.epochs[-1] if self.epochs else dict.fromkeys(spent, 0.0)
        if self.resumed:
            spent = {name: max(spent[name], self._longest(name)) for name in spent}
            self.resumed = False
        guess = probs()
        self.epochs.append(
            {name: round(before[name] + spent[name], 2) for name in spent}
            | {
                "accuracy": round(float((guess.argmax(axis=1) == task.truth.argmax(axis=1)).mean()), 4),
                "soft NLL": round(float(soft_nll(guess, task.truth).mean()), 4),
                "load": round(os.getloadavg()[0], 1),
            }
        )
        write_text(json.dumps(self.facts | {"epochs": self.epochs}), self.place)
        print(f"{self.place.stem}: epoch {len(self.epochs)}: {self.epochs[-1]}", flush=True)
        self.begin()

    def _longest(self, name: str) -> float:
        return float(np.diff([0.0, *(epoch[name] for epoch in self.epochs)]).max(initial=0.0))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("comparison", choices=["accuracy", "people"])
    options.add_argument("side", choices=["fast", "plain"])
    options.add_argument("--network", help="of the plain side", default="small")
    options.add_argument("--width", type=int)
    options.add_argument("--epochs", type=int, required=True)
    options.add_argument("--crop", type=int, default=4)
    options.add_argument("--images", type=int, help="train on so many")
    options.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--work", type=Path, default=Path(".studies") / "time_to_accuracy")
    options.add_argument("-o", "--output", type=Path, default=RECORD)
    given = options.parse_args()
    torch.set_num_threads(given.threads)
    network = "swift" if given.side == "fast" else given.network
    facts = {name: value for name, value in vars(given).items() if name not in ("work", "output")}
    facts |= {
        "network": network,
        "torch": torch.__version__,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }
    name = "-".join(str(facts[part]) for part in ("comparison", "side", "network", "width", "epochs", "crop", "seed"))
    given.work.mkdir(parents=True, exist_ok=True)
    place = given.work / f"{name}-{given.images or 'all'}-{given.threads}.json"
    task = (classes_task if given.comparison == "accuracy" else people_task)(given.images, given.seed)
    make = partial(make_network, network, 10, width=given.width)
    loop = {"epochs": given.epochs, "crop": given.crop, "seed": given.seed, "device": "cpu"}
    config = network_recipe("fast", **loop).training if given.side == "fast" else TrainConfig(**loop)
    curve = Curve(place, facts | {"settings": asdict(config)})
    if len(curve.epochs) < given.epochs:
        if given.comparison == "accuracy" and given.side == "plain":
            train_plainly(make, task, config, curve)
        else:
            targets = smoothed(task.targets, SMOOTHING) if given.comparison == "accuracy" else task.targets
            train_ours(make, task, targets, config, curve)
    write_record(given.work, given.output)


def classes_task(n: int | None, seed: int) -> Task:
    train, test = images("cifar10", "train", quiet=True), images("cifar10", "test", quiet=True)
    some = np.random.default_rng(seed).permutation(len(train.labels))[:n]
    pixels, classes = train.pixels[some], train.labels[some]
    return Task(pixels, classes, class_targets(classes, train.classes), test.pixels, np.eye(10)[test.labels])


def people_task(n: int | None, seed: int) -> Task:
    people, pixels = load("cifar10h").labels, images("cifar10", "test", quiet=True).pixels
    assert isinstance(people, Distributions)
    train, held = hold_out(people.n_items, HELD_OUT, seed, "images")
    train = train[:n]
    shares = people.select(train)
    return Task(pixels[train], shares.probs.argmax(axis=1), soft(shares), pixels[held], people.select(held).probs)


def train_ours(make: Callable[[], nn.Module], task: Task, targets: Delivery, config: TrainConfig, curve: Curve) -> None:
    """`train_module`, whose checkpoints are of no use without a finished epoch."""
    state = curve.place.with_suffix(".training")
    if not curve.epochs and state.exists():
        for file in state.iterdir():
            file.unlink()

    def after_epoch(record: dict[str, float], network: Network) -> None:
        curve.add(int(record["epoch"]), lambda: network.probs(task.unseen), task)

    train_module(make, task.pixels, targets, config, checkpoint=state, save_every=60, after_epoch=after_epoch)


def train_plainly(make: Callable[[], nn.Module], task: Task, config: TrainConfig, curve: Curve) -> None:
    """The usual lines of PyTorch, with the state saved after every epoch."""
    torch.manual_seed(config.seed)
    module = make()
    optimizer = torch.optim.SGD(
        module.parameters(), lr=config.learning_rate, momentum=config.momentum, weight_decay=config.weight_decay
    )
    state = curve.place.with_suffix(".pt")
    done = 0
    if state.exists():
        saved = torch.load(state, weights_only=True)
        done = saved["epochs"]
        module.load_state_dict(saved["module"])
        optimizer.load_state_dict(saved["optimizer"])
    loader = DataLoader(PillowImages(task.pixels, task.classes), batch_size=config.batch, shuffle=True)
    curve.begin()
    for epoch in range(done, config.epochs):
        for group in optimizer.param_groups:
            group["lr"] = rate_of(config, epoch, [])
        module.train()
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(module(x), y).backward()
            optimizer.step()
        network = Network(module.eval(), tuple(map(str, range(10))), MEAN, STD)
        curve.add(epoch + 1, lambda network=network: network.probs(task.unseen), task)  # type: ignore[misc]
        saved = {"module": module.state_dict(), "optimizer": optimizer.state_dict(), "epochs": epoch + 1}
        whole_or_not(state, lambda file, saved=saved: torch.save(saved, file))  # type: ignore[misc]
        curve.begin()


def write_record(work: Path, output: Path) -> None:
    """Collect the curves of all runs, with the times that count."""
    runs = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(work.glob("*.json"))]
    for run in runs:
        run["times"] = times_of(run["comparison"], run["epochs"])
    write_text(json.dumps({"runs": runs, "ratios": list(compare(runs))}, indent=1) + "\n", output)
    for line in compare(runs):
        print(line)


def times_of(comparison: str, epochs: list[dict[str, float]]) -> dict[str, Any]:
    """Seconds by the clock and by the processor until each accuracy (None: not reached), or the lowest soft NLL."""
    if comparison == "accuracy":
        return {f"{target:.0%}": reach(epochs, "accuracy", target) for target in TARGETS}
    lowest = min(epoch["soft NLL"] for epoch in epochs)
    return {f"soft NLL {lowest}": reach(epochs, "soft NLL", lowest)}


def reach(epochs: list[dict[str, float]], score: str, goal: float) -> dict[str, float] | None:
    """The seconds until the first epoch that is as good as the goal; a lower soft NLL is better."""
    sign = -1 if score == "soft NLL" else 1
    good = (epoch for epoch in epochs if sign * epoch[score] >= sign * goal)
    return next(({clock: epoch[clock] for clock in ("clock", "processor")} for epoch in good), None)


def compare(runs: list[dict[str, Any]]) -> Iterable[str]:
    """Compare each plain run with the runs of `fast` on as many images: the shortest time to the plain run's best."""
    for plain in (run for run in runs if run["side"] == "plain"):
        score, best_of = ("accuracy", max) if plain["comparison"] == "accuracy" else ("soft NLL", min)
        goal = best_of(epoch[score] for epoch in plain["epochs"])
        same = [run for run in runs if run["side"] == "fast" and all(run[name] == plain[name] for name in ALIKE)]
        times = [time for run in same if (time := reach(run["epochs"], score, goal)) is not None]
        long = reach(plain["epochs"], score, goal)
        if times and long is not None:
            short = min(times, key=lambda time: time["processor"])
            factors = ", ".join(f"{long[name] / short[name]:.1f} by the {name}" for name in short)
            yield f"{plain['network']} reaches {score} {goal}; fast reaches it sooner by a factor of {factors}"


if __name__ == "__main__":
    main()

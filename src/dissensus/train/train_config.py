"""How a network is trained, and everything its seed decides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.labels.refusals import Refusal, Way
from dissensus.labels.settings import LARGEST_SEED, check_settings, document_settings, setting
from dissensus.labels.streams import Stream, stream, stream_word

OPTIMIZERS = ("sgd", "adam", "adamw")
SCHEDULES = ("cosine", "steps", "plateau", "constant", "triangle")
BORDERS = ("black", "reflect")
PRECISIONS = ("auto", "float32", "bfloat16")
SAVE_EVERY = 30.0  # seconds between two saves of the state of training


@document_settings
@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """How to train a network; the defaults are the protocol of Gheibi 2026, sec. 4.

    The schedule sets the learning rate before every epoch, triangle before every step:

        cosine    rate (1 + cos(pi epoch / epochs)) / 2
        steps     rate factor^(number of milestones reached)
        plateau   multiplied by factor after more than plateau_patience epochs in a row without a validation loss
                  0.01% below the lowest
        constant  rate
        triangle  rises from 0 to rate over the share `warmup` of all steps, then falls to 0, both in a line

    With gradient accumulation the gradient is that of the whole batch, but batch norm sees the parts.

    Examples
    --------
    >>> TrainConfig(epochs=8, schedule="steps", milestones=[4, 6]).milestones
    (4, 6)
    """

    epochs: int = setting(200, "Passes over the items", low=1)
    batch: int = setting(128, "Items per step; a last batch of a single item joins the one before", low=1)
    optimizer: str = setting("sgd", "Optimizer", among=OPTIMIZERS)
    learning_rate: float = setting(0.1, "Learning rate at the start", low=0)
    momentum: float = setting(0.9, "Momentum of sgd", low=0, below=1)
    nesterov: bool = setting(False, "Use Nesterov momentum with sgd")
    weight_decay: float = setting(5e-4, "Weight decay", low=0)
    schedule: str = setting("cosine", "Schedule of the learning rate", among=SCHEDULES)
    milestones: tuple[int, ...] = setting(
        (), "Epochs after which the schedule steps lowers the rate, as in 50,55", low=1
    )
    factor: float = setting(0.1, "Factor by which steps and plateau multiply the rate", low=0, below=1)
    warmup: float = setting(0.25, "Share of the steps in which triangle raises the rate", low=0, high=1)
    plateau_patience: int = setting(10, "Epochs without an improvement that plateau tolerates", low=0)
    crop: int = setting(4, "Shift each image by at most this many pixels to each side; 0: never", low=0)
    border: str = setting("black", "What a shift brings in from outside the image", among=BORDERS)
    flip: bool = setting(True, "Mirror half of the images left to right, drawn for every epoch")
    alternate_flip: bool = setting(False, "With flip, mirror each image in every other epoch, not at random")
    cutout: int = setting(0, "Side of a square of mean colour put on each image; 0: none", low=0)
    patience: int | None = setting(
        None, "Stop after this many epochs in a row without a lower soft NLL on the held-out items", low=1
    )
    min_delta: float = setting(0.0, "Smallest decrease of the validation loss that counts for patience", low=0)
    accumulate: int = setting(1, "Gradient-accumulation steps: parts of two items or more per batch", low=1)
    precision: str = setting(
        "auto",
        "Number format; auto uses bfloat16 on GPUs, and on CPUs with AVX-512 BF16 for images of 32 pixels or more",
        among=PRECISIONS,
    )
    channels_last: bool = setting(True, "Store images with channels last, which is faster on most devices")
    compile: bool = setting(False, "Compile the network with torch.compile, which takes a minute or more first")
    device: str = setting("auto", "Device: cpu, cuda, cuda:1, mps, or auto for the best available")
    seed: int = setting(
        0, "Random seed for held-out items, delivery, weights, order and augmentation", low=0, high=LARGEST_SEED
    )

    def __post_init__(self) -> None:
        check_settings(self)
        self._check_schedule()
        if self.accumulate > max(1, self.batch // 2):
            raise Refusal(
                f"{{accumulate}}: expected at most {max(1, self.batch // 2)} for a batch of {self.batch}, since each "
                "part has two items or more",
                accumulate=self.accumulate,
            )

    def _check_schedule(self) -> None:
        if self.milestones and self.schedule != "steps":
            raise Refusal(
                f"{{milestones}}: the schedule is {self.schedule!r}, and milestones are for the schedule 'steps'",
                milestones=list(self.milestones),
            )
        if self.schedule == "steps" and not self.milestones:
            way = Way("add {milestones}", milestones=[50, 55])
            raise Refusal("{schedule} needs milestones", ways=[way], schedule="steps")
        for milestone in self.milestones:
            if milestone >= self.epochs:
                raise Refusal(
                    f"{{milestones}}: expected whole numbers from 1 to {self.epochs - 1}, since there are "
                    f"{self.epochs} epochs",
                    milestones=list(self.milestones),
                )
        if self.nesterov and not (self.optimizer == "sgd" and self.momentum > 0):
            raise Refusal("{nesterov} needs the optimizer 'sgd' with momentum above 0", nesterov=True)


def weight_seed(seed: int) -> int:
    """What torch is seeded with before a network is made."""
    return stream_word(seed, Stream.WEIGHTS)


def step_seed(seed: int, epoch: int, step: int) -> int:
    """What torch is seeded with before a step, so that dropout does not depend on what came before."""
    return stream_word(seed, Stream.STEP, epoch, step)


def augmentation_rng(seed: int, epoch: int) -> np.random.Generator:
    return stream(seed, Stream.AUGMENTATION, epoch)


def flip_rng(seed: int) -> np.random.Generator:
    """Decides which images alternate_flip mirrors first."""
    return stream(seed, Stream.FLIP)

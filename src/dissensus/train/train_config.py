"""How a network is trained, and everything its seed decides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.deliver.delivery import checked_seed

OPTIMIZERS = ("sgd", "adam", "adamw")
SCHEDULES = ("cosine", "steps", "plateau", "constant")
PRECISIONS = ("auto", "float32", "bfloat16")
SAVE_EVERY = 30.0  # seconds between two saves of the state of training


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """How to train a network; the defaults are the protocol of Gheibi 2026, sec. 4.

    epochs            passes over the items
    batch             items per step; the last batch of an epoch may be smaller, and a single item joins the one before
    optimizer         "sgd", "adam" or "adamw", as torch has them; momentum and nesterov are for "sgd"
    schedule          of the learning rate, set anew before every epoch:
                      "cosine"    rate (1 + cos(pi epoch / epochs)) / 2
                      "steps"     rate factor^(number of milestones reached)
                      "plateau"   multiplied by factor whenever more than plateau_patience epochs in a row had no
                                  validation loss that was 0.01 % below the lowest
                      "constant"  rate
    milestones        epochs before which "steps" lowers the rate: (50, 55) after 50 and after 55 epochs
    crop              each image is shifted by at most this many pixels to each side, black where nothing was; 0: never
    flip              half of the images are mirrored left to right, drawn anew in every epoch
    cutout            side of a square of mean colour laid somewhere on each image, cut at the edges; 0: none
    patience          stop after this many epochs in a row in which the validation loss did not fall by more than
                      `min_delta` below the best so far; None never stops early
    accumulate        a batch goes through the network in so many parts of two items or more, where memory is scarce;
                      its gradient stays that of the whole batch, but batch norm sees the parts
    precision         "float32", "bfloat16" (mixed, by autocast), or "auto": bfloat16 where the device gains by it
    channels_last     order of the numbers in memory; faster on most devices
    compile           through torch.compile, which takes a minute or more first
    device            "cpu", "cuda", "cuda:1", "mps", or "auto": the best there is
    seed              decides initial weights, order of items, augmentation and dropout; not the delivery, which has its
                      own
    """

    epochs: int = 200
    batch: int = 128
    optimizer: str = "sgd"
    learning_rate: float = 0.1
    momentum: float = 0.9
    nesterov: bool = False
    weight_decay: float = 5e-4
    schedule: str = "cosine"
    milestones: tuple[int, ...] = ()
    factor: float = 0.1
    plateau_patience: int = 10
    crop: int = 4
    flip: bool = True
    cutout: int = 0
    patience: int | None = None
    min_delta: float = 0.0
    accumulate: int = 1
    precision: str = "auto"
    channels_last: bool = True
    compile: bool = False
    device: str = "auto"
    seed: int = 0

    def __post_init__(self) -> None:
        for name, known in (("optimizer", OPTIMIZERS), ("schedule", SCHEDULES), ("precision", PRECISIONS)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} is {getattr(self, name)!r}; expected one of {', '.join(map(repr, known))}")
        least = {"epochs": 1, "batch": 1, "plateau_patience": 0, "crop": 0, "cutout": 0, "accumulate": 1}
        if self.patience is not None:
            least["patience"] = 1
        for name, bound in least.items():
            if not _is_whole(getattr(self, name), bound):
                raise ValueError(f"{name} is {getattr(self, name)!r}; expected a whole number of {bound} or more")
        for name, high in (
            ("learning_rate", np.inf),
            ("momentum", 1.0),
            ("weight_decay", np.inf),
            ("factor", 1.0),
            ("min_delta", np.inf),
        ):
            number = getattr(self, name)
            if not 0 <= number < high:
                raise ValueError(f"{name} is {number!r}; expected 0 or more and below {high:g}")
        self._check_schedule()
        if self.accumulate > max(1, self.batch // 2):
            raise ValueError(
                f"accumulate is {self.accumulate}: a batch of {self.batch} has no so many parts of two items or more"
            )
        checked_seed(self.seed)

    def _check_schedule(self) -> None:
        object.__setattr__(self, "milestones", tuple(self.milestones))
        if bool(self.milestones) != (self.schedule == "steps"):
            raise ValueError(
                f"the schedule is {self.schedule!r} and milestones are {self.milestones}; milestones are the epochs of "
                "the schedule 'steps', which needs them"
            )
        for milestone in self.milestones:
            if not _is_whole(milestone, 1) or milestone >= self.epochs:
                raise ValueError(
                    f"milestone {milestone!r} lies outside the {self.epochs} epochs; expected whole numbers from 1 to "
                    f"{self.epochs - 1}"
                )
        if self.nesterov and not (self.optimizer == "sgd" and self.momentum > 0):
            raise ValueError("nesterov needs the optimizer 'sgd' with momentum above 0")


def _is_whole(number: object, bound: int) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool) and bool(number >= bound)


def weight_seed(seed: int) -> int:
    """What torch is seeded with before a network is made."""
    return _word(seed, 0)


def step_seed(seed: int, epoch: int, step: int) -> int:
    """What torch is seeded with before a step, so that dropout does not depend on what came before."""
    return _word(seed, 4, epoch, step)


def augmentation_rng(seed: int, epoch: int) -> np.random.Generator:
    return np.random.default_rng([seed, 3, epoch])


def _word(*parts: int) -> int:
    return int(np.random.SeedSequence(parts).generate_state(1, np.uint64)[0])

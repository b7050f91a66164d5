"""Checkpoints: the state of training in a folder, from which a killed run resumes to the same bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import nn

from dissensus.files.whole_files import whole_or_not

FORMAT = "dissensus training 1"
STATE = "state.safetensors"
_BEST = re.compile(r"best-\d+\.safetensors")
_UNFINISHED = re.compile(r"\.(state|best-\d+)\.safetensors\..*\.part")
Weights = dict[str, torch.Tensor]


class UnusableStateError(ValueError):
    """A folder without a state that this training can resume from: damaged, or of another training."""


@dataclass
class TrainingProgress:
    """The progress of training, apart from the weights.

    epoch    the one under way, the first is 0
    step     how many steps of it are done
    losses   (steps,) of the epoch under way
    history  one record for each epoch that is done
    best     the weights with the lowest validation loss so far
    """

    epoch: int = 0
    step: int = 0
    losses: torch.Tensor = field(default_factory=lambda: torch.zeros(0))
    history: list[dict[str, float]] = field(default_factory=list)
    best_epoch: int | None = None
    best: Weights = field(default_factory=dict)


class Checkpoint:
    """A folder for one training: `state.safetensors`, and the best weights so far in another file.

    The best weights are written first and under a name of their own, so that the state never refers to missing
    weights. The next save removes the remains of an interrupted one, and other files stay.
    """

    def __init__(self, folder: Path, work: dict[str, Any]) -> None:
        self.folder, self.work = folder, work
        self.kept: int | None = None  # the epoch of the stored weights; a file of that name may be of another training

    def save(self, progress: TrainingProgress, module: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        """Write the state to the folder; if that fails, the state before stays whole."""
        best = None if progress.best_epoch is None else self._best(progress.best_epoch)
        try:
            if best is not None and self.kept != progress.best_epoch:
                if best.exists() and not _is_ours(best):
                    raise ValueError(
                        f"{best}: not a checkpoint of dissensus, and it would be overwritten; move it away"
                    )
                _write(best, progress.best, {})
                self.kept = progress.best_epoch
            about = {
                "work": self.work,
                "epoch": progress.epoch,
                "step": progress.step,
                "history": progress.history,
                "best epoch": progress.best_epoch,
            }
            tensors = {f"module.{name}": value for name, value in module.state_dict().items()}
            for place, entries in optimizer.state_dict()["state"].items():
                tensors |= {f"optimizer.{place}.{name}": value for name, value in entries.items() if value is not None}
            _write(self.folder / STATE, tensors | {"losses": progress.losses}, about)
        except ValueError as problem:
            raise ValueError(
                f"{problem}; the checkpoint before it is intact; free some space and rerun to resume there"
            ) from None
        for old in list(self.folder.iterdir()):
            if _UNFINISHED.fullmatch(old.name) or (_BEST.fullmatch(old.name) and old != best and _is_ours(old)):
                old.unlink()

    def restore(self, module: nn.Module, optimizer: torch.optim.Optimizer) -> TrainingProgress | None:
        """Set module and optimizer to the saved state; None if there is none."""
        if not (self.folder / STATE).exists():
            return None
        tensors, about = _read(self.folder / STATE)
        theirs = about.get("work")
        if not isinstance(theirs, dict) or not isinstance(theirs.get("config"), dict):
            raise _damage_error(self.folder / STATE, "it does not name the training")
        self._check_work(theirs)
        try:
            progress = self._restore(tensors, about, module, optimizer)
        except (KeyError, TypeError, AttributeError, IndexError, RuntimeError) as problem:
            raise _damage_error(self.folder / STATE, f"{type(problem).__name__}: {problem}") from None
        self.kept = progress.best_epoch
        return progress

    def _restore(
        self, tensors: Weights, about: dict[str, Any], module: nn.Module, optimizer: torch.optim.Optimizer
    ) -> TrainingProgress:
        module.load_state_dict(_part(tensors, "module."))
        entries: dict[int, Weights] = {}
        for name, value in _part(tensors, "optimizer.").items():
            place, _, entry = name.partition(".")
            entries.setdefault(int(place), {})[entry] = value
        optimizer.load_state_dict({"state": entries, "param_groups": optimizer.state_dict()["param_groups"]})
        best_epoch = about["best epoch"]
        best = {} if best_epoch is None else _read(self._best(best_epoch))[0]
        shapes = {name: value.shape for name, value in module.state_dict().items()}
        if best_epoch is not None and {name: value.shape for name, value in best.items()} != shapes:
            raise _damage_error(self._best(best_epoch), "it has the weights of another network")
        losses = tensors["losses"].to(next(iter(module.parameters())).device)
        epoch, step, history = about["epoch"], about["step"], about["history"]
        if len(history) != epoch or not 0 <= step <= len(losses):
            raise _damage_error(self.folder / STATE, f"{len(history)} records after {epoch} epochs and {step} steps")
        return TrainingProgress(epoch, step, losses, history, best_epoch, best)

    def _best(self, epoch: int) -> Path:
        return self.folder / f"best-{epoch}.safetensors"

    def _check_work(self, theirs: dict[str, Any]) -> None:
        """Refuse to resume another training."""
        mine = _flat(cast(dict[str, Any], json.loads(json.dumps(self.work))))
        other = _flat(theirs)
        name = next((name for name, value in mine.items() if other.get(name) != value), None)
        if name is None:
            return
        differs = _DIFFER.get(name) or f"{name} was {other.get(name)!r} and is {mine[name]!r}"
        raise UnusableStateError(
            f"{self.folder}: contains another training: {differs}; choose another folder, remove this one, "
            "or repeat its settings"
        )


_DIFFER = {
    "images": "the images differ",
    "targets": "the labels, or how they are delivered, differ",
    "validation": "the items held out, or their labels, differ",
    "weights": "the weights it starts from differ",
    "module": "the network differs",
}


def _flat(work: Mapping[str, Any]) -> dict[str, Any]:
    """Settings first: with another seed other items are held out, and it would seem that the images differ."""
    rest = {name: value for name, value in work.items() if name not in ("config", "module")}
    return {**work["config"], "module": work.get("module"), **rest}


def _part(tensors: Weights, prefix: str) -> Weights:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}


def _write(path: Path, tensors: Weights, about: dict[str, Any]) -> None:
    own = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    # One entry: several would have a different order in every process, and equal work would not give equal bytes.
    content = save(own, metadata={"about": json.dumps({"format": FORMAT} | about)})
    whole_or_not(path, lambda out: cast(None, out.write(content)))


def _read(path: Path) -> tuple[Weights, dict[str, Any]]:
    try:
        with safe_open(path, framework="pt") as content:
            about = json.loads((content.metadata() or {}).get("about", "{}"))
            tensors = {name: content.get_tensor(name) for name in content.keys()}  # noqa: SIM118 (no mapping)
    except (SafetensorError, OSError, ValueError, RecursionError) as problem:
        raise _damage_error(path, problem) from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise UnusableStateError(f"{path}: not a checkpoint of dissensus; choose another folder, or move it away")
    return tensors, about


def _damage_error(path: Path, problem: object) -> ValueError:
    said = " ".join(str(problem).split())  # torch's message has several lines
    return UnusableStateError(f"{path}: not a readable checkpoint ({said}); remove the folder to begin anew")


def _is_ours(path: Path) -> bool:
    """Whether a file was written as a checkpoint, by its header alone."""
    try:
        with safe_open(path, framework="pt") as content:
            return f'"format": "{FORMAT}"' in (content.metadata() or {}).get("about", "")
    except (SafetensorError, OSError):
        return False

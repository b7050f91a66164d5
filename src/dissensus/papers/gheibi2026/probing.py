"""Inside trained models: curvature, gradients, the way between two, features, maps, items from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.evaluate.slices import high_disagreement
from dissensus.files.stored_results import compute_once
from dissensus.papers.gheibi2026.measures import (
    batches_of,
    bends,
    diagnose_sparsity,
    drawn_votes,
    gradient_correlation,
    load_unseen_images,
    map_stability,
    module_of,
    outside_images,
)
from dissensus.papers.gheibi2026.studies import HARD, SHUFFLED, comparisons_of, studies_of
from dissensus.papers.gheibi2026.trained import TrainedCell, load_cells
from dissensus.papers.paper import Scale, Tell
from dissensus.study.read_data import load_data

KEPT = ("best", "last")
BENT = ("soft", *HARD, SHUFFLED)
VERSION = 3


@dataclass(frozen=True)
class Probing:
    """How closely models are looked at.

    items      judged on, at most, for curvature and the way between two models
    outside    images from elsewhere, at most, and as many training images for features and maps
    last       whether the last epoch is probed as well as the best
    tolerance  of eigenvalue and trace, as a share of it
    seeds      of each arm that are looked at, from the first on
    """

    items: int | None
    outside: int
    last: bool
    tolerance: float
    seeds: int


PROBING: dict[Scale, dict[str, Probing]] = {
    "quick": {"heads": Probing(200, 300, False, 0.1, 3)},
    "laptop": {"heads": Probing(500, 2_000, True, 0.05, 10)},
    "overnight": {"swift": Probing(500, 2_000, True, 0.05, 5), "heads": Probing(500, 2_000, True, 0.05, 10)},
    "full": {"resnet18": Probing(None, 10_000, True, 0.01, 10), "heads": Probing(500, 2_000, True, 0.05, 10)},
}


def settings_of_probing(model: str, scale: Scale) -> dict[str, Any]:
    """All that decides what is measured, besides the models themselves."""
    return {"model": model, "version": VERSION, **asdict(PROBING[scale][model])}


def probe_models(
    model: str, scale: Scale, study: str, folder: Path, needs: Mapping[str, Path], tell: Tell
) -> dict[str, dict[str, Any]]:
    """Probe the models of one study after their best epoch and the last; each model is stored as it is done."""
    kept = KEPT if PROBING[scale][model].last else KEPT[:1]
    measured = {}
    for at, keep in enumerate(kept):

        def within(share: float, at: int = at) -> None:
            tell((at + share) / len(kept))

        measured[keep] = _Look(model, scale, study, keep, folder, needs[f"{model}-{study}"], within).numbers()
    return measured


class _Look:
    """The models of one study after the best or the last epoch, and what is read off them."""

    def __init__(
        self, model: str, scale: Scale, study: str, keep: str, folder: Path, trained: Path, tell: Tell
    ) -> None:
        self.model, self.keep, self.tell = model, keep, tell
        self.folder, self.trained = folder / "measured", trained
        self.probing, self.study = PROBING[scale][model], studies_of(model, scale)[study]
        self.ks = comparisons_of(model, scale)[study]
        (self.data,) = load_data(self.study, say=lambda notice: None).values()
        self.settings = settings_of_probing(model, scale)

    @cached_property
    def outside(self) -> dict[str, Any]:
        return outside_images(self.model, self.probing.outside)

    def numbers(self) -> dict[str, Any]:
        numbers: dict[str, Any] = {"curvature": {}, "gradients": {}, "ood": {}}
        cells = [cell for k in self.ks for cell in self._cells(("soft", "sls"), k)] if self.ks else [*self._cells(BENT)]
        for done, cell in enumerate(cells):
            measured = self._piece(cell.key, partial(self._alone, cell))
            name, seed = _arm(cell), str(cell.cell.seed)
            for what in numbers:
                if measured.get(what) not in (None, {}):
                    numbers[what].setdefault(name, {})[seed] = measured[what]
            self.tell(0.8 * (done + 1) / len(cells))
        if self.ks:
            targets = {str(k): self._piece(f"targets-{k}-{cells[0].key}", partial(self._targets, k)) for k in self.ks}
            return numbers | {"targets": targets}
        ends = {cell.cell.seed: cell for cell in cells if cell.cell.delivery == "sls"}
        ways = {
            str(cell.cell.seed): self._piece(f"way-{cell.key}", partial(self._way, cell, ends[cell.cell.seed]))
            for cell in cells
            if cell.cell.delivery == "soft"
        }
        return numbers | {"way": ways} | self._piece(f"alike-{cells[0].key}", partial(self._alike, cells))

    def _cells(self, deliveries: tuple[str, ...], k: int | None = None) -> Iterator[TrainedCell]:
        yield from load_cells(
            self.study,
            self.trained,
            deliveries=deliveries,
            keep=self.keep,
            transforms=("",) if k is None else (f"resampled={k}",),
            seeds=self.probing.seeds,
            data=self.data,
        )

    def _piece(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """A stored measurement of that name, or a new one."""
        return dict(compute_once(self.folder, name, {"name": name, "settings": self.settings}, make))

    def _rows(self, cell: TrainedCell, at_most: int | None) -> np.ndarray:
        return cell.parts.test if at_most is None else cell.parts.test[:at_most]

    def _alone(self, cell: TrainedCell) -> dict[str, Any]:
        """One model: how its loss bends, how noisy drawing labels makes its gradients, what it notices."""
        test = cell.parts.test
        disputed = test[high_disagreement(cell.people(test).probs).code == 1]
        measured: dict[str, Any] = {"curvature": {}}
        of_items = {"full": self._rows(cell, self.probing.items), "high": disputed}
        for part, rows in of_items.items() if self.keep == "best" else ():  # as in the paper's Hessian protocol
            bent = bends(cell, rows, self.probing.tolerance)
            measured["curvature"] |= {f"{name}_{part}": value for name, value in bent.items()}
        if not cell.cell.labels.transforms and cell.cell.delivery != SHUFFLED:
            measured["gradients"] = gradient_correlation(cell, test)
            measured["ood"] = self._detect(cell)
        return measured

    def _detect(self, cell: TrainedCell) -> dict[str, dict[str, float]]:
        from dissensus.probe.ood_sets import detect_ood

        inside, known = cell.inputs(cell.parts.test), cell.inputs(cell.parts.train)
        detection = detect_ood(cell.model, inside, self.outside, reference=known)
        return {
            name: {detector: result.auroc for detector, result in by.items()}
            for name, by in detection.separations.items()
        }

    def _way(self, one: TrainedCell, other: TrainedCell) -> dict[str, Any]:
        """The loss between soft labels and SLS of a seed, which began with the same weights."""
        from dissensus.probe.paths import barrier

        rows = self._rows(one, self.probing.items)
        way = barrier(
            module_of(one),
            module_of(other),
            batches_of(one, rows),
            renew_statistics_on=batches_of(one, one.parts.train[: max(len(rows), 100)]),
        )
        return {"interpolated": way.interpolated.barrier, "renewed": way.renewed.barrier}

    def _alike(self, cells: list[TrainedCell]) -> dict[str, Any]:
        """Features and maps of training images of CIFAR-10, which no model has seen, of two seeds at a time.

        No seed is in two pairs, so that pairs are independent runs.
        """
        from dissensus.probe.representation import linear_cka

        unseen = load_unseen_images(self.model, self.probing.outside)
        measured: dict[str, Any] = {"cka": {}, "grad_cam": {}}
        for delivery in ("soft", "sls", "multipass"):
            own = [cell for cell in cells if cell.cell.delivery == delivery]
            for one, other in zip(own[::2], own[1::2], strict=False):
                pair = f"seeds {one.cell.seed} and {other.cell.seed}"
                both = [np.asarray(cell.model.features(unseen[0])) for cell in (one, other)]
                measured["cka"].setdefault(delivery, {})[pair] = linear_cka(*both)
                if self.model != "heads":
                    measured["grad_cam"].setdefault(delivery, {})[pair] = map_stability([one, other], unseen)
        return measured

    def _targets(self, k: int) -> dict[str, Any]:
        """Where hard delivery gains: against how far the target that was learned from is from all votes."""
        cells = {(cell.cell.delivery, cell.cell.seed): cell for cell in self._cells(("soft", *HARD), k)}
        measured: dict[str, Any] = {}
        for (delivery, seed), cell in cells.items():
            if delivery != "soft":
                soft = cells["soft", seed]
                measured.setdefault(delivery, {})[str(seed)] = {
                    "learned": diagnose_sparsity(soft, cell, cell.parts.train, cell.training_targets()),
                    "held out": diagnose_sparsity(soft, cell, cell.parts.test, drawn_votes(cell, k)),
                }
        return measured


def _arm(cell: TrainedCell) -> str:
    drawn = cell.cell.labels.transforms.removeprefix("resampled=")
    return f"{cell.cell.delivery} at {drawn}" if drawn else cell.cell.delivery

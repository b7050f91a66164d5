"""A study before it runs: its axes and cells, those that its folder has, and the time that the others take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.labels.as_json import as_json
from dissensus.study.checks import tasks_of
from dissensus.study.data import StudyData
from dissensus.study.estimate import Estimate, estimate_study
from dissensus.study.grid import Cell, list_varying
from dissensus.study.run import known_cells
from dissensus.study.spec import AXES, Study
from dissensus.study.summary.power import power_remark


@dataclass(frozen=True)
class StudyCheck:
    """The size of a valid study.

    axes      values of each axis that has more than one, and the seeds
    there     cells that are done, `failed` and `left`: the cells that a run would make
    power     why no test can be significant; "" if one can
    data      numbers of items and classes of each data set
    estimate  of the cells that are left; None if there are none or nothing was timed
    """

    name: str
    cells: int
    arms: int
    axes: Mapping[str, Sequence[Any]]
    there: int
    failed: int
    left: int
    power: str
    data: Mapping[str, Mapping[str, int]]
    estimate: Estimate | None

    def as_json(self) -> dict[str, Any]:
        """All fields; `estimate` only if there is one."""
        return {name: as_json(value) for name, value in vars(self).items() if name != "estimate" or value is not None}


def check_study(
    study: Study,
    data: Mapping[str, StudyData],
    *,
    folder: Path | None = None,
    jobs: int | None = None,
    timing: bool = True,
) -> StudyCheck:
    """Check a study with its data and count its cells; with `timing`, some cells are trained."""
    tasks = tasks_of(study, data)
    cells = [task.cell for task in tasks]
    known = {} if folder is None else known_cells(tasks, folder / "cells")
    failed = sum(record["status"] == "failed" for record in known.values())
    left = [task for task in tasks if task.key not in known]
    return StudyCheck(
        name=study.name,
        cells=len(tasks),
        arms=len({repr(cell.arm) for cell in cells}),
        axes=axes_of(cells),
        there=len(known) - failed,
        failed=failed,
        left=len(left),
        power=power_remark(study, cells),
        data={name: {"items": items.n_items, "classes": items.people.n_classes} for name, items in data.items()},
        estimate=estimate_study(study, left, data, jobs=jobs) if left and timing else None,
    )


def axes_of(cells: Sequence[Cell]) -> dict[str, list[Any]]:
    """The values of each axis that has more than one; a setting is one if cells of the same model differ by it."""
    arms = [cell.arm for cell in cells]
    by_model = [[arm for arm in arms if arm["model"] == name] for name in dict.fromkeys(arm["model"] for arm in arms)]
    settings = dict.fromkeys(key for same in by_model for key in list_varying(same) if key not in AXES)
    keys = [*(key for key in list_varying(arms) if key in AXES), *settings]
    axes = {key: list({repr(arm[key]): arm[key] for arm in arms if key in arm}.values()) for key in keys}
    folds = sorted({cell.fold for cell in cells if cell.fold is not None})
    return axes | {"seed": list(dict.fromkeys(cell.seed for cell in cells))} | ({"fold": folds} if folds else {})

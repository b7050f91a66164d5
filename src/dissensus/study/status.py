"""The status of a study: cells done, failed and missing, and the process that works on it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.files.folder_lock import lock_folder
from dissensus.study.commit import code_commit
from dissensus.study.description import read_folder
from dissensus.study.holding import read_note


@dataclass(frozen=True)
class Status:
    """The status of a study.

    cells    of the study as it was run last
    done     of these
    failed   key -> error, of those that failed
    missing  of these
    others   cells in the folder that the study no longer has
    older    commit or version -> cells of the study that other code than this made
    running  pid, host and since of the process that works on it; None where none does
    cut_off  the same for a run that was cut off; None if there is none
    """

    name: str
    cells: int
    done: int
    failed: dict[str, str]
    missing: int
    others: int
    older: dict[str, int]
    running: dict[str, Any] | None
    cut_off: dict[str, Any] | None


def study_status(folder: str | Path) -> Status:
    """Return the status of a study; this writes nothing and works while the study runs.

    Parameters
    ----------
    folder : of the study

    Returns
    -------
    Status, with the numbers of cells that are done and missing, the failures, and the running process

    Examples
    --------
    >>> labels = Distributions.from_counts([[2, 1], [0, 3]] * 10)
    >>> data = {"labels": labels, "features": np.tile(np.eye(2), (10, 1))}
    >>> study = study_of({"data": data, "model": {"head": "logistic", "penalty": 1}, "seeds": 2})
    >>> ran = run_study(study, "runs", say=lambda notice: None)
    >>> study_status("runs").done
    2
    """
    place = Path(folder)
    known = read_folder(place)
    failed = {record["cell"]: record["error"] for record in known.records if record["status"] == "failed"}
    own = code_commit()
    older = Counter(record["commit"] for record in known.records if record["commit"] != own)
    running, cut_off = _runner(place)
    return Status(
        name=known.description["name"],
        cells=len(known.description["cells"]),
        done=len(known.records) - len(failed),
        failed=failed,
        missing=known.missing,
        others=known.others,
        older=dict(older.most_common()),
        running=running,
        cut_off=cut_off,
    )


def _runner(folder: Path) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The process that holds the folder, or a killed one that did.

    Without a note the lock is not tried, so that a query never keeps a run from starting.
    """
    who = read_note(folder)
    if who is None:
        return None, None
    try:
        with lock_folder(folder, "held"):
            return None, who
    except ValueError:
        return who, None

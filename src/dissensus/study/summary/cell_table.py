"""One flat row per cell, for a table, a CSV file or a data frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.evaluate.metrics import METRICS
from dissensus.study.description import StudyFolder
from dissensus.study.summary.arms import arm_names


def cell_rows(folder: StudyFolder) -> list[dict[str, Any]]:
    """List one row per existing cell, in the study's order; all rows have the same keys.

    cell, arm (its name), the settings of its arm, seed, fold, status, every score (None if it is not finite, and for
    failures), infinite_items, items learned from and judged on, seconds, made, commit, older_commit (made by another
    commit than the newest cell), error ("" if there is none).

    Parameters
    ----------
    folder : by `read_folder`

    Returns
    -------
    list of dict

    Examples
    --------
    >>> labels = Distributions.from_counts([[2, 1], [0, 3]] * 10)
    >>> data = {"labels": labels, "features": np.tile(np.eye(2), (10, 1))}
    >>> study = study_of({"data": data, "model": {"head": "logistic", "penalty": 1}, "seeds": 2})
    >>> ran = run_study(study, "runs", say=lambda notice: None)
    >>> cell_rows(read_folder("runs"))[0]["model"]
    'logistic'
    """
    records = folder.records
    settings = list(dict.fromkeys(key for record in records for key in record["arm"]))
    scored = {name for record in records for name in record.get("scores", {})}
    scores = [*(name for name in METRICS if name in scored), *sorted(scored - METRICS.keys())]
    sizes = ("learned from", "judged on")
    names = dict(zip(map(repr, arms := _arms(records)), arm_names(arms), strict=True))
    newest = newest_commit(records)
    return [
        {
            "cell": record["cell"],
            "arm": names[repr(record["arm"])],
            **{key: record["arm"].get(key) for key in settings},
            "seed": record["seed"],
            "fold": record["fold"],
            "status": record["status"],
            **{name: record.get("scores", {}).get(name) for name in scores},
            **{f"items {size}": record.get("items", {}).get(size) for size in sizes},
            "seconds": record["seconds"],
            "made": record["made"],
            "commit": record.get("commit"),
            "older_commit": record.get("commit") != newest,
            "error": record.get("error", ""),
        }
        for record in records
    ]


def newest_commit(records: Sequence[Mapping[str, Any]]) -> str | None:
    """The commit of the newest cell; None without cells."""
    return max(records, key=lambda record: record["made"]).get("commit") if records else None


def _arms(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({repr(record["arm"]): record["arm"] for record in records}.values())

"""Paths and names of data sets: which of the two a user means."""

from __future__ import annotations

from pathlib import Path

from dissensus.datasets.catalogue import DATASETS
from dissensus.datasets.dataset import ContentKind, DataSet
from dissensus.labels.refusals import Refusal, Way, find_nearest


def find_source(source: str | Path, *kinds: ContentKind) -> Path | DataSet:
    """Find the path or the data set that a source names.

    An existing file or folder wins over a data set of the same name. Every verb and every study decides by this
    function, so one name means the same everywhere.

    Parameters
    ----------
    source : a path, or the name of a data set
    kinds : what the data set may hold: "labels", "images", "predictions", "features"; anything unless given

    Returns
    -------
    Path or DataSet : the path if it exists, else the data set

    Raises
    ------
    Refusal : neither a path nor a data set, or a data set of another kind

    Examples
    --------
    >>> find_source("digits", "labels").title
    'Simulated readers of ambiguous handwritten digits (embedded)'
    """
    path, name = Path(source), str(source)
    if path.exists():
        return path
    if name not in DATASETS:
        near = find_nearest(name, DATASETS)
        hint = f"; did you mean {near!r}?" if near is not None else ""
        ways = [Way(f"choose one of the {len(DATASETS)} names of `dissensus data list`")]
        ways += [Way("make features of texts or images with `dissensus embed`")] * (kinds == ("features",))
        raise Refusal(f"no such file or folder, and no data set of that name{hint}", name, ways)
    dataset = DATASETS[name]
    if kinds and dataset.kind not in kinds:
        raise Refusal(f"the data set contains {dataset.kind}; expected {' or '.join(kinds)}", name)
    return dataset


def is_data_set(source: str | Path, kind: ContentKind | None = None) -> bool:
    """Whether a source is a data set, of that kind if one is given, and not a path that exists."""
    name = str(source)
    return not Path(source).exists() and name in DATASETS and kind in (None, DATASETS[name].kind)


def describe_source(source: str | Path) -> dict[str, str]:
    """A source as cards of models record it: `{"path": ...}` or `{"data set": ...}`."""
    return {"data set" if is_data_set(source) else "path": str(source)}
